#include "cli/schema.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "cli/commands.h"
#include "cli/output.h"
#include "cli/reading.h"

enum { WANTED = 100, WAIT_MS = 1000 };
#define PATIENCE 10.0 /* s without a message */

struct schema {
  struct rl_cli *cli;
  struct rl_settings *settings;
  const char *source;
  bool is_file;
  struct rl_samples samples;
  struct rl_outline outline;
  struct rl_buf last;  /* the Avro schema that was laid under it last */
  struct rl_wake bell; /* of the registry, while values are decoded */
  struct rl_err first; /* of the messages that do not decode */
  size_t bad;
  bool many; /* records in a message */
};

/* ---- reading ---- */

static bool has_ending(const char *name) {
  static const char *const ends[] = {".avsc",  ".avro", ".json", ".ndjson",
                                     ".jsonl", ".csv",  ".tsv",  ".confluent"};
  size_t len = strlen(name);
  for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
    size_t n = strlen(ends[i]);
    if (len > n && strcmp(name + len - n, ends[i]) == 0) return true;
  }
  return false;
}

static bool looks_like_file(const char *name) {
  return strcmp(name, "-") == 0 || strchr(name, '/') || access(name, F_OK) == 0 || has_ending(name);
}

/* A file that is there goes first, and that is said where the name is as good a topic's. */
static bool could_be_topic(const char *name) {
  return strcmp(name, "-") != 0 && !strchr(name, '/') && !has_ending(name);
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
  return rl_fail(err, RL_EWAIT, "%s is empty", c->source);
}

/* ---- decoding ---- */

/* What its value's number means at the registry, which was asked for it before. */
static const struct rl_bytes *registry_schema(const struct rl_settings *s, struct rl_bytes value, size_t *n) {
  struct rl_schema_source *source = rl_registry_source(s->registry_client);
  const struct rl_schema_text *found;
  uint32_t id;
  if (!rl_avro_confluent_id(value, &id)) return NULL;
  if (source->get(source, id, &found, NULL) != 0 || found->kind != RL_SCHEMA_AVRO) return NULL;
  *n = found->n;
  return found->texts;
}

/* The schema that the message was written with, where one can say; NULL: none. `text` is room for one. */
static const struct rl_bytes *schema_of(const struct schema *c, const struct rl_sample *sample,
                                        struct rl_bytes *text, size_t *n) {
  const struct rl_settings *s = c->settings;
  *n = 1;
  *text = strcmp(s->framing, "key") == 0 ? sample->key : rl_bytes(NULL, 0);
  if (s->schema_text.len)
    *text = rl_buf_bytes(&s->schema_text);
  else if (rl_avro_is_container(sample->value) && rl_avro_container_schema(sample->value, text, NULL) != 0)
    *text = rl_bytes(NULL, 0);
  else if (!text->data && s->registry_client)
    return registry_schema(s, sample->value, n);
  return text->data ? text : NULL;
}

static int lay_schema(struct schema *c, const struct rl_sample *sample, struct rl_err *err) {
  struct rl_bytes one;
  size_t n;
  const struct rl_bytes *texts =
      strcmp(c->settings->decode, "avro") == 0 ? schema_of(c, sample, &one, &n) : NULL;
  if (!texts || rl_bytes_eq(texts[n - 1], rl_buf_bytes(&c->last))) return 0;
  rl_buf_clear(&c->last);
  rl_buf_put(&c->last, texts[n - 1].data, texts[n - 1].len);
  return rl_outline_avro(&c->outline, texts, n, err);
}

static bool no_header(const struct rl_msg *msg, size_t i, struct rl_header *out) {
  (void)msg, (void)i, (void)out;
  return false;
}

/* A schema that is not there yet is waited for, as long as the registry's first answer may take. */
static int count_records(struct schema *c, struct rl_decoder *d, const struct rl_msg *msg, size_t *n,
                         struct rl_err *err) {
  int64_t until = rl_now() + (int64_t)(c->settings->connect * (double)RL_NS_PER_S);
  for (;;) {
    int rc = rl_decoder_rows(d, msg, NULL, n, err);
    if (rc != RL_ETRANSIENT || rl_now() >= until) return rc;
    struct pollfd bell = {.fd = c->bell.rd, .events = POLLIN};
    poll(&bell, 1, WAIT_MS);
    rl_wake_clear(&c->bell);
  }
}

/* A file of CSV is one message of many records: those that are wanted are enough. */
static int add_sample(struct schema *c, struct rl_decoder *d, const struct rl_sample *sample,
                      struct rl_tape *tape, struct rl_err *err) {
  static const struct rl_msg_ops ops = {no_header, NULL};
  struct rl_msg msg = {.topic = c->source, .key = sample->key, .value = sample->value, .ops = &ops};
  size_t n = 1;
  if (count_records(c, d, &msg, &n, err) || lay_schema(c, sample, err)) return err->code;
  if (n > 1) c->many = true;
  if (n > c->samples.wanted) n = c->samples.wanted;
  for (size_t i = 0; i < n; i++) {
    if (rl_decoder_tape(d, &msg, i, tape, err)) return err->code;
    rl_outline_add(&c->outline, tape);
  }
  rl_decoder_tape_end(d);
  return 0;
}

/* A registry that is down is no message's fault, and is waited for once. */
static int add_all(struct schema *c, struct rl_decoder *d, struct rl_err *err) {
  struct rl_tape tape = RL_TAPE_INIT;
  int rc = 0;
  for (size_t i = 0; i < c->samples.n && rc != RL_ETRANSIENT; i++) {
    struct rl_err why = {0};
    rc = add_sample(c, d, &c->samples.at[i], &tape, &why);
    if (rc && c->bad++ == 0) c->first = why;
    if (rc == RL_ETRANSIENT) rl_fail(err, RL_EBROKER, "%s", why.text);
  }
  rl_tape_free(&tape);
  return rc == RL_ETRANSIENT ? RL_EBROKER : 0;
}

/* The bell rings when the registry has news. */
static int add_with_registry(struct schema *c, struct rl_decoder *d, struct rl_err *err) {
  struct rl_registry *registry = c->settings->registry_client;
  if (!registry) return add_all(c, d, err);
  if (rl_wake_open(&c->bell) != 0) return rl_fail(err, RL_EFAIL, "no eventfd: %s", strerror(errno));
  rl_registry_listen(registry, &c->bell);
  int rc = add_all(c, d, err);
  rl_registry_unlisten(registry, &c->bell);
  rl_wake_close(&c->bell);
  return rc;
}

static int decode_all(struct schema *c, struct rl_err *err) {
  struct rl_decoder *d;
  if (rl_settings_decoder(c->settings, NULL, &d, err)) return err->code;
  int rc = add_with_registry(c, d, err);
  rl_decoder_free(d);
  if (rc) return rc;
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
  struct rl_schema_view view = {&c->outline, c->settings, c->source, c->is_file, c->samples.whole, c->many};
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
  if (schema ? rl_outline_avro(&c->outline, &c->samples.at[0].value, 1, err) : guess_and_decode(c, err))
    return err->code;
  return print(c, err);
}

/* The one thing that is named: an argument, -t or --input. */
static int find_source(struct schema *c, struct rl_err *err) {
  struct rl_cli *cli = c->cli;
  size_t named = cli->args.n + cli->settings.topics.n + (cli->settings.input ? 1 : 0);
  if (named == 0) return rl_cli_misuse(cli, err, "`rille schema` needs a file or a topic");
  if (named > 1) return rl_cli_misuse(cli, err, "`rille schema` looks at one file or topic at a time");
  if (cli->script && cli->json) return rl_cli_misuse(cli, err, "--script and --json do not go together");
  c->is_file = cli->settings.input || (cli->args.n && looks_like_file(cli->args.at[0]));
  if (c->is_file && !cli->settings.input && could_be_topic(cli->args.at[0]))
    rl_log(RL_INFO, "reading the file %s (-t %s: the topic)", cli->args.at[0], cli->args.at[0]);
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
