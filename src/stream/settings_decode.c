/* Finishing, last part: what belongs to one format only; and the decoder that the settings ask for. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "codec/avro_schema.h"
#include "stream/settings_impl.h"

#define SCHEMA_MAX_BYTES ((size_t)64 << 20)

static bool is(const struct rl_settings *s, const char *format) { return strcmp(s->decode, format) == 0; }

/* ---- settings of another format ---- */

/* A setting of a weaker layer than `decode` was meant for what the script decodes by itself. `also`: another
 * format it goes with, or NULL. */
static int check_format_of(const struct rl_settings *s, const char *name, const char *format,
                           const char *also, struct rl_err *err) {
  bool fits = is(s, format) || (also && is(s, also));
  if (fits || !rl_settings_is_set(s, name)) return 0;
  if (rl_settings_layer(s, name) < rl_settings_layer(s, "decode")) return 0;
  bool registry = strncmp(name, "registry", 8) == 0; /* in the environment it is there for other runs, too */
  if (registry && rl_settings_layer(s, name) == RL_LAYER_ENV) return 0;
  return rl_fail(err, RL_EUSAGE, "%s goes with decode = \"%s\"%s%s%s, and decode is %s", name, format,
                 also ? " or \"" : "", also ? also : "", also ? "\"" : "",
                 s->decode_lua ? "the script's own" : s->decode);
}

static int check_formats(const struct rl_settings *s, struct rl_err *err) {
  static const char *const avro[] = {"schema", "framing", "logical", "registry", "registry_file"};
  static const char *const csv[] = {"csv.columns", "csv.delimiter", "csv.header", "csv.comment"};
  int rc = check_format_of(s, "rows", "json", NULL, err);
  for (size_t i = 0; !rc && i < sizeof avro / sizeof *avro; i++)
    rc = check_format_of(s, avro[i], "avro", NULL, err);
  for (size_t i = 0; !rc && i < sizeof csv / sizeof *csv; i++)
    rc = check_format_of(s, csv[i], "csv", "tsv", err);
  return rc;
}

/* ---- CSV ---- */

/* One character: itself, or \t. */
static bool character(const char *text, char *out) {
  if (!text) return true;
  bool tab = strcmp(text, "\\t") == 0;
  *out = tab ? '\t' : *text;
  return tab || strlen(text) == 1;
}

static int check_character(const char *name, const char *text, struct rl_err *err) {
  char c;
  if (character(text, &c)) return 0;
  return rl_fail(err, RL_EUSAGE, "%s: \"%s\" will not do: expected one ASCII character (\\t is a tab)", name,
                 text);
}

static int check_columns(const struct rl_list *columns, struct rl_err *err) {
  for (size_t i = 0; i < columns->n; i++)
    for (size_t j = 0; j < i; j++)
      if (strcmp(columns->at[i], columns->at[j]) == 0)
        return rl_fail(err, RL_EUSAGE, "csv.columns names \"%s\" twice: each column has a name of its own",
                       columns->at[i]);
  return 0;
}

static int finish_csv(const struct rl_settings *s, struct rl_err *err) {
  int rc = check_character("csv.delimiter", s->csv_delimiter, err);
  if (!rc) rc = check_character("csv.comment", s->csv_comment, err);
  return rc ? rc : check_columns(&s->csv_columns, err);
}

/* ---- Avro ---- */

static int read_all(FILE *in, const char *path, struct rl_buf *out, struct rl_err *err) {
  enum { CHUNK = 65536 };
  size_t n;
  while ((n = fread(rl_buf_reserve(out, CHUNK), 1, CHUNK, in)) > 0) {
    out->len += n;
    if (out->len > SCHEMA_MAX_BYTES)
      return rl_fail(err, RL_EUSAGE, "schema: %s has more than %zu bytes", path, SCHEMA_MAX_BYTES);
  }
  return ferror(in) ? rl_fail(err, RL_EUSAGE, "schema: cannot read %s: %s", path, strerror(errno)) : 0;
}

static int read_schema(struct rl_settings *s, struct rl_err *err) {
  FILE *in = fopen(s->schema, "re");
  if (!in) return rl_fail(err, RL_EUSAGE, "schema: cannot read %s: %s", s->schema, strerror(errno));
  rl_buf_clear(&s->schema_text);
  int rc = read_all(in, s->schema, &s->schema_text, err);
  fclose(in);
  return rc;
}

static int check_schema(const struct rl_settings *s, struct rl_err *err) {
  struct rl_avro_schema *schema = NULL;
  struct rl_bytes text = rl_buf_bytes(&s->schema_text);
  int rc = rl_avro_schema_new(&schema, &text, 1, true, err);
  rl_avro_schema_free(schema);
  if (!rc) return 0;
  rl_err_prefix(err, "schema: %s: ", s->schema);
  return err ? (err->code = RL_EUSAGE) : RL_EUSAGE;
}

static int check_framing(const struct rl_settings *s, struct rl_err *err) {
  enum rl_avro_framing framing;
  int rc = rl_avro_framing_parse(s->framing, &framing, err);
  if (rc || s->schema) return rc;
  if (framing == RL_AVRO_CONFLUENT && !s->registry_client)
    return rl_fail(err, RL_EUSAGE,
                   "framing: confluent names schemas by number: set registry, the URL where they are, or "
                   "schema, the file of the one that all values are written with");
  if (framing == RL_AVRO_SINGLE_OBJECT || framing == RL_AVRO_BARE)
    return rl_fail(err, RL_EUSAGE, "framing: %s values hold no schema: set schema, the file that does",
                   s->framing);
  return 0;
}

static int finish_avro(struct rl_settings *s, struct rl_err *err) {
  int rc = rl_settings_finish_registry(s, err);
  if (!rc) rc = check_framing(s, err);
  if (!rc && s->schema) rc = read_schema(s, err);
  return rc || !s->schema ? rc : check_schema(s, err);
}

int rl_settings_finish_format(struct rl_settings *s, struct rl_err *err) {
  int rc = check_formats(s, err);
  if (!rc && is(s, "avro")) rc = finish_avro(s, err);
  if (!rc && (is(s, "csv") || is(s, "tsv"))) rc = finish_csv(s, err);
  return rc;
}

/* ---- the decoder ---- */

int rl_settings_decoder(const struct rl_settings *s, const struct rl_fields *fields, struct rl_decoder **out,
                        struct rl_err *err) {
  struct rl_decoder_opts opts = {.fields = fields,
                                 .strict = s->strict,
                                 .rows = s->rows,
                                 .max_depth = (size_t)s->limits_depth,
                                 .max_inflated = (size_t)s->limits_inflated,
                                 .max_columns = (size_t)s->limits_columns,
                                 .avro = {.logical = s->logical},
                                 .csv = {.columns = (const char *const *)s->csv_columns.at,
                                         .n_columns = s->csv_columns.n,
                                         .header = s->csv_header}};
  if (s->registry_client) opts.avro.registry = rl_registry_source(s->registry_client);
  if (s->schema_text.len) opts.avro.schema = rl_buf_bytes(&s->schema_text);
  int rc = rl_avro_framing_parse(s->framing, &opts.avro.framing, err);
  if (!rc) rc = check_character("csv.delimiter", s->csv_delimiter, err);
  if (!rc) rc = check_character("csv.comment", s->csv_comment, err);
  if (rc) return rc;
  character(s->csv_delimiter, &opts.csv.delimiter);
  character(s->csv_comment, &opts.csv.comment);
  return rl_decoder_new(out, s->decode ? s->decode : "raw", &opts, err);
}
