/* What a session takes and gives, in the terms of tensors here. */
#include "base/log.h"
#include "base/mem.h"
#include "model/onnx_session.h"

/* ---- types ---- */

static const struct {
  unsigned type;
  enum rl_dtype dtype;
} types[] = {{RL_ORT_FLOAT, RL_FLOAT32}, {RL_ORT_DOUBLE, RL_FLOAT64}, {RL_ORT_INT64, RL_INT64},
             {RL_ORT_INT32, RL_INT32},   {RL_ORT_UINT8, RL_UINT8},    {RL_ORT_BOOL, RL_TRUTH}};

bool rl_onnx_find_dtype(unsigned type, enum rl_dtype *dtype) {
  for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
    if (types[i].type != type) continue;
    *dtype = types[i].dtype;
    return true;
  }
  return false;
}

unsigned rl_onnx_type_of(enum rl_dtype dtype) {
  for (size_t i = 0; i < sizeof types / sizeof *types; i++)
    if (types[i].dtype == dtype) return types[i].type;
  return 0;
}

const char *rl_onnx_type_name(unsigned type) {
  static const char *const names[] = {"undefined", "float32", "uint8",     "int8",       "uint16",  "int16",
                                      "int32",     "int64",   "strings",   "bool",       "float16", "float64",
                                      "uint32",    "uint64",  "complex64", "complex128", "bfloat16"};
  return type < sizeof names / sizeof *names ? names[type] : "a type of its own";
}

/* ---- what it takes and gives ---- */

int rl_onnx_read_shape(const struct rl_ort_api *api, const struct OrtTensorTypeAndShapeInfo *info,
                       struct rl_model_port *port, struct rl_err *err) {
  size_t rank = 0;
  int rc = rl_onnx_check(api, api->GetDimensionsCount(info, &rank), err);
  if (rc) return rc;
  if (rank > RL_RANK_MAX)
    return rl_fail(err, RL_EFAIL, "'%s' has %zu axes, and a tensor at most %d", port->name, rank,
                   RL_RANK_MAX);
  port->rank = (int)rank;
  rc = rl_onnx_check(api, api->GetDimensions(info, port->shape, rank), err);
  for (int i = 0; i < port->rank && !rc; i++)
    if (port->shape[i] < 0) port->shape[i] = -1;
  return rc;
}

/* *why: what it is, where that is nothing tensors here can be. */
static int read_type(const struct rl_ort_api *api, const struct OrtTypeInfo *type, struct rl_model_port *port,
                     const char **why, struct rl_err *err) {
  const struct OrtTensorTypeAndShapeInfo *info = NULL;
  unsigned kind = 0, element = 0;
  int rc = rl_onnx_check(api, api->GetOnnxTypeFromTypeInfo(type, &kind), err);
  if (!rc && kind == RL_ORT_TENSOR) rc = rl_onnx_check(api, api->CastTypeInfoToTensorInfo(type, &info), err);
  if (!rc && info) rc = rl_onnx_check(api, api->GetTensorElementType(info, &element), err);
  if (rc) return rc;
  *why = !info ? "no tensor" : rl_onnx_find_dtype(element, &port->dtype) ? NULL : rl_onnx_type_name(element);
  return *why ? 0 : rl_onnx_read_shape(api, info, port, err);
}

static int read_name(const struct rl_onnx_session *s, bool input, size_t i, struct rl_model_port *port,
                     struct rl_err *err) {
  const struct rl_ort_api *api = s->onnx.api;
  struct OrtAllocator *allocator = NULL;
  char *name = NULL;
  int rc = rl_onnx_check(api, api->GetAllocatorWithDefaultOptions(&allocator), err);
  if (!rc)
    rc = rl_onnx_check(api,
                       input ? api->SessionGetInputName(s->session, i, allocator, &name)
                             : api->SessionGetOutputName(s->session, i, allocator, &name),
                       err);
  if (rc) return rc;
  port->name = rl_strdup(name);
  return rl_onnx_check(api, api->AllocatorFree(allocator, name), err);
}

static int read_port(const struct rl_onnx_session *s, bool input, size_t i, struct rl_model_port *port,
                     const char **why, struct rl_err *err) {
  const struct rl_ort_api *api = s->onnx.api;
  struct OrtTypeInfo *type = NULL;
  int rc = read_name(s, input, i, port, err);
  if (rc) return rc;
  rc = rl_onnx_check(api,
                     input ? api->SessionGetInputTypeInfo(s->session, i, &type)
                           : api->SessionGetOutputTypeInfo(s->session, i, &type),
                     err);
  if (rc) return rc;
  rc = read_type(api, type, port, why, err);
  api->ReleaseTypeInfo(type);
  return rc;
}

/* An output that is no tensor (a classifier's map of labels) is not asked for; an input must be one. */
int rl_onnx_read_ports(const struct rl_onnx_session *s, bool input, struct rl_model_ports *ports,
                       struct rl_err *err) {
  const struct rl_ort_api *api = s->onnx.api;
  size_t n = 0;
  int rc = rl_onnx_check(
      api, input ? api->SessionGetInputCount(s->session, &n) : api->SessionGetOutputCount(s->session, &n),
      err);
  ports->at = rl_zalloc((n ? n : 1) * sizeof *ports->at);
  for (size_t i = 0; i < n && !rc; i++) {
    const char *why = NULL;
    struct rl_model_port *port = &ports->at[ports->n++];
    rc = read_port(s, input, i, port, &why, err);
    if (rc || !why) continue;
    if (input)
      return rl_fail(err, RL_EFAIL, "the input '%s' is %s, which rille has no tensors of", port->name, why);
    rl_log(RL_INFO, "the model's output '%s' is %s: it is left out", port->name, why);
    rl_free(port->name);
    *port = (struct rl_model_port){0};
    ports->n--;
  }
  if (!rc && !ports->n) rc = rl_fail(err, RL_EFAIL, "the model %s no tensor", input ? "takes" : "gives");
  return rc;
}
