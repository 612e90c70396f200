/* Elements of a tensor a line at a time, as doubles or as integers, whatever their type: what the arithmetic
 * is written over, so that it is written once. */
#ifndef RL_MODEL_TENSOR_LINE_H
#define RL_MODEL_TENSOR_LINE_H

#include "model/tensor.h"

enum { RL_LINE = 256 }; /* elements that are worked on at once: they stay in the first cache */

struct rl_line {
  char *data;
  enum rl_dtype dtype;
  int64_t stride; /* elements */
};

/* The elements of a compact tensor as one line, from element `at` on. */
struct rl_line rl_tensor_line(const struct rl_tensor *t, size_t at);
/* Moves a line on by n elements. */
void rl_line_skip(struct rl_line *line, size_t n);

void rl_line_load(const struct rl_line *line, size_t n, double *out);            /* int64 is rounded */
void rl_line_load_int(const struct rl_line *line, size_t n, int64_t *out);       /* no floats */
void rl_line_store(const struct rl_line *line, size_t n, const double *in);      /* floats only */
void rl_line_store_int(const struct rl_line *line, size_t n, const int64_t *in); /* all; what fits */

/* Of a line's numbers; those of fewer than eight are added one after the other. */
double rl_line_sum(const double *x, size_t n);

/* Fills `out` with the elements of `in` in out's type: both compact and of one shape. From floats to integers
 * towards zero; a value that the type does not hold (NaN among them) is RL_EUSAGE with the value and its
 * place among the elements, from 1. To bool: what is not 0 is true. */
int rl_tensor_convert(const struct rl_tensor *out, const struct rl_tensor *in, struct rl_err *err);

#endif
