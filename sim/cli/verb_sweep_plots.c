/* SPDX-License-Identifier: BSD-2-Clause
 *
 * schedlab sweep report --plots: data files and gnuplot scripts that run by themselves.
 * Invariant: a script names no file but its data, which lies beside it. */
#include <stdlib.h>
#include <string.h>

#include "sim/cli/gnuplot.h"
#include "sim/cli/out.h"
#include "sim/cli/verb_sweep_curve.h"
#include "sim/cli/verb_sweep_report.h"

/* Begins every script; `format` may be set with gnuplot -e. */
static const char preamble[] =
	"# gnuplot FILE makes an SVG; gnuplot -e 'format=\"png\"' FILE (or pdf, dumb, sixel)\n"
	"if (!exists(\"format\")) format = \"svg\"\n"
	"if (format eq \"svg\") set terminal svg size 900,600 dynamic background \"white\"\n"
	"if (format eq \"png\") set terminal pngcairo size 900,600\n"
	"if (format eq \"pdf\") set terminal pdfcairo size 18cm,12cm\n"
	"if (format eq \"dumb\") set terminal dumb 100,35\n"
	"if (format eq \"sixel\") set terminal sixelgd\n"
	"if (format ne \"dumb\" && format ne \"sixel\") set output \"%s.\".format\n"
	"set grid\nset key outside bottom center noenhanced\n";

struct plot {
	const struct sl_sweep_table *t;
	const char *dir;
	char *base; /* file name without suffix */
	guint from, to;
	GError **error;
};

static struct sl_out *open_file(const struct plot *p, const char *suffix)
{
	char *name = g_strconcat(p->base, suffix, NULL);
	char *path = g_build_filename(p->dir, name, NULL);
	struct sl_out *out = sl_out_open(path, p->error);

	g_free(path);
	g_free(name);
	return out;
}

static void print_number(struct sl_out *out, double value)
{
	char text[G_ASCII_DTOSTR_BUF_SIZE];

	sl_out_text(out, g_ascii_formatd(text, sizeof(text), "%.17g", value));
}

static void print_preamble(const struct plot *p, struct sl_out *out, const char *kind)
{
	char **part = g_strsplit(preamble, "%s", 2);

	sl_out_text(out, part[0]);
	sl_out_printf(out, "%s-%s", p->base, kind);
	sl_out_text(out, part[1]);
	g_strfreev(part);
}

static void print_axis(const struct plot *p, struct sl_out *out, const char *axis)
{
	const struct sl_metric_def *m = &sl_metric_defs[p->t->metric];

	sl_out_printf(out, "set %slabel \"%s%s%s\" noenhanced\n", axis, m->name,
		      *m->unit ? ", " : "", m->unit);
}

/* --- Curves over a parameter --------------------------------------------------------------- */

static bool write_curve_data(const struct plot *p, const GPtrArray *curves)
{
	struct sl_out *out = open_file(p, "-curve.dat");

	if (!out)
		return false;
	for (guint i = 0; i < curves->len; i++) {
		const struct sl_sweep_curve *c = curves->pdata[i];

		sl_out_printf(out,
			      "%s# %s, %s: value, mean, lower and upper end of its 95 %% "
			      "interval\n",
			      i ? "\n\n" : "", c->policy, c->where);
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

static bool write_curve_script(const struct plot *p, const GPtrArray *curves, const char *param)
{
	struct sl_out *out = open_file(p, "-curve.gp");

	if (!out)
		return false;
	print_preamble(p, out, "curve");
	sl_out_printf(out, "data = \"%s-curve.dat\"\nset xlabel \"%s\" noenhanced\n", p->base,
		      param);
	print_axis(p, out, "y");
	sl_out_text(out, "plot ");
	for (guint i = 0; i < curves->len; i++) {
		const struct sl_sweep_curve *c = curves->pdata[i];
		char *title = g_strdup_printf("%s, %s", c->policy, c->where),
		     *quoted = sl_gnuplot_quote(title);

		sl_out_printf(out,
			      "%sdata index %u using 1:2:3:4 with yerrorlines linetype %u title "
			      "%s",
			      i ? ", \\\n     " : "", i, i + 1, quoted);
		g_free(quoted);
		g_free(title);
	}
	/* Speed-up: how much faster than the first point of the same curve. */
	sl_out_printf(out,
		      "\nif (format eq \"dumb\" || format eq \"sixel\") exit\n"
		      "set output \"%s-speedup.\".format\n"
		      "set ylabel \"speed-up against the first point\"\nplot ",
		      p->base);
	for (guint i = 0; i < curves->len; i++) {
		const struct sl_sweep_curve *c = curves->pdata[i];
		const struct sl_sweep_point *at =
			&g_array_index(c->point, struct sl_sweep_point, 0);
		char *title = g_strdup_printf("%s, %s", c->policy, c->where),
		     *quoted = sl_gnuplot_quote(title);
		bool larger = sl_metric_defs[p->t->metric].larger_is_better;

		sl_out_printf(out, "%sdata index %u using 1:(%s", i ? ", \\\n     " : "", i,
			      larger ? "$2/" : "");
		print_number(out, at->mean);
		sl_out_printf(out, "%s) with linespoints linetype %u title %s", larger ? "" : "/$2",
			      i + 1, quoted);
		g_free(quoted);
		g_free(title);
	}
	sl_out_char(out, '\n');
	return sl_out_close(out, p->error);
}

static bool write_curves(const struct plot *p)
{
	const char *param;
	GPtrArray *curves = sl_sweep_curves(p->t, p->from, &param);
	bool ok = !param || !curves->len ||
		  (write_curve_data(p, curves) && write_curve_script(p, curves, param));

	g_ptr_array_unref(curves);
	return ok;
}

/* --- Values: boxes with points, ECDF ------------------------------------------------------- */

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* One index per cell: value, its place in the ECDF. */
static bool write_values(const struct plot *p)
{
	struct sl_out *out = open_file(p, "-values.dat");

	if (!out)
		return false;
	for (guint i = p->from; i < p->to; i++) {
		const struct sl_sweep_tcell *c =
			&g_array_index(p->t->cell, struct sl_sweep_tcell, i);
		double *sorted = g_new(double, c->n + 1);
		char *label = sl_sweep_table_label(c);

		if (c->n)
			memcpy(sorted, c->v, c->n * sizeof(*sorted));
		qsort(sorted, c->n, sizeof(*sorted), ascending);
		sl_out_printf(out, "%s# %s under %s: value, share of values up to it\n",
			      i > p->from ? "\n\n" : "", label, c->policy);
		for (size_t k = 0; k < c->n; k++) {
			print_number(out, sorted[k]);
			sl_out_char(out, ' ');
			print_number(out, (double)(k + 1) / (double)c->n);
			sl_out_char(out, '\n');
		}
		if (c->n == 0)
			sl_out_text(out, "NaN NaN\n");
		g_free(label);
		g_free(sorted);
	}
	return sl_out_close(out, p->error);
}

static bool write_boxes(const struct plot *p)
{
	struct sl_out *out = open_file(p, "-box.gp");
	guint n = p->to - p->from;

	if (!out)
		return false;
	print_preamble(p, out, "box");
	print_axis(p, out, "y");
	sl_out_printf(out,
		      "set style boxplot nooutliers\nset style fill solid 0.25\nset boxwidth 0.5\n"
		      "unset key\nset xrange [0:%u]\nset jitter\nset bmargin 16\nset rmargin 16\n"
		      "set xtics rotate by -35 noenhanced font \",9\" (",
		      n + 1);
	for (guint i = p->from; i < p->to; i++) {
		const struct sl_sweep_tcell *c =
			&g_array_index(p->t->cell, struct sl_sweep_tcell, i);
		char *title = g_strdup_printf("%s %s", *c->param ? c->param : c->workload,
					      c->policy),
		     *quoted = sl_gnuplot_quote(title);

		sl_out_printf(out, "%s%s %u", i > p->from ? ", " : "", quoted, i - p->from + 1);
		g_free(quoted);
		g_free(title);
	}
	sl_out_printf(out, ")\ndata = \"%s-values.dat\"\nplot ", p->base);
	for (guint i = 0; i < n; i++)
		sl_out_printf(
			out,
			"%sdata index %u using (%u):1 with boxplot linetype 1, \\\n     data "
			"index %u using (%u):1 with points pointtype 7 pointsize 0.3 linetype 2",
			i ? ", \\\n     " : "", i, i + 1, i, i + 1);
	sl_out_char(out, '\n');
	return sl_out_close(out, p->error);
}

static bool write_ecdf(const struct plot *p)
{
	struct sl_out *out = open_file(p, "-ecdf.gp");

	if (!out)
		return false;
	print_preamble(p, out, "ecdf");
	print_axis(p, out, "x");
	sl_out_printf(
		out,
		"set ylabel \"share of runs\"\nset yrange [0:1]\ndata = \"%s-values.dat\"\nplot ",
		p->base);
	for (guint i = p->from; i < p->to; i++) {
		const struct sl_sweep_tcell *c =
			&g_array_index(p->t->cell, struct sl_sweep_tcell, i);
		char *label = sl_sweep_table_label(c);
		char *title = g_strdup_printf("%s, %s", label, c->policy),
		     *quoted = sl_gnuplot_quote(title);

		sl_out_printf(out, "%sdata index %u using 1:2 with steps title %s",
			      i > p->from ? ", \\\n     " : "", i - p->from, quoted);
		g_free(quoted);
		g_free(title);
		g_free(label);
	}
	sl_out_char(out, '\n');
	return sl_out_close(out, p->error);
}

/* A name for files: block and metric. */
static char *base_name(const struct sl_sweep_table *t, guint i)
{
	const struct sl_sweep_tcell *c = &g_array_index(t->cell, struct sl_sweep_tcell, i);
	const struct sl_sweep_tblock *b = t->block->pdata[c->block];
	char *base =
		g_strdup_printf("%u-%s-%s", c->block + 1, b->name, sl_metric_defs[t->metric].name);

	for (char *at = base; *at; at++)
		if (!g_ascii_isalnum(*at) && *at != '-' && *at != '.')
			*at = '_';
	return base;
}

/* SVGs of those scripts that were written. */
static bool draw(const struct sl_cli *cli, const struct plot *p)
{
	static const char *const kinds[] = { "-curve.gp", "-box.gp", "-ecdf.gp" };
	bool ok = true;

	for (size_t i = 0; i < SL_ARRAY_LEN(kinds) && ok; i++) {
		char *name = g_strconcat(p->base, kinds[i], NULL);
		char *path = g_build_filename(p->dir, name, NULL);

		if (g_file_test(path, G_FILE_TEST_EXISTS))
			ok = sl_gnuplot_run(cli, p->dir, name, "svg", p->error);
		g_free(path);
		g_free(name);
	}
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
		struct plot p = { t, dir, NULL, i, sl_sweep_block_end(t, i), error };

		if (!g_array_index(t->cell, struct sl_sweep_tcell, i).v)
			continue;
		p.base = base_name(t, i);
		ok = write_curves(&p) && write_values(&p) && write_boxes(&p) && write_ecdf(&p) &&
		     (!sl_gnuplot_is_here() || draw(cli, &p));
		g_free(p.base);
	}
	return ok;
}
