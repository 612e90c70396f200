/* rille.json: decode, encode, null, array, object; and how cells become Lua values (S9). */
#ifndef RL_LUA_JSON_H
#define RL_LUA_JSON_H

#include <lua.h>

#include "base/buf.h"
#include "codec/json.h"

/* Pushes one cell: MISSING and NULL as nil; BIG as a "rille.number" (prints, compares, encodes as written);
 * JSON decoded. Raises when a RL_JSON cell does not parse. */
void rl_lua_push_cell(lua_State *L, const struct rl_cell *cell);
/* Decodes a document and pushes it; null inside tables is rille.null; at top level too.
 * Returns 0, or fills err and pushes nothing. May raise for lack of memory only. */
int rl_lua_decode_json(lua_State *L, struct rl_bytes text, size_t max_depth, struct rl_err *err);
/* Appends the value at idx as JSON: keys sorted, integers exact, 10000.0 stays, arrays and objects apart when
 * empty. 0, or RL_EHANDLER with the path of what cannot be encoded (NaN, a function, a cycle, depth). */
int rl_lua_encode_json(lua_State *L, int idx, struct rl_buf *out, struct rl_err *err);
void rl_lua_push_null(lua_State *L);

void rl_lua_open_json(lua_State *L); /* pushes the table rille.json; registers its types */

#endif
