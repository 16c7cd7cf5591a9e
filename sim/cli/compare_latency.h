/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The latencies of all runs of a comparison together. A mean of the runs' percentiles is the
 * percentile of nothing; so for the metrics latency-* the wake-ups of all runs are put into one
 * histogram per policy, and percentiles with their intervals come from that. */
#ifndef SL_COMPARE_LATENCY_H
#define SL_COMPARE_LATENCY_H

#include "sim/cli/compare.h"

/* Whether a metric is one of latency. */
bool sl_compare_of_latency(int metric);

/* A line that starts with '#' for each policy with wake-ups. */
void sl_compare_print_latency(const struct sl_trials *t, const struct sl_compare_options *o,
			      const struct sl_compare_sets *sets);

/* "latency": an array of objects, one per policy, with a comma after it. */
void sl_compare_add_latency(GString *out, const struct sl_trials *t,
			    const struct sl_compare_options *o, const struct sl_compare_sets *sets);

#endif
