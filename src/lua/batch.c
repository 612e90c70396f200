#include "lua/batch.h"

#include <lauxlib.h>

#include "lua/args.h"
#include "lua/fail.h"
#include "lua/message.h"
#include "lua/where.h"

enum { UV_ENV = 1, UV_ROOT, UV_COLUMNS, UV_WITH, UV_COUNT = UV_WITH };
enum property { P_NUMBER = 1, P_EPOCH, P_CAUSE, P_ATTEMPT, P_PART, P_COLUMNS };

static struct rl_lua_batch *new_batch(lua_State *L, const uint32_t *rows, size_t n) {
  struct rl_lua_batch *b = lua_newuserdatauv(L, sizeof *b + n * sizeof *rows, UV_COUNT);
  *b = (struct rl_lua_batch){.root = b, .rows = (uint32_t *)(b + 1), .n = n};
  if (n) memcpy(b->rows, rows, n * sizeof *rows);
  luaL_setmetatable(L, RL_BATCH_TYPE);
  return b;
}

void rl_lua_push_batch(lua_State *L, const struct rl_view *view) {
  struct rl_lua_batch *b = new_batch(L, view->rows, view->n);
  lua_createtable(L, (int)view->n, 0);
  lua_setiuservalue(L, -2, UV_ENV);
  b->attempt = view->attempt;
  b->part_at = view->part_at;
  b->parts_of = view->parts_of;
  b->number = view->batch->number;
  b->epoch = view->batch->epoch;
  b->several = view->batch->first != NULL;
  b->batch = view->batch;
  b->columns = view->batch->columns;
}

void rl_lua_push_view(lua_State *L, int idx, const uint32_t *rows, size_t n) {
  idx = lua_absindex(L, idx);
  struct rl_lua_batch *of = rl_lua_check_batch(L, idx);
  struct rl_lua_batch *b = new_batch(L, rows, n);
  lua_getiuservalue(L, idx, UV_ENV);
  lua_setiuservalue(L, -2, UV_ENV);
  if (of == of->root)
    lua_pushvalue(L, idx);
  else
    lua_getiuservalue(L, idx, UV_ROOT);
  lua_setiuservalue(L, -2, UV_ROOT);
  lua_getiuservalue(L, idx, UV_WITH);
  lua_setiuservalue(L, -2, UV_WITH);
  uint32_t *own = b->rows;
  *b = *of;
  b->rows = own;
  b->n = n;
}

struct rl_lua_batch *rl_lua_test_batch(lua_State *L, int idx) {
  return luaL_testudata(L, idx, RL_BATCH_TYPE);
}

static struct rl_lua_batch *check_open(lua_State *L, struct rl_lua_batch *b) {
  b->batch = b->root->batch;
  if (!b->batch)
    rl_lua_script_error(L, "batch %lld is over: take what you need of it while it is handled",
                        (long long)b->number);
  return b;
}

struct rl_lua_batch *rl_lua_check_batch(lua_State *L, int idx) {
  struct rl_lua_batch *b = rl_lua_test_batch(L, idx);
  if (!b) rl_lua_script_error(L, "a batch is wanted here, not %s", luaL_typename(L, idx));
  return check_open(L, b);
}

void rl_lua_close_batch(lua_State *L, int idx) {
  struct rl_lua_batch *b = rl_lua_test_batch(L, idx);
  if (b) b->root->batch = b->batch = NULL;
}

struct rl_lua_batch *rl_lua_batch_self(lua_State *L, const char *call) {
  return check_open(L, rl_arg_self(L, RL_BATCH_TYPE, call));
}

void rl_lua_batch_columns(lua_State *L, const struct rl_columns *columns, int idx) {
  struct rl_lua_batch *b = lua_touserdata(L, -1);
  lua_pushvalue(L, idx);
  lua_setiuservalue(L, -2, UV_WITH);
  b->columns = columns;
}

void rl_lua_push_columns_owner(lua_State *L, int idx) { lua_getiuservalue(L, idx, UV_WITH); }

/* Pushes message i (from 1) of the view; nil past its end, so that ipairs ends there. */
static void push_nth(lua_State *L, int idx, const struct rl_lua_batch *b, lua_Integer i) {
  if (i >= 1 && (lua_Unsigned)i <= b->n)
    rl_lua_push_message(L, idx, b->rows[i - 1]);
  else
    lua_pushnil(L);
}

/* for i, message in batch:messages() do */
static int l_batch_next(lua_State *L) {
  struct rl_lua_batch *b = rl_lua_batch_self(L, "batch:messages");
  lua_Integer i = luaL_checkinteger(L, 2) + 1;
  if (i > (lua_Integer)b->n) return 0;
  lua_pushinteger(L, i);
  push_nth(L, 1, b, i);
  return 2;
}

static int l_batch_messages(lua_State *L) {
  rl_lua_batch_self(L, "batch:messages");
  lua_pushcfunction(L, l_batch_next);
  lua_pushvalue(L, 1);
  lua_pushinteger(L, 0);
  return 3;
}

/* The batch is checked anew each time: in the library form fn may have ended it. */
static int l_batch_map(lua_State *L) {
  struct rl_lua_batch *b = rl_lua_batch_self(L, "batch:map");
  rl_arg_function(L, 2, "batch:map", "argument");
  lua_createtable(L, (int)b->n, 1);
  for (size_t i = 1; i <= b->n; i++) {
    lua_pushvalue(L, 2);
    push_nth(L, 1, rl_lua_batch_self(L, "batch:map"), (lua_Integer)i);
    lua_pushinteger(L, (lua_Integer)i);
    lua_call(L, 2, 1);
    lua_rawseti(L, 3, (lua_Integer)i);
  }
  lua_pushinteger(L, (lua_Integer)b->n);
  lua_setfield(L, 3, "n");
  return 1;
}

/* "1-256/512"; nil for a whole batch. */
static void push_part(lua_State *L, const struct rl_lua_batch *root) {
  size_t first = root->part_at, n = root->n, all = root->parts_of;
  if (n == all || !all)
    lua_pushnil(L);
  else
    lua_pushfstring(L, "%I-%I/%I", (LUAI_UACINT)first + 1, (LUAI_UACINT)first + (LUAI_UACINT)n,
                    (LUAI_UACINT)all);
}

static int push_property(lua_State *L, const struct rl_lua_batch *b, enum property which) {
  switch (which) {
    case P_NUMBER: lua_pushinteger(L, b->number); break;
    case P_EPOCH: lua_pushinteger(L, b->epoch); break;
    case P_CAUSE: lua_pushstring(L, rl_cause_name(b->batch->cause)); break;
    case P_ATTEMPT: lua_pushinteger(L, b->attempt); break;
    case P_PART: push_part(L, b->root); break;
    case P_COLUMNS: rl_lua_push_columns(L, 1); break;
  }
  return 1;
}

/* batch[i], batch.method, batch.property, batch.COLUMN; upvalue 1: methods as functions, properties as
 * numbers. */
static int l_batch_index(lua_State *L) {
  struct rl_lua_batch *b = rl_lua_batch_self(L, "batch:index");
  if (lua_type(L, 2) == LUA_TNUMBER) {
    push_nth(L, 1, b, lua_tointeger(L, 2));
    return 1;
  }
  lua_pushvalue(L, 2);
  switch (lua_rawget(L, lua_upvalueindex(1))) {
    case LUA_TFUNCTION: return 1;
    case LUA_TNUMBER: return push_property(L, b, (enum property)lua_tointeger(L, -1));
    default: break;
  }
  if (lua_type(L, 2) != LUA_TSTRING)
    rl_lua_script_error(L, "a batch is indexed by a number or a name, not by %s", luaL_typename(L, 2));
  rl_lua_push_column_named(L, 1, 2);
  return 1;
}

static int l_batch_len(lua_State *L) {
  lua_pushinteger(L, (lua_Integer)rl_lua_batch_self(L, "batch:len")->n);
  return 1;
}

/* Works on a batch that is over, too: it ends up in messages about just that. */
static int l_batch_tostring(lua_State *L) {
  struct rl_lua_batch *b = luaL_checkudata(L, 1, RL_BATCH_TYPE);
  lua_pushfstring(L, "batch %I (%I %s%s%s)", (LUAI_UACINT)b->number, (LUAI_UACINT)b->n,
                  b->several ? "row" : "message", b->n == 1 ? "" : "s", b->root->batch ? "" : ", over");
  return 1;
}

static int l_batch_newindex(lua_State *L) { rl_lua_script_error(L, "a batch cannot be changed"); }

static const luaL_Reg methods[] = {{"group_by", l_batch_group_by}, {"map", l_batch_map},
                                   {"messages", l_batch_messages}, {"rows", l_batch_rows},
                                   {"select", l_batch_select},     {"sort", l_batch_sort},
                                   {"tensor", l_batch_tensor},     {"where", l_batch_where},
                                   {"with", l_batch_with},         {NULL, NULL}};

static const struct {
  const char *name;
  enum property which;
} properties[] = {{"number", P_NUMBER},   {"epoch", P_EPOCH}, {"cause", P_CAUSE},
                  {"attempt", P_ATTEMPT}, {"part", P_PART},   {"columns", P_COLUMNS}};
#define N_PROPERTIES (sizeof properties / sizeof *properties)

_Static_assert(RL_BATCH_MEMBERS == sizeof methods / sizeof *methods - 1 + N_PROPERTIES,
               "as many as there are");

void rl_lua_batch_members(const char **names) {
  for (const luaL_Reg *m = methods; m->name; m++) *names++ = m->name;
  for (size_t i = 0; i < N_PROPERTIES; i++) *names++ = properties[i].name;
}

bool rl_lua_batch_has(const char *name) {
  for (const luaL_Reg *m = methods; m->name; m++)
    if (strcmp(m->name, name) == 0) return true;
  for (size_t i = 0; i < N_PROPERTIES; i++)
    if (strcmp(properties[i].name, name) == 0) return true;
  return strcmp(name, "done") == 0; /* the library form's */
}

static void set_index(lua_State *L) {
  lua_newtable(L);
  luaL_setfuncs(L, methods, 0);
  for (size_t i = 0; i < N_PROPERTIES; i++) {
    lua_pushinteger(L, properties[i].which);
    lua_setfield(L, -2, properties[i].name);
  }
  lua_pushvalue(L, -1);
  lua_setfield(L, -3, "members");
  lua_pushcclosure(L, l_batch_index, 1);
  lua_setfield(L, -2, "__index");
}

void rl_lua_batch_method(lua_State *L, const char *name, lua_CFunction fn) {
  luaL_getmetatable(L, RL_BATCH_TYPE);
  lua_getfield(L, -1, "members");
  lua_pushcfunction(L, fn);
  lua_setfield(L, -2, name);
  lua_pop(L, 2);
}

void rl_lua_open_batch(lua_State *L) {
  static const luaL_Reg meta[] = {{"__len", l_batch_len},
                                  {"__tostring", l_batch_tostring},
                                  {"__newindex", l_batch_newindex},
                                  {NULL, NULL}};
  rl_lua_open_message(L);
  if (luaL_newmetatable(L, RL_BATCH_TYPE)) {
    luaL_setfuncs(L, meta, 0);
    set_index(L);
    lua_pushliteral(L, "rille: a batch's metatable is not to be changed");
    lua_setfield(L, -2, "__metatable");
  }
  lua_pop(L, 1);
}
