/* Settings in a Lua table, as a script or rille.stream{…} writes them: nested names, lists, the forms of
 * `fields`. */
#ifndef RL_LUA_SCRIPT_SETTINGS_H
#define RL_LUA_SCRIPT_SETTINGS_H

#include <lua.h>

#include "stream/settings.h"

struct rl_lua_reader {
  lua_State *L;
  struct rl_settings *s;
  const char *origin; /* "bright.lua", "rille.stream": begins each error */
  bool library;       /* only what the library form takes (S11.1) */
  struct rl_err *err;
};

/* Reads the table at idx into s, at RL_LAYER_SCRIPT. Keys that are functions of a script (handle, the hooks,
 * decode when it is a function) are left to the caller, in the library form all but decode are refused. 0 or
 * RL_EUSAGE. May raise for lack of memory only. */
int rl_lua_read_settings(const struct rl_lua_reader *r, int idx);
/* Is it a key of a script's table beside the settings? */
bool rl_lua_is_script_key(const char *name);

/* The value of `fields` at idx, a table (lua/script_fields.c). */
int rl_lua_read_fields(const struct rl_lua_reader *r, int idx);

#endif
