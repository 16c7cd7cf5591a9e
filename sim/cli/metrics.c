/* SPDX-License-Identifier: BSD-2-Clause
 *
 * One row per metric; nothing else in the program knows their list. */
#include "sim/cli/metrics.h"

#include <string.h>

static double seconds(sl_time ns)
{
	return (double)ns / 1e9;
}

double sl_latency_quantile(const struct sl_totals *t, uint32_t permille)
{
	double want = (double)t->latency_n * permille / 1000, seen = 0;

	for (uint32_t b = 0; b < SL_LATENCY_BUCKETS; b++) {
		double low, high, n = (double)t->latency[b];

		if (n == 0 || seen + n < want) {
			seen += n;
			continue;
		}
		low = (double)sl_latency_low(b);
		high = b + 1 < SL_LATENCY_BUCKETS ? (double)sl_latency_low(b + 1)
						  : (double)t->latency_max;
		if (high > (double)t->latency_max)
			high = (double)t->latency_max;
		return high > low ? low + (high - low) * (want - seen) / n : high;
	}
	return 0;
}

static double real_s(const struct sl_totals *t)
{
	return seconds(t->real_ns);
}

static double user_s(const struct sl_totals *t)
{
	return seconds(t->user_ns);
}

static double sys_s(const struct sl_totals *t)
{
	return seconds(t->sys_ns);
}

static double rate(const struct sl_totals *t)
{
	return t->real_ns ? (double)t->marks / seconds(t->real_ns) : 0;
}

static double latency_p50(const struct sl_totals *t)
{
	return sl_latency_quantile(t, 500) / 1e3;
}

static double latency_p99(const struct sl_totals *t)
{
	return sl_latency_quantile(t, 990) / 1e3;
}

static double latency_max(const struct sl_totals *t)
{
	return (double)t->latency_max / 1e3;
}

static double wait_s(const struct sl_totals *t)
{
	return seconds(t->wait_ns);
}

static double switches(const struct sl_totals *t)
{
	return (double)t->switches;
}

static double preemptions(const struct sl_totals *t)
{
	return (double)t->preemptions;
}

static double migrations(const struct sl_totals *t)
{
	return (double)t->migrations;
}

static double steals(const struct sl_totals *t)
{
	return (double)t->steals;
}

static double idle_s(const struct sl_totals *t)
{
	return seconds(t->idle_ns);
}

static double wasted_s(const struct sl_totals *t)
{
	return seconds(t->wasted_ns);
}

const struct sl_metric_def sl_metric_defs[SL_METRIC_DEFS] = {
	{ "real", "s", "time until the last foreground thread has ended", false, real_s },
	{ "user", "s", "CPU time in user mode, all threads", false, user_s },
	{ "sys", "s", "CPU time in kernel mode, all threads", false, sys_s },
	{ "wait", "s", "time threads were runnable but not running", false, wait_s },
	{ "rate", "1/s", "marks (completed transactions) per second", true, rate },
	{ "latency-p50", "us", "wake-up to run, median", false, latency_p50 },
	{ "latency-p99", "us", "wake-up to run, 99th percentile", false, latency_p99 },
	{ "latency-max", "us", "wake-up to run, longest", false, latency_max },
	{ "switches", "", "context switches to another thread", false, switches },
	{ "preemptions", "", "owed preemptions and preempt IPIs: switches with the PREEMPT flag",
	  false, preemptions },
	{ "migrations", "", "dispatches on another CPU than the last", false, migrations },
	{ "steals", "", "queued threads taken by another CPU", false, steals },
	{ "idle", "s", "idle time of all usable CPUs", false, idle_s },
	{ "wasted", "s", "idle CPU time beside a waiting thread", false, wasted_s },
};

int sl_metric_find(const char *name)
{
	for (int i = 0; i < SL_METRIC_DEFS; i++)
		if (strcmp(sl_metric_defs[i].name, name) == 0)
			return i;
	return -1;
}
