/* What an expression may be: how long, how deep, and what is said of one that is wrong. */
#include "lua_where_rows.h"

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
