/* TensorFlow Serving's REST protocol, as it is documented, against a server of the test's own. */
#include "serve_bed.h"

static const char available[] =
    "{\n \"model_version_status\": [\n  {\n   \"version\": \"1\",\n   \"state\": \"AVAILABLE\",\n   "
    "\"status\": {\n"
    "    \"error_code\": \"OK\",\n    \"error_message\": \"\"\n   }\n  }\n ]\n}\n";

#define TENSOR(name, type, dims)                                          \
  "\"" name "\":{\"dtype\":\"" type "\",\"tensor_shape\":{\"dim\":[" dims \
  "],\"unknown_rank\":false},"                                            \
  "\"name\":\"" name ":0\"}"
#define DIM(n) "{\"size\":\"" n "\",\"name\":\"\"}"
#define MODEL(signature, inputs, outputs)                                                           \
  "{\"model_spec\":{\"name\":\"m\",\"signature_name\":\"\",\"version\":\"1\"},\"metadata\":{"       \
  "\"signature_def\":{\"signature_def\":{\"__saved_model_init_op\":{\"inputs\":{},\"outputs\":{}}," \
  "\"" signature "\":{\"inputs\":{" inputs "},\"outputs\":{" outputs                                \
  "},\"method_name\":\"tensorflow/serving/predict\"}}}}}"
#define X TENSOR("x", "DT_FLOAT", DIM("-1") "," DIM("2"))
#define Y TENSOR("y", "DT_FLOAT", DIM("-1") "," DIM("1"))
#define Z TENSOR("z", "DT_INT64", DIM("-1"))

static const char one_output[] = MODEL("serving_default", X, Y);
static const char two_outputs[] = MODEL("serving_default", X, Y "," Z);

/* What was asked last, and what is answered. */
struct talk {
  pthread_mutex_t mu;
  char path[200];
  struct rl_buf asked;
  const char *status, *answer;
};

static bool talk(struct serve_bed *bed, int fd, const struct http_asked *asked, struct rl_buf *out) {
  struct talk *t = bed->arg;
  (void)fd;
  pthread_mutex_lock(&t->mu);
  snprintf(t->path, sizeof t->path, "%s", asked->path);
  rl_buf_clear(&t->asked);
  rl_buf_put(&t->asked, asked->body.data, asked->body.len);
  pthread_mutex_unlock(&t->mu);
  http_say(out, t->status ? t->status : "200 OK", "Content-Type: application/json\r\n", t->answer);
  return true;
}

static int open_bed(struct served *m, struct serve_bed *bed, struct talk *t,
                    const struct rl_model_opts *opts) {
  char uri[100];
  bed->arg = t;
  if (!bed->state) bed->state = available;
  pthread_mutex_init(&t->mu, NULL);
  bed_start(bed, talk);
  return served_open(m, &rl_model_tfserving, bed_uri(bed, "tfserving", uri), opts);
}

static void close_bed(struct served *m, struct serve_bed *bed, struct talk *t) {
  bed_stop(bed, m);
  rl_buf_free(&t->asked);
}

/* A run of 2 rows that must pass. */
static void passes(struct ran *r, struct served *m, struct talk *t, const char *answer) {
  t->answer = answer;
  run_rows(r, m, NULL, 2, 2, NULL, NULL, NULL);
  if (r->code) UNIT_FAIL("%s: %s", answer, r->err.text);
}

TEST(metadata_gives_the_ports) {
  struct serve_bed bed = {.model = two_outputs};
  struct talk t = {.status = NULL};
  struct served m;
  CHECK_INT(open_bed(&m, &bed, &t, NULL), 0);
  CHECK_INT(m.in.n, 1);
  CHECK_STR(m.in.at[0].name, "x");
  CHECK_INT(m.in.at[0].dtype, RL_FLOAT32);
  CHECK_INT(m.in.at[0].rank, 2);
  CHECK_INT(m.in.at[0].shape[0], -1);
  CHECK_INT(m.in.at[0].shape[1], 2);
  CHECK_INT(m.out.n, 2);
  CHECK_STR(m.out.at[1].name, "z");
  CHECK_INT(m.out.at[1].dtype, RL_INT64);
  CHECK_INT(m.out.at[1].rank, 1);
  close_bed(&m, &bed, &t);
}

TEST(one_input_goes_as_instances_and_comes_back_in_any_form) {
  static const char *const answers[] = {"{\n    \"predictions\": [[0.5\n    ], [1.5\n    ]\n    ]\n}",
                                        "{\"predictions\":[{\"y\":[0.5]},{\"y\":[1.5]}]}",
                                        "{\"outputs\":[[0.5],[1.5]]}", "{\"outputs\":{\"y\":[[0.5],[1.5]]}}"};
  struct serve_bed bed = {.model = one_output};
  struct talk t = {.status = NULL};
  struct served m;
  CHECK_INT(open_bed(&m, &bed, &t, NULL), 0);
  for (size_t i = 0; i < 4; i++) {
    struct ran r;
    passes(&r, &m, &t, answers[i]);
    CHECK_STR(rl_buf_text(&t.asked), "{\"instances\":[[0,1],[2,3]]}");
    CHECK_STR(t.path, "/v1/models/m:predict");
    CHECK_STR(r.run.outputs[0].name, "y");
    CHECK_INT(r.run.outputs[0].t.rank, 2);
    CHECK(run_at(&r, 0, 0) == 0.5F && run_at(&r, 0, 1) == 1.5F);
    run_done(&r);
  }
  close_bed(&m, &bed, &t);
}

TEST(several_outputs_in_either_form) {
  static const char *const answers[] = {"{\"predictions\":[{\"z\":7,\"y\":[0.5]},{\"y\":[1.5],\"z\":-8}]}",
                                        "{\"outputs\":{\"z\":[7,-8],\"y\":[[0.5],[1.5]]}}"};
  struct serve_bed bed = {.model = two_outputs};
  struct talk t = {.status = NULL};
  struct served m;
  CHECK_INT(open_bed(&m, &bed, &t, NULL), 0);
  for (size_t i = 0; i < 2; i++) {
    struct ran r;
    int64_t z[2] = {0, 0};
    passes(&r, &m, &t, answers[i]);
    CHECK_INT(r.run.n_outputs, 2);
    CHECK(run_at(&r, 0, 1) == 1.5F);
    if (r.run.n_outputs == 2) memcpy(z, r.run.outputs[1].t.data, sizeof z);
    CHECK_INT(z[0], 7);
    CHECK_INT(z[1], -8);
    run_done(&r);
  }
  close_bed(&m, &bed, &t);
}

TEST(several_inputs_go_by_name) {
  static const char model[] = MODEL("serving_default", X "," TENSOR("k", "DT_BOOL", DIM("-1")), Y);
  struct serve_bed bed = {.model = model};
  struct talk t = {.answer = "{\"outputs\":[[0.5],[1.5]]}"};
  struct served m;
  struct rl_model_value values[2] = {{.name = "x"}, {.name = "k"}};
  struct rl_model_run run = {.inputs = values, .n_inputs = 2};
  const int64_t matrix[] = {2, 2}, rows[] = {2};
  const float numbers[] = {0.1F, NAN, -INFINITY, 1e30F};
  struct rl_err err = {0};
  CHECK_INT(open_bed(&m, &bed, &t, NULL), 0);
  CHECK_INT(rl_tensor_new(&values[0].t, RL_FLOAT32, 2, matrix, NULL, NULL), 0);
  CHECK_INT(rl_tensor_new(&values[1].t, RL_TRUTH, 1, rows, NULL, NULL), 0);
  memcpy(values[0].t.data, numbers, sizeof numbers);
  memcpy(values[1].t.data, "\0\1", 2);
  if (m.backend->run(m.self, &run, &err) != 0) UNIT_FAIL("%s", err.text);
  CHECK_STR(rl_buf_text(&t.asked), "{\"inputs\":{\"x\":[[0.1,NaN],[-Infinity,1e+30]],\"k\":[false,true]}}");
  rl_model_values_free(run.outputs, run.n_outputs);
  rl_tensor_free(&values[0].t);
  rl_tensor_free(&values[1].t);
  close_bed(&m, &bed, &t);
}

TEST(bare_nan_and_infinities_come_back) {
  struct serve_bed bed = {.model =
                              MODEL("serving_default", X, TENSOR("y", "DT_DOUBLE", DIM("-1") "," DIM("2")))};
  struct talk t = {.status = NULL};
  struct served m;
  struct ran r;
  double y[4] = {0};
  CHECK_INT(open_bed(&m, &bed, &t, NULL), 0);
  passes(&r, &m, &t, "{\"predictions\":[[NaN,Infinity],[-Infinity,0.1]]}");
  if (r.run.n_outputs) memcpy(y, r.run.outputs[0].t.data, sizeof y);
  CHECK(isnan(y[0]) && y[1] == HUGE_VAL && y[2] == -HUGE_VAL && y[3] == 0.1);
  run_done(&r);
  close_bed(&m, &bed, &t);
}

TEST(a_model_without_metadata_is_called_all_the_same) {
  struct serve_bed bed = {.model = NULL};
  struct talk t = {.status = NULL};
  struct served m;
  struct ran r;
  CHECK_INT(open_bed(&m, &bed, &t, NULL), 0);
  CHECK_INT(m.in.n + m.out.n, 0);
  passes(&r, &m, &t, "{\"predictions\":[[0.5],[1.5]]}");
  CHECK_STR(r.run.outputs[0].name, "output");
  CHECK(run_at(&r, 0, 1) == 1.5F);
  run_done(&r);
  passes(&r, &m, &t, "{\"predictions\":[[1],[1.5]]}");
  CHECK(run_at(&r, 0, 0) == 1 && run_at(&r, 0, 1) == 1.5F);
  run_done(&r);
  passes(&r, &m, &t, "{\"predictions\":[{\"k\":1},{\"k\":1.5}]}");
  CHECK(run_at(&r, 0, 0) == 1 && run_at(&r, 0, 1) == 1.5F);
  run_done(&r);
  passes(&r, &m, &t, "{\"predictions\":[{\"k\":3,\"b\":true},{\"k\":4,\"b\":false}]}");
  CHECK_INT(r.run.n_outputs, 2);
  CHECK_STR(r.run.outputs[0].name, "k");
  CHECK_INT(r.run.outputs[0].t.dtype, RL_INT64);
  CHECK_INT(r.run.outputs[1].t.dtype, RL_TRUTH);
  run_done(&r);
  close_bed(&m, &bed, &t);
}

TEST(another_signature_is_named) {
  struct serve_bed bed = {.model = MODEL("score", X, Y)};
  struct talk t = {.status = NULL};
  struct served m;
  struct ran r;
  CHECK_INT(open_bed(&m, &bed, &t, NULL), 0);
  passes(&r, &m, &t, "{\"predictions\":[[0.5],[1.5]]}");
  CHECK_STR(rl_buf_text(&t.asked), "{\"signature_name\":\"score\",\"instances\":[[0,1],[2,3]]}");
  run_done(&r);
  close_bed(&m, &bed, &t);
}

TEST(versions_and_labels) {
  static const struct {
    const char *part, *path;
  } cases[] = {{"12", "/v1/models/m/versions/12:predict"}, {"canary", "/v1/models/m/labels/canary:predict"}};
  for (size_t i = 0; i < 2; i++) {
    struct serve_bed bed = {.model = one_output, .state = available};
    struct talk t = {.answer = "{\"predictions\":[[0.5],[1.5]]}"};
    struct served m;
    struct ran r;
    char uri[120];
    bed.arg = &t;
    pthread_mutex_init(&t.mu, NULL);
    bed_start(&bed, talk);
    snprintf(uri, sizeof uri, "tfserving://127.0.0.1:%d/m/%s", bed.http.port, cases[i].part);
    CHECK_INT(served_open(&m, &rl_model_tfserving, uri, NULL), 0);
    run_rows(&r, &m, NULL, 2, 2, NULL, NULL, NULL);
    CHECK_INT(r.code, 0);
    CHECK_STR(t.path, cases[i].path);
    run_done(&r);
    close_bed(&m, &bed, &t);
  }
}

TEST(a_split_batch_is_joined_in_order) {
  struct serve_bed bed = {.model = one_output};
  struct talk t = {.answer = "{\"predictions\":[[0.5],[1.5]]}"};
  struct served m;
  struct ran r;
  CHECK_INT(open_bed(&m, &bed, &t, &(struct rl_model_opts){.batch = 2}), 0);
  run_rows(&r, &m, NULL, 6, 2, NULL, NULL, NULL);
  if (r.code) UNIT_FAIL("%s", r.err.text);
  CHECK_INT(atomic_load(&bed.posts), 3);
  for (size_t i = 0; i < 6; i++) CHECK(run_at(&r, 0, i) == (i % 2 ? 1.5F : 0.5F));
  run_done(&r);
  close_bed(&m, &bed, &t);
}

TEST(a_state_that_is_not_available_is_waited_for) {
  struct serve_bed bed = {.model = one_output};
  struct talk t = {.status = NULL};
  struct served m;
  atomic_init(&bed.unready_asks, 2);
  CHECK_INT(open_bed(&m, &bed, &t, NULL), 0);
  close_bed(&m, &bed, &t);
  bed = (struct serve_bed){.model = one_output,
                           .state = "{\"model_version_status\":[{\"version\":\"1\",\"state\":\"LOADING\"}]}"};
  t = (struct talk){.status = NULL};
  CHECK_INT(open_bed(&m, &bed, &t, &(struct rl_model_opts){.timeout = 2}), RL_ETRANSIENT);
  CHECK_HAS(m.err.text, "is not ready after 2 s: its state is LOADING");
  close_bed(&m, &bed, &t);
}

static void not_opened(const char *state, const char *model, const char *why) {
  struct serve_bed bed = {.model = model, .state = state};
  struct talk t = {.status = NULL};
  struct served m;
  CHECK_INT(open_bed(&m, &bed, &t, NULL), RL_EUSAGE);
  CHECK_HAS(m.err.text, why);
  close_bed(&m, &bed, &t);
}

TEST(what_cannot_be_loaded) {
  not_opened(available, "{}", "it has no signature_def");
  not_opened(available, "nonsense", "not that of TensorFlow Serving: no JSON");
  not_opened(available, MODEL("serving_default", TENSOR("t", "DT_STRING", DIM("-1")), Y),
             "of type DT_STRING, which a tensor has not");
  not_opened(available, MODEL("serving_default", X, TENSOR("t", "DT_STRING", DIM("-1"))),
             "no output of the model is of a type that a tensor has");
  not_opened(available, MODEL("serving_default", TENSOR("x", "DT_FLOAT", "{}"), Y),
             "a dimension without a size");
  struct serve_bed bed = {.model = one_output};
  struct served m;
  char uri[100];
  bed_start(&bed, talk);
  CHECK_INT(served_open(&m, &rl_model_tfserving, bed_uri(&bed, "tfserving", uri), NULL), RL_EUSAGE);
  CHECK_HAS(m.err.text, "has no such model");
  served_close(&m);
  http_bed_stop(&bed.http);
}

TEST(wrong_answers_are_the_batchs_own) {
  static const struct {
    const char *answer, *why;
  } cases[] = {{"", "the answer is no JSON: it is empty"},
               {"{}", "neither predictions nor outputs"},
               {"{\"predictions\":3}", "the predictions are no list"},
               {"{\"predictions\":[]}", "output 'y': it is [0], where 2 rows were sent"},
               {"{\"predictions\":[[1]]}", "output 'y': it is [1, 1], where 2 rows were sent"},
               {"{\"predictions\":[[1],[2],[3]]}", "it is [3, 1], where 2 rows were sent"},
               {"{\"predictions\":[1,2]}", "it is [2], the model declares [-1, 1]"},
               {"{\"predictions\":[[1,2],[3,4]]}", "it is [2, 2], the model declares [-1, 1]"},
               {"{\"predictions\":[[1],[2,3]]}", "of different lengths"},
               {"{\"predictions\":[[1],2]}", "of different lengths"},
               {"{\"predictions\":[[[[[[[[[1]]]]]]]],2]}", "nested over 8 deep"},
               {"{\"predictions\":[[1],[\"x\"]]}", "it holds a text, which is no float32"},
               {"{\"predictions\":[[1],[{\"b64\":\"eA==\"}]]}", "it holds an object, which is no float32"},
               {"{\"predictions\":[{\"y\":[1]},{\"x\":[1]}]}", "a prediction is without it"},
               {"{\"predictions\":[{\"y\":[1]},[2]]}", "a prediction is without it"},
               {"{\"predictions\":[{\"x\":[1]},{\"x\":[1]}]}", "the answer is without the output 'y'"},
               {"{\"outputs\":{\"x\":[[1],[2]]}}", "the answer is without the output 'y'"},
               {"{\"outputs\":1.5}", "it is [], where 2 rows were sent"}};
  struct serve_bed bed = {.model = one_output};
  struct talk t = {.status = NULL};
  struct served m;
  CHECK_INT(open_bed(&m, &bed, &t, NULL), 0);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct ran r;
    t.answer = cases[i].answer;
    run_rows(&r, &m, NULL, 2, 2, NULL, NULL, NULL);
    if (r.code != RL_EFAIL) UNIT_FAIL("%s gives %d: %s", t.answer, r.code, r.err.text);
    CHECK_HAS(r.err.text, cases[i].why);
    CHECK_INT(r.run.n_outputs, 0);
    run_done(&r);
  }
  close_bed(&m, &bed, &t);
}

TEST(one_output_where_two_are_declared) {
  struct serve_bed bed = {.model = two_outputs};
  struct talk t = {.answer = "{\"predictions\":[[0.5],[1.5]]}"};
  struct served m;
  struct ran r;
  CHECK_INT(open_bed(&m, &bed, &t, NULL), 0);
  run_rows(&r, &m, NULL, 2, 2, NULL, NULL, NULL);
  CHECK_INT(r.code, RL_EFAIL);
  CHECK_HAS(r.err.text, "one output came, the model declares 2");
  run_done(&r);
  close_bed(&m, &bed, &t);
}

TEST(S4_1_classes_of_statuses) {
  static const struct {
    const char *status;
    int code, posts;
  } cases[] = {{"400 Bad Request", RL_EFAIL, 2},
               {"404 Not Found", RL_EFAIL, 2},
               {"500 Internal", RL_EFAIL, 2},
               {"413 Too Large", RL_EFAIL, 1},
               {"401 Unauthorized", RL_EUSAGE, 1},
               {"429 Too Many", RL_ETRANSIENT, 2},
               {"502 Bad Gateway", RL_ETRANSIENT, 2},
               {"503 Unavailable", RL_ETRANSIENT, 2},
               {"504 Gateway Timeout", RL_ETRANSIENT, 2}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct serve_bed bed = {.model = one_output};
    struct talk t = {.status = cases[i].status, .answer = "{ \"error\": \"so it is\" }"};
    struct served m;
    struct ran r;
    CHECK_INT(open_bed(&m, &bed, &t, &(struct rl_model_opts){.retries = 1}), 0);
    run_rows(&r, &m, NULL, 2, 2, NULL, NULL, NULL);
    if (r.code != cases[i].code) UNIT_FAIL("%s gives %d: %s", cases[i].status, r.code, r.err.text);
    CHECK_HAS(r.err.text, "so it is");
    CHECK_INT(atomic_load(&bed.posts), cases[i].posts);
    run_done(&r);
    close_bed(&m, &bed, &t);
  }
}

/* After it was started again: the port is there, the model is not. */
TEST(S4_1_a_model_that_is_loaded_again_is_weather) {
  static const char *const states[] = {
      "{\"model_version_status\":[{\"version\":\"1\",\"state\":\"LOADING\"}]}",
      "{\"model_version_status\":[]}", NULL};
  struct serve_bed bed = {.model = one_output};
  struct talk t = {.answer = "{ \"error\": \"Servable not found\" }"};
  struct served m;
  CHECK_INT(open_bed(&m, &bed, &t, &(struct rl_model_opts){.retries = 1}), 0);
  t.status = "404 Not Found";
  for (size_t i = 0; i < 3; i++) {
    struct ran r;
    bed.state = states[i];
    atomic_store(&bed.posts, 0);
    run_rows(&r, &m, NULL, 2, 2, NULL, NULL, NULL);
    CHECK_INT(r.code, RL_ETRANSIENT);
    CHECK_HAS(r.err.text, i == 0 ? "the model is not ready: its state is LOADING" : "the model is not ready");
    CHECK_HAS(r.err.text, "Servable not found");
    CHECK_INT(atomic_load(&bed.posts), 2);
    run_done(&r);
  }
  close_bed(&m, &bed, &t);
}
