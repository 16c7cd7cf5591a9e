/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Invariant: only integer operations, each with a defined result, so the same input
 * gives the same bits with any compiler. */
#include "sim/base/fixmath.h"

__extension__ typedef __int128 i128;

#define LN2 ((i128)195103586505167) /* ln 2 * 2^48 */

static sl_q48 clamp(i128 v)
{
	if (v > INT64_MAX)
		return INT64_MAX;
	return v < -INT64_MAX ? -INT64_MAX : (sl_q48)v;
}

sl_q48 sl_fix_mul(sl_q48 a, sl_q48 b)
{
	i128 p = (i128)a * b;
	i128 half = (i128)1 << 47;

	return clamp(p >= 0 ? (p + half) >> 48 : -((-p + half) >> 48));
}

static sl_q48 divide(sl_q48 a, sl_q48 b)
{
	return clamp((i128)a * SL_Q48_ONE / b);
}

/* Binary digits of the logarithm by repeated squaring of a 63-bit mantissa. */
sl_q48 sl_fix_log2(uint64_t x)
{
	int top = 63 - __builtin_clzll(x);
	uint64_t m = x << (63 - top); /* mantissa in [1, 2) with 63 fraction bits */
	sl_q48 fraction = 0;

	for (int bit = 47; bit >= 0; bit--) {
		sl_u128 square = (sl_u128)m * m; /* 126 fraction bits */

		if (square >> 127) {
			fraction |= (sl_q48)1 << bit;
			m = (uint64_t)(square >> 64);
		} else {
			m = (uint64_t)(square >> 63);
		}
	}
	return (sl_q48)top * SL_Q48_ONE + fraction;
}

sl_q48 sl_fix_log2_fraction(uint64_t x)
{
	return sl_fix_log2(x) - 64 * SL_Q48_ONE;
}

/* 2^f for 0 <= f < 1 as Q62: the series of exp(f ln 2). */
static uint64_t exp2_fraction(sl_q48 f)
{
	i128 x = ((i128)f * LN2) >> 34; /* Q62 */
	i128 term = (i128)1 << 62, sum = 0;

	for (int k = 1; term > 0; k++) {
		sum += term;
		term = (term * x >> 62) / k;
	}
	return (uint64_t)sum;
}

uint64_t sl_fix_scale_exp2(uint64_t m, sl_q48 e)
{
	int64_t whole = e >> 48;
	sl_u128 v = (sl_u128)m * exp2_fraction(e & (SL_Q48_ONE - 1));
	int64_t shift = 62 - whole;

	if (m == 0 || shift > 127)
		return 0;
	if (shift > 0) {
		v = (v + ((sl_u128)1 << (shift - 1))) >> shift;
		return v > UINT64_MAX ? UINT64_MAX : (uint64_t)v;
	}
	if (-shift > 63 || v > UINT64_MAX >> -shift)
		return UINT64_MAX;
	return (uint64_t)(v << -shift);
}

sl_q48 sl_fix_sqrt(sl_q48 a)
{
	sl_u128 v = (sl_u128)(uint64_t)a << 48, root = 0;

	for (sl_u128 bit = (sl_u128)1 << 126; bit > 0; bit >>= 2) {
		if (v >= root + bit) {
			v -= root + bit;
			root = (root >> 1) + bit;
		} else {
			root >>= 1;
		}
	}
	return clamp((i128)root);
}

/* Horner; c[0] is the coefficient of the highest power. */
static sl_q48 polynomial(const sl_q48 *c, int n, sl_q48 x)
{
	sl_q48 v = c[0];

	for (int i = 1; i < n; i++)
		v = sl_fix_mul(v, x) + c[i];
	return v;
}

/* Acklam's coefficients times 2^48, rounded. */
static const sl_q48 central_over[] = {
	-11173664380422731, 62190797908352216, -77666971051866516,
	38944244984578263,  -8631373321505741, 705553136020111,
};
static const sl_q48 central_under[] = {
	-15333658640517513, 45482369666388922, -43825366729934478,
	18802897707837176,  -3738179530800147, 281474976710656,
};
static const sl_q48 tail_over[] = {
	-2191252858029,	  -90746535518727,  -675753380152043,
	-717685907130179, 1231358487335794, 827019638602228,
};
static const sl_q48 tail_under[] = {
	2191197043402, 90766427644942, 688244074306755, 1056772090672675, 281474976710656,
};

#define TAIL UINT64_C(447333543787456627) /* 0.02425 */

/* For p < 0.02425. */
static sl_q48 lower_tail(uint64_t p)
{
	/* sqrt(-2 ln p) */
	sl_q48 ln = sl_fix_mul(sl_fix_log2_fraction(p), (sl_q48)LN2);
	sl_q48 q = sl_fix_sqrt(-2 * ln);

	return divide(polynomial(tail_over, 6, q), polynomial(tail_under, 5, q));
}

sl_q48 sl_fix_normal_quantile(uint64_t p)
{
	sl_q48 q, r;

	if (p < TAIL)
		return lower_tail(p);
	if (p > UINT64_MAX - TAIL)
		return -lower_tail(p == UINT64_MAX ? 1 : 0 - p);
	q = (sl_q48)(p >> 16) - SL_Q48_ONE / 2;
	r = sl_fix_mul(q, q);
	return divide(sl_fix_mul(polynomial(central_over, 6, r), q),
		      polynomial(central_under, 6, r));
}
