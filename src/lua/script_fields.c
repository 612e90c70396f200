/* The forms of `fields`: { "objectId", mag = "candidate.magpsf", rb = { path = "candidate.rb", type = "f64",
 * required = true }, drb = { path = "candidate.drb", type = "f64", default = -1 }, image = { path = "image",
 * type = "f32", shape = {63, 63}, bytes = "big" } }. Listed ones keep their order; named ones follow in the
 * order of their names. */
#include <lauxlib.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "lua/script_settings.h"

static int refuse(const struct rl_lua_reader *r, const char *name, const char *what, int idx) {
  return rl_fail(r->err, RL_EUSAGE, "%s: fields: %s of '%s' must be %s, not a %s", r->origin, what, name,
                 strcmp(what, "required") == 0 ? "true or false" : "a text", luaL_typename(r->L, idx));
}

static int check_keys(const struct rl_lua_reader *r, const char *name, int idx) {
  static const char *const keys[] = {"path", "type", "required", "name", "default", "shape", "bytes"};
  lua_State *L = r->L;
  lua_pushnil(L);
  while (lua_next(L, idx)) {
    lua_pop(L, 1);
    const char *key = lua_type(L, -1) == LUA_TSTRING ? lua_tostring(L, -1) : "[1]";
    const char *near = rl_nearest(key, keys, sizeof keys / sizeof *keys);
    if (near && strcmp(near, key) == 0) continue;
    return rl_fail(r->err, RL_EUSAGE,
                   "%s: fields: '%s' has no '%s': path, type, required, default, shape, bytes or name",
                   r->origin, name, key);
  }
  return 0;
}

/* Cut at its NUL a path would be another one. */
static int check_nul(const struct rl_lua_reader *r, int idx) {
  const char *text = lua_tostring(r->L, idx);
  if (strlen(text) == lua_rawlen(r->L, idx)) return 0;
  return rl_fail(r->err, RL_EUSAGE,
                 "%s: fields: '%s' is followed by a NUL, which no path, name or type holds", r->origin, text);
}

/* Pushes table[key], a string or nil. */
static int text_member(const struct rl_lua_reader *r, const char *name, int idx, const char *key,
                       const char **text) {
  int type = lua_getfield(r->L, idx, key);
  *text = type == LUA_TSTRING ? lua_tostring(r->L, -1) : NULL;
  if (*text) return check_nul(r, -1);
  return type == LUA_TNIL ? 0 : refuse(r, name, key, -1);
}

static int parse_type(const struct rl_lua_reader *r, const char *name, const char *text, enum rl_type *type) {
  *type = RL_AUTO;
  if (!text || rl_type_parse(text, type) == 0) return 0;
  return rl_fail(r->err, RL_EUSAGE,
                 "%s: fields: '%s' has the type '%s': expected auto, i64, f64, f32, bool, str, bytes or any",
                 r->origin, name, text);
}

/* "candidate.rb:f64": a type may stand after the path, as on the command line. Gives the path's length. */
static size_t split_type(const char *path, enum rl_type *type) {
  const char *colon = strrchr(path, ':');
  *type = RL_AUTO;
  return colon && rl_type_parse(colon + 1, type) == 0 ? (size_t)(colon - path) : strlen(path);
}

static int add(const struct rl_lua_reader *r, struct rl_fields *to, const char *name, const char *path,
               const struct rl_field_spec *spec) {
  int rc = rl_fields_add_spec(to, name, path, spec, r->err);
  return rc ? rl_err_prefix(r->err, "%s: fields: ", r->origin) : 0;
}

/* What follows a colon and is nearly a type's name was meant as one; a header's name is whatever follows. */
static int check_type(const struct rl_lua_reader *r, const char *text) {
  enum rl_type type;
  const char *colon = *text == '@' ? NULL : rl_fields_colon(text);
  const char *near = colon && rl_type_parse(colon + 1, &type) ? rl_type_nearest(colon + 1) : NULL;
  if (!near) return 0;
  return rl_fail(
      r->err, RL_EUSAGE,
      "%s: fields: '%s': '%s' is no type (did you mean %s?); a key that holds a colon is written in "
      "quotes, \"\\\"a:b\\\"\"",
      r->origin, text, colon + 1, near);
}

static int add_text(const struct rl_lua_reader *r, struct rl_fields *to, const char *name, const char *text) {
  struct rl_field_spec spec = {0};
  if (check_type(r, text)) return RL_EUSAGE;
  lua_pushlstring(r->L, text, split_type(text, &spec.type));
  return add(r, to, name, lua_tostring(r->L, -1), &spec);
}

static int read_required(const struct rl_lua_reader *r, const char *name, int idx, bool *required) {
  int type = lua_getfield(r->L, idx, "required");
  *required = lua_toboolean(r->L, -1);
  return type == LUA_TNIL || type == LUA_TBOOLEAN ? 0 : refuse(r, name, "required", -1);
}

/* A number, or a list of them. */
static int read_shape(const struct rl_lua_reader *r, const char *name, int idx, struct rl_shape *shape) {
  lua_State *L = r->L;
  int type = lua_getfield(L, idx, "shape"), list = lua_gettop(L);
  if (type == LUA_TNIL) return 0;
  if (type != LUA_TTABLE) {
    lua_createtable(L, 1, 0);
    lua_insert(L, list);
    lua_rawseti(L, list, 1);
  }
  size_t n = lua_rawlen(L, list);
  shape->n = n < RL_SHAPE_DIMS ? (uint32_t)n : RL_SHAPE_DIMS;
  bool fine = n >= 1 && n <= RL_SHAPE_DIMS;
  for (size_t i = 0; fine && i < n; i++) {
    lua_rawgeti(L, list, (lua_Integer)i + 1);
    lua_Integer length = lua_isinteger(L, -1) ? lua_tointeger(L, -1) : 0;
    fine = length >= 1 && length <= RL_SHAPE_MAX;
    shape->at[i] = fine ? (uint32_t)length : 0;
    lua_pop(L, 1);
  }
  if (fine) return 0;
  return rl_fail(r->err, RL_EUSAGE, "%s: fields: shape of '%s' must be 1 to %d whole numbers, as in {63, 63}",
                 r->origin, name, RL_SHAPE_DIMS);
}

static int read_order(const struct rl_lua_reader *r, const char *name, int idx, enum rl_byte_order *order) {
  const char *text;
  int rc = text_member(r, name, idx, "bytes", &text);
  if (rc || !text) return rc;
  *order = strcmp(text, "little") == 0 ? RL_LITTLE : strcmp(text, "big") == 0 ? RL_BIG_FIRST : RL_NO_ORDER;
  if (*order != RL_NO_ORDER) return 0;
  return rl_fail(r->err, RL_EUSAGE, "%s: fields: bytes of '%s' must be \"little\" or \"big\", not \"%s\"",
                 r->origin, name, text);
}

/* The cell borrows a text from the table. */
static int read_default(const struct rl_lua_reader *r, const char *name, int idx,
                        struct rl_field_spec *spec) {
  lua_State *L = r->L;
  size_t len = 0;
  int type = lua_getfield(L, idx, "default");
  spec->has_default = type != LUA_TNIL;
  switch (type) {
    case LUA_TNIL: return 0;
    case LUA_TBOOLEAN: spec->fallback = (struct rl_cell){.tag = RL_BOOL, .i = lua_toboolean(L, -1)}; return 0;
    case LUA_TNUMBER:
      spec->fallback = lua_isinteger(L, -1) ? (struct rl_cell){.tag = RL_INT, .i = lua_tointeger(L, -1)}
                                            : (struct rl_cell){.tag = RL_DOUBLE, .d = lua_tonumber(L, -1)};
      return 0;
    case LUA_TSTRING:
      spec->fallback.s = lua_tolstring(L, -1, &len);
      spec->fallback.len = (uint32_t)len;
      spec->fallback.tag = rl_utf8_valid(rl_bytes(spec->fallback.s, len)) ? RL_TEXT : RL_BLOB;
      return 0;
    default: break;
  }
  spec->fallback.tag = RL_LIST;
  if (type == LUA_TTABLE && (lua_pushnil(L), lua_next(L, -2) == 0)) return 0;
  return rl_fail(r->err, RL_EUSAGE, "%s: fields: default of '%s' must be a number, text, boolean or {}",
                 r->origin, name);
}

static int read_spec(const struct rl_lua_reader *r, const char *name, int idx, struct rl_field_spec *spec) {
  const char *type;
  int rc = text_member(r, name, idx, "type", &type);
  if (!rc) rc = parse_type(r, name, type, &spec->type);
  if (!rc) rc = read_required(r, name, idx, &spec->required);
  if (!rc) rc = read_shape(r, name, idx, &spec->shape);
  if (!rc) rc = read_order(r, name, idx, &spec->order);
  return rc ? rc : read_default(r, name, idx, spec);
}

static int add_table(const struct rl_lua_reader *r, struct rl_fields *to, const char *name, int idx) {
  const char *path, *own_name, *shown = name ? name : "a field";
  struct rl_field_spec spec = {0};
  int rc = check_keys(r, shown, idx);
  if (!rc) rc = text_member(r, shown, idx, "path", &path);
  if (!rc) rc = text_member(r, shown, idx, "name", &own_name);
  if (!rc) rc = read_spec(r, shown, idx, &spec);
  if (rc) return rc;
  if (!name) name = own_name;
  if (!path) path = name;
  if (!path) return rl_fail(r->err, RL_EUSAGE, "%s: fields: a field has no path", r->origin);
  return add(r, to, name, path, &spec);
}

/* The value at the top, of the given name; NULL: a listed one. */
static int read_field(const struct rl_lua_reader *r, struct rl_fields *to, const char *name) {
  int value = lua_gettop(r->L), rc;
  if (lua_type(r->L, value) == LUA_TSTRING)
    rc = check_nul(r, value) ? RL_EUSAGE : add_text(r, to, name, lua_tostring(r->L, value));
  else if (lua_istable(r->L, value))
    rc = add_table(r, to, name, value);
  else
    rc = rl_fail(r->err, RL_EUSAGE,
                 "%s: fields: %s must be a path or a table { path =, type =, required = }, not a %s",
                 r->origin, name ? name : "an entry", luaL_typename(r->L, value));
  lua_settop(r->L, value - 1);
  return rc;
}

static int read_listed(const struct rl_lua_reader *r, struct rl_fields *to, int idx) {
  lua_Integer n = (lua_Integer)lua_rawlen(r->L, idx);
  int rc = 0;
  for (lua_Integer i = 1; i <= n && !rc; i++) {
    lua_rawgeti(r->L, idx, i);
    rc = read_field(r, to, NULL);
  }
  return rc;
}

static int by_text(const void *a, const void *b) {
  return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The names of the table at idx, sorted, in a userdata that is pushed: Lua's own order is another in each
 * run. */
static const char **push_names(lua_State *L, int idx, size_t *n) {
  size_t room = 0;
  for (lua_pushnil(L); lua_next(L, idx); lua_pop(L, 1)) room++;
  const char **names = lua_newuserdatauv(L, (room + 1) * sizeof *names, 0);
  *n = 0;
  for (lua_pushnil(L); lua_next(L, idx); lua_pop(L, 1))
    if (lua_type(L, -2) == LUA_TSTRING) names[(*n)++] = lua_tostring(L, -2);
  qsort(names, *n, sizeof *names, by_text);
  return names;
}

static int read_mapped(const struct rl_lua_reader *r, struct rl_fields *to, int idx) {
  size_t n;
  int rc = 0;
  const char **names = push_names(r->L, idx, &n);
  for (size_t i = 0; i < n && !rc; i++) {
    lua_getfield(r->L, idx, names[i]);
    rc = read_field(r, to, names[i]);
  }
  return rc;
}

/* Read straight into the settings, which own them: Lua may raise for lack of memory in between. */
int rl_lua_read_fields(const struct rl_lua_reader *r, int idx) {
  luaL_checkstack(r->L, 20, "too many fields");
  if (!rl_settings_claim(r->s, "fields", RL_LAYER_SCRIPT)) return 0;
  int rc = read_listed(r, &r->s->fields, idx);
  return rc ? rc : read_mapped(r, &r->s->fields, idx);
}
