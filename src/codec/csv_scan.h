/* Where a cell without quotes ends. Private to codec/csv*.c. */
#ifndef RL_CODEC_CSV_SCAN_H
#define RL_CODEC_CSV_SCAN_H

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include <stdbool.h>
#include <stddef.h>

static inline bool rl_csv_is_break(char c) { return c == '\n' || c == '\r'; }

/* Sixteen bytes at once while so many are left: most cells end in the first. */
static inline const char *rl_csv_plain_end(const char *at, const char *end, char delimiter) {
#ifdef __SSE2__
  const __m128i d = _mm_set1_epi8(delimiter), lf = _mm_set1_epi8('\n'), cr = _mm_set1_epi8('\r');
  for (; end - at >= 16; at += 16) {
    __m128i text = _mm_loadu_si128((const __m128i *)(const void *)at);
    __m128i breaks = _mm_or_si128(_mm_cmpeq_epi8(text, lf), _mm_cmpeq_epi8(text, cr));
    unsigned ends = (unsigned)_mm_movemask_epi8(_mm_or_si128(breaks, _mm_cmpeq_epi8(text, d)));
    if (ends) return at + __builtin_ctz(ends);
  }
#endif
  while (at < end && *at != delimiter && !rl_csv_is_break(*at)) at++;
  return at;
}

#endif
