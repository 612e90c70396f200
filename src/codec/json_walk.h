/* A JSON document as a walk over its tokens' positions. Private to codec/json*.c.
 *
 * A cursor is a pointer into the index: `*p` is where a token starts in the text. Every step looks at the
 * token's first byte before it moves on, and the byte past the text is a blank, which no step takes: so a
 * cursor never passes the end, whatever the document. A function that walks takes the cursor of a value and
 * returns the one after it, or NULL once json->fault says what is wrong and where. */
#ifndef RL_CODEC_JSON_WALK_H
#define RL_CODEC_JSON_WALK_H

#include "base/json_index.h"
#include "base/json_text.h"
#include "codec/json.h"

struct rl_json_fault {
  const char *what; /* "expected ':'"; NULL: none */
  size_t at;        /* byte of the text */
};

struct rl_json {
  struct rl_index *index;
  char *scratch; /* the padded copy of a payload */
  size_t scratch_cap;
  /* the document being walked */
  const uint8_t *text; /* padded with blanks */
  const char *origin;  /* what cells point into: the payload, or the text itself */
  char *own;           /* the text where cells may point into it and it may be written to, else NULL */
  size_t len;
  const uint32_t *tokens;
  size_t n_tokens;
  size_t escape;    /* the first backslash not before where has_escape looked last; len: none */
  bool strict;      /* check the scalars that are skipped */
  size_t depth;     /* containers that are open */
  size_t max_depth; /* how many may be */
  uint64_t *open;   /* a bit for each open container of the skip that runs: 1 is an object */
  size_t open_cap;
  struct rl_json_fault fault;
};

enum rl_json_kind { /* of a value, by its first byte */
                    RL_JSON_BAD,
                    RL_JSON_STRING,
                    RL_JSON_NUMBER,
                    RL_JSON_TRUE,
                    RL_JSON_FALSE,
                    RL_JSON_NULL,
                    RL_JSON_OBJECT,
                    RL_JSON_ARRAY,
};
extern const uint8_t rl_json_kinds[256];
const char *rl_json_kind_name(enum rl_json_kind kind); /* "an object" */

/* Copies the payload to the scratch and finds its tokens; RL_EHANDLER when it is empty, starts with a
 * byte-order mark, is no UTF-8 … The text is walked with cells pointing into `payload`. */
int rl_json_load(struct rl_json *json, struct rl_bytes payload, struct rl_err *err);
/* The same for a text that stands in padded memory already (len + RL_JSON_PADDING); cells point into it. */
int rl_json_load_padded(struct rl_json *json, char *text, size_t len, struct rl_err *err);
/* Nothing may follow the root: `end` is the cursor after it. Then all was sound: 0. Else, and when end is
 * NULL, RL_EHANDLER with what the fault says. */
int rl_json_finish(struct rl_json *json, const uint32_t *end, struct rl_err *err);
/* err from a result of rl_index_run: where the text is no UTF-8, which string is not closed … */
int rl_json_index_error(struct rl_bytes text, enum rl_index_result result, struct rl_err *err);

extern const char rl_json_too_deep[]; /* a fault's `what` that is told with max_depth */

static inline const uint32_t *rl_json_fault(struct rl_json *json, const char *what, size_t at) {
  json->fault = (struct rl_json_fault){what, at};
  return NULL;
}

static inline enum rl_json_kind rl_json_kind_at(const struct rl_json *json, const uint32_t *p) {
  return (enum rl_json_kind)rl_json_kinds[json->text[*p]];
}

/* Opens a container; false when that is one too deep. */
static inline bool rl_json_enter(struct rl_json *json, const uint32_t *p) {
  if (json->depth < json->max_depth) return json->depth++, true;
  return rl_json_fault(json, rl_json_too_deep, *p), false;
}

/* Is there a backslash in [from, to)? Asked in ascending order; whoever walks back puts `escape` back. */
static inline bool rl_json_has_escape(struct rl_json *json, size_t from, size_t to) {
  if (json->escape >= to) return false;
  if (json->escape < from) {
    const char *next = memchr(json->text + from, '\\', json->len - from);
    json->escape = next ? (size_t)(next - (const char *)json->text) : json->len;
  }
  return json->escape < to;
}

/* The text of the string at p, without its quotes. Only blanks lie between it and the next token. */
static inline struct rl_bytes rl_json_raw(const struct rl_json *json, const uint32_t *p) {
  size_t start = *p + 1, end = p[1] - 1;
  while (json->text[end] != '"') end--;
  return rl_bytes(json->text + start, end - start);
}

/* Steps over an object's key and colon; NULL when they are not there. */
static inline const uint32_t *rl_json_colon(struct rl_json *json, const uint32_t *p) {
  if (json->text[*p] != '"') return rl_json_fault(json, "expected a key in quotes", *p);
  if (json->text[p[1]] != ':') return rl_json_fault(json, "expected ':' after a key", p[1]);
  return p + 2;
}

/* The value is stepped over: its structure is checked, its scalars if json->strict. */
const uint32_t *rl_json_skip_container(struct rl_json *json, const uint32_t *p);
bool rl_json_check_scalar(struct rl_json *json, const uint32_t *p);

static inline const uint32_t *rl_json_skip(struct rl_json *json, const uint32_t *p) {
  enum rl_json_kind kind = rl_json_kind_at(json, p);
  if (kind >= RL_JSON_OBJECT) return rl_json_skip_container(json, p);
  if (kind == RL_JSON_BAD) return rl_json_fault(json, "expected a value", *p);
  return !json->strict || rl_json_check_scalar(json, p) ? p + 1 : NULL;
}

/* A string, number, true, false or null as a cell; escaped texts are unescaped to the arena. */
bool rl_json_scalar(struct rl_json *json, const uint32_t *p, struct rl_arena *arena, struct rl_cell *cell);

/* The number that `text` starts with, followed by a byte that is in none; eight bytes past its end are
 * readable. Returns its length, 0 when it is none. BIG points into `text`. */
size_t rl_json_number(const char *text, struct rl_cell *cell);

#endif
