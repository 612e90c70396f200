/* Methods that give a tensor of numbers: what model/tensor_math.h, tensor_fold.h and tensor_pair.h do. */
#include <math.h>

#include "lua/args.h"
#include "lua/fail.h"
#include "lua/tensor_impl.h"
#include "model/tensor_fold.h"
#include "model/tensor_line.h"
#include "model/tensor_math.h"
#include "model/tensor_pair.h"

/* ---- element by element ---- */

/* Floats stay as they are; everything else is worked on as float64. */
static struct rl_tensor *new_float(lua_State *L, const char *call, const struct rl_tensor *t) {
  return rl_lua_new_tensor(L, call, t->dtype == RL_FLOAT32 ? RL_FLOAT32 : RL_FLOAT64, t->rank, t->shape);
}

/* An axis, a base: what other libraries take here would be left out without a word. */
static const struct rl_tensor *self_alone(lua_State *L, const char *call, const char *what) {
  const struct rl_tensor *t = rl_tensor_self_compact(L, call);
  if (lua_gettop(L) > 1) rl_lua_script_error(L, "%s takes no argument: it is %s", call, what);
  return t;
}

static int l_tensor_log(lua_State *L) {
  const struct rl_tensor *t = self_alone(L, "tensor:log", "the natural logarithm");
  rl_tensor_log(new_float(L, "tensor:log", t), t);
  return 1;
}

static int l_tensor_exp(lua_State *L) {
  const struct rl_tensor *t = self_alone(L, "tensor:exp", "that of e");
  rl_tensor_exp(new_float(L, "tensor:exp", t), t);
  return 1;
}

static int l_tensor_normalize(lua_State *L) {
  const struct rl_tensor *t = self_alone(L, "tensor:normalize", "of rows, by their L2 norms");
  rl_tensor_normalize(new_float(L, "tensor:normalize", t), t);
  return 1;
}

static int l_tensor_softmax(lua_State *L) {
  const struct rl_tensor *t = self_alone(L, "tensor:softmax", "along the last axis");
  rl_tensor_softmax(new_float(L, "tensor:softmax", t), t);
  return 1;
}

static double check_number(lua_State *L, int idx, const char *call, const char *what) {
  if (lua_type(L, idx) != LUA_TNUMBER)
    rl_lua_script_error(L, "%s: the %s must be a number, not %s", call, what, luaL_typename(L, idx));
  return lua_tonumber(L, idx);
}

/* What has no NaN is given back as it is. */
static int l_tensor_nan_to(lua_State *L) {
  const struct rl_tensor *t = rl_tensor_self_compact(L, "tensor:nan_to");
  double value = check_number(L, 2, "tensor:nan_to", "value");
  if (rl_dtype_is_float(t->dtype))
    rl_tensor_nan_to(new_float(L, "tensor:nan_to", t), t, value);
  else
    lua_pushvalue(L, 1);
  return 1;
}

/* A bound of integers: the nearest one inside. */
static int64_t int_bound(lua_State *L, int idx, const char *call, const char *what, bool low) {
  if (lua_isnoneornil(L, idx)) return low ? INT64_MIN : INT64_MAX;
  if (lua_isinteger(L, idx)) return lua_tointeger(L, idx);
  double d = check_number(L, idx, call, what);
  if (isnan(d)) rl_lua_script_error(L, "%s: the %s is NaN", call, what);
  d = low ? ceil(d) : floor(d);
  if (d >= 9223372036854775808.0) return INT64_MAX;
  return d < -9223372036854775808.0 ? INT64_MIN : (int64_t)d;
}

static double bound(lua_State *L, int idx, const char *call, const char *what, bool low) {
  if (lua_isnoneornil(L, idx)) return low ? -HUGE_VAL : HUGE_VAL;
  double d = check_number(L, idx, call, what);
  if (isnan(d)) rl_lua_script_error(L, "%s: the %s is NaN", call, what);
  return d;
}

/* Bounds of an integer type that it does not hold change nothing: its numbers are all inside. */
static int64_t into(enum rl_dtype dtype, int64_t x) {
  int64_t low = dtype == RL_INT64 ? INT64_MIN : dtype == RL_INT32 ? INT32_MIN : 0;
  int64_t high = dtype == RL_INT64 ? INT64_MAX : dtype == RL_INT32 ? INT32_MAX : dtype == RL_UINT8 ? 255 : 1;
  return x < low ? low : x > high ? high : x;
}

static int l_tensor_clip(lua_State *L) {
  static const char call[] = "tensor:clip";
  const struct rl_tensor *t = rl_tensor_self_compact(L, call);
  if (rl_dtype_is_float(t->dtype)) {
    double low = bound(L, 2, call, "lower bound", true), high = bound(L, 3, call, "upper bound", false);
    rl_tensor_clip(new_float(L, call, t), t, low, high);
    return 1;
  }
  int64_t low = into(t->dtype, int_bound(L, 2, call, "lower bound", true));
  int64_t high = into(t->dtype, int_bound(L, 3, call, "upper bound", false));
  rl_tensor_clip_int(rl_lua_new_tensor(L, call, t->dtype, t->rank, t->shape), t, low, high);
  return 1;
}

/* A number, an array or a tensor at idx as float64 numbers: one, or as many as `t` has columns. Its place on
 * the stack is taken by what holds them. */
static const double *check_columns(lua_State *L, int idx, const char *call, const char *what,
                                   const struct rl_tensor *t, size_t *n) {
  char a[RL_SHAPE_TEXT], b[RL_SHAPE_TEXT];
  struct rl_err err;
  if (lua_type(L, idx) == LUA_TNUMBER) {
    lua_createtable(L, 1, 0);
    lua_pushvalue(L, idx);
    lua_rawseti(L, -2, 1);
    lua_replace(L, idx);
  }
  if (lua_istable(L, idx)) {
    rl_tensor_from_table(L, idx, call, RL_FLOAT64);
    lua_replace(L, idx);
  }
  const struct rl_tensor *from = rl_lua_compact_tensor(L, idx, call, what);
  struct rl_tensor *to = rl_lua_new_tensor(L, call, RL_FLOAT64, from->rank, from->shape);
  if (rl_tensor_convert(to, from, &err)) luaL_error(L, "%s: %s", call, err.text);
  lua_replace(L, idx);
  *n = rl_tensor_count(to);
  int64_t width = t->rank ? t->shape[t->rank - 1] : 1;
  if (*n == 1 || (to->rank == 1 && to->shape[0] == width)) return (const double *)(const void *)to->data;
  luaL_error(L, "%s: %s of shape %s does not go with %s: one number, or one a column", call, what,
             rl_shape_text(a, to->rank, to->shape), rl_shape_text(b, t->rank, t->shape));
  return NULL;
}

static int l_tensor_scale(lua_State *L) {
  static const char call[] = "tensor:scale";
  size_t n_mean, n_deviation;
  lua_settop(L, 3);
  const struct rl_tensor *t = rl_tensor_self_compact(L, call);
  const double *mean = check_columns(L, 2, call, "the mean", t, &n_mean);
  const double *deviation = check_columns(L, 3, call, "the deviation", t, &n_deviation);
  rl_tensor_scale(new_float(L, call, t), t, mean, n_mean, deviation, n_deviation);
  return 1;
}

static int l_tensor_to(lua_State *L) {
  struct rl_err err;
  const struct rl_tensor *t = rl_tensor_self_compact(L, "tensor:to");
  if (lua_isnoneornil(L, 2)) rl_lua_script_error(L, "tensor:to: a type is missing, as in \"float32\"");
  enum rl_dtype dtype = rl_lua_check_dtype(L, 2, "tensor:to", t->dtype);
  if (dtype == t->dtype) {
    lua_pushvalue(L, 1);
    return 1;
  }
  struct rl_tensor *to = rl_lua_new_tensor(L, "tensor:to", dtype, t->rank, t->shape);
  if (rl_tensor_convert(to, t, &err)) luaL_error(L, "tensor:to: %s", err.text);
  return 1;
}

const luaL_Reg rl_tensor_math[] = {
    {"log", l_tensor_log},         {"exp", l_tensor_exp},       {"normalize", l_tensor_normalize},
    {"softmax", l_tensor_softmax}, {"nan_to", l_tensor_nan_to}, {"clip", l_tensor_clip},
    {"scale", l_tensor_scale},     {"to", l_tensor_to},         {NULL, NULL}};

/* ---- sums and their kin ---- */

/* Over all: a Lua number, in full precision; nil where there is none. */
static int fold_all(lua_State *L, const char *call, enum rl_fold fold, const struct rl_tensor *t) {
  struct rl_err err;
  int64_t value[1];
  struct rl_tensor to = {.data = (char *)value, .dtype = rl_tensor_fold_dtype(fold, t->dtype)};
  bool wide = fold == RL_SUM || fold == RL_MEAN || fold == RL_STD;
  if (wide && to.dtype == RL_FLOAT32) to.dtype = RL_FLOAT64;
  if (fold >= RL_MIN && rl_tensor_count(t) == 0) return 0;
  if (rl_tensor_fold(fold, t, -1, &to, &err)) luaL_error(L, "%s: %s", call, err.text);
  if (fold == RL_ARGMAX && value[0] == 0) return 0;
  rl_lua_push_element(L, to.dtype, to.data);
  return 1;
}

static int fold(lua_State *L, const char *call, enum rl_fold which) {
  struct rl_err err;
  int64_t shape[RL_RANK_MAX];
  const struct rl_tensor *t = rl_tensor_self_compact(L, call);
  int axis = rl_tensor_arg_axis(L, 2, call, t);
  if (axis < 0) return fold_all(L, call, which, t);
  for (int i = 0; i < t->rank - 1; i++) shape[i] = t->shape[i + (i >= axis)];
  const struct rl_tensor *to =
      rl_lua_new_tensor(L, call, rl_tensor_fold_dtype(which, t->dtype), t->rank - 1, shape);
  if (rl_tensor_fold(which, t, axis, to, &err)) luaL_error(L, "%s: %s", call, err.text);
  if (to->rank == 0) rl_lua_push_element(L, to->dtype, to->data);
  return 1;
}

static int l_tensor_sum(lua_State *L) { return fold(L, "tensor:sum", RL_SUM); }
static int l_tensor_mean(lua_State *L) { return fold(L, "tensor:mean", RL_MEAN); }
static int l_tensor_std(lua_State *L) { return fold(L, "tensor:std", RL_STD); }
static int l_tensor_min(lua_State *L) { return fold(L, "tensor:min", RL_MIN); }
static int l_tensor_max(lua_State *L) { return fold(L, "tensor:max", RL_MAX); }
static int l_tensor_argmax(lua_State *L) { return fold(L, "tensor:argmax", RL_ARGMAX); }

const luaL_Reg rl_tensor_folds[] = {
    {"sum", l_tensor_sum}, {"mean", l_tensor_mean},     {"std", l_tensor_std}, {"min", l_tensor_min},
    {"max", l_tensor_max}, {"argmax", l_tensor_argmax}, {NULL, NULL}};
