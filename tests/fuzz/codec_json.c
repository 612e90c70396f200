/* libFuzzer: the first line is a list of fields ("a.b,c[0]"), the rest a document. Selection and tape must
 * agree on it, strict or not, and neither may read past the end (ASan: the document is an exact allocation).
 */
#include "../unit/codec_reference.h"
#include "codec/json_select.h"
#include "codec/json_suggest.h"

static bool parse_fields(struct rl_fields *fields, const uint8_t *data, size_t len) {
  char *list = rl_strndup((const char *)data, len);
  bool fine = strlen(list) == len && rl_fields_parse(fields, list, NULL) == 0;
  for (size_t f = 0; fine && f < fields->n; f++)
    fine = fields->at[f].meta == RL_META_NONE && fields->at[f].type == RL_AUTO;
  rl_free(list);
  return fine;
}

static bool has(const char *path, struct rl_bytes document) {
  struct rl_fields fields = RL_FIELDS_INIT;
  struct rl_cell row = {0};
  struct rl_arena arena;
  rl_arena_init(&arena);
  bool found = rl_fields_add(&fields, "x", path, RL_AUTO, false, NULL) == 0;
  struct rl_json_select *select = rl_json_select_new(&fields, &(struct rl_json_select_opts){0});
  found = found && rl_json_select_row(select, document, &arena, &row, NULL) == 0 && row.tag != RL_MISSING;
  rl_json_select_free(select);
  rl_arena_free(&arena);
  rl_fields_free(&fields);
  return found;
}

static void check_suggestions(const struct rl_fields *fields, struct rl_bytes document) {
  for (size_t f = 0; f < fields->n; f++) {
    struct rl_buf path = RL_BUF_INIT;
    rl_json_suggest(document, 0, &fields->at[f], &path);
    if (path.len > 0 && !has(path.data, document)) {
      fprintf(stderr, "suggested for %s, but not there: %s\n", fields->at[f].path, path.data);
      abort();
    }
    rl_buf_free(&path);
  }
}

static void check(const struct rl_fields *fields, const uint8_t *data, size_t len) {
  char *document = malloc(len ? len : 1);
  memcpy(document, data, len);
  for (int strict = 0; strict < 2; strict++) {
    const char *wrong = reference_disagreement(fields, rl_bytes(document, len), strict);
    if (!wrong) continue;
    fprintf(stderr, "%s\n", wrong);
    abort();
  }
  check_suggestions(fields, rl_bytes(document, len));
  free(document);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const uint8_t *line = size ? memchr(data, '\n', size) : NULL;
  if (!line) return 0;
  struct rl_fields fields = RL_FIELDS_INIT;
  size_t len = (size_t)(line - data);
  if (parse_fields(&fields, data, len)) check(&fields, line + 1, size - len - 1);
  rl_fields_free(&fields);
  return 0;
}
