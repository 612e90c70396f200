/* What expressions mean (S8.2, S8.3), over the cells and through the loop in Lua alike. */
#include "lua_where_rows.h"

static const char *const numbers[] = {
    "{\"x\":1,\"y\":1.0}",      "{\"x\":2.5,\"y\":-3}",  "{\"y\":4}",         "{\"x\":null,\"y\":5}",
    "{\"x\":\"@nan\",\"y\":6}", "{\"x\":-7,\"y\":null}", "{\"x\":0,\"y\":0}", NULL};

TEST(s8_2_a_comparison_with_a_missing_operand_is_unknown) {
  struct where_rows on;
  where_rows_fill(&on, "x,y", numbers);
  WHERE("x >= 1", "1 2");
  WHERE("x < 1", "6 7");
  WHERE("not (x >= 1)", "6 7");
  WHERE("not x < 1", "1 2");
  WHERE("x == 1", "1");
  WHERE("x ~= 1", "2 6 7");
  WHERE("not x ~= 1", "1");
  WHERE("not x == 1", "2 6 7");
  WHERE("x == y", "1 7");
  WHERE("x ~= y", "2");
  WHERE("x > y", "2");
  WHERE("x <= y", "1 7");
  WHERE("x > y or x <= y", "1 2 7");
  where_rows_free(&on);
}

TEST(s8_2_and_or_not_are_those_of_sql) {
  struct where_rows on;
  where_rows_fill(&on, "x,y", numbers);
  WHERE("x > 0 and y > 0", "1");
  WHERE("x > 0 or y > 0", "1 2 3 4 5");
  WHERE("not (x > 0 and y > 0)", "2 6 7");
  WHERE("not (x > 0 or y > 0)", "7");
  WHERE("not (not (x > 0))", "1 2");
  WHERE("x > 0 and not y > 0 or x == 0", "2 7");
  WHERE("not x > 0 and not y > 0", "7");
  where_rows_free(&on);
}

TEST(s8_2_nil_asks_for_presence) {
  struct where_rows on;
  where_rows_fill(&on, "x,y", numbers);
  WHERE("x == nil", "3 4 5");
  WHERE("x ~= nil", "1 2 6 7");
  WHERE("nil == x", "3 4 5");
  WHERE("not (x == nil)", "1 2 6 7");
  WHERE("x + y == nil", "3 4 5 6");
  WHERE("x // y == nil", "3 4 5 6 7");
  WHERE("x == nil or y == nil", "3 4 5 6");
  WHERE("1 ~= nil", "1 2 3 4 5 6 7");
  WHERE("true", "1 2 3 4 5 6 7");
  WHERE("not true", "");
  where_rows_free(&on);
}

TEST(s8_3_arithmetic_is_luas) {
  struct where_rows on;
  where_rows_fill(&on, "x,y", numbers);
  WHERE("x + y == 2", "1");
  WHERE("-x == 7", "6");
  WHERE("x * 2 + 1 >= 3", "1 2");
  WHERE("2 ^ 3 ^ 2 == 512", "1 2 3 4 5 6 7");
  WHERE("-2 ^ 2 == -4", "1 2 3 4 5 6 7");
  WHERE("7 // 2 == 3 and -7 // 2 == -4 and -7 % 3 == 2 and 7 % -3 == -2", "1 2 3 4 5 6 7");
  WHERE("7.5 // 2 == 3.0 and -7.5 % 2 == 0.5 and 1 / 2 == 0.5", "1 2 3 4 5 6 7");
  WHERE("1 + 2 * 3 - 4 / 2 == 5", "1 2 3 4 5 6 7");
  WHERE("y / x > 0", "1");
  WHERE("1 / x == math.huge", "7");
  WHERE("0 / x == 0", "1 2 6");
  WHERE("9223372036854775807 + 1 == -9223372036854775808", "1 2 3 4 5 6 7");
  WHERE("-9223372036854775808 // -1 == -9223372036854775808", "1 2 3 4 5 6 7");
  WHERE("0xff == 255 and 0x.8p1 == 1 and 1e2 == 100 and .5 == 0.5 and 3. == 3", "1 2 3 4 5 6 7");
  where_rows_free(&on);
}

TEST(s8_3_integer_division_by_zero_is_missing) {
  struct where_rows on;
  where_rows_fill(&on, "x,y", numbers);
  WHERE("1 // x == 1", "1");
  WHERE("not (5 % x == 100)", "1 2 6");
  WHERE("1 // 0 == nil and 1 % 0 == nil", "1 2 3 4 5 6 7");
  WHERE("1 // 0.0 == math.huge", "1 2 3 4 5 6 7");
  WHERE("fmod(1, x) == nil", "3 4 5 7");
  where_rows_free(&on);
}

TEST(s8_2_a_missing_value_to_the_power_of_zero_is_missing) {
  struct where_rows on;
  where_rows_fill(&on, "x,y", numbers);
  WHERE("x ^ 0 == 1", "1 2 6 7");
  WHERE("(x / x) ^ 0 == 1", "1 2 6");
  WHERE("1 ^ x == 1", "1 2 6 7");
  WHERE("1 ^ (x / x) == 1", "1 2 6");
  WHERE("(x - x) / (x - x) ~= 5", "");
  WHERE("not ((x - x) / (x - x) == 5)", "");
  where_rows_free(&on);
}

TEST(between_and_in) {
  struct where_rows on;
  where_rows_fill(&on, "x,y", numbers);
  WHERE("x between 0 and 1", "1 7");
  WHERE("x not between 0 and 1", "2 6");
  WHERE("not x between 0 and 1 and y < 0", "2");
  WHERE("x between y and 3", "1 2 7");
  WHERE("x in {1, 2.5, -7}", "1 2 6");
  WHERE("x not in {1, 2.5, -7,}", "7");
  WHERE("x in {}", "");
  WHERE("not x in {}", "1 2 6 7");
  WHERE("x in {1.0, 0.0}", "1 7");
  WHERE("x + 1 in {2, 3.5}", "1 2");
  WHERE("x in {'1', true, 1}", "1");
  where_rows_free(&on);
}

static const char *const mixed[] = {"{\"v\":1}",
                                    "{\"v\":\"1\"}",
                                    "{\"v\":true}",
                                    "{\"v\":false}",
                                    "{\"v\":[1]}",
                                    "{\"v\":{}}",
                                    "{\"v\":18446744073709551615}",
                                    "{\"v\":\"abc\"}",
                                    "{}",
                                    "{\"v\":1.5e19}",
                                    NULL};

TEST(values_of_different_types_are_unequal_and_unordered) {
  struct where_rows on;
  where_rows_fill(&on, "v", mixed);
  WHERE("v == 1", "1");
  WHERE("v == '1'", "2");
  WHERE("v ~= 1", "2 3 4 5 6 7 8 10");
  WHERE("v < 2", "1");
  WHERE("not (v < 2)", "7 10");
  WHERE("v < 'b'", "2 8");
  WHERE("not v < 'b'", "");
  WHERE("v < true", "");
  WHERE("v == true", "3");
  WHERE("v ~= true", "1 2 4 5 6 7 8 10");
  WHERE("v == v", "1 2 3 4 5 6 7 8 10");
  WHERE("v + 1 == 2", "1");
  WHERE("v == nil", "9");
  WHERE("v in {1, 'abc', false}", "1 4 8");
  WHERE("v not in {1, 'abc', false}", "2 3 5 6 7 10");
  where_rows_free(&on);
}

TEST(a_column_alone_is_a_condition_as_in_lua) {
  struct where_rows on;
  where_rows_fill(&on, "v", mixed);
  WHERE("v", "1 2 3 5 6 7 8 10");
  WHERE("not v", "4");
  WHERE("v and v ~= 1", "2 3 5 6 7 8 10");
  where_rows_free(&on);
  static const char *const flags[] = {"{\"f\":true}", "{\"f\":false}", "{\"f\":null}", NULL};
  where_rows_fill(&on, "f", flags);
  WHERE("f", "1");
  WHERE("not f", "2");
  WHERE("f == true", "1");
  WHERE("f ~= true", "2");
  WHERE("f == false", "2");
  WHERE("f in {false}", "2");
  where_rows_free(&on);
}

TEST(s8_3_wide_numbers_compare_exactly) {
  struct where_rows on;
  static const char *const ids[] = {"{\"id\":18446744073709551615}",
                                    "{\"id\":18446744073709551614}",
                                    "{\"id\":18446744073709551616}",
                                    "{\"id\":9223372036854775807}",
                                    "{\"id\":1.8446744073709552e19}",
                                    "{\"id\":1e400}",
                                    "{\"id\":-5}",
                                    NULL};
  where_rows_fill(&on, "id", ids);
  WHERE("id == 18446744073709551615", "1");
  WHERE("id > 18446744073709551614", "1 3 5 6");
  WHERE("id == 18446744073709551616", "3 5");
  WHERE("id in {18446744073709551616, -5}", "3 5 7");
  WHERE("id not in {18446744073709551616, -5}", "1 2 4 6");
  WHERE("id == 9223372036854775807", "4");
  WHERE("id == 9223372036854775808", "");
  WHERE("id >= -9223372036854775808", "1 2 3 4 5 6 7");
  WHERE("id >= 1e400", "6");
  WHERE("id < -18446744073709551615", "");
  WHERE("id + 1 == nil", "1 2 3 6");
  where_rows_free(&on);
}

static const char *const texts[] = {"{\"s\":\"ZTF20abc\"}",
                                    "{\"s\":\"ztf\"}",
                                    "{\"s\":\"\"}",
                                    "{}",
                                    "{\"s\":5}",
                                    "{\"s\":\"a%b\"}",
                                    "{\"s\":\"Zt\\u0000f\"}",
                                    NULL};

TEST(texts_and_their_functions) {
  struct where_rows on;
  where_rows_fill(&on, "s", texts);
  WHERE("s == 'ztf'", "2");
  WHERE("s < \"ZTG\"", "1 3");
  WHERE("s:sub(1, 3) == 'ZTF'", "1");
  WHERE("sub(s, 1, 3) == 'ZTF'", "1");
  WHERE("string.sub(s, -3) == 'abc'", "1");
  WHERE("s:lower():sub(1, 2) == 'zt'", "1 2 7");
  WHERE("s:upper() == 'ZTF'", "2");
  WHERE("#s == 3", "2 6");
  WHERE("len(s) == 0", "3");
  WHERE("s:len() ~= 3", "1 3 7");
  WHERE("s:byte() == 90", "1 7");
  WHERE("byte(s, 3) == 0", "7");
  WHERE("s .. '!' == 'ztf!'", "2");
  WHERE("'<' .. s .. '>' == '<5>'", "5");
  WHERE("s == 'Zt\\0f'", "7");
  WHERE("s == '\\x7a\\116\\u{66}'", "2");
  WHERE("s in {'ztf', ''}", "2 3");
  WHERE("s:sub(1.5) == nil", "1 2 3 4 5 6 7");
  where_rows_free(&on);
}

TEST(find_is_plain_and_a_condition) {
  struct where_rows on;
  where_rows_fill(&on, "s", texts);
  WHERE("s:find('%')", "6");
  WHERE("s:find('ztf')", "2");
  WHERE("not s:find('t')", "1 3 6");
  WHERE("s:find('t') == 2", "2 7");
  WHERE("find(s, 't', 3, true) == nil", "1 2 3 4 5 6 7");
  WHERE("s:find('f', 1, true) > 3", "7");
  where_rows_free(&on);
}

TEST(s8_3_math_functions) {
  struct where_rows on;
  where_rows_fill(&on, "x,y", numbers);
  WHERE("math.abs(x) == 7", "6");
  WHERE("abs(y) == 3", "2");
  WHERE("floor(x) == 2 and ceil(x) == 3", "2");
  WHERE("sqrt(x) == nil", "3 4 5 6");
  WHERE("not (sqrt(x) >= 1)", "7");
  WHERE("sqrt(x) ~= 1", "2 7");
  WHERE("math.max(x, y, 1) == 2.5", "2");
  WHERE("min(x, y) == -3", "2");
  WHERE("max(x) == x", "1 2 6 7");
  WHERE("math.type(x) == 'integer'", "1 6 7");
  WHERE("tointeger(y) == 1", "1");
  WHERE("tointeger(x) == nil", "2 3 4 5");
  WHERE("log(x) == 0 and exp(x - 1) == 1", "1");
  WHERE("log(8, 2) == 3 and log(100, 10) == 2", "1 2 3 4 5 6 7");
  WHERE("ult(x, y)", "");
  WHERE("ult(y, x)", "");
  WHERE("not ult(x, y)", "1 7");
  WHERE("ult(1, -1)", "1 2 3 4 5 6 7");
  WHERE("fmod(x, 2) == -1", "6");
  WHERE("modf(x) == 2", "2");
  WHERE("cos(x) == 1 and sin(x) == 0 and tan(x) == 0 and atan(x) == 0", "7");
  WHERE("asin(x) + acos(x) between 1.57 and 1.58", "1 7");
  WHERE("atan(1, 1) * 4 == math.pi and deg(math.pi) == 180 and rad(180) == math.pi", "1 2 3 4 5 6 7");
  WHERE("abs(x) == nil", "3 4 5");
  WHERE("math.mininteger < x and x < math.maxinteger", "1 2 6 7");
  where_rows_free(&on);
}

TEST(s8_3_names) {
  struct where_rows on;
  static const char *const rows[] = {"{\"candidate\":{\"rb\":0.9},\"cos(t)\":1,\"in\":2,\"pi\":3}", NULL};
  where_rows_fill(&on, "rb=candidate.rb,cos(t),in,pi", rows);
  WHERE("rb > 0.5 and candidate.rb > 0.5", "1");
  WHERE("`cos(t)` == 1 and `in` == 2 and pi == 3", "1");
  WHERE("`rb`>.5", "1");
  where_rows_free(&on);
}

TEST(not_is_looser_than_a_comparison) {
  struct where_rows on;
  where_rows_fill(&on, "x,y", numbers);
  WHERE("not x == 1 and y == 0", "7");
  WHERE("(x > 1) == true", "2");
  WHERE("(x > 1) == false", "1 6 7");
  WHERE("true ~= (x > 1)", "1 6 7");
  where_rows_free(&on);
}
