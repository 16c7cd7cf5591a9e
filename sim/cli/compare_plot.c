/* SPDX-License-Identifier: BSD-2-Clause
 *
 * compare --plot: boxes with their points, ECDF, the tail of wake-up latencies, and for each policy
 * who waited on which CPU when.
 * Invariant: data block k * policies + p belongs to policy p: k = 0 values, 1 latencies, 2 the
 * map of waiting threads, 3 migrations. */
#include "sim/cli/compare.h"

#include <math.h>
#include <string.h>

#include "sim/cli/gnuplot.h"
#include "sim/cli/out.h"
#include "sim/cli/plot_grid.h"

/* What the data say of themselves, for the script. */
struct drawn {
	struct sl_plot_run run[SL_MAX_SETS];
	struct sl_plot_tail tail;
	bool woke[SL_MAX_SETS]; /* somebody was woken */
};

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
		       const struct sl_compare_sets *sets, const char *path, struct drawn *drawn,
		       GError **error)
{
	struct sl_plot_watch w[SL_MAX_SETS];
	sl_time end[SL_MAX_SETS];
	struct sl_out *out = NULL;
	double top = 0;
	int watched = 0;
	bool ok = true;

	for (; watched < sets->n && ok; watched++)
		ok = watch(t, o, (uint32_t)watched, &w[watched], &end[watched], error);
	if (ok)
		out = sl_out_open(path, error);
	for (int p = 0; out && p < sets->n; p++)
		sl_plot_write_values(out, sets->sample[p].name, sets->sample[p].v,
				     sets->sample[p].n);
	for (int p = 0; out && p < sets->n; p++)
		sl_plot_write_tail(out, sets->sample[p].name, &w[p].latency, &drawn->tail);
	for (int p = 0; out && p < sets->n; p++)
		top = fmax(top, sl_plot_write_map(out, sets->sample[p].name, &w[p], end[p]));
	for (int p = 0; out && p < sets->n; p++)
		sl_plot_write_moves(out, sets->sample[p].name, &w[p]);
	for (int p = 0; out && p < sets->n; p++) {
		drawn->woke[p] = w[p].latency.count > 0;
		drawn->run[p] = (struct sl_plot_run){
			.map = (guint)(2 * sets->n + p),
			.moves = (guint)(3 * sets->n + p),
			.ncpus = w[p].ncpus,
			.end = (double)end[p] / SL_NS_PER_S,
			.bin = (double)w[p].width / SL_NS_PER_S,
			.top = top,
		};
	}
	while (watched > 0)
		sl_plot_watch_clear(&w[--watched]);
	return out && sl_out_close(out, error);
}

static void script_maps(struct sl_out *out, const struct sl_compare_sets *sets,
			const struct sl_plot_run *run)
{
	for (guint p = 0; p < (guint)sets->n; p++) {
		sl_plot_panel(out, 3 + p, sets->sample[p].name, "time, s", p % 3 ? "" : "CPU");
		sl_plot_map(out, &run[p]);
	}
}

static bool write_script(const struct sl_trials *t, const struct sl_compare_options *o,
			 const struct sl_compare_sets *sets, const char *path, const char *stem,
			 const struct drawn *drawn, GError **error)
{
	const struct sl_metric_def *m = &sl_metric_defs[o->which];
	struct sl_plot_range range = { INFINITY, -INFINITY };
	struct sl_out *out = sl_out_open(path, error);
	const char *series[SL_MAX_SETS];
	guint values[SL_MAX_SETS], tails[SL_MAX_SETS], n = (guint)sets->n;
	struct sl_plot_grid g;
	size_t least = SIZE_MAX;
	char *data, *label;

	if (!out)
		return false;
	data = g_strconcat(stem, ".dat", NULL);
	label = g_strdup_printf("%s%s%s", m->name, *m->unit ? ", " : "", m->unit);
	for (guint p = 0; p < n; p++) {
		series[p] = sets->sample[p].name;
		values[p] = p;
		tails[p] = drawn->woke[p] ? n + p : SL_PLOT_NONE;
		least = MIN(least, sets->sample[p].n);
		for (size_t i = 0; i < sets->sample[p].n; i++)
			sl_plot_widen(&range, sets->sample[p].v[i]);
	}
	g = (struct sl_plot_grid){
		.command = t->cli->command_line,
		.name = stem,
		.data = data,
		.title = "Runs, wake-ups, and threads that wait (colour; in text, height) with "
			 "migrations (blue)",
		.panels = 3 + n,
		.legend = SL_LEGEND_LINES,
		.series = series,
		.n_series = n,
	};

	sl_plot_begin(out, &g);
	sl_plot_panel(out, 0, "runs", "", label);
	sl_plot_boxes(out, &g, 0, values, sl_plot_padded(range, 0.05));
	sl_plot_panel(out, 1, "share of runs", label, "");
	sl_plot_ecdf(out, &g, 1, values, least, sl_plot_padded(range, 0.05));
	sl_plot_panel(out, 2, "share of wake-ups that wait longer", "latency, us", "");
	sl_plot_tails(out, &g, 2, tails, &drawn->tail);
	script_maps(out, sets, drawn->run);
	sl_plot_end(out);
	g_free(label);
	g_free(data);
	return sl_out_close(out, error);
}

bool sl_compare_write_plot(const struct sl_trials *t, const struct sl_compare_options *o,
			   const struct sl_compare_sets *sets, GError **error)
{
	const char *format = sl_gnuplot_format(o->plot);
	char *dir, *base, *script, *data, *stem;
	struct drawn drawn = { .tail.least = 1 };
	bool ok;

	dir = g_path_get_dirname(o->plot);
	base = g_path_get_basename(o->plot);
	stem = g_strndup(base, (gsize)(strrchr(base, '.') - base));
	g_free(base);
	base = g_strconcat(stem, ".gp", NULL);
	script = g_build_filename(dir, base, NULL);
	data = g_strconcat(dir, "/", stem, ".dat", NULL);
	ok = write_data(t, o, sets, data, &drawn, error) &&
	     write_script(t, o, sets, script, stem, &drawn, error) &&
	     (!*format || sl_gnuplot_run(t->cli, dir, base, format, error));
	g_free(data);
	g_free(script);
	g_free(base);
	g_free(stem);
	g_free(dir);
	return ok;
}
