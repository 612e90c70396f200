/* The userdata "rille.number": a number that fits neither a 64-bit integer nor a double, as it was written.
 *
 * It prints, concatenates and encodes as its text; == holds between two of them of the same value, < and <=
 * also against Lua's numbers, all exactly. (Lua asks no metamethod for == between a userdata and a number:
 * that is false.) Arithmetic raises an error that names n:tonumber(), the nearest double. As a table's key
 * each one is itself only: use tostring(n). */
#ifndef RL_LUA_NUMBER_H
#define RL_LUA_NUMBER_H

#include <lua.h>

#include "base/bytes.h"
#include "codec/cell.h"

#define RL_NUMBER_TYPE "rille.number"

/* Pushes a rille.number of the text (copied), which is a number by JSON's grammar. */
void rl_lua_push_number(lua_State *L, struct rl_bytes text);
/* Whether a rille.number is at idx: then its text, borrowed from it, is a BIG cell in *cell. Never raises,
 * never allocates. */
bool rl_lua_is_big(lua_State *L, int idx, struct rl_cell *cell);
/* The same for any number: Lua's own (no strings) or a rille.number. */
bool rl_lua_to_number_cell(lua_State *L, int idx, struct rl_cell *cell);

void rl_lua_open_number(lua_State *L); /* registers the type; rl_lua_open_json and _open_where call it */

#endif
