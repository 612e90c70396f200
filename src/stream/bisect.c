#include "stream/bisect.h"

#include "base/mem.h"

/* `now` and the parts of the stack `todo` are disjoint and ascending from `now` down the stack; what they do
 * not cover is settled or blamed. A part that was never halved has attempt == tries. */

static void push(struct rl_bisect *b, struct rl_part_of part) {
  RL_GROW(b->todo, b->cap, b->n_todo + 1);
  b->todo[b->n_todo++] = part;
}

void rl_bisect_start(struct rl_bisect *b, size_t n, int retries, bool bisect) {
  *b = (struct rl_bisect){.retries = retries, .bisect = bisect};
  if (n) push(b, (struct rl_part_of){.n = n, .attempt = 1, .tries = 1});
}

bool rl_bisect_next(struct rl_bisect *b, struct rl_part_of *part) {
  if (!b->running || b->now.n == 0) {
    b->running = b->n_todo > 0;
    if (!b->running) return false;
    b->now = b->todo[--b->n_todo];
  }
  b->struck = false;
  *part = b->now;
  return true;
}

static void push_halves(struct rl_bisect *b) {
  size_t left = b->now.n / 2;
  struct rl_part_of half = {.first = b->now.first + left, .n = b->now.n - left, .attempt = 1};
  half.tries = b->now.tries + 1;
  push(b, half);
  half.first = b->now.first;
  half.n = left;
  push(b, half);
}

static void push_again(struct rl_bisect *b, int more) {
  struct rl_part_of part = b->now;
  part.attempt += more;
  part.tries += more;
  push(b, part);
}

void rl_bisect_report(struct rl_bisect *b, bool ok) {
  bool whole = b->now.attempt == b->now.tries;
  b->running = false;
  b->blamed_n = 0;
  if (ok || b->now.n == 0) return;
  if (b->struck) {
    push_again(b, 0); /* it may have failed for a row that is gone: what is left has not been tried alone */
  } else if (whole && b->now.attempt <= b->retries) {
    push_again(b, 1);
  } else if (b->bisect && b->now.n > 1) {
    push_halves(b);
  } else {
    b->blamed_first = b->now.first;
    b->blamed_n = b->now.n;
  }
}

bool rl_bisect_blamed(struct rl_bisect *b, size_t *first, size_t *n) {
  if (!b->blamed_n) return false;
  *first = b->blamed_first;
  *n = b->blamed_n;
  b->blamed_n = 0;
  return true;
}

static size_t count(const bool *keep, size_t from, size_t to) {
  size_t n = 0;
  for (size_t i = from; i < to; i++) n += keep[i];
  return n;
}

static void shrink(const bool *keep, size_t *first, size_t *n) {
  size_t end = *first + *n;
  *n = count(keep, *first, end);
  *first = count(keep, 0, *first);
}

void rl_bisect_strike(struct rl_bisect *b, const bool *keep, size_t n) {
  if (count(keep, 0, n) == n) return;
  if (b->running) {
    size_t before = b->now.n;
    shrink(keep, &b->now.first, &b->now.n);
    if (b->now.n < before) b->struck = true;
  }
  if (b->blamed_n) shrink(keep, &b->blamed_first, &b->blamed_n);
  size_t left = 0;
  for (size_t i = 0; i < b->n_todo; i++) {
    struct rl_part_of part = b->todo[i];
    shrink(keep, &part.first, &part.n);
    if (part.n) b->todo[left++] = part;
  }
  b->n_todo = left;
}

void rl_bisect_free(struct rl_bisect *b) {
  rl_free(b->todo);
  *b = (struct rl_bisect){.retries = 0};
}
