/* Elements as servers of models send them: the types of the Open Inference Protocol and of TensorFlow, which
 * are more than a tensor has here, as JSON numbers and as little-endian bytes.
 *
 * What is narrower than a type here is widened (int8, int16 and uint16 to int32, uint32 to int64, float16 and
 * bfloat16 to float32), what is wider must fit (uint64 in int64), and is refused with the value otherwise:
 * no number is changed on its way but by rounding float64 to float32 or float32 to float16. */
#ifndef RL_MODEL_WIRE_H
#define RL_MODEL_WIRE_H

#include "base/json_read.h"
#include "model/tensor.h"

enum rl_wire {
  RL_WIRE_BOOL,
  RL_WIRE_UINT8,
  RL_WIRE_UINT16,
  RL_WIRE_UINT32,
  RL_WIRE_UINT64,
  RL_WIRE_INT8,
  RL_WIRE_INT16,
  RL_WIRE_INT32,
  RL_WIRE_INT64,
  RL_WIRE_FP16,
  RL_WIRE_BF16,
  RL_WIRE_FP32,
  RL_WIRE_FP64,
  RL_WIRES
};

enum rl_wire rl_wire_of(enum rl_dtype dtype);
enum rl_dtype rl_wire_dtype(enum rl_wire wire);              /* of the tensor that holds it */
size_t rl_wire_size(enum rl_wire wire);                      /* bytes of an element */
const char *rl_wire_name(enum rl_wire wire);                 /* "FP32": the Open Inference Protocol's */
bool rl_wire_parse(const char *name, enum rl_wire *wire);    /* of those; BF16 is none of them */
bool rl_wire_parse_tf(const char *name, enum rl_wire *wire); /* "DT_FLOAT" */

/* What JSON has no number for: NaN as null and infinities refused, or as the bare words that TensorFlow
 * takes. */
enum rl_wire_special { RL_SPECIAL_NULL, RL_SPECIAL_BARE };

/* Puts n elements from the first on, of a compact tensor, with commas between them. RL_EFAIL for a value
 * that the type cannot hold or JSON cannot say. */
int rl_wire_put_json(struct rl_buf *out, enum rl_wire wire, const struct rl_tensor *t, size_t first, size_t n,
                     enum rl_wire_special special, struct rl_err *err);
/* Puts all elements as bytes. */
int rl_wire_put_binary(struct rl_buf *out, enum rl_wire wire, const struct rl_tensor *t, struct rl_err *err);

/* Fills elements of a compact tensor, from `first` on, with the scalars under a value of JSON, however its
 * arrays nest; as many as `n`, or RL_EFAIL. null is NaN where floats are wanted. */
int rl_wire_take_json(const struct rl_json_read *doc, size_t value, const struct rl_tensor *t, size_t first,
                      size_t n, struct rl_err *err);
/* Fills a compact tensor from bytes, which are as many as its elements need. RL_EFAIL for a value that does
 * not fit, and where one of float, integer and boolean is wanted and another came. */
int rl_wire_take_binary(struct rl_bytes bytes, enum rl_wire wire, const struct rl_tensor *t,
                        struct rl_err *err);
/* RL_EFAIL as above: before anything is taken. */
int rl_wire_check(enum rl_wire wire, enum rl_dtype wanted, struct rl_err *err);

#endif
