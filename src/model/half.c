#include "model/half.h"

#include <math.h>
#include <string.h>

static float float_of_bits(uint32_t bits) {
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

static uint32_t bits_of_float(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

/* Subnormal halves are 2^-24 times their fraction, which a float holds exactly. */
float rl_half_to_float(uint16_t half) {
  uint32_t sign = (uint32_t)(half & 0x8000) << 16, exponent = half >> 10 & 31, fraction = half & 0x3FF;
  if (exponent == 31) return float_of_bits(sign | 0x7F800000 | fraction << 13);
  if (exponent > 0) return float_of_bits(sign | (exponent + 112) << 23 | fraction << 13);
  float value = (float)fraction * 0x1p-24F;
  return sign ? -value : value;
}

/* Adding a half of what is cut off, less one where the last bit that stays is even, rounds ties to even; a
 * carry into the exponent is right as it is. */
static uint16_t round_half(uint32_t magnitude) {
  uint32_t kept = magnitude - (UINT32_C(112) << 23);
  return (uint16_t)((kept + 0xFFF + (kept >> 13 & 1)) >> 13);
}

uint16_t rl_half_of_float(float value) {
  uint32_t bits = bits_of_float(value), magnitude = bits & 0x7FFFFFFF;
  uint16_t sign = (uint16_t)(bits >> 16 & 0x8000);
  if (magnitude > 0x7F800000) return (uint16_t)(sign | 0x7E00); /* NaN */
  if (magnitude >= bits_of_float(65520.0F)) return (uint16_t)(sign | 0x7C00);
  if (magnitude >= bits_of_float(0x1p-14F)) return (uint16_t)(sign | round_half(magnitude));
  /* Adding 0.5 leaves 2^-24 as the last bit of the sum: the addition rounds. */
  uint32_t small = bits_of_float(fabsf(value) + 0.5F) - bits_of_float(0.5F);
  return (uint16_t)(sign | small);
}
