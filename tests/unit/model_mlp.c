/* The dense network: what it cannot be, and its gradients beside finite differences. */
#include "mlp_made.h"

static const int64_t tutorial[] = {18, 128, 256, 128, 1};

TEST(the_tutorials_network_has_68481_parameters) {
  struct rl_mlp_spec spec = spec_of(4, tutorial);
  CHECK_INT(rl_mlp_parameters(&spec), 68481);
}

TEST(what_cannot_be_is_refused) {
  static const int64_t none[] = {3, 0}, huge[] = {3, 65537};
  struct rl_err err;
  struct rl_mlp m;
  struct rl_mlp_spec spec = spec_of(1, none);
  CHECK_INT(rl_mlp_new(&m, &spec, 1, NULL, &err), RL_EUSAGE);
  CHECK_HAS(err.text, "no layer has the size 0");
  spec = spec_of(1, huge);
  CHECK_INT(rl_mlp_check(&spec, &err), RL_EUSAGE);
  spec = spec_of(4, tutorial);
  spec.dropout[1] = 1;
  CHECK_INT(rl_mlp_check(&spec, &err), RL_EUSAGE);
  CHECK_HAS(err.text, "dropout is from 0 to below 1, not 1");
  spec.dropout[1] = 0;
  static const double rates[] = {(double)NAN, (double)INFINITY, 0, -1, 1e39, 1e-60};
  for (size_t i = 0; i < sizeof rates / sizeof *rates; i++) {
    spec.learning_rate = rates[i];
    CHECK_INT(rl_mlp_check(&spec, &err), RL_EUSAGE);
    spec.learning_rate = 0.001;
    spec.epsilon = rates[i];
    CHECK_INT(rl_mlp_check(&spec, &err), RL_EUSAGE);
    spec.epsilon = 1e-7;
  }
  CHECK_HAS(err.text, "epsilon is above 0 and within float32, not 1e-60");
  spec = spec_of(0, tutorial);
  CHECK_INT(rl_mlp_check(&spec, &err), RL_EUSAGE);
}

/* ---- gradients ---- */

/* The same network once more, as plainly as can be and in doubles. `kept`: of each hidden neuron of each row
 * what dropout made of it, 0 or 1 / (1 - rate). */
static double plain_loss(const struct rl_mlp_spec *spec, const double *p, const float *x, const float *y,
                         int n, const double *kept) {
  double sum = 0;
  for (int row = 0; row < n; row++) {
    double a[16], z[16];
    const double *w = p;
    for (int i = 0; i < spec->sizes[0]; i++) a[i] = (double)x[row * spec->sizes[0] + i];
    for (int layer = 0; layer < spec->layers; layer++) {
      int64_t in = spec->sizes[layer], out = spec->sizes[layer + 1];
      const double *bias = w + in * out;
      for (int64_t j = 0; j < out; j++) {
        z[j] = bias[j];
        for (int64_t i = 0; i < in; i++) z[j] += a[i] * w[i * out + j];
      }
      w = bias + out;
      if (layer < spec->layers - 1)
        for (int64_t j = 0; j < out; j++) a[j] = (z[j] > 0 ? z[j] : 0) * *kept++;
    }
    int64_t k = spec->sizes[spec->layers];
    for (int64_t j = 0; j < k; j++) {
      double score = 1 / (1 + exp(-z[j])), label = (double)y[row * k + j];
      sum -= label * log(score) + (1 - label) * log(1 - score);
    }
  }
  return sum / (double)(n * spec->sizes[spec->layers]);
}

enum { ROWS = 5 };

/* Labels between 0 and 1 as well. */
static void examples(float *x, float *y) {
  struct rl_random random = {7};
  for (int i = 0; i < ROWS * 3; i++) x[i] = (float)(rl_random_unit(&random) * 4 - 2);
  for (int i = 0; i < ROWS * 2; i++) y[i] = (float)(i % 3) / 2;
}

/* What dropout did, read from what the hidden layers gave: neurons that were 0 anyway do not tell, and do not
 * matter. */
static void read_kept(const struct rl_mlp *m, double *kept) {
  const float *work = rl_mlp_floats(&m->work);
  const size_t first = rl_mlp_pad(ROWS * 7);
  for (int row = 0; row < ROWS; row++) {
    for (int j = 0; j < 7; j++) *kept++ = work[row * 7 + j] > 0 ? 1 / (1 - m->spec.dropout[0]) : 0;
    for (int j = 0; j < 4; j++)
      *kept++ = work[first + (size_t)(row * 4 + j)] > 0 ? 1 / (1 - m->spec.dropout[1]) : 0;
  }
}

static void check_gradients(struct rl_mlp *m, bool dropped) {
  float x[ROWS * 3], y[ROWS * 2];
  double p[200] = {0}, kept[ROWS * 11], loss;
  struct rl_err err = {0};
  size_t n = rl_mlp_parameters(&m->spec);
  examples(x, y);
  CHECK_INT(rl_mlp_gradient(m, x, y, ROWS, &loss, &err), 0);
  for (int i = 0; i < ROWS * 11; i++) kept[i] = 1;
  if (dropped) read_kept(m, kept);
  for (size_t i = 0; i < n; i++) p[i] = (double)rl_mlp_floats(&m->weights)[i];
  if (fabs(loss - plain_loss(&m->spec, p, x, y, ROWS, kept)) > 1e-6) UNIT_FAIL("the loss is %.9g", loss);
  for (size_t i = 0; i < n; i++) {
    const double step = 1e-6, was = p[i];
    p[i] = was + step;
    double above = plain_loss(&m->spec, p, x, y, ROWS, kept);
    p[i] = was - step;
    double want = (above - plain_loss(&m->spec, p, x, y, ROWS, kept)) / (2 * step);
    double got = (double)rl_mlp_floats(&m->gradients)[i];
    p[i] = was;
    if (fabs(got - want) > 1e-6) UNIT_FAIL("derivative %zu is %.9g, not %.9g", i, got, want);
  }
}

TEST(gradients_are_what_finite_differences_say) {
  struct rl_mlp_spec spec = spec_of(3, small);
  struct rl_mlp m = made(&spec, 3);
  for (int i = 0; i < 13; i++)
    rl_mlp_floats(&m.weights)[21 + i % 7] = (float)(i % 5 - 2) / 10; /* biases too */
  check_gradients(&m, false);
  rl_mlp_free(&m);
}

TEST(gradients_with_dropout_too) {
  struct rl_mlp_spec spec = spec_of(3, small);
  spec.dropout[0] = 0.25;
  spec.dropout[1] = 0.5;
  struct rl_mlp m = made(&spec, 5);
  check_gradients(&m, true);
  rl_mlp_free(&m);
}

TEST(a_step_of_adam_is_as_its_authors_have_it) {
  static const int64_t sizes[] = {1, 1};
  struct rl_mlp_spec spec = spec_of(1, sizes);
  struct rl_mlp m = made(&spec, 1);
  struct rl_err err;
  double loss, w = (double)rl_mlp_floats(&m.weights)[0], first = 0, second = 0;
  const float x[] = {1}, y[] = {1};
  for (int t = 1; t <= 20; t++) {
    CHECK_INT(rl_mlp_train(&m, x, y, 1, &loss, &err), 0);
    double g = (double)rl_mlp_floats(&m.gradients)[0];
    first = 0.9 * first + 0.1 * g;
    second = 0.999 * second + 0.001 * g * g;
    w -= 0.001 * sqrt(1 - pow(0.999, t)) / (1 - pow(0.9, t)) * first / (sqrt(second) + 1e-7);
    if (fabs(w - (double)rl_mlp_floats(&m.weights)[0]) > 1e-6)
      UNIT_FAIL("step %d: the weight is %.9g, not %.9g", t, (double)rl_mlp_floats(&m.weights)[0], w);
  }
  CHECK_INT(m.steps, 20);
  rl_mlp_free(&m);
}

/* ---- memory ---- */

struct counted {
  size_t calls, fail_from, live;
};

static void *counted(void *self, void *p, size_t old_size, size_t new_size) {
  struct counted *c = self;
  if (!new_size) {
    c->live -= old_size;
    free(p);
    return NULL;
  }
  if (c->fail_from && ++c->calls >= c->fail_from) return NULL;
  c->live += new_size;
  return realloc(p, new_size);
}

TEST(memory_that_is_refused_at_any_place_leaves_nothing) {
  struct rl_mlp_spec spec = spec_of(3, small);
  float x[ROWS * 3], y[ROWS * 2];
  examples(x, y);
  for (size_t from = 1;; from++) {
    struct counted c = {.fail_from = from};
    const struct rl_tensor_alloc alloc = {counted, &c};
    struct rl_mlp m;
    struct rl_err err;
    double loss;
    int rc = rl_mlp_new(&m, &spec, 1, &alloc, &err);
    if (rc == 0) rc = rl_mlp_train(&m, x, y, ROWS, &loss, &err);
    rl_mlp_free(&m);
    CHECK_INT(c.live, 0);
    if (rc == 0) break;
    CHECK_INT(rc, RL_ENOMEM);
  }
}
