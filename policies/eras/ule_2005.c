/* SPDX-License-Identifier: BSD-2-Clause
 *
 * FreeBSD 6.0-BETA and -current of August 2005 (ule-history.md S05): slices derived from
 * hz but counted in stat ticks, 75 ms to 1.07 s; a stat tick is worth whole hz ticks. */
#include "policies/ule_2005.h"

static uint32_t whole_ticks(uint32_t hz, uint32_t stathz)
{
	uint32_t ticks = hz / stathz;

	return (ticks > 0 ? ticks : 1) << 10;
}

static uint32_t rate_hz(uint32_t hz, uint32_t stathz)
{
	(void)stathz;
	return hz;
}

const struct u05_era ule_era_2005 = {
	.clock_name = "worth whole hz ticks",
	.slice_name = "by nice; derived from hz, counted in stat ticks",
	.tick_worth = whole_ticks,
	.slice_rate = rate_hz,
};
