/* The metatables that tell arrays from objects where the keys cannot: "rille.array" and "rille.object". */
#ifndef RL_LUA_JSON_MARKS_H
#define RL_LUA_JSON_MARKS_H

#include <lua.h>

enum rl_mark { RL_MARK_NONE, RL_MARK_ARRAY, RL_MARK_OBJECT };

/* Of the table at idx. Never raises, never allocates; needs two free stack slots. */
enum rl_mark rl_json_mark(lua_State *L, int idx);

int l_json_array(lua_State *L);  /* rille.json.array([t]) → t, or a new table */
int l_json_object(lua_State *L); /* rille.json.object([t]) */

void rl_json_open_marks(lua_State *L);

#endif
