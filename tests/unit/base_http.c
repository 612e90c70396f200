/* The HTTP client against a server of the test's own, a hostile one too. */
#include "base/http.h"

#include "base/clock.h"
#include "base/log.h"
#include "http_bed.h"

static struct rl_http *client(const struct rl_http_opts *opts) {
  struct rl_http *http = NULL;
  struct rl_err err = {0};
  if (rl_http_new(&http, opts, &err)) UNIT_FAIL("%s", err.text);
  return http;
}

struct got {
  struct rl_http_call call;
  struct rl_err err;
  int code;
};

static void get(struct got *g, struct rl_http *http, const char *base, const char *path) {
  struct rl_buf url = RL_BUF_INIT;
  *g = (struct got){.code = 0};
  rl_http_put_url(&url, base, path);
  g->call = (struct rl_http_call){.method = "GET", .url = url.data};
  g->code = rl_http_run(http, &g->call, 1, NULL, NULL, &g->err);
  rl_buf_free(&url);
  CHECK_INT(g->code, g->call.code);
}

/* ---- what is right ---- */

static bool hello(struct http_bed *bed, int fd, const struct http_asked *asked, struct rl_buf *out) {
  (void)bed, (void)fd;
  http_say(out, "200 OK", "X-Path:  here \r\nx-path: again\r\n", asked->path);
  return true;
}

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

/* ---- a hostile server ---- */

static bool mischief(struct http_bed *bed, int fd, const struct http_asked *asked, struct rl_buf *out) {
  const char *what = asked->path + 1;
  if (!strcmp(what, "endless")) {
    http_write(fd, "HTTP/1.1 200 OK\r\n\r\n", 19);
    while (http_write(fd, "0123456789abcdef", 16)) continue;
  } else if (!strcmp(what, "endless-head")) {
    http_write(fd, "HTTP/1.1 200 OK\r\n", 17);
    while (http_write(fd, "X-Filler: 0123456789abcdef\r\n", 28)) continue;
  } else if (!strcmp(what, "endless-line")) {
    http_write(fd, "HTTP/1.1 200 OK\r\nX-Filler: ", 27);
    while (http_write(fd, "0123456789abcdef", 16)) continue;
  } else if (!strcmp(what, "endless-100")) {
    while (http_write(fd, "HTTP/1.1 100 Continue\r\n\r\n", 25)) continue;
  } else if (!strcmp(what, "slow")) {
    http_write(fd, "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nso far", 46);
    http_wait_over(bed);
  } else if (!strcmp(what, "silent")) {
    http_wait_over(bed);
  } else if (!strcmp(what, "short")) {
    rl_buf_puts(out, "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nso far");
  } else if (!strcmp(what, "nothing")) {
    return false;
  } else if (!strcmp(what, "no-http")) {
    rl_buf_puts(out, "SSH-2.0-OpenSSH\r\n\r\n");
  } else if (!strcmp(what, "claims-much")) {
    rl_buf_puts(out, "HTTP/1.1 200 OK\r\nContent-Length: 99999999999999\r\n\r\nso far");
  }
  return false;
}

static void suffer(struct rl_http *http, const char *url, const char *path, int code, const char *text) {
  struct got g;
  get(&g, http, url, path);
  if (g.code != code) UNIT_FAIL("%s is of class %d: %s", path, g.code, g.err.text);
  CHECK_HAS(g.err.text, text);
  rl_http_call_free(&g.call);
}

TEST(a_hostile_server_ends_in_an_error) {
  struct http_bed bed;
  http_bed_start(&bed, 0, mischief, NULL);
  struct rl_http *http = client(&(struct rl_http_opts){.timeout = 20, .max_body = 100000});
  suffer(http, bed.url, "/endless", RL_EFAIL, "the answer is larger than 100000 bytes");
  suffer(http, bed.url, "/endless-head", RL_EFAIL, "head is larger than 262144 bytes");
  suffer(http, bed.url, "/endless-line", RL_EFAIL, "/endless-line");
  suffer(http, bed.url, "/endless-100", RL_EFAIL, "head is larger than 262144 bytes");
  suffer(http, bed.url, "/short", RL_ETRANSIENT, "/short");
  suffer(http, bed.url, "/claims-much", RL_ETRANSIENT, "/claims-much");
  suffer(http, bed.url, "/nothing", RL_ETRANSIENT, "/nothing");
  suffer(http, bed.url, "/no-http", RL_EFAIL, "/no-http");
  rl_http_free(http);
  http = client(&(struct rl_http_opts){.timeout = 0.2});
  suffer(http, bed.url, "/slow", RL_ETRANSIENT, "timed out");
  suffer(http, bed.url, "/silent", RL_ETRANSIENT, "timed out");
  rl_http_free(http);
  http_bed_stop(&bed);
}

/* ---- breaking off ---- */

static bool stuck(struct http_bed *bed, int fd, const struct http_asked *asked, struct rl_buf *out) {
  (void)fd, (void)asked, (void)out;
  http_wait_over(bed);
  return false;
}

static void *stop_when_asked(void *arg) {
  struct user *u = arg;
  struct http_bed *bed = (struct http_bed *)(uintptr_t)u->url;
  while (atomic_load(&bed->asked) == 0) usleep(1000);
  rl_http_stop(u->http);
  return NULL;
}

TEST(what_is_under_way_can_be_stopped_from_outside) {
  struct http_bed bed;
  struct got g;
  pthread_t thread;
  http_bed_start(&bed, 0, stuck, NULL);
  struct rl_http *http = client(&(struct rl_http_opts){.timeout = 600});
  struct user u = {http, (const char *)&bed, 0};
  pthread_create(&thread, NULL, stop_when_asked, &u);
  get(&g, http, bed.url, "/");
  CHECK_INT(g.code, RL_ETRANSIENT);
  CHECK_HAS(g.err.text, "broken off");
  rl_http_call_free(&g.call);
  pthread_join(thread, NULL);
  get(&g, http, bed.url, "/"); /* and so is what comes later */
  CHECK_INT(g.code, RL_ETRANSIENT);
  rl_http_call_free(&g.call);
  rl_http_free(http);
  http_bed_stop(&bed);
}

static bool until_asked(void *arg) { return atomic_load(&((struct http_bed *)arg)->asked) == 0; }

TEST(who_waits_can_break_off) {
  struct http_bed bed;
  struct rl_err err = {0};
  http_bed_start(&bed, 0, stuck, NULL);
  struct rl_http *http = client(&(struct rl_http_opts){.timeout = 600});
  struct rl_http_call call = {.method = "GET", .url = bed.url};
  CHECK_INT(rl_http_run(http, &call, 1, until_asked, &bed, &err), RL_ETRANSIENT);
  rl_http_call_free(&call);
  rl_http_free(http);
  http_bed_stop(&bed);
}

/* ---- what is refused ---- */

static void refused(const char *url, const char *why, bool shown) {
  struct rl_err err = {0};
  CHECK_INT(rl_http_check_url(url, &err), RL_EUSAGE);
  CHECK_HAS(err.text, why);
  CHECK((strstr(err.text, url) != NULL) == shown);
}

TEST(urls_that_are_none) {
  struct rl_err err = {0};
  CHECK_INT(rl_http_check_url("http://host:8081/apis/ccompat/v7/", &err), 0);
  CHECK_INT(rl_http_check_url("HTTPS://[::1]:8081", &err), 0);
  refused("localhost:8081", "does not start with http://", true);
  refused("ftp://host", "does not start with http://", true);
  refused("http://", "cannot be read", true);
  refused("http://me:hunter2@host", "a user or password", false);
  refused("http://me@host", "a user or password", false);
  refused("http://host?x=y", "a query", false);
  refused("http://host:99999", "cannot be read", true);
}

TEST(options_that_do_not_go_together) {
  struct rl_http *http = NULL;
  struct rl_err err = {0};
  CHECK_INT(rl_http_new(&http, &(struct rl_http_opts){.user = "a", .token = "b"}, &err), RL_EUSAGE);
  CHECK_INT(rl_http_new(&http, &(struct rl_http_opts){.key = "k.pem"}, &err), RL_EUSAGE);
  CHECK_HAS(err.text, "k.pem");
}

/* They would end the header's line, and begin another. */
TEST(credentials_with_control_characters_are_refused_and_not_repeated) {
  static const struct rl_http_opts bad[] = {{.token = "xyz\nX-Header: y"},
                                            {.token = "xyz\r"},
                                            {.user = "xyz\t", .password = "p"},
                                            {.user = "me", .password = "xyz\x7f"}};
  static const char *const names[] = {"token", "token", "user", "password"};
  struct rl_http *http = NULL;
  struct rl_err err = {0};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    char part[100];
    snprintf(part, sizeof part, "the %s holds a control character", names[i]);
    CHECK_INT(rl_http_new(&http, &bad[i], &err), RL_EUSAGE);
    CHECK_HAS(err.text, part);
    CHECK(!strstr(err.text, "xyz"));
  }
  rl_http_free(client(&(struct rl_http_opts){.user = "J\xc3\xb6rg", .password = "\xe2\x82\xac 5"}));
}

TEST(a_certificate_file_that_is_none_is_the_user_s) {
  struct got g;
  char url[64];
  struct http_bed bed;
  http_bed_start(&bed, 0, hello, NULL);
  snprintf(url, sizeof url, "https://127.0.0.1:%d", bed.port);
  struct rl_http *http = client(&(struct rl_http_opts){.ca = "/no/such/file.pem"});
  get(&g, http, url, "/");
  CHECK_INT(g.code, RL_EUSAGE);
  CHECK_HAS(g.err.text, "/no/such/file.pem");
  rl_http_call_free(&g.call);
  rl_http_free(http);
  http_bed_stop(&bed);
}

TEST(parts_of_urls) {
  struct rl_buf out = RL_BUF_INIT;
  rl_http_put_url(&out, "http://a/b//", "/c");
  rl_buf_putc(&out, ' ');
  rl_http_put_escaped(&out, rl_bytes("a-Z._~9/ %\0\xff", 12));
  CHECK_STR(out.data, "http://a/b/c a-Z._~9%2F%20%25%00%FF");
  rl_buf_free(&out);
}

TEST(the_loopback_is_reached_directly) {
  struct http_bed bed;
  struct got g;
  setenv("http_proxy", "http://127.0.0.1:1", 1);
  http_bed_start(&bed, 0, hello, NULL);
  struct rl_http *http = client(&(struct rl_http_opts){.connect = 0});
  get(&g, http, bed.url, "/");
  CHECK_INT(g.code, 0);
  rl_http_call_free(&g.call);
  rl_http_free(http);
  http_bed_stop(&bed);
  unsetenv("http_proxy");
}

static bool proxied(struct http_bed *bed, int fd, const struct http_asked *asked, struct rl_buf *out) {
  (void)bed, (void)fd;
  http_say(out, "200 OK", "", strstr(asked->head, "GET http://registry.invalid/x HTTP") ? "through" : "?");
  return true;
}

TEST(a_proxy_of_the_environment_is_used) {
  struct http_bed bed;
  struct got g;
  http_bed_start(&bed, 0, proxied, NULL);
  setenv("http_proxy", bed.url, 1);
  struct rl_http *http = client(&(struct rl_http_opts){.connect = 0});
  get(&g, http, "http://registry.invalid", "/x");
  CHECK_INT(g.code, 0);
  CHECK_STR(rl_buf_text(&g.call.answer), "through");
  rl_http_call_free(&g.call);
  rl_http_free(http);
  http_bed_stop(&bed);
  unsetenv("http_proxy");
}
