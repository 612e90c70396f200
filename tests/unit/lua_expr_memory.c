/* Lua's memory gives out at every possible place: nothing crashes, nothing leaks, and the state goes on
 * working once there is memory again. From the N-th allocation on all fail: a single one would be hidden by
 * the emergency collection. (What is not Lua's is freed with its userdata: the sanitizers see what is not.)
 */
#include "lua/reader.h"
#include "lua_where_rows.h"

/* Runs `fn` with ever more allocations allowed, until it succeeds. */
static void sweep(lua_CFunction fn, void *arg, const char *want) {
  bool done = false;
  for (size_t n = 1; !done && n < 20000; n++) {
    struct snippet_memory memory = {0};
    lua_State *L = lua_newstate(snippet_alloc, &memory);
    snippet_open(L);
    memory.count = 0;
    memory.fail_from = n;
    lua_pushcfunction(L, fn);
    lua_pushlightuserdata(L, arg);
    int status = lua_pcall(L, 1, 1, 0);
    memory.fail_from = 0;
    done = status == LUA_OK;
    if (!done && status != LUA_ERRMEM) {
      UNIT_FAIL("after %zu: %s", n, luaL_tolstring(L, -1, NULL));
    }
    lua_settop(L, 0);
    lua_pushcfunction(L, fn);
    lua_pushlightuserdata(L, arg);
    if (lua_pcall(L, 1, 1, 0)) UNIT_FAIL("again after %zu: %s", n, luaL_tolstring(L, -1, NULL));
    CHECK_STR(lua_tostring(L, -1), want);
    lua_close(L);
    CHECK_INT(memory.live, 0);
  }
  CHECK(done);
}

static const char document[] =
    "{\"a long key, past the forty bytes that are "
    "interned\":[1,2.5,18446744073709551615,null,true,\"text\",{},[]],"
    "\"b\":{\"c\":{\"d\":[{\"e\":\"f\"}]}}}";

static int p_round_trip(lua_State *L) {
  luaL_loadstring(L, "return rille.json.encode(rille.json.decode((...)))");
  lua_pushstring(L, document);
  lua_call(L, 1, 1);
  return 1;
}

TEST(decode_and_encode_survive_every_failed_allocation) { sweep(p_round_trip, NULL, document); }

static int p_encode_error(lua_State *L) {
  luaL_loadstring(
      L,
      "local ok, err = pcall(rille.json.encode, {a = {1, print}})\n"
      "if not ok and not tostring(err):find('a[2]', 1, true) then error(err, 0) end return tostring(ok)");
  lua_call(L, 0, 1);
  return 1;
}

TEST(a_refused_value_survives_every_failed_allocation) { sweep(p_encode_error, NULL, "false"); }

/* A reader is made, reads a row of CSV, and an array cell stands beside it. */
static int p_read(lua_State *L) {
  static const struct rl_cell tree[] = {
      {.tag = RL_ARRAY, .len = 2}, {.tag = RL_INT, .i = 5}, {.tag = RL_OBJECT}};
  const struct rl_cell cell = {.tag = RL_TREE, .len = 3, .tree = tree};
  struct rl_msg msg = {.value = rl_bytes_str("1,,a text that is longer than forty bytes and not interned")};
  struct rl_err err = {0};
  rl_lua_push_reader(L, lua_touserdata(L, 1));
  luaL_loadstring(L, "return rille.json.encode({...})");
  if (rl_lua_read(L, 2, &msg, 0, &err)) return luaL_error(L, "%s", err.text);
  rl_lua_push_cell(L, &cell);
  lua_call(L, 2, 1);
  return 1;
}

TEST(a_reader_survives_every_failed_allocation) {
  struct rl_settings s;
  rl_settings_init(&s);
  rl_settings_set(&s, rl_setting_find("decode"), "csv", RL_LAYER_CLI, "test", NULL);
  sweep(p_read, &s, "[[1,null,\"a text that is longer than forty bytes and not interned\"],[5,{}]]");
  rl_settings_free(&s);
}

static void sweep_where(const char *expression, const char *want) {
  struct where_rows on;
  static const char *const rows[] = {"{\"x\":1,\"s\":\"abc\"}", "{\"x\":18446744073709551615,\"s\":\"b\"}",
                                     "{\"s\":[1]}", NULL};
  where_rows_fill(&on, "x,s", rows);
  struct where_call call = {&on, expression, RL_WHERE_BEST, false};
  sweep(where_call_p, &call, want);
  call.how = RL_WHERE_IN_LUA;
  sweep(where_call_p, &call, want);
  where_rows_free(&on);
}

TEST(where_survives_every_failed_allocation) {
  sweep_where("x >= 1 and s ~= 'c'", "1 2");
  sweep_where("s:sub(1, 2) .. 'x' == 'abx' or x in {1e400, 7} or floor(x) == 18446744073709551615", "1");
}

static int p_bad_expression(lua_State *L) {
  luaL_loadstring(
      L,
      "local ok, err = pcall(rille.where, 'a > 1 and )')\n"
      "if not ok and not tostring(err):find('column', 1, true) then error(err, 0) end return tostring(ok)");
  lua_call(L, 0, 1);
  return 1;
}

TEST(a_bad_expression_survives_every_failed_allocation) { sweep(p_bad_expression, NULL, "false"); }
