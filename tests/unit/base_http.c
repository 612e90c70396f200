/* The HTTP client: requests, log-ins, and classes of what is answered. */
#include "http_client.h"

/* ---- what is right ---- */

TEST(an_answer_with_its_head_and_body) {
  struct http_bed bed;
  struct got g;
  http_bed_start(&bed, 0, hello, NULL);
  struct rl_http *http = client(&(struct rl_http_opts){.connect = 0});
  get(&g, http, bed.url, "/a/b?c=d");
  CHECK_INT(g.code, 0);
  CHECK_INT(g.call.status, 200);
  CHECK_STR(rl_buf_text(&g.call.answer), "/a/b?c=d");
  struct rl_bytes here = rl_http_header(&g.call, "x-PATH");
  CHECK(rl_bytes_eq(here, rl_bytes_str("here")));
  CHECK(!rl_http_header(&g.call, "X").data);
  rl_http_call_free(&g.call);
  rl_http_free(http);
  http_bed_stop(&bed);
}

TEST(connections_are_kept) {
  struct http_bed bed;
  struct got g;
  http_bed_start(&bed, 0, hello, NULL);
  struct rl_http *http = client(&(struct rl_http_opts){.connect = 0});
  for (int i = 0; i < 10; i++) {
    get(&g, http, bed.url, "/");
    CHECK_INT(g.code, 0);
    rl_http_call_free(&g.call);
  }
  CHECK_INT(atomic_load(&bed.asked), 10);
  CHECK_INT(atomic_load(&bed.connections), 1);
  rl_http_free(http);
  http_bed_stop(&bed);
}

static bool echo(struct http_bed *bed, int fd, const struct http_asked *asked, struct rl_buf *out) {
  (void)bed, (void)fd;
  bool right = strncmp(asked->head, "POST ", 5) == 0 && strstr(asked->head, "\r\nContent-Type: x/y\r\n") &&
               strstr(asked->head, "\r\nAccept: a\r\n") && !strstr(asked->head, "Expect");
  rl_buf_printf(out, "HTTP/1.1 %s\r\nContent-Length: %zu\r\n\r\n", right ? "200 OK" : "400 Bad",
                asked->body.len);
  rl_buf_put(out, asked->body.data, asked->body.len);
  return true;
}

TEST(a_post_carries_bytes_as_they_are) {
  static const char *const headers[] = {"Content-Type: x/y", "Accept: a"};
  struct http_bed bed;
  struct rl_err err = {0};
  size_t len = 300000;
  char *bytes = rl_alloc(len);
  for (size_t i = 0; i < len; i++) bytes[i] = (char)(i * 7);
  http_bed_start(&bed, 0, echo, NULL);
  struct rl_http *http = client(&(struct rl_http_opts){.connect = 0});
  struct rl_http_call call = {
      .method = "POST", .url = bed.url, .headers = headers, .n_headers = 2, .body = rl_bytes(bytes, len)};
  CHECK_INT(rl_http_run(http, &call, 1, NULL, NULL, &err), 0);
  CHECK(rl_bytes_eq(rl_buf_bytes(&call.answer), rl_bytes(bytes, len)));
  rl_http_call_free(&call);
  call.body = rl_bytes("", 0);
  CHECK_INT(rl_http_run(http, &call, 1, NULL, NULL, &err), 0);
  CHECK_INT(call.answer.len, 0);
  rl_http_call_free(&call);
  rl_http_free(http);
  http_bed_stop(&bed);
  rl_free(bytes);
}

/* Each answer waits until all have been asked for: one after another they would never end. */
static bool together(struct http_bed *bed, int fd, const struct http_asked *asked, struct rl_buf *out) {
  (void)fd;
  int *want = bed->arg;
  pthread_mutex_lock(&bed->mu);
  --*want;
  pthread_cond_broadcast(&bed->cv);
  while (*want > 0 && !atomic_load(&bed->over)) pthread_cond_wait(&bed->cv, &bed->mu);
  pthread_mutex_unlock(&bed->mu);
  http_say(out, strstr(asked->path, "bad") ? "400 Bad Request" : "200 OK", "", asked->path);
  return true;
}

TEST(several_requests_are_under_way_at_once) {
  struct http_bed bed;
  struct rl_err err = {0};
  int want = 4;
  char urls[4][100];
  struct rl_http_call calls[4] = {{0}};
  http_bed_start(&bed, 0, together, &want);
  struct rl_http *http = client(&(struct rl_http_opts){.connect = 0});
  for (int i = 0; i < 4; i++) {
    snprintf(urls[i], sizeof urls[i], "%s/%s%d", bed.url, i == 2 ? "bad" : "", i);
    calls[i] = (struct rl_http_call){.method = "GET", .url = urls[i]};
  }
  CHECK_INT(rl_http_run(http, calls, 4, NULL, NULL, &err), RL_EFAIL);
  CHECK_HAS(err.text, "/bad2: 400 Bad Request");
  for (int i = 0; i < 4; i++) {
    CHECK_INT(calls[i].status, i == 2 ? 400 : 200);
    CHECK_STR(rl_buf_text(&calls[i].answer), strrchr(urls[i], '/'));
    rl_http_call_free(&calls[i]);
  }
  rl_http_free(http);
  http_bed_stop(&bed);
}

struct user {
  struct rl_http *http;
  const char *url;
  int right;
};

static void *use(void *arg) {
  struct user *u = arg;
  struct got g;
  for (int i = 0; i < 20; i++) {
    get(&g, u->http, u->url, "/x");
    u->right += g.code == 0 && strcmp(rl_buf_text(&g.call.answer), "/x") == 0;
    rl_http_call_free(&g.call);
  }
  return NULL;
}

TEST(threads_share_a_client) {
  struct http_bed bed;
  pthread_t threads[4];
  struct user users[4];
  http_bed_start(&bed, 0, hello, NULL);
  struct rl_http *http = client(&(struct rl_http_opts){.connect = 0});
  for (int i = 0; i < 4; i++) {
    users[i] = (struct user){http, bed.url, 0};
    pthread_create(&threads[i], NULL, use, &users[i]);
  }
  for (int i = 0; i < 4; i++) {
    pthread_join(threads[i], NULL);
    CHECK_INT(users[i].right, 20);
  }
  rl_http_free(http);
  http_bed_stop(&bed);
}

/* ---- credentials ---- */

static bool door(struct http_bed *bed, int fd, const struct http_asked *asked, struct rl_buf *out) {
  (void)fd;
  bool open = strstr(asked->head, bed->arg) != NULL;
  http_say(out, open ? "200 OK" : "401 Unauthorized", "", open ? "in" : "hunter22 is wrong");
  return true;
}

TEST(basic_and_bearer_and_neither_in_an_error) {
  static char basic[] = "\r\nAuthorization: Basic bWU6aHVudGVyMjI=\r\n",
              bearer[] = "\r\nAuthorization: Bearer tok-en-77\r\n";
  struct http_bed bed;
  struct got g;
  http_bed_start(&bed, 0, door, basic);
  struct rl_http *http = client(&(struct rl_http_opts){.user = "me", .password = "hunter22"});
  get(&g, http, bed.url, "/");
  CHECK_INT(g.code, 0);
  rl_http_call_free(&g.call);
  bed.arg = bearer;
  get(&g, http, bed.url, "/");
  CHECK_INT(g.code, RL_EFAIL);
  CHECK_INT(g.call.status, 401);
  CHECK_HAS(g.err.text, "401 Unauthorized: *** is wrong");
  rl_http_call_free(&g.call);
  rl_http_free(http);
  http = client(&(struct rl_http_opts){.token = "tok-en-77"});
  get(&g, http, bed.url, "/");
  CHECK_INT(g.code, 0);
  rl_http_call_free(&g.call);
  rl_http_free(http);
  http_bed_stop(&bed);
}

static bool away(struct http_bed *bed, int fd, const struct http_asked *asked, struct rl_buf *out) {
  (void)fd, (void)asked;
  char headers[200];
  snprintf(headers, sizeof headers, "Location: %s/\r\n", (const char *)bed->arg);
  http_say(out, "307 Temporary Redirect", headers, "");
  return true;
}

TEST(a_redirect_is_not_followed_and_its_place_is_told) {
  struct http_bed bed, other;
  struct got g;
  http_bed_start(&other, 0, hello, NULL);
  http_bed_start(&bed, 0, away, other.url);
  struct rl_http *http = client(&(struct rl_http_opts){.user = "me", .password = "hunter22"});
  get(&g, http, bed.url, "/");
  CHECK_INT(g.code, RL_EFAIL);
  CHECK_HAS(g.err.text, "307 Temporary Redirect: a redirect, which is not followed, to http://127.0.0.1:");
  CHECK_INT(atomic_load(&other.asked), 0);
  rl_http_call_free(&g.call);
  rl_http_free(http);
  http_bed_stop(&bed);
  http_bed_stop(&other);
}

/* ---- classes ---- */

static bool status(struct http_bed *bed, int fd, const struct http_asked *asked, struct rl_buf *out) {
  (void)bed, (void)fd;
  http_say(out, asked->path + 1, "Retry-After: 7\r\n", "so it is\nin two lines");
  return true;
}

TEST(classes_of_statuses) {
  static const struct {
    const char *status;
    int code;
  } cases[] = {{"200", 0},
               {"204", 0},
               {"301", RL_EFAIL},
               {"400", RL_EFAIL},
               {"401", RL_EFAIL},
               {"404", RL_EFAIL},
               {"429", RL_ETRANSIENT},
               {"500", RL_EFAIL},
               {"502", RL_ETRANSIENT},
               {"503", RL_ETRANSIENT},
               {"504", RL_ETRANSIENT}};
  struct http_bed bed;
  struct got g;
  http_bed_start(&bed, 0, status, NULL);
  struct rl_http *http = client(&(struct rl_http_opts){.connect = 0});
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char path[10];
    snprintf(path, sizeof path, "/%s", cases[i].status);
    get(&g, http, bed.url, path);
    if (g.code != cases[i].code) UNIT_FAIL("%s is of class %d: %s", cases[i].status, g.code, g.err.text);
    CHECK_INT(g.call.status, atoi(cases[i].status));
    CHECK(g.call.retry_after == 7);
    if (g.code) CHECK_HAS(g.err.text, ": so it is in two lines");
    rl_http_call_free(&g.call);
  }
  rl_http_free(http);
  http_bed_stop(&bed);
}

TEST(nobody_there_is_the_weather) {
  struct got g;
  char url[64];
  snprintf(url, sizeof url, "http://127.0.0.1:%d", http_closed_port());
  struct rl_http *http = client(&(struct rl_http_opts){.connect = 5});
  get(&g, http, url, "/x");
  CHECK_INT(g.code, RL_ETRANSIENT);
  CHECK_INT(g.call.status, 0);
  CHECK_HAS(g.err.text, url);
  rl_http_call_free(&g.call);
  get(&g, http, "http://no.such.host.invalid", "/x");
  CHECK_INT(g.code, RL_ETRANSIENT);
  rl_http_call_free(&g.call);
  rl_http_free(http);
}
