/* Which schema a value was written with, and where its bytes start. */
#include "base/str.h"
#include "codec/avro_format.h"
#include "codec/magic.h"

static const char *const framing_names[] = {
    [RL_AVRO_AUTO] = "auto",           [RL_AVRO_CONTAINER] = "container",
    [RL_AVRO_CONFLUENT] = "confluent", [RL_AVRO_SINGLE_OBJECT] = "single-object",
    [RL_AVRO_KEY_SCHEMA] = "key",      [RL_AVRO_BARE] = "bare"};
enum { N_FRAMINGS = sizeof framing_names / sizeof *framing_names };

int rl_avro_framing_parse(const char *name, enum rl_avro_framing *framing, struct rl_err *err) {
  for (size_t i = 0; i < N_FRAMINGS; i++) {
    if (strcmp(name, framing_names[i]) != 0) continue;
    *framing = (enum rl_avro_framing)i;
    return 0;
  }
  const char *nearest = rl_nearest(name, framing_names, N_FRAMINGS);
  return rl_fail(
      err, RL_EUSAGE,
      "framing '%s': no such framing%s%s%s; there are auto, container, confluent, single-object, key and "
      "bare",
      name, nearest ? " (did you mean " : "", nearest ? nearest : "", nearest ? "?)" : "");
}

/* ---- containers ---- */

static int frame_container(struct rl_avro_format *f, struct rl_err *err) {
  if (!rl_avro_is_container(f->value))
    return rl_fail(err, RL_EHANDLER, "Avro: no object container: it does not start with Obj 01, at byte 0");
  int code = rl_avro_container_open(&f->container, f->value, err);
  if (code == 0) code = rl_avro_cache_by_text(&f->cache, f->container.schema, &f->entry, err);
  f->state = RL_AVRO_BLOCKS;
  return code;
}

/* ---- the schema of the options ---- */

static int use_own(struct rl_avro_format *f, size_t at, struct rl_err *err) {
  f->state = RL_AVRO_ONE;
  f->frame_at = at;
  if (!f->reader)
    return rl_fail(err, RL_EHANDLER, "Avro: a bare value, and no schema to read it with: set a schema file");
  return rl_avro_cache_by_text(&f->own, f->opts->avro.schema, &f->entry, err);
}

/* ---- Confluent's framing: 0, the schema's id, the value ---- */

enum { CONFLUENT = 5 };

static int use_json(struct rl_avro_format *f) {
  struct rl_json_select_opts opts = {.strict = f->opts->strict, .max_depth = f->opts->max_depth};
  if (!f->json) f->json = rl_json_select_new(f->opts->fields, &opts);
  f->state = RL_AVRO_JSON;
  return 0;
}

static int use_text(struct rl_avro_format *f, uint32_t id, const struct rl_schema_text *text,
                    struct rl_err *err) {
  if (text->kind == RL_SCHEMA_JSON) return use_json(f);
  if (text->kind == RL_SCHEMA_PROTOBUF)
    return rl_fail(err, RL_EHANDLER, "schema %u is a Protobuf one, which rille does not read", id);
  f->entry = rl_avro_cache_add_id(&f->cache, id, text->texts, text->n);
  return 0;
}

static int use_id(struct rl_avro_format *f, uint32_t id, struct rl_err *err) {
  struct rl_schema_source *registry = f->opts->avro.registry;
  const struct rl_schema_text *text;
  f->entry = rl_avro_cache_find_id(&f->cache, id);
  int code = f->entry ? 0 : registry->get(registry, id, &text, err);
  if (code == 0 && !f->entry) code = use_text(f, id, text, err);
  if (code != 0 || f->state == RL_AVRO_JSON) return code;
  code = rl_avro_entry_check(f->entry, err);
  return code == 0 ? 0 : rl_err_prefix(err, "schema %u: ", id);
}

static uint32_t big_endian(const char *p) {
  const unsigned char *b = (const unsigned char *)p;
  return (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3];
}

bool rl_avro_confluent_id(struct rl_bytes value, uint32_t *id) {
  if (value.len < CONFLUENT || value.data[0] != 0) return false;
  *id = big_endian(value.data + 1);
  return true;
}

static int frame_confluent(struct rl_avro_format *f, struct rl_err *err) {
  if (f->value.len < CONFLUENT)
    return rl_fail(err, RL_EHANDLER, "Avro: cut short: %zu bytes, where the framing alone takes 5, at byte 0",
                   f->value.len);
  if (f->value.data[0] != 0)
    return rl_fail(err, RL_EHANDLER,
                   "Avro: magic byte 0x%02X, where a schema registry's framing has 00, at byte 0",
                   (unsigned char)f->value.data[0]);
  if (!f->opts->avro.registry) return use_own(f, CONFLUENT, err);
  f->state = RL_AVRO_ONE;
  f->frame_at = CONFLUENT;
  return use_id(f, big_endian(f->value.data + 1), err);
}

/* ---- the single-object encoding: C3 01, the fingerprint, the value ---- */

enum { SINGLE_OBJECT = 10 };

static bool is_single_object(struct rl_bytes value) {
  return value.len >= SINGLE_OBJECT && memcmp(value.data, "\xC3\x01", 2) == 0;
}

static uint64_t fingerprint_of(struct rl_bytes value) {
  uint64_t print = 0;
  for (size_t i = SINGLE_OBJECT; i-- > 2;) print = print << 8 | (unsigned char)value.data[i];
  return print;
}

static int frame_single_object(struct rl_avro_format *f, struct rl_err *err) {
  if (!is_single_object(f->value))
    return rl_fail(err, RL_EHANDLER,
                   "Avro: no single object: it does not start with C3 01 and a fingerprint, at byte "
                   "0");
  uint64_t print = fingerprint_of(f->value);
  if (f->reader && print != f->fingerprint)
    return rl_fail(
        err, RL_EHANDLER,
        "Avro: written with the schema of fingerprint %016llx, where the schema file has %016llx, at byte 2",
        (unsigned long long)print, (unsigned long long)f->fingerprint);
  return use_own(f, SINGLE_OBJECT, err);
}

/* ---- the key ---- */

static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

bool rl_avro_key_is_schema(struct rl_bytes key) {
  size_t i = 0;
  while (i < key.len && is_blank(key.data[i])) i++;
  return i < key.len && (key.data[i] == '{' || key.data[i] == '[');
}

static int frame_key(struct rl_avro_format *f, struct rl_bytes key, struct rl_err *err) {
  f->state = RL_AVRO_ONE;
  f->frame_at = 0;
  if (!key.data) return rl_fail(err, RL_EHANDLER, "Avro: no key, which should hold the schema");
  int code = rl_avro_cache_by_text(&f->cache, key, &f->entry, err);
  return code == 0 ? 0 : rl_err_prefix(err, "the key as a schema: ");
}

/* ---- which ---- */

static int frame_auto(struct rl_avro_format *f, const struct rl_msg *msg, struct rl_err *err) {
  if (rl_avro_is_container(f->value)) return frame_container(f, err);
  if (f->opts->avro.registry) return frame_confluent(f, err);
  if (f->reader && is_single_object(f->value) && fingerprint_of(f->value) == f->fingerprint)
    return frame_single_object(f, err);
  if (f->reader) return use_own(f, 0, err);
  if (rl_avro_key_is_schema(msg->key)) return frame_key(f, msg->key, err);
  return rl_fail(
      err, RL_EHANDLER,
      "Avro: no schema: the value is no object container (Obj 01) at byte 0, the key is no schema, and "
      "neither a registry nor a schema file is set");
}

static int frame(struct rl_avro_format *f, const struct rl_msg *msg, struct rl_err *err) {
  switch (f->opts->avro.framing) {
    case RL_AVRO_AUTO: return frame_auto(f, msg, err);
    case RL_AVRO_CONTAINER: return frame_container(f, err);
    case RL_AVRO_CONFLUENT: return frame_confluent(f, err);
    case RL_AVRO_SINGLE_OBJECT: return frame_single_object(f, err);
    case RL_AVRO_KEY_SCHEMA: return frame_key(f, msg->key, err);
    case RL_AVRO_BARE: break;
  }
  return use_own(f, 0, err);
}

/* What a value without its schema looks like says more than where its schema was looked for. */
static int hint(const struct rl_avro_format *f, struct rl_err *err) {
  if (rl_avro_key_is_schema(f->value))
    return rl_fail(err, RL_EHANDLER, "%s (it begins as JSON does: decode = \"json\"?)", err->text);
  bool lone = !f->opts->avro.registry && !f->reader;
  if (!lone || rl_magic_of(f->value) != RL_MAGIC_CONFLUENT) return err->code;
  return rl_fail(err, RL_EHANDLER, "%s (it begins with %s: set registry, --registry URL)", err->text,
                 rl_magic_text(RL_MAGIC_CONFLUENT));
}

int rl_avro_frame(struct rl_avro_format *f, const struct rl_msg *msg, struct rl_err *err) {
  f->key = msg->key;
  f->value = msg->value;
  f->state = RL_AVRO_DONE;
  int code = frame(f, msg, err);
  return code == RL_EHANDLER && err ? hint(f, err) : code;
}
