/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Pictures of several panels with one legend, as data and gnuplot scripts: the pieces that compare
 * --plot and sweep report --plots are made of. Series have the same colour in every panel. */
#ifndef SL_PLOT_GRID_H
#define SL_PLOT_GRID_H

#include "sim/cli/out.h"
#include "sim/cli/plot_watch.h"

/* Panels of one picture, at most; more than these cannot be read. */
#define SL_PLOT_PANELS 12
/* Instead of a data block: the panel lacks this series. */
#define SL_PLOT_NONE G_MAXUINT

/* What stands beside a series' name. */
enum sl_plot_legend { SL_LEGEND_BOXES, SL_LEGEND_LINES, SL_LEGEND_NONE };

struct sl_plot_grid {
	const char *command; /* that made it, for the script's first line */
	const char *name;    /* of the script and picture, without suffix */
	const char *data;    /* name of the file of data beside it */
	const char *title;
	guint panels;
	enum sl_plot_legend legend;
	const char *const *series; /* names for the legend; none: no legend */
	guint n_series;
};

/* Range of an axis, never empty. */
struct sl_plot_range {
	double low, high;
};

/* What the tails of a panel have in common; begins as {.least = 1}. */
struct sl_plot_tail {
	double longest; /* latency, us */
	double least;	/* share */
	guint points;	/* of the shortest; 0: there is none */
};

/* One run's map of threads that wait. */
struct sl_plot_run {
	guint map, moves; /* their data blocks */
	uint32_t ncpus;
	double end; /* of the run, in seconds */
	double bin; /* width of its map's bins, in seconds */
	double top; /* threads that wait at the colour scale's end */
};

/* Start and end of a script. */
void sl_plot_begin(struct sl_out *out, const struct sl_plot_grid *g);
void sl_plot_end(struct sl_out *out);
/* Begins panel i with its title and the labels of its axes ("" for none). */
void sl_plot_panel(struct sl_out *out, guint i, const char *title, const char *x, const char *y);
/* Ends a panel's plot command: the legend, in the first panel only. */
void sl_plot_legend(struct sl_out *out, const struct sl_plot_grid *g, guint i);

/* Contents of a panel, after sl_plot_panel(); block[k] is the data block of series k. */
void sl_plot_boxes(struct sl_out *out, const struct sl_plot_grid *g, guint i, const guint *block,
		   struct sl_plot_range range);
/* n: values of the series that has the fewest. */
void sl_plot_ecdf(struct sl_out *out, const struct sl_plot_grid *g, guint i, const guint *block,
		  size_t n, struct sl_plot_range range);
/* Of series that have a wake-up each. */
void sl_plot_tails(struct sl_out *out, const struct sl_plot_grid *g, guint i, const guint *block,
		   const struct sl_plot_tail *tail);
void sl_plot_map(struct sl_out *out, const struct sl_plot_run *run);

/* What they read, a block each; `name` is for the reader of the file. */
void sl_plot_write_values(struct sl_out *out, const char *name, const double *v, size_t n);
/* Also takes the tail into those of its panel. */
void sl_plot_write_tail(struct sl_out *out, const char *name, const struct sl_histogram *h,
			struct sl_plot_tail *tail);
/* The most threads that wait in a bin. */
double sl_plot_write_map(struct sl_out *out, const char *name, const struct sl_plot_watch *w,
			 sl_time end);
void sl_plot_write_moves(struct sl_out *out, const char *name, const struct sl_plot_watch *w);

/* Takes a value into a range; {INFINITY, -INFINITY} is the one without values. */
void sl_plot_widen(struct sl_plot_range *range, double value);
/* The range with a margin of `share` of its width; something sane for one without width. */
struct sl_plot_range sl_plot_padded(struct sl_plot_range range, double share);
/* A round step that makes about `most` marks over `span` > 0. */
double sl_plot_step(double span, int most);

#endif
