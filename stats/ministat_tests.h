/* SPDX-License-Identifier: BSD-2-Clause
 *
 * What `ministat --tests`, `--json` and `--csv` print of sets that were read from files: the
 * comparisons of stats/comparison.h, every set with the first. */
#ifndef SL_STATS_MINISTAT_TESTS_H
#define SL_STATS_MINISTAT_TESTS_H

#include <stdbool.h>
#include <stdio.h>

#include "stats/summary.h"

/* 1 to SL_MAX_SETS sets of at least 2 values; level is an index into sl_levels. paired: value i
 * of every set belongs together, which takes sets of one size. */

/* A paragraph per set but the first, and the warnings about each. */
void sl_ministat_print_tests(FILE *out, const struct sl_sample *sets, int n, int level,
			     bool paired);

/* A header and a line per set but the first, "schedlab-comparison/1". */
void sl_ministat_print_csv(FILE *out, const struct sl_sample *sets, int n, int level, bool paired);

/* One object, "schema": "schedlab-ministat/1", with the summaries and the comparisons. */
void sl_ministat_print_json(FILE *out, const struct sl_sample *sets, int n, int level, bool paired);

#endif
