/* The headers option of out:send. */
#ifndef RL_LUA_OUT_HEADERS_H
#define RL_LUA_OUT_HEADERS_H

#include <lua.h>

#include "base/msg.h"

/* Reads the value at idx, a list of { name =, value = } or a table name → value (sent in the names' order).
 * Pushes a userdata that holds the array; names and values point into the strings of that table, which must
 * stay where it is. Anything else is a script failure. nil: pushes nil, gives NULL. */
struct rl_header *rl_lua_read_headers(lua_State *L, int idx, size_t *n);
/* The bytes of a string, null for nil and rille.null; other types are a script failure that names `what`. */
struct rl_bytes rl_lua_read_bytes(lua_State *L, int idx, const char *what);

#endif
