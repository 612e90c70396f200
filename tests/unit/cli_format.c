#include "base/mem.h"
#include "cli/args.h"
#include "cli/format.h"
#include "unit.h"

static const struct rl_header headers[] = {{"a", {"1", 1}}, {"b", {NULL, 0}}, {"a", {"2", 1}}};

static bool header(const struct rl_msg *msg, size_t i, struct rl_header *out) {
  (void)msg;
  if (i >= 3) return false;
  *out = headers[i];
  return true;
}
static const struct rl_msg_ops ops = {header, NULL};

static struct rl_msg message(void) {
  return (struct rl_msg){.topic = "alerts",
                         .partition = 3,
                         .offset = 42,
                         .timestamp = 1500,
                         .key = rl_bytes_str("k"),
                         .value = rl_bytes_str("value"),
                         .ops = &ops};
}

/* What a format makes of a message; the caller frees it. */
static char *formatted(const char *text, struct rl_msg msg) {
  struct rl_format f;
  struct rl_err err = {0};
  struct rl_buf out = RL_BUF_INIT;
  if (rl_format_make(&f, text, &err)) return rl_strdup(err.text);
  rl_format_put(&f, &out, &msg);
  rl_buf_putc(&out, 0);
  rl_format_free(&f);
  return rl_buf_take(&out);
}

#define CHECK_FORMAT(format, msg, want)    \
  do {                                     \
    char *unit_f = formatted(format, msg); \
    CHECK_STR(unit_f, want);               \
    rl_free(unit_f);                       \
  } while (0)

TEST(each_directive_prints_its_part) {
  CHECK_FORMAT("%t [%p] %o %T: %k=%s", message(), "alerts [3] 42 1500: k=value");
  CHECK_FORMAT("%S %K", message(), "5 1");
  CHECK_FORMAT("%h", message(), "a=1,b=NULL,a=2");
}

TEST(escapes_and_percent_signs) {
  CHECK_FORMAT("%s\\t%%\\n", message(), "value\t%\n");
  CHECK_FORMAT("\\x41\\x4a\\\\", message(), "AJ\\");
  CHECK_FORMAT("\\x25s", message(), "%s");
  CHECK_FORMAT("", message(), "");
}

TEST(null_prints_nothing_and_has_length_minus_one) {
  struct rl_msg msg = message();
  msg.key = msg.value = rl_bytes(NULL, 0);
  CHECK_FORMAT("[%k][%s] %K %S", msg, "[][] -1 -1");
  msg.key = msg.value = rl_bytes("", 0);
  CHECK_FORMAT("[%k][%s] %K %S", msg, "[][] 0 0");
}

TEST(the_binary_length_is_four_bytes_big_endian) {
  struct rl_format f;
  struct rl_buf out = RL_BUF_INIT;
  struct rl_msg msg = message();
  CHECK_INT(rl_format_make(&f, "%R", NULL), 0);
  rl_format_put(&f, &out, &msg);
  CHECK_INT(out.len, 4);
  CHECK(out.len == 4 && memcmp(out.data, "\0\0\0\5", 4) == 0);
  msg.value = rl_bytes(NULL, 0);
  rl_buf_clear(&out);
  rl_format_put(&f, &out, &msg);
  CHECK(out.len == 4 && memcmp(out.data, "\xff\xff\xff\xff", 4) == 0);
  rl_buf_free(&out);
  rl_format_free(&f);
}

TEST(what_is_no_directive_or_escape_is_an_error_that_names_it) {
  struct rl_format f;
  struct rl_err err = {0};
  CHECK_INT(rl_format_make(&f, "%s %q", &err), RL_EUSAGE);
  CHECK_HAS(err.text, "%q is no directive");
  CHECK_INT(rl_format_make(&f, "100%", &err), RL_EUSAGE);
  CHECK_INT(rl_format_make(&f, "\\w", &err), RL_EUSAGE);
  CHECK_HAS(err.text, "\\w");
  CHECK_INT(rl_format_make(&f, "\\", &err), RL_EUSAGE);
  CHECK_INT(rl_format_make(&f, "\\x", &err), RL_EUSAGE);
}

TEST(delimiters_as_kcat_has_them) {
  struct rl_format f;
  struct rl_err err = {0};
  struct rl_buf out = RL_BUF_INIT;
  struct rl_msg msg = message();
  CHECK_INT(rl_format_delimited(&f, ":", "\\n", &err), 0);
  rl_format_put(&f, &out, &msg);
  CHECK_STR(out.data, "k:value\n");
  rl_buf_clear(&out);
  rl_format_free(&f);
  CHECK_INT(rl_format_delimited(&f, NULL, ";", &err), 0);
  rl_format_put(&f, &out, &msg);
  CHECK_STR(out.data, "value;");
  rl_format_free(&f);
  rl_buf_free(&out);
}
