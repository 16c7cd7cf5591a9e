/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Distributions of the workload language, compiled to integer quantile tables:
 *   {"dist": "constant" | "uniform" | "exponential" | "lognormal" | "pareto" |
 *            "empirical", ...}
 * All arithmetic is integer (sim/base/fixmath.h), so a table is the same on every
 * machine. */
#ifndef SL_DIST_H
#define SL_DIST_H

#include "traces/rtapp.h"

/* Compiles object v; count: values are numbers, else times. */
bool sl_dist_compile(struct sl_rtapp *rt, const struct sl_scope *scope, const struct sl_json *v,
		     bool count, struct sl_dist *out);

#endif
