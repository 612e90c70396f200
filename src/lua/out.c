#include "lua/out.h"

#include <lauxlib.h>

#include "lua/args.h"
#include "lua/batch.h"
#include "lua/fail.h"
#include "lua/json.h"
#include "lua/members.h"
#include "lua/message.h"
#include "lua/out_headers.h"

#define OUT_TYPE "rille.out"

struct rl_lua_out {
  struct rl_outbox *box; /* NULL: closed */
  const struct rl_batch *batch;
  struct rl_buf text; /* JSON that is being written: here, so that an error in between loses nothing */
};

struct rl_lua_out *rl_lua_push_out(lua_State *L) {
  struct rl_lua_out *out = lua_newuserdatauv(L, sizeof *out, 0);
  *out = (struct rl_lua_out){.text = RL_BUF_INIT};
  luaL_setmetatable(L, OUT_TYPE);
  return out;
}

void rl_lua_out_open(struct rl_lua_out *out, struct rl_outbox *box, const struct rl_batch *batch) {
  out->box = box;
  out->batch = batch;
}

void rl_lua_out_close(struct rl_lua_out *out) {
  out->box = NULL;
  out->batch = NULL;
}

static struct rl_lua_out *check_out(lua_State *L, const char *call) {
  struct rl_lua_out *out = rl_arg_self(L, OUT_TYPE, call);
  if (!out->box)
    rl_lua_script_error(L, "%s: nothing can be sent now: use `out` in the call that it was given to", call);
  return out;
}

static bool topic_char(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '_' ||
         c == '-';
}

static const char *check_topic(lua_State *L, int idx, const char *call) {
  size_t len;
  const char *topic = rl_arg_text(L, idx, call, "topic", &len);
  if (strncmp(topic, "file:", 5) == 0 && topic[5] && strlen(topic) == len) return topic;
  size_t good = 0;
  while (good < len && topic_char(topic[good])) good++;
  if (!len || good < len || len > 249)
    rl_lua_script_error(
        L, "%s: '%s' is no topic: letters, digits, '.', '_' and '-', or file:PATH, or - for stdout", call,
        topic);
  return topic;
}

/* The number of a message, or of a row's message, that must be of the batch in hand. */
static void check_ours(lua_State *L, const struct rl_lua_out *out, const struct rl_batch *batch,
                       const char *call) {
  if (batch != out->batch)
    rl_lua_script_error(L, "%s: this is no message of the batch that is being handled", call);
}

static bool is_message(lua_State *L, int idx) { return luaL_testudata(L, idx, RL_MESSAGE_TYPE) != NULL; }

static uint32_t check_message(lua_State *L, const struct rl_lua_out *out, int idx, const char *call) {
  if (rl_lua_test_batch(L, idx)) rl_lua_script_error(L, "%s: a message is wanted, not a batch", call);
  struct rl_lua_message *m = rl_lua_check_message(L, idx, call);
  check_ours(L, out, m->root->batch, call);
  return (uint32_t)rl_batch_owner(out->batch, m->row);
}

/* Reads partition and timestamp from the options table at idx. */
static void read_place(lua_State *L, int idx, const char *call, int32_t *partition, int64_t *timestamp) {
  if (lua_getfield(L, idx, "partition") != LUA_TNIL) {
    int64_t p = rl_arg_integer(L, -1, call, "partition");
    if (p < 0 || p > INT32_MAX) rl_lua_script_error(L, "%s: there is no partition %lld", call, (long long)p);
    *partition = (int32_t)p;
  }
  if (lua_getfield(L, idx, "timestamp") != LUA_TNIL) {
    *timestamp = rl_arg_integer(L, -1, call, "timestamp");
    if (*timestamp < 0)
      rl_lua_script_error(L, "%s: a timestamp is in milliseconds since 1970, not %lld", call,
                          (long long)*timestamp);
  }
  lua_pop(L, 2);
}

/* A string is bytes as they are, nil is a null value, all else becomes JSON. */
static void read_value(lua_State *L, struct rl_lua_out *out, int idx, struct rl_out *to) {
  int type = lua_type(L, idx);
  if (type == LUA_TNONE)
    rl_lua_script_error(L, "out:send: a value is missing (nil, written out, is a null value)");
  if (type == LUA_TSTRING || type == LUA_TNIL) {
    to->value = rl_lua_read_bytes(L, idx, "value");
    return;
  }
  struct rl_err err;
  rl_buf_clear(&out->text);
  if (rl_lua_encode_json(L, idx, &out->text, &err))
    luaL_error(L, "out:send to '%s': %s", to->topic, err.text);
  to->value = rl_buf_bytes(&out->text);
  to->json = true;
}

/* Leaves what it read on the stack: key and headers point into it. */
static void read_send_options(lua_State *L, const struct rl_lua_out *out, struct rl_out *to) {
  static const char *const names[] = {"key", "headers", "partition", "timestamp", "about"};
  if (!rl_arg_options(L, 4, "out:send", names, sizeof names / sizeof *names)) return;
  read_place(L, 4, "out:send", &to->partition, &to->timestamp);
  if (lua_getfield(L, 4, "about") != LUA_TNIL) to->message = check_message(L, out, -1, "out:send");
  lua_getfield(L, 4, "key");
  to->key = rl_lua_read_bytes(L, -1, "key");
  lua_getfield(L, 4, "headers");
  to->headers = rl_lua_read_headers(L, -1, &to->n_headers);
}

static int l_out_send(lua_State *L) {
  struct rl_lua_out *out = check_out(L, "out:send");
  struct rl_out to = {.kind = RL_OUT_SEND, .partition = -1, .message = RL_NO_MESSAGE};
  to.topic = check_topic(L, 2, "out:send");
  read_value(L, out, 3, &to);
  read_send_options(L, out, &to);
  struct rl_err err;
  if (rl_outbox_send(out->box, &to, &err)) luaL_error(L, "out:send: %s", err.text);
  return 0;
}

static void forward(lua_State *L, struct rl_lua_out *out, const struct rl_out *to, size_t message) {
  const struct rl_msg *msg = &out->batch->msgs[message];
  struct rl_err err;
  if (rl_outbox_forward(out->box, to->topic, (uint32_t)message, msg->key.len + msg->value.len, to->partition,
                        to->timestamp, &err))
    luaL_error(L, "out:forward: %s", err.text);
}

/* A message of which several rows are in the batch goes once, where its first row stands. */
static void forward_once(lua_State *L, struct rl_lua_out *out, const struct rl_out *to,
                         const struct rl_lua_batch *b) {
  unsigned char *gone = lua_newuserdatauv(L, out->batch->n + 1, 0);
  memset(gone, 0, out->batch->n + 1);
  for (size_t i = 0; i < b->n; i++) {
    size_t message = rl_batch_owner(out->batch, b->rows[i]);
    if (!gone[message]) forward(L, out, to, message);
    gone[message] = 1;
  }
}

static void check_order(lua_State *L) {
  if (is_message(L, 2) || rl_lua_test_batch(L, 2))
    rl_lua_script_error(L, "out:forward: the topic comes first: out:forward(\"TOPIC\", %s)",
                        is_message(L, 2) ? "message" : "batch");
  if (!is_message(L, 3) && !rl_lua_test_batch(L, 3) && lua_type(L, 2) == LUA_TSTRING)
    rl_lua_script_error(L, "out:forward: a message or a batch is wanted, not %s", luaL_typename(L, 3));
}

static int l_out_forward(lua_State *L) {
  static const char *const names[] = {"partition", "timestamp"};
  struct rl_lua_out *out = check_out(L, "out:forward");
  check_order(L);
  struct rl_out to = {.topic = check_topic(L, 2, "out:forward"), .partition = -1};
  if (rl_arg_options(L, 4, "out:forward", names, sizeof names / sizeof *names))
    read_place(L, 4, "out:forward", &to.partition, &to.timestamp);
  if (!rl_lua_test_batch(L, 3)) {
    forward(L, out, &to, check_message(L, out, 3, "out:forward"));
    return 0;
  }
  struct rl_lua_batch *b = rl_lua_check_batch(L, 3);
  check_ours(L, out, b->batch, "out:forward");
  if (out->batch->first) forward_once(L, out, &to, b);
  for (size_t i = 0; !out->batch->first && i < b->n; i++) forward(L, out, &to, b->rows[i]);
  return 0;
}

static int l_out_reject(lua_State *L) {
  struct rl_lua_out *out = check_out(L, "out:reject");
  uint32_t message = check_message(L, out, 2, "out:reject");
  if (out->box->no_reject)
    rl_lua_script_error(L,
                        "out:reject: there is no dead-letter topic: set dead_letter (--dead-letter TOPIC)");
  rl_outbox_reject(out->box, message, rl_arg_text(L, 3, "out:reject", "reason", NULL));
  return 0;
}

static int l_out_gc(lua_State *L) {
  struct rl_lua_out *out = luaL_checkudata(L, 1, OUT_TYPE);
  rl_lua_out_close(out);
  rl_buf_free(&out->text);
  return 0;
}

static int l_out_newindex(lua_State *L) { rl_lua_script_error(L, "`out` cannot be changed"); }

void rl_lua_open_out(lua_State *L) {
  static const luaL_Reg methods[] = {
      {"send", l_out_send}, {"forward", l_out_forward}, {"reject", l_out_reject}, {NULL, NULL}};
  static const luaL_Reg meta[] = {{"__gc", l_out_gc}, {"__newindex", l_out_newindex}, {NULL, NULL}};
  if (luaL_newmetatable(L, OUT_TYPE)) {
    luaL_setfuncs(L, meta, 0);
    luaL_newlib(L, methods);
    rl_lua_only_members(L, "out");
    lua_setfield(L, -2, "__index");
    lua_pushliteral(L, "rille: the metatable of `out` is not to be changed");
    lua_setfield(L, -2, "__metatable");
  }
  lua_pop(L, 1);
}
