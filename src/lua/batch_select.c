/* batch:select and batch:sort: the same rows, or some of them, in another order. */
#include <math.h>
#include <stdlib.h>

#include "lua/args.h"
#include "lua/batch.h"
#include "lua/fail.h"
#include "lua/number_order.h"
#include "lua/tensor.h"

/* ---- select ---- */

/* A view holds a row once: `with` finds a row's value by it. */
static void check_once(lua_State *L, const uint32_t *places, size_t n, size_t of) {
  unsigned char *seen = lua_newuserdatauv(L, of + 1, 0);
  memset(seen, 0, of + 1);
  for (size_t i = 0; i < n; i++) {
    if (seen[places[i]]++)
      luaL_error(L, "batch:select: row %I is named twice: a view holds a row once",
                 (LUAI_UACINT)places[i] + 1);
  }
  lua_pop(L, 1);
}

int l_batch_select(lua_State *L) {
  struct rl_lua_batch *b = rl_lua_batch_self(L, "batch:select");
  size_t n;
  lua_settop(L, 2);
  const uint32_t *places = rl_lua_push_rows(L, 2, "batch:select", b->n, &n);
  check_once(L, places, n, b->n);
  uint32_t *rows = lua_newuserdatauv(L, (n + 1) * sizeof *rows, 0);
  for (size_t i = 0; i < n; i++) rows[i] = b->rows[places[i]];
  rl_lua_push_view(L, 1, rows, n);
  return 1;
}

/* ---- sort ---- */

enum order { NUMBERS, TEXTS, BOOLEANS, LAST };

struct entry {
  const struct rl_cell *cell;
  uint32_t row, place; /* the place keeps equal ones as they stood */
  enum order order;
};

static enum order order_of(const struct rl_cell *cell) {
  switch (cell->tag) {
    case RL_INT:
    case RL_BIG: return NUMBERS;
    case RL_DOUBLE: return isnan(cell->d) ? LAST : NUMBERS;
    case RL_TEXT:
    case RL_BLOB: return TEXTS;
    case RL_BOOL: return BOOLEANS;
    default: return LAST;
  }
}

static int by_bytes(const struct rl_cell *a, const struct rl_cell *b) {
  uint32_t shorter = a->len < b->len ? a->len : b->len;
  int order = shorter ? memcmp(a->s, b->s, shorter) : 0;
  return order ? order : (a->len > b->len) - (a->len < b->len);
}

static int by_value(const struct entry *a, const struct entry *b) {
  switch (a->order) {
    case NUMBERS: return rl_number_order(a->cell, b->cell);
    case TEXTS: return by_bytes(a->cell, b->cell);
    case BOOLEANS: return (a->cell->i > b->cell->i) - (a->cell->i < b->cell->i);
    default: return 0;
  }
}

static int compare(const struct entry *a, const struct entry *b, int sign) {
  if (a->order != b->order) return a->order < b->order ? -1 : 1;
  int order = sign * by_value(a, b);
  return order ? order : (a->place > b->place) - (a->place < b->place);
}

static int ascending(const void *a, const void *b) { return compare(a, b, 1); }
static int descending(const void *a, const void *b) { return compare(a, b, -1); }

static bool is_descending(lua_State *L, int idx) {
  if (lua_isnoneornil(L, idx)) return false;
  const char *word = rl_arg_text(L, idx, "batch:sort", "direction", NULL);
  if (strcmp(word, "desc") == 0) return true;
  if (strcmp(word, "asc") == 0) return false;
  rl_lua_script_error(L, "batch:sort: the direction is \"asc\" or \"desc\", not \"%s\"", word);
}

int l_batch_sort(lua_State *L) {
  struct rl_lua_batch *b = rl_lua_batch_self(L, "batch:sort");
  size_t field = rl_lua_single_column(L, b->columns, 2, "batch:sort");
  bool down = is_descending(L, 3);
  struct entry *entries = lua_newuserdatauv(L, (b->n + 1) * sizeof *entries, 0);
  uint32_t *rows = lua_newuserdatauv(L, (b->n + 1) * sizeof *rows, 0);
  for (size_t i = 0; i < b->n; i++) {
    const struct rl_cell *cell = &b->columns->col[field][b->rows[i]];
    entries[i] = (struct entry){cell, b->rows[i], (uint32_t)i, order_of(cell)};
  }
  qsort(entries, b->n, sizeof *entries, down ? descending : ascending);
  for (size_t i = 0; i < b->n; i++) rows[i] = entries[i].row;
  rl_lua_push_view(L, 1, rows, b->n);
  return 1;
}
