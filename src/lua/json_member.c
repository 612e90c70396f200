#include "lua/json_member.h"

#include <string.h>

size_t rl_json_put_integer(char *text, lua_Integer value) {
  uint64_t rest = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
  size_t at = RL_INTEGER_TEXT;
  do {
    text[--at] = (char)('0' + rest % 10);
    rest /= 10;
  } while (rest > 0);
  if (value < 0) text[--at] = '-';
  return at;
}

struct rl_bytes rl_json_member_key(const struct rl_json_member *m) {
  return m->key ? rl_bytes(m->key, m->len) : rl_bytes(m->digits, m->len);
}

/* Numbers are not converted in place: that would confuse lua_next. */
struct rl_json_member rl_json_member_read(lua_State *L) {
  struct rl_json_member m = {0};
  if (lua_type(L, -2) == LUA_TSTRING) {
    m.key = lua_tolstring(L, -2, &m.len);
  } else {
    char digits[RL_INTEGER_TEXT];
    size_t at = rl_json_put_integer(digits, lua_tointeger(L, -2));
    m.len = RL_INTEGER_TEXT - at;
    memcpy(m.digits, digits + at, m.len);
  }
  return m;
}

int rl_json_member_order(const void *x, const void *y) {
  struct rl_bytes a = rl_json_member_key(x), b = rl_json_member_key(y);
  size_t shorter = a.len < b.len ? a.len : b.len;
  int order = memcmp(a.data, b.data, shorter);
  return order ? order : (a.len > b.len) - (a.len < b.len);
}
