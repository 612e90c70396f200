#include <stdio.h>

#include "base/mem.h"
#include "codec/json_walk.h"
#include "codec/lists.h"
#include "codec/magic.h"

enum { LARGEST_SCRATCH = 4 << 20 }; /* what one message leaves behind at most */

const char rl_json_too_deep[] = "nested too deep";

struct rl_json *rl_json_new(void) {
  struct rl_json *json = rl_zalloc(sizeof *json);
  json->index = rl_index_new();
  return json;
}

void rl_json_free(struct rl_json *json) {
  if (!json) return;
  rl_index_free(json->index);
  rl_free(json->scratch);
  rl_free(json->open);
  rl_free(json);
}

/* Another form has a name, which helps more than the byte that JSON cannot hold. */
static int check_magic(struct rl_bytes text, struct rl_err *err) {
  static const char *const advice[] = {
      [RL_MAGIC_CONTAINER] = "decode = \"avro\"",
      [RL_MAGIC_CONFLUENT] = "decode = \"avro\", with registry, or framing = \"confluent\" and schema",
      [RL_MAGIC_SINGLE_OBJECT] = "decode = \"avro\", with schema",
      [RL_MAGIC_GZIP] = "unpack it first"};
  enum rl_magic magic = rl_magic_of(text);
  if (magic == RL_MAGIC_NONE) return 0;
  return rl_fail(err, RL_EHANDLER, "not JSON: it begins with %s: %s, at byte 0", rl_magic_text(magic),
                 advice[magic]);
}

static int check_size(struct rl_bytes text, struct rl_err *err) {
  if (text.len == 0) return rl_fail(err, RL_EHANDLER, "empty value, which is no JSON, at byte 0");
  if (text.len > UINT32_MAX - RL_JSON_PADDING)
    return rl_fail(err, RL_EHANDLER, "JSON of %zu bytes: more than 4 GiB cannot be read, at byte 0",
                   text.len);
  if (text.len >= 3 && memcmp(text.data, "\xEF\xBB\xBF", 3) == 0)
    return rl_fail(
        err, RL_EHANDLER,
        "not JSON: starts with a byte-order mark (EF BB BF), which JSON does not allow, at byte 0");
  return check_magic(text, err);
}

static int find_tokens(struct rl_json *json, struct rl_err *err) {
  enum rl_index_result result =
      json->index ? rl_index_run(json->index, json->text, json->len, &json->tokens, &json->n_tokens)
                  : RL_INDEX_MEMORY;
  if (result == RL_INDEX_OK) return 0;
  return rl_json_index_error(rl_bytes(json->text, json->len), result, err);
}

static int load(struct rl_json *json, char *text, size_t len, struct rl_err *err) {
  memset(text + len, ' ', RL_JSON_PADDING);
  json->text = (const uint8_t *)text;
  json->len = len;
  json->depth = 0;
  json->fault = (struct rl_json_fault){NULL, 0};
  const char *escape = memchr(text, '\\', len);
  json->escape = escape ? (size_t)(escape - text) : len;
  return find_tokens(json, err);
}

static void reserve_scratch(struct rl_json *json, size_t size) {
  if (size <= json->scratch_cap) return;
  rl_free(json->scratch);
  json->scratch_cap = size + size / 2;
  json->scratch = rl_alloc(json->scratch_cap);
}

int rl_json_load(struct rl_json *json, struct rl_bytes payload, struct rl_err *err) {
  int code = check_size(payload, err);
  if (code != 0) return code;
  reserve_scratch(json, payload.len + RL_JSON_PADDING);
  memcpy(json->scratch, payload.data, payload.len);
  json->origin = payload.data;
  json->own = NULL;
  return load(json, json->scratch, payload.len, err);
}

int rl_json_load_padded(struct rl_json *json, char *text, size_t len, struct rl_err *err) {
  int code = check_size(rl_bytes(text, len), err);
  if (code != 0) return code;
  json->origin = json->own = text;
  return load(json, text, len, err);
}

static void trim(struct rl_json *json) {
  rl_index_trim(json->index);
  if (json->scratch_cap <= LARGEST_SCRATCH) return;
  rl_free(json->scratch);
  json->scratch = NULL;
  json->scratch_cap = 0;
}

/* "'x'", "byte 0x0C"; texts of errors are UTF-8, so nothing else of the document is quoted. */
static const char *describe_byte(unsigned char c, char out[16]) {
  if (c > ' ' && c < 0x7F)
    snprintf(out, 16, "'%c'", c);
  else
    snprintf(out, 16, "byte 0x%02X", c);
  return out;
}

static int fault_error(const struct rl_json *json, struct rl_err *err) {
  const struct rl_json_fault *fault = &json->fault;
  char found[16];
  if (fault->what == rl_json_too_deep)
    return rl_fail(err, RL_EHANDLER, "JSON nested deeper than %zu (limits.depth) at byte %zu",
                   json->max_depth, fault->at);
  if (fault->what == rl_lists_too_many)
    return rl_fail(err, RL_EHANDLER, "JSON: %s at byte %zu", fault->what, fault->at);
  if (fault->at >= json->len)
    return rl_fail(err, RL_EHANDLER, "not JSON: cut short: %s, but the text ends at byte %zu", fault->what,
                   json->len);
  return rl_fail(err, RL_EHANDLER, "not JSON: %s, found %s at byte %zu", fault->what,
                 describe_byte(json->text[fault->at], found), fault->at);
}

int rl_json_finish(struct rl_json *json, const uint32_t *end, struct rl_err *err) {
  if (end && end != json->tokens + json->n_tokens)
    end = rl_json_fault(json, "expected the end after the document", *end);
  int code = end ? 0 : fault_error(json, err);
  if (json->len > LARGEST_SCRATCH / 4) trim(json);
  return code;
}
