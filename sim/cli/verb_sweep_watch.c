/* SPDX-License-Identifier: BSD-2-Clause
 *
 * sweep report --plots: latency tails, and maps of threads that wait. Results hold metrics only, so
 * one run of a cell is made once more and watched.
 * Invariant: a run is drawn only when its records are those that the result file's row was made
 * from. */
#include <string.h>

#include "sim/cli/verb_sweep_curve.h"
#include "sim/cli/verb_sweep_plots.h"
#include "sim/cli/verb_sweep_report.h"

/* Cells of a block that are watched, unless its first group is larger. */
#define MOST 12

/* One run that was watched. Its data blocks: `place` of the tails, 2 * place and the next one of
 * the maps. */
struct watched {
	const struct sl_sweep_tcell *cell;
	guint place;
	bool woke; /* somebody was woken */
	struct sl_plot_run run;
};

/* A group's tails. */
struct tails {
	const struct watched *first;
	guint n;
	struct sl_plot_tail tail;
};

struct watching {
	struct sl_sweep_plot plot;
	struct sl_sweep_inputs *inputs;
	struct sl_store *store;
	struct sl_out *tail_data, *map_data;
	struct watched *run; /* n of them */
	guint n;
	GPtrArray *tails; /* of struct tails * */
	double top;	  /* threads that wait on a CPU, at most */
	guint failed;	  /* cells that could not be watched */
	char *fault;	  /* the first of them, and why */
};

/* --- One run ------------------------------------------------------------------------------- */

static bool note_row(const struct sl_store_run *run, void *ctx)
{
	uint64_t *digest = ctx;

	if (sl_store_outcome_good(run->outcome))
		*digest = run->digest;
	return false;
}

/* Makes run `number` of a cell, watched. False with an error in *why. */
static bool watch(struct watching *w, const struct sl_sweep_tcell *c, uint32_t number,
		  struct sl_plot_watch *seen, sl_time *end, GError **why)
{
	const struct sl_sweep_topo *topo = sl_sweep_inputs_topo(w->inputs, c->topology, why);
	struct sl_sweep_task task = {
		.spec = { [SL_INPUT_TOPOLOGY] = c->topology,
			  [SL_INPUT_COSTS] = c->costs,
			  [SL_INPUT_WORKLOAD] = c->workload,
			  [SL_INPUT_POLICY] = c->policy },
		.cpuset = c->cpuset,
		.until = c->until,
		.seed = c->seed,
	};
	struct sl_sweep_result result;
	struct sl_sink sink;
	uint64_t digest = 0;
	bool ok;

	if (!topo || !sl_store_each_run(w->store, c->id, number, note_row, &digest, why))
		return false;
	memcpy(task.digest, c->digest, sizeof(task.digest));
	sl_plot_watch_init(seen, topo->topo->ncpus);
	sink = sl_plot_watch_sink(seen);
	task.sink = &sink;
	ok = sl_sweep_do(w->inputs, &task, number, false, NULL, &result, why);
	if (ok && result.digest != digest) {
		g_set_error(why, SL_CLI_ERROR, 0,
			    "its run %u is missing, went wrong, or is not what this program makes "
			    "of it",
			    number);
		ok = false;
	}
	if (ok) {
		*end = MAX(result.end_ns, 1);
		sl_plot_watch_finish(seen, *end);
	} else {
		sl_plot_watch_clear(seen);
	}
	g_free(result.fault);
	return ok;
}

/* --- Panels -------------------------------------------------------------------------------- */

static void tails_panel(const struct sl_sweep_plot *p, struct sl_out *out,
			const struct sl_plot_grid *g, guint i, const void *what)
{
	const struct tails *tails = what;
	guint *block = g_new(guint, p->policy->len);
	char *title = sl_sweep_short(tails->first->cell, p->common, NULL);

	for (guint k = 0; k < p->policy->len; k++)
		block[k] = SL_PLOT_NONE;
	for (guint k = 0; k < tails->n; k++) {
		const struct watched *w = &tails->first[k];

		if (w->woke)
			block[sl_sweep_plot_series(p, w->cell->policy)] = w->place;
	}
	sl_plot_panel(out, i, title, "latency, us", i % 3 ? "" : "share of wake-ups");
	sl_plot_tails(out, g, i, block, &tails->tail);
	g_free(title);
	g_free(block);
}

static void map_panel(const struct sl_sweep_plot *p, struct sl_out *out,
		      const struct sl_plot_grid *g, guint i, const void *what)
{
	const struct watched *w = what;
	char *place = sl_sweep_short(w->cell, p->common, NULL);
	char *title = g_strdup_printf("%s%s%s", w->cell->policy, *place ? ": " : "", place);

	sl_plot_panel(out, i, title, i + 3 < g->panels ? "" : "time, s", i % 3 ? "" : "CPU");
	sl_plot_map(out, &w->run);
	g_free(title);
	g_free(place);
}

/* --- A block ------------------------------------------------------------------------------- */

static void write_data(struct watching *w, struct watched *run, const struct sl_plot_watch *seen,
		       sl_time end, struct tails *tails)
{
	char *label = sl_sweep_table_label(run->cell);
	char *name = g_strdup_printf("%s under %s", label, run->cell->policy);

	run->woke = seen->latency.count > 0;
	run->run = (struct sl_plot_run){
		.map = 2 * run->place,
		.moves = 2 * run->place + 1,
		.ncpus = seen->ncpus,
		.end = (double)end / SL_NS_PER_S,
		.bin = (double)seen->width / SL_NS_PER_S,
	};
	sl_plot_write_tail(w->tail_data, name, &seen->latency, &tails->tail);
	run->run.top = sl_plot_write_map(w->map_data, name, seen, end);
	w->top = MAX(w->top, run->run.top);
	sl_plot_write_moves(w->map_data, name, seen);
	g_free(name);
	g_free(label);
}

static void watch_cell(struct watching *w, const struct sl_sweep_tcell *c, struct tails *tails)
{
	const struct sl_sweep_tblock *b = w->plot.t->block->pdata[c->block];
	struct sl_plot_watch seen;
	GError *why = NULL;
	sl_time end;

	if (watch(w, c, b->discard, &seen, &end, &why)) {
		struct watched *run = &w->run[w->n];

		run->cell = c;
		run->place = w->n++;
		write_data(w, run, &seen, end, tails);
		sl_plot_watch_clear(&seen);
		tails->n++;
	} else {
		char *label = sl_sweep_table_label(c);

		if (w->failed++ == 0)
			w->fault =
				g_strdup_printf("%s under %s: %s", label, c->policy, why->message);
		g_free(label);
		g_error_free(why);
	}
}

/* end: the first cell that was not tried. */
static void say_what_is_left_out(const struct watching *w, guint end)
{
	const struct sl_sweep_plot *p = &w->plot;
	const struct sl_sweep_tcell *c = &g_array_index(p->t->cell, struct sl_sweep_tcell, p->from);
	const struct sl_sweep_tblock *b = p->t->block->pdata[c->block];

	if (w->failed)
		sl_cli_note(p->cli, "%s: cells without latency tail and map: %u; the first is %s",
			    b->name, w->failed, w->fault);
	if (end < p->to)
		sl_cli_note(p->cli,
			    "%s: latency tails and maps of the first %u of %u cells; --only "
			    "chooses others",
			    b->name, end - p->from, p->to - p->from);
}

/* The first groups of the block, as many as fit. */
static void watch_groups(struct watching *w)
{
	const struct sl_sweep_plot *p = &w->plot;
	guint i = p->from;

	while (i < p->to) {
		guint end = sl_sweep_table_group_end(p->t, i);
		struct tails *tails;

		if (i > p->from && end - p->from > MOST)
			break;
		tails = g_new0(struct tails, 1);
		tails->tail.least = 1;
		tails->first = &w->run[w->n];
		for (; i < end; i++)
			watch_cell(w, &g_array_index(p->t->cell, struct sl_sweep_tcell, i), tails);
		if (tails->n)
			g_ptr_array_add(w->tails, tails);
		else
			g_free(tails);
	}
	say_what_is_left_out(w, i);
}

static bool write_scripts(struct watching *w)
{
	static const struct sl_sweep_kind tails = { "tail", "-tail.dat",
						    "share of wake-ups that wait longer, one run",
						    SL_LEGEND_LINES, tails_panel };
	static const struct sl_sweep_kind maps = {
		"map", "-map.dat",
		"threads that wait (colour; in text, height), migrations (blue), one run",
		SL_LEGEND_NONE, map_panel
	};
	GPtrArray *runs = g_ptr_array_new();
	bool ok;

	for (guint i = 0; i < w->n; i++) {
		w->run[i].run.top = w->top;
		g_ptr_array_add(runs, &w->run[i]);
	}
	ok = sl_sweep_plot_pages(&w->plot, &tails, w->tails) &&
	     sl_sweep_plot_pages(&w->plot, &maps, runs) && sl_sweep_plot_draw(&w->plot);
	g_ptr_array_unref(runs);
	return ok;
}

static struct sl_out *open_data(const struct sl_sweep_plot *p, const char *suffix)
{
	char *name = g_strconcat(p->base, suffix, NULL);
	struct sl_out *out = sl_sweep_plot_open(p, name);

	g_free(name);
	return out;
}

static bool watch_block(struct watching *w)
{
	struct sl_sweep_plot *p = &w->plot;
	bool ok;

	sl_sweep_plot_init(p, "");
	w->run = g_new0(struct watched, p->to - p->from);
	w->tails = g_ptr_array_new_with_free_func(g_free);
	w->n = w->failed = 0;
	w->fault = NULL;
	w->top = 0;
	w->tail_data = open_data(p, "-tail.dat");
	w->map_data = w->tail_data ? open_data(p, "-map.dat") : NULL;
	ok = w->map_data != NULL;
	if (ok) {
		watch_groups(w);
		ok = sl_out_close(w->tail_data, p->error);
		ok = sl_out_close(w->map_data, ok ? p->error : NULL) && ok;
	} else {
		sl_out_abandon(w->tail_data);
	}
	ok = ok && write_scripts(w);
	g_ptr_array_unref(w->tails);
	g_free(w->run);
	g_free(w->fault);
	sl_sweep_plot_clear(p);
	return ok;
}

bool sl_sweep_write_watched(const struct sl_cli *cli, const struct sl_sweep_table *t,
			    struct sl_store *store, const char *dir, GError **error)
{
	struct watching w = {
		.plot = { .cli = cli, .t = t, .dir = dir, .error = error },
		.inputs = sl_sweep_inputs_new(cli, false),
		.store = store,
	};
	bool ok = true;

	for (guint i = 0; ok && i < t->cell->len; i = sl_sweep_block_end(t, i)) {
		w.plot.from = i;
		w.plot.axis = NULL;
		ok = watch_block(&w);
	}
	sl_sweep_inputs_free(w.inputs);
	return ok;
}
