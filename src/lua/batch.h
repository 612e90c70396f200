/* The userdata "rille.batch": a view of the lane's batch as a script sees it.
 *
 * A script may keep it, but it reads nothing once the host has released the batch: every access checks
 * `closed` first and raises "batch 12 is over: …". Views (where, parts) are userdata of the same type that
 * keep the root alive through a user value.
 *
 *   user value 1  the environment, a table that a root and all its views share: [row + 1] messages (one for
 *                 each row, also where a message has several),
 *                 "decoded" what the script's own decode made of them, "reader" what reads whole values
 *                 that are no JSON, "stream" in the library form
 *   user value 2  the root, for views
 *   user value 3  this view's columns by name, once one was asked for */
#ifndef RL_LUA_BATCH_H
#define RL_LUA_BATCH_H

#include <lua.h>

#include "stream/batch.h"

#define RL_BATCH_TYPE "rille.batch"

struct rl_lua_batch {
  struct rl_batch *batch; /* NULL once closed; of a view: as of the last check */
  struct rl_lua_batch *root;
  uint32_t *rows; /* of the batch, ascending; part of the userdata */
  size_t n;
  int attempt;
  size_t part_at, parts_of;
  bool several; /* its messages do not have one row each */
  int64_t number;
};

/* Pushes a view as a new root userdata. */
void rl_lua_push_batch(lua_State *L, const struct rl_view *view);
/* The batch at idx, open; raises a clear error else. */
struct rl_lua_batch *rl_lua_check_batch(lua_State *L, int idx);
/* The batch at idx, open or not; NULL when it is none. */
struct rl_lua_batch *rl_lua_test_batch(lua_State *L, int idx);
/* Pushes a batch that holds the given rows (numbers of rl_batch rows) of the batch at idx: a view of it. */
void rl_lua_push_view(lua_State *L, int idx, const uint32_t *rows, size_t n);
/* Closes the batch userdata at idx and all that came of it. Does not raise. */
void rl_lua_close_batch(lua_State *L, int idx);

void rl_lua_open_batch(lua_State *L); /* registers the types batch and message */
/* Adds a method (the library form's `done`). Pops nothing. */
void rl_lua_batch_method(lua_State *L, const char *name, lua_CFunction fn);
/* Is NAME a method or property, so that batch.NAME is not the column of that name? (S8.5) */
bool rl_lua_batch_has(const char *name);

/* Columns (lua/columns.c). */

/* Pushes a fresh Lua array of the column's values in the view's rows, holes where missing or null. */
void rl_lua_push_column(lua_State *L, const struct rl_lua_batch *b, size_t field);
/* Pushes the value of a row's field: NaN for a missing one that is a single f64 or f32, else nil. */
void rl_lua_push_field(lua_State *L, const struct rl_batch *batch, size_t field, uint32_t row);
/* Pushes the batch's table `columns`, which fills as it is read. */
void rl_lua_push_columns(lua_State *L, int idx);
/* Pushes the column called as the string at `name`; unknown: a script failure with the nearest name. */
void rl_lua_push_column_named(lua_State *L, int idx, int name);
/* Raises that failure: what is asked, whose fields. */
__attribute__((noreturn)) void rl_lua_no_field(lua_State *L, const struct rl_fields *fields,
                                               const char *name);
int l_batch_rows(lua_State *L);

#endif
