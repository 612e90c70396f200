/* What `rille send` makes of its options and of a line. */
#include <string.h>

#include "base/mem.h"
#include "cli/send.h"
#include "stream/ndjson.h"
#include "stream/start.h"

static int read_partition(struct rl_sender *s, struct rl_err *err) {
  const struct rl_list *list = &s->cli->settings.partitions;
  struct rl_range range = {.first = -1};
  s->partition = -1;
  if (!list->n) return 0;
  if (list->n > 1 || !rl_range_parse(list->at[0], &range) || range.topic || range.first != range.last)
    return rl_cli_misuse(s->cli, err, "-p: `rille send` takes the number of one partition, not \"%s\"",
                         list->at[list->n - 1]);
  s->partition = range.first;
  return 0;
}

/* "name=value"; a name alone has the null value, as in kcat. */
static int read_headers(struct rl_sender *s, struct rl_err *err) {
  const struct rl_list *list = &s->cli->headers;
  s->headers = rl_zalloc((list->n + 1) * sizeof *s->headers);
  for (size_t i = 0; i < list->n; i++) {
    rl_list_push(&s->header_texts, list->at[i]);
    char *name = s->header_texts.at[i], *equals = strchr(name, '=');
    if (equals) *equals = 0;
    if (!*name) return rl_cli_misuse(s->cli, err, "-H: \"%s\" is no NAME=VALUE", list->at[i]);
    s->headers[i] = (struct rl_header){name, rl_bytes_str(equals ? equals + 1 : NULL)};
  }
  return 0;
}

static int read_delimiters(struct rl_sender *s, struct rl_err *err) {
  const struct rl_cli *cli = s->cli;
  if (rl_unescape(&s->delim, cli->delim ? cli->delim : "\\n", err)) return rl_err_prefix(err, "-D: ");
  if (cli->key_delim && rl_unescape(&s->key_delim, cli->key_delim, err)) return rl_err_prefix(err, "-K: ");
  bool whole = s->cli->settings.input_format && strcmp(s->cli->settings.input_format, "whole") == 0;
  if (whole) { /* a file a message */
    if (cli->delim || cli->key_delim)
      return rl_cli_misuse(s->cli, err, "%s does not go with --input-format whole: a file is one value",
                           cli->delim ? "-D" : "-K");
    rl_buf_clear(&s->delim);
    return 0;
  }
  if (!s->delim.len || (cli->key_delim && !s->key_delim.len))
    return rl_cli_misuse(s->cli, err, "%s: a delimiter cannot be empty", s->delim.len ? "-K" : "-D");
  return 0;
}

static int read_form(struct rl_sender *s, struct rl_err *err) {
  struct rl_cli *cli = s->cli;
  const struct rl_settings *set = &cli->settings;
  if (!set->topics.n) return rl_cli_misuse(cli, err, "`rille send` needs a topic: -t TOPIC");
  if (set->topics.n > 1)
    return rl_cli_misuse(cli, err, "`rille send` sends to one topic, not to %s too", set->topics.at[1]);
  s->ndjson = rl_settings_is_set(set, "input_format") && strcmp(set->input_format, "ndjson") == 0;
  if (s->ndjson && cli->key_delim)
    return rl_cli_misuse(cli, err, "-K does not go with --input-format ndjson: those lines bring their keys");
  return 0;
}

int rl_sender_init(struct rl_sender *s, struct rl_cli *cli, struct rl_err *err) {
  memset(s, 0, sizeof *s);
  s->cli = cli;
  s->json = rl_json_new();
  rl_arena_init(&s->arena);
  if (read_form(s, err) || read_partition(s, err) || read_headers(s, err) || read_delimiters(s, err)) {
    rl_sender_free(s);
    return err->code;
  }
  return 0;
}

void rl_sender_free(struct rl_sender *s) {
  rl_buf_free(&s->delim);
  rl_buf_free(&s->key_delim);
  rl_free(s->headers);
  rl_list_free(&s->header_texts);
  rl_json_free(s->json);
  rl_tape_free(&s->tape);
  rl_arena_free(&s->arena);
  rl_room_free(&s->room);
}

/* Key and value of a plain line. Without the key delimiter in it the line is all value. */
static void split(const struct rl_sender *s, struct rl_bytes line, struct rl_record *out) {
  struct rl_bytes delim = rl_bytes(s->key_delim.data, s->key_delim.len);
  const char *at = delim.len ? rl_bytes_find(line, delim) : NULL;
  out->value = line;
  if (!at) return;
  out->key = rl_bytes(line.data, (size_t)(at - line.data));
  at += delim.len;
  out->value = rl_bytes(at, line.len - (size_t)(at - line.data));
}

/* The line's own headers, then -H's. */
static void join_headers(struct rl_sender *s, const struct rl_header *own, size_t n, struct rl_record *out) {
  size_t more = s->header_texts.n;
  struct rl_header *all = rl_arena_alloc(&s->arena, (n + more + 1) * sizeof *all);
  if (n) memcpy(all, own, n * sizeof *all);
  if (more) memcpy(all + n, s->headers, more * sizeof *all);
  out->headers = all;
  out->n_headers = n + more;
}

/* Topic, partition and offset say where it was, not where it goes. */
static int read_message(struct rl_sender *s, struct rl_bytes line, struct rl_record *out,
                        struct rl_err *err) {
  struct rl_msg msg = {0};
  struct rl_header *headers = NULL;
  size_t n = 0;
  if (rl_ndjson_want(line, s->json, &s->tape, &s->arena, &msg, &headers, &n, err)) return err->code;
  out->key = msg.key;
  out->value = msg.value;
  out->timestamp = msg.timestamp;
  join_headers(s, headers, n, out);
  return 0;
}

bool rl_sender_skips(const struct rl_sender *s, struct rl_bytes line) {
  if (!s->ndjson) return false;
  for (size_t i = 0; i < line.len; i++)
    if (!strchr(" \t\r\n", line.data[i]) || !line.data[i]) return false;
  return true;
}

int rl_sender_read(struct rl_sender *s, struct rl_bytes line, struct rl_record *out, struct rl_err *err) {
  *out = (struct rl_record){.topic = s->cli->settings.topics.at[0],
                            .partition = s->partition,
                            .headers = s->headers,
                            .n_headers = s->header_texts.n};
  if (s->ndjson) {
    if (read_message(s, line, out, err)) return err->code;
  } else {
    split(s, line, out);
  }
  if (!out->key.data && s->cli->key) out->key = rl_bytes_str(s->cli->key);
  if (!s->cli->null) return 0;
  if (!out->value.len) out->value = rl_bytes(NULL, 0);
  if (!out->key.len) out->key = rl_bytes(NULL, 0);
  return 0;
}
