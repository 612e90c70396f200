/* A model's state, and the signature that it is called by. */
#include <stdlib.h>

#include "base/mem.h"
#include "base/str.h"
#include "model/tfserving_impl.h"

static const char default_signature[] = "serving_default";

/* ---- the signature ---- */

static int odd(struct rl_err *err, const char *what) {
  return rl_fail(err, RL_EUSAGE, "the model's metadata is not that of TensorFlow Serving: %s", what);
}

/* int64 stands as text in protobuf's JSON. */
static bool read_size(const struct rl_json_read *doc, size_t dim, struct rl_buf *text, int64_t *size) {
  size_t at = rl_json_read_member(doc, dim, "size");
  if (!at) return false;
  if (rl_json_read_kind(doc, at) == RL_READ_NUMBER) return rl_json_read_int(doc, at, size);
  return rl_json_read_text(doc, at, text) && rl_parse_i64(rl_buf_text(text), size);
}

static int read_shape(const struct rl_json_read *doc, size_t tensor, struct rl_model_port *port,
                      struct rl_buf *text, struct rl_err *err) {
  size_t shape = rl_json_read_member(doc, tensor, "tensor_shape");
  size_t unknown = shape ? rl_json_read_member(doc, shape, "unknown_rank") : 0;
  size_t dims = shape ? rl_json_read_member(doc, shape, "dim") : 0;
  port->rank = -1;
  if (!shape || (unknown && rl_json_read_kind(doc, unknown) == RL_READ_TRUE)) return 0;
  port->rank = 0;
  for (size_t at = dims ? rl_json_read_first(doc, dims) : 0; at; at = rl_json_read_next(doc, at)) {
    if (port->rank == RL_RANK_MAX) return odd(err, "a shape of over 8 axes");
    if (!read_size(doc, at, text, &port->shape[port->rank++])) return odd(err, "a dimension without a size");
  }
  return 0;
}

/* `at` is the value of the tensor's key. */
static int read_port(const struct rl_json_read *doc, size_t at, struct rl_served_ports *ports, bool input,
                     struct rl_buf *text, struct rl_err *err) {
  enum rl_wire wire = RL_WIRE_FP32;
  if (!rl_json_read_text(doc, rl_json_read_member(doc, at, "dtype"), text))
    return odd(err, "a tensor without dtype");
  bool known = rl_wire_parse_tf(rl_buf_text(text), &wire);
  if (!known && input)
    return rl_fail(err, RL_EUSAGE, "an input of the model is of type %.40s, which a tensor has not",
                   rl_buf_text(text));
  if (!known) return 0;
  if (!rl_json_read_text(doc, rl_json_read_key(at), text)) return odd(err, "a malformed name");
  struct rl_model_port *port = rl_served_add(ports, rl_buf_text(text), wire);
  return port ? read_shape(doc, at, port, text, err) : 0;
}

static int read_ports(const struct rl_json_read *doc, size_t signature, const char *key,
                      struct rl_served_ports *ports, bool input, struct rl_err *err) {
  size_t list = rl_json_read_member(doc, signature, key);
  struct rl_buf text = RL_BUF_INIT;
  int code = 0;
  if (!list || rl_json_read_kind(doc, list) != RL_READ_OBJECT) return odd(err, "a signature without tensors");
  for (size_t at = rl_json_read_first(doc, list); code == 0 && at; at = rl_json_read_next(doc, at)) {
    code = read_port(doc, at, ports, input, &text, err);
    if (code == 0 && ports->is.n > RL_PORTS_MAX) code = odd(err, "over 1000 tensors");
  }
  if (code == 0 && rl_json_read_first(doc, list) && ports->is.n == 0)
    code = rl_fail(err, RL_EUSAGE, "no output of the model is of a type that a tensor has");
  rl_buf_free(&text);
  return code;
}

/* The default one; where there is none, the first, by its name. */
static size_t choose_signature(struct rl_tfserving *tf, const struct rl_json_read *doc, size_t all) {
  struct rl_buf name = RL_BUF_INIT;
  size_t at = rl_json_read_member(doc, all, default_signature);
  if (at) return at;
  for (at = rl_json_read_first(doc, all); at; at = rl_json_read_next(doc, at)) {
    bool own = rl_json_read_text(doc, rl_json_read_key(at), &name) &&
               strcmp(name.data, "__saved_model_init_op") != 0;
    if (own) break;
  }
  if (at) tf->signature = rl_strdup(rl_buf_text(&name));
  rl_buf_free(&name);
  return at;
}

static int read_signature(struct rl_tfserving *tf, const struct rl_json_read *doc, struct rl_err *err) {
  static const char *const way[] = {"metadata", "signature_def", "signature_def"};
  size_t at = 0;
  for (size_t i = 0; i < sizeof way / sizeof *way; i++) {
    at = rl_json_read_member(doc, at, way[i]);
    if (!at) return odd(err, "it has no signature_def");
  }
  size_t signature = rl_json_read_kind(doc, at) == RL_READ_OBJECT ? choose_signature(tf, doc, at) : 0;
  if (!signature) return odd(err, "it has no signature");
  int code = read_ports(doc, signature, "inputs", &tf->s.in, true, err);
  return code ? code : read_ports(doc, signature, "outputs", &tf->s.out, false, err);
}

static int read_metadata(struct rl_tfserving *tf, struct rl_buf *body, struct rl_err *err) {
  struct rl_json_read doc;
  struct rl_err why = {0};
  if (rl_json_read_open(&doc, body, &why) != 0) return odd(err, why.text);
  int code = read_signature(tf, &doc, err);
  rl_json_read_close(&doc);
  return code;
}

/* ---- the state ---- */

/* Is a version AVAILABLE? Else `state` is the last one's. */
static bool is_available(const struct rl_json_read *doc, size_t versions, struct rl_buf *state) {
  for (size_t at = rl_json_read_first(doc, versions); at; at = rl_json_read_next(doc, at))
    if (rl_json_read_text(doc, rl_json_read_member(doc, at, "state"), state) &&
        strcmp(rl_buf_text(state), "AVAILABLE") == 0)
      return true;
  return false;
}

/* Of an answer that is no list of versions the status is all there is to go by. */
static enum rl_verdict judge_state(struct rl_http_call *call) {
  struct rl_json_read doc;
  struct rl_buf state = RL_BUF_INIT;
  if (rl_json_read_open(&doc, &call->answer, NULL) != 0) return RL_VERDICT_GOOD;
  size_t versions = rl_json_read_member(&doc, 0, "model_version_status");
  bool good = !versions || is_available(&doc, versions, &state);
  if (!good) call->code = rl_fail(&call->err, RL_ETRANSIENT, "its state is %.40s", rl_buf_text(&state));
  rl_buf_free(&state);
  rl_json_read_close(&doc);
  return good ? RL_VERDICT_GOOD : RL_VERDICT_WAIT;
}

static int load_state(struct rl_asking *a, const char *path, struct rl_err *err) {
  struct rl_http_call call;
  enum rl_verdict verdict;
  int code = rl_served_wait(a, path, judge_state, &call, &verdict, err);
  a->s->tells_ready = code == 0 && verdict == RL_VERDICT_GOOD;
  if (code == 0 && call.status == 404)
    code = rl_fail(err, RL_EUSAGE, "the server has no such model: %s", call.err.text);
  rl_http_call_free(&call);
  return code;
}

int rl_tfserving_ready(struct rl_asking *a, struct rl_err *err) {
  struct rl_buf path = RL_BUF_INIT;
  rl_tfserving_put_path(a->s, &path);
  int code = rl_served_ready(a, path.data, judge_state, err);
  rl_buf_free(&path);
  return code;
}

static int load_metadata(struct rl_tfserving *tf, struct rl_asking *a, const char *path, struct rl_err *err) {
  struct rl_http_call call;
  enum rl_verdict verdict;
  struct rl_buf at = RL_BUF_INIT;
  rl_buf_printf(&at, "%s/metadata", path);
  int code = rl_served_wait(a, at.data, NULL, &call, &verdict, err);
  if (code == 0 && verdict == RL_VERDICT_GOOD) code = read_metadata(tf, &call.answer, err);
  rl_http_call_free(&call);
  rl_buf_free(&at);
  return code;
}

int rl_tfserving_load(struct rl_asking *a, struct rl_err *err) {
  struct rl_tfserving *tf = (struct rl_tfserving *)a->s;
  struct rl_buf path = RL_BUF_INIT;
  rl_tfserving_put_path(&tf->s, &path);
  int code = load_state(a, path.data, err);
  if (code == 0) code = load_metadata(tf, a, path.data, err);
  rl_buf_free(&path);
  return code;
}
