/* Numbers: integers exact, doubles nearest, what fits neither kept as written (S9.3, D 10). */
#include <inttypes.h>
#include <locale.h>

#include "codec_support.h"
#include "comma_locale.h"

static const char *number(const char *text) {
  static char out[512];
  char document[512];
  snprintf(document, sizeof document, "{\"a\":%s}", text);
  snprintf(out, sizeof out, "%.500s", select_from("a", document));
  CHECK_STR(tape_of(text), out);
  return out;
}

TEST(d_10_integers_stay_exact) {
  CHECK_STR(number("228930314431312345"), "228930314431312345");
  CHECK_STR(number("2510000000000000003"), "2510000000000000003");
  CHECK_STR(number("1549661409000"), "1549661409000");
  CHECK_STR(number("0"), "0");
  CHECK_STR(number("-0"), "0");
  CHECK_STR(number("-1"), "-1");
  CHECK_STR(number("9223372036854775807"), "9223372036854775807");
  CHECK_STR(number("-9223372036854775808"), "-9223372036854775808");
}

TEST(d_10_10000_and_10000_0_stay_apart) {
  CHECK_STR(number("10000"), "10000");
  CHECK_STR(number("10000.0"), "10000.0");
  CHECK_STR(number("1e4"), "10000.0");
  CHECK_STR(number("-0.0"), "-0.0");
}

TEST(s9_3_numbers_outside_int64_and_double_keep_their_text) {
  CHECK_STR(number("18446744073709551615"), "big 18446744073709551615");
  CHECK_STR(number("9223372036854775808"), "big 9223372036854775808");
  CHECK_STR(number("-9223372036854775809"), "big -9223372036854775809");
  CHECK_STR(number("99999999999999999999999999"), "big 99999999999999999999999999");
  CHECK_STR(number("18446744073709551616"), "big 18446744073709551616"); /* 2^64: 0 if it wrapped */
  CHECK_STR(number("1e400"), "big 1e400");
  CHECK_STR(number("18446744073709551616e400"), "big 18446744073709551616e400");
  CHECK_STR(number("1.8446744073709551616e400"), "big 1.8446744073709551616e400");
  CHECK_STR(number("-1.5E+999999999999999999999"), "big -1.5E+999999999999999999999");
  CHECK_STR(number("1.7976931348623159e308"), "big 1.7976931348623159e308");
  CHECK_STR(number("1000000000000000000000000000000.5e290"), "big 1000000000000000000000000000000.5e290");
}

TEST(doubles_are_the_nearest) {
  CHECK_STR(number("0.1"), "0.1");
  CHECK_STR(number("18.12345678901235"), "18.12345678901235");
  CHECK_STR(number("1.7976931348623157e308"), "1.7976931348623157e+308");
  CHECK_STR(number("5e-324"), "5e-324");
  CHECK_STR(number("2.2250738585072011e-308"), "2.225073858507201e-308");
  CHECK_STR(number("9007199254740993.0"), "9007199254740992.0");
  CHECK_STR(number("0.000000000000000000000000000000000000001"), "1e-39");
}

TEST(digits_beyond_the_nineteenth_count) {
  CHECK_STR(number("0.00000000000000000000000000000000000000012345678901234567890123"),
            "1.2345678901234568e-40");
  CHECK_STR(number("18446744073709551616.5"), "1.8446744073709552e+19");
  CHECK_STR(number("1844674407370955161600000000000000.0"), "1.8446744073709552e+33");
  CHECK_STR(number("9007199254740993.00000000000000000001"), "9007199254740994.0");
}

TEST(what_is_too_small_is_zero) {
  CHECK_STR(number("1e-400"), "0.0");
  CHECK_STR(number("-1e-400"), "-0.0");
  CHECK_STR(number("0e999999999999"), "0.0");
  CHECK_STR(number("0.0e-999999999999"), "0.0");
  CHECK_STR(number("1e-99999999999999999999999"), "0.0");
  char text[400] = "0.";
  memset(text + 2, '0', 390);
  text[392] = '1';
  CHECK_STR(number(text), "0.0");
}

static uint64_t next(uint64_t *seed) {
  *seed ^= *seed << 13;
  *seed ^= *seed >> 7;
  *seed ^= *seed << 17;
  return *seed;
}

/* The C library is the judge, in the C locale. */
static void compare_with_strtod(const char *text) {
  char document[128];
  snprintf(document, sizeof document, "{\"a\":%s}", text);
  static struct codec c;
  if (!c.decoder) codec_open(&c, "a");
  if (codec_row(&c, document) != 0) UNIT_FAIL("%s: %s", text, c.err.text);
  const struct rl_cell *cell = &c.columns->col[0][c.columns->rows - 1];
  double want = strtod(text, NULL);
  if (cell->tag != RL_DOUBLE || memcmp(&cell->d, &want, sizeof want) != 0)
    UNIT_FAIL("%s is %.17g, not %.17g (tag %u)", text, cell->d, want, cell->tag);
  rl_columns_reset(c.columns);
}

TEST(random_doubles_agree_with_the_c_library) {
  uint64_t seed = 88172645463325252;
  for (int i = 0; i < 20000; i++) {
    uint64_t bits = next(&seed);
    double d;
    memcpy(&d, &bits, sizeof d);
    char text[64];
    if (!isfinite(d)) continue;
    snprintf(text, sizeof text, "%.*e", (int)(bits % 20), d);
    if (isfinite(strtod(text, NULL))) compare_with_strtod(text);
    snprintf(text, sizeof text, "%" PRIu64 ".%" PRIu64, bits % 100000, next(&seed));
    compare_with_strtod(text);
    snprintf(text, sizeof text, "0.%" PRIu64 "e%d", next(&seed), (int)(bits % 60) - 30);
    compare_with_strtod(text);
  }
}

TEST(random_integers_agree_with_the_c_library) {
  uint64_t seed = 1181783497276652981;
  for (int i = 0; i < 20000; i++) {
    char text[64];
    snprintf(text, sizeof text, "%" PRId64, (int64_t)next(&seed) >> (i % 64));
    CHECK_STR(number(text), text);
  }
}

TEST(d_10_numbers_do_not_depend_on_the_locale) {
  CHECK(comma_locale());
  CHECK_STR(number("0.5"), "0.5");
  CHECK_STR(number("-12.25e-1"), "-1.225");
  CHECK_STR(number("0.30000000000000004"), "0.30000000000000004");
  CHECK_STR(number("1e300"), "1e+300");
  CHECK_STR(number("123456789012345678901234567890.5"), "1.2345678901234568e+29");
  CHECK_HAS(tape_of("0,5"), "error: ");
  CHECK_HAS(select_from("a", "{\"a\":0,5}"), "error: ");
  CHECK_STR(select_from("a:f64", "{\"a\":\"0,5\"}"),
            "error: field 'a' (a): expected f64, found the text \"0,5\"");
  plain_locale();
}
