#include "lua/reader.h"

#include <lauxlib.h>

#include "lua/json_scratch.h"

#define READER_TYPE "rille.reader"
#define UV_BATCH_ENV 1

struct reader {
  struct rl_settings settings;
  struct rl_decoder *decoder;
};

static int l_reader_gc(lua_State *L) {
  struct reader *r = lua_touserdata(L, 1);
  rl_decoder_free(r->decoder);
  rl_settings_free(&r->settings);
  r->decoder = NULL;
  return 0;
}

static bool reads_json(const struct rl_settings *s) {
  if (s->rows && !s->decode_lua) return false;
  return s->decode_lua || !s->decode || strcmp(s->decode, "raw") == 0 || strcmp(s->decode, "json") == 0;
}

void rl_lua_push_reader(lua_State *L, const struct rl_settings *s) {
  if (reads_json(s)) {
    lua_pushnil(L);
    return;
  }
  struct reader *r = lua_newuserdatauv(L, sizeof *r, 0);
  *r = (struct reader){.decoder = NULL};
  if (luaL_newmetatable(L, READER_TYPE)) {
    lua_pushcfunction(L, l_reader_gc);
    lua_setfield(L, -2, "__gc");
  }
  rl_settings_copy(&r->settings, s);
  lua_setmetatable(L, -2);
  struct rl_err err = {0};
  if (rl_settings_decoder(&r->settings, NULL, &r->decoder, &err)) luaL_error(L, "%s", err.text);
}

void rl_lua_use_reader(lua_State *L, int idx) {
  struct reader *r = lua_touserdata(L, -1);
  if (r) rl_decoder_tape_end(r->decoder); /* another batch's message may have the place of the one before */
  lua_getiuservalue(L, idx, UV_BATCH_ENV);
  lua_insert(L, -2);
  lua_setfield(L, -2, "reader");
  lua_pop(L, 1);
}

int rl_lua_read(lua_State *L, int idx, const struct rl_msg *msg, size_t record, struct rl_err *err) {
  struct reader *r = lua_touserdata(L, idx);
  luaL_checkstack(L, 8, NULL);
  struct rl_json_scratch *s = rl_json_take(L);
  int held = lua_gettop(L);
  int code = rl_decoder_tape(r->decoder, msg, record, &s->tape, err);
  if (!code) code = rl_json_build(L, s, s->tape.at, s->tape.n, err);
  return rl_json_end(L, held, code);
}
