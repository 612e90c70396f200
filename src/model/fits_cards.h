/* Of a FITS header, the cards that say how the pixels are to be read. Private to model/fits*.c.
 *
 * CFITSIO reads texts into buffers of its own, not all of which it bounds (4.2.0 writes past the end of one
 * when a text of a card's whole length has quotes in the wrong places; it keeps the sizes of all axes in
 * arrays that some hundreds of them overflow). So a stranger's header does not reach it: one that is made
 * here does, with SIMPLE, BITPIX, NAXIS, NAXIS1 to NAXIS8, BSCALE, BZERO and BLANK, each with a plain number,
 * as they stand in the file. What the numbers are, and whether they go together, is left to CFITSIO. */
#ifndef RL_MODEL_FITS_CARDS_H
#define RL_MODEL_FITS_CARDS_H

#include "base/buf.h"
#include "base/err.h"

/* Appends those cards and END, filled up to whole blocks. *begin: the byte of the file where its pixels
 * begin, which may lie behind its end. RL_EFAIL: no FITS header, or a damaged one; more axes than a tensor
 * has. */
int rl_fits_cards(struct rl_bytes file, struct rl_buf *header, size_t *begin, struct rl_err *err);

enum { RL_FITS_BLOCK = 2880 };
/* From there to the block's end. */
static inline size_t rl_fits_gap(size_t at) { return (RL_FITS_BLOCK - at % RL_FITS_BLOCK) % RL_FITS_BLOCK; }

#endif
