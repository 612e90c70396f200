#include "lua/metrics.h"

#include <lauxlib.h>
#include <math.h>
#include <string.h>

#include "lua/args.h"
#include "lua/fail.h"
#include "lua/members.h"
#include "lua/tensor.h"
#include "model/metric.h"

enum { AT_SELF = 1, AT_SCORES, AT_LABELS };

static const char metatable_key; /* registry: the type's metatable, to be found without making a string */

/* ---- making one ---- */

static void read_threshold(lua_State *L, const char *call, struct rl_metric *m) {
  static const char *const names[] = {"threshold"};
  if (!rl_arg_options(L, 1, call, names, 1)) return;
  if (lua_getfield(L, 1, "threshold") != LUA_TNIL) {
    if (lua_type(L, -1) != LUA_TNUMBER)
      rl_lua_script_error(L, "%s: the threshold must be a number, not %s", call, luaL_typename(L, -1));
    m->threshold = lua_tonumber(L, -1);
  }
  lua_pop(L, 1);
}

static struct rl_metric *push_metric(lua_State *L, enum rl_metric_kind kind) {
  struct rl_metric *m = lua_newuserdatauv(L, sizeof *m, 0);
  *m = (struct rl_metric){.kind = kind, .threshold = 0.5};
  luaL_setmetatable(L, RL_METRIC_TYPE);
  return m;
}

static int l_metrics_accuracy(lua_State *L) {
  lua_settop(L, 1);
  read_threshold(L, "rille.metrics.accuracy", push_metric(L, RL_METRIC_ACCURACY));
  return 1;
}

static int l_metrics_confusion(lua_State *L) {
  lua_settop(L, 1);
  read_threshold(L, "rille.metrics.confusion", push_metric(L, RL_METRIC_CONFUSION));
  return 1;
}

static int no_options(lua_State *L, const char *call, enum rl_metric_kind kind) {
  lua_settop(L, 1);
  rl_arg_options(L, 1, call, NULL, 0);
  push_metric(L, kind);
  return 1;
}

static int l_metrics_auc(lua_State *L) { return no_options(L, "rille.metrics.auc", RL_METRIC_AUC); }

static int l_metrics_log_loss(lua_State *L) {
  return no_options(L, "rille.metrics.log_loss", RL_METRIC_LOG_LOSS);
}

/* ---- methods ---- */

static struct rl_metric *self(lua_State *L, const char *call) { return rl_arg_self(L, RL_METRIC_TYPE, call); }

/* [n] or [n, 1] */
static const struct rl_tensor *check_list(lua_State *L, int idx, const char *call, const char *what) {
  char shape[RL_SHAPE_TEXT];
  const struct rl_tensor *t = rl_lua_numbers(L, idx, call, what);
  if (t->rank == 1 || (t->rank == 2 && t->shape[1] == 1)) return t;
  luaL_error(L, "%s: the shape %s of %s is neither [n] nor [n, 1]", call,
             rl_shape_text(shape, t->rank, t->shape), what);
  __builtin_unreachable();
}

static int l_metric_update(lua_State *L) {
  static const char call[] = "metric:update";
  struct rl_metric *m = self(L, call);
  struct rl_tensor_alloc alloc = rl_lua_tensor_alloc(L);
  struct rl_err err;
  char a[RL_SHAPE_TEXT], b[RL_SHAPE_TEXT];
  int rc;
  lua_settop(L, AT_LABELS);
  const struct rl_tensor *scores = check_list(L, AT_SCORES, call, "the scores");
  const struct rl_tensor *labels = check_list(L, AT_LABELS, call, "the labels");
  if (scores->shape[0] != labels->shape[0])
    luaL_error(L, "%s: scores of the shape %s do not go with labels of %s", call,
               rl_shape_text(a, scores->rank, scores->shape), rl_shape_text(b, labels->rank, labels->shape));
  for (int tries = 0; (rc = rl_metric_update(m, scores, labels, &alloc, &err)) == RL_ENOMEM; tries++)
    rl_lua_tensor_memory(L, tries > 0);
  if (rc) luaL_error(L, "%s: %s", call, err.text);
  lua_settop(L, AT_SELF);
  return 1;
}

static void set_count(lua_State *L, const char *name, uint64_t n) {
  lua_pushinteger(L, (lua_Integer)n);
  lua_setfield(L, -2, name);
}

static void set_share(lua_State *L, const char *name, uint64_t part, uint64_t of) {
  lua_pushnumber(L, of ? (double)part / (double)of : (double)NAN);
  lua_setfield(L, -2, name);
}

static void push_confusion(lua_State *L, const struct rl_metric *m) {
  uint64_t tp = m->n[1][1], fp = m->n[0][1], tn = m->n[0][0], fn = m->n[1][0];
  lua_createtable(L, 0, 7);
  set_count(L, "tp", tp);
  set_count(L, "fp", fp);
  set_count(L, "tn", tn);
  set_count(L, "fn", fn);
  set_share(L, "precision", tp, tp + fp);
  set_share(L, "recall", tp, tp + fn);
  set_share(L, "f1", 2 * tp, 2 * tp + fp + fn);
}

static int l_metric_value(lua_State *L) {
  struct rl_metric *m = self(L, "metric:value");
  if (m->kind == RL_METRIC_CONFUSION)
    push_confusion(L, m);
  else
    lua_pushnumber(L, rl_metric_value(m));
  return 1;
}

static int l_metric_reset(lua_State *L) {
  rl_metric_reset(self(L, "metric:reset"));
  return 0;
}

static int l_metric_tostring(lua_State *L) {
  static const char *const names[RL_METRIC_KINDS] = {"accuracy", "auc", "log_loss", "confusion"};
  lua_pushfstring(L, "rille.metrics.%s", names[self(L, "tostring")->kind]);
  return 1;
}

/* Is called for lack of memory too: so it may not need any, not even for the type's name. */
static int l_metric_gc(lua_State *L) {
  struct rl_metric *m = rl_arg_userdata(L, 1, &metatable_key);
  if (m) rl_metric_reset(m);
  return 0;
}

static void set_methods(lua_State *L) {
  static const luaL_Reg methods[] = {
      {"update", l_metric_update}, {"value", l_metric_value}, {"reset", l_metric_reset}, {NULL, NULL}};
  luaL_newlib(L, methods);
  rl_lua_only_members(L, "a metric");
  lua_setfield(L, -2, "__index");
}

void rl_lua_open_metrics(lua_State *L) {
  static const luaL_Reg meta[] = {{"__tostring", l_metric_tostring}, {"__gc", l_metric_gc}, {NULL, NULL}};
  static const luaL_Reg functions[] = {{"accuracy", l_metrics_accuracy},
                                       {"auc", l_metrics_auc},
                                       {"log_loss", l_metrics_log_loss},
                                       {"confusion", l_metrics_confusion},
                                       {NULL, NULL}};
  if (luaL_newmetatable(L, RL_METRIC_TYPE)) {
    luaL_setfuncs(L, meta, 0);
    set_methods(L);
    rl_lua_seal_type(L, "a metric", &metatable_key);
  }
  lua_pop(L, 1);
  luaL_newlib(L, functions);
}
