/* Members of an object that is encoded: their keys as text, and their order. Never raises, never allocates.
 */
#ifndef RL_LUA_JSON_MEMBER_H
#define RL_LUA_JSON_MEMBER_H

#include <lua.h>

#include "base/bytes.h"

enum { RL_INTEGER_TEXT = 20 }; /* characters of an integer */

/* One member of an object, written to out[at, end) as "key":value. */
struct rl_json_member {
  const char *key; /* Lua's, which the table keeps alive; NULL: digits */
  size_t len, at, end;
  char digits[RL_INTEGER_TEXT];
};

/* Of the pair at the stack's top two places, whose key is a string or an integer. */
struct rl_json_member rl_json_member_read(lua_State *L);
struct rl_bytes rl_json_member_key(const struct rl_json_member *m);
int rl_json_member_order(const void *x,
                         const void *y); /* of two members, by the bytes of their keys: qsort's */

/* Writes value to the end of text[0, RL_INTEGER_TEXT) and returns where it begins: a tenth of printf's time.
 */
size_t rl_json_put_integer(char *text, lua_Integer value);

#endif
