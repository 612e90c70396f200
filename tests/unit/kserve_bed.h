/* For the tests of the Open Inference Protocol: a server whose model "m" doubles its input, and the model of
 * it. */
#ifndef KSERVE_BED_H
#define KSERVE_BED_H

#include <inttypes.h>

#include "model/wire.h"
#include "serve_bed.h"

static const char plain_server[] = "{\"name\":\"bed\",\"version\":\"1\",\"extensions\":[]}";
static const char binary_server[] =
    "{\"name\":\"bed\",\"version\":\"1\",\"extensions\":[\"classification\",\"binary_tensor_data\"]}";
static const char twice_model[] =
    "{\"name\":\"m\",\"platform\":\"x\",\"inputs\":[{\"name\":\"x\",\"datatype\":\"FP32\",\"shape\":[-1,2]}],"
    "\"outputs\":[{\"name\":\"y\",\"datatype\":\"FP32\",\"shape\":[-1,2]}]}";

/* ---- a server that doubles ---- */

/* The request's one input, as numbers; its rows. */
static inline int64_t asked_input(const struct http_asked *asked, struct rl_tensor *x) {
  struct rl_json_read doc;
  struct rl_buf json = RL_BUF_INIT;
  const char *header = strstr(asked->head, "Inference-Header-Content-Length: ");
  size_t len = header ? (size_t)atoll(header + 33) : asked->body.len;
  int64_t shape[2] = {0, 0};
  rl_buf_put(&json, asked->body.data, len);
  if (rl_json_read_open(&doc, &json, NULL) != 0) UNIT_FAIL("the request is no JSON: %s", json.data);
  size_t input = rl_json_read_first(&doc, rl_json_read_member(&doc, 0, "inputs"));
  size_t size = rl_json_read_first(&doc, rl_json_read_member(&doc, input, "shape"));
  rl_json_read_int(&doc, size, &shape[0]);
  rl_json_read_int(&doc, rl_json_read_next(&doc, size), &shape[1]);
  rl_tensor_new(x, RL_FLOAT32, 2, shape, NULL, NULL);
  size_t data = rl_json_read_member(&doc, input, "data");
  int code = data ? rl_wire_take_json(&doc, data, x, 0, rl_tensor_count(x), NULL)
                  : rl_wire_take_binary(rl_bytes(asked->body.data + len, asked->body.len - len), RL_WIRE_FP32,
                                        x, NULL);
  CHECK_INT(code, 0);
  rl_json_read_close(&doc);
  rl_buf_free(&json);
  return shape[0];
}

static inline void put_answer(struct rl_buf *out, const struct rl_tensor *y, bool binary) {
  struct rl_buf body = RL_BUF_INIT;
  rl_buf_printf(&body,
                "{\"model_name\":\"m\",\"outputs\":[{\"name\":\"y\",\"shape\":[%" PRId64 ",%" PRId64
                "],\"datatype\":\"FP32\",",
                y->shape[0], y->shape[1]);
  if (binary) {
    rl_buf_printf(&body, "\"parameters\":{\"binary_data_size\":%zu}}]}", rl_tensor_count(y) * 4);
    rl_buf_printf(out, "HTTP/1.1 200 OK\r\nInference-Header-Content-Length: %zu\r\n", body.len);
    rl_wire_put_binary(&body, RL_WIRE_FP32, y, NULL);
  } else {
    rl_buf_puts(&body, "\"data\":[");
    rl_wire_put_json(&body, RL_WIRE_FP32, y, 0, rl_tensor_count(y), RL_SPECIAL_BARE, NULL);
    rl_buf_puts(&body, "]}]}");
    rl_buf_puts(out, "HTTP/1.1 200 OK\r\n");
  }
  rl_buf_printf(out, "Content-Length: %zu\r\n\r\n", body.len);
  rl_buf_put(out, body.data, body.len);
  rl_buf_free(&body);
}

static inline bool twice(struct serve_bed *bed, int fd, const struct http_asked *asked, struct rl_buf *out) {
  struct rl_tensor x;
  (void)fd;
  asked_input(asked, &x);
  float *data = (float *)(void *)x.data;
  for (size_t i = 0; i < rl_tensor_count(&x); i++) data[i] *= 2;
  put_answer(out, &x, bed->server == binary_server);
  rl_tensor_free(&x);
  return true;
}

static inline int open_bed(struct served *m, struct serve_bed *bed, const struct rl_model_opts *opts) {
  char uri[100];
  return served_open(m, &rl_model_kserve, bed_uri(bed, "kserve", uri), opts);
}

static inline void start_twice(struct serve_bed *bed, struct served *m, const char *server,
                               const struct rl_model_opts *opts) {
  *bed = (struct serve_bed){.model = twice_model, .server = server};
  bed_start(bed, twice);
  if (open_bed(m, bed, opts) != 0) UNIT_FAIL("%s", m->err.text);
}

#endif
