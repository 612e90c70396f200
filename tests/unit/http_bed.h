/* A small HTTP server in the test's process: a thread that accepts on the loopback, a thread a connection.
 * What it answers is a function of the test's; bad answers are the bytes that the function puts. */
#ifndef HTTP_BED_H
#define HTTP_BED_H

#include <arpa/inet.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/mem.h"
#include "unit.h"

enum { HTTP_CONNECTIONS = 64 };

struct http_bed;

struct http_asked {
  const char *head; /* the request's line and headers */
  const char *path;
  struct rl_bytes body;
};

struct http_line {
  struct http_bed *bed;
  int fd;
  pthread_t thread;
};

struct http_bed {
  /* Puts the whole answer. False: nothing more is said, and the connection is closed after `out`. */
  bool (*serve)(struct http_bed *bed, int fd, const struct http_asked *asked, struct rl_buf *out);
  void *arg;
  char url[64]; /* http://127.0.0.1:PORT */
  int listener, port;
  pthread_t acceptor;
  atomic_int asked, connections; /* requests and connections so far */
  atomic_bool over;
  pthread_mutex_t mu;
  pthread_cond_t cv; /* with `over`, and for the test's own conditions */
  struct http_line at[HTTP_CONNECTIONS];
  int n;
};

static inline void http_say(struct rl_buf *out, const char *status, const char *headers, const char *body) {
  rl_buf_printf(out, "HTTP/1.1 %s\r\n%sContent-Length: %zu\r\n\r\n%s", status, headers, strlen(body), body);
}

/* False: the other side has gone. */
static inline bool http_write(int fd, const char *data, size_t len) {
  while (len > 0) {
    ssize_t n = send(fd, data, len, MSG_NOSIGNAL);
    if (n <= 0) return false;
    data += n, len -= (size_t)n;
  }
  return true;
}

/* For answers that do not come: until the bed is over. */
static inline void http_wait_over(struct http_bed *bed) {
  pthread_mutex_lock(&bed->mu);
  while (!atomic_load(&bed->over)) pthread_cond_wait(&bed->cv, &bed->mu);
  pthread_mutex_unlock(&bed->mu);
}

static inline size_t http_body_length(const char *head) {
  const char *at = strstr(head, "\r\nContent-Length: "); /* others end so, too */
  return at ? (size_t)atoll(at + 18) : 0;
}

/* One request: its length with the body, 0 when the connection ended. */
static inline size_t http_read(int fd, struct rl_buf *in) {
  for (;;) {
    const char *end = in->len ? strstr(in->data, "\r\n\r\n") : NULL;
    size_t head = end ? (size_t)(end + 4 - in->data) : 0;
    if (end && in->len >= head + http_body_length(in->data)) return head + http_body_length(in->data);
    char chunk[4096];
    ssize_t n = recv(fd, chunk, sizeof chunk, 0);
    if (n <= 0) return 0;
    rl_buf_put(in, chunk, (size_t)n);
  }
}

static inline bool http_answer(struct http_bed *bed, int fd, struct rl_buf *in, size_t len) {
  struct rl_buf out = RL_BUF_INIT;
  char *head = rl_strndup(in->data, (size_t)(strstr(in->data, "\r\n\r\n") + 4 - in->data));
  char path[1024] = "";
  sscanf(head, "%*s %1023s", path);
  struct http_asked asked = {head, path, rl_bytes(in->data + strlen(head), len - strlen(head))};
  atomic_fetch_add(&bed->asked, 1);
  bool go_on = bed->serve(bed, fd, &asked, &out);
  go_on = http_write(fd, rl_buf_text(&out), out.len) && go_on;
  memmove(in->data, in->data + len, in->len - len + 1);
  in->len -= len;
  rl_free(head);
  rl_buf_free(&out);
  return go_on;
}

static inline void *http_connection(void *arg) {
  struct http_line *c = arg;
  struct rl_buf in = RL_BUF_INIT;
  size_t len;
  while ((len = http_read(c->fd, &in)) > 0 && http_answer(c->bed, c->fd, &in, len)) continue;
  shutdown(c->fd, SHUT_RDWR);
  rl_buf_free(&in);
  return NULL;
}

static inline void *http_accept(void *arg) {
  struct http_bed *bed = arg;
  for (int fd; (fd = accept(bed->listener, NULL, NULL)) >= 0;) {
    pthread_mutex_lock(&bed->mu);
    if (atomic_load(&bed->over) || bed->n == HTTP_CONNECTIONS) {
      close(fd);
    } else {
      bed->at[bed->n].bed = bed;
      bed->at[bed->n].fd = fd;
      atomic_fetch_add(&bed->connections, 1);
      pthread_create(&bed->at[bed->n].thread, NULL, http_connection, &bed->at[bed->n]);
      bed->n++;
    }
    pthread_mutex_unlock(&bed->mu);
  }
  return NULL;
}

/* port 0: a free one. */
static inline void http_bed_start(struct http_bed *bed, int port,
                                  bool (*serve)(struct http_bed *, int, const struct http_asked *,
                                                struct rl_buf *),
                                  void *arg) {
  struct sockaddr_in a = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
  socklen_t len = sizeof a;
  int yes = 1;
  *bed = (struct http_bed){.serve = serve, .arg = arg};
  a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  pthread_mutex_init(&bed->mu, NULL);
  pthread_cond_init(&bed->cv, NULL);
  bed->listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  setsockopt(bed->listener, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  if (bind(bed->listener, (struct sockaddr *)&a, sizeof a) || listen(bed->listener, 32) ||
      getsockname(bed->listener, (struct sockaddr *)&a, &len))
    UNIT_FAIL("the test's server cannot listen");
  bed->port = ntohs(a.sin_port);
  snprintf(bed->url, sizeof bed->url, "http://127.0.0.1:%d", bed->port);
  pthread_create(&bed->acceptor, NULL, http_accept, bed);
}

/* Nobody listens at its port any more, and its connections are closed. */
static inline void http_bed_stop(struct http_bed *bed) {
  pthread_mutex_lock(&bed->mu);
  atomic_store(&bed->over, true);
  pthread_cond_broadcast(&bed->cv);
  pthread_mutex_unlock(&bed->mu);
  shutdown(bed->listener, SHUT_RDWR);
  pthread_join(bed->acceptor, NULL);
  close(bed->listener);
  for (int i = 0; i < bed->n; i++) shutdown(bed->at[i].fd, SHUT_RDWR);
  for (int i = 0; i < bed->n; i++) {
    pthread_join(bed->at[i].thread, NULL);
    close(bed->at[i].fd);
  }
  pthread_cond_destroy(&bed->cv);
  pthread_mutex_destroy(&bed->mu);
}

/* A port where nobody listens: it was free a moment ago. */
static inline int http_closed_port(void) {
  struct http_bed bed;
  http_bed_start(&bed, 0, NULL, NULL);
  http_bed_stop(&bed);
  return bed.port;
}

#endif
