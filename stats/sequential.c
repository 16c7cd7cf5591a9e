/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Invariant: nothing but the pilot's spread enters the plan. */
#include "stats/sequential.h"

#include <math.h>
#include <stdint.h>

#include "stats/special.h"
#include "stats/summary.h"

struct sl_stein sl_stein_plan(const double *v, size_t pilot, double w, double level)
{
	const struct sl_summary_rules rules = { 0 };
	struct sl_stein plan = { .pilot = pilot };
	double runs;

	plan.s = sl_summarize(v, pilot, &rules).stddev;
	plan.t = sl_t_quantile(0.5 + level / 2.0, (double)pilot - 1.0);
	runs = plan.t * plan.s / w;
	runs = plan.s == 0.0 ? (double)pilot : ceil(runs * runs);
	if (!(w >= 0.0) || !(runs < 1e15))
		plan.runs = SIZE_MAX;
	else
		plan.runs = runs > (double)pilot ? (size_t)runs : pilot;
	return plan;
}

double sl_stein_half_width(const struct sl_stein *plan, size_t n)
{
	return plan->t * plan->s / sqrt((double)n);
}
