/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Invariant: exactly the wake-ups of the runs that are in the samples are counted. */
#include "sim/cli/compare_latency.h"

#include <stdio.h>
#include <string.h>

#include "stats/histogram.h"
#include "stats/json_text.h"

/* The engine's buckets (sl_latency_low()) are those of a histogram with these bits. */
enum { ENGINE_BITS = 4 };

#define LEVEL 0.95

static const struct {
	const char *name;
	double q;
} percentiles[] = { { "p50", 0.5 }, { "p99", 0.99 } };

bool sl_compare_of_latency(int metric)
{
	return strncmp(sl_metric_defs[metric].name, "latency-", 8) == 0;
}

static void merge_runs(struct sl_histogram *h, const struct sl_trials *t, uint32_t policy,
		       uint32_t discard)
{
	const uint32_t whole = sl_trials_whole(t);

	sl_histogram_init(h, ENGINE_BITS);
	for (uint32_t run = discard; run < whole; run++) {
		const struct sl_latencies *l = sl_trials_at(t, policy, run)->latencies;

		for (uint32_t i = 0; i < l->n; i++)
			sl_histogram_add(h, (uint64_t)sl_latency_low(l->first + i), l->count[i]);
		h->max = MAX(h->max, (uint64_t)l->max);
	}
}

void sl_compare_print_latency(const struct sl_trials *t, const struct sl_compare_options *o,
			      const struct sl_compare_sets *sets)
{
	for (int p = 0; p < sets->n; p++) {
		struct sl_histogram h;

		merge_runs(&h, t, (uint32_t)p, (uint32_t)o->dropped);
		if (h.count > 0)
			printf("# %s, all runs together: ", sets->sample[p].name);
		for (size_t i = 0; i < SL_ARRAY_LEN(percentiles) && h.count > 0; i++) {
			struct sl_percentile at =
				sl_histogram_quantile(&h, percentiles[i].q, LEVEL);

			printf("%s = %g us (%g to %s%g), ", percentiles[i].name,
			       (double)at.value / 1e3, (double)at.low / 1e3,
			       at.high_open ? "at least " : "", (double)at.high / 1e3);
		}
		if (h.count > 0)
			printf("max = %g us; %" G_GUINT64_FORMAT
			       " wake-ups, a percentile is at most %g%% too high\n",
			       (double)h.max / 1e3, (guint64)h.count, 100 * sl_histogram_error(&h));
		sl_histogram_clear(&h);
	}
}

void sl_compare_add_latency(GString *out, const struct sl_trials *t,
			    const struct sl_compare_options *o, const struct sl_compare_sets *sets)
{
	g_string_append(out, "  \"latency\": [");
	for (int p = 0; p < sets->n; p++) {
		struct sl_histogram h;

		merge_runs(&h, t, (uint32_t)p, (uint32_t)o->dropped);
		g_string_append(out, p ? ",\n{\"policy\": " : "\n{\"policy\": ");
		sl_json_append_string(out, sets->sample[p].name);
		for (size_t i = 0; i < SL_ARRAY_LEN(percentiles); i++) {
			struct sl_percentile at =
				sl_histogram_quantile(&h, percentiles[i].q, LEVEL);

			g_string_append_printf(out,
					       ", \"%s_ns\": [%" G_GUINT64_FORMAT
					       ", %" G_GUINT64_FORMAT ", %" G_GUINT64_FORMAT "]",
					       percentiles[i].name, (guint64)at.value,
					       (guint64)at.low, (guint64)at.high);
		}
		g_string_append(out, ", \"histogram_ns\": ");
		sl_histogram_to_json(&h, out);
		g_string_append_c(out, '}');
		sl_histogram_clear(&h);
	}
	g_string_append(out, "],\n");
}
