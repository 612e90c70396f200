/* The dense network: its file, whole and damaged. */
#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "mlp_made.h"

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
