/* Random expressions over random rows: the evaluator in C and the loop in Lua pass the same rows. */
#include "lua_where_rows.h"

enum { COLUMNS = 5, ROWS = 40, TRIALS = 3000 };

static uint64_t seed = 88172645463325252u;

static unsigned roll(unsigned n) {
  seed ^= seed << 13;
  seed ^= seed >> 7;
  seed ^= seed << 17;
  return (unsigned)((seed >> 11) % n);
}

static const int64_t integers[] = {0, 1, -1, 2, 3, 7, -5, INT64_MAX, INT64_MIN, 9007199254740993};
static const double doubles[] = {0.0,    -0.0,   1.0,     0.5,  -2.5,     3.0,       1e300,     -1e300,
                                 0x1p53, 0x1p63, -0x1p63, 1e19, INFINITY, -INFINITY, 0.1 + 0.2, NAN};
static const char *const bigs[] = {"18446744073709551616", "9223372036854775808", "1e400", "-1e400",
                                   "-9223372036854775809"};
static const char *const texts[] = {"", "a", "ab", "b", "1", "Z"};
#define PICK(array) (array)[roll(sizeof(array) / sizeof *(array))]

static struct rl_cell text_cell(uint32_t tag, const char *text) {
  return (struct rl_cell){.tag = tag, .len = (uint32_t)strlen(text), .s = text};
}

/* kind: 0 numbers, 1 integers, 2 texts, 3 booleans, 4 anything. */
static struct rl_cell random_cell(unsigned kind) {
  static const char document[] = "[1][2]";
  if (roll(5) == 0) return (struct rl_cell){.tag = roll(2) ? RL_MISSING : RL_NULL};
  if (kind == 4) kind = roll(6);
  switch (kind) {
    case 0: return (struct rl_cell){.tag = RL_DOUBLE, .d = PICK(doubles)};
    case 1: return (struct rl_cell){.tag = RL_INT, .i = PICK(integers)};
    case 2: return text_cell(roll(2) ? RL_TEXT : RL_BLOB, PICK(texts));
    case 3: return (struct rl_cell){.tag = RL_BOOL, .i = roll(2)};
    case 4: return text_cell(RL_BIG, PICK(bigs));
    default: return (struct rl_cell){.tag = RL_JSON, .len = 3, .s = document + 3 * roll(2)};
  }
}

static void fill(struct rl_columns *c) {
  for (size_t f = 0; f < COLUMNS; f++) {
    unsigned kind = roll(5);
    for (size_t i = 0; i < ROWS; i++) c->col[f][i] = random_cell(kind <= 1 ? roll(2) : kind);
  }
}

static void put_literal(struct rl_buf *out) {
  switch (roll(6)) {
    case 0: rl_buf_printf(out, "'%s'", PICK(texts)); break;
    case 1: rl_buf_puts(out, roll(2) ? "true" : "false"); break;
    case 2: rl_buf_puts(out, PICK(bigs)); break;
    case 3: rl_buf_printf(out, "%.17g", doubles[roll(12)]); break;
    default: rl_buf_printf(out, "%lld", (long long)PICK(integers)); break;
  }
}

static void put_value(struct rl_buf *out, int depth) {
  static const char *const operators[] = {"+", "-", "*", "/", "//", "%", "^"};
  if (depth <= 0 || roll(3) == 0) {
    if (roll(3) == 0) {
      put_literal(out);
    } else {
      rl_buf_printf(out, "c%u", roll(COLUMNS));
    }
    return;
  }
  if (roll(8) == 0) {
    rl_buf_puts(out, "- ");
    put_value(out, depth - 1);
    return;
  }
  rl_buf_putc(out, '(');
  put_value(out, depth - 1);
  rl_buf_printf(out, " %s ", PICK(operators));
  put_value(out, depth - 1);
  rl_buf_putc(out, ')');
}

static void put_condition(struct rl_buf *out, int depth);

static void put_joined(struct rl_buf *out, int depth) {
  const char *word = roll(2) ? " and " : " or ";
  rl_buf_putc(out, '(');
  put_condition(out, depth - 1);
  for (unsigned n = 1 + roll(3); n > 0; n--) {
    rl_buf_puts(out, word);
    put_condition(out, depth - 1);
  }
  rl_buf_putc(out, ')');
}

static void put_list(struct rl_buf *out) {
  rl_buf_puts(out, roll(3) ? " in {" : " not in {");
  for (unsigned n = roll(4); n > 0; n--) {
    put_literal(out);
    rl_buf_putc(out, ',');
  }
  rl_buf_putc(out, '}');
}

static void put_comparison(struct rl_buf *out) {
  static const char *const operators[] = {"==", "~=", "<", "<=", ">", ">="};
  rl_buf_putc(out, '(');
  put_value(out, 2);
  switch (roll(8)) {
    case 0: rl_buf_puts(out, roll(2) ? " == nil" : " ~= nil"); break;
    case 1: put_list(out); break;
    case 2:
      rl_buf_puts(out, roll(3) ? " between " : " not between ");
      put_value(out, 1);
      rl_buf_puts(out, " and ");
      put_value(out, 1);
      break;
    default:
      rl_buf_printf(out, " %s ", PICK(operators));
      put_value(out, 2);
      break;
  }
  rl_buf_putc(out, ')');
}

static void put_condition(struct rl_buf *out, int depth) {
  unsigned kind = depth <= 0 ? 3 + roll(5) : roll(8);
  if (kind < 2) {
    put_joined(out, depth);
  } else if (kind == 2) {
    rl_buf_puts(out, "not ");
    put_condition(out, depth - 1);
  } else if (kind == 3) {
    rl_buf_printf(out, "c%u", roll(COLUMNS));
  } else {
    put_comparison(out);
  }
}

/* Which rows pass, as text; the caller's to free. */
static char *pass(lua_State *L, const struct where_rows *on, const char *expression, enum rl_where_how how) {
  struct where_call call = {on, expression, how, false};
  char *got = rl_strdup(where_run(L, &call));
  if (!call.in_c) UNIT_FAIL("not evaluated in C: %s", expression);
  return got;
}

static size_t count_rows(const char *text) {
  size_t n = *text != '\0';
  for (; *text; text++) n += *text == ' ';
  return n;
}

/* What is passed by neither an expression nor its negation is unknown; nothing is passed by both. */
static size_t check_one(lua_State *L, const struct where_rows *on, const char *expression) {
  struct rl_buf negation = RL_BUF_INIT;
  rl_buf_printf(&negation, "not (%s)", expression);
  char *in_c = pass(L, on, expression, RL_WHERE_BEST), *in_lua = pass(L, on, expression, RL_WHERE_IN_LUA);
  char *not_in_c = pass(L, on, negation.data, RL_WHERE_BEST),
       *not_in_lua = pass(L, on, negation.data, RL_WHERE_IN_LUA);
  if (strcmp(in_c, in_lua) != 0) UNIT_FAIL("%s: in C \"%s\", in Lua \"%s\"", expression, in_c, in_lua);
  if (strcmp(not_in_c, not_in_lua) != 0)
    UNIT_FAIL("%s: in C \"%s\", in Lua \"%s\"", negation.data, not_in_c, not_in_lua);
  size_t known = count_rows(in_c) + count_rows(not_in_c), passed = count_rows(in_c);
  if (known > ROWS) UNIT_FAIL("%s: passes a row together with its negation", expression);
  rl_free(in_c);
  rl_free(in_lua);
  rl_free(not_in_c);
  rl_free(not_in_lua);
  rl_buf_free(&negation);
  return passed;
}

TEST(s8_2_both_ways_pass_the_same_rows) {
  struct where_rows on = {.fields = RL_FIELDS_INIT};
  CHECK_INT(rl_fields_parse(&on.fields, "c0,c1,c2,c3,c4", NULL), 0);
  on.columns = rl_columns_new(&on.fields);
  on.rows = rl_alloc(ROWS * sizeof *on.rows);
  for (uint32_t i = 0; i < ROWS; i++) on.rows[i] = (uint32_t)rl_columns_add_row(on.columns);
  lua_State *L = snippet_state();
  size_t passed = 0;
  for (int trial = 0; trial < TRIALS && unit_failures < 10; trial++) {
    struct rl_buf expression = RL_BUF_INIT;
    fill(on.columns);
    put_condition(&expression, 3);
    passed += check_one(L, &on, expression.data);
    rl_buf_free(&expression);
  }
  CHECK(passed > TRIALS);
  lua_close(L);
  where_rows_free(&on);
}

/* Words thrown together: most are refused, with a place in the text; what is not runs both ways. */
static void put_soup(struct rl_buf *out) {
  static const char *const words[] = {
      "c0",  "c1",   "`c2`", "nil",  "true",  "and",   "or",   "not",  "in",      "between", "{",  "}",
      "(",   ")",    ",",    ":sub", "find(", "#",     "-",    "..",   "==",      "~=",      "<",  "1",
      "0",   "'ab'", "2.5",  "^",    "//",    "%",     "max(", "abs(", ":len",    "()",      "1e", "!",
      "'",   "`",    "\\",   "\xff", "0x",    "1e400", "c9",   "\n",   "math.pi", "x\t",     "[",  "=",
      "..c", ".5",   "a.b",  "@",    ";",     "--",    "[[",   "]]",   "::",      "~",       "&",  "type("};
  for (unsigned n = 1 + roll(12); n > 0; n--) rl_buf_printf(out, "%s%s", PICK(words), roll(3) ? " " : "");
}

TEST(s8_3_any_text_is_taken_or_refused_with_its_place) {
  struct where_rows on;
  where_rows_fill(&on, "c0,c1,c2",
                  (const char *const[]){"{\"c0\":1,\"c1\":\"ab\",\"c2\":0}", "{\"c1\":2.5}", NULL});
  lua_State *L = snippet_state();
  size_t taken = 0;
  for (int trial = 0; trial < 20000 && unit_failures < 10; trial++) {
    struct rl_buf soup = RL_BUF_INIT;
    put_soup(&soup);
    struct where_call call = {&on, soup.data, RL_WHERE_BEST, false};
    char *best = rl_strdup(where_run(L, &call));
    call.how = RL_WHERE_IN_LUA;
    const char *in_lua = where_run(L, &call);
    if (strcmp(best, in_lua) != 0) UNIT_FAIL("%s: best \"%s\", in Lua \"%s\"", soup.data, best, in_lua);
    bool refused = strstr(best, "column") != NULL;
    if (!refused && strspn(best, "12 ") != strlen(best)) UNIT_FAIL("%s: %s", soup.data, best);
    taken += !refused;
    rl_free(best);
    rl_buf_free(&soup);
  }
  CHECK(taken > 20);
  lua_close(L);
  where_rows_free(&on);
}
