/* Messages as lines: {"topic":…,"partition":…,"offset":…,"timestamp":…,"key":…,"headers":[…],"value":…}.
 *
 * Always valid JSON in valid UTF-8: what is not text stands as key_base64 or value_base64, and a header's
 * value as
 * {"name":…,"value_base64":…}. A value that is JSON is embedded as it is. rl_ndjson_get reads such lines
 * back, byte for byte where base64 stands. */
#ifndef RL_STREAM_NDJSON_H
#define RL_STREAM_NDJSON_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/msg.h"
#include "codec/json.h"

enum rl_ndjson_value { RL_NDJSON_BASE64, RL_NDJSON_EMBED };

/* Appends one line with its line break. headers NULL: the message's own. json: checks what may be embedded.
 */
void rl_ndjson_put(struct rl_buf *out, const struct rl_msg *msg, const struct rl_header *headers,
                   size_t n_headers, enum rl_ndjson_value how, struct rl_json *json, struct rl_tape *scratch);

/* Is this text one JSON value, in one line, that does not itself look like such a record? Another is written
 * as a record, so that it is read back byte for byte. */
bool rl_ndjson_plain(struct rl_bytes text, struct rl_json *json, struct rl_tape *scratch);

/* Reads a record back into *msg (topic, partition, offset, timestamp, key, value; no ops) and *headers, all
 * in arena. Returns 1, 0 when the line is no such record (its whole text is the value), or RL_EHANDLER. */
int rl_ndjson_get(struct rl_bytes line, struct rl_json *json, struct rl_tape *scratch, struct rl_arena *arena,
                  struct rl_msg *msg, struct rl_header **headers, size_t *n_headers, struct rl_err *err);

/* As rl_ndjson_get of a line that is to be a record: an object with value or value_base64, and nothing in its
 * other members that they cannot be. Where it was (topic, partition, offset) is not read. 0, or RL_EHANDLER
 * that says what is wanted. */
int rl_ndjson_want(struct rl_bytes line, struct rl_json *json, struct rl_tape *scratch,
                   struct rl_arena *arena, struct rl_msg *msg, struct rl_header **headers, size_t *n_headers,
                   struct rl_err *err);

#endif
