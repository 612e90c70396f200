/* Half-precision numbers (IEEE 754 binary16), by their bits. */
#ifndef RL_MODEL_HALF_H
#define RL_MODEL_HALF_H

#include <stdint.h>

float rl_half_to_float(uint16_t half);
uint16_t rl_half_of_float(float value); /* to the nearest, ties to even; what is too large is infinite */

#endif
