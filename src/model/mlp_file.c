/* A network's file, both ways: what it says of itself (mlp_onnx.c has all around it).
 *
 * What a reader must know before the walk, the spec, stands near the file's beginning, as metadata:
 *
 *   1 sizes=18,128,1 dropout=0.2 learning_rate=0.001 beta1=0.9 beta2=0.999 epsilon=1e-07 sum=9f0a1b2c3d4e5f60
 *
 * sum is FNV-1a's, 64 bits, of the text before it and of the weights: each step of it can be turned back, so
 * no single byte that changes goes unseen. */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/save.h"
#include "base/str.h"
#include "model/mlp_onnx.h"

enum { TEXT_MAX = 1024, SUM = 16 };

/* ---- the spec as text ---- */

static void put_doubles(struct rl_buf *out, const char *name, const double *x, int n) {
  rl_buf_printf(out, " %s=", name);
  for (int i = 0; i < n; i++) {
    if (i) rl_buf_putc(out, ',');
    rl_put_double(out, x[i]);
  }
}

static void put_spec(struct rl_buf *out, const struct rl_mlp_spec *spec) {
  rl_buf_puts(out, "1 sizes=");
  for (int i = 0; i <= spec->layers; i++) rl_buf_printf(out, "%s%d", i ? "," : "", (int)spec->sizes[i]);
  put_doubles(out, "dropout", spec->dropout, spec->layers - 1);
  put_doubles(out, "learning_rate", &spec->learning_rate, 1);
  put_doubles(out, "beta1", &spec->beta1, 1);
  put_doubles(out, "beta2", &spec->beta2, 1);
  put_doubles(out, "epsilon", &spec->epsilon, 1);
  rl_buf_puts(out, " sum=");
}

#define FNV_START 0xcbf29ce484222325u
#define FNV_PRIME 0x100000001b3u

static uint64_t add_up(uint64_t sum, const char *bytes, size_t n) {
  for (size_t i = 0; i < n; i++) sum = (sum ^ (unsigned char)bytes[i]) * FNV_PRIME;
  return sum;
}

static void put_all(struct rl_buf *out, const struct rl_mlp *m) {
  put_spec(out, &m->spec);
  uint64_t sum = add_up(FNV_START, out->data, out->len);
  sum = add_up(sum, m->weights.data, rl_mlp_parameters(&m->spec) * sizeof(float));
  rl_buf_printf(out, "%016llx", (unsigned long long)sum);
}

/* "0.2,0.4" into at most `most` of x; their number, or -1. */
static int parse_doubles(char *text, double *x, int most) {
  int n = 0;
  char *rest = NULL;
  for (char *one = strtok_r(text, ",", &rest); one; one = strtok_r(NULL, ",", &rest))
    if (n == most || !rl_parse_double(one, &x[n++])) return -1;
  return n;
}

static bool parse_sizes(char *text, struct rl_mlp_spec *spec) {
  double sizes[RL_MLP_LAYERS + 1];
  int n = parse_doubles(text, sizes, RL_MLP_LAYERS + 1);
  for (int i = 0; i < n; i++) {
    if (!(sizes[i] >= 1 && sizes[i] <= RL_MLP_SIZE)) return false;
    spec->sizes[i] = (int64_t)sizes[i];
  }
  spec->layers = n - 1;
  return n > 1;
}

static bool parse_entry(char *entry, struct rl_mlp_spec *spec) {
  char *value = strchr(entry, '=');
  if (!value) return true; /* the version */
  *value++ = '\0';
  if (strcmp(entry, "sizes") == 0) return parse_sizes(value, spec);
  if (strcmp(entry, "dropout") == 0) return parse_doubles(value, spec->dropout, RL_MLP_LAYERS) >= 0;
  double *to = strcmp(entry, "learning_rate") == 0 ? &spec->learning_rate
               : strcmp(entry, "beta1") == 0       ? &spec->beta1
               : strcmp(entry, "beta2") == 0       ? &spec->beta2
               : strcmp(entry, "epsilon") == 0     ? &spec->epsilon
                                                   : NULL;
  return !to || parse_doubles(value, to, 1) == 1;
}

/* Whatever is let through here, the text must be what the spec is written as. */
static bool parse_spec(const char *text, struct rl_mlp_spec *spec) {
  char copy[TEXT_MAX + 1], *rest = NULL;
  struct rl_buf again = RL_BUF_INIT;
  bool good = true;
  *spec = rl_mlp_defaults();
  memcpy(copy, text, strlen(text) + 1);
  for (char *one = strtok_r(copy, " ", &rest); one && good; one = strtok_r(NULL, " ", &rest))
    good = parse_entry(one, spec);
  if (!good || rl_mlp_check(spec, NULL)) return false;
  put_spec(&again, spec);
  good = strlen(text) == again.len + SUM && memcmp(text, again.data, again.len) == 0;
  rl_buf_free(&again);
  return good;
}

/* ---- reading ---- */

static int damaged(struct rl_err *err, size_t at) {
  return rl_fail(err, RL_EFAIL, "no network that rille.mlp wrote, or a damaged one: it shows at byte %zu",
                 at);
}

/* The head of the file, and the text. */
static int read_text(FILE *file, char text[TEXT_MAX + 1], struct rl_err *err) {
  struct rl_mlp_walk w = {.what = RL_WALK_CHECK, .file = file};
  size_t len = rl_mlp_find_text(&w);
  if (w.wrong) return damaged(err, w.wrong_at);
  if (len > TEXT_MAX || fread(text, 1, len, file) != len || memchr(text, 0, len)) return damaged(err, w.at);
  text[len] = '\0';
  return strncmp(text, "1 ", 2) == 0 ? 0
                                     : rl_fail(err, RL_EFAIL, "a network of another version than rille's 1");
}

/* Before there is memory for it: a damaged size must not cost any. */
static int check_length(FILE *file, const struct rl_mlp_spec *spec, const char *text, struct rl_err *err) {
  const struct rl_mlp m = {.spec = *spec};
  struct rl_mlp_walk count = {.what = RL_WALK_COUNT, .m = &m, .text = text};
  rl_mlp_put_model(&count);
  if (fseek(file, 0, SEEK_END)) return rl_fail(err, RL_EFAIL, "%s", strerror(errno));
  long len = ftell(file);
  if ((size_t)len == count.at) return 0;
  return rl_fail(err, RL_EFAIL, "a damaged file: %ld bytes, where its network has %zu", len, count.at);
}

/* The text into a buffer of TEXT_MAX + 1 as well. */
static int read_head(FILE *file, struct rl_mlp_spec *spec, char *text, struct rl_err *err) {
  rewind(file);
  int rc = read_text(file, text, err);
  if (!rc && !parse_spec(text, spec))
    rc = rl_fail(err, RL_EFAIL, "a damaged file: its network is \"%.200s\"", text);
  if (!rc) rc = check_length(file, spec, text, err);
  rewind(file);
  return rc;
}

int rl_mlp_read_spec(FILE *file, struct rl_mlp_spec *spec, struct rl_err *err) {
  char text[TEXT_MAX + 1];
  return read_head(file, spec, text, err);
}

static int check_finite(const struct rl_mlp *m, struct rl_err *err) {
  const float *weights = rl_mlp_floats(&m->weights);
  size_t n = rl_mlp_parameters(&m->spec);
  for (size_t i = 0; i < n; i++)
    if (!isfinite(weights[i])) return rl_fail(err, RL_EFAIL, "a network whose weights are not finite");
  return 0;
}

static int check_sum(const struct rl_mlp *m, const char *text, struct rl_err *err) {
  struct rl_buf again = RL_BUF_INIT;
  put_all(&again, m);
  bool same = strcmp(again.data, text) == 0;
  rl_buf_free(&again);
  if (!same) return rl_fail(err, RL_EFAIL, "a damaged file: its weights do not add up to its checksum");
  return check_finite(m, err);
}

int rl_mlp_read_weights(FILE *file, struct rl_mlp *m, struct rl_err *err) {
  char text[TEXT_MAX + 1];
  struct rl_mlp_spec spec;
  int rc = read_head(file, &spec, text, err);
  if (rc) return rc;
  struct rl_mlp_walk w = {.what = RL_WALK_CHECK, .file = file, .m = m, .text = text};
  rl_mlp_put_model(&w);
  return w.wrong ? damaged(err, w.wrong_at) : check_sum(m, text, err);
}

/* ---- writing ---- */

int rl_mlp_write(FILE *file, const struct rl_mlp *m) {
  struct rl_buf text = RL_BUF_INIT;
  put_all(&text, m);
  struct rl_mlp_walk w = {.what = RL_WALK_WRITE, .file = file, .m = m, .text = text.data};
  rl_mlp_put_model(&w);
  rl_buf_free(&text);
  return w.wrong ? RL_EFAIL : 0;
}

static int write_network(FILE *file, const void *m) { return rl_mlp_write(file, m); }

int rl_mlp_save(const struct rl_mlp *m, const char *path, struct rl_err *err) {
  if (check_finite(m, err)) return rl_err_prefix(err, "%s is left as it is: ", path);
  return rl_save(path, write_network, m, err);
}
