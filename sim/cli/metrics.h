/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The figures of a run by name: what `compare` samples, `list metrics` lists. */
#ifndef SL_METRICS_H
#define SL_METRICS_H

#include "sim/core/sim.h"

struct sl_metric_def {
	const char *name, *unit, *help;
	bool larger_is_better;
	double (*value)(const struct sl_totals *t);
};

#define SL_METRIC_DEFS 14
extern const struct sl_metric_def sl_metric_defs[SL_METRIC_DEFS];

/* Index of a metric, or -1. */
int sl_metric_find(const char *name);

/* Latency below which `permille` of the wake-ups lie, in ns, interpolated within the
 * histogram's bucket; 0 when there were none. */
double sl_latency_quantile(const struct sl_totals *t, uint32_t permille);

#endif
