/* What expressions mean (S8.2, S8.3), over the cells and through the loop in Lua alike. */
#include "lua_where_rows.h"

#define WHERE(expression, want) where_check(&on, expression, want, __LINE__)

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

/* More names and literals than a Lua function has registers and upvalues. */
TEST(s8_3_more_than_180_names_go_through_a_table) {
  struct rl_buf fields = RL_BUF_INIT, row = RL_BUF_INIT, expression = RL_BUF_INIT;
  for (int i = 0; i < 300; i++) {
    rl_buf_printf(&fields, "%sf%d", i ? "," : "", i);
    rl_buf_printf(&row, "%s\"f%d\":%d", i ? "," : "{", i, i);
    rl_buf_printf(&expression, "%sf%d == %d and f%d:len() == nil", i ? " and " : "", i, i, i);
  }
  rl_buf_puts(&row, "}");
  const char *rows[] = {row.data, "{\"f0\":0}", NULL};
  struct where_rows on;
  where_rows_fill(&on, fields.data, rows);
  WHERE(expression.data, "1");
  where_rows_free(&on);
  rl_buf_free(&fields);
  rl_buf_free(&row);
  rl_buf_free(&expression);
}

/* As deep as the parser lets it be, Lua's own parser still takes the code. */
static void check_deep(const char *before, const char *after, int levels, const char *middle,
                       const char *tail) {
  struct where_rows on;
  struct rl_buf text = RL_BUF_INIT;
  where_rows_fill(&on, "x,s", (const char *const[]){"{\"x\":1,\"s\":\"a\"}", NULL});
  for (int i = 0; i < levels; i++) rl_buf_puts(&text, before);
  rl_buf_puts(&text, middle);
  for (int i = 0; i < levels; i++) rl_buf_puts(&text, after);
  rl_buf_puts(&text, tail);
  lua_State *L = snippet_state();
  for (int how = 0; how < 2; how++) {
    struct where_call call = {&on, text.data, (enum rl_where_how)how, false};
    const char *got = where_run(L, &call);
    bool refused = strstr(got, "too deep") || strstr(got, "too many");
    if (strcmp(got, "1") != 0 && strcmp(got, "") != 0 && !refused) UNIT_FAIL("%.60s…: %s", text.data, got);
    if (strstr(got, "C stack") || strstr(got, "registers")) UNIT_FAIL("%.60s…: %s", text.data, got);
  }
  lua_close(L);
  rl_buf_free(&text);
  where_rows_free(&on);
}

TEST(deep_expressions_work_or_are_refused_by_name) {
  static const int levels[] = {20, 48, 55, 59, 60, 73, 74, 100, 140, 148, 149, 1000, 3000};
  for (size_t i = 0; i < sizeof levels / sizeof *levels; i++) {
    check_deep("(", ")", levels[i], "x", " > 0");
    check_deep("(x + ", ")", levels[i], "x", " > 0");
    check_deep("", " + x", levels[i], "x", " > 0");
    check_deep("", " // x", levels[i], "x", " > 0");
    check_deep("x ^ ", "", levels[i], "x", " > 0");
    check_deep("x // (", ")", levels[i], "x", " > 0");
    check_deep("not ", "", levels[i], "x > 0", "");
    check_deep("not (x > 0 and ", ")", levels[i], "x > 0", "");
    check_deep("(s:find('b') or ", ")", levels[i], "x > 0", "");
    check_deep("", " and x > 0", levels[i], "x > 0", "");
    check_deep("", ":lower()", levels[i], "s", " == 'a'");
    check_deep("max(x, ", ")", levels[i], "x", " > 0");
    check_deep("- ", "", levels[i], "x", " < 0 or true");
    check_deep("", " .. s", levels[i], "s", " ~= nil");
  }
}

static const char *error_of(lua_State *L, const char *expression) {
  lua_settop(L, 0);
  lua_pushcfunction(L, l_where);
  lua_pushstring(L, expression);
  if (lua_pcall(L, 1, 1, 0) == 0) return "";
  return luaL_tolstring(L, -1, NULL);
}

static void check_error(const char *expression, const char *part, int line) {
  lua_State *L = snippet_state();
  const char *got = error_of(L, expression);
  if (!strstr(got, part)) UNIT_FAIL("line %d: %s says \"%s\", without \"%s\"", line, expression, got, part);
  lua_close(L);
}

#define ERROR(expression, part) check_error(expression, part, __LINE__)

TEST(s8_3_what_is_wrong_is_shown_with_column_and_caret) {
  ERROR("rb >= 0.65 and",
        "where: a value was expected, not the end at column 15\n  rb >= 0.65 and\n                ^");
  ERROR("rb >= ) 3", "a value was expected, not `)` at column 7\n  rb >= ) 3\n        ^");
  ERROR("\xc3\xa9", "this character has no meaning here at column 1");
  ERROR("`\xc3\xa9\xc3\xa9` = 1", "equality is written `==` at column 6\n  `\xc3\xa9\xc3\xa9` = 1\n       ^");
  ERROR("a\n and\tb &&\n c", "`&&` is written `and` at line 2, column 8\n   and b &&\n         ^");
  ERROR("", "an expression was expected, not the end at column 1");
  ERROR("a b", "`and`, `or` or the end was expected, not `b` at column 3");
  ERROR("a != 3", "`!=` is written `~=`");
  ERROR("a <> 3", "`<>` is written `~=`");
  ERROR("a || b", "`||` is written `or`");
  ERROR("!a", "`!` is written `not`");
  ERROR("a[1] == 2", "between backticks");
  ERROR("1 < x < 5", "comparisons do not chain");
  ERROR("(a > 1) + 2 > 3", "this is a condition");
  ERROR("abs(a > 1) > 3", "this is a condition (`and`, `or` and comparisons give no values) at column 5");
  ERROR("abs((a > 1)) > 3", "this is a condition");
  ERROR("(a or 0) < 3", "a condition was expected, this is a value: compare it with something at column 7");
  ERROR("a + 1", "compare it with something");
  ERROR("'text'", "compare it with something");
  ERROR("a and 5", "compare it with something");
  ERROR("a < nil", "`nil` is compared by `==` and `~=` only");
  ERROR("nil", "`nil` is compared by");
  ERROR("nil == nil", "`nil` is compared by");
  ERROR("a in {b}", "`in` takes a list of literals");
  ERROR("a in {nil}", "`x == nil` asks for what is missing");
  ERROR("a in 5", "`{` was expected after `in`");
  ERROR("a not 5", "`in` or `between` was expected after `not`");
  ERROR("a == not b", "`not` here needs parentheses");
  ERROR("a between 1 or 2", "`and` was expected after `between`");
  ERROR("foo(a) > 1", "there is no function `foo` here");
  ERROR("flor(a) > 1", "did you mean `floor`?");
  ERROR("a:floor() > 1", "there is no function `floor` here");
  ERROR("os.exit() > 1", "there is no function `os.exit` here");
  ERROR("string.abs(a) > 1", "there is no function");
  ERROR("math.random() > 1", "there is no function");
  ERROR("s:rep(5) == 1", "there is no function");
  ERROR("abs(a, b) > 1", "`abs` takes 1 arguments, not 2");
  ERROR("sub(a) == 'x'", "`sub` takes 2 to 3 arguments, not 1");
  ERROR("s:find('a', 1, false)", "can only be true");
  ERROR("a == 'x", "this text has no closing '");
  ERROR("a == '\\q'", "no such escape in a text at column 7");
  ERROR("a == '\\u{110000}'", "no such escape");
  ERROR("a == '\\256'", "no such escape");
  ERROR("`a == 1", "this ` has no end");
  ERROR("`` == 1", "is empty");
  ERROR("a == 1..2", "this is no number");
  ERROR("a == 0x", "this is no number");
  ERROR("a == 3x", "this is no number");
  ERROR("a == 1e", "this is no number");
  ERROR("a; os.exit()", "this character has no meaning here");
}

TEST(a_long_line_is_shown_around_the_place) {
  struct rl_buf text = RL_BUF_INIT;
  for (int i = 0; i < 100; i++) rl_buf_printf(&text, "column_%d > 5 and ", i);
  rl_buf_puts(&text, "?");
  for (int i = 0; i < 100; i++) rl_buf_printf(&text, " and column_%d > 5", i);
  lua_State *L = snippet_state();
  const char *got = error_of(L, text.data);
  const char *line = strchr(got, '\n');
  CHECK(line != NULL);
  const char *caret = line ? strchr(line + 1, '\n') : NULL;
  CHECK(caret != NULL);
  if (caret) CHECK_INT(line[strcspn(caret + 1, "^") + 1], '?');
  CHECK(strlen(got) < 300);
  lua_close(L);
  rl_buf_free(&text);
}

TEST(s4_6_an_unknown_column_names_the_nearest) {
  struct where_rows on;
  where_rows_fill(&on, "magpsf,rb", (const char *const[]){"{}", NULL});
  lua_State *L = snippet_state();
  struct where_call call = {&on, "rb > 1 and magpfs > 2", RL_WHERE_BEST, false};
  CHECK_HAS(where_run(L, &call),
            "there is no column `magpfs`, did you mean `magpsf`? at column 12\n  rb > 1 and magpfs > 2\n     "
            "        ^");
  call.expression = "xyzzy > 2";
  CHECK_HAS(where_run(L, &call), "there is no column `xyzzy`");
  lua_close(L);
  where_rows_free(&on);
}

TEST(rille_where_compiles_once_and_prints_its_text) {
  CHECK_LUA("local w = rille.where('rb > 1 and a.b == c') return tostring(w)", "rb > 1 and a.b == c");
  CHECK_LUA("return rille.where('a > 1') == rille.where('a > 1')", "true");
  CHECK_LUA("local w = rille.where('a > 1') return rille.where(w) == w", "true");
  CHECK_LUA("return table.concat(rille.where_names('b > 1 and a.b == c and `x y` and b < math.pi'), '|')",
            "b|a.b|c|x y");
  CHECK_LUA_HAS("rille.where(5)", "rille.where takes an expression");
  CHECK_LUA(
      "for i = 1, 2000 do assert(tostring(rille.where('a > ' .. i)) == 'a > ' .. i) end "
      "collectgarbage() return collectgarbage('count') < 1000",
      "true");
}

/* The user's text is in none of the code: names and literals that would be code are only data. */
TEST(s8_3_text_is_never_code) {
  struct where_rows on;
  where_rows_fill(&on, "end os=x", (const char *const[]){"{\"x\":\"\\\") os.exit() --\"}", NULL});
  WHERE("`end os` == '\") os.exit() --'", "1");
  WHERE("`end os`:len() == 15", "1");
  where_rows_free(&on);
}

TEST(one_object_serves_columns_in_other_places) {
  struct where_rows one, two;
  where_rows_fill(&one, "a,b", (const char *const[]){"{\"a\":1,\"b\":2}", NULL});
  where_rows_fill(&two, "b,c,a", (const char *const[]){"{\"a\":\"t\",\"b\":1}", "{\"a\":1,\"b\":2}", NULL});
  lua_State *L = snippet_state();
  for (int round = 0; round < 6; round++) {
    struct where_call call = {round % 2 ? &two : &one, "a == 1 and b == 2", (enum rl_where_how)(round / 3),
                              false};
    CHECK_STR(where_run(L, &call), round % 2 ? "2" : "1");
  }
  lua_close(L);
  where_rows_free(&one);
  where_rows_free(&two);
}
