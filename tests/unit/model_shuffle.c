/* The shuffle buffer: what goes in comes out once, mixed, whole rows, the same each time. */
#include "model/shuffle.h"

#include "unit.h"

enum { WIDTH = 3 };

/* Rows first … first + n - 1: features first, first + 0.25, … and the number as label. */
static void rows(int64_t first, int64_t n, struct rl_tensor out[2]) {
  const int64_t shape[] = {n, WIDTH};
  struct rl_err err;
  if (rl_tensor_new(&out[0], RL_FLOAT32, 2, shape, NULL, &err) ||
      rl_tensor_new(&out[1], RL_INT64, 1, &n, NULL, &err))
    UNIT_FAIL("%s", err.text);
  for (int64_t i = 0; i < n; i++) {
    for (int64_t j = 0; j < WIDTH; j++)
      ((float *)(void *)out[0].data)[i * WIDTH + j] = (float)(first + i) + (float)j / 4;
    ((int64_t *)(void *)out[1].data)[i] = first + i;
  }
}

static void add(struct rl_shuffle *s, int64_t first, int64_t n) {
  struct rl_tensor parts[2];
  struct rl_err err;
  rows(first, n, parts);
  if (rl_shuffle_add(s, parts, 2, NULL, &err)) UNIT_FAIL("%s", err.text);
  rl_tensor_free(&parts[0]);
  rl_tensor_free(&parts[1]);
}

/* Draws n rows; their labels to out. */
static void draw(struct rl_shuffle *s, size_t n, int64_t *out) {
  struct rl_tensor parts[2];
  rows(-1000, (int64_t)n, parts);
  rl_shuffle_draw(s, n, (struct rl_tensor *const[]){&parts[0], &parts[1]});
  for (size_t i = 0; i < n; i++) {
    out[i] = ((const int64_t *)(const void *)parts[1].data)[i];
    for (size_t j = 0; j < WIDTH; j++)
      CHECK(((const float *)(const void *)parts[0].data)[i * WIDTH + j] == (float)out[i] + (float)j / 4);
  }
  rl_tensor_free(&parts[0]);
  rl_tensor_free(&parts[1]);
}

enum { N = 1000 };

/* N rows through a buffer, 50 at a time, in mini-batches of 32; returns how many. */
static int stream(size_t size, uint64_t seed, int64_t *order) {
  struct rl_shuffle s = {.size = size, .random = {seed}};
  int drawn = 0;
  size_t n;
  for (int i = 0; i < N; i += 50) {
    add(&s, i, 50);
    for (; (n = rl_shuffle_next(&s, 32, false)); drawn += (int)n) draw(&s, n, order + drawn);
    CHECK(s.n < size + 32 && (s.n >= size || i < (int)size));
  }
  for (; (n = rl_shuffle_next(&s, 32, true)); drawn += (int)n) draw(&s, n, order + drawn);
  rl_shuffle_free(&s);
  return drawn;
}

TEST(each_row_comes_out_once_and_mixed) {
  static const size_t sizes[] = {0, 1, 31, 64, 500, 5000};
  for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
    int64_t order[N];
    bool seen[N] = {0};
    int in_place = 0;
    CHECK_INT(stream(sizes[k], 1, order), N);
    for (int i = 0; i < N; i++) {
      CHECK(order[i] >= 0 && order[i] < N && !seen[order[i]]);
      seen[order[i]] = true;
      in_place += order[i] == i;
    }
    if (in_place > N / 10) UNIT_FAIL("size %zu: %d rows stayed in their place", sizes[k], in_place);
  }
}

TEST(a_seed_says_the_order) {
  int64_t a[N], b[N], c[N];
  stream(100, 7, a);
  stream(100, 7, b);
  stream(100, 8, c);
  CHECK(memcmp(a, b, sizeof a) == 0);
  CHECK(memcmp(a, c, sizeof a) != 0);
}

/* Where a row goes does not depend on where it was: of 8, each comes first an eighth of the time. */
TEST(each_row_is_as_likely_as_another) {
  int first[8] = {0};
  for (uint64_t seed = 0; seed < 8000; seed++) {
    struct rl_shuffle s = {.random = {seed}};
    int64_t label;
    add(&s, 0, 8);
    draw(&s, 1, &label);
    first[label]++;
    rl_shuffle_free(&s);
  }
  for (int i = 0; i < 8; i++)
    if (abs(first[i] - 1000) > 180) UNIT_FAIL("row %d was first %d times of 8000", i, first[i]);
}

TEST(rows_that_do_not_go_together) {
  struct rl_shuffle s = {.size = 1};
  struct rl_tensor two[2], three[2], flat;
  struct rl_err err;
  rows(0, 2, two);
  rows(0, 3, three);
  const struct rl_tensor mixed[] = {two[0], three[1]}, turned[] = {two[1], two[0]};
  CHECK_INT(rl_shuffle_add(&s, mixed, 2, NULL, &err), RL_EUSAGE);
  CHECK_HAS(err.text, "tensor 1 has 2 rows, tensor 2 has 3");
  CHECK_INT(rl_shuffle_add(&s, two, 2, NULL, &err), 0);
  CHECK_INT(rl_shuffle_add(&s, turned, 2, NULL, &err), RL_EUSAGE);
  CHECK_HAS(err.text, "tensor 1 holds rows of int64 [], those before of float32 [3]");
  CHECK_INT(rl_shuffle_add(&s, two, 1, NULL, &err), RL_EUSAGE);
  CHECK_HAS(err.text, "a row has 1 parts, those before had 2");
  CHECK_INT(rl_tensor_new(&flat, RL_FLOAT32, 0, NULL, NULL, &err), 0);
  CHECK_INT(rl_shuffle_add(&s, &flat, 1, NULL, &err), RL_EUSAGE);
  CHECK_INT(s.n, 2);
  for (int i = 0; i < 2; i++) {
    rl_tensor_free(&two[i]);
    rl_tensor_free(&three[i]);
  }
  rl_tensor_free(&flat);
  rl_shuffle_free(&s);
}
