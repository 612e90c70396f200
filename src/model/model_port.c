/* What a model takes and gives, as text and as shapes. */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "model/model_impl.h"

void rl_model_ports_free(struct rl_model_ports *ports) {
  for (size_t i = 0; i < ports->n; i++) rl_free(ports->at[i].name);
  rl_free(ports->at);
  *ports = (struct rl_model_ports){0};
}

void rl_model_clear(struct rl_model_value *values, size_t n) {
  for (size_t i = 0; i < n; i++) rl_tensor_free(&values[i].t);
}

void rl_model_values_free(struct rl_model_value *values, size_t n) {
  rl_model_clear(values, n);
  rl_free(values);
}

/* As a shape's text, with ? for what is free. */
static const char *shape_text(char text[RL_SHAPE_TEXT], const struct rl_model_port *port) {
  size_t at = 0;
  if (port->rank < 0) return "of any shape";
  text[at++] = '[';
  for (int i = 0; i < port->rank; i++) {
    const char *comma = i ? ", " : "";
    if (port->shape[i] < 0)
      at += (size_t)snprintf(text + at, RL_SHAPE_TEXT - at, "%s?", comma);
    else
      at += (size_t)snprintf(text + at, RL_SHAPE_TEXT - at, "%s%lld", comma, (long long)port->shape[i]);
  }
  snprintf(text + at, RL_SHAPE_TEXT - at, "]");
  return text;
}

const char *rl_model_port_text(char text[RL_PORT_TEXT], const struct rl_model_port *port) {
  char shape[RL_SHAPE_TEXT];
  snprintf(text, RL_PORT_TEXT, "%.80s %s %s", port->name, rl_dtype_name(port->dtype),
           shape_text(shape, port));
  return text;
}

/* Does the first axis of a value at this port count rows? port NULL: nothing is known of it. */
static bool has_rows(const struct rl_model_port *port, const struct rl_tensor *t) {
  if (t->rank == 0) return false;
  return !port || port->rank < 0 || (port->rank > 0 && port->shape[0] < 0);
}

static const struct rl_model_port *port_at(const struct rl_model_ports *ports, size_t i) {
  return ports->n ? &ports->at[i] : NULL;
}

int64_t rl_model_rows(const struct rl_model_ports *ports, const struct rl_model_value *inputs, size_t n) {
  for (size_t i = 0; i < n; i++)
    if (has_rows(port_at(ports, i), &inputs[i].t)) return inputs[i].t.shape[0];
  return -1;
}

void rl_model_part(const struct rl_model_ports *ports, const struct rl_model_value *inputs, size_t n,
                   int64_t first, int64_t rows, struct rl_model_value *out) {
  for (size_t i = 0; i < n; i++) {
    out[i] = inputs[i];
    if (has_rows(port_at(ports, i), &inputs[i].t)) out[i].t = rl_tensor_range(&inputs[i].t, first, rows, 1);
  }
}

/* ---- outputs ---- */

static const struct rl_model_port *find_output(const struct rl_model_ports *ports, const char *name) {
  for (size_t i = 0; i < ports->n; i++)
    if (name && strcmp(ports->at[i].name, name) == 0) return &ports->at[i];
  return NULL;
}

int rl_model_check_outputs(const struct rl_model_ports *ports, const struct rl_model_run *run, int64_t rows,
                           struct rl_err *err) {
  char shape[RL_SHAPE_TEXT];
  for (size_t i = 0; i < run->n_outputs && rows >= 0; i++) {
    const struct rl_model_value *out = &run->outputs[i];
    const struct rl_model_port *port = find_output(ports, out->name);
    if ((port && !has_rows(port, &out->t)) || (out->t.rank && out->t.shape[0] == rows)) continue;
    return rl_fail(err, RL_EFAIL, "%lld rows went in, and the output '%s' has the shape %s", (long long)rows,
                   out->name ? out->name : "", rl_shape_text(shape, out->t.rank, out->t.shape));
  }
  return 0;
}

static int empty_output(const struct rl_model_port *port, const struct rl_tensor_alloc *alloc,
                        struct rl_model_value *out, struct rl_err *err) {
  int64_t shape[RL_RANK_MAX] = {0};
  int rank = port->rank < 0 ? 1 : port->rank;
  for (int i = 0; i < port->rank; i++) shape[i] = port->shape[i] < 0 ? 0 : port->shape[i];
  if (rank > 0) shape[0] = 0;
  out->name = port->name;
  int rc = rl_tensor_new(&out->t, port->dtype, rank, shape, alloc, err);
  if (!rc && rank == 0) memset(out->t.data, 0, rl_dtype_size(port->dtype));
  return rc;
}

int rl_model_no_rows(const struct rl_model_ports *outputs, struct rl_model_run *run, struct rl_err *err) {
  static char output[] = "output";
  static struct rl_model_port any = {output, RL_FLOAT32, -1, {0}};
  static const struct rl_model_ports some = {1, &any};
  if (!outputs->n) outputs = &some; /* nobody's fault: no rows, whatever it would have given */
  run->outputs = rl_zalloc(outputs->n * sizeof *run->outputs);
  run->n_outputs = outputs->n;
  for (size_t i = 0; i < outputs->n; i++) {
    int rc = empty_output(&outputs->at[i], run->alloc, &run->outputs[i], err);
    if (rc) return rc;
  }
  return 0;
}
