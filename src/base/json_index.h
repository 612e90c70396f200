/* What C asks of C++: simdjson's first stage, which finds where every token of a document starts, and numbers
 * to and from text. Implemented by json_index.cpp; nothing throws. */
#ifndef RL_BASE_JSON_INDEX_H
#define RL_BASE_JSON_INDEX_H

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

/* The nearest double to digits * 10^exponent. False: it cannot be told in a few steps, or there is none. */
bool rl_double_of(uint64_t digits, int64_t exponent, bool negative, double *value) RL_NOEXCEPT;

enum rl_double_result { RL_DOUBLE_OK, RL_DOUBLE_OUT_OF_RANGE, RL_DOUBLE_FAILED };
/* The nearest double to the JSON number in [first, last); locales play no part. */
enum rl_double_result rl_double_from(const char *first, const char *last, double *value) RL_NOEXCEPT;
enum rl_double_result rl_float_from(const char *first, const char *last, float *value) RL_NOEXCEPT;
/* The integer that is all of [first, last); false: it is none, or outside int64. */
bool rl_int_from(const char *first, const char *last, int64_t *value) RL_NOEXCEPT;

/* The shortest text that reads back as the same finite number, in JSON's grammar: 0.1, 1e+20, 10000 (no point
 * where none is needed; rl_put_double keeps one). Returns its length; no NUL follows. */
#define RL_NUMBER_TEXT 40
size_t rl_double_to(char *out, double value) RL_NOEXCEPT;
size_t rl_float_to(char *out, float value) RL_NOEXCEPT;

const char *rl_simdjson_version(void); /* "3.0.1": what this was built with */

#ifdef __cplusplus
}
#endif

#define RL_JSON_PADDING 64

#endif
