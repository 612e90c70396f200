/* batch:group_by: the rows by a column's values. */
#include <math.h>

#include "lua/args.h"
#include "lua/batch.h"
#include "lua/json.h"

enum { NO_GROUP = -1 };

/* The places on the stack while rows are put into groups, and then what the iterator keeps. */
enum { AT_BATCH = 1, AT_COLUMN, AT_VALUES, AT_SEEN, AT_WIDE };

static bool has_value(const struct rl_cell *cell) {
  switch (cell->tag) {
    case RL_BOOL:
    case RL_INT:
    case RL_BIG:
    case RL_TEXT:
    case RL_BLOB: return true;
    case RL_DOUBLE: return !isnan(cell->d);
    default: return false;
  }
}

/* A new group, for the key at the top, which is popped, in the table at `seen`. */
static lua_Integer add_group(lua_State *L, const struct rl_cell *cell, int seen) {
  lua_Integer group = (lua_Integer)lua_rawlen(L, AT_VALUES) + 1;
  lua_pushinteger(L, group);
  lua_rawset(L, seen);
  rl_lua_push_cell(L, cell);
  lua_rawseti(L, AT_VALUES, group);
  return group;
}

/* The number of the row's group, from 0. A number too wide for Lua's is known by its text, apart from texts.
 */
static int64_t group_of(lua_State *L, const struct rl_cell *cell) {
  if (!has_value(cell)) return NO_GROUP;
  int seen = cell->tag == RL_BIG ? AT_WIDE : AT_SEEN;
  if (cell->tag == RL_BIG)
    lua_pushlstring(L, cell->s, cell->len);
  else
    rl_lua_push_cell(L, cell);
  lua_pushvalue(L, -1);
  lua_Integer group = lua_rawget(L, seen) == LUA_TNUMBER ? lua_tointeger(L, -1) : 0;
  lua_pop(L, 1);
  if (group)
    lua_pop(L, 1);
  else
    group = add_group(L, cell, seen);
  return group - 1;
}

/* Rows in groups, each as it stood in the view: begin[g] to begin[g + 1] of rows. */
struct groups {
  uint32_t *begin, *rows;
};

/* Pushes begin and rows. */
static struct groups push_groups(lua_State *L, const struct rl_lua_batch *b, const int64_t *group, size_t n) {
  struct groups g;
  g.begin = lua_newuserdatauv(L, (n + 2) * sizeof *g.begin, 0);
  g.rows = lua_newuserdatauv(L, (b->n + 1) * sizeof *g.rows, 0);
  memset(g.begin, 0, (n + 2) * sizeof *g.begin);
  for (size_t i = 0; i < b->n; i++)
    if (group[i] != NO_GROUP) g.begin[group[i] + 2]++;
  for (size_t i = 2; i < n + 2; i++) g.begin[i] += g.begin[i - 1];
  for (size_t i = 0; i < b->n; i++)
    if (group[i] != NO_GROUP) g.rows[g.begin[group[i] + 1]++] = b->rows[i];
  return g;
}

/* Upvalues: the batch, the values, begin, rows, how many were given, how many there are. */
static int l_group_next(lua_State *L) {
  lua_Integer i = lua_tointeger(L, lua_upvalueindex(5));
  if (i >= lua_tointeger(L, lua_upvalueindex(6))) return 0;
  const uint32_t *begin = lua_touserdata(L, lua_upvalueindex(3));
  const uint32_t *rows = lua_touserdata(L, lua_upvalueindex(4));
  lua_pushinteger(L, i + 1);
  lua_replace(L, lua_upvalueindex(5));
  lua_rawgeti(L, lua_upvalueindex(2), i + 1);
  rl_lua_push_view(L, lua_upvalueindex(1), rows + begin[i], begin[i + 1] - begin[i]);
  return 2;
}

int l_batch_group_by(lua_State *L) {
  struct rl_lua_batch *b = rl_lua_batch_self(L, "batch:group_by");
  size_t field = rl_lua_single_column(L, b->columns, 2, "batch:group_by");
  lua_settop(L, AT_COLUMN);
  for (int table = AT_VALUES; table <= AT_WIDE; table++) lua_newtable(L);
  int64_t *group = lua_newuserdatauv(L, (b->n + 1) * sizeof *group, 0);
  for (size_t i = 0; i < b->n; i++) group[i] = group_of(L, &b->columns->col[field][b->rows[i]]);
  lua_Integer n = (lua_Integer)lua_rawlen(L, AT_VALUES);
  lua_pushvalue(L, AT_BATCH);
  lua_pushvalue(L, AT_VALUES);
  push_groups(L, b, group, (size_t)n);
  lua_pushinteger(L, 0);
  lua_pushinteger(L, n);
  lua_pushcclosure(L, l_group_next, 6);
  return 1;
}
