/* JSON that a server answered, read where it lies.
 *
 * The document is walked once, when it is opened: brackets, commas, colons and the words true, false and null
 * are in order, texts are UTF-8. Numbers and escapes are checked where they are read. A value is known by the
 * place of its first token; 0 is the root, and so 0 stands for "none" where a member or element is asked for.
 *
 * Three more words are values, because servers of models write them: NaN, Infinity and -Infinity (bare). Who
 * reads numbers gets them as such; who does not want them asks rl_json_kind. */
#ifndef RL_BASE_JSON_READ_H
#define RL_BASE_JSON_READ_H

#include "base/buf.h"
#include "base/err.h"
#include "base/json_index.h"

enum { RL_JSON_READ_DEPTH = 64 };

enum rl_json_read_kind {
  RL_READ_OBJECT,
  RL_READ_ARRAY,
  RL_READ_TEXT,
  RL_READ_NUMBER, /* NaN and the infinities too */
  RL_READ_TRUE,
  RL_READ_FALSE,
  RL_READ_NULL,
};

struct rl_json_read {
  struct rl_index *index;
  const char *text;
  const uint32_t *at; /* where each token starts */
  size_t n;
  uint32_t *past; /* of the opening token of an object or array: the token after its closing one */
};

/* The body is given room behind its end (it may move) and must stay as it is until rl_json_read_close.
 * RL_EFAIL: what is wrong, "at byte N"; then it is closed. */
int rl_json_read_open(struct rl_json_read *doc, struct rl_buf *body, struct rl_err *err);
void rl_json_read_close(struct rl_json_read *doc);

enum rl_json_read_kind rl_json_read_kind(const struct rl_json_read *doc, size_t value);
/* The token after the value: of a scalar the next one. */
size_t rl_json_read_past(const struct rl_json_read *doc, size_t value);

/* Elements of an array, or the values of an object, in order; 0: no (more) element. */
size_t rl_json_read_first(const struct rl_json_read *doc, size_t container);
size_t rl_json_read_next(const struct rl_json_read *doc, size_t element);
size_t rl_json_read_count(const struct rl_json_read *doc, size_t container);
/* The first token at or after i that is no bracket and no comma of arrays: how nested arrays are read flat.
 * `end` if there is none before it; an object is a token like any other, and no scalar. */
size_t rl_json_read_leaf(const struct rl_json_read *doc, size_t i, size_t end);
size_t rl_json_read_leaves(const struct rl_json_read *doc, size_t value); /* how many such tokens it has */
/* The key of an object's value: a text. */
static inline size_t rl_json_read_key(size_t member) { return member - 2; }
/* The value of a key, of several the last; 0: there is none, or the value is no object. */
size_t rl_json_read_member(const struct rl_json_read *doc, size_t object, const char *key);

/* False: it is no text, or one with a malformed escape. *out is replaced. */
bool rl_json_read_text(const struct rl_json_read *doc, size_t value, struct rl_buf *out);
bool rl_json_read_int(const struct rl_json_read *doc, size_t value, int64_t *out);
/* Any number; false for one outside a double's range, too. */
bool rl_json_read_double(const struct rl_json_read *doc, size_t value, double *out);
/* Rounded once, from the text; too small is 0, and too large is refused, but for an Infinity that is written
 * as one. */
bool rl_json_read_float(const struct rl_json_read *doc, size_t value, float *out);
/* The number as it stands there; empty for what is none. */
struct rl_bytes rl_json_read_number(const struct rl_json_read *doc, size_t value);

#endif
