/* The userdata "rille.tensor" and the table rille.tensor (model/tensor.h says what a tensor is).
 *
 * A tensor is never changed once it is made, so views and copies look the same to a script. Its buffer comes
 * from the state's allocator: it counts against limits.memory, and the collector is told of it.
 *
 * rille.tensor(table [, dtype])   nested arrays of numbers or booleans, all rows of one length. Without a
 *                                 dtype: bool if all are booleans, int64 if all are integers, else float32. A
 *                                 hole (nil up to t.n, rille.null) is NaN in a float, an error in the others.
 * rille.tensor.zeros(shape [, dtype])                        float32 if not said
 * rille.tensor.from_bytes(bytes, dtype [, shape [, order]])  order "<" (little endian, default) or ">"
 * rille.tensor.stack(list [, axis])                          tensors of one shape along a new axis (first)
 * rille.tensor.load(path), rille.tensor.save(path, t)        .npy; nil and a message when that fails
 *
 * #t, t[i] (a number at rank 1, else the row as a tensor; nil outside), t.shape (an array), t.dtype, t.size,
 * tostring(t), t:totable(), t:item(), t:to(dtype), t:reshape(…), t:column(j) (of the last axis), t:rows(mask
 * or positions), t:scale(mean, deviation), t:normalize(), t:clip(low, high), t:log(), t:exp(), t:nan_to(x),
 * t:softmax(), t:argmax([axis]), t:mean, t:sum, t:std, t:min, t:max([axis]), t:eq ne lt le gt ge(x) (a bool
 * tensor), t + u, - * / and - t, m & m, m | m, ~m of bool tensors. Positions and axes count from 1, axes
 * also from the end (-1 is the last).
 *
 * JSON writes a tensor as nested arrays, float32 as short as reads back the same (lua/json.h).
 *
 * A wrong argument is a script failure (S4.6). Shapes that do not go together, values a type does not hold
 * and bytes of a wrong length are ordinary errors: they may well be one message's fault. */
#ifndef RL_LUA_TENSOR_H
#define RL_LUA_TENSOR_H

#include <lua.h>

#include "model/tensor.h"

#define RL_TENSOR_TYPE "rille.tensor"

/* Pushes a tensor of that shape, not cleared, for the caller to fill before Lua runs again. What cannot be
 * (a shape of too many axes) raises as an ordinary error that begins with `call`. */
struct rl_tensor *rl_lua_new_tensor(lua_State *L, const char *call, enum rl_dtype dtype, int rank,
                                    const int64_t *shape);
/* Pushes the same elements once more: t stays the caller's. */
void rl_lua_push_tensor(lua_State *L, const struct rl_tensor *t);
/* Pushes an empty tensor that the caller fills with one it owns, at once: what a C function makes with
 * rl_lua_tensor_alloc. rl_lua_tensor_made then tells the collector of its size. */
struct rl_tensor *rl_lua_hold_tensor(lua_State *L);
void rl_lua_tensor_made(lua_State *L, const struct rl_tensor *t);
/* The state's allocator, which refuses with NULL where Lua would raise. On RL_ENOMEM: rl_lua_tensor_memory
 * collects all there is and returns once; a second time raises "not enough memory". */
struct rl_tensor_alloc rl_lua_tensor_alloc(lua_State *L);
void rl_lua_tensor_memory(lua_State *L, bool again);

struct rl_tensor *rl_lua_test_tensor(lua_State *L, int idx); /* NULL: none; never raises, never allocates */
/* The tensor at idx; a script failure else. what: "the mask". */
struct rl_tensor *rl_lua_check_tensor(lua_State *L, int idx, const char *call, const char *what);
/* The same, compact: a copy takes its place on the stack where it must. */
struct rl_tensor *rl_lua_compact_tensor(lua_State *L, int idx, const char *call, const char *what);
/* The tensor or array of numbers at idx as a compact tensor, which takes its place on the stack; a script
 * failure else. _floats: of float32. */
struct rl_tensor *rl_lua_numbers(lua_State *L, int idx, const char *call, const char *what);
struct rl_tensor *rl_lua_floats(lua_State *L, int idx, const char *call, const char *what);
/* The type named at idx, `otherwise` where it is nil or absent; a script failure else. */
enum rl_dtype rl_lua_check_dtype(lua_State *L, int idx, const char *call, enum rl_dtype otherwise);
/* Pushes one element: an integer, a double or a boolean. */
void rl_lua_push_element(lua_State *L, enum rl_dtype dtype, const char *at);

/* Positions among n rows, for t:rows and batch:select: a bool tensor of n, or an array or integer tensor of
 * positions from 1. Pushes a userdata of them, from 0, and returns it; *count says how many. */
const uint32_t *rl_lua_push_rows(lua_State *L, int idx, const char *call, size_t n, size_t *count);

/* Pushes the table rille.tensor; registers the type. */
void rl_lua_open_tensor(lua_State *L);

#endif
