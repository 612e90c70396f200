/* micro_tensor: what batch:tensor costs: cells of columns to the floats of a tensor. No broker, one core.
 *
 *   micro_tensor [SECONDS] [ROWS] [COLUMNS]
 *
 * Prints a line a job: time a cell, and the ratio to memcpy of the cells (16 bytes each). One set of cells
 * fits a cache if it is small; the default (18 columns of 10,000 rows) is 2.9 MB. */
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/mem.h"
#include "lua/batch_fill.h"

struct cells {
  struct rl_cell *at;
  struct rl_fill *fills;
  uint32_t *rows;
  size_t n, k;
};

/* Doubles, every fourth column integers; every `hole`-th cell missing. */
static void make(struct cells *c, size_t hole) {
  for (size_t i = 0; i < c->n * c->k; i++) {
    c->at[i] = (struct rl_cell){.tag = RL_DOUBLE, .d = (double)i / 3};
    if (i / c->n % 4 == 3) c->at[i] = (struct rl_cell){.tag = RL_INT, .i = (int64_t)i};
    if (hole && i % hole == 0) c->at[i] = (struct rl_cell){.tag = RL_MISSING};
  }
}

static void use(const void *p) { __asm__ volatile("" : : "r"(p) : "memory"); }

struct job {
  struct cells *cells;
  const struct rl_tensor *to; /* NULL: copied */
  char *copy;
};

static void run_once(const struct job *job) {
  const struct cells *c = job->cells;
  if (job->to)
    rl_batch_fill(c->fills, c->k, job->to);
  else
    memcpy(job->copy, c->at, c->n * c->k * sizeof *c->at);
  use(job->to ? job->to->data : job->copy);
}

/* ns a cell: the best of rounds that together take `seconds`, since the machine has other work too. */
static double measure(const struct job *job, double seconds) {
  double best = 0;
  for (int64_t start = rl_now(), now = start; now - start < rl_seconds(seconds);) {
    int64_t before = now;
    run_once(job);
    now = rl_now();
    double cost = (double)(now - before) / (double)(job->cells->n * job->cells->k);
    if (best == 0 || cost < best) best = cost;
  }
  return best;
}

static void bench(const char *name, struct cells *c, enum rl_dtype dtype, double seconds) {
  struct rl_err err;
  struct rl_tensor to;
  const int64_t shape[] = {(int64_t)c->n, (int64_t)c->k};
  if (rl_tensor_new(&to, dtype, 2, shape, NULL, &err)) exit(1);
  struct job fill = {c, &to, NULL}, copy = {c, NULL, rl_alloc(c->n * c->k * sizeof *c->at)};
  double copied = measure(&copy, seconds), filled = measure(&fill, seconds);
  printf("  %-24s %6.2f ns a cell  %6.2f copied  %5.2f of memcpy\n", name, filled, copied, copied / filled);
  rl_tensor_free(&to);
  rl_free(copy.copy);
}

static void set_up(struct cells *c) {
  unsigned char *complete = rl_alloc(c->n);
  c->at = rl_alloc(c->n * c->k * sizeof *c->at);
  c->fills = rl_alloc(c->k * sizeof *c->fills);
  c->rows = rl_alloc(c->n * sizeof *c->rows);
  memset(complete, 1, c->n);
  for (size_t i = 0; i < c->n; i++) c->rows[i] = (uint32_t)i;
  for (size_t i = 0; i < c->k; i++)
    c->fills[i] =
        (struct rl_fill){.cells = c->at + i * c->n, .rows = c->rows, .n = c->n, .complete = complete};
}

int main(int argc, char **argv) {
  double seconds = argc > 1 ? strtod(argv[1], NULL) : 1;
  struct cells c = {.n = argc > 2 ? strtoul(argv[2], NULL, 10) : 10000,
                    .k = argc > 3 ? strtoul(argv[3], NULL, 10) : 18};
  set_up(&c);
  printf("%zu columns of %zu rows\n", c.k, c.n);
  make(&c, 0);
  bench("float32", &c, RL_FLOAT32, seconds);
  bench("float64", &c, RL_FLOAT64, seconds);
  make(&c, 7);
  bench("float32, 1 of 7 missing", &c, RL_FLOAT32, seconds);
  return 0; /* what was made goes with the process */
}
