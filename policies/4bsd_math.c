/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Usage, decay, priorities, load: the arithmetic of 4BSD.
 * Invariant: every product of fixed-point numbers is a uint32_t product and wraps
 * where the kernel's does (load averages of 443 on 8 CPUs, 55.4 on 64); divisions
 * truncate. */
#include "policies/4bsd.h"

/* floor(2048 * exp(-1/12)), exp(-1/60), exp(-1/180) */
static const uint32_t load_exp[3] = { 1884, 2014, 2036 };

uint32_t bsd_usage_weight(bool smp, uint32_t ncpus)
{
	return smp ? 8 * ncpus : 8;
}

uint32_t bsd_usage_limit(uint32_t w, uint32_t ppq)
{
	return w * (BSD_NICE_SPAN - ppq) + w - 1;
}

uint32_t bsd_decay(uint32_t ldavg0, uint32_t usage)
{
	uint32_t lf = 2 * ldavg0;

	return lf * usage / (lf + BSD_FSCALE);
}

/* The limit compares whole seconds with a load scaled by 2048, so it only ever bites
 * at a load of (almost) zero; and of slp seconds two are not decayed. Both are the
 * kernel's. */
uint32_t bsd_catchup(uint32_t ldavg0, uint32_t usage, uint32_t slp)
{
	if (slp > 5 * (2 * ldavg0))
		return 0;
	slp--;
	while (usage != 0 && --slp != 0)
		usage = bsd_decay(ldavg0, usage);
	return usage;
}

uint32_t bsd_pct_pass(uint32_t pct, uint32_t cpticks, uint32_t stathz)
{
	pct = pct * BSD_CCPU >> BSD_FSHIFT;
	/* The shift by FSHIFT - CCPU_SHIFT is zero. */
	if (stathz == 100)
		return pct + cpticks;
	return pct + 100 * cpticks / stathz;
}

uint8_t bsd_user_pri(const struct bsd_era *era, uint32_t w, uint32_t usage, int32_t nice)
{
	int64_t pri = (int64_t)era->ts_min + usage / w + nice + 20;

	if (pri < era->ts_min)
		return era->ts_min;
	return pri > era->ts_max ? era->ts_max : (uint8_t)pri;
}

void bsd_load_sample(uint32_t ldavg[3], uint32_t nrun)
{
	for (int i = 0; i < 3; i++)
		ldavg[i] =
			(load_exp[i] * ldavg[i] + nrun * BSD_FSCALE * (BSD_FSCALE - load_exp[i])) >>
			BSD_FSHIFT;
}

/* 4 .. 6 s in whole ticks. */
sl_time bsd_load_period_ticks(const struct sl_pol *p, uint64_t bits)
{
	uint64_t ticks = 4 * (uint64_t)p->hz + sl_rng_scale(bits, 2 * (uint64_t)p->hz + 1);

	return ticks * SL_NS_PER_S / p->hz;
}

/* 4 .. 6 s in microseconds. */
sl_time bsd_load_period_us(const struct sl_pol *p, uint64_t bits)
{
	(void)p;
	return (4000000 + sl_rng_scale(bits, 2000001)) * SL_NS_PER_US;
}

int64_t bsd_slice_to_us(uint32_t stathz, int64_t slice)
{
	return 1000000 / (int64_t)stathz * slice;
}

int64_t bsd_slice_from_us(uint32_t stathz, int64_t us)
{
	int64_t period = 1000000 / (int64_t)stathz;
	int64_t slice = (us + period / 2) / period;

	return slice < 1 ? 1 : slice;
}

int64_t bsd_slice_ticks(uint32_t hz, uint32_t stathz, int64_t slices)
{
	int64_t ticks = (slices * hz + stathz / 2) / stathz;

	return ticks < 1 ? 1 : ticks;
}

uint32_t bsd_apic_stathz(uint32_t hz)
{
	uint32_t base = hz >= 1500 ? hz : hz >= 750 ? 2 * hz : 4 * hz;

	return base / (base / 128);
}
