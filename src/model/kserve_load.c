/* Readiness of a server and a model, and what they declare. */
#include "model/kserve_impl.h"

/* ---- what is declared ---- */

static int odd(struct rl_err *err, const char *what) {
  return rl_fail(err, RL_EUSAGE, "the model's metadata is not that of the Open Inference Protocol: %s", what);
}

/* An empty shape says nothing: the protocol knows no tensors without axes. */
static int read_shape(const struct rl_json_read *doc, size_t tensor, struct rl_model_port *port,
                      struct rl_err *err) {
  size_t shape = rl_json_read_member(doc, tensor, "shape");
  port->rank = -1;
  if (!shape || rl_json_read_kind(doc, shape) == RL_READ_NULL) return 0;
  if (!rl_served_shape(doc, shape, &port->rank, port->shape))
    return odd(err, "a shape is none, or of over 8 axes");
  if (port->rank == 0) port->rank = -1;
  return 0;
}

/* Adds a tensor's declaration; an output of a type that no tensor has is left out, and never asked for. */
static int read_port(const struct rl_json_read *doc, size_t tensor, struct rl_served_ports *ports, bool input,
                     struct rl_buf *name, struct rl_buf *type, struct rl_err *err) {
  enum rl_wire wire = RL_WIRE_FP32;
  if (!rl_json_read_text(doc, rl_json_read_member(doc, tensor, "name"), name) ||
      !rl_json_read_text(doc, rl_json_read_member(doc, tensor, "datatype"), type))
    return odd(err, "a tensor without name or datatype");
  bool known = rl_wire_parse(rl_buf_text(type), &wire);
  if (!known && input)
    return rl_fail(err, RL_EUSAGE, "the input '%s' is of type %.40s, which a tensor has not",
                   rl_buf_text(name), rl_buf_text(type));
  struct rl_model_port *port = known ? rl_served_add(ports, rl_buf_text(name), wire) : NULL;
  return port ? read_shape(doc, tensor, port, err) : 0;
}

static int read_ports(const struct rl_json_read *doc, const char *key, struct rl_served_ports *ports,
                      bool input, struct rl_err *err) {
  size_t list = rl_json_read_member(doc, 0, key);
  struct rl_buf name = RL_BUF_INIT, type = RL_BUF_INIT;
  int code = 0;
  if (!list || rl_json_read_kind(doc, list) == RL_READ_NULL) return 0;
  if (rl_json_read_kind(doc, list) != RL_READ_ARRAY) return odd(err, "its tensors are no list");
  for (size_t at = rl_json_read_first(doc, list); code == 0 && at; at = rl_json_read_next(doc, at)) {
    code = read_port(doc, at, ports, input, &name, &type, err);
    if (code == 0 && ports->is.n > RL_PORTS_MAX) code = odd(err, "over 1000 tensors");
  }
  if (code == 0 && rl_json_read_first(doc, list) && ports->is.n == 0)
    code = rl_fail(err, RL_EUSAGE, "no output of the model is of a type that a tensor has");
  rl_buf_free(&name);
  rl_buf_free(&type);
  return code;
}

static int read_metadata(struct rl_kserve *k, struct rl_buf *body, struct rl_err *err) {
  struct rl_json_read doc;
  struct rl_err why = {0};
  if (rl_json_read_open(&doc, body, &why) != 0) return odd(err, why.text);
  int code = read_ports(&doc, "inputs", &k->s.in, true, err);
  if (code == 0) code = read_ports(&doc, "outputs", &k->s.out, false, err);
  rl_json_read_close(&doc);
  return code;
}

/* Does the server's own metadata list the extension? */
static bool lists_binary(struct rl_buf *body) {
  struct rl_json_read doc;
  struct rl_buf name = RL_BUF_INIT;
  bool lists = false;
  if (rl_json_read_open(&doc, body, NULL) != 0) return false;
  size_t list = rl_json_read_member(&doc, 0, "extensions");
  for (size_t at = list ? rl_json_read_first(&doc, list) : 0; at; at = rl_json_read_next(&doc, at))
    if (rl_json_read_text(&doc, at, &name)) lists = lists || strcmp(name.data, "binary_tensor_data") == 0;
  rl_buf_free(&name);
  rl_json_read_close(&doc);
  return lists;
}

/* ---- asking ---- */

static int load_extensions(struct rl_kserve *k, struct rl_asking *a, struct rl_err *err) {
  struct rl_http_call call;
  enum rl_verdict verdict;
  int code = rl_served_wait(a, "/v2", NULL, &call, &verdict, err);
  if (code == 0 && verdict == RL_VERDICT_GOOD) k->binary = lists_binary(&call.answer);
  rl_http_call_free(&call);
  return code;
}

static int load_server(struct rl_asking *a, struct rl_err *err) {
  struct rl_http_call call;
  enum rl_verdict verdict;
  int code = rl_served_wait(a, "/v2/health/ready", NULL, &call, &verdict, err);
  rl_http_call_free(&call);
  return code;
}

/* The server is up: a model that it has not (404) is not coming. Some servers say 400 of such a one and of
 * one that is being loaded: that is waited for. */
static int load_model(struct rl_kserve *k, struct rl_asking *a, const char *path, bool *described,
                      struct rl_err *err) {
  struct rl_http_call call;
  enum rl_verdict verdict;
  int code = rl_served_wait(a, path, NULL, &call, &verdict, err);
  *described = verdict == RL_VERDICT_GOOD;
  if (code == 0 && *described) code = read_metadata(k, &call.answer, err);
  if (code == 0 && call.status == 404)
    code = rl_fail(err, RL_EUSAGE, "the server has no such model: %s", call.err.text);
  rl_http_call_free(&call);
  return code;
}

static int wait_ready(struct rl_asking *a, const char *path, struct rl_err *err) {
  struct rl_http_call call;
  enum rl_verdict verdict;
  struct rl_buf ready = RL_BUF_INIT;
  rl_buf_printf(&ready, "%s/ready", path);
  int code = rl_served_wait(a, ready.data, NULL, &call, &verdict, err);
  a->s->tells_ready = code == 0 && verdict == RL_VERDICT_GOOD;
  rl_http_call_free(&call);
  rl_buf_free(&ready);
  return code;
}

int rl_kserve_ready(struct rl_asking *a, struct rl_err *err) {
  struct rl_buf path = RL_BUF_INIT;
  rl_kserve_put_path(a->s, &path);
  rl_buf_puts(&path, "/ready");
  int code = rl_served_ready(a, path.data, NULL, err);
  rl_buf_free(&path);
  return code;
}

int rl_kserve_load(struct rl_asking *a, struct rl_err *err) {
  struct rl_kserve *k = (struct rl_kserve *)a->s;
  struct rl_buf path = RL_BUF_INIT;
  bool described = false;
  rl_kserve_put_path(&k->s, &path);
  int code = load_server(a, err);
  if (code == 0) code = load_model(k, a, path.data, &described, err);
  if (code == 0) code = wait_ready(a, path.data, err);
  if (code == 0) code = load_extensions(k, a, err);
  rl_buf_free(&path);
  return code;
}
