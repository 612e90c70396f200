/* A request: the JSON that describes the tensors, and with the binary extension their bytes behind it. */
#include <inttypes.h>
#include <stdio.h>

#include "base/str.h"
#include "model/kserve_impl.h"

static void put_shape(struct rl_buf *out, const struct rl_tensor *t) {
  for (int i = 0; i < t->rank; i++) rl_buf_printf(out, "%s%" PRId64, i ? "," : "", t->shape[i]);
}

static int put_input(const struct rl_kserve *k, const struct rl_part *part, size_t i, struct rl_buf *out,
                     struct rl_err *err) {
  const struct rl_tensor *t = &part->inputs[i].t;
  enum rl_wire wire = rl_part_wire(&k->s, part, i);
  const char *name = rl_part_name(&k->s, part, i);
  size_t n = rl_tensor_count(t);
  int code = 0;
  if (!name)
    return rl_fail(err, RL_EUSAGE, "the model declares no inputs: name the tensor, as in m{ x = t }");
  rl_buf_puts(out, "{\"name\":");
  rl_put_json_string(out, rl_bytes_str(name));
  rl_buf_puts(out, ",\"shape\":[");
  put_shape(out, t);
  rl_buf_printf(out, "],\"datatype\":\"%s\",", rl_wire_name(wire));
  if (k->binary) {
    rl_buf_printf(out, "\"parameters\":{\"binary_data_size\":%zu}}", n * rl_wire_size(wire));
    return 0;
  }
  rl_buf_puts(out, "\"data\":[");
  code = rl_wire_put_json(out, wire, t, 0, n, RL_SPECIAL_NULL, err);
  rl_buf_puts(out, "]}");
  return code == 0 ? 0 : rl_err_prefix(err, "input '%s': ", name);
}

/* Those that are declared: of others that the model has, nothing is to come over the wire. */
static void put_outputs(const struct rl_kserve *k, struct rl_buf *out) {
  if (k->s.out.is.n) rl_buf_puts(out, ",\"outputs\":[");
  for (size_t i = 0; i < k->s.out.is.n; i++) {
    rl_buf_puts(out, i ? ",{\"name\":" : "{\"name\":");
    rl_put_json_string(out, rl_bytes_str(k->s.out.is.at[i].name));
    rl_buf_puts(out, k->binary ? ",\"parameters\":{\"binary_data\":true}}" : "}");
  }
  if (k->s.out.is.n) rl_buf_putc(out, ']');
  if (k->binary) rl_buf_puts(out, ",\"parameters\":{\"binary_data_output\":true}");
}

static int put_bytes(const struct rl_kserve *k, const struct rl_part *part, struct rl_buf *out,
                     struct rl_err *err) {
  int code = 0;
  for (size_t i = 0; code == 0 && i < part->n_inputs; i++) {
    const struct rl_tensor *t = &part->inputs[i].t;
    code = rl_wire_put_binary(out, rl_part_wire(&k->s, part, i), t, err);
    if (code != 0) rl_err_prefix(err, "input '%s': ", rl_part_name(&k->s, part, i));
  }
  return code;
}

static void add_header(struct rl_request *request, const char *text) {
  snprintf(request->headers[request->n_headers++], sizeof *request->headers, "%s", text);
}

int rl_kserve_put(struct rl_served *s, const struct rl_part *part, struct rl_request *request,
                  struct rl_err *err) {
  const struct rl_kserve *k = (const struct rl_kserve *)s;
  struct rl_buf *body = &request->body;
  char length[80];
  int code = 0;
  rl_buf_puts(body, "{\"inputs\":[");
  for (size_t i = 0; code == 0 && i < part->n_inputs; i++) {
    if (i > 0) rl_buf_putc(body, ',');
    code = put_input(k, part, i, body, err);
  }
  rl_buf_putc(body, ']');
  put_outputs(k, body);
  rl_buf_putc(body, '}');
  snprintf(length, sizeof length, "Inference-Header-Content-Length: %zu", body->len);
  add_header(request,
             k->binary ? "Content-Type: application/octet-stream" : "Content-Type: application/json");
  if (k->binary) add_header(request, length);
  return code == 0 && k->binary ? put_bytes(k, part, body, err) : code;
}
