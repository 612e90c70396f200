/* Opening a server's model: where it is, its client, and what its protocol loads. */
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "model/serve.h"

enum { IN_FLIGHT = 4, RETRIES = 3 };

/* ---- the URI ---- */

/* The front puts the URI before it. */
static int refuse(const char *what, struct rl_err *err) {
  return rl_fail(err, RL_EUSAGE, "%s; expected SCHEME://HOST:PORT/NAME or SCHEME://HOST:PORT/NAME/VERSION",
                 what);
}

/* host:port, a name, and what follows it. Escaped, a name would be one that no server has. */
static int split(struct rl_served *s, const char *uri, struct rl_err *err) {
  const char *colon = strstr(uri, "://");
  if (!colon || colon == uri) return refuse("it has no scheme", err);
  if (strchr(uri, '@')) return refuse("it has an '@': a user and password are options of their own", err);
  if (strpbrk(uri, "?#%")) return refuse("a server and a name have no '?', '#' or '%'", err);
  const char *host = colon + 3, *slash = strchr(host, '/');
  if (!slash || slash == host || !slash[1]) return refuse("it names no host or no model", err);
  struct rl_buf url = RL_BUF_INIT;
  rl_buf_puts(&url, colon[-1] == 's' ? "https://" : "http://");
  rl_buf_put(&url, host, (size_t)(slash - host));
  s->url = rl_buf_take(&url);
  const char *name = slash + 1, *end = name + strcspn(name, "/");
  s->name = rl_strndup(name, (size_t)(end - name));
  if (*end && end[1]) s->version = rl_strdup(end + 1);
  bool good = *s->name && !(s->version && strchr(s->version, '/'));
  return good ? 0 : refuse("its path is not of one or two parts", err);
}

static int read_uri(struct rl_served *s, const char *uri, struct rl_err *err) {
  int code = split(s, uri, err);
  return code ? code : rl_http_check_url(s->url, err);
}

/* Told before a server is waited for, which may be long. */
static int check_file(const char *uri, const char *name, const char *path, struct rl_err *err) {
  int scheme = (int)strcspn(uri, ":");
  if (!path) return 0;
  if (uri[scheme - 1] != 's')
    return rl_fail(err, RL_EUSAGE, "%s is for TLS, which %.*s:// is without: %.*ss:// has it", name, scheme,
                   uri, scheme, uri);
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return rl_fail(err, RL_EUSAGE, "%s: cannot read %s: %s", name, path, strerror(errno));
  close(fd);
  return 0;
}

static int check_files(const char *uri, const struct rl_model_opts *opts, struct rl_err *err) {
  int code = check_file(uri, "ca", opts->ca, err);
  if (code == 0) code = check_file(uri, "certificate", opts->certificate, err);
  return code ? code : check_file(uri, "key", opts->key, err);
}

static int make_client(struct rl_served *s, const struct rl_model_opts *opts, struct rl_err *err) {
  const struct rl_http_opts http = {.timeout = s->timeout,
                                    .max_body = (size_t)64 << 20,
                                    .ca = opts->ca,
                                    .certificate = opts->certificate,
                                    .key = opts->key,
                                    .user = opts->user,
                                    .password = opts->password,
                                    .token = opts->token};
  return rl_http_new(&s->http, &http, err);
}

int rl_served_init(struct rl_served *s, const char *uri, const struct rl_model_opts *opts,
                   struct rl_err *err) {
  *s = (struct rl_served){.timeout = opts->timeout > 0 ? opts->timeout : 30,
                          .retries = opts->retries < 0 ? 0
                                     : opts->retries   ? opts->retries
                                                       : RETRIES,
                          .in_flight = opts->in_flight > 0 ? (size_t)opts->in_flight : IN_FLIGHT,
                          .batch = opts->batch};
  atomic_init(&s->seed, (unsigned long long)rl_now());
  pthread_mutex_init(&s->mu, NULL);
  int code = read_uri(s, uri, err);
  if (code == 0) code = check_files(uri, opts, err);
  if (code == 0) code = make_client(s, opts, err);
  if (code != 0) rl_served_done(s);
  return code;
}

static void free_ports(struct rl_served_ports *ports) {
  rl_model_ports_free(&ports->is);
  rl_free(ports->wire);
}

void rl_served_done(struct rl_served *s) {
  rl_http_free(s->http);
  rl_free(s->url);
  rl_free(s->name);
  rl_free(s->version);
  free_ports(&s->in);
  free_ports(&s->out);
  for (size_t i = 0; i < s->n_names; i++) rl_free(s->names[i]);
  rl_free(s->names);
  pthread_mutex_destroy(&s->mu);
}

/* ---- opening ---- */

void rl_served_close(void *self) {
  rl_served_done(self);
  rl_free(self);
}

int rl_served_open(void **self, const struct rl_protocol *protocol, const struct rl_model_opening *o,
                   struct rl_err *err) {
  struct rl_asking asking;
  struct rl_served *s = rl_zalloc(protocol->size);
  int code = rl_served_init(s, o->uri, o->opts, err);
  if (code != 0) {
    rl_free(s);
    return code;
  }
  rl_asking_init(&asking, s, o->go_on, o->arg);
  code = protocol->load(&asking, err);
  if (code != 0) {
    protocol->close(s);
    return code;
  }
  rl_served_copy(&s->in, o->inputs);
  rl_served_copy(&s->out, o->outputs);
  *self = s;
  return 0;
}
