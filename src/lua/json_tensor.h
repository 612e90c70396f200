/* A tensor as JSON: nested arrays, row by row. */
#ifndef RL_LUA_JSON_TENSOR_H
#define RL_LUA_JSON_TENSOR_H

#include "base/buf.h"
#include "model/tensor.h"

enum rl_json_tensor { RL_JSON_TENSOR_PUT, RL_JSON_TENSOR_NAN, RL_JSON_TENSOR_TOO_LONG };

/* Appends it: integers exact, floats by shortest round trip of their type, bools as true and false. NaN and
 * infinity are null with nan_null; without, NAN is returned and at[0, rank) is where one stands, from 1.
 * TOO_LONG: the buffer would hold more than `most` bytes; at is of no use. */
enum rl_json_tensor rl_json_put_tensor(struct rl_buf *out, const struct rl_tensor *t, bool nan_null,
                                       size_t most, int64_t at[RL_RANK_MAX]);

#endif
