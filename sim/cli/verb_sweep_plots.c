/* SPDX-License-Identifier: BSD-2-Clause
 *
 * schedlab sweep report --plots: data files and gnuplot scripts that run by themselves.
 * Invariant: a script names no file but its data, which lies beside it. */
#include <math.h>
#include <string.h>

#include "sim/cli/gnuplot.h"
#include "sim/cli/verb_sweep_curve.h"
#include "sim/cli/verb_sweep_plots.h"
#include "sim/cli/verb_sweep_report.h"

static const struct sl_sweep_tcell *cell_at(const struct sl_sweep_plot *p, guint i)
{
	return &g_array_index(p->t->cell, struct sl_sweep_tcell, i);
}

struct sl_out *sl_sweep_plot_open(const struct sl_sweep_plot *p, const char *name)
{
	char *path = g_build_filename(p->dir, name, NULL);
	struct sl_out *out = sl_out_open(path, p->error);

	g_free(path);
	return out;
}

static void print_number(struct sl_out *out, double value)
{
	char text[G_ASCII_DTOSTR_BUF_SIZE];

	sl_out_text(out, g_ascii_formatd(text, sizeof(text), "%.17g", value));
}

guint sl_sweep_plot_series(const struct sl_sweep_plot *p, const char *policy)
{
	guint k = 0;

	while (strcmp(p->policy->pdata[k], policy) != 0)
		k++;
	return k;
}

/* --- Pages of panels ------------------------------------------------------------------------ */

/* A script for `what` .. `what` + n - 1, whose name ends with the page's number but for the first.
 */
static bool write_page(const struct sl_sweep_plot *p, const struct sl_sweep_kind *kind, guint page,
		       guint n, const void *const *what)
{
	char *number = page ? g_strdup_printf("-%u", page + 1) : g_strdup("");
	char *name = g_strdup_printf("%s-%s%s", p->base, kind->name, number);
	char *script = g_strconcat(name, ".gp", NULL), *words = sl_sweep_words(p->common);
	char *data = g_strconcat(p->base, kind->data, NULL);
	char *title = g_strdup_printf("%s: %s", words, kind->title);
	const struct sl_plot_grid g = {
		.command = p->cli->command_line,
		.name = name,
		.data = data,
		.title = title,
		.panels = n,
		.legend = kind->legend,
		.series = (const char *const *)p->policy->pdata,
		.n_series = kind->legend == SL_LEGEND_NONE ? 0 : p->policy->len,
	};
	struct sl_out *out = sl_sweep_plot_open(p, script);
	bool ok = out != NULL;

	if (ok) {
		sl_plot_begin(out, &g);
		for (guint i = 0; i < n; i++)
			kind->panel(p, out, &g, i, what[i]);
		sl_plot_end(out);
		ok = sl_out_close(out, p->error);
		g_ptr_array_add(p->script, g_strdup(script));
	}
	g_free(title);
	g_free(data);
	g_free(words);
	g_free(script);
	g_free(name);
	g_free(number);
	return ok;
}

bool sl_sweep_plot_pages(const struct sl_sweep_plot *p, const struct sl_sweep_kind *kind,
			 const GPtrArray *what)
{
	bool ok = true;

	for (guint i = 0; i < what->len && ok; i += SL_PLOT_PANELS)
		ok = write_page(p, kind, i / SL_PLOT_PANELS, MIN(what->len - i, SL_PLOT_PANELS),
				(const void *const *)what->pdata + i);
	return ok;
}

/* --- Curves over a parameter --------------------------------------------------------------- */

/* The curves of one place, one for each policy, and the axis that all places share. */
struct place {
	GPtrArray *curve; /* struct sl_sweep_curve * */
	GArray *block;	  /* guint: their data blocks */
	const char *param;
	const struct sl_plot_range *x;
	const GArray *value; /* double: values of the parameter */
	bool log;
};

static void free_place(gpointer data)
{
	struct place *place = data;

	g_ptr_array_unref(place->curve);
	g_array_unref(place->block);
	g_free(place);
}

static bool write_curve_data(const struct sl_sweep_plot *p, const GPtrArray *curves)
{
	char *name = g_strconcat(p->base, "-curve.dat", NULL);
	struct sl_out *out = sl_sweep_plot_open(p, name);

	g_free(name);
	if (!out)
		return false;
	for (guint i = 0; i < curves->len; i++) {
		const struct sl_sweep_curve *c = curves->pdata[i];

		sl_out_printf(out,
			      "%s# %s%s%s: value, mean, lower and upper end of its 95 %% "
			      "interval\n",
			      i ? "\n\n" : "", c->policy, *c->where ? ", " : "", c->where);
		for (guint k = 0; k < c->point->len; k++) {
			const struct sl_sweep_point *at =
				&g_array_index(c->point, struct sl_sweep_point, k);
			const double column[] = { at->x, at->mean, at->mean - at->half,
						  at->mean + at->half };

			for (size_t j = 0; j < SL_ARRAY_LEN(column); j++) {
				sl_out_char(out, j ? ' ' : '\n');
				print_number(out, column[j]);
			}
		}
	}
	sl_out_char(out, '\n');
	return sl_out_close(out, p->error);
}

/* The parameter's axis, with a mark at each value where they fit. */
static void print_x_axis(struct sl_out *out, const struct place *place)
{
	double low = place->x->low, high = place->x->high, margin = 0.06 * (high - low);

	if (place->log)
		margin = 0;
	sl_out_printf(out, "%sset xrange [", place->log ? "set logscale x\n" : "");
	print_number(out, place->log ? low * pow(high / low, -0.06) : low - margin);
	sl_out_char(out, ':');
	print_number(out, place->log ? high * pow(high / low, 0.06) : high + margin);
	sl_out_text(out, "]\nset xtics autofreq\n");
	if (place->value->len > 10)
		return;
	for (guint i = 0; i < place->value->len; i++) {
		sl_out_text(out, i ? ", " : "set xtics (");
		print_number(out, g_array_index(place->value, double, i));
	}
	sl_out_text(out, ")\n");
}

/* Column 1, moved a little so that the intervals of policies stand side by side. */
static void print_x(const struct sl_sweep_plot *p, struct sl_out *out, const struct place *place,
		    const struct sl_sweep_curve *c)
{
	double middle = (p->policy->len - 1.0) / 2;
	double share =
		MIN(0.015, 0.08 / p->policy->len) * (sl_sweep_plot_series(p, c->policy) - middle);

	sl_out_text(out, place->log ? "($1*" : "($1+");
	print_number(out, place->log ? pow(place->x->high / place->x->low, share)
				     : share * (place->x->high - place->x->low));
	sl_out_char(out, ')');
}

static void curve_panel(const struct sl_sweep_plot *p, struct sl_out *out,
			const struct sl_plot_grid *g, guint i, const void *what)
{
	const struct place *place = what;
	const struct sl_sweep_curve *c = place->curve->pdata[0];

	sl_plot_panel(out, i, c->where, place->param, i % 3 ? "" : p->axis);
	print_x_axis(out, place);
	for (guint k = 0; k < place->curve->len; k++) {
		c = place->curve->pdata[k];
		sl_out_printf(out, "%sdata index %u using ", k ? ", \\\n    " : "plot ",
			      g_array_index(place->block, guint, k));
		print_x(p, out, place, c);
		sl_out_printf(out, ":2:3:4 with yerrorlines linetype %u notitle",
			      sl_sweep_plot_series(p, c->policy) + 1);
	}
	sl_plot_legend(out, g, i);
}

/* How much faster than the first point of the same curve. */
static void speedup_panel(const struct sl_sweep_plot *p, struct sl_out *out,
			  const struct sl_plot_grid *g, guint i, const void *what)
{
	const struct place *place = what;
	const struct sl_sweep_curve *c = place->curve->pdata[0];
	bool larger = sl_metric_defs[p->t->metric].larger_is_better;

	sl_plot_panel(out, i, c->where, place->param, i % 3 ? "" : "times the first point's speed");
	print_x_axis(out, place);
	sl_out_text(out, "plot 1 with lines linecolor rgb \"#888888\" dashtype 2 notitle");
	for (guint k = 0; k < place->curve->len; k++) {
		const struct sl_sweep_point *at;

		c = place->curve->pdata[k];
		at = &g_array_index(c->point, struct sl_sweep_point, 0);
		sl_out_printf(out, ", \\\n    data index %u using ",
			      g_array_index(place->block, guint, k));
		print_x(p, out, place, c);
		sl_out_text(out, larger ? ":($2/" : ":(");
		print_number(out, at->mean);
		sl_out_printf(out, "%s) with linespoints linetype %u notitle", larger ? "" : "/$2",
			      sl_sweep_plot_series(p, c->policy) + 1);
	}
	sl_plot_legend(out, g, i);
}

static struct place *find_place(GPtrArray *places, const char *where)
{
	struct place *place;

	for (guint i = 0; i < places->len; i++) {
		const struct sl_sweep_curve *c;

		place = places->pdata[i];
		c = place->curve->pdata[0];
		if (strcmp(c->where, where) == 0)
			return place;
	}
	place = g_new0(struct place, 1);
	place->curve = g_ptr_array_new();
	place->block = g_array_new(FALSE, FALSE, sizeof(guint));
	g_ptr_array_add(places, place);
	return place;
}

/* Takes the parameter's values of a curve into the axis. */
static void note_values(const struct sl_sweep_curve *c, GArray *value, struct sl_plot_range *x)
{
	for (guint k = 0; k < c->point->len; k++) {
		double v = g_array_index(c->point, struct sl_sweep_point, k).x;
		guint i = 0;

		sl_plot_widen(x, v);
		while (i < value->len && g_array_index(value, double, i) != v)
			i++;
		if (i == value->len)
			g_array_append_val(value, v);
	}
}

/* Whether the values of a parameter grow as 1, 2, 4, ..., 16 do. */
static bool grows_by_factors(const GArray *value, const struct sl_plot_range *x)
{
	return value->len > 3 && x->low > 0 && x->high >= 16 * x->low &&
	       value->len <= 3 * log2(x->high / x->low);
}

static bool write_curves(const struct sl_sweep_plot *p)
{
	static const struct sl_sweep_kind curve = { "curve", "-curve.dat",
						    "means with 95 % intervals", SL_LEGEND_LINES,
						    curve_panel };
	static const struct sl_sweep_kind speedup = { "speedup", "-curve.dat", "speed-up",
						      SL_LEGEND_LINES, speedup_panel };
	struct sl_plot_range x = { INFINITY, -INFINITY };
	GArray *value = g_array_new(FALSE, FALSE, sizeof(double));
	GPtrArray *places = g_ptr_array_new_with_free_func(free_place);
	const char *param;
	GPtrArray *curves = sl_sweep_curves(p->t, p->from, &param);
	bool ok;

	for (guint i = 0; i < curves->len; i++) {
		struct sl_sweep_curve *c = curves->pdata[i];
		struct place *place = find_place(places, c->where);

		g_ptr_array_add(place->curve, c);
		g_array_append_val(place->block, i);
		note_values(c, value, &x);
		place->param = param;
		place->x = &x;
		place->value = value;
	}
	if (x.high <= x.low)
		x.high = x.low + 1;
	for (guint i = 0; i < places->len; i++)
		((struct place *)places->pdata[i])->log = grows_by_factors(value, &x);
	ok = !places->len ||
	     (write_curve_data(p, curves) && sl_sweep_plot_pages(p, &curve, places) &&
	      sl_sweep_plot_pages(p, &speedup, places));
	g_ptr_array_unref(places);
	g_ptr_array_unref(curves);
	g_array_unref(value);
	return ok;
}

/* --- Values: boxes with points, ECDF ------------------------------------------------------- */

/* The data blocks of a group's policies, the values' range, and the fewest values of a policy.
 * Block k belongs to cell from + k. */
static struct sl_plot_range find_group(const struct sl_sweep_plot *p,
				       const struct sl_sweep_tcell *first, guint *block,
				       size_t *least)
{
	guint i = (guint)(first - cell_at(p, 0));
	struct sl_plot_range range = { INFINITY, -INFINITY };

	*least = SIZE_MAX;
	for (guint k = 0; k < p->policy->len; k++)
		block[k] = SL_PLOT_NONE;
	for (guint end = sl_sweep_table_group_end(p->t, i); i < end; i++) {
		const struct sl_sweep_tcell *c = cell_at(p, i);

		if (c->n)
			block[sl_sweep_plot_series(p, c->policy)] = i - p->from;
		*least = c->n ? MIN(*least, c->n) : *least;
		for (size_t k = 0; k < c->n; k++)
			sl_plot_widen(&range, c->v[k]);
	}
	return sl_plot_padded(range, 0.05);
}

static void box_panel(const struct sl_sweep_plot *p, struct sl_out *out,
		      const struct sl_plot_grid *g, guint i, const void *what)
{
	guint *block = g_new(guint, p->policy->len);
	size_t least;
	struct sl_plot_range range = find_group(p, what, block, &least);
	char *title = sl_sweep_short(what, p->common, NULL);

	sl_plot_panel(out, i, title, "", i % 3 ? "" : p->axis);
	sl_plot_boxes(out, g, i, block, range);
	g_free(title);
	g_free(block);
}

static void ecdf_panel(const struct sl_sweep_plot *p, struct sl_out *out,
		       const struct sl_plot_grid *g, guint i, const void *what)
{
	guint *block = g_new(guint, p->policy->len);
	size_t least;
	struct sl_plot_range range = find_group(p, what, block, &least);
	char *title = sl_sweep_short(what, p->common, NULL);

	sl_plot_panel(out, i, title, p->axis, i % 3 ? "" : "share of runs");
	sl_plot_ecdf(out, g, i, block, least, range);
	g_free(title);
	g_free(block);
}

static bool write_values(const struct sl_sweep_plot *p)
{
	char *name = g_strconcat(p->base, "-values.dat", NULL);
	struct sl_out *out = sl_sweep_plot_open(p, name);

	g_free(name);
	if (!out)
		return false;
	for (guint i = p->from; i < p->to; i++) {
		const struct sl_sweep_tcell *c = cell_at(p, i);
		char *label = sl_sweep_table_label(c);
		char *title = g_strdup_printf("%s under %s", label, c->policy);

		sl_plot_write_values(out, title, c->v, c->n);
		g_free(title);
		g_free(label);
	}
	return sl_out_close(out, p->error);
}

/* A panel for each group that has a value. */
static bool write_groups(const struct sl_sweep_plot *p)
{
	static const struct sl_sweep_kind box = { "box", "-values.dat", "runs", SL_LEGEND_BOXES,
						  box_panel };
	static const struct sl_sweep_kind ecdf = { "ecdf", "-values.dat",
						   "share of runs up to a value", SL_LEGEND_LINES,
						   ecdf_panel };
	GPtrArray *groups = g_ptr_array_new();
	bool ok;

	for (guint i = p->from; i < p->to;) {
		guint end = sl_sweep_table_group_end(p->t, i), k = i;

		while (k < end && cell_at(p, k)->n == 0)
			k++;
		if (k < end)
			g_ptr_array_add(groups,
					&g_array_index(p->t->cell, struct sl_sweep_tcell, i));
		i = end;
	}
	ok = write_values(p) && sl_sweep_plot_pages(p, &box, groups) &&
	     sl_sweep_plot_pages(p, &ecdf, groups);
	g_ptr_array_unref(groups);
	return ok;
}

/* --- All of a metric ------------------------------------------------------------------------ */

/* A name for files: the block, and what is drawn of it. */
static char *base_name(const struct sl_sweep_plot *p, const char *what)
{
	const struct sl_sweep_tcell *c = cell_at(p, p->from);
	const struct sl_sweep_tblock *b = p->t->block->pdata[c->block];
	char *base = g_strdup_printf("%u-%s%s%s", c->block + 1, b->name, *what ? "-" : "", what);

	for (char *at = base; *at; at++)
		if (!g_ascii_isalnum(*at) && *at != '-' && *at != '.')
			*at = '_';
	return base;
}

bool sl_sweep_plot_draw(const struct sl_sweep_plot *p)
{
	bool ok = true;

	for (guint i = 0; i < p->script->len && ok && sl_gnuplot_is_here(); i++)
		ok = sl_gnuplot_run(p->cli, p->dir, p->script->pdata[i], "svg", p->error);
	return ok;
}

void sl_sweep_plot_init(struct sl_sweep_plot *p, const char *what)
{
	p->to = sl_sweep_block_end(p->t, p->from);
	p->base = base_name(p, what);
	p->common = sl_sweep_common(p->t, p->from);
	p->policy = g_ptr_array_new();
	p->script = g_ptr_array_new_with_free_func(g_free);
	for (guint i = p->from; i < p->to; i++) {
		guint k = 0;

		while (k < p->policy->len &&
		       strcmp(p->policy->pdata[k], cell_at(p, i)->policy) != 0)
			k++;
		if (k == p->policy->len)
			g_ptr_array_add(p->policy, (char *)(uintptr_t)cell_at(p, i)->policy);
	}
}

void sl_sweep_plot_clear(struct sl_sweep_plot *p)
{
	g_ptr_array_unref(p->script);
	g_ptr_array_unref(p->policy);
	g_ptr_array_unref(p->common);
	g_free(p->base);
	g_free(p->axis);
}

static bool write_block(struct sl_sweep_plot *p)
{
	const struct sl_metric_def *m = &sl_metric_defs[p->t->metric];
	bool ok;

	sl_sweep_plot_init(p, m->name);
	p->axis = g_strdup_printf("%s%s%s", m->name, *m->unit ? ", " : "", m->unit);
	ok = write_curves(p) && write_groups(p) && sl_sweep_plot_draw(p);
	sl_sweep_plot_clear(p);
	return ok;
}

bool sl_sweep_write_plots(const struct sl_cli *cli, const struct sl_sweep_table *t, const char *dir,
			  GError **error)
{
	bool ok = g_mkdir_with_parents(dir, 0777) == 0;

	if (!ok)
		g_set_error(error, SL_CLI_ERROR, 0, "%s: cannot make this folder: %s", dir,
			    g_strerror(errno));
	for (guint i = 0; ok && i < t->cell->len; i = sl_sweep_block_end(t, i)) {
		struct sl_sweep_plot p = {
			.cli = cli,
			.t = t,
			.dir = dir,
			.from = i,
			.error = error,
		};

		if (g_array_index(t->cell, struct sl_sweep_tcell, i).v)
			ok = write_block(&p);
	}
	return ok;
}
