/* SPDX-License-Identifier: BSD-2-Clause
 *
 * schedlab sweep report --html: tables, pictures and commands of one metric.
 * Invariant: every text that came from a file is escaped; pictures are SVG inside the
 * page, which refers to nothing outside itself. */
#include <math.h>
#include <string.h>

#include "sim/cli/plot_grid.h"
#include "sim/cli/verb_sweep_curve.h"
#include "sim/cli/verb_sweep_report.h"

/* Distinguishable without colour too: line patterns go with them. */
static const struct {
	const char *colour, *dash;
} styles[] = {
	{ "#0b6fb8", "" },	  { "#c4401c", "6 3" }, { "#2f7d32", "2 3" },
	{ "#7a3fa0", "8 3 2 3" }, { "#8a6d00", "1 4" }, { "#444444", "12 4" },
};

static const struct sl_sweep_tcell *cell_at(const struct sl_sweep_table *t, guint i)
{
	return &g_array_index(t->cell, struct sl_sweep_tcell, i);
}

static void add_escaped(GString *page, const char *text)
{
	char *escaped = g_markup_escape_text(text, -1);

	g_string_append(page, escaped);
	g_free(escaped);
}

/* --- Curves -------------------------------------------------------------------------------- */

#define WIDTH  720
#define HEIGHT 360
#define LEFT   90
#define RIGHT  20
#define TOP    15
#define BOTTOM 45

struct frame {
	double x0, x1, y0, y1;
};

static double at_x(const struct frame *f, double x)
{
	return LEFT + (x - f->x0) / (f->x1 - f->x0) * (WIDTH - LEFT - RIGHT);
}

static double at_y(const struct frame *f, double y)
{
	return HEIGHT - BOTTOM - (y - f->y0) / (f->y1 - f->y0) * (HEIGHT - TOP - BOTTOM);
}

static void find_frame(const GPtrArray *curves, struct frame *f)
{
	*f = (struct frame){ INFINITY, -INFINITY, INFINITY, -INFINITY };
	for (guint i = 0; i < curves->len; i++) {
		const struct sl_sweep_curve *c = curves->pdata[i];

		for (guint k = 0; k < c->point->len; k++) {
			const struct sl_sweep_point *p =
				&g_array_index(c->point, struct sl_sweep_point, k);

			f->x0 = fmin(f->x0, p->x);
			f->x1 = fmax(f->x1, p->x);
			f->y0 = fmin(f->y0, p->mean - p->half);
			f->y1 = fmax(f->y1, p->mean + p->half);
		}
	}
	if (!(f->x1 > f->x0))
		f->x1 = f->x0 + 1;
	if (!(f->y1 > f->y0))
		f->y1 = f->y0 + 1;
	f->y0 -= 0.05 * (f->y1 - f->y0);
	f->y1 += 0.05 * (f->y1 - f->y0);
}

static void add_axes(GString *page, const struct frame *f, const char *param,
		     const struct sl_metric_def *m)
{
	double step = sl_plot_step(f->y1 - f->y0, 6);

	g_string_append_printf(page,
			       "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"none\" "
			       "stroke=\"#888\"/>",
			       LEFT, TOP, WIDTH - LEFT - RIGHT, HEIGHT - TOP - BOTTOM);
	for (double y = ceil(f->y0 / step) * step; y <= f->y1; y += step)
		g_string_append_printf(page,
				       "<line x1=\"%d\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\" "
				       "stroke=\"#ddd\"/><text x=\"%d\" y=\"%.1f\" "
				       "text-anchor=\"end\">%.6g</text>",
				       LEFT, WIDTH - RIGHT, at_y(f, y), at_y(f, y), LEFT - 6,
				       at_y(f, y) + 4, fabs(y) < step / 1e6 ? 0.0 : y);
	step = fmax(sl_plot_step(f->x1 - f->x0, 10), 1);
	for (double x = ceil(f->x0 / step) * step; x <= f->x1; x += step)
		g_string_append_printf(page,
				       "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%g</text>",
				       at_x(f, x), HEIGHT - BOTTOM + 18, x);
	g_string_append_printf(page, "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">",
			       (LEFT + WIDTH - RIGHT) / 2, HEIGHT - 6);
	add_escaped(page, param);
	g_string_append_printf(page,
			       "</text><text x=\"14\" y=\"%d\" text-anchor=\"middle\" "
			       "transform=\"rotate(-90 14 %d)\">%s%s%s</text>",
			       HEIGHT / 2, HEIGHT / 2, m->name, *m->unit ? ", " : "", m->unit);
}

static void add_curve(GString *page, const struct frame *f, const struct sl_sweep_curve *c, guint i)
{
	const char *colour = styles[i % SL_ARRAY_LEN(styles)].colour;

	g_string_append_printf(page,
			       "<polyline fill=\"none\" stroke=\"%s\" stroke-width=\"2\" "
			       "stroke-dasharray=\"%s\" points=\"",
			       colour, styles[i % SL_ARRAY_LEN(styles)].dash);
	for (guint k = 0; k < c->point->len; k++) {
		const struct sl_sweep_point *p = &g_array_index(c->point, struct sl_sweep_point, k);

		g_string_append_printf(page, "%.1f,%.1f ", at_x(f, p->x), at_y(f, p->mean));
	}
	g_string_append(page, "\"/>");
	for (guint k = 0; k < c->point->len; k++) {
		const struct sl_sweep_point *p = &g_array_index(c->point, struct sl_sweep_point, k);

		g_string_append_printf(page,
				       "<line x1=\"%.1f\" x2=\"%.1f\" y1=\"%.1f\" y2=\"%.1f\" "
				       "stroke=\"%s\"/><circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\" "
				       "fill=\"%s\"><title>%g: %.6g &#177; %.2g</title></circle>",
				       at_x(f, p->x), at_x(f, p->x), at_y(f, p->mean - p->half),
				       at_y(f, p->mean + p->half), colour, at_x(f, p->x),
				       at_y(f, p->mean), colour, p->x, p->mean, p->half);
	}
}

/* As text of the page, which is readable where the picture is narrow. */
static void add_legend(GString *page, const GPtrArray *curves)
{
	g_string_append(page, "<ul class=\"legend\">");
	for (guint i = 0; i < curves->len; i++) {
		const struct sl_sweep_curve *c = curves->pdata[i];

		g_string_append_printf(page,
				       "<li><svg xmlns=\"http://www.w3.org/2000/svg\" "
				       "aria-hidden=\"true\" width=\"40\" height=\"10\">"
				       "<line x2=\"40\" y1=\"5\" y2=\"5\" stroke=\"%s\" "
				       "stroke-width=\"2\" stroke-dasharray=\"%s\"/></svg> ",
				       styles[i % SL_ARRAY_LEN(styles)].colour,
				       styles[i % SL_ARRAY_LEN(styles)].dash);
		add_escaped(page, c->policy);
		g_string_append(page, *c->where ? ", " : "");
		add_escaped(page, c->where);
		g_string_append(page, "</li>");
	}
	g_string_append(page, "</ul>\n");
}

static void add_curves(const struct sl_sweep_table *t, guint i, GString *page)
{
	const char *param;
	GPtrArray *curves = sl_sweep_curves(t, i, &param);
	struct frame f;

	if (param && curves->len) {
		find_frame(curves, &f);
		g_string_append_printf(page,
				       "<svg class=\"plot\" role=\"img\" "
				       "xmlns=\"http://www.w3.org/2000/svg\" "
				       "viewBox=\"0 0 %d %d\" width=\"%d\" "
				       "font-family=\"sans-serif\"><title>%s over ",
				       WIDTH, HEIGHT, WIDTH, sl_metric_defs[t->metric].name);
		add_escaped(page, param);
		g_string_append(page, "</title>");
		add_axes(page, &f, param, &sl_metric_defs[t->metric]);
		for (guint k = 0; k < curves->len; k++)
			add_curve(page, &f, curves->pdata[k], k);
		g_string_append(page, "</svg>\n");
		add_legend(page, curves);
	}
	g_ptr_array_unref(curves);
}

/* --- Tables -------------------------------------------------------------------------------- */

static void add_cell(GString *page, const struct sl_sweep_tcell *c)
{
	double percent = 100 / fabs(c->sum.avg - c->diff);

	g_string_append_printf(page, "<td%s>",
			       c->better  ? " class=\"better\""
			       : c->worse ? " class=\"worse\""
					  : "");
	if (c->n == 0) {
		g_string_append(page, "missing</td>");
		return;
	}
	g_string_append_printf(page, "%.6g", c->sum.avg);
	if (c->n > 1)
		g_string_append_printf(page, " (s %.2g)", c->sum.stddev);
	if (c->compared && c->identical)
		g_string_append(page, "<br>identical");
	else if (c->compared && isfinite(percent))
		g_string_append_printf(page, "<br>%+.2f %% [%+.2f, %+.2f]<br>%s", c->diff * percent,
				       c->low * percent, c->high * percent,
				       sl_sweep_table_verdict(c));
	else if (c->compared)
		g_string_append_printf(page, "<br>%+.4g [%+.4g, %+.4g]<br>%s", c->diff, c->low,
				       c->high, sl_sweep_table_verdict(c));
	g_string_append(page, "</td>");
}

/* Long names may be broken after their commas, for narrow pages. */
static void add_label(GString *page, const char *label)
{
	char **part = g_strsplit(label, ",", -1);

	for (char **p = part; *p; p++) {
		g_string_append(page, p > part ? ",<wbr>" : "");
		add_escaped(page, *p);
	}
	g_strfreev(part);
}

static void add_geomeans(const struct sl_sweep_table *t, guint from, guint to, GString *page)
{
	guint columns = sl_sweep_table_group_end(t, from) - from;

	g_string_append(page, "<tr><th>geometric mean of ratios</th><td>1</td>");
	for (guint k = 1; k < columns; k++) {
		struct sl_geomean mean = sl_sweep_table_geomean(t, from, to, k);
		char *text = sl_sweep_geomean_text(&mean);

		g_string_append_printf(page, "<td>%s</td>", text);
		g_free(text);
	}
	g_string_append(page, "</tr>\n");
}

static void add_table(const struct sl_sweep_table *t, guint from, guint to, GString *page)
{
	g_string_append(page, "<div class=\"wide\"><table><tr><th>cell</th>");
	for (guint k = from; k < sl_sweep_table_group_end(t, from); k++) {
		g_string_append(page, "<th>");
		add_escaped(page, cell_at(t, k)->policy);
		g_string_append(page, "</th>");
	}
	g_string_append(page, "</tr>\n");
	for (guint i = from; i < to;) {
		guint end = sl_sweep_table_group_end(t, i);
		char *label = sl_sweep_table_label(cell_at(t, i));

		g_string_append(page, "<tr><th>");
		add_label(page, label);
		g_string_append(page, "</th>");
		for (; i < end; i++)
			add_cell(page, cell_at(t, i));
		g_string_append(page, "</tr>\n");
		g_free(label);
	}
	if (sl_sweep_table_has_geomean(t, from, to))
		add_geomeans(t, from, to, page);
	g_string_append(page, "</table></div>\n");
}

static void add_commands(const struct sl_sweep_table *t, guint from, guint to, GString *page)
{
	g_string_append(page, "<details><summary>Commands that repeat each cell</summary><pre>");
	for (guint i = from; i < to; i++) {
		char *command = sl_sweep_table_command(cell_at(t, i));

		g_string_append_printf(page, "# %s\n", cell_at(t, i)->hash);
		add_escaped(page, command);
		g_string_append_c(page, '\n');
		g_free(command);
	}
	g_string_append(page, "</pre></details>\n");
}

void sl_sweep_add_html(const struct sl_sweep_table *t, GString *page)
{
	const struct sl_metric_def *m = &sl_metric_defs[t->metric];

	for (guint i = 0; i < t->cell->len; i = sl_sweep_block_end(t, i)) {
		const struct sl_sweep_tblock *b = t->block->pdata[cell_at(t, i)->block];
		guint to = sl_sweep_block_end(t, i);

		if (!cell_at(t, i)->v)
			continue;
		g_string_append(page, "<section><h2>");
		add_escaped(page, b->name);
		g_string_append_printf(
			page,
			": %s%s%s</h2><p>%s is better; the first %u of each cell&#8217;s "
			"runs left out.</p>\n",
			m->name, *m->unit ? " in " : "", m->unit,
			m->larger_is_better ? "Larger" : "Smaller", b->discard);
		add_curves(t, i, page);
		add_table(t, i, to, page);
		add_commands(t, i, to, page);
		g_string_append(page, "</section>\n");
	}
}
