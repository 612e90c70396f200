#include "lua/shuffle.h"

#include <lauxlib.h>

#include "lua/args.h"
#include "lua/fail.h"
#include "lua/members.h"
#include "lua/tensor.h"
#include "model/shuffle.h"

static const char metatable_key; /* registry: the type's metatable, to be found without making a string */

static int64_t check_option(lua_State *L, const char *name, int64_t least, int64_t otherwise) {
  static const char call[] = "rille.shuffle";
  lua_getfield(L, 1, name);
  int64_t value = lua_isnil(L, -1) ? otherwise : rl_arg_integer(L, -1, call, name);
  if (value < least)
    rl_lua_script_error(L, "%s: size is wanted: how many rows stay behind, to be mixed with what comes",
                        call);
  lua_pop(L, 1);
  return value;
}

int l_shuffle(lua_State *L) {
  static const char *const names[] = {"size", "seed"};
  lua_settop(L, 1);
  if (!rl_arg_options(L, 1, "rille.shuffle", names, 2)) {
    lua_newtable(L);
    lua_replace(L, 1);
  }
  int64_t size = check_option(L, "size", 0, -1), seed = check_option(L, "seed", INT64_MIN, 1);
  struct rl_shuffle *s = lua_newuserdatauv(L, sizeof *s, 0);
  *s = (struct rl_shuffle){.size = (size_t)size, .random = {(uint64_t)seed}};
  luaL_setmetatable(L, RL_SHUFFLE_TYPE);
  return 1;
}

static struct rl_shuffle *self(lua_State *L, const char *call) {
  return rl_arg_self(L, RL_SHUFFLE_TYPE, call);
}

static int l_shuffle_add(lua_State *L) {
  static const char call[] = "shuffle:add";
  struct rl_shuffle *s = self(L, call);
  struct rl_tensor_alloc alloc = rl_lua_tensor_alloc(L);
  struct rl_tensor parts[RL_SHUFFLE_PARTS];
  struct rl_err err;
  int n = lua_gettop(L) - 1, rc;
  if (n < 1 || n > RL_SHUFFLE_PARTS)
    rl_lua_script_error(L, "%s: 1 to %d tensors are wanted, not %d", call, RL_SHUFFLE_PARTS, n);
  for (int i = 0; i < n; i++) {
    int idx = i + 2;
    parts[i] = lua_istable(L, idx) ? *rl_lua_floats(L, idx, call, "a part")
                                   : *rl_lua_compact_tensor(L, idx, call, "a part");
  }
  for (int tries = 0; (rc = rl_shuffle_add(s, parts, n, &alloc, &err)) == RL_ENOMEM; tries++)
    rl_lua_tensor_memory(L, tries > 0);
  if (rc) luaL_error(L, "%s: %s", call, err.text);
  lua_settop(L, 1);
  return 1;
}

/* Pushes a tensor for n rows of each part. */
static void push_parts(lua_State *L, const struct rl_shuffle *s, size_t n, struct rl_tensor **to) {
  luaL_checkstack(L, RL_SHUFFLE_PARTS + 4, NULL);
  for (int i = 0; i < s->parts; i++) {
    int64_t shape[RL_RANK_MAX] = {(int64_t)n};
    for (int k = 1; k < s->rows[i].rank; k++) shape[k] = s->rows[i].shape[k];
    to[i] = rl_lua_new_tensor(L, "shuffle", s->rows[i].dtype, s->rows[i].rank, shape);
  }
}

/* Upvalues: the buffer, n, whether the rest is wanted. The tensors are made before rows are drawn for them.
 */
static int l_shuffle_next(lua_State *L) {
  struct rl_shuffle *s = lua_touserdata(L, lua_upvalueindex(1));
  struct rl_tensor *to[RL_SHUFFLE_PARTS];
  size_t n = (size_t)lua_tointeger(L, lua_upvalueindex(2));
  n = rl_shuffle_next(s, n, lua_toboolean(L, lua_upvalueindex(3)));
  if (n == 0) return 0;
  push_parts(L, s, n, to);
  if (n > s->n) return 0; /* a finalizer drew them meanwhile */
  rl_shuffle_draw(s, n, to);
  return s->parts;
}

static int batches(lua_State *L, const char *call, int rest) {
  self(L, call);
  int64_t n = rl_arg_integer(L, 2, call, "size of a mini-batch");
  if (n < 1) rl_lua_script_error(L, "%s: a mini-batch has 1 row or more, not %d", call, (int)n);
  lua_settop(L, 2);
  lua_pushboolean(L, rest);
  lua_pushcclosure(L, l_shuffle_next, 3);
  return 1;
}

static int l_shuffle_batches(lua_State *L) { return batches(L, "shuffle:batches", 0); }
static int l_shuffle_rest(lua_State *L) { return batches(L, "shuffle:rest", 1); }

static int l_shuffle_len(lua_State *L) {
  lua_pushinteger(L, (lua_Integer)self(L, "shuffle:len")->n);
  return 1;
}

static int l_shuffle_tostring(lua_State *L) {
  const struct rl_shuffle *s = self(L, "tostring");
  lua_pushfstring(L, "rille.shuffle (%I rows, size %I)", (LUAI_UACINT)s->n, (LUAI_UACINT)s->size);
  return 1;
}

/* Is called for lack of memory too: so it may not need any, not even for the type's name. */
static int l_shuffle_gc(lua_State *L) {
  struct rl_shuffle *s = rl_arg_userdata(L, 1, &metatable_key);
  if (s) rl_shuffle_free(s);
  return 0;
}

static void set_methods(lua_State *L) {
  static const luaL_Reg methods[] = {
      {"add", l_shuffle_add}, {"batches", l_shuffle_batches}, {"rest", l_shuffle_rest}, {NULL, NULL}};
  luaL_newlib(L, methods);
  rl_lua_only_members(L, "a shuffle buffer");
  lua_setfield(L, -2, "__index");
}

void rl_lua_open_shuffle(lua_State *L) {
  static const luaL_Reg meta[] = {
      {"__len", l_shuffle_len}, {"__tostring", l_shuffle_tostring}, {"__gc", l_shuffle_gc}, {NULL, NULL}};
  if (luaL_newmetatable(L, RL_SHUFFLE_TYPE)) {
    luaL_setfuncs(L, meta, 0);
    set_methods(L);
    rl_lua_seal_type(L, "a shuffle buffer", &metatable_key);
  }
  lua_pop(L, 1);
}
