/* The part of ONNX Runtime's C interface that rille calls, declared here so that building needs none of it.
 *
 * Its functions stand in a table to which versions only append: what is here is the beginning of version
 * 17's, which every later library gives as well. Gaps hold functions that are not called;
 * tests/deps/onnx_header.c holds places and types against the official header. Types have the official tags.
 */
#ifndef RL_MODEL_ONNX_API_H
#define RL_MODEL_ONNX_API_H

#include <stddef.h>
#include <stdint.h>

enum { RL_ORT_VERSION = 17 };

struct OrtStatus; /* NULL: all went well; else it is to be released */
struct OrtEnv;
struct OrtSession;
struct OrtSessionOptions;
struct OrtRunOptions;
struct OrtValue;
struct OrtMemoryInfo;
struct OrtAllocator;
struct OrtArenaCfg;
struct OrtTypeInfo;
struct OrtTensorTypeAndShapeInfo;

/* ONNXTensorElementDataType, those that tensors here have. */
enum {
  RL_ORT_FLOAT = 1,
  RL_ORT_UINT8 = 2,
  RL_ORT_INT32 = 6,
  RL_ORT_INT64 = 7,
  RL_ORT_BOOL = 9,
  RL_ORT_DOUBLE = 11
};
enum { RL_ORT_TENSOR = 1 };         /* ONNXType */
enum { RL_ORT_WARNING = 2 };        /* OrtLoggingLevel */
enum { RL_ORT_ALL_OPTIMIZED = 99 }; /* GraphOptimizationLevel */
enum { RL_ORT_ARENA = 1 };          /* OrtAllocatorType */
enum { RL_ORT_MEM_DEFAULT = 0 };    /* OrtMemType */

#define RL_ORT_GAP(first, last) void *gap_##first[(last) - (first) + 1]
#define RL_ORT(name, ...) struct OrtStatus *(*name)(__VA_ARGS__)
#define RL_ORT_RELEASE(what) void (*Release##what)(struct Ort##what *)

typedef void (*rl_ort_log_fn)(void *arg, unsigned level, const char *category, const char *id,
                              const char *place, const char *text);

struct rl_ort_api {
  RL_ORT_GAP(0, 1);
  const char *(*GetErrorMessage)(const struct OrtStatus *);
  RL_ORT_GAP(3, 3);
  RL_ORT(CreateEnvWithCustomLogger, rl_ort_log_fn, void *arg, unsigned level, const char *id,
         struct OrtEnv **);
  RL_ORT_GAP(5, 6);
  RL_ORT(CreateSession, const struct OrtEnv *, const char *path, const struct OrtSessionOptions *,
         struct OrtSession **);
  RL_ORT_GAP(8, 8);
  RL_ORT(Run, struct OrtSession *, const struct OrtRunOptions *, const char *const *input_names,
         const struct OrtValue *const *inputs, size_t n_inputs, const char *const *output_names,
         size_t n_outputs, struct OrtValue **outputs);
  RL_ORT(CreateSessionOptions, struct OrtSessionOptions **);
  RL_ORT_GAP(11, 22);
  RL_ORT(SetSessionGraphOptimizationLevel, struct OrtSessionOptions *, unsigned level);
  RL_ORT(SetIntraOpNumThreads, struct OrtSessionOptions *, int n);
  RL_ORT(SetInterOpNumThreads, struct OrtSessionOptions *, int n);
  RL_ORT_GAP(26, 29);
  RL_ORT(SessionGetInputCount, const struct OrtSession *, size_t *);
  RL_ORT(SessionGetOutputCount, const struct OrtSession *, size_t *);
  RL_ORT_GAP(32, 32);
  RL_ORT(SessionGetInputTypeInfo, const struct OrtSession *, size_t i, struct OrtTypeInfo **);
  RL_ORT(SessionGetOutputTypeInfo, const struct OrtSession *, size_t i, struct OrtTypeInfo **);
  RL_ORT_GAP(35, 35);
  RL_ORT(SessionGetInputName, const struct OrtSession *, size_t i, struct OrtAllocator *, char **);
  RL_ORT(SessionGetOutputName, const struct OrtSession *, size_t i, struct OrtAllocator *, char **);
  RL_ORT_GAP(38, 38);
  RL_ORT(CreateRunOptions, struct OrtRunOptions **);
  RL_ORT_GAP(40, 45);
  RL_ORT(RunOptionsSetTerminate, struct OrtRunOptions *); /* any thread: the run ends soon, with an error */
  RL_ORT_GAP(47, 48);
  /* Borrows data. */
  RL_ORT(CreateTensorWithDataAsOrtValue, const struct OrtMemoryInfo *, void *data, size_t bytes,
         const int64_t *shape, size_t rank, unsigned type, struct OrtValue **);
  RL_ORT(IsTensor, const struct OrtValue *, int *);
  RL_ORT(GetTensorMutableData, struct OrtValue *, void **);
  RL_ORT_GAP(52, 54);
  /* The result is the TypeInfo's. */
  RL_ORT(CastTypeInfoToTensorInfo, const struct OrtTypeInfo *, const struct OrtTensorTypeAndShapeInfo **);
  RL_ORT(GetOnnxTypeFromTypeInfo, const struct OrtTypeInfo *, unsigned *);
  RL_ORT_GAP(57, 59);
  RL_ORT(GetTensorElementType, const struct OrtTensorTypeAndShapeInfo *, unsigned *);
  RL_ORT(GetDimensionsCount, const struct OrtTensorTypeAndShapeInfo *, size_t *);
  RL_ORT(GetDimensions, const struct OrtTensorTypeAndShapeInfo *, int64_t *, size_t n);
  RL_ORT_GAP(63, 64);
  RL_ORT(GetTensorTypeAndShape, const struct OrtValue *, struct OrtTensorTypeAndShapeInfo **);
  RL_ORT_GAP(66, 68);
  RL_ORT(CreateCpuMemoryInfo, int allocator, int memory, struct OrtMemoryInfo **);
  RL_ORT_GAP(70, 75);
  RL_ORT(AllocatorFree, struct OrtAllocator *, void *);
  RL_ORT_GAP(77, 77);
  RL_ORT(GetAllocatorWithDefaultOptions, struct OrtAllocator **); /* not to be released */
  RL_ORT_GAP(79, 91);
  RL_ORT_RELEASE(Env);
  RL_ORT_RELEASE(Status);
  RL_ORT_RELEASE(MemoryInfo);
  RL_ORT_RELEASE(Session);
  RL_ORT_RELEASE(Value);
  RL_ORT_RELEASE(RunOptions);
  RL_ORT_RELEASE(TypeInfo);
  RL_ORT_RELEASE(TensorTypeAndShapeInfo);
  RL_ORT_RELEASE(SessionOptions);
  RL_ORT_GAP(101, 129);
  RL_ORT(AddSessionConfigEntry, struct OrtSessionOptions *, const char *key, const char *value);
  RL_ORT_GAP(131, 143);
  /* One arena for all sessions that ask for the environment's; it goes with that. config NULL: the default.
   */
  RL_ORT(CreateAndRegisterAllocator, struct OrtEnv *, const struct OrtMemoryInfo *,
         const struct OrtArenaCfg *config);
};

/* What the library's one symbol, OrtGetApiBase, returns. */
struct rl_ort_base {
  const struct rl_ort_api *(*GetApi)(uint32_t version); /* NULL: the library is older */
  const char *(*GetVersionString)(void);
};

#endif
