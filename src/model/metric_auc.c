/* The area under the ROC curve: how often a yes scores above a no, of all pairs of the two. */
#include <math.h>
#include <string.h>

#include "model/metric.h"

static uint64_t *keys_of(const struct rl_tensor *t) { return (uint64_t *)(void *)t->data; }

/* ---- keeping the scores ---- */

static int grow(struct rl_tensor *keys, size_t used, size_t need, const struct rl_tensor_alloc *alloc,
                struct rl_err *err) {
  struct rl_tensor larger;
  size_t have = keys->buf ? (size_t)keys->shape[0] : 0, more = have + have / 2 + 1024;
  const int64_t shape[] = {(int64_t)(need > more ? need : more)};
  if (need <= have) return 0;
  int rc = rl_tensor_new(&larger, RL_INT64, 1, shape, alloc, err);
  if (rc) return rc;
  if (used) memcpy(larger.data, keys->data, used * sizeof(uint64_t));
  rl_tensor_free(keys);
  *keys = larger;
  return 0;
}

int rl_auc_reserve(struct rl_metric *m, const size_t more[2], const struct rl_tensor_alloc *alloc,
                   struct rl_err *err) {
  int rc = grow(&m->scores[0], m->used[0], m->used[0] + more[0], alloc, err);
  return rc ? rc : grow(&m->scores[1], m->used[1], m->used[1] + more[1], alloc, err);
}

/* Integers that stand to each other as the doubles do: the sign bit turned round, or, of negative ones, all
 * bits. -0 is 0. */
static uint64_t key_of(double score) {
  uint64_t bits;
  score += 0.0;
  memcpy(&bits, &score, sizeof bits);
  return bits >> 63 ? ~bits : bits | (uint64_t)1 << 63;
}

void rl_auc_add(struct rl_metric *m, double score, bool label) {
  keys_of(&m->scores[label])[m->used[label]++] = key_of(score);
}

/* ---- sorting, in place and in no more than 64 passes whatever the keys are ---- */

static void sort_few(uint64_t *keys, size_t n) {
  for (size_t i = 1; i < n; i++) {
    uint64_t key = keys[i];
    size_t j = i;
    for (; j > 0 && keys[j - 1] > key; j--) keys[j] = keys[j - 1];
    keys[j] = key;
  }
}

/* Those without the bit to the front; returns how many. */
static size_t part(uint64_t *keys, size_t n, uint64_t bit) {
  size_t front = 0;
  while (front < n) {
    if (!(keys[front] & bit)) {
      front++;
      continue;
    }
    uint64_t high = keys[front];
    keys[front] = keys[--n];
    keys[n] = high;
  }
  return front;
}

/* By bits, from the highest down: it goes no deeper than there are bits. */
static void sort(uint64_t *keys, size_t n, uint64_t bit) {
  while (n > 16 && bit) {
    size_t low = part(keys, n, bit);
    bit >>= 1;
    sort(keys, low, bit); /* NOLINT(misc-no-recursion) */
    keys += low;
    n -= low;
  }
  if (n <= 16) sort_few(keys, n);
}

/* ---- counting pairs ---- */

/* Twice the pairs in which the yes is above the no, ties once. */
static double count_pairs(const uint64_t *no, size_t n_no, const uint64_t *yes, size_t n_yes) {
  size_t below = 0, not_above = 0;
  double pairs = 0;
  for (size_t i = 0; i < n_yes; i++) {
    while (below < n_no && no[below] < yes[i]) below++;
    if (not_above < below) not_above = below;
    while (not_above < n_no && no[not_above] == yes[i]) not_above++;
    pairs += (double)below + (double)not_above;
  }
  return pairs;
}

double rl_auc_value(struct rl_metric *m) {
  uint64_t *no = keys_of(&m->scores[0]), *yes = keys_of(&m->scores[1]);
  size_t n_no = m->used[0], n_yes = m->used[1];
  if (!n_no || !n_yes) return (double)NAN;
  sort(no, n_no, (uint64_t)1 << 63);
  sort(yes, n_yes, (uint64_t)1 << 63);
  return count_pairs(no, n_no, yes, n_yes) / 2 / ((double)n_no * (double)n_yes);
}
