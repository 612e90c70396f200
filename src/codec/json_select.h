/* Selected fields of JSON documents, in one walk over each. Private to the codec room. */
#ifndef RL_CODEC_JSON_SELECT_H
#define RL_CODEC_JSON_SELECT_H

#include "base/arena.h"
#include "codec/fields.h"
#include "codec/json.h"

struct rl_json_select;

struct rl_json_select_opts {
  bool strict;
  size_t max_depth; /* 0: RL_JSON_DEPTH */
  bool hint_rows;   /* an array of objects where one object is wanted: the error names rows */
};

/* Borrows fields. */
struct rl_json_select *rl_json_select_new(const struct rl_fields *fields,
                                          const struct rl_json_select_opts *opts);
void rl_json_select_free(struct rl_json_select *select);

/* Fills row[f] for each field f that reads the value, as the document has it (RL_MISSING where it has none);
 * types are the caller's. Texts and RL_JSON point into the payload, escaped texts into the arena. The root
 * must be an object, or an array when a path starts with an index; any JSON will do when no field reads the
 * value. RL_EHANDLER with "… at byte N"; then the row holds rubbish. */
int rl_json_select_row(struct rl_json_select *select, struct rl_bytes payload, struct rl_arena *arena,
                       struct rl_cell *row, struct rl_err *err);

/* For whoever walks a document by himself (json_array.h): loads it; *json is the walk, at its start. */
int rl_json_select_load(struct rl_json_select *select, struct rl_bytes payload, struct rl_json **json,
                        struct rl_err *err);
/* As rl_json_select_row, of the value at *p, which moves behind it. */
int rl_json_select_value(struct rl_json_select *select, const uint32_t **p, struct rl_arena *arena,
                         struct rl_cell *row, struct rl_err *err);

#endif
