#include "cli/schema.h"

#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/mem.h"
#include "cli/commands.h"
#include "cli/output.h"
#include "cli/reading.h"

enum { WANTED = 100 };
#define PATIENCE 10.0 /* s without a message */

struct schema {
  struct rl_cli *cli;
  struct rl_settings *settings;
  const char *source;
  bool is_file;
  struct rl_samples samples;
  struct rl_outline outline;
  struct rl_buf last;  /* the Avro schema that was laid under it last */
  struct rl_err first; /* of the messages that do not decode */
  size_t bad;
};

/* ---- reading ---- */

static bool looks_like_file(const char *name) {
  static const char *const ends[] = {".avsc",  ".avro", ".json", ".ndjson",
                                     ".jsonl", ".csv",  ".tsv",  ".confluent"};
  size_t len = strlen(name);
  if (strcmp(name, "-") == 0 || strchr(name, '/') || access(name, F_OK) == 0) return true;
  for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
    size_t n = strlen(ends[i]);
    if (len > n && strcmp(name + len - n, ends[i]) == 0) return true;
  }
  return false;
}

static int take_message(void *self, const struct rl_msg *msg, struct rl_err *err) {
  struct schema *c = self;
  (void)err;
  return !rl_samples_add(&c->samples, msg->key, msg->value);
}

/* The newest: a topic's schema is what is written now. */
static int read_topic(struct schema *c, struct rl_err *err) {
  char start[32];
  struct rl_reading what = {.take = take_message, .self = c, .patience = PATIENCE};
  if (rl_settings_is_set(c->settings, "wait")) what.patience = c->settings->wait;
  snprintf(start, sizeof start, "-%zu", c->samples.wanted);
  if (!c->settings->end) c->settings->exit_at_end = true;
  if (rl_reading_settle(c->settings, start, "rille schema", err) || rl_read_topics(c->settings, &what, err))
    return err->code;
  if (c->samples.n) return 0;
  if (c->samples.nulls)
    return rl_fail(err, RL_EWAIT, "%s: the %zu messages that were read have no value, only keys", c->source,
                   c->samples.nulls);
  return rl_fail(err, RL_EWAIT, "%s holds no message there: send some, or begin elsewhere with --start",
                 c->source);
}

/* ---- the settings ---- */

/* --schema alone means Avro, --csv-header CSV. */
static int imply_decode(struct rl_settings *s, struct rl_err *err) {
  static const char *const avro[] = {"schema", "framing", "logical", "registry", "registry_file"},
                           *const csv[] = {"csv.columns", "csv.delimiter", "csv.header", "csv.comment"};
  const char *implied = NULL;
  for (size_t i = 0; i < sizeof csv / sizeof *csv; i++)
    if (rl_settings_is_set(s, csv[i])) implied = "csv";
  for (size_t i = 0; i < sizeof avro / sizeof *avro; i++)
    if (rl_settings_is_set(s, avro[i])) implied = "avro";
  if (!implied || rl_settings_is_set(s, "decode")) return 0;
  return rl_settings_set(s, rl_setting_find("decode"), implied, RL_LAYER_SCRIPT, "rille schema", err);
}

static int read_file(struct schema *c, bool *schema, struct rl_err *err) {
  struct rl_settings *s = c->settings;
  if (rl_settings_set(s, rl_setting_find("input"), c->source, RL_LAYER_CLI, "rille schema", err) ||
      rl_settings_finish(s, err) || rl_samples_file(&c->samples, c->source, schema, err))
    return err->code;
  if (c->samples.n) return 0;
  return rl_fail(err, RL_EFAIL, "%s is empty", c->source);
}

/* ---- decoding ---- */

/* The one at the registry, asked for if need be. It is laid out only where it stands alone: one that refers
 * to others is known by its values. */
static int schema_at_registry(const struct schema *c, const struct rl_sample *sample, struct rl_bytes *text,
                              struct rl_err *err) {
  const struct rl_schema_text *found;
  const unsigned char *b = (const unsigned char *)sample->value.data;
  *text = rl_bytes(NULL, 0);
  if (!c->settings->registry_client || sample->value.len < 5 || b[0] != 0) return 0;
  uint32_t id = (uint32_t)b[1] << 24 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 8 | b[4];
  int rc = rl_registry_wait(c->settings->registry_client, id, &found, err);
  if (!rc && found->kind == RL_SCHEMA_AVRO && found->n == 1) *text = found->texts[0];
  return rc;
}

/* A registry that is down is no message's fault. */
static int ask_registry(const struct schema *c, struct rl_err *err) {
  for (size_t i = 0; i < c->samples.n; i++) {
    struct rl_err why = {0};
    struct rl_bytes text;
    if (schema_at_registry(c, &c->samples.at[i], &text, &why) != RL_ETRANSIENT) continue;
    return rl_fail(err, RL_EBROKER, "registry: %s", why.text);
  }
  return 0;
}

/* The schema that the message was written with, where one can say; data NULL: none. */
static struct rl_bytes schema_of(const struct schema *c, const struct rl_sample *sample) {
  struct rl_bytes none = {NULL, 0}, text;
  if (c->settings->schema_text.len) return rl_buf_bytes(&c->settings->schema_text);
  if (schema_at_registry(c, sample, &text, NULL) == 0 && text.data) return text;
  if (rl_avro_is_container(sample->value))
    return rl_avro_container_schema(sample->value, &text, NULL) == 0 ? text : none;
  return strcmp(c->settings->framing, "key") == 0 ? sample->key : none;
}

static int lay_schema(struct schema *c, const struct rl_sample *sample, struct rl_err *err) {
  struct rl_bytes text = schema_of(c, sample);
  if (strcmp(c->settings->decode, "avro") != 0 || !text.data || rl_bytes_eq(text, rl_buf_bytes(&c->last)))
    return 0;
  rl_buf_clear(&c->last);
  rl_buf_put(&c->last, text.data, text.len);
  return rl_outline_avro(&c->outline, text, err);
}

static bool no_header(const struct rl_msg *msg, size_t i, struct rl_header *out) {
  (void)msg, (void)i, (void)out;
  return false;
}

/* A file of CSV is one message of many records: those that are wanted are enough. */
static int add_sample(struct schema *c, struct rl_decoder *d, const struct rl_sample *sample,
                      struct rl_tape *tape, struct rl_err *err) {
  static const struct rl_msg_ops ops = {no_header, NULL};
  struct rl_msg msg = {.topic = c->source, .key = sample->key, .value = sample->value, .ops = &ops};
  size_t n = 1;
  if (lay_schema(c, sample, err) || rl_decoder_rows(d, &msg, NULL, &n, err)) return err->code;
  if (n > c->samples.wanted) n = c->samples.wanted;
  for (size_t i = 0; i < n; i++) {
    if (rl_decoder_tape(d, &msg, i, tape, err)) return err->code;
    rl_outline_add(&c->outline, tape);
  }
  return 0;
}

static void add_all(struct schema *c, struct rl_decoder *d) {
  struct rl_tape tape = RL_TAPE_INIT;
  for (size_t i = 0; i < c->samples.n; i++) {
    struct rl_err err = {0};
    if (add_sample(c, d, &c->samples.at[i], &tape, &err) == 0) continue;
    if (c->bad++ == 0) c->first = err;
  }
  rl_tape_free(&tape);
}

static int decode_all(struct schema *c, struct rl_err *err) {
  struct rl_decoder *d;
  if (ask_registry(c, err) || rl_settings_decoder(c->settings, NULL, &d, err)) return err->code;
  add_all(c, d);
  rl_decoder_free(d);
  if (c->bad < c->samples.n) return 0;
  return rl_fail(err, RL_EHANDLER, "%s: none of the %zu %s decodes as %s; the first: %s", c->source,
                 c->samples.n, c->is_file ? "values" : "messages", c->settings->decode, c->first.text);
}

/* ---- telling ---- */

static void tell(const struct schema *c, const struct rl_buf *said) {
  if (said->len) rl_log(RL_INFO, "%s", said->data);
  if (c->bad)
    rl_log(RL_WARN, "%zu of %zu do not decode as %s and are left out; the first: %s", c->bad, c->samples.n,
           c->settings->decode, c->first.text);
}

static int print(const struct schema *c, struct rl_err *err) {
  struct rl_schema_view view = {&c->outline, c->settings, c->source, c->is_file, c->samples.whole};
  struct rl_buf out = RL_BUF_INIT;
  if (!c->cli->script && !c->cli->json) return rl_schema_print(&view, err);
  if (c->cli->script)
    rl_schema_put_script(&out, &view);
  else
    rl_schema_put_json(&out, &view);
  int rc = rl_out_write(&out, err);
  rl_buf_free(&out);
  return rc;
}

static int guess_and_decode(struct schema *c, struct rl_err *err) {
  struct rl_buf said = RL_BUF_INIT;
  int rc = rl_schema_guess(c->settings, &c->samples, c->is_file, &said, err);
  if (!rc) rc = decode_all(c, err);
  if (!rc) tell(c, &said);
  rl_buf_free(&said);
  return rc;
}

static int perform(struct schema *c, struct rl_err *err) {
  bool schema = false;
  if (imply_decode(c->settings, err)) return err->code;
  if (c->is_file ? read_file(c, &schema, err) : read_topic(c, err)) return err->code;
  if (schema ? rl_outline_avro(&c->outline, c->samples.at[0].value, err) : guess_and_decode(c, err))
    return err->code;
  return print(c, err);
}

/* The one thing that is named: an argument, -t or --input. */
static int find_source(struct schema *c, struct rl_err *err) {
  struct rl_cli *cli = c->cli;
  size_t named = cli->args.n + cli->settings.topics.n + (cli->settings.input ? 1 : 0);
  if (named == 0) return rl_cli_misuse(cli, err, "`rille schema` needs a file or a topic");
  if (named > 1) return rl_cli_misuse(cli, err, "`rille schema` looks at one file or topic at a time");
  c->is_file = cli->settings.input || (cli->args.n && looks_like_file(cli->args.at[0]));
  c->source = cli->settings.input ? cli->settings.input
              : cli->args.n       ? cli->args.at[0]
                                  : cli->settings.topics.at[0];
  if (c->is_file || !cli->args.n) return 0;
  return rl_settings_set(c->settings, rl_setting_find("topics"), c->source, RL_LAYER_CLI, "rille schema",
                         err);
}

int rl_cmd_schema(struct rl_cli *cli, struct rl_err *err) {
  struct schema c = {.cli = cli, .settings = &cli->settings, .last = RL_BUF_INIT};
  c.samples.wanted = cli->settings.count > 0 ? (size_t)cli->settings.count : WANTED;
  rl_arena_init(&c.samples.arena);
  rl_outline_init(&c.outline);
  char *source = NULL; /* settings are freed and set again on the way */
  int rc = find_source(&c, err);
  if (!rc) c.source = source = rl_strdup(c.source);
  if (!rc) rc = perform(&c, err);
  rl_free(source);
  rl_outline_free(&c.outline);
  rl_samples_free(&c.samples);
  rl_buf_free(&c.last);
  return rc;
}
