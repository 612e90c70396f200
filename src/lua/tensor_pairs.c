/* Comparisons and operators: a tensor with another, with a number, or with an array. */
#include "lua/args.h"
#include "lua/fail.h"
#include "lua/tensor_impl.h"
#include "model/tensor_pair.h"

/* An operand: what a number is as a tensor lies here. */
struct operand {
  struct rl_tensor t;
  union {
    int64_t i;
    double d;
    char b;
  } own;
};

static void read_operand(lua_State *L, int idx, const char *call, struct operand *to) {
  to->t = (struct rl_tensor){.data = (char *)&to->own};
  if (lua_isinteger(L, idx)) {
    to->own.i = lua_tointeger(L, idx);
    to->t.dtype = RL_INT64;
  } else if (lua_type(L, idx) == LUA_TNUMBER) {
    to->own.d = lua_tonumber(L, idx);
    to->t.dtype = RL_FLOAT64;
  } else if (lua_isboolean(L, idx)) {
    to->own.b = (char)lua_toboolean(L, idx);
    to->t.dtype = RL_TRUTH;
  } else {
    if (lua_istable(L, idx)) {
      rl_tensor_from_table(L, idx, call, RL_DTYPES);
      lua_replace(L, idx);
    }
    to->t = *rl_lua_check_tensor(L, idx, call, "the other side");
  }
}

/* Pushes the result's tensor, for both operands at 1 and 2. */
static struct rl_tensor *new_pair(lua_State *L, const char *call, const struct operand *a,
                                  const struct operand *b, enum rl_dtype dtype) {
  struct rl_err err;
  int64_t shape[RL_RANK_MAX];
  int rank;
  if (rl_tensor_pair_shape(&a->t, &b->t, &rank, shape, &err)) luaL_error(L, "%s: %s", call, err.text);
  return rl_lua_new_tensor(L, call, dtype, rank, shape);
}

static int compare(lua_State *L, const char *call, enum rl_relation relation) {
  struct operand a, b;
  rl_tensor_self(L, call);
  lua_settop(L, 2);
  read_operand(L, 1, call, &a);
  read_operand(L, 2, call, &b);
  rl_tensor_compare(relation, &a.t, &b.t, new_pair(L, call, &a, &b, RL_TRUTH));
  return 1;
}

static int l_tensor_eq(lua_State *L) { return compare(L, "tensor:eq", RL_REL_EQ); }
static int l_tensor_ne(lua_State *L) { return compare(L, "tensor:ne", RL_REL_NE); }
static int l_tensor_lt(lua_State *L) { return compare(L, "tensor:lt", RL_REL_LT); }
static int l_tensor_le(lua_State *L) { return compare(L, "tensor:le", RL_REL_LE); }
static int l_tensor_gt(lua_State *L) { return compare(L, "tensor:gt", RL_REL_GT); }
static int l_tensor_ge(lua_State *L) { return compare(L, "tensor:ge", RL_REL_GE); }

const luaL_Reg rl_tensor_pairs[] = {{"eq", l_tensor_eq}, {"ne", l_tensor_ne}, {"lt", l_tensor_lt},
                                    {"le", l_tensor_le}, {"gt", l_tensor_gt}, {"ge", l_tensor_ge},
                                    {NULL, NULL}};

/* ---- operators: the tensor may be on either side ---- */

/* The type of an operand for arithmetic: a number beside a float takes the float's type, so that t * 0.5 is
 * what t is. */
static enum rl_dtype type_beside(const struct operand *x, const struct operand *other) {
  bool number = x->t.buf == NULL;
  return number && rl_dtype_is_float(other->t.dtype) ? other->t.dtype : x->t.dtype;
}

static int arith(lua_State *L, const char *call, enum rl_arith op) {
  struct operand a, b;
  lua_settop(L, 2);
  read_operand(L, 1, call, &a);
  read_operand(L, 2, call, &b);
  enum rl_dtype dtype = rl_tensor_arith_dtype(op, type_beside(&a, &b), type_beside(&b, &a));
  rl_tensor_arith(op, &a.t, &b.t, new_pair(L, call, &a, &b, dtype));
  return 1;
}

static int l_tensor_add(lua_State *L) { return arith(L, "tensor +", RL_ADD); }
static int l_tensor_sub(lua_State *L) { return arith(L, "tensor -", RL_SUB); }
static int l_tensor_mul(lua_State *L) { return arith(L, "tensor *", RL_MUL); }
static int l_tensor_div(lua_State *L) { return arith(L, "tensor /", RL_DIV); }

static int l_tensor_unm(lua_State *L) {
  lua_settop(L, 1);
  lua_pushinteger(L, -1);
  return arith(L, "- tensor", RL_MUL);
}

static void check_truths(lua_State *L, const char *call, const struct operand *x) {
  if (x->t.dtype != RL_TRUTH)
    rl_lua_script_error(L, "%s joins bool tensors, not %s", call, rl_dtype_name(x->t.dtype));
}

static int logic(lua_State *L, const char *call, enum rl_logic how) {
  struct operand a, b;
  lua_settop(L, 2);
  read_operand(L, 1, call, &a);
  read_operand(L, 2, call, &b);
  check_truths(L, call, &a);
  check_truths(L, call, &b);
  rl_tensor_logic(how, &a.t, &b.t, new_pair(L, call, &a, &b, RL_TRUTH));
  return 1;
}

static int l_tensor_band(lua_State *L) { return logic(L, "tensor &", RL_BOTH); }
static int l_tensor_bor(lua_State *L) { return logic(L, "tensor |", RL_EITHER); }

static int l_tensor_bnot(lua_State *L) {
  struct operand a;
  lua_settop(L, 1);
  read_operand(L, 1, "~ tensor", &a);
  check_truths(L, "~ tensor", &a);
  struct operand no = {.t = {.dtype = RL_TRUTH}};
  no.t.data = (char *)&no.own;
  rl_tensor_compare(RL_REL_EQ, &a.t, &no.t, new_pair(L, "~ tensor", &a, &no, RL_TRUTH));
  return 1;
}

const luaL_Reg rl_tensor_operators[] = {
    {"__add", l_tensor_add}, {"__sub", l_tensor_sub},   {"__mul", l_tensor_mul},
    {"__div", l_tensor_div}, {"__unm", l_tensor_unm},   {"__band", l_tensor_band},
    {"__bor", l_tensor_bor}, {"__bnot", l_tensor_bnot}, {NULL, NULL}};
