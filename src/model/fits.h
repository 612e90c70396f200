/* FITS images from memory, through CFITSIO: the primary array of a file, as a tensor.
 *
 * The bytes are a stranger's. What is asked of CFITSIO is bounded by what is there: a header that promises
 * more pixels than the bytes hold is refused before memory is taken. Of the header, only numbers reach it
 * (model/fits_cards.h), and no name from outside does, so none of what it does with names (files, networks,
 * filters) can be had by a message. It is called by one thread
 * at a time: its table of memory files and its list of errors are the process's.
 *
 * Shapes are turned round, as everywhere but in FITS: NAXIS1 = 63, NAXIS2 = 40 becomes [40, 63].
 *
 *   BITPIX              8      16     32     64       -32      -64
 *   as they stand       uint8  int32  int32  int64    float32  float64
 *   signed or unsigned  int32  int32  int64  float64                     BZERO = -128, 2^15, 2^31, 2^63 alone
 *   scaled, or BLANK    float32       float64         float32  float64   BLANK is NaN
 *
 * NaN stays NaN. */
#ifndef RL_MODEL_FITS_H
#define RL_MODEL_FITS_H

#include "base/bytes.h"
#include "model/tensor.h"

/* Reads the primary image. RL_EFAIL: damaged, no image, more axes than a tensor has; the text has CFITSIO's
 * own words. RL_ENOMEM: the allocator refused. */
int rl_fits_decode(struct rl_bytes bytes, const struct rl_tensor_alloc *alloc, struct rl_tensor *t,
                   struct rl_err *err);

#endif
