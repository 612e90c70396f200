/* The Open Inference Protocol: where a server is, its readiness, who is let in. */
#include "base/clock.h"
#include "kserve_bed.h"

/* ---- readiness ---- */

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
    bed_stop(&bed, &m);
  }
}

static void not_opened(struct serve_bed *bed, const struct rl_model_opts *opts, int code, const char *why) {
  struct served m;
  bed_start(bed, twice);
  CHECK_INT(open_bed(&m, bed, opts), code);
  CHECK_HAS(m.err.text, why);
  bed_stop(bed, &m);
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
  struct served m;
  const struct rl_model_opts opts = {.timeout = 600};
  snprintf(uri, sizeof uri, "kserve://127.0.0.1:%d/m", http_closed_port());
  CHECK_INT(served_open_while(&m, &rl_model_kserve, uri, &opts, never), RL_ETRANSIENT);
}

/* ---- the URI ---- */

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
  bed_stop(&bed, &m);
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
  bed_stop(&bed, &m);
}
