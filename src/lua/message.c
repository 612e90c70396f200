#include "lua/message.h"

#include <lauxlib.h>

#include "lua/args.h"
#include "lua/fail.h"
#include "lua/json.h"
#include "lua/reader.h"

enum { UV_ROOT = 1, UV_FIELDS };
enum member {
  M_TOPIC = 1,
  M_RECORD,
  M_PARTITION,
  M_OFFSET,
  M_TIMESTAMP,
  M_TIMESTAMP_TYPE,
  M_KEY,
  M_VALUE,
  M_HEADERS,
  M_FIELDS
};

#define UV_BATCH_ENV 1
#define UV_BATCH_ROOT 2

void rl_lua_push_message(lua_State *L, int idx, uint32_t row) {
  idx = lua_absindex(L, idx);
  struct rl_lua_batch *b = lua_touserdata(L, idx);
  lua_getiuservalue(L, idx, UV_BATCH_ENV);
  if (lua_rawgeti(L, -1, (lua_Integer)row + 1) == LUA_TNIL) {
    lua_pop(L, 1);
    struct rl_lua_message *m = lua_newuserdatauv(L, sizeof *m, UV_FIELDS);
    *m = (struct rl_lua_message){b->root, row};
    if (b == b->root)
      lua_pushvalue(L, idx);
    else
      lua_getiuservalue(L, idx, UV_BATCH_ROOT);
    lua_setiuservalue(L, -2, UV_ROOT);
    luaL_setmetatable(L, RL_MESSAGE_TYPE);
    lua_pushvalue(L, -1);
    lua_rawseti(L, -3, (lua_Integer)row + 1);
  }
  lua_remove(L, -2);
}

const struct rl_msg *rl_lua_msg(const struct rl_lua_message *m) {
  const struct rl_batch *batch = m->root->batch;
  return &batch->msgs[rl_batch_owner(batch, m->row)];
}

size_t rl_lua_record(const struct rl_lua_message *m) {
  const struct rl_batch *batch = m->root->batch;
  return m->row - rl_batch_first(batch, rl_batch_owner(batch, m->row));
}

static struct rl_lua_message *check_open(lua_State *L, struct rl_lua_message *m) {
  if (!m->root->batch)
    rl_lua_script_error(L,
                        "this message's batch (%lld) is over: take what you need of it while it is handled",
                        (long long)m->root->number);
  return m;
}

struct rl_lua_message *rl_lua_check_message(lua_State *L, int idx, const char *call) {
  struct rl_lua_message *m = luaL_testudata(L, idx, RL_MESSAGE_TYPE);
  if (!m) rl_lua_script_error(L, "%s: a message is wanted, not %s", call, luaL_typename(L, idx));
  return check_open(L, m);
}

static char depth_key;

void rl_lua_set_depth(lua_State *L, size_t depth) {
  lua_pushinteger(L, (lua_Integer)depth);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &depth_key);
}

static size_t max_depth(lua_State *L) {
  lua_rawgetp(L, LUA_REGISTRYINDEX, &depth_key);
  lua_Integer depth = lua_tointeger(L, -1);
  lua_pop(L, 1);
  return depth > 0 ? (size_t)depth : 1000;
}

/* Pushes what the environment of the message's batch has under the name, and returns its type. */
static int push_env(lua_State *L, int idx, const char *name) {
  lua_getiuservalue(L, idx, UV_ROOT);
  lua_getiuservalue(L, -1, UV_BATCH_ENV);
  int type = lua_getfield(L, -1, name);
  lua_replace(L, -3);
  lua_pop(L, 1);
  return type;
}

/* What the script's decode made of it, if it has one: pushed, and true. Kept by slot and offset: rows of a
 * batch move when some of them are struck. */
static bool push_own_decoded(lua_State *L, int idx, const struct rl_msg *msg) {
  int top = lua_gettop(L);
  if (push_env(L, idx, "decoded") != LUA_TTABLE) {
    lua_settop(L, top);
    return false;
  }
  if (lua_rawgeti(L, -1, (lua_Integer)msg->slot) == LUA_TTABLE)
    lua_rawgeti(L, -1, msg->offset);
  else
    lua_pushnil(L);
  lua_replace(L, top + 1);
  lua_settop(L, top + 1);
  return true;
}

/* "alerts[0]@12", and which of its records where it has several. */
static void push_place(lua_State *L, const struct rl_lua_message *m) {
  const struct rl_msg *msg = rl_lua_msg(m);
  const struct rl_batch *batch = m->root->batch;
  lua_pushfstring(L, "%s[%d]@%I", msg->topic, (int)msg->partition, (LUAI_UACINT)msg->offset);
  if (rl_batch_rows_of(batch, rl_batch_owner(batch, m->row)) < 2) return;
  lua_pushfstring(L, " record %I", (LUAI_UACINT)rl_lua_record(m) + 1);
  lua_concat(L, 2);
}

void rl_lua_push_decoded(lua_State *L, int idx) {
  idx = lua_absindex(L, idx);
  const struct rl_lua_message *m = lua_touserdata(L, idx);
  const struct rl_msg *msg = rl_lua_msg(m);
  if (push_own_decoded(L, idx, msg)) return;
  if (!msg->value.data) {
    lua_pushnil(L);
    return;
  }
  struct rl_err err;
  bool has_reader = push_env(L, idx, "reader") == LUA_TUSERDATA;
  int rc = has_reader ? rl_lua_read(L, -1, msg, rl_lua_record(m), &err)
                      : rl_lua_decode_json(L, msg->value, max_depth(L), &err);
  if (rc) {
    push_place(L, m);
    if (rc == RL_ETRANSIENT) rl_lua_weather(L, "%s: %s", lua_tostring(L, -1), err.text);
    luaL_error(L, "%s: %s", lua_tostring(L, -1), err.text);
  }
  lua_remove(L, -2);
}

static int l_message_decode(lua_State *L) {
  check_open(L, rl_arg_self(L, RL_MESSAGE_TYPE, "message:decode"));
  rl_lua_push_decoded(L, 1);
  return 1;
}

/* fields.NAME that the table does not hold: nil for a field that is missing here, a failure for no field.
 * Upvalue 1: the message. */
static int l_fields_index(lua_State *L) {
  struct rl_lua_message *m = lua_touserdata(L, lua_upvalueindex(1));
  if (!m->root->batch) return 0;
  const struct rl_columns *c = m->root->batch->columns;
  const char *name = rl_arg_text(L, 2, "message.fields", "name", NULL);
  if (!c || rl_fields_find(c->fields, name) < 0) rl_lua_no_field(L, c ? c->fields : NULL, name);
  return 0;
}

static void push_fields(lua_State *L, const struct rl_lua_message *m) {
  if (lua_getiuservalue(L, 1, UV_FIELDS) == LUA_TTABLE) return;
  const struct rl_batch *batch = m->root->batch;
  size_t n = batch->columns ? batch->columns->fields->n : 0;
  lua_createtable(L, 0, (int)n);
  for (size_t i = 0; i < n; i++) {
    rl_lua_push_field(L, batch->columns, i, m->row);
    lua_setfield(L, -2, batch->columns->fields->at[i].name);
  }
  lua_createtable(L, 0, 1);
  lua_pushvalue(L, 1);
  lua_pushcclosure(L, l_fields_index, 1);
  lua_setfield(L, -2, "__index");
  lua_setmetatable(L, -2);
  lua_pushvalue(L, -1);
  lua_setiuservalue(L, 1, UV_FIELDS);
}

static void push_bytes(lua_State *L, struct rl_bytes bytes) {
  if (bytes.data)
    lua_pushlstring(L, bytes.data, bytes.len);
  else
    lua_pushnil(L);
}

static void push_timestamp(lua_State *L, const struct rl_msg *msg) {
  if (msg->timestamp_type == RL_TIMESTAMP_NONE)
    lua_pushnil(L);
  else
    lua_pushinteger(L, msg->timestamp);
}

static void push_timestamp_type(lua_State *L, const struct rl_msg *msg) {
  switch (msg->timestamp_type) {
    case RL_TIMESTAMP_CREATE: lua_pushliteral(L, "create"); break;
    case RL_TIMESTAMP_APPEND: lua_pushliteral(L, "append"); break;
    default: lua_pushnil(L);
  }
}

static void push_member(lua_State *L, const struct rl_lua_message *m, enum member which) {
  const struct rl_msg *msg = rl_lua_msg(m);
  switch (which) {
    case M_TOPIC: lua_pushstring(L, msg->topic); break;
    case M_RECORD: lua_pushinteger(L, (lua_Integer)rl_lua_record(m) + 1); break;
    case M_PARTITION: lua_pushinteger(L, msg->partition); break;
    case M_OFFSET: lua_pushinteger(L, msg->offset); break;
    case M_TIMESTAMP: push_timestamp(L, msg); break;
    case M_TIMESTAMP_TYPE: push_timestamp_type(L, msg); break;
    case M_KEY: push_bytes(L, msg->key); break;
    case M_VALUE: push_bytes(L, msg->value); break;
    case M_HEADERS: rl_lua_push_headers(L, msg); break;
    case M_FIELDS: push_fields(L, m); break;
  }
}

/* Upvalue 1: methods as functions, what is read from the message as numbers. */
static int l_message_index(lua_State *L) {
  struct rl_lua_message *m = rl_lua_check_message(L, 1, "message");
  lua_pushvalue(L, 2);
  switch (lua_rawget(L, lua_upvalueindex(1))) {
    case LUA_TFUNCTION: return 1;
    case LUA_TNUMBER: push_member(L, m, (enum member)lua_tointeger(L, -1)); return 1;
    default:
      luaL_tolstring(L, 2, NULL);
      rl_lua_script_error(
          L, "a message has no '%s': its fields are message.fields.NAME, its whole value message:decode()",
          lua_tostring(L, -1));
  }
}

static int l_message_tostring(lua_State *L) {
  struct rl_lua_message *m = luaL_checkudata(L, 1, RL_MESSAGE_TYPE);
  if (m->root->batch) {
    lua_pushliteral(L, "message ");
    push_place(L, m);
    lua_concat(L, 2);
  } else {
    lua_pushliteral(L, "message (over)");
  }
  return 1;
}

static int l_message_newindex(lua_State *L) { rl_lua_script_error(L, "a message cannot be changed"); }

static void set_index(lua_State *L) {
  static const struct {
    const char *name;
    enum member which;
  } members[] = {{"topic", M_TOPIC},   {"record", M_RECORD},       {"partition", M_PARTITION},
                 {"offset", M_OFFSET}, {"timestamp", M_TIMESTAMP}, {"timestamp_type", M_TIMESTAMP_TYPE},
                 {"key", M_KEY},       {"value", M_VALUE},         {"headers", M_HEADERS},
                 {"fields", M_FIELDS}};
  lua_newtable(L);
  for (size_t i = 0; i < sizeof members / sizeof *members; i++) {
    lua_pushinteger(L, members[i].which);
    lua_setfield(L, -2, members[i].name);
  }
  lua_pushcfunction(L, l_message_decode);
  lua_setfield(L, -2, "decode");
  lua_pushcclosure(L, l_message_index, 1);
  lua_setfield(L, -2, "__index");
}

void rl_lua_open_message(lua_State *L) {
  static const luaL_Reg meta[] = {
      {"__tostring", l_message_tostring}, {"__newindex", l_message_newindex}, {NULL, NULL}};
  if (luaL_newmetatable(L, RL_MESSAGE_TYPE)) {
    luaL_setfuncs(L, meta, 0);
    set_index(L);
    lua_pushliteral(L, "rille: a message's metatable is not to be changed");
    lua_setfield(L, -2, "__metatable");
  }
  lua_pop(L, 1);
}
