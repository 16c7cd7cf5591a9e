/* SPDX-License-Identifier: BSD-2-Clause
 *
 * CPU sets: arrays of 64-bit words, bit i of the set = bit i%64 of word i/64.
 * The number of words is the machine's and is passed to every call.
 * Invariant: bits at and above the number of CPUs are zero. */
#ifndef SL_BITS_H
#define SL_BITS_H

#include "sim/base/base.h"

#define SL_BITS_WORDS(n) (((n) + 63u) / 64u)

static inline bool sl_bit_test(const uint64_t *s, uint32_t i)
{
	return s[i / 64] >> (i % 64) & 1;
}

static inline void sl_bit_set(uint64_t *s, uint32_t i)
{
	s[i / 64] |= (uint64_t)1 << (i % 64);
}

static inline void sl_bit_clear(uint64_t *s, uint32_t i)
{
	s[i / 64] &= ~((uint64_t)1 << (i % 64));
}

/* First set bit at or after `from`; words*64 when there is none. */
static inline uint32_t sl_bits_next(const uint64_t *s, uint32_t words, uint32_t from)
{
	uint32_t w = from / 64;
	uint64_t v;

	if (w >= words)
		return words * 64;
	v = s[w] & (~(uint64_t)0 << (from % 64));
	while (v == 0) {
		if (++w == words)
			return words * 64;
		v = s[w];
	}
	return w * 64 + (uint32_t)__builtin_ctzll(v);
}

static inline bool sl_bits_empty(const uint64_t *s, uint32_t words)
{
	for (uint32_t w = 0; w < words; w++)
		if (s[w])
			return false;
	return true;
}

static inline bool sl_bits_equal(const uint64_t *a, const uint64_t *b, uint32_t words)
{
	for (uint32_t w = 0; w < words; w++)
		if (a[w] != b[w])
			return false;
	return true;
}

static inline uint32_t sl_bits_count(const uint64_t *s, uint32_t words)
{
	uint32_t n = 0;

	for (uint32_t w = 0; w < words; w++)
		n += (uint32_t)__builtin_popcountll(s[w]);
	return n;
}

/* Sets bits first .. first+count-1. */
static inline void sl_bits_fill(uint64_t *s, uint32_t first, uint32_t count)
{
	for (uint32_t i = first; i < first + count; i++)
		sl_bit_set(s, i);
}

#endif
