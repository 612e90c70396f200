/* The escapes of JSON's strings. */
#ifndef RL_BASE_JSON_TEXT_H
#define RL_BASE_JSON_TEXT_H

#include <sys/types.h>

#include "base/bytes.h"

/* Unescapes [raw] to `out` (room for raw.len; may be raw itself). Returns the length; -1 with *bad, the
 * offset of the backslash at fault, when an escape is none or a surrogate stands alone. */
ssize_t rl_json_unescape(struct rl_bytes raw, char *out, size_t *bad);
bool rl_json_check_escapes(struct rl_bytes raw, size_t *bad);

#endif
