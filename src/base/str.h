/* Text helpers that more than one room needs. */
#ifndef RL_BASE_STR_H
#define RL_BASE_STR_H

#include <math.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"

bool rl_utf8_valid(struct rl_bytes text);

/* The bytes of the UTF-8 character that text begins with; 0 when there is none or it is not valid. */
size_t rl_utf8_step(struct rl_bytes text);

/* Puts text as a JSON string with its quotes. Invalid UTF-8 becomes U+FFFD, so the output is always valid.
 * Null bytes (no text at all) become `null`. */
void rl_put_json_string(struct rl_buf *out, struct rl_bytes text);

/* Puts a finite double by shortest round trip, always readable as a float: 10000.0, 1e+300, -0.0. Infinities
 * and NaN, which JSON has not, become inf, -inf and nan: writers of JSON ask before. */
void rl_put_double(struct rl_buf *out, double value);
/* The same, so short that it reads back as the same float: 0.1, not 0.10000000149011612. */
void rl_put_float(struct rl_buf *out, float value);
/* NaN loses its sign, which says nothing and which printf shows. */
static inline double rl_plain_nan(double value) { return value == value ? value : (double)NAN; }

void rl_put_base64(struct rl_buf *out, struct rl_bytes data);
bool rl_get_base64(struct rl_buf *out, struct rl_bytes text); /* false: not base64 */

/* The candidate nearest to `word` by edit distance, or NULL when none is near enough to be meant. Case and
 * '-', '_', '.' count as the same; "mag" is near to "candidate.mag". */
const char *rl_nearest(const char *word, const char *const *candidates, size_t n);

/* Whole-text parsers: true when all of text is a number in range. Never depend on the locale. */
bool rl_parse_i64(const char *text, int64_t *value);
bool rl_parse_double(const char *text, double *value);
bool rl_parse_bool(const char *text, bool *value); /* true false yes no on off 1 0 */

/* Sizes "16MiB" "64kB" "1000" "1.5GB": kB MB GB TB are powers of 1000; KiB MiB GiB TiB and K M G T of 1024,
 * in any case. Durations in seconds: "0.5" "500ms" "5s" "2m" "1h" "1d". Neither is negative or infinite. */
bool rl_parse_size(const char *text, int64_t *bytes);
bool rl_parse_seconds(const char *text, double *seconds);

#endif
