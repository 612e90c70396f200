/* The format of messages from what they begin with. */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "cli/schema.h"
#include "codec/magic.h"

enum { LOOKED_AT = 4096 };

struct guess {
  const char *decode, *framing, *because;
  enum rl_magic magic; /* because of what they begin with */
};

static char first_of(struct rl_bytes text) {
  size_t i = 0;
  while (i < text.len && strchr(" \t\r\n", text.data[i])) i++;
  return i < text.len ? text.data[i] : '\0';
}

static bool is_json(struct rl_bytes text) {
  struct rl_json *json = rl_json_new();
  struct rl_tape tape = RL_TAPE_INIT;
  bool is = rl_json_tape(json, text, 0, &tape, NULL) == 0;
  rl_tape_free(&tape);
  rl_json_free(json);
  return is;
}

static bool is_text(struct rl_bytes value) {
  struct rl_bytes head = rl_bytes(value.data, value.len < LOOKED_AT ? value.len : LOOKED_AT);
  while (head.len > 0 && head.len < value.len && ((unsigned char)head.data[head.len - 1] & 0x80)) head.len--;
  return value.len > 0 && rl_utf8_valid(head) && !memchr(head.data, '\0', head.len);
}

/* Avro first, for it has marks; a key that is a schema is one even where the value looks like text. */
static struct guess guess_one(const struct rl_sample *sample) {
  struct rl_bytes value = sample->value;
  char first = first_of(value), key = sample->key.data ? first_of(sample->key) : '\0';
  bool schema = key == '{' && rl_bytes_find(sample->key, rl_bytes_str("\"type\""));
  enum rl_magic magic = rl_magic_of(value);
  if (magic == RL_MAGIC_CONTAINER) return (struct guess){.decode = "avro", .magic = magic};
  if (schema && first != '{') return (struct guess){"avro", "key", "their keys hold an Avro schema", 0};
  if (magic == RL_MAGIC_CONFLUENT) return (struct guess){"avro", "confluent", NULL, magic};
  if (magic == RL_MAGIC_SINGLE_OBJECT) return (struct guess){"avro", "single-object", NULL, magic};
  if (first == '{' || first == '[') return (struct guess){"json", NULL, "they begin with a bracket", 0};
  if (!is_text(value) || first == '<') return (struct guess){0};
  if (is_json(value)) return (struct guess){"json", NULL, "they are JSON", 0};
  bool tab = memchr(value.data, '\t', value.len < LOOKED_AT ? value.len : LOOKED_AT);
  return tab ? (struct guess){"tsv", NULL, "they are text with tabs", 0}
             : (struct guess){"csv", NULL, "they are text", 0};
}

static const char *begins(const struct guess *guess) { return guess->magic ? "they begin with " : ""; }

static const char *because(const struct guess *guess) {
  return guess->magic ? rl_magic_text(guess->magic) : guess->because;
}

static bool is_xml(const struct rl_sample *sample) { return first_of(sample->value) == '<'; }

static int refuse(const struct rl_samples *samples, struct rl_err *err) {
  struct rl_buf shown = RL_BUF_INIT;
  const struct rl_bytes value = samples->at[0].value;
  if (rl_magic_of(value) == RL_MAGIC_GZIP)
    return rl_fail(err, RL_EUSAGE, "the values begin with %s: unpack them first",
                   rl_magic_text(RL_MAGIC_GZIP));
  if (is_xml(&samples->at[0]))
    return rl_fail(err, RL_EUSAGE,
                   "the values begin with <, as XML does, which rille does not read (text that is none: "
                   "--decode csv)");
  struct rl_cell cell = {.tag = RL_BLOB, .len = (uint32_t)value.len, .s = value.data};
  rl_outline_put_sample(&shown, &cell);
  rl_fail(err, RL_EUSAGE,
          "cannot tell what the values are (the first: %s): say it with --decode, and --schema where they "
          "are bare Avro",
          rl_buf_text(&shown));
  rl_buf_free(&shown);
  return RL_EUSAGE;
}

static void set_text(char **at, const char *text) {
  rl_free(*at);
  *at = rl_strdup(text);
}

/* ---- CSV: names ---- */

static bool is_csv(const struct rl_settings *s) {
  return strcmp(s->decode, "csv") == 0 || strcmp(s->decode, "tsv") == 0;
}

static bool no_header(const struct rl_msg *msg, size_t i, struct rl_header *out) {
  (void)msg, (void)i, (void)out;
  return false;
}

/* The first record, without names. */
static int first_record(struct rl_settings *s, const struct rl_sample *sample, struct rl_tape *tape,
                        struct rl_err *err) {
  static const struct rl_msg_ops ops = {no_header, NULL};
  struct rl_msg msg = {.topic = "", .value = sample->value, .ops = &ops};
  struct rl_decoder *d;
  int rc = rl_settings_decoder(s, NULL, &d, err);
  if (rc) return rc;
  rc = rl_decoder_tape(d, &msg, 0, tape, err);
  rl_decoder_free(d);
  return rc;
}

static bool all_texts(const struct rl_tape *tape) {
  for (size_t i = 1; i < tape->n; i++)
    if (tape->at[i].tag != RL_TEXT || tape->at[i].len == 0) return false;
  return tape->n > 1;
}

/* Names where there are none: c1, c2, … */
static void name_columns(struct rl_settings *s, size_t n) {
  char name[32];
  for (size_t i = 1; i <= n; i++) {
    snprintf(name, sizeof name, "c%zu", i);
    rl_list_push(&s->csv_columns, name);
  }
}

static int guess_names(struct rl_settings *s, const struct rl_samples *samples, bool is_file,
                       struct rl_buf *said, struct rl_err *err) {
  struct rl_tape tape = RL_TAPE_INIT;
  if (s->csv_columns.n || s->csv_header) return 0;
  int rc = first_record(s, &samples->at[0], &tape, err);
  if (!rc && is_file && all_texts(&tape)) {
    s->csv_header = true;
    rl_buf_printf(said, "%sthe first line of texts names the columns", said->len ? "; " : "guessed: ");
  } else if (!rc) {
    name_columns(s, tape.n - 1);
    rl_buf_printf(said, "%sno names are known (--csv-columns, --csv-header), so columns are c1 to c%zu",
                  said->len ? "; " : "", tape.n - 1);
  }
  rl_tape_free(&tape);
  return rc;
}

/* ---- all ---- */

static int guess_format(struct rl_settings *s, const struct rl_samples *samples, struct rl_buf *said,
                        struct rl_err *err) {
  struct guess guess = guess_one(&samples->at[0]);
  if (!guess.decode) return refuse(samples, err);
  bool unread =
      guess.framing && strcmp(guess.framing, "key") != 0 && !s->schema_text.len && !s->registry_client;
  if (unread)
    return rl_fail(
        err, RL_EUSAGE,
        "the values are Avro (%s%s), and their schema is not in them: name its file with --schema, or "
        "a registry with --registry",
        begins(&guess), because(&guess));
  set_text(&s->decode, guess.decode);
  if (guess.framing) set_text(&s->framing, guess.framing);
  rl_buf_printf(said, "guessed: decode = \"%s\"", guess.decode);
  if (guess.framing) rl_buf_printf(said, ", framing = \"%s\"", guess.framing);
  rl_buf_printf(said, " (%s%s)", begins(&guess), because(&guess));
  return 0;
}

/* Of Avro values that have a schema file, the mark tells the framing as the decoder does; but not
 * Confluent's. */
static void guess_framing(struct rl_settings *s, const struct rl_samples *samples, struct rl_buf *said) {
  struct guess guess = guess_one(&samples->at[0]);
  bool open = strcmp(s->decode, "avro") == 0 && !rl_settings_is_set(s, "framing") && s->schema_text.len &&
              !s->registry_client;
  if (!open || !guess.framing || strcmp(guess.framing, "confluent") != 0) return;
  set_text(&s->framing, "confluent");
  rl_buf_printf(said, "guessed: framing = \"confluent\" (%s%s)", begins(&guess), because(&guess));
}

int rl_schema_guess(struct rl_settings *s, const struct rl_samples *samples, bool is_file,
                    struct rl_buf *said, struct rl_err *err) {
  if (!rl_settings_is_set(s, "decode")) {
    if (guess_format(s, samples, said, err)) return err->code;
  } else {
    guess_framing(s, samples, said);
  }
  return is_csv(s) ? guess_names(s, samples, is_file, said, err) : 0;
}
