#include "lua/json_scratch.h"

#include <lauxlib.h>

#include "base/mem.h"

static const char current_key, metatable_key;

enum { KEEP_CELLS = 1 << 16, KEEP_BYTES = 1 << 20 };

static void free_all(struct rl_json_scratch *s) {
  if (s->parser) rl_json_free(s->parser);
  rl_tape_free(&s->tape);
  rl_buf_free(&s->buf);
  rl_free(s->frames);
  *s = (struct rl_json_scratch){0};
}

static int l_scratch_gc(lua_State *L) {
  free_all(lua_touserdata(L, 1));
  return 0;
}

static struct rl_json_scratch *push_new(lua_State *L) {
  struct rl_json_scratch *s = lua_newuserdatauv(L, sizeof *s, 0);
  *s = (struct rl_json_scratch){0};
  lua_rawgetp(L, LUA_REGISTRYINDEX, &metatable_key);
  lua_setmetatable(L, -2);
  return s;
}

struct rl_json_scratch *rl_json_take(lua_State *L) {
  lua_rawgetp(L, LUA_REGISTRYINDEX, &current_key);
  struct rl_json_scratch *s = lua_touserdata(L, -1);
  if (s->taken) {
    lua_pop(L, 1);
    s = push_new(L);
  }
  s->taken = true;
  if (!s->parser) s->parser = rl_json_new();
  rl_tape_reset(&s->tape);
  rl_buf_clear(&s->buf);
  s->n_frames = 0;
  return s;
}

void rl_json_give(lua_State *L, int idx) {
  struct rl_json_scratch *s = lua_touserdata(L, idx);
  if (s->tape.cap > KEEP_CELLS || s->tape.arena.used > KEEP_BYTES || s->buf.cap > KEEP_BYTES) free_all(s);
  s->taken = false;
  lua_pushvalue(L, idx);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &current_key);
}

void rl_json_open_scratch(lua_State *L) {
  lua_createtable(L, 0, 2);
  lua_pushcfunction(L, l_scratch_gc);
  lua_setfield(L, -2, "__gc");
  lua_pushliteral(L, "rille.scratch");
  lua_setfield(L, -2, "__name");
  lua_rawsetp(L, LUA_REGISTRYINDEX, &metatable_key);
  push_new(L);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &current_key);
}
