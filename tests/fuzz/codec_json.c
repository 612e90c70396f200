/* libFuzzer: the first line is a list of fields ("a.b,c[0],d[*].e"), the rest a document. Selection and tape
 * must agree on it, strict or not, and so must an array of a shape at the first field's path; and none may
 * read past the end (ASan: the document is an exact allocation). */
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

static void check_shape(const char *path, struct rl_bytes document) {
  static const struct rl_msg_ops ops = {reference_no_header, NULL};
  struct rl_msg msg = {.topic = "t", .value = document, .ops = &ops};
  struct rl_fields fields = RL_FIELDS_INIT;
  struct rl_decoder_opts opts = {.fields = &fields};
  struct rl_decoder *decoder;
  struct rl_json *json = rl_json_new();
  struct rl_tape tape = RL_TAPE_INIT;
  if (!reference_add_shape(&fields, path, (unsigned)document.len) ||
      rl_decoder_new(&decoder, "json", &opts, NULL) != 0)
    abort();
  struct rl_columns *columns = rl_columns_new(&fields);
  bool filled = rl_decoder_row(decoder, &msg, columns, NULL) == 0 && columns->col[0][0].tag == RL_SHAPED;
  bool plain = !fields.at[0].n_lists && rl_json_tape(json, document, 0, &tape, NULL) == 0;
  if (filled && plain &&
      !reference_path(&fields.at[0], 0, &columns->col[0][0], &tape, 0, reference_same_shape)) {
    fprintf(stderr, "other numbers than the document has at %s\n", path);
    abort();
  }
  rl_tape_free(&tape);
  rl_json_free(json);
  rl_columns_free(columns);
  rl_decoder_free(decoder);
  rl_fields_free(&fields);
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
  if (fields->n > 0) check_shape(fields->at[0].path, rl_bytes(document, len));
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
