#include "lua/script_settings.h"

#include <lauxlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"

static const char *const script_keys[] = {"handle", "open", "close", "assigned", "revoked", "every"};
#define N_SCRIPT_KEYS (sizeof script_keys / sizeof *script_keys)

bool rl_lua_is_script_key(const char *name) {
  for (size_t i = 0; i < N_SCRIPT_KEYS; i++)
    if (strcmp(script_keys[i], name) == 0) return true;
  return false;
}

/* ---- unknown names ---- */

/* How many settings begin with `prefix` and a dot. */
static size_t count_group(const char *prefix) {
  size_t len = strlen(prefix), n = 0;
  for (size_t i = 0; i < rl_settings_count; i++)
    n += strncmp(rl_settings_table[i].name, prefix, len) == 0 && rl_settings_table[i].name[len] == '.';
  return n;
}

/* The nearest among what may stand at this level: the first parts of the settings' names, or the script's own
 * keys. In a Lua string, pushed. */
static const char *nearest_at_top(lua_State *L, const char *name) {
  const char **names = lua_newuserdatauv(L, (rl_settings_count + N_SCRIPT_KEYS) * sizeof *names, 0);
  lua_newtable(L); /* keeps the parts */
  size_t n = 0;
  for (; n < rl_settings_count; n++) {
    const char *whole = rl_settings_table[n].name;
    names[n] = lua_pushlstring(L, whole, strcspn(whole, "."));
    lua_rawseti(L, -2, (lua_Integer)n + 1);
  }
  for (size_t i = 0; i < N_SCRIPT_KEYS; i++) names[n++] = script_keys[i];
  const char *near = rl_nearest(name, names, n);
  lua_pushstring(L, near);
  return near;
}

static int unknown(const struct rl_lua_reader *r, const char *name) {
  const char *near = strchr(name, '.') ? NULL : nearest_at_top(r->L, name);
  if (!near) near = rl_setting_nearest(name);
  if (near)
    return rl_fail(r->err, RL_EUSAGE, "%s: unknown setting '%s' (did you mean '%s'?)", r->origin, name, near);
  return rl_fail(r->err, RL_EUSAGE, "%s: unknown setting '%s'", r->origin, name);
}

/* ---- values ---- */

static int refuse(const struct rl_lua_reader *r, const char *name, const char *expected, int idx) {
  return rl_fail(r->err, RL_EUSAGE, "%s: %s must be %s, not a %s", r->origin, name, expected,
                 luaL_typename(r->L, idx));
}

/* Pushes the text of a scalar as the command line would have it; NULL, and nothing pushed: not one that fits.
 * A float that is whole counts as the integer it is: 2^20, 1e6. */
static const char *push_text(lua_State *L, const struct rl_setting *what, int idx) {
  lua_Integer whole;
  switch (lua_type(L, idx)) {
    case LUA_TBOOLEAN:
      return what->type == RL_SET_BOOL ? lua_pushstring(L, lua_toboolean(L, idx) ? "true" : "false") : NULL;
    case LUA_TNUMBER:
      if (what->type == RL_SET_BOOL || what->type == RL_SET_FIELDS || what->type == RL_SET_FILE) return NULL;
      if (!lua_isinteger(L, idx) && lua_numbertointeger(lua_tonumber(L, idx), &whole) &&
          (lua_Number)whole == lua_tonumber(L, idx))
        return lua_pushfstring(L, "%I", (LUAI_UACINT)whole);
      return luaL_tolstring(L, idx, NULL);
    case LUA_TSTRING: lua_pushvalue(L, idx); return lua_tostring(L, -1);
    default: return NULL;
  }
}

static const char *expected_of(const struct rl_setting *what) {
  switch (what->type) {
    case RL_SET_LIST: return "a text or a list of texts";
    case RL_SET_INT: return "a whole number";
    case RL_SET_SIZE: return "a number of bytes or a text such as \"16MiB\"";
    case RL_SET_SECONDS: return "a number of seconds";
    case RL_SET_BOOL: return "true or false";
    case RL_SET_FIELDS: return "a text or a table of fields";
    case RL_SET_KAFKA: return "a table of librdkafka's properties";
    default: return "a text";
  }
}

static int set_scalar(const struct rl_lua_reader *r, const struct rl_setting *what, int idx) {
  const char *text = push_text(r->L, what, idx);
  if (!text) return refuse(r, what->name, expected_of(what), idx);
  int rc = rl_settings_set(r->s, what, text, RL_LAYER_SCRIPT, r->origin, r->err);
  lua_pop(r->L, 1);
  return rc;
}

/* An empty list is set, too: it is none. */
static int set_list(const struct rl_lua_reader *r, const struct rl_setting *what, int idx) {
  lua_Integer n = (lua_Integer)lua_rawlen(r->L, idx);
  int rc = 0;
  for (lua_Integer i = 1; i <= n && !rc; i++) {
    lua_rawgeti(r->L, idx, i);
    rc = set_scalar(r, what, lua_gettop(r->L));
    lua_pop(r->L, 1);
  }
  return rc;
}

static int set_property(const struct rl_lua_reader *r, const struct rl_setting *what) {
  lua_State *L = r->L;
  if (lua_type(L, -2) != LUA_TSTRING)
    return refuse(r, "a key of kafka", "a property's name", lua_gettop(L) - 1);
  const char *key = lua_tostring(L, -2);
  if (lua_type(L, -1) == LUA_TTABLE || lua_type(L, -1) == LUA_TFUNCTION)
    return rl_fail(r->err, RL_EUSAGE, "%s: kafka: '%s' must be a text, a number or a boolean, not a %s",
                   r->origin, key, luaL_typename(L, -1));
  lua_pushfstring(L, "%s=%s", key, luaL_tolstring(L, -1, NULL));
  int rc = rl_settings_set(r->s, what, lua_tostring(L, -1), RL_LAYER_SCRIPT, r->origin, r->err);
  lua_pop(L, 2);
  return rc;
}

static int set_kafka(const struct rl_lua_reader *r, const struct rl_setting *what, int idx) {
  int rc = 0;
  lua_pushnil(r->L);
  while (!rc && lua_next(r->L, idx)) {
    rc = set_property(r, what);
    lua_pop(r->L, 1);
  }
  return rc;
}

static int set_decode_function(const struct rl_lua_reader *r) {
  if (!rl_settings_claim(r->s, "decode", RL_LAYER_SCRIPT)) return 0;
  rl_free(r->s->decode);
  r->s->decode = NULL;
  r->s->decode_lua = true;
  return 0;
}

static int set_value(const struct rl_lua_reader *r, const struct rl_setting *what, int idx) {
  bool table = lua_istable(r->L, idx);
  if (table && what->type == RL_SET_LIST) return set_list(r, what, idx);
  if (table && what->type == RL_SET_FIELDS) return rl_lua_read_fields(r, idx);
  if (table && what->type == RL_SET_KAFKA) return set_kafka(r, what, idx);
  if (lua_isfunction(r->L, idx) && strcmp(what->name, "decode") == 0) return set_decode_function(r);
  return set_scalar(r, what, idx);
}

/* ---- the table ---- */

static int check_place(const struct rl_lua_reader *r, const struct rl_setting *what) {
  if (r->library && !what->library)
    return rl_fail(
        r->err, RL_EUSAGE,
        "%s: %s is not for the library form, where your own loop handles the messages (rille run has it)",
        r->origin, what->name);
  if (!r->library && !what->script)
    return rl_fail(r->err, RL_EUSAGE, "%s: %s cannot stand in a script, only on the command line", r->origin,
                   what->name);
  return 0;
}

static int read_table(const struct rl_lua_reader *r, const char *prefix, int idx);

/* One entry, its name pushed below its value. */
static int read_named(const struct rl_lua_reader *r, const char *name, int value) {
  const struct rl_setting *what = rl_setting_find(name);
  if (what) {
    int rc = check_place(r, what);
    return rc ? rc : set_value(r, what, value);
  }
  if (!count_group(name)) return unknown(r, name);
  if (!lua_istable(r->L, value)) return refuse(r, name, "a table of settings", value);
  return read_table(r, name, value);
}

static int read_entry(const struct rl_lua_reader *r, const char *prefix, int key) {
  lua_State *L = r->L;
  if (lua_type(L, key) != LUA_TSTRING)
    return rl_fail(r->err, RL_EUSAGE, "%s: settings have names, and %s%s[%s] has none", r->origin, prefix,
                   *prefix ? " " : "", luaL_tolstring(L, key, NULL));
  const char *name = lua_tostring(L, key);
  if (!*prefix && rl_lua_is_script_key(name)) {
    if (!r->library) return 0;
    return rl_fail(r->err, RL_EUSAGE,
                   "%s: '%s' is not for the library form: your own loop handles the messages", r->origin,
                   name);
  }
  const char *whole = *prefix ? lua_pushfstring(L, "%s.%s", prefix, name) : lua_pushstring(L, name);
  return read_named(r, whole, key + 1);
}

static int read_table(const struct rl_lua_reader *r, const char *prefix, int idx) {
  lua_State *L = r->L;
  luaL_checkstack(L, 20, "settings nest too deep");
  int rc = 0;
  lua_pushnil(L);
  while (!rc && lua_next(L, idx)) {
    int key = lua_gettop(L) - 1;
    rc = read_entry(r, prefix, key);
    lua_settop(L, key);
  }
  return rc;
}

int rl_lua_read_settings(const struct rl_lua_reader *r, int idx) {
  int top = lua_gettop(r->L);
  int rc = read_table(r, "", lua_absindex(r->L, idx));
  lua_settop(r->L, top);
  return rc;
}
