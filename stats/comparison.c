/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Invariant: a comparison is complete after sl_comparison_make(); printing computes nothing but
 * formats. */
#include "stats/comparison.h"

#include <math.h>
#include <string.h>

#include "stats/family.h"

/* Below this many values say that there are few. */
enum { FEW = 6 };

/* So many values far out are named. */
enum { NAMED = 5 };

static void diagnose(struct sl_diagnosis *d, const struct sl_sample *s)
{
	d->normality = sl_shapiro_wilk(s->v, s->n);
	d->split = sl_find_split(s->v, s->n);
	d->fences = sl_find_outliers(s->v, s->n);
	d->trend_p = sl_trend_p(s->v, s->n);
	d->constant = sl_all_equal(s->v, s->n);
}

static bool same_values(const struct sl_sample *a, const struct sl_sample *b)
{
	if (a->n == b->n && memcmp(a->v, b->v, a->n * sizeof(*a->v)) == 0)
		return true;
	return sl_all_equal(a->v, a->n) && sl_all_equal(b->v, b->n) && a->v[0] == b->v[0];
}

static struct sl_t_test no_t_test(void)
{
	return (struct sl_t_test){ NAN, NAN, NAN, NAN, NAN, NAN, NAN };
}

static void compare_pairs(struct sl_comparison *c)
{
	const double level = c->options.level;

	c->pairs = sl_paired_t(c->ref->v, c->set->v, c->ref->n, level);
	c->unpaired_runs =
		sl_unpaired_runs(c->pooled.stddev, (c->pairs.high - c->pairs.low) / 2.0, level);
}

void sl_comparison_make(struct sl_comparison *c, const struct sl_sample *ref,
			const struct sl_sample *set, const struct sl_comparison_options *options)
{
	const struct sl_summary_rules rules = { 0 };
	const double level = options->level;

	memset(c, 0, sizeof(*c));
	c->ref = ref;
	c->set = set;
	c->options = *options;
	c->options.paired = options->paired && ref->n == set->n;
	if (c->options.pairs_are == NULL)
		c->options.pairs_are = "seed";
	c->ref_sum = sl_summarize(ref->v, ref->n, &rules);
	c->set_sum = sl_summarize(set->v, set->n, &rules);
	diagnose(&c->diagnosis[0], ref);
	diagnose(&c->diagnosis[1], set);
	c->identical = same_values(ref, set);
	c->pooled = sl_pooled_t(ref->v, ref->n, set->v, set->n, level);
	c->welch = sl_welch_t(ref->v, ref->n, set->v, set->n, level);
	c->pairs = no_t_test();
	c->unpaired_runs = SIZE_MAX;
	if (c->options.paired)
		compare_pairs(c);
	c->rank = sl_mann_whitney(ref->v, ref->n, set->v, set->n);
	c->superiority = c->rank.u / ((double)ref->n * (double)set->n);
	c->shift = sl_hodges_lehmann(ref->v, ref->n, set->v, set->n, level);
	c->ratio = (struct sl_ratio){ NAN, NAN, NAN, 0 };
	if (options->resamples > 0)
		c->ratio = sl_bootstrap_ratio(ref->v, ref->n, set->v, set->n, c->options.paired,
					      level, options->resamples, options->seed);
	c->hedges_g = sl_hedges_g(ref->v, ref->n, set->v, set->n);
	c->p = c->options.paired ? c->pairs.p : c->welch.p;
	if (c->identical)
		c->p = c->welch.p = c->pooled.p = c->pairs.p = c->rank.p = NAN;
	c->p_holm = c->p;
}

void sl_comparison_make_family(struct sl_comparison *c, const struct sl_sample *sets, int n,
			       const struct sl_comparison_options *options)
{
	for (int i = 1; i < n; i++)
		sl_comparison_make(&c[i - 1], &sets[0], &sets[i], options);
	if (n > 1)
		sl_comparison_adjust(c, (size_t)n - 1);
}

void sl_comparison_adjust(struct sl_comparison *c, size_t n)
{
	double *p = g_new(double, n + 1);

	for (size_t i = 0; i < n; i++)
		p[i] = c[i].p;
	sl_holm(p, n, p);
	for (size_t i = 0; i < n; i++)
		c[i].p_holm = p[i];
	g_free(p);
}

/* Names the first few of the values outside the fences. */
static void print_outliers(FILE *out, const struct sl_sample *s, const struct sl_diagnosis *d,
			   uint32_t discarded)
{
	size_t named = 0;

	fprintf(out, "%s: %zu far out, kept:", s->name, d->fences.n_out);
	for (size_t i = d->fences.first; i < s->n && named < NAMED; i++)
		if (s->v[i] < d->fences.low || s->v[i] > d->fences.high)
			fprintf(out, "%s run %zu (%g)", named++ ? "," : "", discarded + i + 1,
				s->v[i]);
	fprintf(out, "%s%s\n", named < d->fences.n_out ? " and more" : "",
		discarded + d->fences.first == 0 ? "; a first run is often a cold one" : "");
}

void sl_diagnosis_print(FILE *out, const char *lead, const struct sl_sample *s, uint32_t discarded)
{
	struct sl_diagnosis d;

	diagnose(&d, s);
	if (d.constant) {
		fprintf(out, "%s%s: all %zu values are equal\n", lead, s->name, s->n);
		return;
	}
	if (s->n < FEW)
		fprintf(out, "%s%s: only %zu values; shape, outliers and modes cannot be judged\n",
			lead, s->name, s->n);
	if (d.fences.n_out > 0) {
		fputs(lead, out);
		print_outliers(out, s, &d, discarded);
	}
	if (d.split.two_groups)
		fprintf(out,
			"%s%s: two groups, %zu values near %g and %zu near %g; a mean describes "
			"neither\n",
			lead, s->name, d.split.n_low, d.split.low, s->n - d.split.n_low,
			d.split.high);
	else if (d.normality.p < 0.01)
		fprintf(out,
			"%s%s: not normal (Shapiro-Wilk W = %.4g, p = %.2g); trust ranks and "
			"bootstrap more than t\n",
			lead, s->name, d.normality.w, d.normality.p);
	if (d.trend_p < 0.01)
		fprintf(out, "%s%s: values drift over the runs (Mann-Kendall p = %.2g)\n", lead,
			s->name, d.trend_p);
}

/* "D +/- H (D% +/- H%)", percents of the reference's mean, which of 0 there are none. */
static void print_interval(FILE *out, const struct sl_comparison *c, double diff, double half)
{
	fprintf(out, "%g +/- %g", diff, half);
	if (c->ref_sum.avg != 0.0)
		fprintf(out, " (%g%% +/- %g%%)", diff * 100.0 / c->ref_sum.avg,
			half * 100.0 / fabs(c->ref_sum.avg));
}

static double pairs_half_width(const struct sl_comparison *c)
{
	return (c->pairs.high - c->pairs.low) / 2.0;
}

static void print_stein(FILE *out, const struct sl_comparison *c)
{
	double half = sl_stein_half_width(&c->stein, c->ref->n);

	print_interval(out, c, c->pairs.diff, half);
	fprintf(out, ", %s at %g%%, by a pilot of %zu runs (Stein's rule)",
		fabs(c->pairs.diff) > half ? "proven" : "not proven", 100.0 * c->options.level,
		c->stein.pilot);
	if (c->stein.family > 1)
		fprintf(out, ", for all %zu differences at once", c->stein.family);
}

static void print_pairs(FILE *out, const struct sl_comparison *c)
{
	double half = pairs_half_width(c);

	fprintf(out, "\tpaired by %s: ", c->options.pairs_are);
	print_interval(out, c, c->pairs.diff, half);
	fprintf(out, ", p = %.2g\n", c->pairs.p);
	if (half == 0.0)
		fputs("\tall pairs differ by the same amount\n", out);
	else if (c->unpaired_runs < SIZE_MAX)
		fprintf(out, "\tunpaired runs needed for the same interval: %zu of each, not %zu\n",
			c->unpaired_runs, c->ref->n);
	if (c->stein.pilot == 0)
		return;
	fputs("\tpaired, runs added: ", out);
	print_stein(out, c);
	fputs("\n", out);
}

/* Neither sample has a spread: the seed changes nothing, hence there is nothing to test. */
static bool no_spread(const struct sl_comparison *c)
{
	return c->diagnosis[0].constant && c->diagnosis[1].constant;
}

static void print_no_spread(FILE *out, const struct sl_comparison *c)
{
	fprintf(out, "every run gave the same number, which is %g", c->pooled.diff);
	if (c->ref_sum.avg != 0.0)
		fprintf(out, " (%g%%)", c->pooled.diff * 100.0 / c->ref_sum.avg);
	fputs(" off; no test is made", out);
}

void sl_comparison_print_line(FILE *out, const struct sl_comparison *c)
{
	if (!c->options.paired)
		return;
	fprintf(out, "# %s against %s: ", c->set->name, c->ref->name);
	if (c->identical) {
		fputs("identical", out);
	} else if (no_spread(c)) {
		print_no_spread(out, c);
	} else if (c->stein.pilot > 0) {
		print_stein(out, c);
	} else {
		fprintf(out, "paired by %s ", c->options.pairs_are);
		print_interval(out, c, c->pairs.diff, pairs_half_width(c));
		fprintf(out, ", p = %.2g%s", c->p_holm,
			c->p_holm != c->p ? " after Holm's correction" : "");
	}
	if (!c->identical && c->unpaired_runs < SIZE_MAX && pairs_half_width(c) > 0.0)
		fprintf(out, "; unpaired, the same certainty takes %zu runs of each, not %zu",
			c->unpaired_runs, c->ref->n);
	fputs("\n", out);
}

static void print_ranks(FILE *out, const struct sl_comparison *c)
{
	const double alpha = 1.0 - c->options.level;

	fprintf(out, "\tMann-Whitney: p = %.2g (%s), larger in %.0f%% of pairs of runs%s\n",
		c->rank.p, c->rank.exact ? "exact" : "normal approximation", 100.0 * c->superiority,
		c->rank.p_least > alpha ? "; too few values to prove anything by ranks" : "");
	fprintf(out, "\tHodges-Lehmann shift: %g (%g to %g)\n", c->shift.shift, c->shift.low,
		c->shift.high);
}

void sl_comparison_print(FILE *out, const struct sl_comparison *c)
{
	if (c->identical) {
		fprintf(out, "\tidentical: %s has the values of %s\n", c->set->name, c->ref->name);
		return;
	}
	if (!isfinite(c->ref_sum.avg) || !isfinite(c->set_sum.avg)) {
		fputs("\tvalues that are not finite; no test is made\n", out);
		return;
	}
	if (no_spread(c)) {
		fputs("\t", out);
		print_no_spread(out, c);
		fputs("\n", out);
		return;
	}
	if (c->options.paired)
		print_pairs(out, c);
	fprintf(out, "\tWelch's t: %g (%g to %g), p = %.2g, Hedges' g = %.3g\n", c->welch.diff,
		c->welch.low, c->welch.high, c->welch.p, c->hedges_g);
	print_ranks(out, c);
	if (c->ratio.resamples > 0)
		fprintf(out, "\tratio of medians: %.6g (%.6g to %.6g; bootstrap, %zu resamples)\n",
			c->ratio.ratio, c->ratio.low, c->ratio.high, c->ratio.resamples);
	else if (!isnan(c->ratio.ratio))
		fprintf(out, "\tratio of medians: %.6g (too many values for a bootstrap)\n",
			c->ratio.ratio);
	if (c->p_holm != c->p && !isnan(c->p))
		fprintf(out, "\tp after Holm's correction for all comparisons: %.2g\n", c->p_holm);
}
