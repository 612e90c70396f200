/* Digits eight at a time, and the numbers that most measurements are. Private to codec/. */
#ifndef RL_CODEC_JSON_DECIMAL_H
#define RL_CODEC_JSON_DECIMAL_H

#include <float.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "codec/cell.h"

#define RL_JSON_EIGHT (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__)

static inline bool rl_json_is_digit(char c) { return (unsigned char)(c - '0') < 10; }

#if RL_JSON_EIGHT
static const uint32_t rl_json_tens[] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000};

/* Eight digits at once, the first in the lowest byte: neighbours are joined to twos, fours and all eight. */
static inline uint64_t rl_json_join(uint64_t v) {
  v = v * 10 + (v >> 8);
  return ((v & UINT64_C(0x000000FF000000FF)) * UINT64_C(0x000F424000000064) +
          (v >> 16 & UINT64_C(0x000000FF000000FF)) * UINT64_C(0x0000271000000001)) >>
         32;
}

/* The highest bits of bytes that are no digit, up to the first of them; what its carry does to those behind
 * is of no account. */
static inline uint64_t rl_json_no_digits(uint64_t v) {
  uint64_t over = v + UINT64_C(0x4646464646464646), under = v - UINT64_C(0x3030303030303030);
  return (over | under) & UINT64_C(0x8080808080808080);
}

/* One digit, a point, one to eight digits, with a sign or without ("-0.52341876"), and then none of a
 * number's: both sides of the division are exact, so that one rounding gives the nearest double. Returns its
 * length, 0 where it is anything else; reads no further than rl_json_number may. */
static inline size_t rl_json_decimal(const char *text, struct rl_cell *cell) {
  static const double tens[] = {1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8}, signs[] = {1, -1};
  const char *first = text + (*text == '-');
  if (FLT_EVAL_METHOD != 0 || !rl_json_is_digit(*first) || first[1] != '.') return 0;
  uint64_t v;
  memcpy(&v, first + 2, 8);
  uint64_t bad = rl_json_no_digits(v);
  unsigned n = bad ? (unsigned)__builtin_ctzll(bad) / 8 : 8;
  char next = first[2 + n];
  if (n == 0 || rl_json_is_digit(next) || (next | 0x20) == 'e') return 0;
  v = (v - UINT64_C(0x3030303030303030)) << (64 - 8 * n);
  uint64_t digits = (uint64_t)(*first - '0') * rl_json_tens[n] + (rl_json_join(v) & UINT32_MAX);
  *cell = (struct rl_cell){.tag = RL_DOUBLE, .d = (double)(int64_t)digits / tens[n] * signs[first - text]};
  return (size_t)(first - text) + 2 + n;
}
#else
static inline size_t rl_json_decimal(const char *text, struct rl_cell *cell) {
  (void)text, (void)cell;
  return 0;
}
#endif

#endif
