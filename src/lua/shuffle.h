/* The userdata "rille.shuffle": rows in as they come, mini-batches out at random (model/shuffle.h).
 *
 * rille.shuffle{ size = N [, seed = 1] }
 * s:add(x, y, …)   the rows of tensors of one length, kept together; an array counts as float32. Gives s.
 * s:batches(n)     for `for x, y, … in`: mini-batches of n rows, as long as `size` rows stay behind
 * s:rest(n)        the same until nothing is left; the last may be smaller
 * #s               the rows that are in it
 *
 * Shapes and types that differ from those of the first rows are ordinary errors that name both. The rows
 * count against the state's memory. */
#ifndef RL_LUA_SHUFFLE_H
#define RL_LUA_SHUFFLE_H

#include <lua.h>

#define RL_SHUFFLE_TYPE "rille.shuffle"

int l_shuffle(lua_State *L);            /* rille.shuffle{…} */
void rl_lua_open_shuffle(lua_State *L); /* registers the type */

#endif
