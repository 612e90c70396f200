/* Lists in the making: what the paths with [*] lead to, element by element, while a value is walked once.
 *
 * Fields that share the step [*] share a run of the program's order. For each element of the array their
 * cells are filled in the row, as those of any field are, and pushed from there; at the array's end each
 * field's cell becomes its list. An array within an element does the same above on the stack, so that lists
 * nest. Private to the codec room. */
#ifndef RL_CODEC_LISTS_H
#define RL_CODEC_LISTS_H

#include "base/arena.h"
#include "codec/cell.h"

enum {
  RL_LIST_CELLS = 1 << 20
}; /* elements of a message, all fields together: 16 MiB, twice while they are made */

struct rl_lists {
  struct rl_cell *at; /* element by element: the cells of its fields */
  size_t n, cap;
  size_t left; /* elements that the message may still have */
};

extern const char rl_lists_too_many[]; /* the sentence of a failed push */

void rl_lists_begin(struct rl_lists *lists); /* a message */
void rl_lists_free(struct rl_lists *lists);
/* The cells row[order[0 .. n)] of an element that has ended, which become RL_MISSING; false: too many. */
bool rl_lists_push(struct rl_lists *lists, struct rl_cell *row, const size_t *order, size_t n);
/* The array whose elements stand from `base` on has ended: row[order[0 .. n)] are lists. */
void rl_lists_end(struct rl_lists *lists, size_t base, struct rl_cell *row, const size_t *order, size_t n,
                  struct rl_arena *arena);

#endif
