/* What values of the common binary forms begin with: for errors that name the form where another was
 * expected.
 */
#ifndef RL_CODEC_MAGIC_H
#define RL_CODEC_MAGIC_H

#include "base/buf.h"

enum rl_magic {
  RL_MAGIC_NONE,
  RL_MAGIC_CONTAINER,     /* Obj 01 */
  RL_MAGIC_CONFLUENT,     /* 00 and four bytes */
  RL_MAGIC_SINGLE_OBJECT, /* C3 01 */
  RL_MAGIC_GZIP           /* 1F 8B */
};

/* None of them can begin a text of JSON, CSV or XML. */
enum rl_magic rl_magic_of(struct rl_bytes value);
/* "Obj 01, as Avro's containers do"; "" of none. */
const char *rl_magic_text(enum rl_magic magic);

#endif
