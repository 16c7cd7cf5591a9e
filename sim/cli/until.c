/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Invariant: only the pilot's values enter the plan. */
#include "sim/cli/until.h"

#include <math.h>
#include <stdio.h>

#include "stats/family.h"
#include "stats/ttest.h"

#define LEVEL 0.95

/* The plan that meets all that was asked of these values, one of `family` such sets. */
static struct sl_stein plan_one(const double *v, size_t n, double reference, size_t family,
				const struct sl_compare_options *o)
{
	const double level = sl_family_level(LEVEL, family);
	struct sl_stein plan = { .runs = 0 }, power;

	if (o->until_ci)
		plan = sl_stein_plan(v, n, o->ci_percent / 100 * reference, level);
	if (o->power) {
		power = sl_stein_power_plan(v, n, o->effect_percent / 100 * reference, level,
					    o->power_percent / 100);
		if (power.runs > plan.runs)
			plan = power;
	}
	plan.family = family;
	return plan;
}

/* What unpaired samples with these spreads would need for the same power. */
static size_t unpaired_runs(const struct sl_sample *a, const struct sl_sample *b, double reference,
			    size_t family, const struct sl_compare_options *o)
{
	const double level = sl_family_level(LEVEL, family);
	double s = sl_pooled_t(a->v, a->n, b->v, b->n, level).stddev;

	return sl_power_runs(s, o->effect_percent / 100 * reference, level, o->power_percent / 100,
			     true);
}

static void plan_pairs(struct sl_until *u, const struct sl_compare_sets *sets,
		       const struct sl_compare_options *o)
{
	const struct sl_sample *ref = &sets->sample[0];
	const size_t family = (size_t)(sets->n - 1);
	double *difference = g_new(double, sets->least);

	for (int p = 1; p < sets->n; p++) {
		const struct sl_sample *s = &sets->sample[p];

		for (size_t i = 0; i < sets->least; i++)
			difference[i] = s->v[i] - ref->v[i];
		u->plan[u->n++] = plan_one(difference, sets->least, u->reference, family, o);
		if (o->power)
			u->unpaired =
				MAX(u->unpaired, unpaired_runs(ref, s, u->reference, family, o));
	}
	g_free(difference);
}

void sl_until_plan(struct sl_until *u, const struct sl_trials *t,
		   const struct sl_compare_options *o)
{
	struct sl_compare_sets sets = { 0 };
	size_t wanted = 0;

	*u = (struct sl_until){ .dropped = (uint32_t)o->dropped };
	sl_compare_gather(&sets, t, o);
	if (sets.least >= 2) {
		u->reference = fabs(sets.summary[0].avg);
		if (sets.n > 1)
			plan_pairs(u, &sets, o);
		else
			u->plan[u->n++] =
				plan_one(sets.sample[0].v, sets.least, u->reference, 1, o);
	}
	sl_compare_drop(&sets);
	for (int i = 0; i < u->n; i++)
		wanted = MAX(wanted, u->plan[i].runs);
	u->short_of_aim = wanted > o->most - o->dropped;
	u->runs = (uint32_t)(u->short_of_aim ? o->most : wanted + o->dropped);
}

double sl_until_width(const struct sl_until *u, uint32_t runs)
{
	double widest = 0;

	for (int i = 0; i < u->n; i++)
		widest = fmax(widest, sl_stein_half_width(&u->plan[i], runs - u->dropped));
	return widest > 0 ? widest * 100 / u->reference : 0;
}

void sl_until_note(const void *ctx, uint32_t runs, char *text, size_t size)
{
	const struct sl_until *u = ctx;

	g_snprintf(text, size, ", interval +/- %.3g%%, to be +/- %.3g%%", sl_until_width(u, runs),
		   sl_until_width(u, u->runs));
}

bool sl_until_reached(const struct sl_until *u, const struct sl_compare_sets *sets)
{
	return !u->short_of_aim && sets->least + u->dropped >= u->runs;
}

void sl_until_print(const struct sl_until *u, const struct sl_compare_options *o,
		    const struct sl_compare_sets *sets)
{
	const struct sl_sample *only = &sets->sample[0];

	if (o->until_ci)
		printf("# --until-ci %g%%: ", o->ci_percent);
	if (o->power)
		printf("# --power %g%% for a difference of %g%%: ", o->power_percent,
		       o->effect_percent);
	printf("a pilot of %zu runs asked for %s%u%s; the interval is +/- %.3g%% or less\n",
	       u->plan[0].pilot, u->short_of_aim ? "more than " : "", u->runs - u->dropped,
	       only->n + u->dropped < u->runs ? ", not all were done" : "",
	       sl_until_width(u, (uint32_t)only->n + u->dropped));
	if (o->power && u->unpaired < SIZE_MAX)
		printf("# unpaired, that power takes %zu runs of each policy\n", u->unpaired);
	if (sets->n == 1)
		printf("# mean of %s: %g +/- %g at %g%% (Stein's rule)\n", only->name,
		       sets->summary[0].avg, sl_stein_half_width(&u->plan[0], only->n),
		       100 * LEVEL);
}
