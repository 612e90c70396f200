/* Our own declarations of ONNX Runtime's C interface against the official header: places in the table, types,
 * numbers. Only compiled (tests/spec/model_spec.lua). */
#include "model/onnx_api.h"
#include "onnxruntime_c_api.h"

#define SAME(name)                                                                                        \
  _Static_assert(offsetof(OrtApi, name) == offsetof(struct rl_ort_api, name), #name " stands elsewhere"); \
  _Static_assert(__builtin_types_compatible_p(__typeof__(((OrtApi *)0)->name),                            \
                                              __typeof__(((struct rl_ort_api *)0)->name)),                \
                 #name " is declared otherwise");

SAME(GetErrorMessage)
SAME(CreateSession)
SAME(Run)
SAME(CreateSessionOptions)
SAME(SetIntraOpNumThreads)
SAME(SetInterOpNumThreads)
SAME(SessionGetInputCount)
SAME(SessionGetOutputCount)
SAME(SessionGetInputTypeInfo)
SAME(SessionGetOutputTypeInfo)
SAME(SessionGetInputName)
SAME(SessionGetOutputName)
SAME(CreateRunOptions)
SAME(RunOptionsSetTerminate)
SAME(IsTensor)
SAME(GetTensorMutableData)
SAME(CastTypeInfoToTensorInfo)
SAME(GetDimensionsCount)
SAME(GetDimensions)
SAME(GetTensorTypeAndShape)
SAME(AllocatorFree)
SAME(GetAllocatorWithDefaultOptions)
SAME(ReleaseEnv)
SAME(ReleaseStatus)
SAME(ReleaseMemoryInfo)
SAME(ReleaseSession)
SAME(ReleaseValue)
SAME(ReleaseRunOptions)
SAME(ReleaseTypeInfo)
SAME(ReleaseTensorTypeAndShapeInfo)
SAME(ReleaseSessionOptions)
SAME(AddSessionConfigEntry)
SAME(CreateAndRegisterAllocator)
/* These have enumerations, which are numbers here. */
SAME(CreateEnvWithCustomLogger)
SAME(SetSessionGraphOptimizationLevel)
SAME(CreateTensorWithDataAsOrtValue)
SAME(GetOnnxTypeFromTypeInfo)
SAME(GetTensorElementType)
SAME(CreateCpuMemoryInfo)

#define NUMBER(ours, theirs) _Static_assert((int)(ours) == (int)(theirs), #theirs)
NUMBER(RL_ORT_FLOAT, ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT);
NUMBER(RL_ORT_UINT8, ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT8);
NUMBER(RL_ORT_INT32, ONNX_TENSOR_ELEMENT_DATA_TYPE_INT32);
NUMBER(RL_ORT_INT64, ONNX_TENSOR_ELEMENT_DATA_TYPE_INT64);
NUMBER(RL_ORT_BOOL, ONNX_TENSOR_ELEMENT_DATA_TYPE_BOOL);
NUMBER(RL_ORT_DOUBLE, ONNX_TENSOR_ELEMENT_DATA_TYPE_DOUBLE);
NUMBER(RL_ORT_TENSOR, ONNX_TYPE_TENSOR);
NUMBER(RL_ORT_WARNING, ORT_LOGGING_LEVEL_WARNING);
NUMBER(RL_ORT_ALL_OPTIMIZED, ORT_ENABLE_ALL);
NUMBER(RL_ORT_ARENA, OrtArenaAllocator);
NUMBER(RL_ORT_MEM_DEFAULT, OrtMemTypeDefault);

_Static_assert(offsetof(OrtApiBase, GetApi) == offsetof(struct rl_ort_base, GetApi), "GetApi");
_Static_assert(offsetof(OrtApiBase, GetVersionString) == offsetof(struct rl_ort_base, GetVersionString),
               "GetVersionString");
_Static_assert(ORT_API_VERSION >= RL_ORT_VERSION, "the header is older than what is asked for");
