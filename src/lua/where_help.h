/* What the generated loop calls where missing values, mixed types or Lua's own errors are to be kept out.
 *
 * A missing value is nil or NaN; an operand of the wrong type makes the result missing or the comparison
 * unknown (nil), so a loop over a batch raises for lack of memory only. */
#ifndef RL_LUA_WHERE_HELP_H
#define RL_LUA_WHERE_HELP_H

#include <lua.h>

/* Push the tables H and M of where_emit.h: made once a state. The libraries math and string must be open. */
void rl_where_push_helpers(lua_State *L);
void rl_where_push_functions(lua_State *L);

void rl_where_open_helpers(lua_State *L);

#endif
