/* `where`: an expression to a tree, the tree to one Lua loop, cached by text and columns (S8.2, S8.3).
 *
 * What an expression is made of (where_parse.c has the grammar):
 *   names        `rb`, `candidate.rb` (one name, dots and all), `` `cos(theta_r1)` ``: always a column, found
 * by its field's name or else by the path it was declared with. math.pi, math.huge, math.maxinteger and
 *                math.mininteger are constants.
 *   literals     numbers and quoted texts as in Lua (a decimal integer too wide for 64 bits stays exact),
 * true, false arithmetic   + - * / // % ^ unary -; `..` and # of texts comparisons  == ~= < <= > >=, x in
 * {…literals…}, x between a and b, x not in …, x not between …, x == nil and x ~= nil; they do not chain
 *   logic        and, or, not (looser than a comparison: `not a == b` is `not (a == b)`)
 *   functions    math.abs acos asin atan ceil cos deg exp floor fmod log max min modf (its first result) rad
 * sin sqrt tan tointeger type ult, string.sub lower upper len byte (one) find (plain): math.abs(x), abs(x)
 * (all but math.type), string.sub(s, 1, 3), sub(s, 1, 3), s:sub(1, 3)
 *
 * What it means. Missing, null and NaN are one: missing. Arithmetic, `..` and functions give missing for a
 * missing operand, for one of a wrong type (no text is taken for a number), and where Lua would raise an
 * error (// and % of integers by zero). A comparison with a missing operand is unknown, ~= too; `not` unknown
 * is unknown; and/or as in SQL; a row passes when the whole is true. x == nil is true when x is missing, x ~=
 * nil else. Values of different types are not equal (known), and have no order (unknown); so have booleans.
 * Numbers compare exactly: integers, doubles and those too wide for both. Texts are ordered by their bytes.
 * Arrays and objects are equal to nothing but themselves. Of a column of lists ([*]) or arrays of a shape
 * only x == nil and x ~= nil can be asked; all else is a script failure. A column alone as a condition: false
 * is false, missing is unknown, anything else is true, as in Lua; s:find(t) alone: whether it is there. */
#ifndef RL_LUA_WHERE_H
#define RL_LUA_WHERE_H

#include <lua.h>

#include "base/err.h"
#include "codec/fields.h"

#define RL_WHERE_TYPE "rille.where"

/* batch:where(expression): stack 1 the batch, 2 a string or a compiled "rille.where". Pushes the view.
 * Misuse raises as a script failure (rl_lua_script_error in lua/fail.h). */
int l_batch_where(lua_State *L);
/* rille.where(expression, added): parses now (column and caret in the error), returns a "rille.where". added:
 * nil, or the names of columns that batch:with will add, which are no fields. */
int l_where(lua_State *L);
/* From now on what l_where reads is noted (a script's state, before its chunk runs)… */
void rl_lua_watch_where(lua_State *L);
/* …until it is held against the fields: raises a script failure with the place of the first expression that
 * names neither a field nor an added column, or takes a list for a value. */
void rl_lua_check_where(lua_State *L, const struct rl_fields *fields);
/* The column names an expression reads, in order of first use, for `filter`: pushes an array. */
int l_where_names(lua_State *L);

/* Registers the types (rille.number too). The libraries math and string must be open. */
void rl_lua_open_where(lua_State *L);

#endif
