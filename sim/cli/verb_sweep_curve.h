/* SPDX-License-Identifier: BSD-2-Clause
 *
 * A block of a table as curves over one swept parameter: what plots and pages draw. */
#ifndef SL_VERB_SWEEP_CURVE_H
#define SL_VERB_SWEEP_CURVE_H

#include "sim/cli/verb_sweep_table.h"

struct sl_sweep_point {
	double x;
	double mean, half; /* half width of the mean's 95 % interval; 0 for one value */
};

struct sl_sweep_curve {
	const char *policy;
	char *where;   /* what sets it apart within the block: "on q6600, jobs=4"; may be "" */
	GArray *point; /* of struct sl_sweep_point, in the order of the sweep */
};

/* Curves of the block that starts at cell i; *param is the first parameter with several
 * numbers as values, NULL when there is none (then no curves). An array of struct
 * sl_sweep_curve *, freed by g_ptr_array_unref(). */
GPtrArray *sl_sweep_curves(const struct sl_sweep_table *t, guint i, const char **param);

/* The words of a name, "pbzip2", "threads=4", "on q6600", that all cells of the block at cell i
 * share; freed by g_ptr_array_unref(). */
GPtrArray *sl_sweep_common(const struct sl_sweep_table *t, guint i);
/* Words as one text; freed by the caller. */
char *sl_sweep_words(const GPtrArray *words);
/* A cell's words but the common ones, and but the value of `param` (may be NULL); freed by the
 * caller. */
char *sl_sweep_short(const struct sl_sweep_tcell *c, const GPtrArray *common, const char *param);

/* The end (exclusive) of the block that starts at cell i. */
guint sl_sweep_block_end(const struct sl_sweep_table *t, guint i);
/* Half width of the 95 % interval of a cell's mean. */
double sl_sweep_half_width(const struct sl_sweep_tcell *c);

#endif
