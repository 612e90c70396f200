/* `where`: an expression to a tree, the tree to one Lua loop, cached by text and columns (S8.2, S8.3). */
#ifndef RL_LUA_WHERE_H
#define RL_LUA_WHERE_H

#include <lua.h>

#include "base/err.h"

/* batch:where(expression): stack 1 the batch, 2 a string or a compiled "rille.where". Pushes the view.
 * Misuse raises as a script failure (rl_lua_script_error in lua/fail.h). */
int l_batch_where(lua_State *L);
/* rille.where(expression): parses now (column and caret in the error), returns a "rille.where". */
int l_where(lua_State *L);
/* The column names an expression reads, in order of first use, for `filter`: pushes an array. */
int l_where_names(lua_State *L);

void rl_lua_open_where(lua_State *L); /* registers the type */

#endif
