/* rille.number: numbers that fit neither a 64-bit integer nor a double. */
#include "lua/number.h"

#include "base/buf.h"
#include "lua/number_order.h"
#include "lua_snippet.h"

static struct rl_cell big(const char *text) {
  return (struct rl_cell){.tag = RL_BIG, .len = (uint32_t)strlen(text), .s = text};
}
static struct rl_cell whole(int64_t i) { return (struct rl_cell){.tag = RL_INT, .i = i}; }
static struct rl_cell real(double d) { return (struct rl_cell){.tag = RL_DOUBLE, .d = d}; }

static void check_order(struct rl_cell a, struct rl_cell b, int want) {
  CHECK_INT(rl_number_order(&a, &b), want);
  CHECK_INT(rl_number_order(&b, &a), want == RL_UNORDERED ? want : -want);
}

TEST(integers_and_doubles_compare_exactly) {
  check_order(whole(INT64_MAX), real(0x1p63), -1);
  check_order(whole(INT64_MIN), real(-0x1p63), 0);
  check_order(whole(9007199254740993), real(9007199254740992.0), 1);
  check_order(whole(3), real(3.5), -1);
  check_order(whole(-3), real(-3.5), 1);
  check_order(whole(0), real(-0.0), 0);
  check_order(whole(0), real(5e-324), -1);
  check_order(whole(5), real(INFINITY), -1);
  check_order(whole(5), real(-INFINITY), 1);
  check_order(whole(5), real(NAN), RL_UNORDERED);
}

TEST(wide_numbers_compare_by_their_digits) {
  check_order(big("18446744073709551615"), big("18446744073709551616"), -1);
  check_order(big("18446744073709551616"), real(0x1p64), 0);
  check_order(big("18446744073709551617"), real(0x1p64), 1);
  check_order(big("9223372036854775808"), whole(INT64_MAX), 1);
  check_order(big("-9223372036854775809"), whole(INT64_MIN), -1);
  check_order(big("1e400"), big("10e399"), 0);
  check_order(big("1e400"), big("1.0000000000000000000000000001e400"), -1);
  check_order(big("0.001e403"), big("1e400"), 0);
  check_order(big("1e400"), real(1.7976931348623157e308), 1);
  check_order(big("1e400"), real(INFINITY), -1);
  check_order(big("-1e400"), real(-INFINITY), 1);
  check_order(big("-1e400"), big("1e400"), -1);
  check_order(big("1e400"), real(NAN), RL_UNORDERED);
  check_order(big("1e99999999999999999999"), big("1e400"), 1);
  check_order(big("1E+400"), big("1e0400"), 0);
}

/* Doubles against their own exact expansion, and one more in the last place. */
TEST(doubles_equal_their_exact_decimals_only) {
  static const double values[] = {0.1, 1e22, 1e23, 5e-324, 1.7976931348623157e308, 2.2250738585072014e-308};
  for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
    char text[1100];
    snprintf(text, sizeof text, "%.780e", values[i]);
    check_order(big(text), real(values[i]), 0);
    *strchr(text, 'e') = '\0';
    struct rl_buf more = RL_BUF_INIT;
    char exact[1100];
    snprintf(exact, sizeof exact, "%.780e", values[i]);
    rl_buf_printf(&more, "%s1%s", text, strchr(exact, 'e'));
    check_order(big(more.data), real(values[i]), 1);
    rl_buf_free(&more);
  }
}

#define BIG(text) "rille.json.decode('" text "')"

TEST(a_wide_number_prints_and_concatenates_as_written) {
  CHECK_LUA("return tostring(" BIG("18446744073709551615") ")", "18446744073709551615");
  CHECK_LUA("return 'id=' .. " BIG("1e400") " .. '!'", "id=1e400!");
  CHECK_LUA("return 1 .. " BIG("1e400"), "11e400");
  CHECK_LUA("return " BIG("1e400") " .. " BIG("2e400"), "1e4002e400");
  CHECK_LUA_HAS("return " BIG("1e400") " .. {}", "attempt to concatenate a table value");
}

TEST(a_wide_number_compares) {
  CHECK_LUA("return " BIG("18446744073709551615") " == " BIG("18446744073709551615"), "true");
  CHECK_LUA("return " BIG("18446744073709551615") " == " BIG("18446744073709551614"), "false");
  CHECK_LUA("return " BIG("18446744073709551615") " > math.maxinteger", "true");
  CHECK_LUA("return 1e308 < " BIG("1e400") " and " BIG("1e400") " <= math.huge", "true");
  CHECK_LUA("return " BIG("1e400") " == 'x'", "false");
  CHECK_LUA("return " BIG("1e400") " < 0/0 or " BIG("1e400") " >= 0/0", "false");
  CHECK_LUA_HAS("return " BIG("1e400") " < 'x'", "attempt to compare");
}

TEST(arithmetic_says_what_to_do) {
  CHECK_LUA_HAS("return " BIG("1e400") " + 1", "arithmetic on 1e400");
  CHECK_LUA_HAS("return 1 // " BIG("1e400"), "n:tonumber() gives the nearest double");
  CHECK_LUA_HAS("return -" BIG("1e400"), "arithmetic on 1e400");
  CHECK_LUA("return " BIG("18446744073709551615") ":tonumber()", "1.844674407371e+19");
  CHECK_LUA("return " BIG("-1e400") ":tonumber() == -math.huge", "true");
  CHECK_LUA("return " BIG("1e400") ":tostring()", "1e400");
  CHECK_LUA_HAS("return " BIG("1e400") ".tonumber(5)", "rille.number expected");
}
