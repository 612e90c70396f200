#include "lua/decode.h"

#include <lauxlib.h>

#include "lua/batch.h"
#include "lua/decode_fields.h"
#include "lua/fail.h"
#include "lua/message.h"

static char decoded_key; /* registry[&decoded_key][batch] = root, whose environment holds "decoded" */

/* Pushes the table of all batches that are decoded. */
static void push_all(lua_State *L) {
  if (lua_rawgetp(L, LUA_REGISTRYINDEX, &decoded_key) == LUA_TTABLE) return;
  lua_pop(L, 1);
  lua_newtable(L);
  lua_pushvalue(L, -1);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &decoded_key);
}

static void set_decoded(lua_State *L, int root) {
  root = lua_absindex(L, root);
  lua_getiuservalue(L, root, 1);
  lua_insert(L, -2);
  lua_setfield(L, -2, "decoded");
  lua_pop(L, 1);
}

/* A root with all rows of the batch, so that decode can be given messages before the handler is. */
static void push_new_root(lua_State *L, struct rl_batch *batch) {
  uint32_t *rows = lua_newuserdatauv(L, (batch->n + 1) * sizeof *rows, 0);
  for (size_t i = 0; i < batch->n; i++) rows[i] = (uint32_t)i;
  struct rl_view view = {.batch = batch, .rows = rows, .n = batch->n, .attempt = 1, .parts_of = batch->n};
  rl_lua_push_batch(L, &view);
  lua_remove(L, -2);
  lua_newtable(L);
  set_decoded(L, -2);
}

static void push_root(lua_State *L, struct rl_batch *batch) {
  push_all(L);
  if (lua_rawgetp(L, -1, batch) != LUA_TUSERDATA) {
    lua_pop(L, 1);
    push_new_root(L, batch);
    lua_pushvalue(L, -1);
    lua_rawsetp(L, -3, batch);
  }
  lua_remove(L, -2);
}

/* Pushes root.decoded. */
static void push_values(lua_State *L, int root) {
  lua_getiuservalue(L, root, 1);
  lua_getfield(L, -1, "decoded");
  lua_remove(L, -2);
}

/* decoded[slot][offset] = the value at the top, which stays. */
static void keep_value(lua_State *L, int root, const struct rl_msg *msg) {
  int value = lua_gettop(L);
  push_values(L, root);
  if (lua_rawgeti(L, -1, (lua_Integer)msg->slot) != LUA_TTABLE) {
    lua_pop(L, 1);
    lua_newtable(L);
    lua_pushvalue(L, -1);
    lua_rawseti(L, -3, (lua_Integer)msg->slot);
  }
  lua_pushvalue(L, value);
  lua_rawseti(L, -2, msg->offset);
  lua_settop(L, value);
}

void rl_lua_decode_row(lua_State *L, struct rl_batch *batch, size_t row) {
  int decode = lua_gettop(L), root = decode + 1;
  push_root(L, batch);
  lua_pushvalue(L, decode);
  rl_lua_push_message(L, root, (uint32_t)row);
  lua_call(L, 1, 2);
  if (!lua_toboolean(L, -2) && !lua_isnil(L, -1)) rl_lua_returned(L);
  lua_pop(L, 1);
  keep_value(L, root, &batch->msgs[row]);
  rl_lua_fill_fields(L, batch, row);
  lua_settop(L, decode - 1);
}

void rl_lua_use_decoded(lua_State *L, int idx, const struct rl_batch *batch) {
  idx = lua_absindex(L, idx);
  push_all(L);
  if (lua_rawgetp(L, -1, batch) == LUA_TUSERDATA) {
    push_values(L, lua_gettop(L));
    set_decoded(L, idx);
  }
  lua_pop(L, 2);
}

/* Nothing here allocates: it runs outside of any protected call. */
void rl_lua_drop_decoded(lua_State *L, const struct rl_batch *batch) {
  int top = lua_gettop(L);
  if (lua_rawgetp(L, LUA_REGISTRYINDEX, &decoded_key) == LUA_TTABLE &&
      lua_rawgetp(L, -1, batch) == LUA_TUSERDATA) {
    rl_lua_close_batch(L, -1);
    lua_pop(L, 1);
    lua_pushnil(L);
    lua_rawsetp(L, -2, batch);
  }
  lua_settop(L, top);
}
