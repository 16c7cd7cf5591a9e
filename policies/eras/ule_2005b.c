/* SPDX-License-Identifier: BSD-2-Clause
 *
 * FreeBSD-current of December 2005 (ule-history.md S05b): slices derived from stathz,
 * 7.5 to 143 ms; a stat tick is worth fractions of hz ticks, too. */
#include "policies/ule_2005.h"

static uint32_t exact_ticks(uint32_t hz, uint32_t stathz)
{
	uint32_t worth = (hz << 10) / stathz;

	return worth > 0 ? worth : 1;
}

static uint32_t rate_stathz(uint32_t hz, uint32_t stathz)
{
	(void)hz;
	return stathz;
}

const struct u05_era ule_era_2005b = {
	.clock_name = "worth its share of hz ticks",
	.slice_name = "by nice; derived from stathz",
	.tick_worth = exact_ticks,
	.slice_rate = rate_stathz,
};
