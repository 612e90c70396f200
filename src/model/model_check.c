/* Inputs against what the model declares. */
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/str.h"
#include "model/model_impl.h"
#include "model/tensor_line.h"

/* ---- names ---- */

static void put_names(struct rl_buf *out, const struct rl_model_ports *ports) {
  for (size_t i = 0; i < ports->n; i++) rl_buf_printf(out, "%s%s", i ? ", " : "", ports->at[i].name);
}

static const char *nearest(const struct rl_model_ports *ports, const char *name) {
  const char **names = rl_alloc(ports->n * sizeof *names);
  for (size_t i = 0; i < ports->n; i++) names[i] = ports->at[i].name;
  const char *near = rl_nearest(name, names, ports->n);
  rl_free(names);
  return near;
}

static int unknown_name(const struct rl_model_ports *ports, const char *name, struct rl_err *err) {
  struct rl_buf names = RL_BUF_INIT;
  put_names(&names, ports);
  const char *near = nearest(ports, name);
  int rc = rl_fail(err, RL_EUSAGE, "the model has no input '%s'%s%s%s: it takes %s", name,
                   near ? " (did you mean '" : "", near ? near : "", near ? "'?)" : "", rl_buf_text(&names));
  rl_buf_free(&names);
  return rc;
}

static int missing(const struct rl_model_ports *ports, const char *name, struct rl_err *err) {
  struct rl_buf names = RL_BUF_INIT;
  put_names(&names, ports);
  int rc =
      name ? rl_fail(err, RL_EUSAGE, "the input '%s' is missing: the model takes %s", name,
                     rl_buf_text(&names))
           : rl_fail(err, RL_EUSAGE, "the model has %zu inputs (%s): give them by name, { %s = tensor, ... }",
                     ports->n, rl_buf_text(&names), ports->at[0].name);
  rl_buf_free(&names);
  return rc;
}

static bool is_for(const struct rl_model_ports *ports, const struct rl_model_value *value, size_t port) {
  return value->name ? strcmp(value->name, ports->at[port].name) == 0 : ports->n == 1;
}

static int check_names(const struct rl_model_ports *ports, const struct rl_model_value *inputs, size_t n,
                       struct rl_err *err) {
  for (size_t i = 0; i < n; i++) {
    bool known = false;
    for (size_t k = 0; k < ports->n; k++) known = known || is_for(ports, &inputs[i], k);
    if (known) continue;
    return inputs[i].name ? unknown_name(ports, inputs[i].name, err) : missing(ports, NULL, err);
  }
  return 0;
}

static const struct rl_model_value *find(const struct rl_model_ports *ports,
                                         const struct rl_model_value *inputs, size_t n, size_t port) {
  for (size_t i = 0; i < n; i++)
    if (is_for(ports, &inputs[i], port)) return &inputs[i];
  return NULL;
}

/* ---- shapes ---- */

static int check_shape(const struct rl_model_port *port, const struct rl_tensor *t, struct rl_err *err) {
  char want[RL_PORT_TEXT], is[RL_SHAPE_TEXT];
  bool fits = port->rank < 0 || port->rank == t->rank;
  for (int i = 0; fits && i < port->rank; i++) fits = port->shape[i] < 0 || port->shape[i] == t->shape[i];
  if (fits) return 0;
  return rl_fail(err, RL_EFAIL, "the model takes %s, and the tensor's shape is %s",
                 rl_model_port_text(want, port), rl_shape_text(is, t->rank, t->shape));
}

/* All inputs whose first axis counts rows have as many. */
static int check_rows(const struct rl_model_ports *ports, const struct rl_model_value *inputs, size_t n,
                      struct rl_err *err) {
  char a[RL_SHAPE_TEXT], b[RL_SHAPE_TEXT];
  const struct rl_model_value *first = NULL;
  for (size_t i = 0; i < n; i++) {
    struct rl_model_ports one = {ports->n ? 1 : 0, ports->n ? &ports->at[i] : NULL};
    int64_t rows = rl_model_rows(&one, &inputs[i], 1);
    if (rows < 0) continue;
    if (!first) first = &inputs[i];
    if (rows == first->t.shape[0]) continue;
    return rl_fail(err, RL_EFAIL, "the inputs differ in rows: '%s' has the shape %s, '%s' %s",
                   first->name ? first->name : "", rl_shape_text(a, first->t.rank, first->t.shape),
                   inputs[i].name ? inputs[i].name : "",
                   rl_shape_text(b, inputs[i].t.rank, inputs[i].t.shape));
  }
  return 0;
}

/* ---- types ---- */

/* Does every value of the one type stand in the other as it is? */
static bool is_wider(enum rl_dtype to, enum rl_dtype from) {
  switch (from) {
    case RL_TRUTH: return true;
    case RL_UINT8: return to != RL_TRUTH;
    case RL_INT32: return to == RL_INT64 || to == RL_FLOAT64;
    case RL_FLOAT32: return to == RL_FLOAT64;
    default: return false;
  }
}

static int convert(const struct rl_model_port *port, const struct rl_tensor *from, struct rl_tensor *to,
                   struct rl_err *err) {
  if (port->dtype == from->dtype) {
    *to = rl_tensor_share(from);
    return 0;
  }
  bool narrows = port->dtype == RL_FLOAT32 && from->dtype == RL_FLOAT64;
  if (!narrows && !is_wider(port->dtype, from->dtype))
    return rl_fail(err, RL_EFAIL, "the input '%s' is %s, and the tensor %s: t:to(\"%s\") converts it",
                   port->name, rl_dtype_name(port->dtype), rl_dtype_name(from->dtype),
                   rl_dtype_name(port->dtype));
  int rc = rl_tensor_new(to, port->dtype, from->rank, from->shape, NULL, err);
  return rc ? rc : rl_tensor_convert(to, from, err);
}

static int take(const struct rl_model_ports *ports, const struct rl_model_value *inputs, size_t n, size_t i,
                struct rl_model_value *out, struct rl_err *err) {
  const struct rl_model_port *port = &ports->at[i];
  const struct rl_model_value *input = find(ports, inputs, n, i);
  if (!input) return missing(ports, port->name, err);
  out->name = port->name;
  int rc = check_shape(port, &input->t, err);
  return rc ? rc : convert(port, &input->t, &out->t, err);
}

int rl_model_check(const struct rl_model_ports *ports, const struct rl_model_value *inputs, size_t n,
                   struct rl_model_value *out, struct rl_err *err) {
  int rc = ports->n ? check_names(ports, inputs, n, err) : 0;
  size_t made = 0, all = ports->n ? ports->n : n;
  for (; made < all && !rc; made++) {
    out[made] = (struct rl_model_value){0};
    if (ports->n)
      rc = take(ports, inputs, n, made, &out[made], err);
    else
      out[made] = (struct rl_model_value){inputs[made].name, rl_tensor_share(&inputs[made].t)};
  }
  if (!rc) rc = check_rows(ports, out, all, err);
  if (rc) rl_model_clear(out, made);
  return rc;
}
