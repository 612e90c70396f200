/* What values look like, for a person who is to name fields: a tree of the paths in them, each with the types
 * that were seen or declared, how often it was there, and a value.
 *
 * Values are merged one by one (a whole value's tape); an Avro schema may be laid under them, then types are
 * its words and paths are there that no value had. Of an array the items are one node, "[*]"; a node keeps
 * RL_OUTLINE_CHILDREN children, for tables that are used as dictionaries would have no end. */
#ifndef RL_CODEC_OUTLINE_H
#define RL_CODEC_OUTLINE_H

#include "base/buf.h"
#include "base/err.h"
#include "codec/json.h"

enum {
  RL_OUTLINE_CHILDREN = 1000,
  RL_OUTLINE_DEPTH = 32,
  RL_OUTLINE_SAMPLE = 40 /* characters of a value */
};

struct rl_outline_node {
  struct rl_bytes name; /* of a member; data NULL: the items of an array, or the root */
  struct rl_outline_node *up, *first, *last, *next;
  struct rl_outline_node *cursor; /* the child that was found last: members come in much the same order */
  size_t n_children;
  uint64_t seen[RL_TREE]; /* values, by enum rl_tag; of arrays and objects too */
  uint64_t of;            /* how many there could have been: of the parent's objects, or items */
  const char *declared;   /* by the schema; NULL: by none */
  char *sample;           /* as a line shows it; NULL: no value yet, or nothing but null */
  bool more;              /* children were left out */
};

struct rl_outline {
  struct rl_arena arena; /* names and nodes */
  struct rl_outline_node root;
  uint64_t values;
};

void rl_outline_init(struct rl_outline *outline);
void rl_outline_free(struct rl_outline *outline);

/* Adds a whole value. */
void rl_outline_add(struct rl_outline *outline, const struct rl_tape *tape);
/* Lays an Avro schema under it: the last of n texts, of which those before define names that it uses. Another
 * one adds what it has beyond the first. RL_EHANDLER: it is none. */
int rl_outline_avro(struct rl_outline *outline, const struct rl_bytes *texts, size_t n, struct rl_err *err);

/* The node after this one, parents before children, or NULL. Start with the root. */
struct rl_outline_node *rl_outline_next(const struct rl_outline_node *node);
/* As `fields` takes it: "candidate.magpsf", "prv[*].\"a.b\""; empty for the root. */
void rl_outline_put_path(struct rl_buf *out, const struct rl_outline_node *node);
/* "double or null", "i64 or str": the schema's words, else the types of values as fields have them. */
void rl_outline_put_type(struct rl_buf *out, const struct rl_outline_node *node);
uint64_t rl_outline_filled(const struct rl_outline_node *node); /* values that are not null */
/* Whether a column of it would hold scalars, one a message. */
bool rl_outline_is_column(const struct rl_outline_node *node);

/* A scalar as a line shows it: short, what a terminal must not get escaped, bytes by their number and first
 * ones. */
void rl_outline_put_sample(struct rl_buf *out, const struct rl_cell *cell);

/* Text without what moves a cursor, hides or turns text: that is escaped. */
void rl_put_visible(struct rl_buf *out, struct rl_bytes text);

/* The child with this name (data NULL: the items), made if need be; NULL: there are too many. */
struct rl_outline_node *rl_outline_child(struct rl_outline *outline, struct rl_outline_node *node,
                                         struct rl_bytes name);

#endif
