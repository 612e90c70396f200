/* libFuzzer: bytes as the answer of a server of models, of either protocol. Nothing may be read past their
 * end, and what is asked for of memory is bounded by what came; what passes has the rows that were sent. */
#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "model/kserve_impl.h"
#include "model/tfserving_impl.h"

enum { ROWS = 2 };

/* A number takes two bytes of JSON at least, and eight at most of a tensor. */
static void *bounded(void *self, void *p, size_t old_size, size_t new_size) {
  (void)old_size;
  if (new_size > 8 * *(const size_t *)self + 4096) abort();
  if (new_size) return realloc(p, new_size);
  free(p);
  return NULL;
}

static void declare(struct rl_served_ports *ports, const char *name, enum rl_wire wire, int rank,
                    int64_t last) {
  struct rl_model_port *port = rl_served_add(ports, name, wire);
  port->rank = rank;
  port->shape[0] = -1;
  port->shape[1] = last;
}

static void check(const struct rl_model_run *run) {
  if (run->n_outputs == 0) abort();
  for (size_t i = 0; i < run->n_outputs; i++)
    if (!run->outputs[i].name || rl_tensor_rows(&run->outputs[i].t) != ROWS) abort();
}

static void answer(struct rl_served *s, bool tf, struct rl_http_call *call, size_t size) {
  const struct rl_tensor_alloc alloc = {bounded, &size};
  struct rl_model_run run = {.alloc = &alloc};
  struct rl_part part = {.rows = ROWS};
  struct rl_join join;
  struct rl_err err = {0};
  rl_join_init(&join, s, &run, ROWS);
  int code = tf ? rl_tfserving_take(&join, &part, call, &err) : rl_kserve_take(&join, &part, call, &err);
  if (code == 0) code = rl_join_check(&join, &part, &err);
  if (code == 0) check(&run);
  if (code != 0 && !*err.text) abort();
  rl_join_done(&join, true);
}

/* One byte of choices, one of the JSON's length, and the body. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct rl_http_call call = {.status = 200};
  struct rl_served *s;
  if (size < 2) return 0;
  const uint8_t choices = data[0];
  const struct rl_model_opts none = {0};
  s = rl_zalloc(sizeof *s);
  if (rl_served_init(s, "kserve://127.0.0.1:1/m", &none, NULL) != 0) abort();
  if (choices & 1) declare(&s->out, "y", (enum rl_wire)((choices >> 4) % RL_WIRES), choices & 4 ? 2 : -1, 2);
  if ((choices & 3) == 3) declare(&s->out, "z", RL_WIRE_INT64, 1, -1);
  if (choices & 8) rl_buf_printf(&call.head, "Inference-Header-Content-Length: %u\r\n", data[1]);
  rl_buf_put(&call.answer, data + 2, size - 2);
  answer(s, choices & 4 && !(choices & 8), &call, size);
  rl_http_call_free(&call);
  rl_served_done(s);
  rl_free(s);
  return 0;
}
