/* The Open Inference Protocol: what is asked again, for how long, and whose fault a failure is. */
#include "kserve_bed.h"

/* ---- by status ---- */

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
  bed_stop(&bed, &m);
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
  bed_stop(&bed, &m);
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
  bed_stop(&bed, &m);
}

/* ---- tries and time ---- */

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
  bed_stop(&bed, &m);
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
  bed_stop(&bed, &m);
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
  bed_stop(&bed, &m);
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
    bed_stop(&bed, &m);
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
  bed_stop(&bed, &m);
}
