/* The ways to compute, in the order in which a URI is held against them. */
#include "model/model_impl.h"

const struct rl_model_backend *const rl_model_backends[] = {&rl_model_onnx, &rl_model_kserve,
                                                            &rl_model_tfserving, NULL};
