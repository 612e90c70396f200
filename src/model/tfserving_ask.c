/* A request: rows as "instances" where one input says what a row is, else tensors by name as "inputs". */
#include <stdio.h>

#include "base/str.h"
#include "model/tfserving_impl.h"

/* A tensor as nested arrays. */
struct nesting {
  struct rl_buf *out;
  enum rl_wire wire;
  const struct rl_tensor *t;
  size_t at; /* the element that comes next */
  struct rl_err *err;
};

static int put_numbers(struct nesting *n, size_t count) {
  int code = rl_wire_put_json(n->out, n->wire, n->t, n->at, count, RL_SPECIAL_BARE, n->err);
  n->at += count;
  return code;
}

static int put_axis(struct nesting *n,
                    int axis) { /* NOLINT(misc-no-recursion): as deep as a tensor has axes */
  int64_t size = n->t->shape[axis];
  bool last = axis == n->t->rank - 1;
  int code = 0;
  rl_buf_putc(n->out, '[');
  if (last) code = put_numbers(n, (size_t)size);
  for (int64_t i = 0; !last && code == 0 && i < size; i++) {
    if (i > 0) rl_buf_putc(n->out, ',');
    code = put_axis(n, axis + 1);
  }
  rl_buf_putc(n->out, ']');
  return code;
}

static int put_input(const struct rl_served *s, const struct rl_part *part, size_t i, struct rl_buf *out,
                     struct rl_err *err) {
  const struct rl_tensor *t = &part->inputs[i].t;
  struct nesting n = {.out = out, .wire = rl_part_wire(s, part, i), .t = t, .err = err};
  int code = t->rank == 0 ? put_numbers(&n, 1) : put_axis(&n, 0);
  if (code == 0) return 0;
  const char *name = rl_part_name(s, part, i);
  return name ? rl_err_prefix(err, "input '%s': ", name) : code;
}

static int put_named(const struct rl_served *s, const struct rl_part *part, struct rl_buf *out,
                     struct rl_err *err) {
  int code = 0;
  for (size_t i = 0; code == 0 && i < part->n_inputs; i++) {
    const char *name = rl_part_name(s, part, i);
    if (!name)
      return rl_fail(err, RL_EUSAGE,
                     "the model declares no inputs: name the tensors, as in m{ x = t, y = u }");
    rl_buf_puts(out, i ? "," : "");
    rl_put_json_string(out, rl_bytes_str(name));
    rl_buf_putc(out, ':');
    code = put_input(s, part, i, out, err);
  }
  return code;
}

int rl_tfserving_put(struct rl_served *s, const struct rl_part *part, struct rl_request *request,
                     struct rl_err *err) {
  const struct rl_tfserving *tf = (const struct rl_tfserving *)s;
  struct rl_buf *body = &request->body;
  bool one = part->n_inputs == 1, rows = one && part->rows >= 0;
  rl_buf_putc(body, '{');
  if (tf->signature) {
    rl_buf_puts(body, "\"signature_name\":");
    rl_put_json_string(body, rl_bytes_str(tf->signature));
    rl_buf_putc(body, ',');
  }
  rl_buf_puts(body, rows ? "\"instances\":" : one ? "\"inputs\":" : "\"inputs\":{");
  int code = one ? put_input(s, part, 0, body, err) : put_named(s, part, body, err);
  rl_buf_puts(body, one ? "}" : "}}");
  snprintf(request->headers[request->n_headers++], sizeof *request->headers,
           "Content-Type: application/json");
  return code;
}
