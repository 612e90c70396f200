/* An answer: its JSON, and the bytes of tensors behind it where the server sent them so. Nothing in it is
 * believed: sizes are held against each other before memory is asked for. */
#include <inttypes.h>

#include "model/kserve_impl.h"

struct answer {
  struct rl_join *join;
  const struct rl_part *part;
  struct rl_json_read doc;
  struct rl_bytes rest; /* the bytes of tensors that are not taken yet */
  struct rl_buf name, type;
  struct rl_err *err;
};

/* What is said of one output. */
struct said {
  enum rl_wire wire;
  int rank;
  int64_t shape[RL_RANK_MAX];
  size_t count;
  size_t data; /* 0: none */
  bool binary;
  struct rl_bytes bytes; /* of a binary one */
};

static int fail(struct answer *a, const char *what) { return rl_fail(a->err, RL_EFAIL, "%s", what); }

/* Takes its bytes off the rest. */
static int read_size(struct answer *a, size_t output, struct said *said) {
  int64_t size;
  size_t parameters = rl_json_read_member(&a->doc, output, "parameters");
  size_t at = parameters ? rl_json_read_member(&a->doc, parameters, "binary_data_size") : 0;
  said->binary = at != 0;
  if (!at) return 0;
  if (!rl_json_read_int(&a->doc, at, &size) || size < 0 || (uint64_t)size > a->rest.len)
    return fail(a, "its binary_data_size is more than there is");
  said->bytes = rl_bytes(a->rest.data, (size_t)size);
  a->rest = rl_bytes(a->rest.data + size, a->rest.len - (size_t)size);
  return 0;
}

static int read_said(struct answer *a, size_t output, struct said *said) {
  if (!rl_json_read_text(&a->doc, rl_json_read_member(&a->doc, output, "datatype"), &a->type))
    return fail(a, "it has no datatype");
  if (!rl_wire_parse(rl_buf_text(&a->type), &said->wire))
    return rl_fail(a->err, RL_EFAIL, "it is of type %.40s, which a tensor has not", rl_buf_text(&a->type));
  if (!rl_served_shape(&a->doc, rl_json_read_member(&a->doc, output, "shape"), &said->rank, said->shape))
    return fail(a, "its shape is none, or of over 8 axes");
  said->data = rl_json_read_member(&a->doc, output, "data");
  return rl_join_count(said->rank, said->shape, &said->count, a->err);
}

static int check_size(struct answer *a, const struct said *said) {
  char shape[RL_SHAPE_TEXT];
  if (!said->binary && !said->data) return fail(a, "it has no data");
  size_t there = said->bytes.len, wanted = said->count * rl_wire_size(said->wire);
  const char *what = "bytes";
  if (!said->binary) {
    there = rl_json_read_leaves(&a->doc, said->data);
    wanted = said->count;
    what = "numbers";
  }
  if (there == wanted) return 0;
  return rl_fail(a->err, RL_EFAIL, "%zu %s of it came, its shape %s of %s needs %zu", there, what,
                 rl_shape_text(shape, said->rank, said->shape), rl_wire_name(said->wire), wanted);
}

static int take_output(struct answer *a, const struct said *said) {
  struct rl_tensor where;
  int code = check_size(a, said);
  if (code == 0)
    code = rl_join_place(a->join, a->part, rl_buf_text(&a->name), said->wire, said->rank, said->shape, &where,
                         a->err);
  if (code != 0) return code;
  if (said->binary) return rl_wire_take_binary(said->bytes, said->wire, &where, a->err);
  return rl_wire_take_json(&a->doc, said->data, &where, 0, said->count, a->err);
}

/* One that was not asked for is passed over, with its bytes. */
static int read_output(struct answer *a, size_t output) {
  const struct rl_served_ports *declared = &a->join->s->out;
  struct said said = {.wire = RL_WIRE_FP32};
  if (!rl_json_read_text(&a->doc, rl_json_read_member(&a->doc, output, "name"), &a->name))
    return fail(a, "the answer has an output without a name");
  int code = read_size(a, output, &said);
  if (code == 0 && declared->is.n && rl_served_find(declared, rl_buf_text(&a->name)) < 0) return 0;
  if (code == 0) code = read_said(a, output, &said);
  if (code == 0) code = take_output(a, &said);
  return code == 0 ? 0 : rl_err_prefix(a->err, "output '%.100s': ", rl_buf_text(&a->name));
}

static int read_outputs(struct answer *a) {
  size_t outputs = rl_json_read_member(&a->doc, 0, "outputs");
  int code = 0;
  if (!outputs || rl_json_read_kind(&a->doc, outputs) != RL_READ_ARRAY)
    return fail(a, "the answer has no list of outputs");
  for (size_t at = rl_json_read_first(&a->doc, outputs); code == 0 && at; at = rl_json_read_next(&a->doc, at))
    code = read_output(a, at);
  if (code == 0 && a->rest.len)
    code = rl_fail(a->err, RL_EFAIL, "%zu bytes behind the answer are no output's", a->rest.len);
  return code;
}

static int read_document(struct answer *a, struct rl_buf *json) {
  int code = rl_json_read_open(&a->doc, json, a->err);
  if (code != 0) return rl_err_prefix(a->err, "the answer is ");
  code = read_outputs(a);
  rl_json_read_close(&a->doc);
  return code;
}

/* How much of the answer is JSON; false: the header lies. */
static bool json_length(const struct rl_http_call *call, size_t *len) {
  struct rl_bytes text = rl_http_header(call, "Inference-Header-Content-Length");
  *len = call->answer.len;
  if (!text.data) return true;
  int64_t value = -1;
  if (!rl_int_from(text.data, text.data + text.len, &value)) return false;
  *len = (size_t)value;
  return value >= 0 && (uint64_t)value <= call->answer.len;
}

int rl_kserve_take(struct rl_join *join, const struct rl_part *part, struct rl_http_call *call,
                   struct rl_err *err) {
  struct answer a = {.join = join, .part = part, .err = err};
  struct rl_buf head = RL_BUF_INIT;
  size_t len;
  int code;
  if (!json_length(call, &len))
    return fail(&a, "its Inference-Header-Content-Length is no length within the answer");
  if (len < call->answer.len) {
    rl_buf_put(&head, call->answer.data, len);
    a.rest = rl_bytes(call->answer.data + len, call->answer.len - len);
  }
  code = read_document(&a, len < call->answer.len ? &head : &call->answer);
  rl_buf_free(&head);
  rl_buf_free(&a.name);
  rl_buf_free(&a.type);
  return code;
}
