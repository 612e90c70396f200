/* CSV, writing: records that the decoder (decoder.h) and any reader of RFC 4180 read back.
 *
 * Missing and null are empty; an empty text is "". Numbers are exact (doubles by shortest round trip, nan and
 * inf as such); true and false are words. A text is in quotes when it holds the delimiter, a quote or a line
 * break, begins or ends with a blank, would be read as a number, or begins with a byte-order mark; other
 * bytes stand as they are. */
#ifndef RL_CODEC_CSV_WRITE_H
#define RL_CODEC_CSV_WRITE_H

#include <stdbool.h>

#include "base/buf.h"
#include "codec/cell.h"

/* Appends a scalar's cell. only: it is its record's only one, where nothing at all would be a blank line:
 * then it is "". False for what is no scalar. */
bool rl_csv_put_cell(struct rl_buf *out, const struct rl_cell *cell, char delimiter, bool only);

#endif
