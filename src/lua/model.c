#include "lua/model.h"

#include <lauxlib.h>
#include <string.h>

#include "base/str.h"
#include "lua/args.h"
#include "lua/fail.h"
#include "lua/limits.h"
#include "lua/members.h"
#include "lua/model_inputs.h"
#include "lua/tensor.h"

/* Registry: the types' metatables, to be found without making a string: finalizers may have no memory. */
static const char model_key, outcome_key;

/* User values: the tables of inputs (1) and outputs (2), the URI (3). They outlive the closing. */
struct model {
  struct rl_model *m; /* NULL: closed */
};

/* A hold on the model: whatever asks Lua for memory may run a finalizer, and that may close it. And what a
 * run gave, until it is the script's: pushing may raise. */
struct outcome {
  struct rl_model *m;
  struct rl_model_value *outputs;
  size_t n;
};

/* What ends a wait: the limits; without them, in the library form, a hook that somebody set on the main
 * thread meanwhile, which is how lua5.4 answers Ctrl-C. Only its own thread looks at a state's hook. */
struct patience {
  struct rl_limits *limits;
  lua_State *main;
  lua_Hook hook;
};

static bool go_on(void *arg) {
  const struct patience *p = arg;
  return p->limits ? !rl_limits_due(p->limits) : lua_gethook(p->main) == p->hook;
}

static struct patience be_patient(lua_State *L) {
  struct patience p = {.limits = rl_limits_find(L)};
  lua_rawgeti(L, LUA_REGISTRYINDEX, LUA_RIDX_MAINTHREAD);
  p.main = lua_tothread(L, -1);
  lua_pop(L, 1);
  p.hook = lua_gethook(p.main);
  return p;
}

/* An end that limits.time or a stop asked for is theirs, whatever the backend calls it. (A time that a server
 * let pass is the weather all the same: rl_limits_excuse.) */
__attribute__((noreturn)) static void raise(lua_State *L, int rc, const struct rl_err *err) {
  rl_limits_check(L);
  if (rc == RL_ETRANSIENT) rl_lua_weather(L, "%s", err->text);
  if (rc == RL_EUSAGE) rl_lua_script_error(L, "%s", err->text);
  luaL_error(L, "%s", err->text);
  __builtin_unreachable();
}

static void set_metatable(lua_State *L, const char *key) {
  lua_rawgetp(L, LUA_REGISTRYINDEX, key);
  lua_setmetatable(L, -2);
}

/* ---- opening ---- */

static void push_shape(lua_State *L, const struct rl_model_port *port) {
  lua_createtable(L, port->rank > 0 ? port->rank : 0, 0);
  for (int i = 0; i < port->rank; i++) {
    lua_pushinteger(L, port->shape[i] < 0 ? -1 : port->shape[i]);
    lua_rawseti(L, -2, i + 1);
  }
}

static void push_ports(lua_State *L, const struct rl_model_ports *ports) {
  lua_createtable(L, (int)ports->n, 0);
  for (size_t i = 0; i < ports->n; i++) {
    const struct rl_model_port *port = &ports->at[i];
    lua_createtable(L, 0, 3);
    lua_pushstring(L, port->name);
    lua_setfield(L, -2, "name");
    lua_pushstring(L, rl_dtype_name(port->dtype));
    lua_setfield(L, -2, "dtype");
    if (port->rank >= 0) {
      push_shape(L, port);
      lua_setfield(L, -2, "shape");
    }
    lua_rawseti(L, -2, (lua_Integer)i + 1);
  }
}

/* A model that cannot be opened is the script's failure; only one that is not there now is the weather. */
int l_model(lua_State *L) {
  struct rl_model_opts opts;
  struct rl_err err;
  lua_settop(L, 2);
  const char *uri = rl_arg_text(L, 1, "rille.model", "URI", NULL);
  rl_lua_model_options(L, 2, &opts);
  struct patience patience = be_patient(L);
  struct model *model = lua_newuserdatauv(L, sizeof *model, 3);
  model->m = NULL;
  set_metatable(L, &model_key);
  int rc = rl_model_open(&model->m, uri, &opts, go_on, &patience, &err);
  if (rc == RL_ETRANSIENT && patience.limits && rl_model_uri_is_served(uri))
    rl_limits_excuse(patience.limits);
  if (rc) raise(L, rc == RL_ETRANSIENT ? rc : RL_EUSAGE, &err);
  push_ports(L, rl_model_inputs(model->m));
  lua_setiuservalue(L, -2, 1);
  push_ports(L, rl_model_outputs(model->m));
  lua_setiuservalue(L, -2, 2);
  lua_pushstring(L, rl_model_uri(model->m));
  lua_setiuservalue(L, -2, 3);
  return 1;
}

static struct model *check_type(lua_State *L, const char *call) {
  struct model *model = rl_arg_userdata(L, 1, &model_key);
  if (!model) rl_lua_script_error(L, "%s: it is no model but a %s", call, luaL_typename(L, 1));
  return model;
}

static struct model *check_model(lua_State *L, const char *call) {
  struct model *model = check_type(L, call);
  if (!model->m) rl_lua_script_error(L, "%s: the model is closed", call);
  return model;
}

/* ---- a run ---- */

static void let_go(struct outcome *o) {
  struct outcome was = *o;
  *o = (struct outcome){0};
  rl_model_values_free(was.outputs, was.n);
  rl_model_close(was.m);
}

static int l_outcome_gc(lua_State *L) {
  struct outcome *o = rl_arg_userdata(L, 1, &outcome_key);
  if (o) let_go(o);
  return 0;
}

/* Pushes a hold on the model at 1. */
static struct outcome *hold(lua_State *L, const char *call) {
  struct outcome *o = lua_newuserdatauv(L, sizeof *o, 0);
  *o = (struct outcome){0};
  set_metatable(L, &outcome_key);
  o->m = rl_model_share(check_model(L, call)->m);
  return o;
}

static void push_output(lua_State *L, struct rl_model_value *value) {
  struct rl_tensor *held = rl_lua_hold_tensor(L);
  *held = value->t;
  value->t = (struct rl_tensor){0};
  rl_lua_tensor_made(L, held);
}

static void push_outputs(lua_State *L, struct outcome *o) {
  if (o->n == 1) {
    push_output(L, &o->outputs[0]);
    return;
  }
  lua_createtable(L, 0, (int)o->n);
  for (size_t i = 0; i < o->n; i++) {
    push_output(L, &o->outputs[i]);
    lua_setfield(L, -2, o->outputs[i].name ? o->outputs[i].name : "");
  }
}

static int run(lua_State *L, const struct rl_model_value *inputs, size_t n, struct outcome *o,
               struct rl_err *err) {
  struct patience patience = be_patient(L);
  struct rl_limits *limits = patience.limits;
  struct rl_tensor_alloc alloc = rl_lua_tensor_alloc(L);
  bool served = rl_model_is_served(o->m); /* then it is this thread that asks */
  struct rl_model_run call = {.inputs = inputs,
                              .n_inputs = n,
                              .alloc = &alloc,
                              .go_on = limits || served ? go_on : NULL,
                              .arg = &patience};
  int rc = rl_model_run(o->m, &call, err);
  if (rc == RL_ETRANSIENT && served && limits) rl_limits_excuse(limits);
  o->outputs = call.outputs;
  o->n = call.n_outputs;
  return rc;
}

static int l_model_call(lua_State *L) {
  struct rl_err err;
  size_t n;
  check_model(L, "model");
  rl_lua_model_one_argument(L);
  struct outcome *outcome = hold(L, "model");
  struct rl_model_value *inputs = rl_lua_model_inputs(L, &n);
  int rc = run(L, inputs, n, outcome, &err);
  for (int tries = 0; rc == RL_ENOMEM; tries++) {
    rl_lua_tensor_memory(L, tries > 0);
    rc = run(L, inputs, n, outcome, &err);
  }
  if (!rc) push_outputs(L, outcome);
  let_go(outcome);
  if (rc) raise(L, rc, &err);
  return 1;
}

/* ---- members ---- */

static int l_model_gc(lua_State *L) {
  struct model *model = rl_arg_userdata(L, 1, &model_key);
  if (!model) return 0;
  struct rl_model *m = model->m;
  model->m = NULL;
  rl_model_close(m);
  return 0;
}

static int l_model_close(lua_State *L) {
  check_type(L, "model:close");
  return l_model_gc(L);
}

static int l_model_index(lua_State *L) {
  static const char *const members[] = {"inputs", "outputs", "uri", "close"};
  check_type(L, "model");
  const char *name = lua_type(L, 2) == LUA_TSTRING ? lua_tostring(L, 2) : "";
  if (strcmp(name, "inputs") == 0 || strcmp(name, "outputs") == 0)
    lua_getiuservalue(L, 1, *name == 'i' ? 1 : 2);
  else if (strcmp(name, "uri") == 0)
    lua_getiuservalue(L, 1, 3);
  else if (strcmp(name, "close") == 0)
    lua_pushcfunction(L, l_model_close);
  else {
    const char *near = rl_nearest(name, members, sizeof members / sizeof *members);
    rl_lua_script_error(L, "a model has no '%.80s'%s%s%s: it is called with tensors, m(t)", name,
                        near ? " (did you mean '" : "", near ? near : "", near ? "'?)" : "");
  }
  return 1;
}

static void add_ports(luaL_Buffer *out, const struct rl_model_ports *ports) {
  char port[RL_PORT_TEXT];
  for (size_t i = 0; i < ports->n; i++) {
    luaL_addstring(out, i ? ", " : "");
    luaL_addstring(out, rl_model_port_text(port, &ports->at[i]));
  }
}

/* "model onnx:susy.onnx (features float32 [?, 18]) -> (score float32 [?, 1])" */
static void push_description(lua_State *L, const struct rl_model *m) {
  luaL_Buffer text;
  luaL_buffinit(L, &text);
  luaL_addstring(&text, "model ");
  luaL_addstring(&text, rl_model_uri(m));
  luaL_addstring(&text, " (");
  add_ports(&text, rl_model_inputs(m));
  luaL_addstring(&text, ") -> (");
  add_ports(&text, rl_model_outputs(m));
  luaL_addstring(&text, ")");
  luaL_pushresult(&text);
}

static int l_model_tostring(lua_State *L) {
  struct model *model = rl_arg_userdata(L, 1, &model_key);
  if (!model || !model->m) {
    lua_pushliteral(L, "model (closed)");
    return 1;
  }
  struct outcome *held = hold(L, "model");
  push_description(L, held->m);
  let_go(held);
  return 1;
}

void rl_lua_open_model(lua_State *L) {
  static const luaL_Reg meta[] = {
      {"__call", l_model_call}, {"__index", l_model_index},       {"__gc", l_model_gc},
      {"__close", l_model_gc},  {"__tostring", l_model_tostring}, {NULL, NULL}};
  static const luaL_Reg outcome[] = {{"__gc", l_outcome_gc}, {NULL, NULL}};
  luaL_newlib(L, meta);
  lua_pushliteral(L, RL_MODEL_TYPE);
  lua_setfield(L, -2, "__name");
  rl_lua_seal_type(L, "a model", &model_key);
  lua_pop(L, 1);
  luaL_newlib(L, outcome);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &outcome_key);
}
