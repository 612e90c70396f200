/* A document whose array holds the records: [*] is the document itself, "alerts[*]" an array in it. One pass:
 * each element is read for its fields where the walk stands, and what surrounds the array is checked on the
 * way. Private to the codec room. */
#ifndef RL_CODEC_JSON_ARRAY_H
#define RL_CODEC_JSON_ARRAY_H

#include "codec/json_select.h"

struct rl_json_array;

/* path: keys, then [*]. Borrows `select`, whose fields are those of an element. RL_EUSAGE. */
int rl_json_array_new(struct rl_json_array **out, const char *path, struct rl_json_select *select,
                      struct rl_err *err);
void rl_json_array_free(struct rl_json_array *a);

/* A document, to its array: RL_EHANDLER when it has none there (null is none). The payload stays until the
 * last element was read. */
int rl_json_array_begin(struct rl_json_array *a, struct rl_bytes payload, struct rl_err *err);
/* The next element's fields, as rl_json_select_row gives a document's: 1. 0: there is none left, and the
 * document is sound to its end. RL_EHANDLER. */
int rl_json_array_next(struct rl_json_array *a, struct rl_arena *arena, struct rl_cell *row,
                       struct rl_err *err);
/* The next element's text, with blanks behind it; of it only the structure is checked. As next. */
int rl_json_array_next_text(struct rl_json_array *a, struct rl_bytes *text, struct rl_err *err);

#endif
