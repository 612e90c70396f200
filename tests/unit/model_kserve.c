/* The Open Inference Protocol against a server of the test's own, a hostile one too. */
#include <inttypes.h>

#include "base/clock.h"
#include "base/str.h"
#include "model/wire.h"
#include "serve_bed.h"

static const char plain_server[] = "{\"name\":\"bed\",\"version\":\"1\",\"extensions\":[]}";
static const char binary_server[] =
    "{\"name\":\"bed\",\"version\":\"1\",\"extensions\":[\"classification\",\"binary_tensor_data\"]}";
static const char twice_model[] =
    "{\"name\":\"m\",\"platform\":\"x\",\"inputs\":[{\"name\":\"x\",\"datatype\":\"FP32\",\"shape\":[-1,2]}],"
    "\"outputs\":[{\"name\":\"y\",\"datatype\":\"FP32\",\"shape\":[-1,2]}]}";

/* ---- a server that doubles ---- */

/* The request's one input, as numbers; its rows. */
static int64_t asked_input(const struct http_asked *asked, struct rl_tensor *x) {
  struct rl_json_read doc;
  struct rl_buf json = RL_BUF_INIT;
  const char *header = strstr(asked->head, "Inference-Header-Content-Length: ");
  size_t len = header ? (size_t)atoll(header + 33) : asked->body.len;
  int64_t shape[2] = {0, 0};
  rl_buf_put(&json, asked->body.data, len);
  if (rl_json_read_open(&doc, &json, NULL) != 0) UNIT_FAIL("the request is no JSON: %s", json.data);
  size_t input = rl_json_read_first(&doc, rl_json_read_member(&doc, 0, "inputs"));
  size_t size = rl_json_read_first(&doc, rl_json_read_member(&doc, input, "shape"));
  rl_json_read_int(&doc, size, &shape[0]);
  rl_json_read_int(&doc, rl_json_read_next(&doc, size), &shape[1]);
  rl_tensor_new(x, RL_FLOAT32, 2, shape, NULL, NULL);
  size_t data = rl_json_read_member(&doc, input, "data");
  int code = data ? rl_wire_take_json(&doc, data, x, 0, rl_tensor_count(x), NULL)
                  : rl_wire_take_binary(rl_bytes(asked->body.data + len, asked->body.len - len), RL_WIRE_FP32,
                                        x, NULL);
  CHECK_INT(code, 0);
  rl_json_read_close(&doc);
  rl_buf_free(&json);
  return shape[0];
}

static void put_answer(struct rl_buf *out, const struct rl_tensor *y, bool binary) {
  struct rl_buf body = RL_BUF_INIT;
  rl_buf_printf(&body,
                "{\"model_name\":\"m\",\"outputs\":[{\"name\":\"y\",\"shape\":[%" PRId64 ",%" PRId64
                "],\"datatype\":\"FP32\",",
                y->shape[0], y->shape[1]);
  if (binary) {
    rl_buf_printf(&body, "\"parameters\":{\"binary_data_size\":%zu}}]}", rl_tensor_count(y) * 4);
    rl_buf_printf(out, "HTTP/1.1 200 OK\r\nInference-Header-Content-Length: %zu\r\n", body.len);
    rl_wire_put_binary(&body, RL_WIRE_FP32, y, NULL);
  } else {
    rl_buf_puts(&body, "\"data\":[");
    rl_wire_put_json(&body, RL_WIRE_FP32, y, 0, rl_tensor_count(y), RL_SPECIAL_BARE, NULL);
    rl_buf_puts(&body, "]}]}");
    rl_buf_puts(out, "HTTP/1.1 200 OK\r\n");
  }
  rl_buf_printf(out, "Content-Length: %zu\r\n\r\n", body.len);
  rl_buf_put(out, body.data, body.len);
  rl_buf_free(&body);
}

static bool twice(struct serve_bed *bed, int fd, const struct http_asked *asked, struct rl_buf *out) {
  struct rl_tensor x;
  (void)fd;
  asked_input(asked, &x);
  float *data = (float *)(void *)x.data;
  for (size_t i = 0; i < rl_tensor_count(&x); i++) data[i] *= 2;
  put_answer(out, &x, bed->server == binary_server);
  rl_tensor_free(&x);
  return true;
}

static int open_bed(struct served *m, struct serve_bed *bed, const struct rl_model_opts *opts) {
  char uri[100];
  return served_open(m, &rl_model_kserve, bed_uri(bed, "kserve", uri), opts);
}

static void start_twice(struct serve_bed *bed, struct served *m, const char *server,
                        const struct rl_model_opts *opts) {
  *bed = (struct serve_bed){.model = twice_model, .server = server};
  bed_start(bed, twice);
  if (open_bed(m, bed, opts) != 0) UNIT_FAIL("%s", m->err.text);
}

/* ---- what is right ---- */

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
  served_close(&m);
  http_bed_stop(&bed.http);
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
  served_close(&m);
  http_bed_stop(&bed.http);
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
  served_close(&m);
  http_bed_stop(&bed.http);
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
  served_close(&m);
  http_bed_stop(&bed.http);
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
  served_close(&m);
  http_bed_stop(&bed.http);
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
  served_close(&m);
  http_bed_stop(&bed.http);
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
  served_close(&m);
  http_bed_stop(&bed.http);
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
  served_close(&m);
  http_bed_stop(&bed.http);
}

/* ---- the load ---- */

TEST(readiness_is_waited_for) {
  static const char *const unready[] = {"503 Service Unavailable", "400 Bad Request",
                                        "500 Internal Server Error"};
  for (size_t i = 0; i < 3; i++) {
    struct serve_bed bed = {.model = twice_model, .server = plain_server, .unready = unready[i]};
    struct served m;
    atomic_init(&bed.unready_asks, 3);
    bed_start(&bed, twice);
    if (open_bed(&m, &bed, NULL) != 0) UNIT_FAIL("%s", m.err.text);
    CHECK_INT(m.in.n, 1);
    served_close(&m);
    http_bed_stop(&bed.http);
  }
}

static void not_opened(struct serve_bed *bed, const struct rl_model_opts *opts, int code, const char *why) {
  struct served m;
  bed_start(bed, twice);
  CHECK_INT(open_bed(&m, bed, opts), code);
  CHECK_HAS(m.err.text, why);
  served_close(&m);
  http_bed_stop(&bed->http);
}

TEST(what_cannot_be_loaded) {
  struct serve_bed none = {.server = plain_server}, text = {.server = plain_server}, loading, closed, odd;
  not_opened(&none, NULL, RL_EUSAGE, "has no such model: GET http://127.0.0.1:");
  text.model = "{\"inputs\":[{\"name\":\"t\",\"datatype\":\"BYTES\",\"shape\":[1]}]}";
  not_opened(&text, NULL, RL_EUSAGE, "the input 't' is of type BYTES, which a tensor has not");
  loading = (struct serve_bed){.server = plain_server, .model = twice_model};
  atomic_init(&loading.unready_asks, 1000000);
  not_opened(&loading, &(struct rl_model_opts){.timeout = 0.3}, RL_ETRANSIENT,
             "is not ready after 0.3 s: GET http://127.0.0.1:");
  closed = (struct serve_bed){.server = plain_server, .model = twice_model, .unready = "401 Unauthorized"};
  atomic_init(&closed.unready_asks, 1000000);
  not_opened(&closed, &(struct rl_model_opts){.token = "tok-en-99"}, RL_EUSAGE, "401 Unauthorized");
  odd = (struct serve_bed){.server = plain_server, .model = "<html>"};
  not_opened(&odd, NULL, RL_EUSAGE, "not that of the Open Inference Protocol: no JSON: expected a value");
  odd.model = "{\"inputs\":[{\"name\":\"x\",\"datatype\":\"FP32\",\"shape\":[1,1,1,1,1,1,1,1,1]}]}";
  not_opened(&odd, NULL, RL_EUSAGE, "of over 8 axes");
  odd.model = "{\"inputs\":[],\"outputs\":[{\"name\":\"y\",\"datatype\":\"BYTES\",\"shape\":[1]}]}";
  not_opened(&odd, NULL, RL_EUSAGE, "no output of the model is of a type that a tensor has");
}

TEST(nobody_there_is_the_weather) {
  char uri[100];
  struct served m;
  snprintf(uri, sizeof uri, "kserve://127.0.0.1:%d/m", http_closed_port());
  CHECK_INT(served_open(&m, &rl_model_kserve, uri, &(struct rl_model_opts){.timeout = 0.3}), RL_ETRANSIENT);
  CHECK_HAS(m.err.text, "it is not ready after 0.3 s: GET http://127.0.0.1:");
  served_close(&m);
}

static bool never(void *arg) { return (void)arg, false; }

TEST(the_wait_for_a_server_can_be_broken_off) {
  char uri[100];
  struct served m = {.backend = &rl_model_kserve};
  const struct rl_model_opts opts = {.timeout = 600};
  snprintf(uri, sizeof uri, "kserve://127.0.0.1:%d/m", http_closed_port());
  CHECK_INT(rl_model_kserve.open(&m.self, uri, &opts, &m.in, &m.out, never, NULL, &m.err), RL_ETRANSIENT);
}

TEST(uris_that_are_none) {
  static const struct {
    const char *uri, *why;
  } cases[] = {{"kserve://", "no host or no model"},
               {"kserve://h:1", "no host or no model"},
               {"kserve://h:1/", "no host or no model"},
               {"kserve:///m", "no host or no model"},
               {"kserve:h/m", "it has no scheme"},
               {"kserve://h:1/m/2/3", "its path is not of one or two parts"},
               {"kserve://h:1//2", "its path is not of one or two parts"},
               {"kserve://h:1/m?x=1", "a name have no '?'"},
               {"kserve://h:1/m%20n", "a name have no '?'"},
               {"kserve://h:x/m", "cannot be read"}};
  struct served m;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    CHECK_INT(served_open(&m, &rl_model_kserve, cases[i].uri, NULL), RL_EUSAGE);
    CHECK_HAS(m.err.text, cases[i].why);
  }
}

TEST(no_uri_that_may_hold_a_secret_is_told) {
  static const char *const uris[] = {"kserve://me:hunter22@h:1/m", "kserve://me:hunter22@h:1/",
                                     "kserve://me:hunter22/x@h/m", "kserve://me:1/hunter22@h/m",
                                     "kserve://h:1?t=hunter22/m",  "kserve://h:1/m?t=hunter22",
                                     "kserve://h:1/m#hunter22"};
  struct served m;
  for (size_t i = 0; i < sizeof uris / sizeof *uris; i++) {
    CHECK_INT(served_open(&m, &rl_model_kserve, uris[i], NULL), RL_EUSAGE);
    CHECK_HAS(m.err.text, strchr(uris[i], '@') ? "a user and password are options" : "have no '?'");
    CHECK(!strstr(m.err.text, "hunter22"));
  }
}

TEST(files_for_tls_are_refused_where_there_is_none) {
  static const struct {
    struct rl_model_opts opts;
    const char *uri, *why;
  } cases[] = {
      {{.ca = "/nowhere"}, "kserve://h:1/m", "ca is for TLS, which kserve:// is without: kserves:// has it"},
      {{.certificate = "/c", .key = "/k"}, "kserve://h:1/m", "certificate is for TLS"},
      {{.ca = "/nowhere"}, "kserves://h:1/m", "ca: cannot read /nowhere: No such file"},
      {{.ca = "/dev/null", .certificate = "/no/c"}, "kserves://h:1/m", "certificate: cannot read /no/c"},
      {{.certificate = "/dev/null", .key = "/no/k"}, "kserves://h:1/m", "key: cannot read /no/k"}};
  struct served m;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    int64_t began = rl_now();
    CHECK_INT(served_open(&m, &rl_model_kserve, cases[i].uri, &cases[i].opts), RL_EUSAGE);
    CHECK_HAS(m.err.text, cases[i].why);
    CHECK(rl_now() - began < RL_NS_PER_S); /* no server was waited for */
  }
}

TEST(a_password_in_a_uri_is_not_repeated_by_the_front_either) {
  static const char *const uris[] = {"kserve://me:hunter22@h:1/m", "tfservings://me:hunter22@h:1/m",
                                     "kserve://me:hunter22@h:1/", "none://me:hunter22@h/m"};
  for (size_t i = 0; i < sizeof uris / sizeof *uris; i++) {
    struct rl_model *model = NULL;
    struct rl_err err = {0};
    CHECK_INT(rl_model_open(&model, uris[i], &(struct rl_model_opts){.batch = 2}, NULL, NULL, &err),
              RL_EUSAGE);
    CHECK(!strstr(err.text, "hunter22"));
  }
}

static bool check_path(struct serve_bed *bed, int fd, const struct http_asked *asked, struct rl_buf *out) {
  atomic_int *right = bed->arg;
  if (strcmp(asked->path, "/v2/models/m/versions/v%201/infer") == 0) atomic_fetch_add(right, 1);
  return twice(bed, fd, asked, out);
}

TEST(a_version_is_asked_for) {
  struct serve_bed bed = {.model = twice_model, .server = plain_server};
  struct served m;
  struct ran r;
  char uri[120];
  atomic_int right = 0;
  bed.arg = &right;
  bed_start(&bed, check_path);
  snprintf(uri, sizeof uri, "kserve://127.0.0.1:%d/m/v 1", bed.http.port);
  CHECK_INT(served_open(&m, &rl_model_kserve, uri, NULL), 0);
  run_rows(&r, &m, NULL, 1, 2, NULL, NULL, NULL);
  CHECK_INT(r.code, 0);
  CHECK_INT(atomic_load(&right), 1);
  run_done(&r);
  served_close(&m);
  http_bed_stop(&bed.http);
}

/* ---- the policy ---- */

/* Answers by a list of statuses, the last for ever; "200": twice. */
static bool scripted(struct serve_bed *bed, int fd, const struct http_asked *asked, struct rl_buf *out) {
  const char *const *statuses = bed->arg;
  int at = atomic_load(&bed->posts) - 1, i = 0;
  while (i < at && statuses[i + 1]) i++;
  if (strcmp(statuses[i], "200") == 0) return twice(bed, fd, asked, out);
  if (strcmp(statuses[i], "cut") == 0) {
    rl_buf_puts(out, "HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\n{\"outputs\":[");
    return false;
  }
  if (strcmp(statuses[i], "gone") == 0) return false;
  http_say(out, statuses[i], "", "{\"error\":\"so it is\"}");
  return true;
}

/* posts: how many calls there were; negative: at least so many. */
static void scripted_run(const char *const *statuses, const struct rl_model_opts *opts, int code, int posts,
                         const char *why) {
  struct serve_bed bed = {.model = twice_model, .server = plain_server};
  struct served m;
  struct ran r;
  bed.arg = (void *)(uintptr_t)statuses;
  bed_start(&bed, scripted);
  CHECK_INT(open_bed(&m, &bed, opts), 0);
  run_rows(&r, &m, NULL, 2, 2, NULL, NULL, NULL);
  if (r.code != code) UNIT_FAIL("%s … gives %d: %s", statuses[0], r.code, r.err.text);
  if (why) CHECK_HAS(r.err.text, why);
  if (posts < 0 ? atomic_load(&bed.posts) < -posts : atomic_load(&bed.posts) != posts)
    UNIT_FAIL("%s: %d calls, not %d", statuses[0], atomic_load(&bed.posts), posts);
  CHECK_INT(r.run.n_outputs, code == 0);
  run_done(&r);
  served_close(&m);
  http_bed_stop(&bed.http);
}

TEST(S4_1_weather_is_asked_again_and_stays_weather) {
  static const char *const statuses[] = {"429 Too Many Requests", "502 Bad Gateway",
                                         "503 Service Unavailable", "504 Gateway Timeout", "cut"};
  for (size_t i = 0; i < 5; i++) {
    const char *const script[] = {statuses[i], NULL}, *const mended[] = {statuses[i], statuses[i], "200",
                                                                         NULL};
    scripted_run(script, &(struct rl_model_opts){.retries = 2}, RL_ETRANSIENT, 3, NULL);
    scripted_run(script, &(struct rl_model_opts){.retries = -1}, RL_ETRANSIENT, 1, NULL);
    scripted_run(mended, NULL, 0, 3, NULL);
  }
}

/* On a kept connection that ends without a word curl itself asks once more on another. */
TEST(S4_1_a_connection_that_ends_is_weather) {
  static const char *const script[] = {"gone", NULL}, *const mended[] = {"gone", "gone", "200", NULL};
  scripted_run(script, &(struct rl_model_opts){.retries = 1}, RL_ETRANSIENT, -2, NULL);
  scripted_run(mended, NULL, 0, -3, NULL);
}

TEST(S4_2_what_is_the_batchs_is_asked_once) {
  static const char *const statuses[] = {"409 Conflict", "413 Too Large", "422 Unprocessable Entity"};
  for (size_t i = 0; i < sizeof statuses / sizeof *statuses; i++) {
    const char *const script[] = {statuses[i], NULL};
    scripted_run(script, NULL, RL_EFAIL, 1, "so it is");
  }
}

/* Nothing in a batch changes them: nobody's message is dead-lettered for them. */
TEST(S4_2_what_no_batch_is_to_blame_for_is_the_scripts) {
  static const char *const statuses[] = {"401 Unauthorized", "403 Forbidden",
                                         "407 Proxy Authentication Required", "307 Temporary Redirect"};
  for (size_t i = 0; i < sizeof statuses / sizeof *statuses; i++) {
    const char *const script[] = {statuses[i], NULL};
    scripted_run(script, NULL, RL_EUSAGE, 1, "so it is");
  }
}

static const char *const doubtful[] = {"400 Bad Request", "404 Not Found", "500 Internal Server Error",
                                       "501 Not Implemented"};
enum { DOUBTFUL = sizeof doubtful / sizeof *doubtful };

/* A model may have become ready between a call's failure and the look: the batch is to blame for the second.
 */
TEST(S4_1_the_batch_is_blamed_by_a_model_that_was_ready_before) {
  for (size_t i = 0; i < DOUBTFUL; i++) {
    const char *const script[] = {doubtful[i], NULL}, *const mended[] = {doubtful[i], "200", NULL};
    const char *const wavers[] = {doubtful[i], "503 Service Unavailable", doubtful[i], "200", NULL};
    scripted_run(script, &(struct rl_model_opts){.retries = -1}, RL_EFAIL, 2, "so it is");
    scripted_run(mended, &(struct rl_model_opts){.retries = -1}, 0, 2, NULL);
    scripted_run(wavers, &(struct rl_model_opts){.retries = 1}, 0, 4, NULL);
  }
}

/* It has its port, and not its models yet. */
static bool loading(struct serve_bed *bed, int fd, const struct http_asked *asked, struct rl_buf *out) {
  if (atomic_load(&bed->unready_asks) <= 0) return twice(bed, fd, asked, out);
  http_say(out, bed->arg, "", "{\"error\":\"Model m is not ready yet.\"}");
  return true;
}

static void loading_run(const char *says, const char *unready, int asks, int retries, int code, int posts) {
  struct serve_bed bed = {.model = twice_model, .server = plain_server, .unready = unready};
  struct served m;
  struct ran r;
  bed.arg = (void *)(uintptr_t)says;
  bed_start(&bed, loading);
  CHECK_INT(open_bed(&m, &bed, &(struct rl_model_opts){.retries = retries}), 0);
  atomic_store(&bed.unready_asks, asks);
  run_rows(&r, &m, NULL, 2, 2, NULL, NULL, NULL);
  if (r.code != code) UNIT_FAIL("%s and %s give %d: %s", says, unready, r.code, r.err.text);
  if (code) CHECK_HAS(r.err.text, "Model m is not ready yet.");
  if (code) CHECK_HAS(r.err.text, unready);
  CHECK_INT(atomic_load(&bed.posts), posts);
  run_done(&r);
  served_close(&m);
  http_bed_stop(&bed.http);
}

TEST(S4_1_a_server_that_has_not_loaded_the_model_again_is_weather) {
  static const char *const unready[] = {"400 Bad Request", "404 Not Found", "503 Service Unavailable"};
  for (size_t i = 0; i < DOUBTFUL; i++)
    for (size_t k = 0; k < 3; k++) {
      loading_run(doubtful[i], unready[k], 1000, -1, RL_ETRANSIENT, 1);
      loading_run(doubtful[i], unready[k], 2, 2, 0, 3);
    }
  loading_run(doubtful[0], "401 Unauthorized", 1000, 3, RL_EUSAGE, 1);
}

/* Of a server without that path only the call itself is known. */
TEST(S4_2_a_server_that_does_not_tell_of_readiness) {
  struct serve_bed bed = {.model = twice_model,
                          .server = plain_server,
                          .unready = "405 Method Not Allowed",
                          .unready_asks = 1000};
  struct served m;
  struct ran r;
  bed.arg = (void *)(uintptr_t)doubtful[0];
  bed_start(&bed, loading);
  CHECK_INT(open_bed(&m, &bed, NULL), 0);
  run_rows(&r, &m, NULL, 2, 2, NULL, NULL, NULL);
  CHECK_INT(r.code, RL_EFAIL);
  CHECK_INT(atomic_load(&bed.posts), 1);
  run_done(&r);
  served_close(&m);
  http_bed_stop(&bed.http);
}

static bool later(struct serve_bed *bed, int fd, const struct http_asked *asked, struct rl_buf *out) {
  (void)bed, (void)fd, (void)asked;
  http_say(out, "503 Service Unavailable", "Retry-After: 3600\r\n", "{\"error\":\"come back\"}");
  return true;
}

/* An hour is past the deadline: nothing is waited for. */
TEST(retry_after_is_kept_and_within_the_deadline) {
  struct serve_bed bed = {.model = twice_model, .server = plain_server};
  struct served m;
  struct ran r;
  bed_start(&bed, later);
  CHECK_INT(open_bed(&m, &bed, &(struct rl_model_opts){.retries = 9}), 0);
  run_rows(&r, &m, NULL, 2, 2, NULL, NULL, NULL);
  CHECK_INT(r.code, RL_ETRANSIENT);
  CHECK_HAS(r.err.text, "503 Service Unavailable");
  CHECK_INT(atomic_load(&bed.posts), 1);
  run_done(&r);
  served_close(&m);
  http_bed_stop(&bed.http);
}

/* The second and fourth call of a batch fail once. */
static bool odd_ones_fail(struct serve_bed *bed, int fd, const struct http_asked *asked, struct rl_buf *out) {
  struct rl_tensor x;
  float first;
  atomic_int *asked_before = bed->arg;
  asked_input(asked, &x);
  memcpy(&first, x.data, sizeof first);
  rl_tensor_free(&x);
  int call = 1 << (int)first / 4;
  if (!(call & 0xA) || (atomic_fetch_or(asked_before, call) & call)) return twice(bed, fd, asked, out);
  http_say(out, "503 Service Unavailable", "", "");
  return true;
}

TEST(only_the_calls_that_failed_are_asked_again) {
  struct serve_bed bed = {.model = twice_model, .server = binary_server};
  struct served m;
  struct ran r;
  atomic_int asked_before = 0;
  bed.arg = &asked_before;
  bed_start(&bed, odd_ones_fail);
  CHECK_INT(open_bed(&m, &bed, &(struct rl_model_opts){.batch = 2}), 0);
  run_rows(&r, &m, NULL, 8, 2, NULL, NULL, NULL);
  if (r.code) UNIT_FAIL("%s", r.err.text);
  for (size_t i = 0; i < 16; i++) CHECK(run_at(&r, 0, i) == 2 * (float)i);
  CHECK_INT(atomic_load(&bed.posts), 6);
  run_done(&r);
  served_close(&m);
  http_bed_stop(&bed.http);
}

/* Each of eight waves fails once, and has a try left. */
static bool each_fails_once(struct serve_bed *bed, int fd, const struct http_asked *asked,
                            struct rl_buf *out) {
  if (atomic_load(&bed->posts) % 2 == 0) return twice(bed, fd, asked, out);
  http_say(out, "503 Service Unavailable", "", "");
  return true;
}

TEST(retries_are_a_calls) {
  struct serve_bed bed = {.model = twice_model, .server = binary_server};
  struct served m;
  struct ran r;
  bed_start(&bed, each_fails_once);
  CHECK_INT(open_bed(&m, &bed, &(struct rl_model_opts){.batch = 1, .in_flight = 1, .retries = 1}), 0);
  run_rows(&r, &m, NULL, 8, 2, NULL, NULL, NULL);
  if (r.code) UNIT_FAIL("%s", r.err.text);
  CHECK_INT(atomic_load(&bed.posts), 16);
  run_done(&r);
  served_close(&m);
  http_bed_stop(&bed.http);
}

static bool silent(struct serve_bed *bed, int fd, const struct http_asked *asked, struct rl_buf *out) {
  (void)fd, (void)asked, (void)out;
  http_wait_over(&bed->http);
  return false;
}

static bool trickle(struct serve_bed *bed, int fd, const struct http_asked *asked, struct rl_buf *out) {
  (void)asked, (void)out;
  http_write(fd, "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{\"outputs\":", 52);
  http_wait_over(&bed->http);
  return false;
}

TEST(slow_answers_end_with_the_deadline) {
  bool (*const slow[])(struct serve_bed *, int, const struct http_asked *, struct rl_buf *) = {silent,
                                                                                               trickle};
  for (int i = 0; i < 2; i++) {
    struct serve_bed bed = {.model = twice_model, .server = plain_server};
    struct served m;
    struct ran r;
    bed_start(&bed, slow[i]);
    CHECK_INT(open_bed(&m, &bed, &(struct rl_model_opts){.timeout = 2}), 0);
    run_rows(&r, &m, NULL, 2, 2, NULL, NULL, NULL);
    CHECK_INT(r.code, RL_ETRANSIENT);
    CHECK_HAS(r.err.text, "timed out");
    run_done(&r);
    served_close(&m);
    http_bed_stop(&bed.http);
  }
}

static bool until_asked(void *arg) { return atomic_load(&((struct serve_bed *)arg)->posts) == 0; }

TEST(a_run_stops_in_the_middle) {
  struct serve_bed bed = {.model = twice_model, .server = plain_server};
  struct served m;
  struct ran r;
  bed_start(&bed, silent);
  CHECK_INT(open_bed(&m, &bed, &(struct rl_model_opts){.timeout = 600}), 0);
  run_rows(&r, &m, NULL, 2, 2, NULL, until_asked, &bed);
  CHECK_INT(r.code, RL_ETRANSIENT);
  CHECK_INT(r.run.n_outputs, 0);
  run_done(&r);
  served_close(&m);
  http_bed_stop(&bed.http);
}

/* ---- credentials ---- */

static bool door(struct serve_bed *bed, int fd, const struct http_asked *asked, struct rl_buf *out) {
  bool open = strstr(asked->head, "\r\nAuthorization: Bearer tok-en-98\r\n") != NULL;
  if (open && !bed->arg) return twice(bed, fd, asked, out);
  http_say(out, "401 Unauthorized", "", "tok-en-98 is stale");
  return true;
}

TEST(a_token_opens_and_stands_in_no_error) {
  struct serve_bed bed = {.model = twice_model, .server = plain_server};
  struct served m;
  struct ran r;
  bed_start(&bed, door);
  CHECK_INT(open_bed(&m, &bed, &(struct rl_model_opts){.token = "tok-en-98"}), 0);
  run_rows(&r, &m, NULL, 1, 2, NULL, NULL, NULL);
  CHECK_INT(r.code, 0);
  run_done(&r);
  bed.arg = &bed;
  run_rows(&r, &m, NULL, 1, 2, NULL, NULL, NULL);
  CHECK_INT(r.code, RL_EUSAGE);
  CHECK_HAS(r.err.text, "*** is stale");
  run_done(&r);
  served_close(&m);
  http_bed_stop(&bed.http);
}

/* ---- answers that are none ---- */

struct wrong {
  const char *headers, *body, *why;
};

static bool wrongly(struct serve_bed *bed, int fd, const struct http_asked *asked, struct rl_buf *out) {
  const struct wrong *w = bed->arg;
  (void)fd, (void)asked;
  http_say(out, "200 OK", w->headers, w->body);
  return true;
}

/* A run of 2 rows. */
static void check_wrong(const struct wrong *cases, size_t n, const char *server,
                        const struct rl_model_opts *opts) {
  struct serve_bed bed = {.model = twice_model, .server = server};
  struct served m;
  bed_start(&bed, wrongly);
  CHECK_INT(open_bed(&m, &bed, opts), 0);
  for (size_t i = 0; i < n; i++) {
    struct ran r;
    bed.arg = (void *)(uintptr_t)&cases[i];
    run_rows(&r, &m, NULL, 2, 2, NULL, NULL, NULL);
    if (r.code != RL_EFAIL) UNIT_FAIL("%s gives %d: %s", cases[i].body, r.code, r.err.text);
    CHECK_HAS(r.err.text, cases[i].why);
    CHECK_HAS(r.err.text, "POST http://127.0.0.1:");
    CHECK_INT(r.run.n_outputs, 0);
    run_done(&r);
  }
  CHECK_INT(atomic_load(&bed.posts), n);
  served_close(&m);
  http_bed_stop(&bed.http);
}

#define Y(rest) "{\"outputs\":[{\"name\":\"y\"," rest "]}"

TEST(wrong_answers_are_the_batchs_own) {
  static const struct wrong cases[] = {
      {"", "", "the answer is no JSON: it is empty"},
      {"", "<html>", "the answer is no JSON: expected a value at byte 0"},
      {"", "{\"outputs\":[", "expected a value"},
      {"", "[]", "no list of outputs"},
      {"", "{\"outputs\":{}}", "no list of outputs"},
      {"", "{\"outputs\":[]}", "without the output 'y'"},
      {"", "{\"outputs\":[3]}", "an output without a name"},
      {"", "{\"outputs\":[{\"name\":\"z\",\"shape\":[2,2],\"datatype\":\"FP32\",\"data\":[1,2,3,4]}]}",
       "without the output 'y'"},
      {"", Y("\"shape\":[2,2],\"data\":[1,2,3,4]}"), "output 'y': it has no datatype"},
      {"", Y("\"shape\":[2,2],\"datatype\":\"BYTES\",\"data\":[1,2,3,4]}"), "of type BYTES"},
      {"", Y("\"shape\":[2,2],\"datatype\":\"INT64\",\"data\":[1,2,3,4]}"), "came as INT64 where"},
      {"", Y("\"datatype\":\"FP32\",\"data\":[1,2,3,4]}"), "its shape is none"},
      {"", Y("\"shape\":[2,-2],\"datatype\":\"FP32\",\"data\":[1,2,3,4]}"), "its shape [2, -2] cannot be"},
      {"", Y("\"shape\":[2,2.0],\"datatype\":\"FP32\",\"data\":[1,2,3,4]}"), "its shape is none"},
      {"", Y("\"shape\":[1,1,1,1,1,1,1,1,1],\"datatype\":\"FP32\",\"data\":[1]}"), "of over 8 axes"},
      {"", Y("\"shape\":[4294967296,4294967296],\"datatype\":\"FP32\",\"data\":[1]}"), "cannot be"},
      {"", Y("\"shape\":[2000000000,2],\"datatype\":\"FP32\",\"data\":[1]}"), "1 numbers of it came"},
      {"", Y("\"shape\":[2,2],\"datatype\":\"FP32\"}"), "it has no data"},
      {"", Y("\"shape\":[2,2],\"datatype\":\"FP32\",\"data\":[1,2,3]}"), "3 numbers of it came"},
      {"", Y("\"shape\":[2,2],\"datatype\":\"FP32\",\"data\":[1,2,3,4,5]}"), "5 numbers of it came"},
      {"", Y("\"shape\":[2,2],\"datatype\":\"FP32\",\"data\":[1,2,3,\"4\"]}"), "a text, which is no float32"},
      {"", Y("\"shape\":[1,2],\"datatype\":\"FP32\",\"data\":[1,2]}"),
       "it is [1, 2], where 2 rows were sent"},
      {"", Y("\"shape\":[4],\"datatype\":\"FP32\",\"data\":[1,2,3,4]}"), "it is [4], where 2 rows were sent"},
      {"", Y("\"shape\":[2],\"datatype\":\"FP32\",\"data\":[1,2]}"), "it is [2], the model declares [-1, 2]"},
      {"", Y("\"shape\":[2,1],\"datatype\":\"FP32\",\"data\":[1,2]}"),
       "it is [2, 1], the model declares [-1, 2]"},
      {"",
       "{\"outputs\":[{\"name\":\"y\",\"shape\":[2,2],\"datatype\":\"FP32\",\"data\":[1,2,3,4]},"
       "{\"name\":\"y\",\"shape\":[2,2],\"datatype\":\"FP32\",\"data\":[1,2,3,4]}]}",
       "it stands there twice"}};
  check_wrong(cases, sizeof cases / sizeof *cases, plain_server, NULL);
}

/* An answer with bytes: 16 are what its shape needs. */
#define B(size) Y("\"shape\":[2,2],\"datatype\":\"FP32\",\"parameters\":{\"binary_data_size\":" size "}}")
#define LONG(n) "Inference-Header-Content-Length: " n "\r\n"

TEST(binary_answers_that_lie) {
  char right[80], beyond[80];
  size_t json = strlen(B("16"));
  snprintf(right, sizeof right, LONG("%zu"), json);
  snprintf(beyond, sizeof beyond, LONG("%zu"), json + 17);
  const struct wrong cases[] = {
      {beyond, B("16") "0123456789abcdef", "no length within the answer"},
      {LONG("-1"), B("16") "0123456789abcdef", "no length within the answer"},
      {LONG("99999999999999999999"), B("16") "0123456789abcdef", "no length within the answer"},
      {LONG("8x"), B("16") "0123456789abcdef", "no length within the answer"},
      {LONG("0"), B("16") "0123456789abcdef", "the answer is no JSON: it is empty"},
      {LONG("20"), B("16") "0123456789abcdef", "the answer is no JSON"},
      {"", B("16") "0123456789abcdef", "the answer is no JSON: expected nothing after it"},
      {right, B("16") "0123456789abcde", "its binary_data_size is more than there is"},
      {right, B("16") "0123456789abcdefg", "1 bytes behind the answer are no output's"},
      {right, B("12") "0123456789ab", "12 bytes of it came, its shape [2, 2] of FP32 needs 16"},
      {right, B("12") "0123456789abcdef", "12 bytes of it came"},
      {right, B("-1") "0123456789abcdef", "its binary_data_size is more than there is"},
      {right, B("1.") "0123456789abcdef", "its binary_data_size is more than there is"}};
  check_wrong(cases, sizeof cases / sizeof *cases, binary_server, NULL);
}

/* Names that nobody declared: they are kept while the model is open. */
static bool many(struct serve_bed *bed, int fd, const struct http_asked *asked, struct rl_buf *out) {
  struct rl_buf body = RL_BUF_INIT;
  int n = *(int *)bed->arg;
  (void)fd, (void)asked;
  rl_buf_puts(&body, "{\"outputs\":[");
  for (int i = 0; i < n; i++)
    rl_buf_printf(&body, "%s{\"name\":\"y%d\",\"shape\":[1],\"datatype\":\"FP32\",\"data\":[1]}",
                  i ? "," : "", i);
  rl_buf_puts(&body, "]}");
  http_say(out, "200 OK", "", body.data);
  rl_buf_free(&body);
  return true;
}

TEST(undeclared_outputs_are_not_without_bound) {
  int n = 1001;
  struct serve_bed bed = {.model = "{\"inputs\":[],\"outputs\":[]}", .server = plain_server, .arg = &n};
  struct served m;
  struct ran r;
  bed_start(&bed, many);
  CHECK_INT(open_bed(&m, &bed, NULL), 0);
  run_rows(&r, &m, "x", 1, 2, NULL, NULL, NULL);
  CHECK_INT(r.code, RL_EFAIL);
  CHECK_HAS(r.err.text, "output 'y1000': the model has given over 1000 outputs");
  run_done(&r);
  n = 1000;
  run_rows(&r, &m, "x", 1, 2, NULL, NULL, NULL);
  CHECK_INT(r.code, 0);
  CHECK_INT(r.run.n_outputs, 1000);
  run_done(&r);
  served_close(&m);
  http_bed_stop(&bed.http);
}

static bool endless(struct serve_bed *bed, int fd, const struct http_asked *asked, struct rl_buf *out) {
  static char chunk[1 << 16];
  (void)bed, (void)asked, (void)out;
  memset(chunk, '1', sizeof chunk);
  http_write(fd, "HTTP/1.1 200 OK\r\n\r\n", 19);
  while (http_write(fd, chunk, sizeof chunk)) continue;
  return false;
}

TEST(an_answer_without_end_is_cut_off) {
  struct serve_bed bed = {.model = twice_model, .server = plain_server};
  struct served m;
  struct ran r;
  bed_start(&bed, endless);
  CHECK_INT(open_bed(&m, &bed, NULL), 0);
  run_rows(&r, &m, NULL, 2, 2, NULL, NULL, NULL);
  CHECK_INT(r.code, RL_EFAIL);
  CHECK_HAS(r.err.text, "the answer is larger than 67108864 bytes");
  CHECK_INT(atomic_load(&bed.posts), 1);
  run_done(&r);
  served_close(&m);
  http_bed_stop(&bed.http);
}

/* The second call's answer is of another shape. */
static bool changing(struct serve_bed *bed, int fd, const struct http_asked *asked, struct rl_buf *out) {
  struct rl_tensor x;
  float first;
  (void)bed, (void)fd;
  asked_input(asked, &x);
  memcpy(&first, x.data, sizeof first);
  rl_tensor_free(&x);
  http_say(out, "200 OK", "",
           first == 0
               ? "{\"outputs\":[{\"name\":\"y\",\"shape\":[1,1],\"datatype\":\"FP32\",\"data\":[7]}]}"
               : "{\"outputs\":[{\"name\":\"y\",\"shape\":[1,2],\"datatype\":\"FP32\",\"data\":[7,8]}]}");
  return true;
}

TEST(the_calls_of_a_batch_agree_on_the_shape) {
  struct serve_bed bed = {.model = "{\"inputs\":[],\"outputs\":[]}", .server = plain_server};
  struct served m;
  struct ran r;
  bed_start(&bed, changing);
  CHECK_INT(open_bed(&m, &bed, &(struct rl_model_opts){.batch = 1}), 0);
  run_rows(&r, &m, "x", 2, 2, NULL, NULL, NULL);
  CHECK_INT(r.code, RL_EFAIL);
  CHECK_HAS(r.err.text, "output 'y': it is [1, 2], after [2, 1] for the rows before");
  run_done(&r);
  served_close(&m);
  http_bed_stop(&bed.http);
}
