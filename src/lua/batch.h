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
 *   user value 3  this view's columns by name, once one was asked for
 *   user value 4  what owns the columns that `with` added, for such views and what comes of them */
#ifndef RL_LUA_BATCH_H
#define RL_LUA_BATCH_H

#include <lua.h>

#include "stream/batch.h"

#define RL_BATCH_TYPE "rille.batch"

struct rl_lua_batch {
  struct rl_batch *batch; /* NULL once closed; of a view: as of the last check */
  struct rl_lua_batch *root;
  uint32_t *rows; /* of the batch, in the view's order, none twice; part of the userdata */
  size_t n;
  const struct rl_columns *columns; /* the batch's, and those that `with` added behind them; NULL: none */
  int attempt;
  size_t part_at, parts_of;
  bool several; /* its messages do not have one row each */
  int64_t number, epoch;
};

/* Pushes a view as a new root userdata. */
void rl_lua_push_batch(lua_State *L, const struct rl_view *view);
/* The batch at idx, open; raises a clear error else. */
struct rl_lua_batch *rl_lua_check_batch(lua_State *L, int idx);
/* The batch at idx, open or not; NULL when it is none. */
struct rl_lua_batch *rl_lua_test_batch(lua_State *L, int idx);
/* Pushes a batch that holds the given rows (numbers of rl_batch rows, none twice) of the batch at idx, in
 * that order: a view of it. */
void rl_lua_push_view(lua_State *L, int idx, const uint32_t *rows, size_t n);
/* The batch that a method was called on, open; call: "batch:sort". */
struct rl_lua_batch *rl_lua_batch_self(lua_State *L, const char *call);
/* The view at the top gets these columns; what owns them is at idx. */
void rl_lua_batch_columns(lua_State *L, const struct rl_columns *columns, int idx);
void rl_lua_push_columns_owner(lua_State *L,
                               int idx); /* of the batch at idx; nil: its columns are the root's */
/* Closes the batch userdata at idx and all that came of it. Does not raise. */
void rl_lua_close_batch(lua_State *L, int idx);

void rl_lua_open_batch(lua_State *L); /* registers the types batch and message */
/* Adds a method (the library form's `done`). Pops nothing. */
void rl_lua_batch_method(lua_State *L, const char *name, lua_CFunction fn);
/* Is NAME a method or property, so that batch.NAME is not the column of that name? (S8.5) */
bool rl_lua_batch_has(const char *name);
enum { RL_BATCH_MEMBERS = 15 };
/* The names of all RL_BATCH_MEMBERS methods and properties. */
void rl_lua_batch_members(const char **names);

/* Columns (lua/columns.c). */

/* Pushes a fresh Lua array of the column's values in the view's rows, holes where missing or null. */
void rl_lua_push_column(lua_State *L, const struct rl_lua_batch *b, size_t field);
/* Pushes the value of a row's field: NaN for a missing one that is a single f64 or f32, else nil. */
void rl_lua_push_field(lua_State *L, const struct rl_columns *columns, size_t field, uint32_t row);
/* The column of that name or path, or a script failure with the nearest. columns may be NULL. */
size_t rl_lua_find_field(lua_State *L, const struct rl_columns *columns, const char *name);
/* The same of the name at idx, for a call that wants one value a row: of lists or arrays, a script failure.
 */
size_t rl_lua_single_column(lua_State *L, const struct rl_columns *columns, int idx, const char *call);
/* Pushes the batch's table `columns`, which fills as it is read. */
void rl_lua_push_columns(lua_State *L, int idx);
/* Pushes the column called as the string at `name`; unknown: a script failure with the nearest name. */
void rl_lua_push_column_named(lua_State *L, int idx, int name);
/* Raises that failure: what is asked, whose fields. */
__attribute__((noreturn)) void rl_lua_no_field(lua_State *L, const struct rl_fields *fields,
                                               const char *name);
int l_batch_rows(lua_State *L);

/* Other views (lua/batch_select.c, batch_group.c, batch_with.c) and tensors (batch_tensor.c). */

/* batch:select(mask or positions): the rows that a bool tensor of #batch marks, or those at these positions
 * (from 1; an array or an integer tensor), in that order; no row twice. */
int l_batch_select(lua_State *L);
/* batch:sort(column [, "desc"]): by its values, equal ones as they stood. Numbers come before texts, those
 * before booleans; what is missing, null, NaN, an array or an object comes last, with "desc" too. A column
 * declared as a list or of a shape is a script failure. */
int l_batch_sort(lua_State *L);
/* for value, view in batch:group_by(column): in the order in which the values first appear. Rows without a
 * value (missing, null, NaN), and with an array or object, are in no group. 1 and 1.0 are one value. */
int l_batch_group_by(lua_State *L);
/* batch:with{ name = values, ... }: a view of all rows with more columns, which `where`, rows, sort, group_by
 * and tensor know, and views of it too; messages do not. values: a tensor of #batch numbers, or an array of
 * them, with booleans and texts (n says how many where there are holes). A name that a field or a method has
 * is a script failure. */
int l_batch_with(lua_State *L);
/* batch:tensor({ column, ... } [, dtype]): [#batch, columns] of float32 (or float64), and a bool tensor of
 * #batch: the rows in which every one is a number. Booleans are 1 and 0; what is missing, null, NaN, text, or
 * too large for the type, is NaN. A column of arrays of a declared shape stands alone: [#batch, shape…]. A
 * column declared as text, or a list of no declared shape, is a script failure. */
int l_batch_tensor(lua_State *L);

#endif
