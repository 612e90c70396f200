/* One open file of the ONNX backend. */
#ifndef RL_MODEL_ONNX_SESSION_H
#define RL_MODEL_ONNX_SESSION_H

#include "model/model.h"
#include "model/onnx_runtime.h"

struct rl_onnx_session {
  struct rl_onnx onnx;
  struct OrtSession *session;
  struct OrtMemoryInfo *memory;
  const char **inputs, **outputs; /* names: the ports' */
  size_t n_inputs, n_outputs;
  double timeout; /* 0: none */
};

/* The runtime's numbers of types: false, where tensors here have no such type. */
bool rl_onnx_find_dtype(unsigned type, enum rl_dtype *dtype);
unsigned rl_onnx_type_of(enum rl_dtype dtype);
const char *rl_onnx_type_name(unsigned type);

/* Rank and sizes, -1 where they are free. port->name is for errors. */
int rl_onnx_read_shape(const struct rl_ort_api *api, const struct OrtTensorTypeAndShapeInfo *info,
                       struct rl_model_port *port, struct rl_err *err);
/* All inputs, or all outputs that are tensors. On failure what was read stays to be freed. */
int rl_onnx_read_ports(const struct rl_onnx_session *s, bool input, struct rl_model_ports *ports,
                       struct rl_err *err);

#endif
