/* The userdata "rille.batch": a view of the lane's batch as a script sees it.
 *
 * A script may keep it, but it reads nothing once the host has released the batch: every access checks `closed`
 * first and raises "batch 12 is over: …". Views (where, parts) are userdata of the same type that keep the root
 * alive through a user value. User value 1: the environment table of the root (messages by row, columns by name);
 * user value 2 (views): the root userdata. */
#ifndef RL_LUA_BATCH_H
#define RL_LUA_BATCH_H

#include <lua.h>

#include "stream/batch.h"

#define RL_BATCH_TYPE "rille.batch"

struct rl_lua_batch {
  struct rl_batch *batch; /* NULL once closed */
  uint32_t *rows;         /* of the batch, ascending; allocated by Lua, freed by __gc */
  size_t n;
  int attempt;
  size_t part_at, parts_of;
  int64_t number;
};

/* Pushes a view as a new root userdata. */
void rl_lua_push_batch(lua_State *L, const struct rl_view *view);
/* The batch at idx, open; raises a clear error else. */
struct rl_lua_batch *rl_lua_check_batch(lua_State *L, int idx);
/* Pushes a batch that holds the given rows (numbers of rl_batch rows) of the batch at idx: a view of it. */
void rl_lua_push_view(lua_State *L, int idx, const uint32_t *rows, size_t n);
/* Pushes a fresh Lua array of the column's values in the view's rows, holes where missing or null. */
void rl_lua_push_column(lua_State *L, const struct rl_lua_batch *b, size_t field);
/* Closes the batch userdata at idx and all that came of it. */
void rl_lua_close_batch(lua_State *L, int idx);

void rl_lua_open_batch(lua_State *L); /* registers the types batch and message */

#endif
