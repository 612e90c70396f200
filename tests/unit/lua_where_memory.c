/* An expression is parsed once, however often it stands in a call and whatever the batch. The allocator of
 * base/mem.h is ours here, and counts: all of its functions are, so that the linker does not take the
 * library's. The parser's tree lies in memory of its own, for which it has to ask at least once. */
#include "lua/where_object.h"
#include "lua_made.h"

static size_t asked;

static void *count(void *p) {
  asked++;
  if (!p) abort();
  return p;
}

void *rl_alloc(size_t size) { return count(malloc(size ? size : 1)); }
void *rl_zalloc(size_t size) { return count(calloc(1, size ? size : 1)); }
void *rl_realloc(void *p, size_t size) { return count(realloc(p, size ? size : 1)); }
char *rl_strdup(const char *text) { return rl_strndup(text, strlen(text)); }
char *rl_strndup(const char *text, size_t len) {
  char *copy = rl_alloc(len + 1);
  memcpy(copy, text, len);
  copy[len] = '\0';
  return copy;
}
void rl_free(void *p) { free(p); }
void rl_mem_keep(void) {}
void rl_mem_trim(void) {}

void rl_grow(void **array, size_t *cap, size_t need, size_t size) {
  void *p;
  if (need <= *cap) return;
  *cap = 2 * need;
  memcpy(&p, array, sizeof p); /* it is a `T *` */
  p = rl_realloc(p, *cap * size);
  memcpy(array, &p, sizeof p);
}

static int l_asked(lua_State *L) {
  lua_pushinteger(L, (lua_Integer)asked);
  return 1;
}

/* The text is put together anew in each call, and too long for Lua to keep equal ones as one. */
#define SCRIPT                                                                       \
  "local calls = 0\n"                                                                \
  "return { fields = { 'id', 'name' }, handle = function(batch)\n"                   \
  "  for _ = 1, 50 do\n"                                                             \
  "    local text = EXPRESSION .. ' and id ~= 1234567890123456789012345678901234'\n" \
  "    local before = asked()\n"                                                     \
  "    local view = batch:where(text)\n"                                             \
  "    local n = asked() - before\n"                                                 \
  "    calls = calls + 1\n"                                                          \
  "    assert(#view == 2 and view.id[1] == 1 and view.id[2] == 3)\n"                 \
  "    if (n > 0) ~= (calls == 1) then error('call ' .. calls .. ': ' .. n) end\n"   \
  "  end\n"                                                                          \
  "end }"

static bool is_in_c(lua_State *L, const char *expression) {
  lua_pushstring(L, expression);
  bool in_c = rl_where_push(L, -1, "batch:where")->in_c;
  lua_pop(L, 2);
  return in_c;
}

static void parsed_once(const char *expression, bool in_c) {
  struct made_run r;
  CHECK_INT(made_open(&r, SCRIPT), 0);
  lua_pushcfunction(r.L, l_asked);
  lua_setglobal(r.L, "asked");
  lua_pushstring(r.L, expression);
  lua_setglobal(r.L, "EXPRESSION");
  CHECK_INT(is_in_c(r.L, expression), in_c);
  for (int i = 0; i < 3; i++) {
    struct rl_batch *b = made_batch(&r);
    made_add(&r, b, NULL, "{\"id\":1,\"name\":\"abc\"}");
    made_add(&r, b, NULL, "{\"id\":2,\"name\":\"x\"}");
    made_add(&r, b, NULL, "{\"id\":3,\"name\":\"ab\"}");
    if (made_handle(&r, b)) UNIT_FAIL("batch %d: %s", i, r.why.error);
    made_settle(&r, b);
  }
  made_close(&r);
}

TEST(s8_2_an_expression_that_c_evaluates_is_parsed_once) { parsed_once("(id == 1 or id + 0 > 2)", true); }
TEST(s8_2_an_expression_that_lua_evaluates_is_parsed_once) { parsed_once("name:sub(1, 2) == 'ab'", false); }
