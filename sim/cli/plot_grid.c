/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Invariant: a panel leaves every setting that another kind of panel relies on as
 * sl_plot_begin() set it, and every range is given, so that gnuplot warns of none. */
#include "sim/cli/plot_grid.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/cli/gnuplot.h"

/* Sizes in pixels. */
#define WIDTH	     1200
#define NARROW	     900 /* for one panel */
#define PANEL	     260
#define ALONE	     400 /* the same for one panel */
#define GAP	     105 /* between rows: tics, label, title */
#define HEAD	     70
#define FOOT	     72 /* tics and label */
#define LEGEND_LINE  18
#define LEGEND_CHARS 138 /* that fit side by side on 1200 pixels */

static const char preamble[] =
	"if (!exists(\"format\")) format = \"svg\"\n"
	"if (format eq \"svg\") set terminal svg size width,height dynamic background \"white\"\n"
	"if (format eq \"png\") set terminal pngcairo size width,height\n"
	"if (format eq \"pdf\") set terminal pdfcairo size width*0.025cm,height*0.025cm "
	"font \",9\"\n"
	"if (format eq \"dumb\") set terminal dumb width/8,height/12\n"
	"if (format eq \"sixel\") set terminal sixelgd size width,height\n"
	"set output name.\".\".(format eq \"dumb\" ? \"txt\" : format)\n"
	/* Okabe and Ito's colours, which the colour-blind tell apart. */
	"colours = \"#0072b2 #d55e00 #009e73 #cc79a7 #e69f00 #56b4e9 #444444 #8a6d00\"\n"
	"shapes = \"7 5 9 11 13 6 4 8\"\n"
	"do for [i=1:64] {\n"
	"    set linetype i linewidth 1.5 linecolor rgb word(colours, (i-1)%8+1) \\\n"
	"        pointtype int(word(shapes, (i-1)%8+1)) dashtype 1\n"
	"}\n"
	"set linetype cycle 64\n"
	"set grid\nset style boxplot nooutliers\nset style fill solid 0.35 border\n"
	/* Spreads points that lie on each other, the same way at every run. */
	"spread(n) = 0.618034*n - floor(0.618034*n)\n";

static guint columns_of(const struct sl_plot_grid *g)
{
	return MIN(g->panels, 3);
}

/* Legend lines: as many entries side by side as the longest allows. */
static guint legend_lines(const struct sl_plot_grid *g)
{
	gsize longest = 1, width = g->panels > 1 ? LEGEND_CHARS : LEGEND_CHARS * NARROW / WIDTH;
	guint fit;

	for (guint k = 0; k < g->n_series; k++)
		longest = MAX(longest, strlen(g->series[k]));
	fit = MAX((guint)(width / (longest + 12)), 1);
	return (g->n_series + fit - 1) / fit;
}

static void print_quoted(struct sl_out *out, const char *text)
{
	char *quoted = sl_gnuplot_quote(text);

	sl_out_text(out, quoted);
	g_free(quoted);
}

static void print_number(struct sl_out *out, double value)
{
	char text[G_ASCII_DTOSTR_BUF_SIZE];

	sl_out_text(out, g_ascii_formatd(text, sizeof(text), "%.17g", value));
}

void sl_plot_begin(struct sl_out *out, const struct sl_plot_grid *g)
{
	guint columns = columns_of(g), rows = (g->panels + columns - 1) / columns;
	guint lines = legend_lines(g), foot = FOOT + lines * LEGEND_LINE;

	sl_out_printf(out,
		      "# schedlab " SL_VERSION ": %s\n"
		      "# gnuplot FILE makes an SVG; gnuplot -e 'format=\"png\"' FILE (or pdf, "
		      "dumb, sixel)\nname = ",
		      g->command);
	print_quoted(out, g->name);
	sl_out_text(out, "\ndata = ");
	print_quoted(out, g->data);
	sl_out_printf(out, "\nwidth = %d\nheight = %u\n%sset multiplot layout %u,%u title ",
		      columns > 1 ? WIDTH : NARROW,
		      HEAD + rows * ((g->panels > 1 ? PANEL : ALONE) + GAP) - GAP + foot, preamble,
		      rows, columns);
	print_quoted(out, g->title);
	sl_out_printf(out,
		      " noenhanced \\\n    margins screen 95.0/width, 1-70.0/width, %u.0/height, "
		      "1-%d.0/height \\\n    spacing screen 95.0/width, %d.0/height\n",
		      foot, HEAD, GAP);
	if (g->n_series)
		sl_out_printf(out,
			      "set key at screen 0.5,4.0/height center bottom vertical Left "
			      "reverse maxrows %u noenhanced\n",
			      lines);
	else
		sl_out_text(out, "unset key\n");
}

void sl_plot_end(struct sl_out *out)
{
	sl_out_text(out, "unset multiplot\n");
}

void sl_plot_panel(struct sl_out *out, guint i, const char *title, const char *x, const char *y)
{
	sl_out_text(out, i ? "unset key\nset title " : "set title ");
	print_quoted(out, title);
	sl_out_text(out, " noenhanced\nset xlabel ");
	print_quoted(out, x);
	sl_out_text(out, " noenhanced\nset ylabel ");
	print_quoted(out, y);
	sl_out_text(out, " noenhanced\n");
}

void sl_plot_legend(struct sl_out *out, const struct sl_plot_grid *g, guint i)
{
	static const char *const styles[] = {
		[SL_LEGEND_BOXES] = "points pointtype 5 pointsize 2",
		[SL_LEGEND_LINES] = "linespoints",
	};

	for (guint k = 0; i == 0 && k < g->n_series; k++) {
		sl_out_printf(out, ", \\\n    keyentry with %s linetype %u title ",
			      styles[g->legend], k + 1);
		print_quoted(out, g->series[k]);
	}
	sl_out_char(out, '\n');
}

/* For axes, where the last digit does not matter. */
static void print_round(struct sl_out *out, double value)
{
	char text[G_ASCII_DTOSTR_BUF_SIZE];

	sl_out_text(out, g_ascii_formatd(text, sizeof(text), "%.10g", value));
}

static void print_range(struct sl_out *out, const char *axis, struct sl_plot_range range)
{
	sl_out_printf(out, "set %srange [", axis);
	print_round(out, range.low);
	sl_out_char(out, ':');
	print_round(out, range.high);
	sl_out_text(out, "]\n");
}

/* --- Panels -------------------------------------------------------------------------------- */

/* Lines with a mark at every sixth of their points, or less often. Marks of series that coincide
 * lie side by side, so that none hides another. n: points of the shortest line. */
static void print_lines(struct sl_out *out, const struct sl_plot_grid *g, guint i,
			const guint *block, const char *using, const char *how, size_t n)
{
	const char *before = "plot ";
	guint every = MAX((guint)(n / 6), MAX(g->n_series, 1));

	for (guint k = 0; k < g->n_series; k++) {
		if (block[k] == SL_PLOT_NONE)
			continue;
		sl_out_printf(out,
			      "%sdata index %u using %s with %s linetype %u notitle, \\\n    data "
			      "index %u every %u::%u using %s with points linetype %u notitle",
			      before, block[k], using, how, k + 1, block[k], every,
			      (guint)(k * every / g->n_series % MAX(n, 1)), using, k + 1);
		before = ", \\\n    ";
	}
	sl_plot_legend(out, g, i);
}

void sl_plot_boxes(struct sl_out *out, const struct sl_plot_grid *g, guint i, const guint *block,
		   struct sl_plot_range range)
{
	const char *before = "plot ";

	print_range(out, "y", range);
	sl_out_printf(out, "set xrange [0.5:%u.5]\nset xtics format \"\" scale 0 1,1,%u\n",
		      g->n_series, g->n_series);
	for (guint k = 0; k < g->n_series; k++) {
		if (block[k] == SL_PLOT_NONE)
			continue;
		sl_out_printf(out,
			      "%sdata index %u using (%u.83):1:(0.4) with boxplot linetype %u "
			      "notitle, \\\n    data index %u using (%u.1+0.25*spread($0)):1 with "
			      "points pointtype 7 pointsize 0.35 linetype %u notitle",
			      before, block[k], k, k + 1, block[k], k + 1, k + 1);
		before = ", \\\n    ";
	}
	sl_plot_legend(out, g, i);
	sl_out_text(out, "set xtics autofreq format \"%h\" scale 1\n");
}

void sl_plot_ecdf(struct sl_out *out, const struct sl_plot_grid *g, guint i, const guint *block,
		  size_t n, struct sl_plot_range range)
{
	print_range(out, "x", range);
	sl_out_text(out, "set yrange [0:1.02]\nset xtics ");
	print_round(out, sl_plot_step(range.high - range.low, 4));
	sl_out_char(out, '\n');
	print_lines(out, g, i, block, "1:2", "steps", n);
	sl_out_text(out, "set xtics autofreq\n");
}

void sl_plot_tails(struct sl_out *out, const struct sl_plot_grid *g, guint i, const guint *block,
		   const struct sl_plot_tail *tail)
{
	sl_out_text(out, "set logscale xy\n"
			 "set format xy (format eq \"dumb\" ? \"1e%T\" : \"10^{%T}\")\n");
	print_range(out, "x", (struct sl_plot_range){ 0.1, fmax(1, 1.5 * tail->longest) });
	print_range(out, "y", (struct sl_plot_range){ fmin(0.5 * tail->least, 0.5), 1 });
	if (tail->points) {
		print_lines(out, g, i, block, "($1 > 0.1 ? $1 : 0.1):2", "lines", tail->points);
	} else {
		sl_out_text(out, "set label 1 \"nobody was woken\" at graph 0.5,0.5 center\n"
				 "plot 2 notitle");
		sl_plot_legend(out, g, i);
		sl_out_text(out, "unset label 1\n");
	}
	sl_out_text(out, "unset logscale\nset format xy \"%h\"\n");
}

void sl_plot_map(struct sl_out *out, const struct sl_plot_run *run)
{
	double top = run->top > 0 ? run->top : 1;

	sl_out_printf(out,
		      "set ytics %u\nset yrange [-0.5:%u.5]\n"
		      "set palette defined (0 \"#ffffff\", 1 \"#fdd49e\", 5 \"#ef6548\", 20 "
		      "\"#7f0000\")\nunset grid\nset style fill solid 1 border\n",
		      (run->ncpus + 7) / 8, run->ncpus - 1);
	print_range(out, "cb", (struct sl_plot_range){ 0, top });
	print_range(out, "x", (struct sl_plot_range){ 0, run->end });
	sl_out_text(out, "set cbtics ");
	print_round(out, sl_plot_step(top, 6));
	sl_out_text(out, "\nset xtics ");
	print_round(out, sl_plot_step(run->end, 6));
	/* Text has no colours: the height of points above the CPU's floor stands for them. */
	sl_out_printf(out,
		      "\nif (format eq \"dumb\") unset colorbox; plot data index %u using "
		      "1:($2-0.5+0.9*$3/",
		      run->map);
	print_round(out, top);
	/* Boxes and not an image, which needs two rows and two columns. */
	sl_out_printf(out,
		      ") with dots notitle\n"
		      "if (format ne \"dumb\") plot data index %u using 1:2:(",
		      run->map);
	print_round(out, run->bin / 2);
	sl_out_printf(
		out,
		"):(0.5):3 with boxxyerror linewidth 0.5 linecolor palette notitle, \\\n    "
		"data index %u using 1:($2-0.5):(0):(0.4*$4) with vectors nohead linewidth 1.5 "
		"linecolor rgb \"#0072b2\" notitle\nset grid\nset style fill solid 0.35 "
		"border\nset xtics autofreq\nset ytics autofreq\n",
		run->moves);
}

/* --- Data ---------------------------------------------------------------------------------- */

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

void sl_plot_write_values(struct sl_out *out, const char *name, const double *v, size_t n)
{
	double *sorted = g_new(double, n + 1);

	for (size_t i = 0; i < n; i++)
		sorted[i] = v[i];
	qsort(sorted, n, sizeof(*sorted), ascending);
	sl_out_printf(out, "# %s: value, share of values up to it\n", name);
	for (size_t i = 0; i < n; i++) {
		print_number(out, sorted[i]);
		sl_out_char(out, ' ');
		print_number(out, (double)(i + 1) / (double)n);
		sl_out_char(out, '\n');
	}
	if (n == 0)
		sl_out_text(out, "NaN NaN\n");
	sl_out_text(out, "\n\n");
	g_free(sorted);
}

/* Points of 1 - F, from all wake-ups to the last one. */
void sl_plot_write_tail(struct sl_out *out, const char *name, const struct sl_histogram *h,
			struct sl_plot_tail *tail)
{
	guint points = 0;

	sl_out_printf(out, "# %s: latency from wake-up to run in us, share of wake-ups above it\n",
		      name);
	for (double above = 1; h->count && above * (double)h->count >= 1; above *= 0.8) {
		double us = (double)sl_histogram_quantile(h, 1 - above, 0.95).value / 1e3;

		sl_out_printf(out, "%.3f %.9f\n", us, above);
		tail->longest = fmax(tail->longest, us);
		tail->least = fmin(tail->least, above);
		points++;
	}
	if (h->count == 0)
		sl_out_text(out, "NaN NaN\n");
	else
		tail->points = tail->points ? MIN(tail->points, points) : points;
	sl_out_text(out, "\n\n");
}

double sl_plot_write_map(struct sl_out *out, const char *name, const struct sl_plot_watch *w,
			 sl_time end)
{
	double top = 0;

	sl_out_printf(out, "# %s: seconds, CPU, threads that wait\n", name);
	for (uint32_t cpu = 0; cpu < w->ncpus; cpu++)
		for (sl_time bin = 0; bin * w->width < end; bin++) {
			double waiting = (double)w->waited[(gsize)cpu * SL_PLOT_BINS + bin] /
					 (double)MIN(w->width, end - bin * w->width);

			sl_out_printf(out, "%.9f %u %.4f\n",
				      ((double)bin + 0.5) * (double)w->width / SL_NS_PER_S, cpu,
				      waiting);
			top = fmax(top, waiting);
		}
	sl_out_text(out, "\n\n");
	return top;
}

void sl_plot_write_moves(struct sl_out *out, const char *name, const struct sl_plot_watch *w)
{
	uint64_t most = 0;

	for (gsize i = 0; i < (gsize)w->ncpus * SL_PLOT_BINS; i++)
		most = MAX(most, w->moved[i]);

	sl_out_printf(out, "# %s: seconds, CPU, migrations to it, share of the most\n", name);
	for (gsize i = 0; i < (gsize)w->ncpus * SL_PLOT_BINS; i++) {
		if (!w->moved[i])
			continue;
		sl_out_printf(out, "%.9f %u %u %.4f\n",
			      ((double)(i % SL_PLOT_BINS) + 0.5) * (double)w->width / SL_NS_PER_S,
			      (unsigned)(i / SL_PLOT_BINS), (unsigned)w->moved[i],
			      (double)w->moved[i] / (double)most);
	}
	if (most == 0)
		sl_out_text(out, "NaN NaN NaN NaN\n");
	sl_out_text(out, "\n\n");
}

/* --- Ranges -------------------------------------------------------------------------------- */

void sl_plot_widen(struct sl_plot_range *range, double value)
{
	range->low = fmin(range->low, value);
	range->high = fmax(range->high, value);
}

struct sl_plot_range sl_plot_padded(struct sl_plot_range range, double share)
{
	double width = range.high - range.low;

	if (!(width >= 0) || !isfinite(width))
		return (struct sl_plot_range){ 0, 1 };
	/* Rounding errors are no width. */
	if (width <= 1e-9 * fabs(range.high))
		width = range.high != 0 ? 0.1 * fabs(range.high) / share : 1 / share;
	return (struct sl_plot_range){ range.low - share * width, range.high + share * width };
}

double sl_plot_step(double span, int most)
{
	double step = pow(10, floor(log10(span / most)));

	return span / step > 5 * most	? 10 * step
	       : span / step > 2 * most ? 5 * step
	       : span / step > most	? 2 * step
					: step;
}
