/* From a tree and a profile to a Lua function: generated once, then kept with the expression. */
#include <lauxlib.h>

#include "base/mem.h"
#include "lua/fail.h"
#include "lua/number.h"
#include "lua/where_emit.h"
#include "lua/where_help.h"
#include "lua/where_object.h"

enum { LOOPS_MAX = 32 }; /* profiles an expression keeps loops for */

static const char draft_key;

/* What is generated, owned by a userdata until it is loaded. */
struct draft {
  struct rl_buf code;
  struct rl_where_literals literals;
};

static int l_draft_gc(lua_State *L) {
  struct draft *draft = lua_touserdata(L, 1);
  rl_buf_free(&draft->code);
  rl_free(draft->literals.at);
  *draft = (struct draft){0};
  return 0;
}

static struct draft *push_draft(lua_State *L) {
  struct draft *draft = lua_newuserdatauv(L, sizeof *draft, 0);
  *draft = (struct draft){0};
  lua_rawgetp(L, LUA_REGISTRYINDEX, &draft_key);
  lua_setmetatable(L, -2);
  return draft;
}

static void push_literal(lua_State *L, const struct rl_cell *value) {
  switch (value->tag) {
    case RL_BOOL: lua_pushboolean(L, value->i != 0); break;
    case RL_INT: lua_pushinteger(L, value->i); break;
    case RL_DOUBLE: lua_pushnumber(L, value->d); break;
    case RL_BIG: rl_lua_push_number(L, rl_bytes(value->s, value->len)); break;
    default: lua_pushlstring(L, value->s, value->len); break;
  }
}

/* {[literal] = true, …} */
static void push_set(lua_State *L, const struct rl_where_node *in) {
  lua_createtable(L, 0, (int)in->n);
  for (uint32_t i = 1; i < in->n; i++) {
    push_literal(L, &in->kid[i]->value);
    lua_pushboolean(L, true);
    lua_rawset(L, -3);
  }
}

static void push_literals(lua_State *L, const struct rl_where_literals *literals) {
  lua_createtable(L, (int)literals->n, 0);
  for (size_t i = 0; i < literals->n; i++) {
    const struct rl_where_node *node = literals->at[i];
    if (node->op == RL_W_IN) {
      push_set(L, node);
    } else {
      push_literal(L, &node->value);
    }
    lua_rawseti(L, -2, (lua_Integer)i + 1);
  }
}

static void generate(lua_State *L, const struct rl_where_tree *tree, const char *profile) {
  struct draft *draft = push_draft(L);
  int held = lua_gettop(L);
  rl_where_emit(tree, profile, &draft->code, &draft->literals);
  if (luaL_loadbufferx(L, draft->code.data, draft->code.len, "=where", "t")) {
    rl_lua_script_error(L, "where: the expression is too large for one Lua function (%s)",
                        lua_tostring(L, -1));
  }
  push_literals(L, &draft->literals);
  rl_where_push_helpers(L);
  rl_where_push_functions(L);
  lua_call(L, 3, 1);
  lua_pushcfunction(L, l_draft_gc);
  lua_pushvalue(L, held);
  lua_call(L, 1, 0);
  lua_remove(L, held);
}

/* User value 1, emptied when it has grown to the bound. */
static void push_loops(lua_State *L, int idx, struct rl_where *w) {
  if (w->loops >= LOOPS_MAX) {
    lua_newtable(L);
    lua_setiuservalue(L, idx, 1);
    w->loops = 0;
  }
  lua_getiuservalue(L, idx, 1);
}

void rl_where_push_loop(lua_State *L, int idx, const char *profile) {
  struct rl_where *w = lua_touserdata(L, idx);
  idx = lua_absindex(L, idx);
  push_loops(L, idx, w);
  if (lua_getfield(L, -1, profile) == LUA_TNIL) {
    lua_pop(L, 1);
    generate(L, &w->tree, profile);
    lua_pushvalue(L, -1);
    lua_setfield(L, -3, profile);
    w->loops++;
  }
  lua_remove(L, -2);
}

void rl_where_open_loops(lua_State *L) {
  lua_createtable(L, 0, 2);
  lua_pushcfunction(L, l_draft_gc);
  lua_setfield(L, -2, "__gc");
  lua_rawsetp(L, LUA_REGISTRYINDEX, &draft_key);
}
