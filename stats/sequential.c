/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Invariant: nothing but the pilot's spread enters the plan. */
#include "stats/sequential.h"

#include <math.h>
#include <stdint.h>

#include "stats/special.h"
#include "stats/summary.h"

/* As many runs as put (t of the level + t of the power) * s / sqrt(runs) at w or below; the t of
 * a power of one half is 0, which leaves the plain interval. */
static struct sl_stein plan_for(const double *v, size_t pilot, double w, double level, double power)
{
	const struct sl_summary_rules rules = { 0 };
	const double df = (double)pilot - 1.0;
	struct sl_stein plan = { .pilot = pilot, .t = sl_t_quantile(0.5 + level / 2.0, df) };
	double runs;

	plan.s = sl_summarize(v, pilot, &rules).stddev;
	runs = (plan.t + sl_t_quantile(power, df)) * plan.s / w;
	runs = plan.s == 0.0 ? (double)pilot : ceil(runs * runs);
	if (!(w >= 0.0) || !(runs < 1e15))
		plan.runs = SIZE_MAX;
	else
		plan.runs = runs > (double)pilot ? (size_t)runs : pilot;
	return plan;
}

struct sl_stein sl_stein_plan(const double *v, size_t pilot, double w, double level)
{
	return plan_for(v, pilot, w, level, 0.5);
}

struct sl_stein sl_stein_power_plan(const double *v, size_t pilot, double d, double level,
				    double power)
{
	return plan_for(v, pilot, fabs(d), level, power);
}

double sl_stein_half_width(const struct sl_stein *plan, size_t n)
{
	return plan->t * plan->s / sqrt((double)n);
}
