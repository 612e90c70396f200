/* What the backends that ask a server share: where it is, what it declares, the policy of asking, and a batch
 * that goes in several calls.
 *
 * The policy: what failed as weather (no connection, 429, 502, 503, 504, time-out) is asked for again after a
 * wait that doubles, with jitter, or as long as the server asks for (Retry-After), `retries` times, inside
 * the run's `timeout`. Of several calls under way those that are answered stay answered. A wait that would
 * pass the deadline is not begun. What no batch can be to blame for (a log-in, a redirect, a certificate) is
 * RL_EUSAGE.
 *
 * A server that was started again takes calls before it has its models, and answers them as it answers a bad
 * batch: 400, 404, 500. So the batch is to blame for one of these only if the model was ready before the call
 * and is after it; else that is weather, too. */
#ifndef RL_MODEL_SERVE_H
#define RL_MODEL_SERVE_H

#include <pthread.h>
#include <sys/types.h>

#include "base/backoff.h"
#include "base/http.h"
#include "model/model.h"
#include "model/wire.h"

enum { RL_PORTS_MAX = 1000 }; /* of inputs, of outputs: no model has more, a hostile server might */

struct rl_served_ports {
  struct rl_model_ports is; /* n 0: not known */
  enum rl_wire *wire;       /* by port: its type on the wire */
};

struct rl_served {
  struct rl_http *http;
  char *url;      /* http://host:port */
  char *name;     /* of the model */
  char *version;  /* or label; NULL: none was asked for */
  double timeout; /* seconds of a run */
  int retries;
  size_t in_flight;
  int64_t batch;
  bool tells_ready; /* at the load it said that the model is ready: it can be asked for that */
  struct rl_served_ports in, out;
  atomic_ullong seed;
  /* Names of outputs that were not declared: values point to them until the model is closed. */
  pthread_mutex_t mu;
  char **names;
  size_t n_names, cap_names;
};

/* scheme://host:port/name[/version]; a scheme that ends with s means TLS. RL_EUSAGE: what is wrong with it.
 */
int rl_served_init(struct rl_served *s, const char *uri, const struct rl_model_opts *opts,
                   struct rl_err *err);
void rl_served_done(struct rl_served *s);

/* ---- what is declared ---- */

/* Adds one at the end, of that name and no shape known; NULL: there is one of that name already. */
struct rl_model_port *rl_served_add(struct rl_served_ports *ports, const char *name, enum rl_wire wire);
ssize_t rl_served_find(const struct rl_served_ports *ports, const char *name); /* -1: none */
/* A copy for the model's caller. */
void rl_served_copy(const struct rl_served_ports *ports, struct rl_model_ports *out);

/* ---- asking ---- */

struct rl_asking {
  struct rl_served *s;
  int64_t until; /* rl_now's clock */
  int left;      /* tries after the first; -1: as many as there is time for */
  bool (*go_on)(void *arg);
  void *arg;
  struct rl_backoff backoff;
  /* Is the model ready? 0, or the failure: RL_ETRANSIENT, RL_EUSAGE. NULL: the server does not say. */
  int (*ready)(struct rl_asking *a, struct rl_err *err);
  bool was_ready; /* it was, before what is asked next */
};

void rl_asking_init(struct rl_asking *a, struct rl_served *s, bool (*go_on)(void *arg), void *arg);
void rl_asking_renew(struct rl_asking *a); /* tries and waits begin anew, the deadline stays */
/* All n at once, by the policy. The calls hold their answers, whatever comes back. */
int rl_asking_run(struct rl_asking *a, struct rl_http_call *calls, size_t n, struct rl_err *err);
/* Waits `ns`, asking go_on. False: it said no, or the wait would pass the deadline (then it does not begin).
 */
bool rl_asking_wait(struct rl_asking *a, int64_t ns);
/* GET of a path under the server's URL, once; call->url is NULL again. */
int rl_asking_get(struct rl_asking *a, const char *path, struct rl_http_call *call, struct rl_err *err);

/* ---- at the load ---- */

enum rl_verdict {
  RL_VERDICT_GOOD,
  RL_VERDICT_ABSENT,  /* the server knows no such path */
  RL_VERDICT_WAIT,    /* not yet */
  RL_VERDICT_REFUSED, /* as it is, this will not come */
};

/* By status: 2xx is good; 401, 403, 407 and redirects are refused; 404, 405 and 501 are absent; all else, and
 * no answer, is to be waited for. */
enum rl_verdict rl_served_verdict(const struct rl_http_call *call);
/* Asks until judge (NULL: rl_served_verdict) says no more that it should wait. *call is the last answer, to
 * be freed whatever comes back. 0 when good or absent (*verdict says which); RL_EUSAGE when refused;
 * RL_ETRANSIENT when the time is over, with what the server said last, or go_on said no. */
int rl_served_wait(struct rl_asking *a, const char *path, enum rl_verdict (*judge)(struct rl_http_call *call),
                   struct rl_http_call *call, enum rl_verdict *verdict, struct rl_err *err);
/* Asks once, as `ready` of struct rl_asking. */
int rl_served_ready(struct rl_asking *a, const char *path,
                    enum rl_verdict (*judge)(struct rl_http_call *call), struct rl_err *err);
/* A port's sizes from an array of integers; negative is free. False: it is none, or of too many axes. */
bool rl_served_shape(const struct rl_json_read *doc, size_t array, int *rank, int64_t shape[RL_RANK_MAX]);

/* ---- a batch in calls ---- */

/* Rows of a run that one call carries. */
struct rl_part {
  const struct rl_model_value *inputs; /* of those rows, in the ports' order */
  size_t n_inputs;
  int64_t first, rows; /* rows -1: nothing says what a row is */
  size_t number;       /* from 0 */
};

/* What a protocol puts into a request. Texts and bytes are owned. */
struct rl_request {
  struct rl_buf body;
  char headers[3][80];
  size_t n_headers;
};

struct rl_join;

struct rl_protocol {
  size_t size; /* of what begins with its struct rl_served */
  /* Waits for the server and the model, and reads what they declare. */
  int (*load)(struct rl_asking *a, struct rl_err *err);
  void (*close)(void *self);                                        /* as a backend's */
  void (*put_path)(const struct rl_served *s, struct rl_buf *path); /* of the POST */
  int (*ready)(struct rl_asking *a, struct rl_err *err);            /* as struct rl_asking's */
  int (*put)(struct rl_served *s, const struct rl_part *part, struct rl_request *request, struct rl_err *err);
  /* Reads an answer with status 2xx; outputs go where rl_join_place says. */
  int (*take)(struct rl_join *join, const struct rl_part *part, struct rl_http_call *call,
              struct rl_err *err);
};

/* As a backend's open and run, by the protocol; and its close, where the protocol holds nothing of its own.
 */
int rl_served_open(void **self, const struct rl_protocol *protocol, const struct rl_model_opening *o,
                   struct rl_err *err);
void rl_served_close(void *self);
int rl_served_run(struct rl_served *s, const struct rl_protocol *protocol, struct rl_model_run *run,
                  struct rl_err *err);

enum rl_wire rl_part_wire(const struct rl_served *s, const struct rl_part *part, size_t i);
const char *rl_part_name(const struct rl_served *s, const struct rl_part *part, size_t i); /* NULL: none */

struct rl_join {
  struct rl_served *s;
  struct rl_model_run *run;
  int64_t rows; /* of the whole run; -1 as a part's */
  size_t parts;
  size_t *placed; /* by output: how many parts have been */
  size_t cap_outputs, cap_placed;
};

/* Where the part's elements of an output go: *where is a view of the whole run's tensor, which is made by the
 * first part. RL_EFAIL: not of the part's rows, not of the shape declared or of the parts before, or twice.
 */
int rl_join_place(struct rl_join *join, const struct rl_part *part, const char *name, enum rl_wire wire,
                  int rank, const int64_t *shape, struct rl_tensor *where, struct rl_err *err);
/* The elements of that shape; RL_EFAIL when there cannot be so many. */
int rl_join_count(int rank, const int64_t *shape, size_t *count, struct rl_err *err);
/* Every output is there once in the part. */
int rl_join_check(const struct rl_join *join, const struct rl_part *part, struct rl_err *err);
void rl_join_init(struct rl_join *join, struct rl_served *s, struct rl_model_run *run, int64_t rows);
/* The run keeps its outputs, or they are freed too: `drop`. */
void rl_join_done(struct rl_join *join, bool drop);

#endif
