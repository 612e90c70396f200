/* The Open Inference Protocol: answers that are none, of a hostile server too. */
#include "kserve_bed.h"

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
  bed_stop(&bed, &m);
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
  bed_stop(&bed, &m);
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
  bed_stop(&bed, &m);
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
  bed_stop(&bed, &m);
}
