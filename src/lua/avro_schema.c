#include "lua/avro_schema.h"

#include <errno.h>
#include <lauxlib.h>
#include <stdio.h>

#include "lua/args.h"
#include "lua/fail.h"

#define SCHEMA_TYPE "rille.schema"

enum { CACHED = 64, FILE_MAX_BYTES = 64 << 20 };

static const char cache_key, none_key; /* registry[&cache_key][text or path] = schema, `n` of them */

/* ---- the userdata ---- */

static int l_schema_gc(lua_State *L) {
  struct rl_lua_schema *s = lua_touserdata(L, 1);
  for (int f = 0; f < RL_LUA_FRAMINGS; f++)
    for (int logical = 0; logical < 2; logical++) rl_decoder_free(s->decoders[f][logical]);
  rl_avro_file_free(&s->file);
  rl_avro_encoder_free(s->encoder);
  *s = (struct rl_lua_schema){0};
  return 0;
}

static struct rl_lua_schema *push_new(lua_State *L) {
  struct rl_lua_schema *s = lua_newuserdatauv(L, sizeof *s, 0);
  *s = (struct rl_lua_schema){0};
  luaL_setmetatable(L, SCHEMA_TYPE);
  return s;
}

struct rl_decoder *rl_lua_schema_decoder(lua_State *L, struct rl_lua_schema *s, enum rl_avro_framing framing,
                                         bool logical, const char *call) {
  struct rl_decoder *made = s->decoders[framing][logical];
  struct rl_decoder_opts opts = {.avro = {.framing = framing, .logical = logical}};
  struct rl_err err;
  if (made) return made;
  if (s->encoder) opts.avro.schema = rl_avro_encoder_text(s->encoder);
  if (rl_decoder_new(&made, "avro", &opts, &err)) rl_lua_script_error(L, "%s: %s", call, err.text);
  return s->decoders[framing][logical] = made;
}

/* ---- finding ---- */

static bool is_text(const char *text) {
  static const char *const primitives[] = {"null",  "boolean", "int",   "long",
                                           "float", "double",  "bytes", "string"};
  for (size_t i = 0; i < sizeof primitives / sizeof *primitives; i++)
    if (strcmp(text, primitives[i]) == 0) return true;
  text += strspn(text, " \t\r\n");
  return *text && strchr("{[\"", *text);
}

static void read_all(FILE *in, luaL_Buffer *out) {
  size_t n;
  do {
    n = fread(luaL_prepbuffer(out), 1, LUAL_BUFFERSIZE, in);
    luaL_addsize(out, n);
  } while (n > 0 && luaL_bufflen(out) < FILE_MAX_BYTES);
}

/* The file is closed by its handle's __gc, should the buffer raise for lack of memory. */
static int l_file_gc(lua_State *L) {
  FILE **in = lua_touserdata(L, 1);
  if (*in) fclose(*in);
  *in = NULL;
  return 0;
}

static FILE **push_file(lua_State *L, const char *path) {
  FILE **in = lua_newuserdatauv(L, sizeof(FILE *), 0);
  *in = NULL;
  if (luaL_newmetatable(L, "rille.file")) {
    lua_pushcfunction(L, l_file_gc);
    lua_setfield(L, -2, "__gc");
  }
  lua_setmetatable(L, -2);
  *in = fopen(path, "re");
  return in;
}

/* Pushes the schema that a container's header has; nothing where the text at idx is none. name: of errors. */
static void push_header_text(lua_State *L, int idx, const char *name, const char *call) {
  struct rl_bytes schema;
  struct rl_err err;
  size_t len;
  const char *data = lua_tolstring(L, idx, &len);
  if (!rl_avro_is_container(rl_bytes(data, len))) return;
  if (rl_avro_container_schema(rl_bytes(data, len), &schema, &err))
    rl_lua_script_error(L, "%s: %s: %s", call, name, err.text);
  lua_pushlstring(L, schema.data, schema.len);
}

/* Pushes the file's schema: all of it, or what a container's header has. */
static void push_file_text(lua_State *L, const char *path, const char *call) {
  luaL_Buffer text;
  FILE **in = push_file(L, path);
  if (!*in) rl_lua_script_error(L, "%s: cannot read the schema %.200s: %s", call, path, strerror(errno));
  luaL_buffinit(L, &text);
  read_all(*in, &text);
  luaL_pushresult(&text);
  if (ferror(*in))
    rl_lua_script_error(L, "%s: cannot read the schema %.200s: %s", call, path, strerror(errno));
  lua_pushcfunction(L, l_file_gc);
  lua_pushvalue(L, -3);
  lua_call(L, 1, 0);
  push_header_text(L, -1, path, call);
}

static void push_made(lua_State *L, int idx, const char *call) {
  size_t len;
  const char *text = lua_tolstring(L, idx, &len);
  bool container = rl_avro_is_container(rl_bytes(text, len));
  const char *path = container || is_text(text) ? NULL : text;
  int top = lua_gettop(L);
  struct rl_err err;
  if (path) push_file_text(L, path, call);
  if (container) push_header_text(L, idx, "the container given", call);
  if (lua_gettop(L) > top) text = lua_tolstring(L, -1, &len);
  struct rl_lua_schema *s = push_new(L);
  if (rl_avro_encoder_new(&s->encoder, rl_bytes(text, len), &err))
    rl_lua_script_error(L, "%s: %s%s%s", call, path ? path : "", path ? ": " : "", err.text);
  if (lua_gettop(L) > top + 1) lua_copy(L, -1, top + 1);
  lua_settop(L, top + 1);
}

/* A script has few schemas; one that makes them up without end has its cache emptied now and then. */
static void push_cached(lua_State *L, int idx, const char *call) {
  lua_rawgetp(L, LUA_REGISTRYINDEX, &cache_key);
  int cache = lua_gettop(L);
  lua_pushvalue(L, idx);
  if (lua_rawget(L, cache) == LUA_TUSERDATA) return;
  lua_pop(L, 1);
  push_made(L, idx, call);
  lua_Integer n = (lua_rawgeti(L, cache, 1), lua_tointeger(L, -1));
  lua_pop(L, 1);
  if (n >= CACHED) {
    lua_newtable(L);
    lua_pushvalue(L, -1);
    lua_rawsetp(L, LUA_REGISTRYINDEX, &cache_key);
    lua_replace(L, cache);
    n = 0;
  }
  lua_pushinteger(L, n + 1);
  lua_rawseti(L, cache, 1);
  lua_pushvalue(L, idx);
  lua_pushvalue(L, -2);
  lua_rawset(L, cache);
}

static void push_none(lua_State *L) {
  if (lua_rawgetp(L, LUA_REGISTRYINDEX, &none_key) == LUA_TUSERDATA) return;
  lua_pop(L, 1);
  push_new(L);
  lua_pushvalue(L, -1);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &none_key);
}

struct rl_lua_schema *rl_lua_schema_at(lua_State *L, int idx, bool nil_too, const char *call) {
  int top = lua_gettop(L);
  if (luaL_testudata(L, idx, SCHEMA_TYPE)) return lua_touserdata(L, idx);
  if (nil_too && lua_isnil(L, idx))
    push_none(L);
  else if (lua_type(L, idx) == LUA_TSTRING)
    push_cached(L, idx, call);
  else
    rl_lua_script_error(
        L, "%s: the schema must be its JSON text, a file's name or what rille.avro.schema gave, not %s", call,
        luaL_typename(L, idx));
  lua_replace(L, idx);
  lua_settop(L, top);
  return lua_touserdata(L, idx);
}

/* ---- properties ---- */

static int l_schema_tostring(lua_State *L) {
  struct rl_lua_schema *s = luaL_checkudata(L, 1, SCHEMA_TYPE);
  char print[20];
  snprintf(print, sizeof print, "%016llx",
           s->encoder ? (unsigned long long)rl_avro_encoder_fingerprint(s->encoder) : 0ULL);
  lua_pushfstring(L, "rille.schema: %s", print);
  return 1;
}

static int l_schema_index(lua_State *L) {
  struct rl_lua_schema *s = luaL_checkudata(L, 1, SCHEMA_TYPE);
  const char *name = lua_type(L, 2) == LUA_TSTRING ? lua_tostring(L, 2) : "";
  if (lua_getfield(L, lua_upvalueindex(1), name) != LUA_TNIL) return 1;
  struct rl_bytes text = rl_avro_encoder_text(s->encoder);
  if (strcmp(name, "text") == 0) {
    lua_pushlstring(L, text.data, text.len);
  } else if (strcmp(name, "fingerprint") == 0) {
    char print[20];
    snprintf(print, sizeof print, "%016llx", (unsigned long long)rl_avro_encoder_fingerprint(s->encoder));
    lua_pushstring(L, print);
  } else {
    rl_lua_script_error(L, "a schema has no '%s': it has text, fingerprint, encode and decode", name);
  }
  return 1;
}

void rl_lua_open_schema(lua_State *L, lua_CFunction encode, lua_CFunction decode) {
  lua_newtable(L);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &cache_key);
  luaL_newmetatable(L, SCHEMA_TYPE);
  lua_pushcfunction(L, l_schema_gc);
  lua_setfield(L, -2, "__gc");
  lua_pushcfunction(L, l_schema_tostring);
  lua_setfield(L, -2, "__tostring");
  lua_createtable(L, 0, 2);
  lua_pushcfunction(L, encode);
  lua_setfield(L, -2, "encode");
  lua_pushcfunction(L, decode);
  lua_setfield(L, -2, "decode");
  lua_pushcclosure(L, l_schema_index, 1);
  lua_setfield(L, -2, "__index");
  lua_pop(L, 1);
}
