/* A tensor as JSON: nested arrays, row by row. */
#ifndef RL_LUA_JSON_TENSOR_H
#define RL_LUA_JSON_TENSOR_H

#include "base/buf.h"
#include "model/tensor.h"

/* Appends it: integers exact, floats by shortest round trip of their type, bools as true and false. NaN and
 * infinity are null with nan_null; without, false is returned and at[0, rank) is where one stands, from 1. */
bool rl_json_put_tensor(struct rl_buf *out, const struct rl_tensor *t, bool nan_null,
                        int64_t at[RL_RANK_MAX]);

#endif
