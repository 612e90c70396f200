#include "lua/fits.h"

#include <lauxlib.h>

#include "codec/gunzip.h"
#include "lua/args.h"
#include "lua/fail.h"
#include "lua/json_scratch.h"
#include "lua/tensor.h"
#include "model/fits.h"

enum { BYTES = 1, LIMIT, SCRATCH }; /* places on the stack */

static int fail(lua_State *L, const char *text) {
  lua_pushnil(L);
  lua_pushstring(L, text);
  return 2;
}

/* False: there are none, and why is pushed. */
static bool take_bytes(lua_State *L, const char *call, struct rl_bytes *bytes) {
  bool null = lua_islightuserdata(L, BYTES) && !lua_touserdata(L, BYTES);
  if (null || lua_isnoneornil(L, BYTES)) {
    fail(L, "there are no bytes: null came");
    return false;
  }
  bytes->data = rl_arg_text(L, BYTES, call, "bytes", &bytes->len);
  return true;
}

static size_t take_limit(lua_State *L, const char *call) {
  if (lua_isnoneornil(L, LIMIT)) return RL_GUNZIP_LIMIT;
  int64_t limit = rl_arg_integer(L, LIMIT, call, "limit");
  if (limit < 1)
    rl_lua_script_error(L, "%s: the limit is a number of bytes, not %lld", call, (long long)limit);
  return (size_t)limit;
}

/* Does not raise: what is inflated is freed here. */
static int read_image(struct rl_bytes bytes, size_t limit, const struct rl_tensor_alloc *alloc,
                      struct rl_tensor *t, struct rl_err *err) {
  struct rl_buf plain = RL_BUF_INIT;
  int rc = 0;
  if (rl_is_gzip(bytes)) {
    rc = rl_gunzip(bytes, limit, &plain, err);
    bytes = rl_buf_bytes(&plain);
  }
  if (!rc) rc = rl_fits_decode(bytes, alloc, t, err);
  rl_buf_free(&plain);
  return rc;
}

static int l_fits_image(lua_State *L) {
  static const char call[] = "rille.fits.image";
  struct rl_bytes bytes;
  struct rl_err err;
  if (!take_bytes(L, call, &bytes)) return 2;
  size_t limit = take_limit(L, call);
  struct rl_tensor_alloc alloc = rl_lua_tensor_alloc(L);
  struct rl_tensor *t = rl_lua_hold_tensor(L);
  int rc = read_image(bytes, limit, &alloc, t, &err);
  for (int tries = 0; rc == RL_ENOMEM; tries++) {
    rl_lua_tensor_memory(L, tries > 0);
    rc = read_image(bytes, limit, &alloc, t, &err);
  }
  if (rc) return fail(L, err.text);
  rl_lua_tensor_made(L, t);
  return 1;
}

int l_gunzip(lua_State *L) {
  static const char call[] = "rille.gunzip";
  struct rl_bytes bytes;
  struct rl_err err;
  if (!take_bytes(L, call, &bytes)) return 2;
  size_t limit = take_limit(L, call);
  lua_settop(L, LIMIT);
  struct rl_json_scratch *scratch = rl_json_take(L); /* a userdata's: making the string may raise */
  int rc = rl_gunzip(bytes, limit, &scratch->buf, &err);
  struct rl_bytes plain = rl_buf_bytes(&scratch->buf);
  if (!rc) lua_pushlstring(L, plain.data, plain.len);
  rl_json_give(L, SCRATCH);
  return rc ? fail(L, err.text) : 1;
}

void rl_lua_open_fits(lua_State *L) {
  static const luaL_Reg functions[] = {{"image", l_fits_image}, {NULL, NULL}};
  luaL_newlib(L, functions);
}
