/* The order in which parts of a failing batch are tried (S4.2, S4.3). Pure: the caller runs the attempts.
 * What it halves is called rows here; a lane's are messages, each with all that it holds.
 *
 *   rl_bisect_start(&b, n, retries, bisect);
 *   while (rl_bisect_next(&b, &part)) {            // a part to run: rows [part.first, part.first + part.n)
 *     if (part.attempt > 1) back off first         // a retry, the part.attempt-th try
 *     if (weather or stopped) continue;            // an attempt that is not reported counts as not made:
 *     ok = run(part); rl_bisect_report(&b, ok);    // next gives the same part again
 *     if (rl_bisect_blamed(&b, &first, &n)) …      // these rows are at fault: dead-letter them or stop
 *   }
 *
 * The whole batch is tried 1 + retries times; then it is halved, the left half first, each half once,
 * without retries; a single row that fails is blamed. bisect = false blames all rows of the batch. A part
 * that passes is settled. The right half starts when the left is settled. */
#ifndef RL_STREAM_BISECT_H
#define RL_STREAM_BISECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rl_part_of {
  size_t first, n; /* within the rows */
  int attempt;     /* from 1, of this part: over 1 it is a retry of the whole batch */
  int tries;       /* how often its rows were handled, in parts of any size, this time included */
};

struct rl_bisect {
  int retries;
  bool bisect;
  struct rl_part_of now;
  struct rl_part_of *todo; /* a stack: the top is next */
  size_t n_todo, cap;
  bool running; /* `now` was given out and not reported */
  bool struck;  /* and rows of it left since */
  size_t blamed_first, blamed_n;
};

void rl_bisect_start(struct rl_bisect *b, size_t n, int retries, bool bisect);
bool rl_bisect_next(struct rl_bisect *b, struct rl_part_of *part); /* false: all is settled */
void rl_bisect_report(struct rl_bisect *b, bool ok);               /* of the part that next gave last */
/* After a report: the rows that are blamed now, if any; reading them takes them. */
bool rl_bisect_blamed(struct rl_bisect *b, size_t *first, size_t *n);
/* Rows left the batch (S2.1): keep[i] says whether row i of the n there were stays. Rows are renumbered,
 * parts shrink, empty ones go. A part that runs and fails after rows left it is tried again without them. */
void rl_bisect_strike(struct rl_bisect *b, const bool *keep, size_t n);
void rl_bisect_free(struct rl_bisect *b);

#endif
