#include "lua/where_lex.h"

#include <stdlib.h>

#include "base/buf.h"
#include "base/str.h"
#include "lua/where_text.h"

static bool is_digit(int c) { return c >= '0' && c <= '9'; }
static bool is_letter(int c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
static bool is_word(int c) { return is_letter(c) || is_digit(c); }
static bool is_blank(int c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

/* The byte `ahead` of the current one, or -1 past the end. */
static int peek(const struct rl_where_lexer *lx, size_t ahead) {
  return lx->at + ahead < lx->text.len ? (unsigned char)lx->text.data[lx->at + ahead] : -1;
}

static const char *copy(struct rl_where_lexer *lx, size_t from, size_t to) {
  char *text = rl_arena_alloc(lx->arena, to - from + 1);
  memcpy(text, lx->text.data + from, to - from);
  text[to - from] = '\0';
  return text;
}

static bool is_keyword(const char *word) {
  static const char *const words[] = {"and", "or", "not", "in", "between", "nil", "true", "false"};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
    if (strcmp(word, words[i]) == 0) return true;
  }
  return false;
}

/* `a`, or `a.b.c`: a dot joins when a letter follows it at once (`a..b` is two names). */
static int lex_name(struct rl_where_lexer *lx, struct rl_where_token *token) {
  size_t start = lx->at;
  while (is_word(peek(lx, 0)) || (peek(lx, 0) == '.' && is_letter(peek(lx, 1)))) lx->at++;
  token->text = copy(lx, start, lx->at);
  token->kind = is_keyword(token->text) ? RL_T_WORD : RL_T_NAME;
  return 0;
}

static int lex_quoted_name(struct rl_where_lexer *lx, struct rl_where_token *token) {
  size_t start = ++lx->at;
  while (peek(lx, 0) >= 0 && peek(lx, 0) != '`') lx->at++;
  if (peek(lx, 0) < 0) return rl_where_fail(lx->err, lx->text, start - 1, "this ` has no end");
  if (lx->at == start) return rl_where_fail(lx->err, lx->text, start - 1, "a name between `` is empty");
  if (memchr(lx->text.data + start, 0, lx->at - start)) {
    return rl_where_fail(lx->err, lx->text, start, "a name holds no zero byte");
  }
  token->text = copy(lx, start, lx->at++);
  token->kind = RL_T_NAME;
  token->quoted = true;
  return 0;
}

static bool ends_number(const struct rl_where_lexer *lx, bool hexadecimal, int c) {
  if (is_word(c) || c == '.') return false;
  int before = lx->text.data[lx->at - 1] | 0x20;
  return !((c == '+' || c == '-') && before == (hexadecimal ? 'p' : 'e'));
}

static int lex_number(struct rl_where_lexer *lx, struct rl_where_token *token) {
  size_t start = lx->at++;
  bool hexadecimal = lx->text.data[start] == '0' && (peek(lx, 0) | 0x20) == 'x';
  while (!ends_number(lx, hexadecimal, peek(lx, 0))) lx->at++;
  token->kind = RL_T_LITERAL;
  if (rl_where_number(copy(lx, start, lx->at), &token->value)) return 0;
  return rl_where_fail(lx->err, lx->text, start, "this is no number");
}

static int lex_string(struct rl_where_lexer *lx, struct rl_where_token *token) {
  size_t start = lx->at, end = lx->at + 1;
  char quote = lx->text.data[start];
  while (end < lx->text.len && lx->text.data[end] != quote) end += lx->text.data[end] == '\\' ? 2 : 1;
  if (end >= lx->text.len)
    return rl_where_fail(lx->err, lx->text, start, "this text has no closing %c", quote);
  struct rl_buf out = RL_BUF_INIT;
  size_t bad;
  bool good = rl_where_unescape(rl_bytes(lx->text.data + start + 1, end - start - 1), &out, &bad);
  if (good) {
    struct rl_bytes text = rl_arena_copy(lx->arena, rl_buf_bytes(&out));
    token->value = (struct rl_cell){.tag = RL_TEXT, .len = (uint32_t)text.len, .s = text.data};
  }
  rl_buf_free(&out);
  if (!good) return rl_where_fail(lx->err, lx->text, start + 1 + bad, "no such escape in a text");
  token->kind = RL_T_LITERAL;
  lx->at = end + 1;
  return 0;
}

/* What people write who come from C, SQL or Python. */
static int refuse_mark(struct rl_where_lexer *lx) {
  static const struct {
    char first, second;
    const char *hint;
  } hints[] = {{'!', '=', "`!=` is written `~=`"},
               {'<', '>', "`<>` is written `~=`"},
               {'&', '&', "`&&` is written `and`"},
               {'|', '|', "`||` is written `or`"},
               {'=', 0, "equality is written `==`"},
               {'!', 0, "`!` is written `not`"},
               {'[', 0, "a name with brackets is written between backticks, `a[0].b`"}};
  for (size_t i = 0; i < sizeof hints / sizeof *hints; i++) {
    if (peek(lx, 0) != hints[i].first || (hints[i].second && peek(lx, 1) != hints[i].second)) continue;
    return rl_where_fail(lx->err, lx->text, lx->at, "%s", hints[i].hint);
  }
  return rl_where_fail(lx->err, lx->text, lx->at, "this character has no meaning here");
}

static int lex_mark(struct rl_where_lexer *lx, struct rl_where_token *token) {
  static const char *const marks[] = {"==", "~=", "<=", ">=", "//", "..", "<", ">", "+", "-", "*",
                                      "/",  "%",  "^",  "#",  "(",  ")",  "{", "}", ",", ":"};
  if (peek(lx, 0) == '<' && peek(lx, 1) == '>') return refuse_mark(lx);
  for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
    size_t len = strlen(marks[i]);
    if (lx->text.len - lx->at < len || memcmp(lx->text.data + lx->at, marks[i], len) != 0) continue;
    lx->at += len;
    token->kind = RL_T_MARK;
    token->text = marks[i];
    return 0;
  }
  return refuse_mark(lx);
}

static int lex(struct rl_where_lexer *lx, struct rl_where_token *token) {
  int c = peek(lx, 0);
  if (c < 0) return 0;
  if (is_letter(c)) return lex_name(lx, token);
  if (c == '`') return lex_quoted_name(lx, token);
  if (is_digit(c) || (c == '.' && is_digit(peek(lx, 1)))) return lex_number(lx, token);
  if (c == '"' || c == '\'') return lex_string(lx, token);
  return lex_mark(lx, token);
}

int rl_where_next(struct rl_where_lexer *lx, struct rl_where_token *token) {
  while (is_blank(peek(lx, 0))) lx->at++;
  *token = (struct rl_where_token){.kind = RL_T_END, .at = (uint32_t)lx->at};
  int code = lex(lx, token);
  token->end = (uint32_t)lx->at;
  return code;
}
