/* Metrics: by hand, and AUC beside a count of all pairs. */
#include "model/metric.h"

#include "model/random.h"
#include "unit.h"

static struct rl_tensor tensor(enum rl_dtype dtype, int64_t n) {
  struct rl_tensor t;
  struct rl_err err;
  if (rl_tensor_new(&t, dtype, 1, &n, NULL, &err)) UNIT_FAIL("%s", err.text);
  return t;
}

static int update(struct rl_metric *m, const double *scores, const uint8_t *labels, int64_t n,
                  struct rl_err *err) {
  struct rl_tensor s = tensor(RL_FLOAT64, n), l = tensor(RL_UINT8, n);
  if (n) memcpy(s.data, scores, (size_t)n * sizeof *scores);
  if (n) memcpy(l.data, labels, (size_t)n);
  int rc = rl_metric_update(m, &s, &l, NULL, err);
  rl_tensor_free(&s);
  rl_tensor_free(&l);
  return rc;
}

/* Of all pairs, one by one. */
static double all_pairs(const double *score, const uint8_t *label, int n) {
  double pairs = 0, all = 0;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      if (!label[i] || label[j]) continue;
      all++;
      pairs += score[i] > score[j] ? 1 : score[i] == score[j] ? 0.5 : 0;
    }
  return pairs / all;
}

TEST(auc_is_the_share_of_pairs_ties_half) {
  struct rl_random random = {1};
  for (int round = 0; round < 200; round++) {
    double score[300];
    uint8_t label[300];
    struct rl_metric m = {.kind = RL_METRIC_AUC};
    struct rl_err err;
    uint64_t values = 1 + rl_random_below(&random, round % 2 ? 8 : 100000); /* few: many ties */
    int n = 2 + (int)rl_random_below(&random, 298);
    for (int i = 0; i < n; i++) {
      score[i] = ((double)rl_random_below(&random, values) - (double)(values / 2)) / 7;
      label[i] = i < 2 ? (uint8_t)i : rl_random_below(&random, 3) == 0;
      if (i % 17 == 0 && score[i] == 0) score[i] = -0.0;
    }
    int first = (int)rl_random_below(&random, (uint64_t)n);
    CHECK_INT(update(&m, score, label, first, &err), 0);
    rl_metric_value(&m); /* asked for in between: sorted once, it takes more */
    CHECK_INT(update(&m, score + first, label + first, n - first, &err), 0);
    double got = rl_metric_value(&m), want = all_pairs(score, label, n);
    if (fabs(got - want) > 1e-12) UNIT_FAIL("round %d: %.17g, not %.17g", round, got, want);
    CHECK(rl_metric_value(&m) == got);
    rl_metric_reset(&m);
  }
}

TEST(auc_of_many_scores) {
  enum { N = 30000 };
  static double score[N];
  static uint8_t label[N];
  struct rl_random random = {3};
  struct rl_metric m = {.kind = RL_METRIC_AUC};
  struct rl_err err;
  for (int i = 0; i < N; i++) {
    label[i] = (uint8_t)(i % 2);
    score[i] = rl_random_unit(&random) + label[i];
  }
  CHECK_INT(update(&m, score, label, N, &err), 0);
  CHECK(rl_metric_value(&m) == 1);
  rl_metric_reset(&m);
  for (int i = 0; i < N; i++) score[i] = i % 2 ? -INFINITY : INFINITY;
  CHECK_INT(update(&m, score, label, N, &err), 0);
  CHECK(rl_metric_value(&m) == 0);
  rl_metric_reset(&m);
}

TEST(sums_by_hand) {
  static const double score[] = {0.9, 0.5, 0.4, 0.6};
  static const uint8_t label[] = {1, 1, 0, 0};
  struct rl_metric m = {.kind = RL_METRIC_ACCURACY, .threshold = 0.5};
  struct rl_err err;
  CHECK_INT(update(&m, score, label, 4, &err), 0);
  CHECK(rl_metric_value(&m) == 0.5);
  CHECK_INT(m.n[1][1], 1);
  CHECK_INT(m.n[1][0], 1); /* 0.5 is not above the threshold */
  CHECK_INT(m.n[0][1], 1);
  CHECK_INT(m.n[0][0], 1);
  struct rl_metric loss = {.kind = RL_METRIC_LOG_LOSS};
  CHECK_INT(update(&loss, score, label, 4, &err), 0);
  CHECK(fabs(rl_metric_value(&loss) - -(log(0.9) + log(0.5) + log(0.6) + log(0.4)) / 4) < 1e-15);
  rl_metric_reset(&loss);
  CHECK(isnan(rl_metric_value(&loss)));
}

TEST(log_loss_of_certain_scores_is_finite) {
  static const double score[] = {1, 0};
  static const uint8_t label[] = {0, 1};
  struct rl_metric m = {.kind = RL_METRIC_LOG_LOSS};
  struct rl_err err;
  CHECK_INT(update(&m, score, label, 2, &err), 0);
  CHECK(fabs(rl_metric_value(&m) - -log(2.220446049250313e-16)) < 1e-9);
}

TEST(what_is_no_score_or_label_adds_nothing) {
  static const double bad[] = {0.5, (double)NAN}, high[] = {0.5, 1.5};
  static const uint8_t label[] = {1, 0}, two[] = {1, 2};
  struct rl_err err;
  for (int kind = 0; kind < RL_METRIC_KINDS; kind++) {
    struct rl_metric m = {.kind = (enum rl_metric_kind)kind, .threshold = 0.5};
    CHECK_INT(update(&m, bad, label, 2, &err), RL_EFAIL);
    CHECK_HAS(err.text, "the score of row 2 is NaN");
    CHECK_INT(update(&m, high + 1, two + 1, 1, &err), RL_EFAIL);
    CHECK_INT(update(&m, bad, two, 1, &err), 0);
    CHECK_INT(m.n[1][0], 1);
    CHECK_INT(m.n[1][1] + m.n[0][0] + m.n[0][1], 0);
    CHECK_INT(m.used[1], kind == RL_METRIC_AUC);
    CHECK_INT(update(&m, high, label, 2, &err), kind == RL_METRIC_LOG_LOSS ? RL_EFAIL : 0);
    rl_metric_reset(&m);
  }
}

static void *refuse(void *self, void *p, size_t old_size, size_t new_size) {
  (void)self;
  (void)old_size;
  if (new_size) return NULL;
  free(p);
  return NULL;
}

TEST(memory_that_is_refused_adds_nothing) {
  const struct rl_tensor_alloc none = {refuse, NULL};
  struct rl_metric m = {.kind = RL_METRIC_AUC};
  struct rl_tensor s = tensor(RL_FLOAT32, 1), l = tensor(RL_TRUTH, 1);
  struct rl_err err;
  memset(s.data, 0, 4);
  memset(l.data, 1, 1);
  CHECK_INT(rl_metric_update(&m, &s, &l, &none, &err), RL_ENOMEM);
  CHECK_INT(m.n[1][0] + m.used[1], 0);
  rl_tensor_free(&s);
  rl_tensor_free(&l);
}
