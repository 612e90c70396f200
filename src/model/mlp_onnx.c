#include "model/mlp_onnx.h"

#include <string.h>

static void check(struct rl_mlp_walk *w, const char *data, size_t len) {
  for (size_t i = 0; i < len && !w->wrong; i++) {
    if (getc(w->file) == (unsigned char)data[i]) continue;
    w->wrong = true;
    w->wrong_at = w->at + i;
  }
}

static void put(struct rl_mlp_walk *w, const void *data, size_t len) {
  if (w->what == RL_WALK_WRITE && !w->wrong) w->wrong = fwrite(data, 1, len, w->file) != len;
  if (w->what == RL_WALK_CHECK) check(w, data, len);
  w->at += len;
}

/* ---- protobuf: a field is its number and kind, then a number, or a length and bytes ---- */

static void put_varint(struct rl_mlp_walk *w, uint64_t value) {
  unsigned char bytes[10];
  size_t n = 0;
  for (; value >= 0x80; value >>= 7) bytes[n++] = (unsigned char)(value | 0x80);
  bytes[n++] = (unsigned char)value;
  put(w, bytes, n);
}

static void put_number(struct rl_mlp_walk *w, unsigned field, uint64_t value) {
  put_varint(w, field << 3);
  put_varint(w, value);
}

static void put_text(struct rl_mlp_walk *w, unsigned field, const char *text) {
  put_varint(w, field << 3 | 2);
  put_varint(w, strlen(text));
  put(w, text, strlen(text));
}

typedef void body(struct rl_mlp_walk *w, int i);

/* A message within: walked once more, to count, for its length goes before it. */
static void put_message(struct rl_mlp_walk *w, unsigned field, body *fill, int i) {
  struct rl_mlp_walk count = {.what = RL_WALK_COUNT, .m = w->m, .text = w->text};
  fill(&count, i);
  put_varint(w, field << 3 | 2);
  put_varint(w, count.at);
  fill(w, i);
}

/* ---- what is in the file (onnx.proto says what the numbers mean) ---- */

static const char key[] = "rille.mlp";

static void put_metadata(struct rl_mlp_walk *w, int i) {
  (void)i;
  put_text(w, 1, key);
  put_text(w, 2, w->text);
}

static const char *numbered(char name[16], const char *what, int i) {
  snprintf(name, 16, "%s%d", what, i);
  return name;
}

/* h0 w1 b1 -> z1 */
static void put_gemm(struct rl_mlp_walk *w, int i) {
  char name[16];
  put_text(w, 1, i ? numbered(name, "h", i) : "features");
  put_text(w, 1, numbered(name, "w", i + 1));
  put_text(w, 1, numbered(name, "b", i + 1));
  put_text(w, 2, numbered(name, "z", i + 1));
  put_text(w, 4, "Gemm");
}

/* z1 -> h1; of the last: z -> score */
static void put_activation(struct rl_mlp_walk *w, int i) {
  char name[16];
  bool last = i == w->m->spec.layers - 1;
  put_text(w, 1, numbered(name, "z", i + 1));
  put_text(w, 2, last ? "score" : numbered(name, "h", i + 1));
  put_text(w, 4, last ? "Sigmoid" : "Relu");
}

/* The weights' bytes: as they lie in memory, little endian. */
static void put_floats(struct rl_mlp_walk *w, size_t from, size_t n) {
  size_t bytes = n * sizeof(float);
  put_varint(w, 9 << 3 | 2);
  put_varint(w, bytes);
  if (w->what == RL_WALK_WRITE) {
    put(w, rl_mlp_floats(&w->m->weights) + from, bytes);
    return;
  }
  if (w->what == RL_WALK_CHECK && !w->wrong &&
      fread(rl_mlp_floats(&w->m->weights) + from, 1, bytes, w->file) != bytes) {
    w->wrong = true;
    w->wrong_at = w->at;
  }
  w->at += bytes;
}

enum { FLOAT = 1 };

static void put_weights(struct rl_mlp_walk *w, int i) {
  char name[16];
  struct rl_mlp_layer layer = rl_mlp_layer(&w->m->spec, i);
  put_number(w, 1, layer.in);
  put_number(w, 1, layer.out);
  put_number(w, 2, FLOAT);
  put_text(w, 8, numbered(name, "w", i + 1));
  put_floats(w, layer.weights, layer.in * layer.out);
}

static void put_biases(struct rl_mlp_walk *w, int i) {
  char name[16];
  struct rl_mlp_layer layer = rl_mlp_layer(&w->m->spec, i);
  put_number(w, 1, layer.out);
  put_number(w, 2, FLOAT);
  put_text(w, 8, numbered(name, "b", i + 1));
  put_floats(w, layer.biases, layer.out);
}

static void put_any_rows(struct rl_mlp_walk *w, int i) {
  (void)i;
  put_text(w, 2, "N");
}

static void put_width(struct rl_mlp_walk *w, int i) { put_number(w, 1, (uint64_t)w->m->spec.sizes[i]); }

static void put_shape(struct rl_mlp_walk *w, int i) {
  put_message(w, 1, put_any_rows, i);
  put_message(w, 1, put_width, i);
}

static void put_tensor_type(struct rl_mlp_walk *w, int i) {
  put_number(w, 1, FLOAT);
  put_message(w, 2, put_shape, i);
}

static void put_type(struct rl_mlp_walk *w, int i) { put_message(w, 1, put_tensor_type, i); }

/* i: the place among the sizes, 0 for the inputs. */
static void put_port(struct rl_mlp_walk *w, int i) {
  put_text(w, 1, i ? "score" : "features");
  put_message(w, 2, put_type, i);
}

static void put_graph(struct rl_mlp_walk *w, int i) {
  int layers = w->m->spec.layers;
  for (i = 0; i < layers; i++) {
    put_message(w, 1, put_gemm, i);
    put_message(w, 1, put_activation, i);
  }
  put_text(w, 2, "mlp");
  for (i = 0; i < layers; i++) {
    put_message(w, 5, put_weights, i);
    put_message(w, 5, put_biases, i);
  }
  put_message(w, 11, put_port, 0);
  put_message(w, 12, put_port, layers);
}

static void put_opset(struct rl_mlp_walk *w, int i) {
  (void)i;
  put_number(w, 2, 17);
}

static void put_head(struct rl_mlp_walk *w) {
  put_number(w, 1, 8); /* IR */
  put_text(w, 2, "rille");
}

void rl_mlp_put_model(struct rl_mlp_walk *w) {
  put_head(w);
  put_message(w, 14, put_metadata, 0);
  put_message(w, 7, put_graph, 0);
  put_message(w, 8, put_opset, 0);
}

/* ---- the beginning of a file ---- */

static size_t take_length(struct rl_mlp_walk *w) {
  size_t value = 0;
  for (unsigned shift = 0; shift < 21; shift += 7, w->at++) {
    int byte = getc(w->file);
    value |= (size_t)(byte & 0x7f) << shift;
    if (byte == EOF || byte < 0x80) break;
  }
  w->at++;
  return value;
}

size_t rl_mlp_find_text(struct rl_mlp_walk *w) {
  put_head(w);
  put_varint(w, 14 << 3 | 2);
  if (!w->wrong) take_length(w);
  put_text(w, 1, key);
  put_varint(w, 2 << 3 | 2);
  return w->wrong ? 0 : take_length(w);
}
