/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Logarithm, power and normal quantile in integers, so that tables made from them are
 * the same bits on every machine. Fixed point "Q48": value * 2^48 in an int64_t. */
#ifndef SL_FIXMATH_H
#define SL_FIXMATH_H

#include "sim/base/rng.h"

typedef int64_t sl_q48;

#define SL_Q48_ONE ((sl_q48)1 << 48)

/* log2(x / 2^64) for x >= 1: 0 > result >= -64. Error below 2^-46. */
sl_q48 sl_fix_log2_fraction(uint64_t x);

/* log2(x) for an integer x >= 1. */
sl_q48 sl_fix_log2(uint64_t x);

/* round(m * 2^e), clamped to UINT64_MAX. Relative error below 2^-44. */
uint64_t sl_fix_scale_exp2(uint64_t m, sl_q48 e);

/* a * b, rounded to nearest, clamped. */
sl_q48 sl_fix_mul(sl_q48 a, sl_q48 b);

/* Square root of a >= 0. */
sl_q48 sl_fix_sqrt(sl_q48 a);

/* z with P(Z <= z) = p / 2^64 for a standard normal Z; p >= 1. Peter Acklam's rational
 * approximation, relative error below 1.2e-9; coefficients in Q48. */
sl_q48 sl_fix_normal_quantile(uint64_t p);

#endif
