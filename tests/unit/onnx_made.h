/* For the tests of the ONNX backend: small models, written as the protobuf that the format is. */
#ifndef ONNX_MADE_H
#define ONNX_MADE_H

#include <unistd.h>

#include "base/buf.h"
#include "unit.h"

/* ONNX's numbers of element types. */
enum {
  MADE_FLOAT = 1,
  MADE_UINT8 = 2,
  MADE_INT32 = 6,
  MADE_INT64 = 7,
  MADE_BOOL = 9,
  MADE_HALF = 10,
  MADE_DOUBLE = 11
};

/* ---- protobuf ---- */

static void put_varint(struct rl_buf *b, uint64_t v) {
  for (; v >= 0x80; v >>= 7) rl_buf_putc(b, (char)(v | 0x80));
  rl_buf_putc(b, (char)v);
}

static void put_int(struct rl_buf *b, unsigned field, int64_t v) {
  put_varint(b, field << 3);
  put_varint(b, (uint64_t)v);
}

static void put_bytes(struct rl_buf *b, unsigned field, const void *data, size_t len) {
  put_varint(b, field << 3 | 2);
  put_varint(b, len);
  rl_buf_put(b, data, len);
}

static void put_text(struct rl_buf *b, unsigned field, const char *text) {
  put_bytes(b, field, text, strlen(text));
}

/* A message within a message; frees it. */
static void put_part(struct rl_buf *b, unsigned field, struct rl_buf part) {
  put_bytes(b, field, rl_buf_text(&part), part.len);
  rl_buf_free(&part);
}

/* ---- ONNX ---- */

/* A ValueInfoProto; sizes of -1 are free. */
static struct rl_buf made_port(const char *name, int type, int rank, const int64_t *sizes) {
  struct rl_buf shape = RL_BUF_INIT, tensor = RL_BUF_INIT, kind = RL_BUF_INIT, port = RL_BUF_INIT;
  for (int i = 0; i < rank; i++) {
    struct rl_buf size = RL_BUF_INIT;
    if (sizes[i] < 0)
      put_text(&size, 2, "N");
    else
      put_int(&size, 1, sizes[i]);
    put_part(&shape, 1, size);
  }
  put_int(&tensor, 1, type);
  put_part(&tensor, 2, shape);
  put_part(&kind, 1, tensor);
  put_text(&port, 1, name);
  put_part(&port, 2, kind);
  return port;
}

/* A NodeProto; names are parted by blanks. */
static struct rl_buf made_node(const char *op, const char *inputs, const char *outputs) {
  struct rl_buf node = RL_BUF_INIT;
  char copy[200], *rest = NULL;
  snprintf(copy, sizeof copy, "%s", inputs);
  for (char *name = strtok_r(copy, " ", &rest); name; name = strtok_r(NULL, " ", &rest))
    put_text(&node, 1, strcmp(name, "-") == 0 ? "" : name);
  snprintf(copy, sizeof copy, "%s", outputs);
  for (char *name = strtok_r(copy, " ", &rest); name; name = strtok_r(NULL, " ", &rest))
    put_text(&node, 2, name);
  put_text(&node, 4, op);
  return node;
}

/* A TensorProto: a constant of the graph. */
static struct rl_buf made_constant(const char *name, int type, int rank, const int64_t *sizes,
                                   const void *data, size_t bytes) {
  struct rl_buf t = RL_BUF_INIT;
  for (int i = 0; i < rank; i++) put_int(&t, 1, sizes[i]);
  put_int(&t, 2, type);
  put_text(&t, 8, name);
  put_bytes(&t, 9, data, bytes);
  return t;
}

enum { GRAPH_NODE = 1, GRAPH_NAME = 2, GRAPH_CONSTANT = 5, GRAPH_INPUT = 11, GRAPH_OUTPUT = 12 };

/* Writes a ModelProto of IR 8, operators 17; frees the graph. */
static void made_write(const char *path, struct rl_buf graph) {
  struct rl_buf model = RL_BUF_INIT, operators = RL_BUF_INIT;
  put_text(&graph, GRAPH_NAME, "made");
  put_int(&operators, 2, 17);
  put_int(&model, 1, 8);
  put_part(&model, 8, operators);
  put_part(&model, 7, graph);
  FILE *f = fopen(path, "w");
  if (!f || fwrite(model.data, 1, model.len, f) != model.len) UNIT_FAIL("cannot write %s", path);
  if (f) fclose(f);
  rl_buf_free(&model);
}

/* y = x, of any type and shape. */
static void made_identity(const char *path, int type, int rank, const int64_t *sizes) {
  struct rl_buf graph = RL_BUF_INIT;
  put_part(&graph, GRAPH_NODE, made_node("Identity", "x", "y"));
  put_part(&graph, GRAPH_INPUT, made_port("x", type, rank, sizes));
  put_part(&graph, GRAPH_OUTPUT, made_port("y", type, rank, sizes));
  made_write(path, graph);
}

/* sum = a + b, a [N, 2] and b [2]; twice = a + a. */
static void made_sum(const char *path) {
  struct rl_buf graph = RL_BUF_INIT;
  const int64_t rows[] = {-1, 2}, row[] = {2};
  put_part(&graph, GRAPH_NODE, made_node("Add", "a b", "sum"));
  put_part(&graph, GRAPH_NODE, made_node("Add", "a a", "twice"));
  put_part(&graph, GRAPH_INPUT, made_port("a", MADE_FLOAT, 2, rows));
  put_part(&graph, GRAPH_INPUT, made_port("b", MADE_FLOAT, 1, row));
  put_part(&graph, GRAPH_OUTPUT, made_port("sum", MADE_FLOAT, 2, rows));
  put_part(&graph, GRAPH_OUTPUT, made_port("twice", MADE_FLOAT, 2, rows));
  made_write(path, graph);
}

/* y = x + 1 + 1 ..., `n` times, x [1]: a run that takes as long as one likes. */
static void made_loop(const char *path, int64_t n) {
  struct rl_buf graph = RL_BUF_INIT, body = RL_BUF_INIT, node, attribute = RL_BUF_INIT;
  const int64_t one[] = {1};
  const float step = 1;
  put_part(&body, GRAPH_NODE, made_node("Identity", "go", "still"));
  put_part(&body, GRAPH_NODE, made_node("Add", "was step", "is"));
  put_text(&body, GRAPH_NAME, "body");
  put_part(&body, GRAPH_CONSTANT, made_constant("step", MADE_FLOAT, 1, one, &step, sizeof step));
  put_part(&body, GRAPH_INPUT, made_port("i", MADE_INT64, 0, NULL));
  put_part(&body, GRAPH_INPUT, made_port("go", MADE_BOOL, 0, NULL));
  put_part(&body, GRAPH_INPUT, made_port("was", MADE_FLOAT, 1, one));
  put_part(&body, GRAPH_OUTPUT, made_port("still", MADE_BOOL, 0, NULL));
  put_part(&body, GRAPH_OUTPUT, made_port("is", MADE_FLOAT, 1, one));
  put_text(&attribute, 1, "body");
  put_part(&attribute, 6, body);
  put_int(&attribute, 20, 5);
  node = made_node("Loop", "n - x", "y");
  put_part(&node, 5, attribute);
  put_part(&graph, GRAPH_NODE, node);
  put_part(&graph, GRAPH_CONSTANT, made_constant("n", MADE_INT64, 0, NULL, &n, sizeof n));
  put_part(&graph, GRAPH_INPUT, made_port("x", MADE_FLOAT, 1, one));
  put_part(&graph, GRAPH_OUTPUT, made_port("y", MADE_FLOAT, 1, one));
  made_write(path, graph);
}

#endif
