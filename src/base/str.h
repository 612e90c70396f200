/* Text helpers that more than one room needs. */
#ifndef RL_BASE_STR_H
#define RL_BASE_STR_H

#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"

bool rl_utf8_valid(struct rl_bytes text);

/* Puts text as a JSON string with its quotes. Invalid UTF-8 becomes U+FFFD, so the output is always valid. */
void rl_put_json_string(struct rl_buf *out, struct rl_bytes text);

/* Puts a finite double by shortest round trip, always with a '.', an 'e' or both kept readable: 10000.0. */
void rl_put_double(struct rl_buf *out, double value);

void rl_put_base64(struct rl_buf *out, struct rl_bytes data);
bool rl_get_base64(struct rl_buf *out, struct rl_bytes text); /* false: not base64 */

/* The candidate nearest to `word` by edit distance, or NULL when none is near enough to be meant. */
const char *rl_nearest(const char *word, const char *const *candidates, size_t n);

/* Whole-text parsers: true when all of text is a number in range. Never depend on the locale. */
bool rl_parse_i64(const char *text, int64_t *value);
bool rl_parse_double(const char *text, double *value);
bool rl_parse_bool(const char *text, bool *value); /* true false yes no on off 1 0 */

/* Sizes "16MiB" "64kB" "1000"; durations in seconds "0.5" "500ms" "5s" "2m" "1h". */
bool rl_parse_size(const char *text, int64_t *bytes);
bool rl_parse_seconds(const char *text, double *seconds);

#endif
