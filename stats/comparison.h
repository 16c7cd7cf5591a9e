/* SPDX-License-Identifier: BSD-2-Clause
 *
 * All that can be said about one sample against a reference: every test, the interval of
 * every effect, and the warnings. Computed once, printed as text, JSON or CSV. */
#ifndef SL_STATS_COMPARISON_H
#define SL_STATS_COMPARISON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <glib.h>

#include "stats/bootstrap.h"
#include "stats/diagnose.h"
#include "stats/rank.h"
#include "stats/sequential.h"
#include "stats/summary.h"
#include "stats/ttest.h"

/* Version of the JSON and CSV forms; a field may be added without a new one. */
#define SL_COMPARISON_SCHEMA "schedlab-comparison/1"

struct sl_comparison_options {
	double level;	       /* 0.95 */
	bool paired;	       /* values i of both belong together; needs equal sizes */
	const char *pairs_are; /* what they share, for the text; NULL: "seed" */
	bool larger_is_better;
	size_t resamples; /* of the bootstrap; 0: none */
	uint64_t seed;
};

/* What there is to say about one sample. */
struct sl_diagnosis {
	struct sl_normality normality;
	struct sl_split split;
	struct sl_fences fences;
	double trend_p;
	bool constant; /* all values are one number */
};

struct sl_comparison {
	const struct sl_sample *ref, *set; /* borrowed; must outlive this */
	struct sl_comparison_options options;
	struct sl_summary ref_sum, set_sum;
	bool identical; /* the same values: nothing was tested, p below is NaN */
	struct sl_t_test pooled, welch;
	struct sl_t_test pairs; /* NaN unless paired */
	size_t unpaired_runs;	/* runs of each the pooled t needs for the pairs' interval, or
				   SIZE_MAX */
	struct sl_rank_test rank;
	struct sl_shift shift;
	struct sl_ratio ratio; /* NaN without resamples */
	double hedges_g;
	double superiority; /* P(set > ref) + P(equal) / 2 */
	double p;	    /* of the test that decides: pairs when paired, else Welch */
	double p_holm;	    /* p, until sl_comparison_adjust() */
	/* Set by the caller when a pilot decided how many pairs there are: the interval that keeps
	 * the level then is pairs.diff +- sl_stein_half_width(). A pilot of 0: none did. */
	struct sl_stein stein;
	struct sl_diagnosis diagnosis[2]; /* ref, set */
};

/* Compares set with ref, both of at least 2 values. Options that do not fit (paired with
 * unequal sizes) are turned off in the result. */
void sl_comparison_make(struct sl_comparison *c, const struct sl_sample *ref,
			const struct sl_sample *set, const struct sl_comparison_options *options);

/* Sets p_holm of n comparisons made as one family. */
void sl_comparison_adjust(struct sl_comparison *c, size_t n);

/* Every set but the first against the first, as one family: c[0 .. n - 2], p_holm set. */
void sl_comparison_make_family(struct sl_comparison *c, const struct sl_sample *sets, int n,
			       const struct sl_comparison_options *options);

/* Text, one fact per line, each line begun with a tab as in ministat's own block. Warnings about
 * the samples are apart, see sl_diagnosis_print(). */
void sl_comparison_print(FILE *out, const struct sl_comparison *c);

/* The most important of it on one line that starts with '#': the paired difference beside
 * the pooled one, and what pairing saved. Nothing unless paired. */
void sl_comparison_print_line(FILE *out, const struct sl_comparison *c);

/* Warnings about one sample, one line each that starts with `lead`, nothing when there is nothing
 * to warn of. The first value is of run `discarded` + 1. */
void sl_diagnosis_print(FILE *out, const char *lead, const struct sl_sample *s, uint32_t discarded);

/* One JSON object. Numbers have 17 digits; one that is not finite is null. */
void sl_comparison_to_json(const struct sl_comparison *c, GString *out);

/* One CSV line (RFC 4180) and the header it belongs under. A number that is not finite is empty. */
void sl_comparison_csv_header(GString *out);
void sl_comparison_to_csv(const struct sl_comparison *c, GString *out);
/* The header and a line for each of n comparisons. */
void sl_comparison_print_csv(FILE *out, const struct sl_comparison *c, size_t n);

#endif
