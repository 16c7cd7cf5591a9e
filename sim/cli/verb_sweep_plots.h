/* SPDX-License-Identifier: BSD-2-Clause
 *
 * A block's pictures, as pages of panels: what the parts of sweep report --plots share. */
#ifndef SL_VERB_SWEEP_PLOTS_H
#define SL_VERB_SWEEP_PLOTS_H

#include "sim/cli/plot_grid.h"
#include "sim/cli/verb_sweep_table.h"

/* A block's pictures: a panel for each of its cells or curves, a series for each policy. */
struct sl_sweep_plot {
	const struct sl_cli *cli;
	const struct sl_sweep_table *t;
	const char *dir;
	char *base; /* file name without suffix */
	guint from, to;
	GPtrArray *policy; /* const char *, in the order of the sweep */
	GPtrArray *common; /* words of all cells */
	GPtrArray *script; /* names of the scripts written */
	char *axis;	   /* the metric with its unit; NULL: no metric */
	GError **error;
};

/* One kind of picture; `panel` writes what stands in panel i of a page. */
struct sl_sweep_kind {
	const char *name;  /* in file names */
	const char *data;  /* suffix of the data */
	const char *title; /* what it shows */
	enum sl_plot_legend legend;
	void (*panel)(const struct sl_sweep_plot *p, struct sl_out *out,
		      const struct sl_plot_grid *g, guint i, const void *what);
};

/* Fills the rest of a plot whose cli, t, dir, from and error are set. `what` goes into file names.
 */
void sl_sweep_plot_init(struct sl_sweep_plot *p, const char *what);
void sl_sweep_plot_clear(struct sl_sweep_plot *p);
/* A file in the folder. */
struct sl_out *sl_sweep_plot_open(const struct sl_sweep_plot *p, const char *name);
/* The place of a policy of the block in the legend. */
guint sl_sweep_plot_series(const struct sl_sweep_plot *p, const char *policy);
/* Scripts with a panel for each element of `what`. */
bool sl_sweep_plot_pages(const struct sl_sweep_plot *p, const struct sl_sweep_kind *kind,
			 const GPtrArray *what);
/* SVGs of the scripts, where gnuplot is. */
bool sl_sweep_plot_draw(const struct sl_sweep_plot *p);

#endif
