/* The dense network: its gradients beside finite differences, its training, its file whole and damaged. */
#include "model/mlp.h"

#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "model/random.h"
#include "unit.h"

static struct rl_mlp_spec spec_of(int layers, const int64_t *sizes) {
  struct rl_mlp_spec spec = rl_mlp_defaults();
  spec.layers = layers;
  for (int i = 0; i <= layers; i++) spec.sizes[i] = sizes[i];
  return spec;
}

static struct rl_mlp made(const struct rl_mlp_spec *spec, uint64_t seed) {
  struct rl_mlp m;
  struct rl_err err = {0};
  if (rl_mlp_new(&m, spec, seed, NULL, &err)) UNIT_FAIL("%s", err.text);
  return m;
}

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
static const int64_t small[] = {3, 7, 4, 2};

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

/* ---- training ---- */

/* Yes inside of a ring: no line divides them. */
static void ring(float *x, float *y, int n, uint64_t seed) {
  struct rl_random random = {seed};
  for (int i = 0; i < n; i++) {
    x[2 * i] = (float)(rl_random_unit(&random) * 2 - 1);
    x[2 * i + 1] = (float)(rl_random_unit(&random) * 2 - 1);
    y[i] = x[2 * i] * x[2 * i] + x[2 * i + 1] * x[2 * i + 1] < 0.5F;
  }
}

static void train_ring(struct rl_mlp *m, int steps, double *accuracy) {
  enum { N = 64 };
  float x[2 * N], y[N], test_x[2 * 1000], test_y[1000];
  double loss, first = 0;
  struct rl_err err;
  for (int i = 0; i < steps; i++) {
    ring(x, y, N, (uint64_t)i);
    if (rl_mlp_train(m, x, y, N, &loss, &err)) UNIT_FAIL("%s", err.text);
    if (i == 0) first = loss;
  }
  CHECK(loss < first);
  ring(test_x, test_y, 1000, 99999);
  CHECK_INT(rl_mlp_evaluate(m, test_x, test_y, 1000, &loss, accuracy, &err), 0);
  CHECK(loss < first);
}

TEST(it_learns_what_no_line_divides_and_the_same_each_time) {
  static const int64_t sizes[] = {2, 32, 16, 1};
  struct rl_mlp_spec spec = spec_of(3, sizes);
  spec.dropout[0] = 0.1;
  spec.learning_rate = 0.01;
  struct rl_mlp a = made(&spec, 1), b = made(&spec, 1), c = made(&spec, 2);
  double accuracy;
  train_ring(&a, 600, &accuracy);
  if (accuracy < 0.93) UNIT_FAIL("accuracy %g", accuracy);
  train_ring(&b, 600, &accuracy);
  train_ring(&c, 600, &accuracy);
  size_t bytes = rl_mlp_parameters(&spec) * sizeof(float);
  CHECK(memcmp(a.weights.data, b.weights.data, bytes) == 0);
  CHECK(memcmp(a.weights.data, c.weights.data, bytes) != 0);
  rl_mlp_free(&a);
  rl_mlp_free(&b);
  rl_mlp_free(&c);
}

static void *train_alone(void *arg) {
  static const int64_t sizes[] = {2, 200, 100, 1};
  enum { N = 64 };
  struct rl_mlp_spec spec = spec_of(3, sizes);
  struct rl_mlp *m = arg;
  float x[2 * N], y[N];
  double loss;
  spec.dropout[0] = 0.3;
  *m = made(&spec, 1);
  for (int i = 0; i < 200; i++) {
    ring(x, y, N, (uint64_t)i);
    if (rl_mlp_train(m, x, y, N, &loss, NULL)) UNIT_FAIL("step %d", i);
  }
  return NULL;
}

/* Lanes train in one process, each its own: OpenBLAS must take calls of several threads at once. */
TEST(networks_in_threads_side_by_side_are_as_one_alone) {
  enum { THREADS = 4 };
  struct rl_mlp alone, beside[THREADS];
  pthread_t threads[THREADS];
  train_alone(&alone);
  for (int i = 0; i < THREADS; i++) pthread_create(&threads[i], NULL, train_alone, &beside[i]);
  for (int i = 0; i < THREADS; i++) {
    pthread_join(threads[i], NULL);
    CHECK(memcmp(alone.weights.data, beside[i].weights.data,
                 alone.weights.buf->size - sizeof *alone.weights.buf) == 0);
    rl_mlp_free(&beside[i]);
  }
  rl_mlp_free(&alone);
}

TEST(a_loss_that_is_no_number_changes_nothing) {
  static const int64_t sizes[] = {1, 2, 1};
  struct rl_mlp_spec spec = spec_of(2, sizes);
  struct rl_mlp m = made(&spec, 1);
  struct rl_err err;
  double loss;
  const float x[] = {(float)NAN}, y[] = {1};
  float before[7];
  memcpy(before, m.weights.data, sizeof before);
  CHECK_INT(rl_mlp_train(&m, x, y, 1, &loss, &err), RL_EFAIL);
  CHECK(memcmp(before, m.weights.data, sizeof before) == 0);
  CHECK_INT(m.steps, 0);
  rl_mlp_free(&m);
}

TEST(the_loss_of_a_certain_score_is_finite) {
  static const int64_t sizes[] = {1, 1};
  struct rl_mlp_spec spec = spec_of(1, sizes);
  struct rl_mlp m = made(&spec, 1);
  struct rl_err err;
  double loss, accuracy;
  const float x[] = {1000, -1000}, y[] = {0, 1}; /* both as wrong as can be */
  rl_mlp_floats(&m.weights)[0] = 1;
  CHECK_INT(rl_mlp_evaluate(&m, x, y, 2, &loss, &accuracy, &err), 0);
  CHECK(loss == 1000);
  CHECK(accuracy == 0);
  rl_mlp_free(&m);
}

TEST(a_row_with_nan_has_no_score_and_its_neighbours_have_theirs) {
  struct rl_mlp_spec spec = spec_of(3, small);
  spec.dropout[0] = 0.5; /* not at work here */
  struct rl_mlp m = made(&spec, 1);
  struct rl_err err;
  enum { N = 700 }; /* more than are scored at once */
  static float x[N * 3], scores[N * 2], alone[2];
  struct rl_random random = {1};
  for (int i = 0; i < N * 3; i++) x[i] = (float)(rl_random_unit(&random) * 8 - 4);
  x[3 * 300 + 1] = (float)NAN;
  CHECK_INT(rl_mlp_predict(&m, x, N, scores, &err), 0);
  for (int i = 0; i < N; i++) {
    CHECK_INT(rl_mlp_predict(&m, x + 3 * i, 1, alone, &err), 0);
    if (i == 300) {
      CHECK(isnan(scores[2 * i]) && isnan(scores[2 * i + 1]));
    } else if (fabs((double)(scores[2 * i] - alone[0])) > 1e-6 || !(scores[2 * i] > 0 && scores[2 * i] < 1)) {
      UNIT_FAIL("row %d: %g, alone %g", i, (double)scores[2 * i], (double)alone[0]);
    }
  }
  rl_mlp_free(&m);
}

TEST(dropout_drops_as_many_as_it_says) {
  enum { N = 160000 };
  static float a[N];
  struct rl_mlp_dice dice;
  struct rl_random random = {1};
  for (int i = 0; i < RL_MLP_PAD; i++) dice.at[i] = (uint32_t)rl_random_next(&random) | 1u;
  for (int i = 0; i < N; i++) a[i] = 1;
  rl_mlp_drop(a, N, 0.4, &dice);
  int dropped = 0;
  for (int i = 0; i < N; i++) {
    if (a[i] != 0 && fabsf(a[i] - 1 / 0.6F) > 1e-6F) UNIT_FAIL("%d is %g", i, (double)a[i]);
    dropped += a[i] == 0;
  }
  if (abs(dropped - 64000) > 1200)
    UNIT_FAIL("%d of %d were dropped", dropped, N); /* six standard deviations */
}

/* ---- OpenBLAS ---- */

static rl_sgemm *right;

/* Right but for one product of a matrix that is turned. */
static void wrong_once(int order, int a_side, int b_side, int m, int n, int k, float alpha, const float *a,
                       int lda, const float *b, int ldb, float beta, float *c, int ldc) {
  right(order, a_side, b_side, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
  if (b_side == RL_TRANSPOSED) c[(m - 1) * ldc + n - 1] += 0.01F;
}

TEST(an_openblas_that_computes_wrong_products_is_refused) {
  struct rl_err err = {0};
  CHECK_INT(rl_blas_sgemm(&right, &err), 0);
  CHECK_INT(rl_blas_check(right, &err), 0);
  CHECK_INT(rl_blas_check(wrong_once, &err), RL_EFAIL);
  CHECK_HAS(err.text, "computes wrong products on this processor");
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

/* ---- the file ---- */

static struct rl_buf written(const struct rl_mlp *m) {
  struct rl_buf file = RL_BUF_INIT;
  char *bytes = NULL;
  size_t len = 0;
  FILE *to = open_memstream(&bytes, &len);
  CHECK_INT(rl_mlp_write(to, m), 0);
  fclose(to);
  rl_buf_put(&file, bytes, len);
  free(bytes);
  return file;
}

/* 0, or what it was refused for. */
static int read_back(const char *data, size_t len, struct rl_mlp *m, struct rl_err *err) {
  struct rl_mlp_spec spec;
  *m = (struct rl_mlp){0};
  FILE *file = len ? fmemopen((void *)data, len, "rb") : fopen("/dev/null", "rb");
  int rc = rl_mlp_read_spec(file, &spec, err);
  if (!rc) rc = rl_mlp_new(m, &spec, 1, NULL, err);
  if (!rc) rc = rl_mlp_read_weights(file, m, err);
  if (rc) rl_mlp_free(m);
  fclose(file);
  return rc;
}

static struct rl_mlp one_of_all(void) {
  struct rl_mlp_spec spec = spec_of(3, small);
  spec.dropout[0] = 0.2;
  spec.learning_rate = 3e-4;
  return made(&spec, 11);
}

TEST(what_is_written_is_read) {
  struct rl_mlp m = one_of_all(), back;
  struct rl_err err = {0};
  struct rl_buf file = written(&m);
  CHECK_INT(read_back(file.data, file.len, &back, &err), 0);
  CHECK_STR(err.text, "");
  CHECK(memcmp(&m.spec, &back.spec, sizeof m.spec) == 0);
  CHECK(memcmp(m.weights.data, back.weights.data, rl_mlp_parameters(&m.spec) * sizeof(float)) == 0);
  rl_mlp_free(&m);
  rl_mlp_free(&back);
  rl_buf_free(&file);
}

TEST(every_cut_and_every_bit_turned_round_is_an_error) {
  struct rl_mlp m = one_of_all(), back;
  struct rl_err err;
  struct rl_buf file = written(&m);
  for (size_t len = 0; len < file.len; len++)
    if (read_back(file.data, len, &back, &err) != RL_EFAIL) UNIT_FAIL("cut at %zu", len);
  for (size_t bit = 0; bit < file.len * 8; bit++) {
    file.data[bit / 8] = (char)(file.data[bit / 8] ^ (1 << bit % 8));
    if (read_back(file.data, file.len, &back, &err) != RL_EFAIL) {
      UNIT_FAIL("bit %zu of byte %zu", bit % 8, bit / 8);
      rl_mlp_free(&back);
    }
    file.data[bit / 8] = (char)(file.data[bit / 8] ^ (1 << bit % 8));
  }
  rl_buf_putc(&file, 'x');
  CHECK_INT(read_back(file.data, file.len, &back, &err), RL_EFAIL);
  rl_mlp_free(&m);
  rl_buf_free(&file);
}

TEST(files_that_are_not_there_or_cannot_be_written) {
  struct rl_mlp m = one_of_all();
  struct rl_err err;
  CHECK_INT(rl_mlp_save(&m, "/nowhere/m.onnx", &err), RL_EFAIL);
  CHECK_HAS(err.text, "/nowhere/m.onnx: No such file");
  if (access("/dev/full", W_OK) == 0) {
    CHECK_INT(rl_mlp_save(&m, "/dev/full", &err), RL_EFAIL);
    CHECK_HAS(err.text, "/dev/full: No space");
  }
  rl_mlp_free(&m);
}

/* The only file of a folder, and the folder, away. */
static void remove_only(const char *folder, const char *path) {
  unlink(path);
  if (rmdir(folder)) UNIT_FAIL("%s: a part was left", folder);
}

TEST(a_file_is_replaced_when_the_new_one_is_whole) {
  char folder[] = "/tmp/rille-mlp-XXXXXX", path[64];
  struct rl_mlp m = one_of_all(), back;
  struct rl_err err = {0};
  CHECK(mkdtemp(folder) != NULL);
  snprintf(path, sizeof path, "%s/m.onnx", folder);
  for (int i = 0; i < 2; i++) {
    rl_mlp_floats(&m.weights)[0] = (float)i;
    CHECK_INT(rl_mlp_save(&m, path, &err), 0);
  }
  FILE *file = fopen(path, "rb");
  back = made(&m.spec, 1);
  CHECK_INT(rl_mlp_read_weights(file, &back, &err), 0);
  CHECK(rl_mlp_floats(&back.weights)[0] == 1);
  fclose(file);
  remove_only(folder, path);
  rl_mlp_free(&m);
  rl_mlp_free(&back);
}

TEST(the_new_file_has_the_old_ones_mode) {
  char folder[] = "/tmp/rille-mlp-XXXXXX", path[64];
  struct rl_mlp m = one_of_all();
  struct rl_err err = {0};
  struct stat st;
  mode_t mask = umask(027);
  CHECK(mkdtemp(folder) != NULL);
  snprintf(path, sizeof path, "%s/m.onnx", folder);
  CHECK_INT(rl_mlp_save(&m, path, &err), 0);
  CHECK(stat(path, &st) == 0);
  CHECK_INT(st.st_mode & 07777, 0640);
  CHECK(chmod(path, 0606) == 0);
  CHECK_INT(rl_mlp_save(&m, path, &err), 0);
  CHECK(stat(path, &st) == 0);
  CHECK_INT(st.st_mode & 07777, 0606);
  umask(mask);
  remove_only(folder, path);
  rl_mlp_free(&m);
}

struct saver {
  const char *path;
  float first; /* the first weight, by which one tells whose it is */
  int failures;
};

static void *save_again_and_again(void *arg) {
  struct saver *s = arg;
  struct rl_mlp m = one_of_all();
  struct rl_err err = {0};
  rl_mlp_floats(&m.weights)[0] = s->first;
  for (int i = 0; i < 100; i++) s->failures += rl_mlp_save(&m, s->path, &err) != 0;
  rl_mlp_free(&m);
  return NULL;
}

/* As of a reader at any time: whole, and one of theirs. */
static void check_whole(const char *path) {
  struct rl_err err = {0};
  FILE *file = fopen(path, "rb");
  if (!file) return; /* none has saved yet */
  struct rl_mlp back = one_of_all();
  if (rl_mlp_read_weights(file, &back, &err)) UNIT_FAIL("%s", err.text);
  float first = rl_mlp_floats(&back.weights)[0];
  CHECK(first == 1 || first == 2 || first == 3);
  fclose(file);
  rl_mlp_free(&back);
}

TEST(a_path_that_several_save_to_at_once_has_a_whole_network_of_one_of_them) {
  char folder[] = "/tmp/rille-mlp-XXXXXX", path[64];
  struct saver savers[3];
  pthread_t threads[3];
  CHECK(mkdtemp(folder) != NULL);
  snprintf(path, sizeof path, "%s/m.onnx", folder);
  for (int i = 0; i < 3; i++) {
    savers[i] = (struct saver){path, (float)i + 1, 0};
    pthread_create(&threads[i], NULL, save_again_and_again, &savers[i]);
  }
  for (int i = 0; i < 100; i++) check_whole(path);
  for (int i = 0; i < 3; i++) pthread_join(threads[i], NULL);
  for (int i = 0; i < 3; i++) CHECK_INT(savers[i].failures, 0);
  check_whole(path);
  remove_only(folder, path);
}

TEST(weights_that_are_not_finite_are_not_saved) {
  char folder[] = "/tmp/rille-mlp-XXXXXX", path[64];
  struct rl_mlp m = one_of_all();
  struct rl_err err = {0};
  CHECK(mkdtemp(folder) != NULL);
  snprintf(path, sizeof path, "%s/m.onnx", folder);
  rl_mlp_floats(&m.weights)[0] = 1;
  CHECK_INT(rl_mlp_save(&m, path, &err), 0);
  for (int i = 0; i < 2; i++) {
    rl_mlp_floats(&m.weights)[3] = i ? (float)NAN : -(float)INFINITY;
    CHECK_INT(rl_mlp_save(&m, path, &err), RL_EFAIL);
    CHECK_HAS(err.text, "m.onnx is left as it is: a network whose weights are not finite");
  }
  check_whole(path);
  remove_only(folder, path);
  rl_mlp_free(&m);
}
