/* For units of what reads files as tensors, with a `decode` of their own:
 * int decode(struct rl_buf file, struct rl_tensor *t, struct rl_err *err). */
#ifndef RL_TESTS_REFUSE_H
#define RL_TESTS_REFUSE_H

#include "model/tensor.h"
#include "unit.h"

static void check_refused(int rc, struct rl_tensor *t, const struct rl_err *err, const char *part, int line) {
  if (rc == 0) rl_tensor_free(t);
  if (rc != RL_EFAIL || !strstr(err->text, part))
    UNIT_FAIL("line %d: %d \"%s\", without \"%s\"", line, rc, err->text, part);
}

/* The file is refused, with this part in the error. */
#define REFUSE(file, part)                               \
  do {                                                   \
    struct rl_tensor refused;                            \
    struct rl_err why;                                   \
    int rc = decode((file), &refused, &why);             \
    check_refused(rc, &refused, &why, (part), __LINE__); \
  } while (0)

#endif
