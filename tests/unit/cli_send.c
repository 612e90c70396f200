#include <fcntl.h>
#include <unistd.h>

#include "cli/lines.h"
#include "cli/room.h"
#include "cli/send.h"
#include "kafka/broker.h"
#include "unit.h"

/* A file that holds `text`, gone when closed; its path. */
static const char *file_with(const char *text, size_t len) {
  static char path[64];
  snprintf(path, sizeof path, "/tmp/rille-unit-XXXXXX");
  int fd = mkstemp(path);
  if (fd < 0 || write(fd, text, len) != (ssize_t)len) abort();
  close(fd);
  return path;
}

/* The pieces of a text, joined by '|'. */
static void pieces(const char *text, const char *delim, char *out, size_t room) {
  struct rl_lines l;
  struct rl_bytes piece;
  const char *path = file_with(text, strlen(text));
  *out = 0;
  CHECK_INT(rl_lines_open(&l, path, rl_bytes_str(delim), NULL), 0);
  while (rl_lines_next(&l, &piece, NULL) == 1) {
    size_t len = strlen(out);
    snprintf(out + len, room - len, "%.*s|", (int)piece.len, piece.data);
  }
  rl_lines_close(&l);
  unlink(path);
}

#define CHECK_PIECES(text, delim, want)         \
  do {                                          \
    char unit_p[256];                           \
    pieces(text, delim, unit_p, sizeof unit_p); \
    CHECK_STR(unit_p, want);                    \
  } while (0)

TEST(lines_end_at_their_delimiter_or_at_the_end) {
  CHECK_PIECES("a\nb\n", "\n", "a|b|");
  CHECK_PIECES("a\nb", "\n", "a|b|");
  CHECK_PIECES("", "\n", "");
  CHECK_PIECES("\n\n", "\n", "||");
  CHECK_PIECES("a;;b;c;;", ";;", "a|b;c|");
  CHECK_PIECES("a;;;b", ";;", "a|;b|");
  CHECK_PIECES("a\n;\n", "", "a\n;\n|"); /* whole */
  CHECK_PIECES("", "", "");
}

/* What the first piece of a file is, or why there is none. */
static const char *first_of_text(const char *text, size_t len, bool checked) {
  static char told[1100];
  struct rl_lines l;
  struct rl_bytes piece;
  struct rl_err err = {0};
  const char *path = file_with(text, len);
  CHECK_INT(rl_lines_open(&l, path, rl_bytes_str("\n"), NULL), 0);
  l.text = checked;
  int rc = rl_lines_next(&l, &piece, &err);
  if (rc == 1)
    snprintf(told, sizeof told, "%.*s", (int)piece.len, piece.data);
  else
    snprintf(told, sizeof told, "%d: %s", rc, err.text);
  rl_lines_close(&l);
  unlink(path);
  return told;
}

TEST(a_binary_file_is_not_cut_into_lines) {
  const char *told = first_of_text("Obj\1x\ny", 7, true);
  CHECK_HAS(told, "-2: ");
  CHECK_HAS(told, "begins with Obj 01, as Avro's containers do, and is not lines: --input-format whole");
  CHECK_HAS(first_of_text("a\nb\0c\n", 6, true), "holds a NUL, and is not lines");
  CHECK_STR(first_of_text("a\nb\0c\n", 6, false), "a");
  CHECK_STR(first_of_text("Object\nb", 8, true), "Object");
}

TEST(a_long_line_spans_many_reads) {
  size_t len = 300000;
  char *text = malloc(2 * len + 2);
  struct rl_lines l;
  struct rl_bytes piece;
  memset(text, 'x', 2 * len + 2);
  text[len] = '\n';
  const char *path = file_with(text, 2 * len + 1);
  CHECK_INT(rl_lines_open(&l, path, rl_bytes_str("\n"), NULL), 0);
  CHECK_INT(rl_lines_next(&l, &piece, NULL), 1);
  CHECK_INT(piece.len, len);
  CHECK_INT(rl_lines_next(&l, &piece, NULL), 1);
  CHECK_INT(piece.len, len);
  CHECK_INT(l.line, 2);
  CHECK_INT(rl_lines_next(&l, &piece, NULL), 0);
  rl_lines_close(&l);
  unlink(path);
  free(text);
}

TEST(a_file_that_is_not_there_is_named) {
  struct rl_lines l;
  struct rl_err err = {0};
  CHECK_INT(rl_lines_open(&l, "/nowhere/at-all", rl_bytes_str("\n"), &err), RL_EUSAGE);
  CHECK_HAS(err.text, "cannot read /nowhere/at-all");
  CHECK_INT(rl_lines_open(&l, "/tmp", rl_bytes_str("\n"), &err), RL_EUSAGE);
  CHECK_HAS(err.text, "/tmp is a folder");
}

TEST(murmur2_is_kafkas) {
  CHECK_INT((int32_t)rl_murmur2(rl_bytes_str("21")), -973932308);
  CHECK_INT((int32_t)rl_murmur2(rl_bytes_str("foobar")), -790332482);
  CHECK_INT((int32_t)rl_murmur2(rl_bytes_str("a-little-bit-long-string")), -985981536);
  CHECK_INT((int32_t)rl_murmur2(rl_bytes_str("a-little-bit-longer-string")), -1486304829);
  CHECK_INT((int32_t)rl_murmur2(rl_bytes_str("lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8")), -58897971);
  CHECK_INT((int32_t)rl_murmur2(rl_bytes_str("abc")), 479470107);
}

TEST(s12_a_full_partition_takes_nothing_more) {
  int64_t used[2] = {0, RL_BROKER_PARTITION_BYTES - 100};
  struct rl_room room = {used, 2};
  struct rl_err err = {0};
  int32_t partition = 1;
  CHECK_INT(rl_room_take(&room, rl_bytes(NULL, 0), 101, &partition, &err), RL_EFULL);
  CHECK_HAS(err.text, "5 MB");
  CHECK_INT(used[1], RL_BROKER_PARTITION_BYTES - 100);
  CHECK_INT(rl_room_take(&room, rl_bytes(NULL, 0), 100, &partition, &err), 0);
  CHECK_INT(used[1], RL_BROKER_PARTITION_BYTES);
  partition = -1;
  CHECK_INT(rl_room_take(&room, rl_bytes(NULL, 0), 50, &partition, &err), 0);
  CHECK_INT(partition, 0);
  CHECK_INT(used[0], 50);
}

TEST(s12_a_key_goes_to_its_partition_there_too) {
  int64_t used[4] = {0};
  struct rl_room room = {used, 4};
  int32_t partition = -1;
  CHECK_INT(rl_room_take(&room, rl_bytes_str("abc"), 10, &partition, NULL), 0);
  CHECK_INT(partition, 479470107 % 4);
}

TEST(s12_a_real_broker_has_no_such_bound) {
  struct rl_room room = {NULL, 0};
  int32_t partition = -1;
  CHECK_INT(rl_room_take(&room, rl_bytes(NULL, 0), INT64_C(1) << 40, &partition, NULL), 0);
  CHECK_INT(partition, -1);
}

static struct rl_options options;

/* A sender for a command line of which the words stand in argv. */
static int sender(struct rl_sender *s, struct rl_cli *cli, int argc, const char **argv, struct rl_err *err) {
  if (!options.n) rl_options_make(&options);
  rl_cli_init(cli, &options, RL_CMD_SEND);
  int rc = rl_cli_parse(cli, argc, (char *const *)argv, err);
  return rc ? rc : rl_sender_init(s, cli, err);
}

#define SENDER(...)                               \
  const char *argv[] = {"-t", "to", __VA_ARGS__}; \
  struct rl_sender s;                             \
  struct rl_cli cli;                              \
  struct rl_err err = {0};                        \
  struct rl_record r;                             \
  CHECK_INT(sender(&s, &cli, (int)(sizeof argv / sizeof *argv), argv, &err), 0)
#define SENDER_DONE   \
  rl_sender_free(&s); \
  rl_cli_free(&cli);  \
  rl_options_free(&options)

static bool is(struct rl_bytes b, const char *text) { return rl_bytes_eq(b, rl_bytes_str(text)); }

TEST(a_plain_line_is_the_value) {
  SENDER("-p", "2");
  CHECK_INT(rl_sender_read(&s, rl_bytes_str("a:b"), &r, &err), 0);
  CHECK(is(r.value, "a:b") && !r.key.data);
  CHECK_INT(r.partition, 2);
  CHECK_STR(r.topic, "to");
  CHECK_INT(rl_sender_read(&s, rl_bytes("", 0), &r, &err), 0);
  CHECK(is(r.value, ""));
  SENDER_DONE;
}

TEST(a_key_stands_before_its_delimiter) {
  SENDER("-K", ":", "-k", "fixed", "-H", "a=1=2", "-H", "b", "-H", "c=");
  CHECK_INT(rl_sender_read(&s, rl_bytes_str("k:v:w"), &r, &err), 0);
  CHECK(is(r.key, "k") && is(r.value, "v:w"));
  CHECK_INT(r.n_headers, 3);
  CHECK_STR(r.headers[0].name, "a");
  CHECK(is(r.headers[0].value, "1=2") && !r.headers[1].value.data && is(r.headers[2].value, ""));
  CHECK_INT(rl_sender_read(&s, rl_bytes_str("none"), &r, &err), 0);
  CHECK(is(r.key, "fixed") && is(r.value, "none"));
  SENDER_DONE;
}

TEST(d_9_null_empty_and_absent_are_apart) {
  SENDER("-K", ":");
  CHECK_INT(rl_sender_read(&s, rl_bytes_str(":"), &r, &err), 0);
  CHECK(is(r.key, "") && is(r.value, ""));
  cli.null = true;
  CHECK_INT(rl_sender_read(&s, rl_bytes_str(":"), &r, &err), 0);
  CHECK(!r.key.data && !r.value.data);
  CHECK_INT(rl_sender_read(&s, rl_bytes_str("k:"), &r, &err), 0);
  CHECK(is(r.key, "k") && !r.value.data);
  SENDER_DONE;
}

TEST(s5_5_lines_that_tap_wrote_are_read_back) {
  SENDER("--input-format", "ndjson", "-H", "more=1");
  CHECK_INT(
      rl_sender_read(&s,
                     rl_bytes_str("{\"topic\":\"x\",\"partition\":3,\"offset\":9,\"timestamp\":1500,\"key\":"
                                  "\"k\",\"headers\":[{\"name\":\"h\",\"value\":\"v\"}],\"value_base64\":"
                                  "\"/wA=\"}"),
                     &r, &err),
      0);
  CHECK(is(r.key, "k") && rl_bytes_eq(r.value, rl_bytes("\xff\0", 2)));
  CHECK_STR(r.topic, "to");
  CHECK_INT(r.partition, -1);
  CHECK_INT(r.timestamp, 1500);
  CHECK_INT(r.n_headers, 2);
  CHECK_STR(r.headers[0].name, "h");
  CHECK_STR(r.headers[1].name, "more");
  SENDER_DONE;
}

static bool reads(struct rl_sender *s, const char *line, struct rl_record *r) {
  struct rl_err err = {0};
  return rl_sender_read(s, rl_bytes_str(line), r, &err) == 0;
}

TEST(a_record_needs_no_more_than_a_value) {
  SENDER("--input-format", "ndjson");
  CHECK(reads(&s, "{\"value\":\"text\"}", &r) && is(r.value, "text") && !r.key.data);
  CHECK(r.timestamp < 0 && r.n_headers == 0);
  CHECK(reads(&s, "{\"value\":{\"a\":[1,null]}}\r", &r) && is(r.value, "{\"a\":[1,null]}"));
  CHECK(reads(&s, "{\"key\":\"k\",\"value\":null}", &r) && is(r.key, "k") && !r.value.data);
  CHECK(reads(&s, "{\"value\":5,\"key\":null,\"headers\":[],\"timestamp\":7,\"more\":1}", &r) &&
        is(r.value, "5"));
  CHECK_INT(r.timestamp, 7);
  CHECK(reads(&s, "{\"value\":1,\"headers\":{}}", &r) && r.n_headers == 0);
  CHECK(reads(&s, "{\"topic\":\"x\",\"value_base64\":\"aGk=\"}", &r) && is(r.value, "hi"));
  CHECK_STR(r.topic, "to");
  SENDER_DONE;
  (void)err;
}

TEST(a_line_that_is_no_record_is_refused_with_what_is_wanted) {
  static const char *const cases[][2] = {
      {"plain", "not JSON"},
      {"{\"value\":", "not JSON"},
      {"[1]", "no object"},
      {"5", "no object"},
      {"{\"a\":1}", "neither value nor value_base64"},
      {"{\"value\":1,\"key\":5}", "key is neither a string nor null"},
      {"{\"value\":1,\"topic\":5}", "topic is neither a string nor null"},
      {"{\"value\":1,\"partition\":\"0\"}", "partition is neither a whole number nor null"},
      {"{\"value\":1,\"offset\":0.5}", "offset is neither"},
      {"{\"value\":1,\"timestamp\":\"now\"}", "timestamp is neither"},
      {"{\"value\":1,\"headers\":{\"a\":\"b\"}}", "headers is neither a list nor null"},
      {"{\"value\":1,\"headers\":[{\"value\":\"b\"}]}", "header 1 has no name"},
      {"{\"value\":1,\"headers\":[{\"name\":\"a\",\"value\":5}]}", "header 1: value is neither"},
      {"{\"value_base64\":\"*\"}", "base64"},
  };
  SENDER("--input-format", "ndjson");
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    CHECK_INT(rl_sender_read(&s, rl_bytes_str(cases[i][0]), &r, &err), RL_EHANDLER);
    CHECK_HAS(err.text, cases[i][1]);
    CHECK_HAS(err.text, "expected a record such as {\"key\":\"k\",\"value\":\"v\"}");
  }
  SENDER_DONE;
}

#define CHECK_FORM(part, ...)                                                              \
  do {                                                                                     \
    const char *argv[] = {__VA_ARGS__};                                                    \
    struct rl_sender s;                                                                    \
    struct rl_cli cli;                                                                     \
    struct rl_err err = {0};                                                               \
    CHECK_INT(sender(&s, &cli, (int)(sizeof argv / sizeof *argv), argv, &err), RL_EUSAGE); \
    CHECK_HAS(err.text, part);                                                             \
    rl_cli_free(&cli);                                                                     \
    rl_options_free(&options);                                                             \
  } while (0)

TEST(a_wrong_form_is_refused) {
  CHECK_FORM("needs a topic", "-Z");
  CHECK_FORM("one topic", "-t", "a,b");
  CHECK_FORM("-p", "-t", "a", "-p", "0-3");
  CHECK_FORM("-H", "-t", "a", "-H", "=v");
  CHECK_FORM("empty", "-t", "a", "-K", "");
  CHECK_FORM("-D", "-t", "a", "-D", "\\q");
  CHECK_FORM("ndjson", "-t", "a", "-K", ":", "--input-format", "ndjson");
  CHECK_FORM("-D does not go with --input-format whole", "-t", "a", "-D", ";", "--input-format", "whole");
  CHECK_FORM("-K does not go with --input-format whole", "-t", "a", "-K", ";", "--input-format", "whole");
}
