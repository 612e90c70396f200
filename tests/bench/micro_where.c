/* micro_where: what batch:where costs: in C over the cells of the columns, and by the loop that is generated
 * in Lua, beside a loop that is written in Lua by hand. No broker, one core.
 *
 *   micro_where [SECONDS] [ROWS]
 *
 * Prints a line an expression: ns a row in C (or `-`, where it needs Lua); by the generated loop, which makes
 * its columns into arrays first; by the loop by hand over arrays that are there. All must pass the same rows.
 */
#include <lauxlib.h>
#include <lualib.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/mem.h"
#include "lua/fail.h"
#include "lua/where.h"
#include "lua/where_object.h"

static const char names[] = "rb,nbad,fwhm,elong,magdiff";

static const struct {
  const char *expression, *by_hand;
} jobs[] = {
    {"rb >= 0.65", "rb[i] and rb[i] >= 0.65"},
    {"rb >= 0.65 and nbad == 0", "rb[i] and rb[i] >= 0.65 and nbad[i] == 0"},
    {"rb >= 0.65 and nbad == 0 and fwhm <= 5 and elong <= 1.2 and magdiff between -0.1 and 0.1",
     "rb[i] and rb[i] >= 0.65 and nbad[i] == 0 and fwhm[i] and fwhm[i] <= 5 and elong[i] and elong[i] <= 1.2 "
     "and magdiff[i] and magdiff[i] >= -0.1 and magdiff[i] <= 0.1"},
    {"rb >= 0.65 and nbad == 0 and fwhm <= 5 and elong <= 1.2 and abs(magdiff) <= 0.1",
     "rb[i] and rb[i] >= 0.65 and nbad[i] == 0 and fwhm[i] and fwhm[i] <= 5 and elong[i] and elong[i] <= 1.2 "
     "and magdiff[i] and math.abs(magdiff[i]) <= 0.1"},
    {"rb + 0.1 * fwhm < 1 or not (elong > 1.1)",
     "(rb[i] and fwhm[i] and rb[i] + 0.1 * fwhm[i] < 1) or (elong[i] and not (elong[i] > 1.1))"},
};

struct bench {
  lua_State *L;
  struct rl_fields fields;
  struct rl_columns *columns;
  uint32_t *rows, *out;
  size_t n;
};

/* ---- rows ---- */

/* From 0 to 1, the same in every run. */
static double chance(void) {
  static uint64_t state = 20261201;
  state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (double)(state >> 11) / 0x1p53;
}

static struct rl_cell number(double from, double to) {
  return (struct rl_cell){.tag = RL_DOUBLE, .d = from + (to - from) * chance()};
}

/* As alerts have them: about one in four passes all cuts; one in a hundred lacks a value. */
static void fill(struct bench *b) {
  for (size_t i = 0; i < b->n; i++) {
    size_t row = rl_columns_add_row(b->columns);
    struct rl_cell **col = b->columns->col;
    col[0][row] = number(0.4, 1);
    col[1][row] = (struct rl_cell){.tag = RL_INT, .i = chance() < 0.1};
    col[2][row] = number(1, 5.5);
    col[3][row] = number(1, 1.3);
    col[4][row] = number(-0.15, 0.15);
    if (chance() < 0.01) col[0][row] = (struct rl_cell){.tag = RL_NULL};
    b->rows[i] = (uint32_t)i;
  }
}

/* The columns as global arrays, for the loops by hand. */
static void push_arrays(struct bench *b) {
  for (size_t f = 0; f < b->fields.n; f++) {
    lua_createtable(b->L, (int)b->n, 0);
    for (size_t i = 0; i < b->n; i++) {
      const struct rl_cell *cell = &b->columns->col[f][i];
      if (cell->tag == RL_NULL) continue;
      if (cell->tag == RL_INT)
        lua_pushinteger(b->L, cell->i);
      else
        lua_pushnumber(b->L, cell->d);
      lua_rawseti(b->L, -2, (lua_Integer)i + 1);
    }
    lua_setglobal(b->L, b->fields.at[f].name);
  }
}

static void set_up(struct bench *b) {
  struct rl_err err;
  if (rl_fields_parse(&b->fields, names, &err)) exit(1);
  b->columns = rl_columns_new(&b->fields);
  b->rows = rl_alloc(b->n * sizeof *b->rows);
  b->out = rl_alloc((b->n + 1) * sizeof *b->out);
  fill(b);
  b->L = luaL_newstate();
  luaL_openlibs(b->L);
  rl_lua_open_fail(b->L);
  rl_lua_open_where(b->L);
  push_arrays(b);
}

static void take_down(struct bench *b) {
  lua_close(b->L);
  rl_columns_free(b->columns);
  rl_fields_free(&b->fields);
  rl_free(b->rows);
  rl_free(b->out);
}

/* ---- measuring ---- */

/* How many rows pass: by the "rille.where" at the stack's top, or the function there. */
static size_t pass(struct bench *b, int how) {
  if (how >= 0) return rl_where_select(b->L, -1, b->columns, b->rows, b->n, b->out, (enum rl_where_how)how);
  lua_pushvalue(b->L, -1);
  lua_pushinteger(b->L, (lua_Integer)b->n);
  lua_call(b->L, 1, 1);
  size_t passed = (size_t)lua_tointeger(b->L, -1);
  lua_pop(b->L, 1);
  return passed;
}

/* ns a row: the best of rounds that together take `seconds`, since the machine has other work too. */
static double measure(struct bench *b, int how, double seconds, size_t *passed) {
  double best = 0;
  for (int64_t start = rl_now(), now = start; now - start < rl_seconds(seconds);) {
    int64_t before = now;
    *passed = pass(b, how);
    now = rl_now();
    double cost = (double)(now - before) / (double)b->n;
    if (best == 0 || cost < best) best = cost;
  }
  return best;
}

static void push_by_hand(lua_State *L, const char *condition) {
  lua_pushfstring(L,
                  "local n = ... local out, k = {}, 0 "
                  "local rb, nbad, fwhm, elong, magdiff = rb, nbad, fwhm, elong, magdiff "
                  "for i = 1, n do if %s then k = k + 1 out[k] = i end end return k",
                  condition);
  if (luaL_loadstring(L, lua_tostring(L, -1))) exit(1);
  lua_remove(L, -2);
}

static void report(const char *expression, double in_c, double in_lua, double by_hand, size_t passed) {
  char c[32] = "     -";
  if (in_c > 0) snprintf(c, sizeof c, "%6.1f", in_c);
  printf("  %s in C  %6.1f generated  %6.1f by hand  ns a row, %zu pass: %s\n", c, in_lua, by_hand, passed,
         expression);
}

static int run_job(struct bench *b, size_t job, double seconds) {
  size_t passed = 0, other = 0, third = 0;
  lua_settop(b->L, 0);
  lua_pushstring(b->L, jobs[job].expression);
  bool in_c = rl_where_push(b->L, -1, "micro_where")->in_c;
  double c = in_c ? measure(b, RL_WHERE_BEST, seconds, &other) : 0;
  double lua = measure(b, RL_WHERE_IN_LUA, seconds, &passed);
  push_by_hand(b->L, jobs[job].by_hand);
  double hand = measure(b, -1, seconds, &third);
  report(jobs[job].expression, c, lua, hand, passed);
  if (third == passed && (!in_c || other == passed)) return 0;
  fprintf(stderr, "micro_where: %s: %zu pass in C, %zu by the generated loop, %zu by hand\n",
          jobs[job].expression, other, passed, third);
  return 1;
}

int main(int argc, char **argv) {
  double seconds = argc > 1 ? atof(argv[1]) : 0.3;
  struct bench b = {.fields = RL_FIELDS_INIT, .n = argc > 2 ? strtoul(argv[2], NULL, 10) : 10000};
  int wrong = 0;
  set_up(&b);
  printf("where: %zu rows, 16 bytes a cell\n", b.n);
  for (size_t i = 0; i < sizeof jobs / sizeof *jobs; i++) wrong |= run_job(&b, i, seconds);
  take_down(&b);
  return wrong;
}
