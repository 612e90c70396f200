/* rille.json: decode, encode, null, array, object; and how cells become Lua values (S9).
 *
 * Shapes. JSON null is rille.null, a light userdata of NULL (so it is also cjson.null): truthy, equal to
 * itself, the same in every state. Arrays are tables with the metatable "rille.array", so an empty one stays
 * an array; objects are plain tables. Integers are Lua integers, all other numbers doubles; what fits neither
 * is a rille.number (lua/number.h). Of a key that comes twice in one object the last one counts.
 *
 * Encoding a table:
 *   keys all strings              object, keys sorted by their bytes; {} is an object
 *   keys 1 … #t                   array
 *   integer keys and `n`          array of n items, null in the holes (columns, batch:map, table.pack)
 *   rille.array                   array of t.n or else of as many items as the highest key, null in the holes
 *   rille.object(t)               object; integer keys become their decimal text
 *   anything else                 an error naming the path
 * A rille.tensor is nested arrays (on one line).
 * Metamethods (__pairs, __index, __tojson) are not asked: what is encoded is what the table holds. A double
 * that is whole keeps its ".0". Text that is no valid UTF-8 is written with U+FFFD in place of each wrong
 * byte, so what comes out is always valid JSON. NaN and infinity, functions, threads, foreign userdata, a
 * table inside itself and nesting past max_depth are errors that name the path.
 *
 * For scripts: decode(text [, {max_depth = 1000}]) → value, or nil and what is wrong at which byte;
 * encode(value
 * [, {nan = "null", pretty = true, max_depth = 1000}]) → text, or raises (a nil, passed on to out:send, would
 * be a tombstone); array([t]) and object([t]) mark a table and return it; null. Misuse is the script's
 * failure. */
#ifndef RL_LUA_JSON_H
#define RL_LUA_JSON_H

#include <lua.h>

#include "base/buf.h"
#include "codec/json.h"

enum {
  RL_JSON_DEPTH_MAX = 4000
}; /* of the option max_depth: encoding recurses. RL_JSON_DEPTH is its default */

/* Pushes one cell: MISSING and NULL as nil; BIG as a "rille.number" (prints, compares, encodes as written);
 * JSON and TREE as tables, null in them being rille.null; LIST as an array with holes and n, SHAPED as nested
 * arrays, both rille.arrays. Raises when a RL_JSON cell does not parse. */
void rl_lua_push_cell(lua_State *L, const struct rl_cell *cell);
/* Decodes a document and pushes it; null inside tables is rille.null; at top level too.
 * max_depth 0: RL_JSON_DEPTH. Returns 0, or fills err and pushes nothing. May raise for lack of memory only
 * (then nothing leaks). */
int rl_lua_decode_json(lua_State *L, struct rl_bytes text, size_t max_depth, struct rl_err *err);

struct rl_json_style {
  bool nan_null;    /* NaN and infinity are written as null */
  bool pretty;      /* one item a line, indented by two blanks */
  size_t max_depth; /* 0: RL_JSON_DEPTH; RL_JSON_DEPTH_MAX at most */
};

/* Appends the value at idx as JSON: keys sorted, integers exact, 10000.0 stays, arrays and objects apart when
 * empty. 0, or RL_EHANDLER with the path of what cannot be encoded (NaN, a function, a cycle, depth); `out`
 * is as it was then. Never raises and never allocates in Lua. Depth up to RL_JSON_DEPTH_MAX: what was decoded
 * under a raised limit can be sent. */
int rl_lua_encode_json(lua_State *L, int idx, struct rl_buf *out, struct rl_err *err);
int rl_lua_encode_json_as(lua_State *L, int idx, const struct rl_json_style *style, struct rl_buf *out,
                          struct rl_err *err);
void rl_lua_push_null(lua_State *L);
/* Gives the table at the top the array metatable: it encodes as an array, with null in the holes up to t.n.
 */
void rl_lua_mark_array(lua_State *L);

/* Pushes the table rille.json (decode, encode, array, object, null); registers its types and rille.number. */
void rl_lua_open_json(lua_State *L);

#endif
