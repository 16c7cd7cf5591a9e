/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Counter-based random draws: a draw is a pure function of
 * (seed, purpose, entity, n). No stream is shared, so one new draw in one place
 * moves no other draw, and two policies see the same workload.
 * The mixer is the finaliser of splitmix64 (Steele, Lea, Flood 2014), applied
 * once per input word. */
#ifndef SL_RNG_H
#define SL_RNG_H

#include "sim/base/base.h"

__extension__ typedef unsigned __int128 sl_u128;

/* What a draw is for. Values are part of the results: append, never renumber. */
enum sl_purpose {
	SL_RNG_BURST = 1,   /* lengths of run operations */
	SL_RNG_SLEEP = 2,   /* lengths of sleeps */
	SL_RNG_DISK = 3,    /* disk service times, cache hits */
	SL_RNG_LOOP = 4,    /* drawn loop counts */
	SL_RNG_TICK = 5,    /* per-CPU tick phase */
	SL_RNG_POLICY = 6,  /* draws made by a policy */
	SL_RNG_START = 7,   /* jitter of start times */
	SL_RNG_BOOT = 8,    /* bootstrap and other statistics */
	SL_RNG_COST = 9,    /* run-to-run variation of the machine */
	SL_RNG_JITTER = 10, /* run-to-run variation of a length */
};

static inline uint64_t sl_rng_mix(uint64_t x)
{
	x += 0x9e3779b97f4a7c15u;
	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
	x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
	return x ^ (x >> 31);
}

/* 64 uniform bits. */
static inline uint64_t sl_rng_draw(uint64_t seed, enum sl_purpose purpose, uint64_t entity,
				   uint64_t n)
{
	uint64_t x = sl_rng_mix(seed);

	x = sl_rng_mix(x ^ (uint64_t)purpose);
	x = sl_rng_mix(x ^ entity);
	return sl_rng_mix(x ^ n);
}

/* Maps 64 uniform bits to 0 .. bound-1 (bound > 0); bias below bound / 2^64. */
static inline uint64_t sl_rng_scale(uint64_t bits, uint64_t bound)
{
	return (uint64_t)(((sl_u128)bits * bound) >> 64);
}

#endif
