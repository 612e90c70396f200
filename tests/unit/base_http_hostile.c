/* The HTTP client before servers that do not end well, and how one breaks off. */
#include "http_client.h"

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

struct stopper {
  struct rl_http *http;
  struct http_bed *bed;
};

static void *stop_when_asked(void *arg) {
  struct stopper *s = arg;
  while (atomic_load(&s->bed->asked) == 0) usleep(1000);
  rl_http_stop(s->http);
  return NULL;
}

TEST(what_is_under_way_can_be_stopped_from_outside) {
  struct http_bed bed;
  struct got g;
  pthread_t thread;
  http_bed_start(&bed, 0, stuck, NULL);
  struct rl_http *http = client(&(struct rl_http_opts){.timeout = 600});
  pthread_create(&thread, NULL, stop_when_asked, &(struct stopper){http, &bed});
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
