/* Which rows: a mask, or positions; for t:rows and batch:select. */
#include "lua/args.h"
#include "lua/fail.h"
#include "lua/tensor_impl.h"
#include "model/tensor_line.h"

static const uint32_t *rows_of_mask(lua_State *L, const struct rl_tensor *mask, const char *call, size_t n,
                                    size_t *count) {
  char shape[RL_SHAPE_TEXT];
  if (mask->rank != 1 || (size_t)mask->shape[0] != n)
    luaL_error(
        L, "%s: a mask of shape %s does not go with [%I] rows%s", call,
        rl_shape_text(shape, mask->rank, mask->shape), (LUAI_UACINT)n,
        mask->rank == 2 && (size_t)mask->shape[0] == n ? ": mask:column(1) is one of its columns" : "");
  uint32_t *rows = lua_newuserdatauv(L, (n + 1) * sizeof *rows, 0);
  size_t kept = 0;
  for (size_t i = 0; i < n; i++) {
    rows[kept] = (uint32_t)i;
    kept += mask->data[(int64_t)i * mask->stride[0]] != 0;
  }
  *count = kept;
  return rows;
}

static uint32_t check_position(lua_State *L, const char *call, int64_t i, size_t n) {
  if (i < 1 || (uint64_t)i > n)
    luaL_error(L, "%s: there is no row %I among %I", call, (LUAI_UACINT)i, (LUAI_UACINT)n);
  return (uint32_t)(i - 1);
}

static const uint32_t *rows_of_positions(lua_State *L, const struct rl_tensor *t, const char *call, size_t n,
                                         size_t *count) {
  char shape[RL_SHAPE_TEXT];
  bool integers = t->dtype == RL_INT64 || t->dtype == RL_INT32;
  if (t->rank != 1 || !integers)
    rl_lua_script_error(L, "%s: a mask (bool) or positions (int64, int32) of shape [n] are wanted, not %s %s",
                        call, rl_dtype_name(t->dtype), rl_shape_text(shape, t->rank, t->shape));
  *count = (size_t)t->shape[0];
  uint32_t *rows = lua_newuserdatauv(L, (*count + 1) * sizeof *rows, 0);
  struct rl_line line = {t->data, t->dtype, t->stride[0]};
  for (size_t i = 0; i < *count; i++) {
    int64_t position;
    rl_line_load_int(&line, 1, &position);
    rl_line_skip(&line, 1);
    rows[i] = check_position(L, call, position, n);
  }
  return rows;
}

static const uint32_t *rows_of_table(lua_State *L, int idx, const char *call, size_t n, size_t *count) {
  *count = lua_rawlen(L, idx);
  uint32_t *rows = lua_newuserdatauv(L, (*count + 1) * sizeof *rows, 0);
  for (size_t i = 0; i < *count; i++) {
    lua_rawgeti(L, idx, (lua_Integer)i + 1);
    rows[i] = check_position(L, call, rl_arg_integer(L, -1, call, "position"), n);
    lua_pop(L, 1);
  }
  return rows;
}

const uint32_t *rl_lua_push_rows(lua_State *L, int idx, const char *call, size_t n, size_t *count) {
  const struct rl_tensor *t = rl_lua_test_tensor(L, idx);
  if (t && t->dtype == RL_TRUTH) return rows_of_mask(L, t, call, n, count);
  if (t) return rows_of_positions(L, t, call, n, count);
  if (lua_istable(L, idx)) return rows_of_table(L, lua_absindex(L, idx), call, n, count);
  rl_lua_script_error(L, "%s: a mask (a bool tensor) or a list of positions is wanted, not %s", call,
                      luaL_typename(L, idx));
}

/* Rows at equal distances are a view: all of them, a run, every second one. */
static bool evenly(const uint32_t *rows, size_t n, int64_t *step) {
  *step = n > 1 ? (int64_t)rows[1] - rows[0] : 1;
  for (size_t i = 2; i < n; i++)
    if ((int64_t)rows[i] - rows[i - 1] != *step) return false;
  return true;
}

int l_tensor_rows(lua_State *L) {
  static const char call[] = "tensor:rows";
  const struct rl_tensor *t = rl_tensor_self(L, call);
  size_t n;
  int64_t step, shape[RL_RANK_MAX];
  if (t->rank == 0) rl_lua_script_error(L, "%s: a tensor of shape [] has no rows", call);
  const uint32_t *rows = rl_lua_push_rows(L, 2, call, (size_t)t->shape[0], &n);
  if (evenly(rows, n, &step)) {
    struct rl_tensor view = rl_tensor_range(t, n ? rows[0] : 0, (int64_t)n, step);
    rl_lua_push_tensor(L, &view);
    return 1;
  }
  for (int i = 0; i < t->rank; i++) shape[i] = i ? t->shape[i] : (int64_t)n;
  rl_tensor_gather(rl_lua_new_tensor(L, call, t->dtype, t->rank, shape), t, rows);
  return 1;
}
