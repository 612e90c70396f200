/* Where a script's tensors have their memory from: the state's allocator, through a pool that knows each
 * block.
 *
 * A tensor's buffer goes with the last userdata that looks at it, in __gc. But Lua calls that once, and not
 * at all when there is no memory for the call, or for what a finalizer makes while the state closes. What is
 * left then is freed with the pool: its own __gc is the last of a state's, as its userdata was the first with
 * one. */
#include <lauxlib.h>
#include <limits.h>

#include "lua/tensor_impl.h"

struct block {
  struct block *prev, *next; /* 16 bytes: what follows stays as aligned as the block is */
};

struct pool {
  lua_State *L; /* the main thread: asked for the allocator each time, which may be changed */
  struct block all;
};

static const char pool_key; /* registry: the pool */

static void *ask(struct pool *pool, void *p, size_t old_size, size_t new_size) {
  void *self;
  lua_Alloc fn = lua_getallocf(pool->L, &self);
  return fn(self, p, old_size, new_size);
}

static void release(struct pool *pool, struct block *block, size_t size) {
  block->prev->next = block->next;
  block->next->prev = block->prev;
  ask(pool, block, sizeof *block + size, 0);
}

/* Blocks are made and freed, never resized. The size stands in the tensor's buffer, too: what the pool frees
 * by itself at the end of the state, it reads there. */
static void *pool_alloc(void *self, void *p, size_t old_size, size_t new_size) {
  struct pool *pool = self;
  if (new_size == 0) {
    release(pool, (struct block *)p - 1, old_size);
    return NULL;
  }
  struct block *block = ask(pool, NULL, 0, sizeof *block + new_size);
  if (!block) return NULL;
  *block = (struct block){&pool->all, pool->all.next};
  block->next->prev = block;
  pool->all.next = block;
  return block + 1;
}

static int l_pool_gc(lua_State *L) {
  struct pool *pool = lua_touserdata(L, lua_upvalueindex(1));
  while (pool->all.next != &pool->all) {
    struct block *block = pool->all.next;
    release(pool, block, ((const struct rl_tensor_buf *)(const void *)(block + 1))->size);
  }
  return 0;
}

struct rl_tensor_alloc rl_lua_tensor_alloc(lua_State *L) {
  lua_rawgetp(L, LUA_REGISTRYINDEX, &pool_key);
  struct rl_tensor_alloc alloc = {pool_alloc, lua_touserdata(L, -1)};
  lua_pop(L, 1);
  return alloc;
}

void rl_tensor_open_memory(lua_State *L) {
  struct pool *pool = lua_newuserdatauv(L, sizeof *pool, 0);
  lua_rawgeti(L, LUA_REGISTRYINDEX, LUA_RIDX_MAINTHREAD);
  *pool = (struct pool){.L = lua_tothread(L, -1)};
  pool->all.prev = pool->all.next = &pool->all;
  lua_pop(L, 1);
  lua_createtable(L, 0, 1);
  lua_pushlightuserdata(L, pool); /* its __gc takes no argument that a script could change */
  lua_pushcclosure(L, l_pool_gc, 1);
  lua_setfield(L, -2, "__gc");
  lua_setmetatable(L, -2);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &pool_key);
}

/* Lua's own way to say so: a block that cannot be had raises LUA_ERRMEM, which the host knows. */
void rl_lua_tensor_memory(lua_State *L, bool again) {
  lua_gc(L, LUA_GCCOLLECT);
  if (!again) return;
  lua_newuserdatauv(L, (size_t)PTRDIFF_MAX / 2, 0);
}

/* The collector counts the blocks of Lua's own only: without this, tensors that are garbage would pile up. */
void rl_lua_tensor_made(lua_State *L, const struct rl_tensor *t) {
  size_t kilobytes = t->buf->size / 1024;
  if (kilobytes && lua_gc(L, LUA_GCISRUNNING))
    lua_gc(L, LUA_GCSTEP, (int)(kilobytes > INT_MAX ? INT_MAX : kilobytes));
}
