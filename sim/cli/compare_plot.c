/* SPDX-License-Identifier: BSD-2-Clause
 *
 * compare --plot: boxes with their points, ECDF, the tail of wake-up latencies, and for each policy
 * who waited on which CPU when.
 * Invariant: data block k * policies + p belongs to policy p: k = 0 values, 1 latencies, 2 the
 * map of waiting threads, 3 migrations. */
#include "sim/cli/compare.h"

#include <stdlib.h>
#include <string.h>

#include "sim/cli/gnuplot.h"
#include "sim/cli/out.h"
#include "sim/cli/plot_watch.h"

static const char preamble[] =
	"if (!exists(\"format\")) format = \"svg\"\n"
	"if (format eq \"svg\") set terminal svg size 1200,height dynamic background \"white\"\n"
	"if (format eq \"png\") set terminal pngcairo size 1200,height\n"
	"if (format eq \"pdf\") set terminal pdfcairo size 30cm,height*0.025cm font \",9\"\n"
	"if (format eq \"dumb\") set terminal dumb 150,height/12\n"
	"if (format eq \"sixel\") set terminal sixelgd size 1200,height\n"
	"set output name.\".\".(format eq \"dumb\" ? \"txt\" : format)\n";

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void write_values(struct sl_out *out, const struct sl_sample *s)
{
	double *v = g_new(double, s->n + 1);

	for (size_t i = 0; i < s->n; i++)
		v[i] = s->v[i];
	qsort(v, s->n, sizeof(*v), ascending);
	sl_out_printf(out, "# %s: value, share of values up to it\n", s->name);
	for (size_t i = 0; i < s->n; i++)
		sl_out_printf(out, "%.17g %.6f\n", v[i], (double)(i + 1) / (double)s->n);
	if (s->n == 0)
		sl_out_text(out, "NaN NaN\n");
	sl_out_text(out, "\n\n");
	g_free(v);
}

/* Points of 1 - F, from the median out, closer where it is steep. */
static void write_tail(struct sl_out *out, const char *name, const struct sl_histogram *h)
{
	sl_out_printf(out, "# %s: latency from wake-up to run in us, share of wake-ups above it\n",
		      name);
	for (double above = 1; h->count && above * (double)h->count >= 1; above *= 0.8)
		sl_out_printf(out, "%.3f %.9f\n",
			      (double)sl_histogram_quantile(h, 1 - above, 0.95).value / 1e3, above);
	if (h->count == 0)
		sl_out_text(out, "NaN NaN\n");
	sl_out_text(out, "\n\n");
}

static void write_map(struct sl_out *out, const char *name, const struct sl_plot_watch *w,
		      sl_time end)
{
	sl_out_printf(out, "# %s: seconds, CPU, threads that wait\n", name);
	for (uint32_t cpu = 0; cpu < w->ncpus; cpu++)
		for (sl_time bin = 0; bin * w->width < end; bin++)
			sl_out_printf(out, "%.9f %u %.4f\n",
				      ((double)bin + 0.5) * (double)w->width / SL_NS_PER_S, cpu,
				      (double)w->waited[(gsize)cpu * SL_PLOT_BINS + bin] /
					      (double)MIN(w->width, end - bin * w->width));
	sl_out_text(out, "\n\n");
}

static void write_moves(struct sl_out *out, const char *name, const struct sl_plot_watch *w)
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

/* The first run that counts, once more, watched. */
static bool watch(const struct sl_trials *t, const struct sl_compare_options *o, uint32_t policy,
		  struct sl_plot_watch *w, sl_time *end, GError **error)
{
	struct sl_sim_args args;
	struct sl_totals totals;
	struct sl_sink sink;
	struct sl_sim *sim;
	char why[512];

	sl_plot_watch_init(w, t->setup->topo->ncpus);
	sink = sl_plot_watch_sink(w);
	sl_setup_args(t->setup, policy, &args);
	args.seed += o->dropped;
	args.cold_cache |= o->dropped == 0;
	args.stop = t->stop;
	args.sinks = &sink;
	args.n_sinks = 1;
	sim = sl_sim_new(&args, why, sizeof(why));
	if (!sim) {
		g_set_error(error, SL_CLI_ERROR, 0, "cannot start a simulation: %s", why);
		return false;
	}
	sl_sim_run(sim);
	sl_sim_totals(sim, &totals);
	*end = MAX(totals.end_ns, 1);
	sl_plot_watch_finish(w, *end);
	sl_sim_free(sim);
	return true;
}

static bool write_data(const struct sl_trials *t, const struct sl_compare_options *o,
		       const struct sl_compare_sets *sets, const char *path, GError **error)
{
	struct sl_plot_watch w[SL_MAX_SETS];
	sl_time end[SL_MAX_SETS];
	struct sl_out *out = NULL;
	int watched = 0;
	bool ok = true;

	for (; watched < sets->n && ok; watched++)
		ok = watch(t, o, (uint32_t)watched, &w[watched], &end[watched], error);
	if (ok)
		out = sl_out_open(path, error);
	for (int p = 0; out && p < sets->n; p++)
		write_values(out, &sets->sample[p]);
	for (int p = 0; out && p < sets->n; p++)
		write_tail(out, sets->sample[p].name, &w[p].latency);
	for (int p = 0; out && p < sets->n; p++)
		write_map(out, sets->sample[p].name, &w[p], end[p]);
	for (int p = 0; out && p < sets->n; p++)
		write_moves(out, sets->sample[p].name, &w[p]);
	while (watched > 0)
		sl_plot_watch_clear(&w[--watched]);
	return out && sl_out_close(out, error);
}

/* "plot data index FIRST+p HOW title NAME" for each policy. */
static void plot_each(struct sl_out *out, const struct sl_compare_sets *sets, int first,
		      const char *how)
{
	for (int p = 0; p < sets->n; p++) {
		char *name = sl_gnuplot_quote(sets->sample[p].name);

		sl_out_printf(out, "%s data index %d %s linetype %d title %s",
			      p ? ", \\\n    " : "plot", first * sets->n + p, how, p + 1, name);
		g_free(name);
	}
	sl_out_char(out, '\n');
}

static void script_boxes(struct sl_out *out, const struct sl_compare_sets *sets, const char *metric)
{
	sl_out_printf(out,
		      "set title %s noenhanced\nset style boxplot nooutliers\n"
		      "set style fill solid 0.25\nset boxwidth 0.5\nunset key\nset jitter\n"
		      "set xrange [0.3:%d.7]\nset xtics rotate by -20 noenhanced (",
		      metric, sets->n);
	for (int p = 0; p < sets->n; p++) {
		char *name = sl_gnuplot_quote(sets->sample[p].name);

		sl_out_printf(out, "%s%s %d", p ? ", " : "", name, p + 1);
		g_free(name);
	}
	sl_out_text(out, ")\nplot ");
	for (int p = 0; p < sets->n; p++)
		sl_out_printf(
			out,
			"%sdata index %d using (%d):1 with boxplot linetype %d, \\\n     data "
			"index %d using (%d):1 with points pointtype 7 pointsize 0.4 "
			"linetype %d",
			p ? ", \\\n     " : "", p, p + 1, p + 1, p, p + 1, p + 1);
	sl_out_text(out,
		    "\nunset jitter\nset xtics norotate autofreq enhanced\nset xrange [*:*]\n");
}

static void script_maps(struct sl_out *out, const struct sl_compare_sets *sets, uint32_t ncpus)
{
	sl_out_printf(out,
		      "unset key\nset style fill solid 1\nset ytics %u\nset xlabel \"time, "
		      "s\"\nset ylabel \"CPU\"\n"
		      "set yrange [-0.5:%u.5]\nset cbrange [0:*]\nset cblabel \"threads that "
		      "wait\"\nset palette defined (0 \"#ffffff\", 1 \"#fdd49e\", 2 \"#ef6548\", 3 "
		      "\"#7f0000\")\nunset grid\n",
		      (ncpus + 7) / 8, ncpus - 1);
	for (int p = 0; p < sets->n; p++) {
		char *title = g_strdup_printf("%s: waiting threads; points: migrations",
					      sets->sample[p].name);
		char *quoted = sl_gnuplot_quote(title);

		sl_out_printf(out,
			      "set title %s noenhanced\nplot data index %d using 1:2:3 with image, "
			      "data index %d using 1:2:(0.15+0.6*$4) with points pointtype 7 "
			      "pointsize variable linecolor rgb \"#1f6fb5\"\n",
			      quoted, 2 * sets->n + p, 3 * sets->n + p);
		g_free(quoted);
		g_free(title);
	}
}

static bool write_script(const struct sl_trials *t, const struct sl_compare_options *o,
			 const struct sl_compare_sets *sets, const char *path, const char *stem,
			 GError **error)
{
	const struct sl_metric_def *m = &sl_metric_defs[o->which];
	int rows = 1 + (sets->n + 2) / 3;
	char *name = sl_gnuplot_quote(stem), *label, *quoted;
	struct sl_out *out = sl_out_open(path, error);

	if (!out) {
		g_free(name);
		return false;
	}
	label = g_strdup_printf("%s%s%s", m->name, *m->unit ? ", " : "", m->unit);
	quoted = sl_gnuplot_quote(label);
	sl_out_printf(
		out,
		"# schedlab " SL_VERSION ": %s\n"
		"# gnuplot FILE makes an SVG; gnuplot -e 'format=\"png\"' FILE (or pdf, dumb, "
		"sixel)\nname = %s\ndata = name.\".dat\"\nheight = %d\n%s"
		"set multiplot layout %d,3\nset grid\n",
		t->cli->command_line, name, 400 * rows, preamble, rows);
	script_boxes(out, sets, quoted);
	sl_out_printf(out,
		      "set key bottom right noenhanced\nset yrange [0:1]\nset title \"share of "
		      "runs\"\nset xlabel %s "
		      "noenhanced\n",
		      quoted);
	plot_each(out, sets, 0, "using 1:2 with steps");
	sl_out_text(out, "set key bottom left noenhanced\nset yrange [*:1]\nset title \"share of "
			 "wake-ups that wait "
			 "longer\"\nset xlabel \"latency, us\"\nset logscale xy\nset format xy "
			 "\"10^{%T}\"\n");
	plot_each(out, sets, 1, "using ($1 > 0.1 ? $1 : 0.1):2 with lines");
	sl_out_text(out, "unset logscale\nset format xy \"%h\"\n");
	script_maps(out, sets, t->setup->topo->ncpus);
	sl_out_text(out, "unset multiplot\n");
	g_free(quoted);
	g_free(label);
	g_free(name);
	return sl_out_close(out, error);
}

bool sl_compare_write_plot(const struct sl_trials *t, const struct sl_compare_options *o,
			   const struct sl_compare_sets *sets, GError **error)
{
	const char *format = sl_gnuplot_format(o->plot);
	char *dir, *base, *script, *data, *stem;
	bool ok;

	dir = g_path_get_dirname(o->plot);
	base = g_path_get_basename(o->plot);
	stem = g_strndup(base, (gsize)(strrchr(base, '.') - base));
	g_free(base);
	base = g_strconcat(stem, ".gp", NULL);
	script = g_build_filename(dir, base, NULL);
	data = g_strconcat(dir, "/", stem, ".dat", NULL);
	ok = write_data(t, o, sets, data, error) && write_script(t, o, sets, script, stem, error) &&
	     (!*format || sl_gnuplot_run(t->cli, dir, base, format, error));
	g_free(data);
	g_free(script);
	g_free(base);
	g_free(stem);
	g_free(dir);
	return ok;
}
