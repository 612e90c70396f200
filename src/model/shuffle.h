/* A shuffle buffer: rows go in as they come, and come out in mini-batches drawn at random from all that are
 * in it. `size` rows stay behind to be mixed with what comes later; at the end the rest is drawn as well. The
 * same seed and the same rows give the same mini-batches.
 *
 * A row has parts, one of each of the tensors that were added together (features, label): they stay together.
 */
#ifndef RL_MODEL_SHUFFLE_H
#define RL_MODEL_SHUFFLE_H

#include "model/random.h"
#include "model/tensor.h"

enum { RL_SHUFFLE_PARTS = 8 }; /* at most */

/* A plain value; zeros, size and seed are an empty one. */
struct rl_shuffle {
  size_t size;
  struct rl_random random;
  int parts;                               /* 0: nothing was added yet */
  struct rl_tensor rows[RL_SHUFFLE_PARTS]; /* [capacity, …]; the first `n` are there */
  size_t n;
};

/* Adds the rows of `parts` compact tensors of one length, from rank 1 on. RL_EUSAGE naming both: other parts,
 * shapes or types than those of the first rows, or lengths that differ. RL_ENOMEM. Then nothing was added. */
int rl_shuffle_add(struct rl_shuffle *s, const struct rl_tensor *from, int parts,
                   const struct rl_tensor_alloc *alloc, struct rl_err *err);
/* How many rows the next mini-batch of n > 0 has: n or 0; with `rest`, whatever is left, n at most. */
size_t rl_shuffle_next(const struct rl_shuffle *s, size_t n, bool rest);
/* Draws n <= s->n rows into compact tensors of these parts, [n, …]. */
void rl_shuffle_draw(struct rl_shuffle *s, size_t n, struct rl_tensor *const *to);
void rl_shuffle_free(struct rl_shuffle *s); /* leaves it empty */

#endif
