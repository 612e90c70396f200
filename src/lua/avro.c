#include "lua/avro.h"

#include <lauxlib.h>

#include "lua/args.h"
#include "lua/avro_schema.h"
#include "lua/fail.h"
#include "lua/json.h"
#include "lua/json_scratch.h"
#include "lua/json_shape.h"

#define ENCODE "rille.avro.encode"
#define DECODE "rille.avro.decode"

/* ---- options ---- */

struct options {
  enum rl_avro_framing framing;
  enum rl_avro_codec codec;
  uint32_t id;
  bool records;
  struct rl_avro_encode_opts encode;
};

static bool flag(lua_State *L, const char *name) {
  bool set = lua_getfield(L, 3, name) != LUA_TNIL && lua_toboolean(L, -1);
  lua_pop(L, 1);
  return set;
}

static enum rl_avro_framing framing(lua_State *L, enum rl_avro_framing otherwise, const char *call) {
  enum rl_avro_framing found = otherwise;
  struct rl_err err;
  size_t len;
  if (lua_getfield(L, 3, "framing") != LUA_TNIL &&
      rl_avro_framing_parse(rl_arg_text(L, lua_gettop(L), call, "framing", &len), &found, &err))
    rl_lua_script_error(L, "%s: %s", call, err.text);
  lua_pop(L, 1);
  return found == RL_AVRO_KEY_SCHEMA ? RL_AVRO_BARE : found; /* the schema is at hand */
}

static void read_codec(lua_State *L, struct options *o) {
  struct rl_err err;
  size_t len;
  if (lua_getfield(L, 3, "codec") != LUA_TNIL) {
    const char *name = rl_arg_text(L, lua_gettop(L), ENCODE, "codec", &len);
    if (o->framing != RL_AVRO_CONTAINER)
      rl_lua_script_error(L, ENCODE ": codec goes with framing = \"container\"");
    if (rl_avro_codec_find(rl_bytes(name, len), &o->codec, &err))
      rl_lua_script_error(L, ENCODE ": %s", err.text);
  }
  lua_pop(L, 1);
}

static void read_id(lua_State *L, struct options *o) {
  if (lua_getfield(L, 3, "id") != LUA_TNIL) {
    int64_t id = rl_arg_integer(L, lua_gettop(L), ENCODE, "id");
    if (id < 0 || id > UINT32_MAX) rl_lua_script_error(L, ENCODE ": the id is a number from 0 to 4294967295");
    if (o->framing != RL_AVRO_CONFLUENT)
      rl_lua_script_error(L, ENCODE ": id goes with framing = \"confluent\"");
    o->id = (uint32_t)id;
  } else if (o->framing == RL_AVRO_CONFLUENT) {
    rl_lua_script_error(L, ENCODE ": framing = \"confluent\" needs id, the schema's number at the registry");
  }
  lua_pop(L, 1);
}

static struct options encode_options(lua_State *L) {
  static const char *const known[] = {"framing", "id", "codec", "records", "logical", "drop_unknown"};
  struct options o = {.framing = RL_AVRO_BARE};
  if (!rl_arg_options(L, 3, ENCODE, known, sizeof known / sizeof *known)) return o;
  o.framing = framing(L, RL_AVRO_BARE, ENCODE);
  if (o.framing == RL_AVRO_AUTO)
    rl_lua_script_error(L, ENCODE ": framing \"auto\" is for reading: say which is to be written");
  read_codec(L, &o);
  read_id(L, &o);
  o.records = flag(L, "records");
  if (o.records && o.framing != RL_AVRO_CONTAINER)
    rl_lua_script_error(L, ENCODE ": records goes with framing = \"container\"");
  o.encode.logical = flag(L, "logical");
  o.encode.drop_unknown = flag(L, "drop_unknown");
  return o;
}

/* ---- encode ---- */

struct encoding {
  lua_State *L;
  struct rl_lua_schema *schema;
  const struct options *options;
  struct rl_json_scratch *scratch;
};

static int put_value(const struct encoding *e, int idx, struct rl_err *err) {
  struct rl_json_scratch *s = e->scratch;
  rl_tape_reset(&s->tape);
  rl_lua_put_value(e->L, idx, RL_JSON_DEPTH, &s->tape);
  if (e->options->framing == RL_AVRO_CONTAINER)
    return rl_avro_file_put(&e->schema->file, s->tape.at, s->tape.n, &e->options->encode, err);
  return rl_avro_encode(e->schema->encoder, s->tape.at, s->tape.n, &e->options->encode, &s->buf, err);
}

static int put_records(const struct encoding *e, lua_Integer n, struct rl_err *err) {
  int code = 0;
  for (lua_Integer i = 1; i <= n && code == 0; i++) {
    lua_rawgeti(e->L, 2, i);
    code = put_value(e, lua_gettop(e->L), err);
    lua_pop(e->L, 1);
    if (code != 0) rl_err_prefix(err, "record %lld: ", (long long)i);
  }
  return code;
}

static int put_container(const struct encoding *e, lua_Integer n, struct rl_err *err) {
  struct rl_avro_file *file = &e->schema->file;
  rl_avro_file_free(file); /* of one that was abandoned */
  rl_avro_file_begin(file, e->schema->encoder, e->options->codec, &e->scratch->buf);
  int code = e->options->records ? put_records(e, n, err) : put_value(e, 2, err);
  if (code == 0) code = rl_avro_file_end(file, err);
  rl_avro_file_free(file);
  *file = (struct rl_avro_file){0};
  return code;
}

static int put_framed(const struct encoding *e, lua_Integer n, struct rl_err *err) {
  switch (e->options->framing) {
    case RL_AVRO_CONTAINER: return put_container(e, n, err);
    case RL_AVRO_CONFLUENT: rl_avro_put_confluent(e->options->id, &e->scratch->buf); break;
    case RL_AVRO_SINGLE_OBJECT: rl_avro_put_single(e->schema->encoder, &e->scratch->buf); break;
    default: break;
  }
  return put_value(e, 2, err);
}

/* How many records the list at 2 has. */
static lua_Integer count_records(lua_State *L) {
  if (!lua_istable(L, 2)) rl_lua_script_error(L, ENCODE ": with records, the value is a list of them");
  struct rl_json_shape shape = rl_json_shape_of(L, 2);
  if (!rl_json_is_list(&shape)) rl_lua_script_error(L, ENCODE ": with records, the value is a list of them");
  return shape.strings > 0 ? shape.n : shape.highest;
}

/* Raises where decode returns nil and an error: a nil from here, passed on to out:send, would be a tombstone.
 */
static int l_avro_encode(lua_State *L) {
  if (lua_gettop(L) < 2) rl_lua_script_error(L, ENCODE " takes a schema and a value");
  lua_settop(L, 3);
  struct options options = encode_options(L);
  struct encoding e = {.L = L, .options = &options, .schema = rl_lua_schema_at(L, 1, false, ENCODE)};
  lua_Integer n = options.records ? count_records(L) : 0;
  struct rl_err err;
  luaL_checkstack(L, 8, NULL);
  e.scratch = rl_json_take(L);
  int held = lua_gettop(L);
  rl_buf_puts(&e.scratch->buf, "");
  if (put_framed(&e, n, &err) != 0) {
    rl_json_give(L, held);
    return luaL_error(L, "%s", err.text);
  }
  lua_pushlstring(L, e.scratch->buf.data, e.scratch->buf.len);
  rl_json_give(L, held);
  return 1;
}

/* ---- decode ---- */

static bool no_header(const struct rl_msg *msg, size_t i, struct rl_header *out) {
  (void)msg, (void)i, (void)out;
  return false;
}

/* Pushes record i. */
static int push_record(lua_State *L, struct rl_decoder *d, const struct rl_msg *msg, size_t i,
                       struct rl_json_scratch *s, struct rl_err *err) {
  int code = rl_decoder_tape(d, msg, i, &s->tape, err);
  return code ? code : rl_json_build(L, s, s->tape.at, s->tape.n, err);
}

/* One record is wanted, so that of several none is lost unseen. */
static int push_only(lua_State *L, struct rl_decoder *d, const struct rl_msg *msg, struct rl_json_scratch *s,
                     struct rl_err *err) {
  size_t n = 1;
  int code = rl_decoder_rows(d, msg, NULL, &n, err);
  if (code == 0 && n != 1)
    return rl_fail(err, RL_EHANDLER, "%zu records, where one was expected (records = true gives a list)", n);
  if (code == 0) code = push_record(L, d, msg, 0, s, err);
  rl_decoder_tape_end(d);
  return code;
}

/* Pushes the list of all. */
static int push_records(lua_State *L, struct rl_decoder *d, const struct rl_msg *msg,
                        struct rl_json_scratch *s, struct rl_err *err) {
  size_t n;
  int code = rl_decoder_rows(d, msg, NULL, &n, err);
  lua_newtable(L);
  rl_lua_mark_array(L);
  for (size_t i = 0; i < n && code == 0; i++) {
    code = push_record(L, d, msg, i, s, err);
    if (code == 0) lua_rawseti(L, -2, (lua_Integer)i + 1);
  }
  rl_decoder_tape_end(d); /* the next message will stand where this one does */
  return code;
}

static struct options decode_options(lua_State *L) {
  static const char *const known[] = {"framing", "logical", "records"};
  struct options o = {.framing = RL_AVRO_AUTO};
  if (!rl_arg_options(L, 3, DECODE, known, sizeof known / sizeof *known)) return o;
  o.framing = framing(L, RL_AVRO_AUTO, DECODE);
  o.encode.logical = flag(L, "logical");
  o.records = flag(L, "records");
  return o;
}

static int l_avro_decode(lua_State *L) {
  static const struct rl_msg_ops ops = {no_header, NULL};
  struct rl_msg msg = {.topic = "", .ops = &ops};
  struct rl_err err;
  lua_settop(L, 3);
  msg.value.data = rl_arg_text(L, 2, DECODE, "bytes", &msg.value.len);
  struct options o = decode_options(L);
  struct rl_lua_schema *schema = rl_lua_schema_at(L, 1, true, DECODE);
  struct rl_decoder *d = rl_lua_schema_decoder(L, schema, o.framing, o.encode.logical, DECODE);
  luaL_checkstack(L, 8, NULL);
  struct rl_json_scratch *s = rl_json_take(L);
  int held = lua_gettop(L);
  int code = o.records ? push_records(L, d, &msg, s, &err) : push_only(L, d, &msg, s, &err);
  if (rl_json_end(L, held, code) == 0) return 1;
  lua_pushnil(L);
  lua_pushstring(L, err.text);
  return 2;
}

static int l_avro_schema(lua_State *L) {
  lua_settop(L, 1);
  rl_lua_schema_at(L, 1, false, "rille.avro.schema");
  return 1;
}

void rl_lua_open_avro(lua_State *L) {
  static const luaL_Reg functions[] = {{"schema", l_avro_schema},
                                       {"encode", l_avro_encode},
                                       {"decode", l_avro_decode},
                                       {"branch", l_avro_branch},
                                       {NULL, NULL}};
  rl_lua_open_schema(L, l_avro_encode, l_avro_decode);
  rl_lua_open_branch(L);
  luaL_newlib(L, functions);
}
