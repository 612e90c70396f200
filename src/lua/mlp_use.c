/* What a network is for: training, scores, its file. */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/str.h"
#include "lua/args.h"
#include "lua/fail.h"
#include "lua/mlp_impl.h"
#include "lua/tensor.h"

enum { AT_SELF = 1, AT_X, AT_Y };

/* A network whose finalizer has run is still there for another finalizer. */
static struct rl_mlp *check_self(lua_State *L, const char *call) {
  struct rl_mlp *m = rl_mlp_self(L, call);
  if (!m->sgemm) luaL_error(L, "%s: the network was collected", call);
  return m;
}

static const float *floats_of(const struct rl_tensor *t) { return (const float *)(const void *)t->data; }

/* x as [n, inputs] of float32, in its place on the stack. Returns n. */
static size_t check_x(lua_State *L, const struct rl_mlp *m, const char *call, struct rl_tensor **x) {
  char shape[RL_SHAPE_TEXT];
  *x = rl_lua_floats(L, AT_X, call, "x");
  if ((*x)->rank != 2 || (*x)->shape[1] != m->spec.sizes[0])
    luaL_error(L, "%s: the shape %s of x does not go with the network's [n, %I]", call,
               rl_shape_text(shape, (*x)->rank, (*x)->shape), (LUAI_UACINT)m->spec.sizes[0]);
  return (size_t)(*x)->shape[0];
}

/* y as [n, outputs], or as [n] where there is one output. */
static void check_y(lua_State *L, const struct rl_mlp *m, const char *call, size_t n, struct rl_tensor **y) {
  char shape[RL_SHAPE_TEXT];
  int64_t outputs = m->spec.sizes[m->spec.layers];
  *y = rl_lua_floats(L, AT_Y, call, "y");
  const struct rl_tensor *t = *y;
  bool fits = (t->rank == 2 && t->shape[1] == outputs) || (t->rank == 1 && outputs == 1);
  if (!fits || (size_t)t->shape[0] != n)
    luaL_error(L, "%s: the shape %s of y does not go with [%I] rows of %I", call,
               rl_shape_text(shape, t->rank, t->shape), (LUAI_UACINT)n, (LUAI_UACINT)outputs);
}

/* The row, from 1, of number i of n. */
static lua_Integer row_of(size_t i, size_t n, size_t rows) {
  size_t row = i / (n / rows) + 1;
  return (lua_Integer)row;
}

/* One row without a number would spoil all weights at once. */
static void check_rows(lua_State *L, const char *call, const struct rl_tensor *x, const struct rl_tensor *y) {
  const float *in = floats_of(x), *label = floats_of(y);
  size_t n_in = rl_tensor_count(x), n_label = rl_tensor_count(y), rows = (size_t)rl_tensor_rows(x);
  for (size_t i = 0; i < n_in; i++)
    if (!isfinite(in[i]))
      luaL_error(L,
                 "%s: row %I of x has %s: leave incomplete rows out (batch:tensor gives the mask of "
                 "complete ones)",
                 call, (LUAI_UACINT)row_of(i, n_in, rows), isnan(in[i]) ? "NaN" : "an infinity");
  for (size_t i = 0; i < n_label; i++)
    if (!(label[i] >= 0 && label[i] <= 1))
      luaL_error(L, "%s: row %I of y is %f: a label is from 0 to 1", call,
                 (LUAI_UACINT)row_of(i, n_label, rows), (LUAI_UACNUMBER)rl_plain_nan((double)label[i]));
}

struct examples {
  struct rl_tensor *x, *y;
  size_t n;
};

static struct examples check_examples(lua_State *L, const struct rl_mlp *m, const char *call) {
  struct examples e;
  lua_settop(L, AT_Y);
  e.n = check_x(L, m, call, &e.x);
  check_y(L, m, call, e.n, &e.y);
  check_rows(L, call, e.x, e.y);
  return e;
}

static int l_mlp_train(lua_State *L) {
  static const char call[] = "mlp:train";
  struct rl_mlp *m = check_self(L, call);
  struct examples e = check_examples(L, m, call);
  struct rl_err err;
  double loss = (double)NAN;
  int rc = 0;
  for (int tries = 0;
       e.n && (rc = rl_mlp_train(m, floats_of(e.x), floats_of(e.y), e.n, &loss, &err)) == RL_ENOMEM; tries++)
    rl_lua_tensor_memory(L, tries > 0);
  if (rc)
    rl_lua_script_error(L, "%s: %s: scale the features (t:scale), or lower the learning_rate", call,
                        err.text);
  lua_pushnumber(L, loss);
  return 1;
}

static int l_mlp_evaluate(lua_State *L) {
  static const char call[] = "mlp:evaluate";
  struct rl_mlp *m = check_self(L, call);
  struct examples e = check_examples(L, m, call);
  struct rl_err err;
  double loss, accuracy;
  for (int tries = 0;
       rl_mlp_evaluate(m, floats_of(e.x), floats_of(e.y), e.n, &loss, &accuracy, &err) == RL_ENOMEM; tries++)
    rl_lua_tensor_memory(L, tries > 0);
  lua_pushnumber(L, loss);
  lua_pushnumber(L, accuracy);
  return 2;
}

/* ---- scores ---- */

/* m{ features = x } is m(x). */
static void take_input(lua_State *L, const char *call) {
  static const char *const names[] = {"features"};
  if (!lua_istable(L, AT_X)) return;
  rl_arg_options(L, AT_X, call, names, 1);
  lua_getfield(L, AT_X, "features");
  lua_replace(L, AT_X);
}

int l_mlp_call(lua_State *L) {
  static const char call[] = "mlp";
  struct rl_mlp *m = check_self(L, call);
  struct rl_tensor *x;
  struct rl_err err;
  lua_settop(L, AT_X);
  take_input(L, call);
  rl_lua_check_tensor(L, AT_X, call, "features");
  size_t n = check_x(L, m, call, &x);
  const int64_t shape[] = {(int64_t)n, m->spec.sizes[m->spec.layers]};
  const struct rl_tensor *scores = rl_lua_new_tensor(L, call, RL_FLOAT32, 2, shape);
  for (int tries = 0; rl_mlp_predict(m, floats_of(x), n, rl_mlp_floats(scores), &err) == RL_ENOMEM; tries++)
    rl_lua_tensor_memory(L, tries > 0);
  return 1;
}

/* ---- files ---- */

static int push_failure(lua_State *L, const char *why) {
  lua_pushnil(L);
  lua_pushstring(L, why);
  return 2;
}

/* true, or nil and a message. */
static int l_mlp_save(lua_State *L) {
  static const char call[] = "mlp:save";
  const struct rl_mlp *m = check_self(L, call);
  struct rl_err err;
  if (rl_mlp_save(m, rl_arg_text(L, 2, call, "path", NULL), &err)) return push_failure(L, err.text);
  lua_pushboolean(L, true);
  return 1;
}

static int read_spec(const char *path, struct rl_mlp_spec *spec, struct rl_err *err) {
  FILE *file = fopen(path, "rb");
  if (!file) return rl_fail(err, RL_EFAIL, "%s: %s", path, strerror(errno));
  int rc = rl_mlp_read_spec(file, spec, err);
  fclose(file); /* it was only read */
  return rc ? rl_err_prefix(err, "%s: ", path) : 0;
}

/* The file again: none is held open while memory is asked for, which may raise. */
static int read_weights(const char *path, struct rl_mlp *m, struct rl_err *err) {
  FILE *file = fopen(path, "rb");
  if (!file) return rl_fail(err, RL_EFAIL, "%s: %s", path, strerror(errno));
  int rc = rl_mlp_read_weights(file, m, err);
  fclose(file);
  return rc ? rl_err_prefix(err, "%s: ", path) : 0;
}

int l_mlp_load(lua_State *L) {
  static const char call[] = "rille.mlp.load";
  struct rl_mlp_spec spec = rl_mlp_defaults();
  struct rl_err err;
  uint64_t seed = 1;
  lua_settop(L, 2);
  const char *path = rl_arg_text(L, 1, call, "path", NULL);
  if (read_spec(path, &spec, &err)) return push_failure(L, err.text);
  struct rl_mlp_spec wanted = spec;
  rl_mlp_options(L, 2, call, &wanted, &seed);
  if (rl_mlp_check(&wanted, &err)) rl_lua_script_error(L, "%s: %s", call, err.text);
  struct rl_mlp *m = rl_mlp_push(L, call, &spec, seed);
  if (read_weights(path, m, &err)) return push_failure(L, err.text);
  m->spec = wanted;
  return 1;
}

static bool same_sizes(const struct rl_mlp_spec *a, const struct rl_mlp_spec *b) {
  return a->layers == b->layers &&
         memcmp(a->sizes, b->sizes, (size_t)(a->layers + 1) * sizeof *a->sizes) == 0;
}

/* m:load(path): into a network of its own first, so that a damaged file changes nothing. */
static int l_mlp_reload(lua_State *L) {
  static const char call[] = "mlp:load";
  struct rl_mlp *m = check_self(L, call), was;
  struct rl_mlp_spec spec = rl_mlp_defaults();
  struct rl_err err;
  const char *path = rl_arg_text(L, 2, call, "path", NULL);
  if (read_spec(path, &spec, &err)) return push_failure(L, err.text);
  if (!same_sizes(&spec, &m->spec))
    return push_failure(L, lua_pushfstring(L, "%s: a network of other sizes: rille.mlp.load takes it", path));
  struct rl_mlp *fresh = rl_mlp_push(L, call, &spec, 1);
  if (read_weights(path, fresh, &err)) return push_failure(L, err.text);
  was = *m;
  fresh->spec = m->spec;
  fresh->dice = m->dice;
  *m = *fresh;
  *fresh = was;
  lua_pushboolean(L, true);
  return 1;
}

const luaL_Reg rl_mlp_methods[] = {{"train", l_mlp_train},
                                   {"evaluate", l_mlp_evaluate},
                                   {"save", l_mlp_save},
                                   {"load", l_mlp_reload},
                                   {NULL, NULL}};
