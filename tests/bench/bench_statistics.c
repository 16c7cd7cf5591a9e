/* SPDX-License-Identifier: BSD-2-Clause
 *
 * usage: bench_statistics [rates|power|stein|family|split] [repetitions]
 *        bench_statistics pairs FILE FILE [repetitions]
 * Measures what the tests of stats/ promise: how often each finds a difference between
 * equal samples (rates), and between unequal ones (power); what Stein's rule and stopping at the
 * first narrow interval cover (stein), and the intervals of several policies at once (family); what
 * the best split explains of one mode (split); how often the paired tests find a difference between
 * equal policies (pairs: two files of values, line i of both from one seed, as compare --raw writes
 * them). docs/statistics.md quotes the figures. The same arguments give the same output. */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/base.h"
#include "sim/base/rng.h"
#include "stats/bootstrap.h"
#include "stats/diagnose.h"
#include "stats/family.h"
#include "stats/rank.h"
#include "stats/reader.h"
#include "stats/sequential.h"
#include "stats/summary.h"
#include "stats/ttest.h"

#define LEVEL 0.95
#define ALPHA (1.0 - LEVEL)
#define PI    3.14159265358979323846

enum { MAX_N = 1000, BOOTSTRAPS = 999, LEVEL_95 = 2, SEED = 20261130 };

/* A stream of draws: the n-th depends on nothing but (entity, n). */
struct stream {
	uint64_t entity, n;
};

static double uniform(struct stream *s)
{
	uint64_t bits = sl_rng_draw(SEED, SL_RNG_BOOT, s->entity, s->n++);

	return ((double)(bits >> 11) + 0.5) * 0x1p-53;
}

static double normal(struct stream *s)
{
	double r = sqrt(-2.0 * log(uniform(s)));

	return r * cos(2.0 * PI * uniform(s));
}

static double lognormal(struct stream *s)
{
	return exp(normal(s));
}

/* About eight different values. */
static double tied(struct stream *s)
{
	return floor(10.0 + 1.5 * normal(s));
}

static const struct shape {
	const char *name;
	double (*draw)(struct stream *s);
} shapes[] = { { "normal", normal }, { "lognormal", lognormal }, { "ties", tied } };

static void fill(struct stream *s, const struct shape *shape, double *v, size_t n)
{
	for (size_t i = 0; i < n; i++)
		v[i] = shape->draw(s);
}

/* Pairs that share most of their variation, as runs with one seed do. */
static void fill_pairs(struct stream *s, const struct shape *shape, double *a, double *b, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		double common = 3.0 * shape->draw(s);

		a[i] = common + shape->draw(s);
		b[i] = common + shape->draw(s);
	}
}

/* Does each test find a difference? */
struct found {
	unsigned ministat, pooled, welch, rank, boot, paired, paired_boot;
};

static bool ministat_finds(const double *a, size_t n, const double *b, size_t m)
{
	const struct sl_summary_rules rules = { 0 };
	const struct sl_summary sa = sl_summarize(a, n, &rules), sb = sl_summarize(b, m, &rules);

	return sl_summary_compare(&sa, &sb, LEVEL_95, true).proven;
}

static bool ratio_finds(const double *a, const double *b, size_t n, bool paired, uint64_t seed)
{
	const struct sl_ratio r = sl_bootstrap_ratio(a, n, b, n, paired, LEVEL, BOOTSTRAPS, seed);

	return r.low > 1.0 || r.high < 1.0;
}

static void try_unpaired(struct found *f, const double *a, const double *b, size_t n, uint64_t seed,
			 bool boot)
{
	f->ministat += ministat_finds(a, n, b, n);
	f->pooled += sl_pooled_t(a, n, b, n, LEVEL).p < ALPHA;
	f->welch += sl_welch_t(a, n, b, n, LEVEL).p < ALPHA;
	f->rank += sl_mann_whitney(a, n, b, n).p < ALPHA;
	if (boot)
		f->boot += ratio_finds(a, b, n, false, seed);
}

/* Medians have to be positive for their ratio. */
static void lift(double *v, size_t n)
{
	for (size_t i = 0; i < n; i++)
		v[i] += 100.0;
}

/* The level an exact rank test of n and n values has: the largest tail below ALPHA. */
static double attainable_level(size_t n)
{
	double level = 0.0;

	for (double u = 0.0; u < (double)(n * n); u += 1.0) {
		double p = 2.0 * sl_mann_whitney_cdf(u, n, n);

		if (p >= ALPHA)
			break;
		level = p;
	}
	return level;
}

static void print_rates(unsigned repetitions)
{
	static const size_t sizes[] = { 5, 30, 200 };
	double a[MAX_N], b[MAX_N];
	const double percent = 100.0 / repetitions;

	printf("false positives in %% of %u pairs of equal samples, 95 %% level\n", repetitions);
	printf("%-10s %4s %9s %9s %9s %9s %9s %9s %11s\n", "shape", "n", "ministat", "pooled",
	       "Welch", "rank", "bootstrap", "paired t", "paired boot");
	for (size_t s = 0; s < SL_ARRAY_LEN(shapes); s++) {
		for (size_t k = 0; k < SL_ARRAY_LEN(sizes); k++) {
			struct found f = { 0 };
			size_t n = sizes[k];

			for (unsigned i = 0; i < repetitions; i++) {
				struct stream r = { ((uint64_t)s * 8 + k) << 32 | i, 0 };

				fill(&r, &shapes[s], a, n);
				fill(&r, &shapes[s], b, n);
				lift(a, n);
				lift(b, n);
				try_unpaired(&f, a, b, n, i, true);
				fill_pairs(&r, &shapes[s], a, b, n);
				lift(a, n);
				lift(b, n);
				f.paired += sl_paired_t(a, b, n, LEVEL).p < ALPHA;
				f.paired_boot += ratio_finds(a, b, n, true, i);
			}
			printf("%-10s %4zu %9.2f %9.2f %9.2f %9.2f %9.2f %9.2f %11.2f\n",
			       shapes[s].name, n, f.ministat * percent, f.pooled * percent,
			       f.welch * percent, f.rank * percent, f.boot * percent,
			       f.paired * percent, f.paired_boot * percent);
			fflush(stdout);
		}
	}
	printf("attainable level of the exact rank test: n = 5: %.2f %%, n = 30: %.2f %%\n",
	       100.0 * attainable_level(5), 100.0 * attainable_level(30));
}

static void print_power(unsigned repetitions)
{
	static const size_t sizes[] = { 5, 10, 20, 30, 100 };
	static const double shifts[] = { 0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0 };
	double a[MAX_N], b[MAX_N];
	const double percent = 100.0 / repetitions;

	printf("differences found in %% of %u pairs of samples, 95 %% level; the shift is in "
	       "standard\n"
	       "deviations (of the logarithm for lognormal); pairs share 90 %% of their variance\n",
	       repetitions);
	printf("%-10s %4s %5s %9s %9s %9s %9s\n", "shape", "n", "shift", "pooled", "Welch", "rank",
	       "paired t");
	for (size_t s = 0; s < 2; s++) {
		for (size_t k = 0; k < SL_ARRAY_LEN(sizes) * SL_ARRAY_LEN(shifts); k++) {
			size_t n = sizes[k / SL_ARRAY_LEN(shifts)];
			double shift = shifts[k % SL_ARRAY_LEN(shifts)];
			struct found f = { 0 };

			for (unsigned i = 0; i < repetitions; i++) {
				struct stream r = { ((uint64_t)(s + 4) * 64 + k) << 32 | i, 0 };

				fill(&r, &shapes[s], a, n);
				fill(&r, &shapes[s], b, n);
				for (size_t j = 0; j < n; j++)
					b[j] = s == 0 ? b[j] + shift : b[j] * exp(shift);
				try_unpaired(&f, a, b, n, i, false);
				fill_pairs(&r, &shapes[0], a, b, n);
				for (size_t j = 0; j < n; j++)
					b[j] += shift * sqrt(10.0);
				f.paired += sl_paired_t(a, b, n, LEVEL).p < ALPHA;
			}
			printf("%-10s %4zu %5.2f %9.2f %9.2f %9.2f %9.2f\n", shapes[s].name, n,
			       shift, f.pooled * percent, f.welch * percent, f.rank * percent,
			       f.paired * percent);
		}
	}
}

/* Runs until the ordinary 95 % interval is narrower than w, looking after every ten. */
static double peeking_mean(struct stream *r, const struct shape *shape, double w, size_t *runs,
			   double *half)
{
	static const double zeros[MAX_N];
	double v[MAX_N];
	struct sl_t_test t;
	size_t n = 0;

	do {
		fill(r, shape, v + n, 10);
		n += 10;
		t = sl_paired_t(zeros, v, n, LEVEL);
	} while ((t.high - t.low) / 2.0 > w && n + 10 <= MAX_N);
	*runs = n;
	*half = (t.high - t.low) / 2.0;
	return t.diff;
}

static double stein_mean(struct stream *r, const struct shape *shape, double w, size_t *runs,
			 double *half)
{
	double v[SL_PILOT], sum = 0.0;
	struct sl_stein plan;

	fill(r, shape, v, SL_PILOT);
	plan = sl_stein_plan(v, SL_PILOT, w, LEVEL);
	for (size_t i = 0; i < SL_PILOT; i++)
		sum += v[i];
	for (size_t i = SL_PILOT; i < plan.runs; i++)
		sum += shape->draw(r);
	*runs = plan.runs;
	*half = sl_stein_half_width(&plan, plan.runs);
	return sum / (double)plan.runs;
}

static void print_stein(unsigned repetitions)
{
	static const double widths[] = { 0.2, 0.3, 0.4, 0.5, 0.6 };
	static const struct {
		const char *name;
		double (*mean)(struct stream *, const struct shape *, double, size_t *, double *);
	} rules[] = { { "peeking", peeking_mean }, { "Stein", stein_mean } };
	const double truth[] = { 0.0, exp(0.5) };

	printf("sequential rules: %% of %u intervals that cover the true mean (95 wanted), and "
	       "mean\n"
	       "number of runs; the width asked for is in standard deviations of a normal\n",
	       repetitions);
	printf("%-10s %6s %-8s %9s %9s\n", "shape", "width", "rule", "covered", "runs");
	for (size_t s = 0; s < 2; s++) {
		for (size_t k = 0; k < SL_ARRAY_LEN(widths) * 2; k++) {
			double w = widths[k / 2] * (s == 0 ? 1.0 : 2.16), covered = 0.0, all = 0.0;

			for (unsigned i = 0; i < repetitions; i++) {
				struct stream r = { ((uint64_t)(s + 8) * 64 + k) << 32 | i, 0 };
				size_t runs;
				double half;
				double mean = rules[k % 2].mean(&r, &shapes[s], w, &runs, &half);

				covered += fabs(mean - truth[s]) <= half;
				all += (double)runs;
			}
			printf("%-10s %6.2f %-8s %9.2f %9.1f\n", shapes[s].name, widths[k / 2],
			       rules[k % 2].name, 100.0 * covered / repetitions, all / repetitions);
		}
	}
}

/* Do all k intervals against one reference hold the truth, 0? Each at the level, the number of runs
 * as the pilots of all of them want it. */
static bool family_holds(struct stream *r, size_t k, double level)
{
	enum { MOST_SETS = 7, MOST_RUNS = 1000 };
	static double v[MOST_SETS][MOST_RUNS];
	struct sl_stein plan[MOST_SETS];
	size_t runs = SL_PILOT, done = 0;
	bool holds = true;

	for (size_t want = SL_PILOT; done < want && want <= MOST_RUNS; want = runs) {
		for (; done < want; done++) {
			double reference = normal(r);

			for (size_t s = 0; s < k; s++)
				v[s][done] = normal(r) - reference;
		}
		if (done > SL_PILOT)
			break;
		for (size_t s = 0; s < k; s++) {
			plan[s] = sl_stein_plan(v[s], SL_PILOT, 0.5, level);
			runs = plan[s].runs > runs ? plan[s].runs : runs;
		}
	}
	for (size_t s = 0; s < k; s++) {
		double sum = 0.0;

		for (size_t i = 0; i < done; i++)
			sum += v[s][i];
		holds &= fabs(sum / (double)done) <= sl_stein_half_width(&plan[s], done);
	}
	return holds;
}

static void print_family(unsigned repetitions)
{
	static const size_t sets[] = { 1, 2, 3, 6 };

	printf("several policies against one, Stein's rule: %% of %u comparisons in which all "
	       "intervals\n"
	       "hold the true difference (95 wanted); normal, half width 0.5\n",
	       repetitions);
	printf("%-12s %12s %12s\n", "differences", "each at 95", "together");
	for (size_t k = 0; k < SL_ARRAY_LEN(sets); k++) {
		unsigned held[2] = { 0, 0 };

		for (unsigned i = 0; i < 2 * repetitions; i++) {
			struct stream r = { ((uint64_t)(k + 900)) << 32 | i / 2, 0 };
			double level = i % 2 ? sl_family_level(LEVEL, sets[k]) : LEVEL;

			held[i % 2] += family_holds(&r, sets[k], level);
		}
		printf("%-12zu %12.2f %12.2f\n", sets[k], 100.0 * held[0] / repetitions,
		       100.0 * held[1] / repetitions);
	}
}

static int by_value(const void *pa, const void *pb)
{
	const double *a = pa, *b = pb;

	return *a < *b ? -1 : *a > *b;
}

static void print_split(unsigned repetitions)
{
	static const size_t sizes[] = { 7, 8, 10, 15, 20, 30, 60, 100, 200, 1000 };
	static const struct shape more[] = { { "uniform", uniform },
					     { "normal", normal },
					     { "lognormal", lognormal } };
	double *share = calloc(repetitions, sizeof(*share)), v[MAX_N];

	if (share == NULL)
		exit(1);
	printf("share of the squares that the best split in two explains, %u samples each\n",
	       repetitions);
	printf("%-10s %5s %9s %9s %12s\n", "shape", "n", "median", "99 %", "two groups %");
	for (size_t k = 0; k < SL_ARRAY_LEN(more) * SL_ARRAY_LEN(sizes); k++) {
		const struct shape *shape = &more[k / SL_ARRAY_LEN(sizes)];
		size_t n = sizes[k % SL_ARRAY_LEN(sizes)];
		unsigned said = 0;

		for (unsigned i = 0; i < repetitions; i++) {
			struct stream r = { (uint64_t)(k + 1024) << 32 | i, 0 };
			struct sl_split split;

			fill(&r, shape, v, n);
			split = sl_find_split(v, n);
			share[i] = split.share;
			said += split.two_groups;
		}
		qsort(share, repetitions, sizeof(*share), by_value);
		printf("%-10s %5zu %9.4f %9.4f %12.2f\n", shape->name, n, share[repetitions / 2],
		       share[(size_t)(0.99 * repetitions)], 100.0 * said / repetitions);
		fflush(stdout);
	}
	free(share);
}

/* n pairs drawn from the files, with replacement. Which side of a pair is called a is drawn, too:
 * then both have one distribution for certain, and every difference found is a false one. */
static void draw_pairs(struct stream *s, const struct sl_numbers *files, double *a, double *b,
		       size_t n)
{
	for (size_t i = 0; i < n; i++) {
		size_t at = (size_t)(uniform(s) * (double)files[0].n);
		int side = uniform(s) < 0.5;

		a[i] = files[side].v[at];
		b[i] = files[!side].v[at];
	}
}

static void print_pairs(const struct sl_numbers *files, unsigned repetitions)
{
	static const size_t sizes[] = { 5, 30, 200 };
	const struct sl_t_test all = sl_paired_t(files[0].v, files[1].v, files[0].n, LEVEL);
	double a[MAX_N], b[MAX_N];
	const double percent = 100.0 / repetitions;

	printf("%zu pairs of runs: difference %.3g (%.3g to %.3g), its standard deviation %.3g; "
	       "pooled s %.3g\n",
	       files[0].n, all.diff, all.low, all.high, all.stddev,
	       sl_pooled_t(files[0].v, files[0].n, files[1].v, files[1].n, LEVEL).stddev);
	printf("false positives in %% of %u samples of n pairs\n%4s %9s %9s %9s %11s\n",
	       repetitions, "n", "paired t", "pooled", "rank", "paired boot");
	for (size_t k = 0; k < SL_ARRAY_LEN(sizes); k++) {
		struct found f = { 0 };
		size_t n = sizes[k];

		for (unsigned i = 0; i < repetitions; i++) {
			struct stream r = { ((uint64_t)k + 4096) << 32 | i, 0 };

			draw_pairs(&r, files, a, b, n);
			try_unpaired(&f, a, b, n, i, false);
			f.paired += sl_paired_t(a, b, n, LEVEL).p < ALPHA;
			f.paired_boot += ratio_finds(a, b, n, true, i);
		}
		printf("%4zu %9.2f %9.2f %9.2f %11.2f\n", n, f.paired * percent, f.pooled * percent,
		       f.rank * percent, f.paired_boot * percent);
		fflush(stdout);
	}
}

static int read_pairs(char **names, unsigned repetitions)
{
	const struct sl_reader_options options = { .column = 1, .delims = " \t" };
	struct sl_numbers files[2] = { { .n = 0 } };
	int status = 0;

	for (int i = 0; i < 2 && status == 0; i++)
		if (sl_read_file(&files[i], names[i], &options) != SL_READ_OK) {
			fprintf(stderr, "%s: cannot be read as numbers\n", names[i]);
			status = 2;
		}
	if (status == 0 && (files[0].n != files[1].n || files[0].n < 2)) {
		fprintf(stderr, "%zu and %zu values are no pairs\n", files[0].n, files[1].n);
		status = 2;
	}
	if (status == 0)
		print_pairs(files, repetitions);
	for (int i = 0; i < 2; i++)
		sl_numbers_clear(&files[i]);
	return status;
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*print)(unsigned repetitions);
	} parts[] = { { "rates", print_rates },
		      { "power", print_power },
		      { "stein", print_stein },
		      { "family", print_family },
		      { "split", print_split } };
	unsigned long repetitions = argc > 2 ? strtoul(argv[2], NULL, 10) : 20000;
	bool known = argc < 2;

	if (argc >= 4 && strcmp(argv[1], "pairs") == 0) {
		unsigned long rounds = argc > 4 ? strtoul(argv[4], NULL, 10) : 20000;

		return read_pairs(argv + 2, (unsigned)(rounds > 0 ? rounds : 1));
	}
	for (size_t i = 0; i < SL_ARRAY_LEN(parts); i++) {
		if (argc > 1 && strcmp(argv[1], parts[i].name) != 0)
			continue;
		known = true;
		parts[i].print((unsigned)repetitions);
	}
	if (!known || repetitions == 0) {
		fprintf(stderr,
			"usage: %s [rates|power|stein|split] [repetitions]\n"
			"       %s pairs FILE FILE [repetitions]\n",
			argv[0], argv[0]);
		return 3;
	}
	return 0;
}
