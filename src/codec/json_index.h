/* What C asks of C++: simdjson's first stage, which finds where every token of a document starts, and the
 * conversion of the few doubles that C's fast path leaves. Implemented by json.cpp; nothing throws. */
#ifndef RL_CODEC_JSON_INDEX_H
#define RL_CODEC_JSON_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
#define RL_NOEXCEPT noexcept
extern "C" {
#else
#define RL_NOEXCEPT
#endif

enum rl_index_result {
  RL_INDEX_OK,
  RL_INDEX_EMPTY,    /* no token at all */
  RL_INDEX_UTF8,     /* not UTF-8 somewhere */
  RL_INDEX_UNCLOSED, /* a string has no end */
  RL_INDEX_CONTROL,  /* a control character stands unescaped in a string */
  RL_INDEX_MEMORY,
  RL_INDEX_FAILED,
};

struct rl_index;

struct rl_index *rl_index_new(void) RL_NOEXCEPT; /* NULL when there is no memory */
void rl_index_free(struct rl_index *index) RL_NOEXCEPT;
/* text must be followed by RL_JSON_PADDING readable bytes. On success *at are n ascending positions, one a
 * token (a bracket, brace, colon or comma outside strings; the opening quote of a string; the first byte of
 * anything else), then twice `len`; valid until the next call. */
enum rl_index_result rl_index_run(struct rl_index *index, const uint8_t *text, size_t len,
                                  const uint32_t **at, size_t *n) RL_NOEXCEPT;
/* Gives the memory of a large document back. */
void rl_index_trim(struct rl_index *index) RL_NOEXCEPT;

enum rl_double_result { RL_DOUBLE_OK, RL_DOUBLE_OUT_OF_RANGE, RL_DOUBLE_FAILED };
/* The nearest double to the JSON number in [first, last); locales play no part. */
enum rl_double_result rl_double_from(const char *first, const char *last, double *value) RL_NOEXCEPT;

#ifdef __cplusplus
}
#endif

#define RL_JSON_PADDING 64

#endif
