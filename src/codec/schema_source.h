/* Where schemas come from that a message names by a number (Confluent framing): a registry, seen from here.
 */
#ifndef RL_CODEC_SCHEMA_SOURCE_H
#define RL_CODEC_SCHEMA_SOURCE_H

#include <stdint.h>

#include "base/bytes.h"
#include "base/err.h"

enum rl_schema_kind { RL_SCHEMA_AVRO, RL_SCHEMA_JSON, RL_SCHEMA_PROTOBUF };

struct rl_schema_text {
  enum rl_schema_kind kind;
  const struct rl_bytes *texts; /* the last is the schema; those before define names it refers to, in an order
                                   in which each is defined before it is used */
  size_t n;
};

struct rl_schema_source {
  /* The schema of an id: 0 and *out, which lives as long as the source (an id never changes its schema).
   * RL_EHANDLER: there is no such id; the message is at fault. RL_ETRANSIENT: not known yet, or the source is
   * down; the message is to be decoded again when the source has news. Never blocks. */
  int (*get)(struct rl_schema_source *self, uint32_t id, const struct rl_schema_text **out,
             struct rl_err *err);
};

#endif
