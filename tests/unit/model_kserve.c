/* The Open Inference Protocol: what is declared, how numbers go and come, calls side by side. */
#include "kserve_bed.h"

TEST(metadata_gives_the_ports) {
  static const char model[] =
      "{\"name\":\"m\",\"inputs\":[{\"name\":\"a\",\"datatype\":\"UINT16\",\"shape\":[-1,63,63,3]},"
      "{\"name\":\"b\",\"datatype\":\"BOOL\",\"shape\":[-1]},{\"name\":\"c\",\"datatype\":\"FP64\",\"shape\":"
      "[]}],"
      "\"outputs\":[{\"name\":\"t\",\"datatype\":\"BYTES\",\"shape\":[-1]},"
      "{\"name\":\"s\\u00e9\",\"datatype\":\"FP16\",\"shape\":[-1,1]}]}";
  struct serve_bed bed = {.model = model, .server = plain_server};
  struct served m;
  bed_start(&bed, twice);
  CHECK_INT(open_bed(&m, &bed, NULL), 0);
  CHECK_INT(m.in.n, 3);
  CHECK_STR(m.in.at[0].name, "a");
  CHECK_INT(m.in.at[0].dtype, RL_INT32);
  CHECK_INT(m.in.at[0].rank, 4);
  CHECK_INT(m.in.at[0].shape[0], -1);
  CHECK_INT(m.in.at[0].shape[3], 3);
  CHECK_INT(m.in.at[1].dtype, RL_TRUTH);
  CHECK_INT(m.in.at[2].dtype, RL_FLOAT64);
  CHECK_INT(m.in.at[2].rank, -1);
  CHECK_INT(m.out.n, 1);
  CHECK_STR(m.out.at[0].name, "s\xc3\xa9");
  CHECK_INT(m.out.at[0].dtype, RL_FLOAT32);
  bed_stop(&bed, &m);
}

static void check_twice(const char *server) {
  static const float data[] = {0.1F, -0.0F, 16777217.0F, 1e-45F, 1.5e38F, 3};
  struct serve_bed bed;
  struct served m;
  struct ran r;
  start_twice(&bed, &m, server, NULL);
  run_rows(&r, &m, NULL, 3, 2, data, NULL, NULL);
  if (r.code) UNIT_FAIL("%s", r.err.text);
  CHECK_INT(r.run.n_outputs, 1);
  CHECK_STR(r.run.outputs[0].name, "y");
  for (size_t i = 0; i < 6; i++) {
    float want = data[i] * 2, got = run_at(&r, 0, i);
    CHECK(memcmp(&got, &want, sizeof got) == 0);
  }
  run_done(&r);
  bed_stop(&bed, &m);
}

TEST(numbers_go_by_json_to_the_last_bit) { check_twice(plain_server); }
TEST(numbers_go_as_bytes_where_the_server_lists_it) { check_twice(binary_server); }

TEST(nan_goes_as_null_and_comes_back_and_infinity_is_refused) {
  static const float data[] = {NAN, 1}, endless[] = {1, INFINITY};
  struct serve_bed bed;
  struct served m;
  struct ran r;
  start_twice(&bed, &m, plain_server, NULL);
  run_rows(&r, &m, "x", 1, 2, data, NULL, NULL);
  CHECK_INT(r.code, 0);
  CHECK(isnan(run_at(&r, 0, 0)) && run_at(&r, 0, 1) == 2);
  run_done(&r);
  run_rows(&r, &m, "x", 1, 2, endless, NULL, NULL);
  CHECK_INT(r.code, RL_EFAIL);
  CHECK_HAS(r.err.text, "input 'x': it holds an infinity");
  run_done(&r);
  bed_stop(&bed, &m);
}

TEST(connections_are_kept_from_the_load_on) {
  struct serve_bed bed;
  struct served m;
  start_twice(&bed, &m, binary_server, NULL);
  for (int i = 0; i < 5; i++) {
    struct ran r;
    run_rows(&r, &m, NULL, 3, 2, NULL, NULL, NULL);
    CHECK_INT(r.code, 0);
    run_done(&r);
  }
  CHECK_INT(atomic_load(&bed.http.connections), 1);
  bed_stop(&bed, &m);
}

/* Gives so often, then refuses. */
static void *sparing(void *self, void *p, size_t old_size, size_t new_size) {
  int *left = self;
  (void)old_size;
  if (new_size && (*left)-- <= 0) return NULL;
  if (new_size) return realloc(p, new_size);
  free(p);
  return NULL;
}

TEST(an_allocator_that_refuses_is_no_memory) {
  struct serve_bed bed;
  struct served m;
  struct ran r;
  int left = 0;
  const struct rl_tensor_alloc alloc = {sparing, &left};
  start_twice(&bed, &m, binary_server, &(struct rl_model_opts){.batch = 2});
  run_rows(&r, &m, NULL, 3, 2, NULL, NULL, NULL);
  rl_model_values_free(r.run.outputs, r.run.n_outputs);
  r.run.alloc = &alloc;
  CHECK_INT(m.backend->run(m.self, &r.run, &r.err), RL_ENOMEM);
  CHECK_INT(r.run.n_outputs, 0);
  left = 1;
  CHECK_INT(m.backend->run(m.self, &r.run, &r.err), 0);
  CHECK(run_at(&r, 0, 5) == 10);
  run_done(&r);
  bed_stop(&bed, &m);
}

/* Each answer waits until all have been asked for, and the first one asked for is answered last. */
static bool together(struct serve_bed *bed, int fd, const struct http_asked *asked, struct rl_buf *out) {
  int *want = bed->arg;
  struct http_bed *http = &bed->http;
  pthread_mutex_lock(&http->mu);
  --*want;
  pthread_cond_broadcast(&http->cv);
  while (*want > 0 && !atomic_load(&http->over)) pthread_cond_wait(&http->cv, &http->mu);
  pthread_mutex_unlock(&http->mu);
  return twice(bed, fd, asked, out);
}

TEST(a_split_batch_has_several_calls_under_way_and_is_joined_in_order) {
  struct serve_bed bed = {.model = twice_model, .server = plain_server};
  struct served m;
  struct ran r;
  int want = 4;
  bed.arg = &want;
  bed_start(&bed, together);
  CHECK_INT(open_bed(&m, &bed, &(struct rl_model_opts){.batch = 3, .in_flight = 4}), 0);
  run_rows(&r, &m, NULL, 10, 2, NULL, NULL, NULL);
  if (r.code) UNIT_FAIL("%s", r.err.text);
  CHECK_INT(r.run.outputs[0].t.shape[0], 10);
  for (size_t i = 0; i < 20; i++) CHECK(run_at(&r, 0, i) == 2 * (float)i);
  CHECK_INT(atomic_load(&bed.posts), 4);
  run_done(&r);
  run_rows(&r, &m, NULL, 40, 2, NULL, NULL, NULL); /* in waves of 4 */
  CHECK_INT(r.code, 0);
  for (size_t i = 0; i < 80; i++) CHECK(run_at(&r, 0, i) == 2 * (float)i);
  CHECK_INT(atomic_load(&bed.posts), 4 + 14);
  run_done(&r);
  bed_stop(&bed, &m);
}

/* Through the front, which finds the backend by the scheme. */
TEST(no_rows_are_no_call) {
  struct serve_bed bed = {.model = twice_model, .server = plain_server};
  char uri[100];
  struct rl_model *model = NULL;
  struct rl_err err = {0};
  struct rl_model_value x = {0};
  struct rl_model_run run = {.inputs = &x, .n_inputs = 1};
  bed_start(&bed, twice);
  if (rl_model_open(&model, bed_uri(&bed, "kserve", uri), &(struct rl_model_opts){.batch = 2}, NULL, NULL,
                    &err))
    UNIT_FAIL("%s", err.text);
  for (int64_t rows = 0; rows < 4; rows += 3) {
    CHECK_INT(rl_tensor_new(&x.t, RL_FLOAT32, 2, (const int64_t[]){rows, 2}, NULL, NULL), 0);
    memset(x.t.data, 0, (size_t)rows * 8);
    if (rl_model_run(model, &run, &err)) UNIT_FAIL("%s", err.text);
    CHECK_INT(run.outputs[0].t.shape[0], rows);
    CHECK_INT(run.outputs[0].t.shape[1], 2);
    CHECK_INT(atomic_load(&bed.posts), rows ? 2 : 0);
    rl_model_values_free(run.outputs, run.n_outputs);
    rl_tensor_free(&x.t);
  }
  rl_model_close(model);
  http_bed_stop(&bed.http);
}

TEST(a_model_that_declares_nothing_is_called_by_names) {
  struct serve_bed bed = {.model = "{\"name\":\"m\",\"inputs\":[],\"outputs\":[]}", .server = plain_server};
  struct served m;
  struct ran r;
  bed_start(&bed, twice);
  CHECK_INT(open_bed(&m, &bed, &(struct rl_model_opts){.batch = 2}), 0);
  CHECK_INT(m.in.n + m.out.n, 0);
  run_rows(&r, &m, "x", 5, 2, NULL, NULL, NULL);
  CHECK_INT(r.code, 0);
  CHECK_STR(r.run.outputs[0].name, "y");
  CHECK(run_at(&r, 0, 9) == 18);
  run_done(&r);
  run_rows(&r, &m, NULL, 5, 2, NULL, NULL, NULL);
  CHECK_INT(r.code, RL_EUSAGE);
  CHECK_HAS(r.err.text, "name the tensor");
  run_done(&r);
  bed_stop(&bed, &m);
}

struct user {
  struct served *m;
  int right;
};

static void *use(void *arg) {
  struct user *u = arg;
  for (int i = 0; i < 10; i++) {
    struct ran r;
    run_rows(&r, u->m, NULL, 7, 2, NULL, NULL, NULL);
    u->right += r.code == 0 && run_at(&r, 0, 13) == 26;
    run_done(&r);
  }
  return NULL;
}

TEST(threads_share_a_model) {
  struct serve_bed bed;
  struct served m;
  pthread_t threads[4];
  struct user users[4];
  start_twice(&bed, &m, binary_server, &(struct rl_model_opts){.batch = 3});
  for (int i = 0; i < 4; i++) {
    users[i] = (struct user){&m, 0};
    pthread_create(&threads[i], NULL, use, &users[i]);
  }
  for (int i = 0; i < 4; i++) {
    pthread_join(threads[i], NULL);
    CHECK_INT(users[i].right, 10);
  }
  bed_stop(&bed, &m);
}
