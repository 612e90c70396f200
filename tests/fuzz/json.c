/* libFuzzer: the first line is a list of fields ("a.b,c[0]"), the rest a document. Selection and tape must agree
 * on it, strict or not, and neither may read past the end (ASan: the document is an exact allocation). */
#include "../unit/codec_reference.h"

static bool parse_fields(struct rl_fields *fields, const uint8_t *data, size_t len) {
  char *list = rl_strndup((const char *)data, len);
  bool fine = strlen(list) == len && rl_fields_parse(fields, list, NULL) == 0;
  for (size_t f = 0; fine && f < fields->n; f++)
    fine = fields->at[f].meta == RL_META_NONE && fields->at[f].type == RL_AUTO;
  rl_free(list);
  return fine;
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
