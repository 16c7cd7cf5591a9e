/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Invariant: a thread's sums hold its turns that have ended; the one that runs now is in
 * wait, delay and got. */
#include "sim/cli/view.h"

#include <string.h>

#include "sim/cli/window.h"

struct view_options {
	struct sl_setup_options setup;
	char *from, *to;
};

static const struct sl_view_thread fresh = {
	.woken = SL_TIME_MAX, .left = SL_TIME_MAX, .run_least = SL_TIME_MAX, .cpu = -1, .parent = -1
};

void sl_view_threads_init(struct sl_view_threads *threads)
{
	threads->of = g_array_new(FALSE, FALSE, sizeof(struct sl_view_thread));
}

struct sl_view_thread *sl_view_thread_at(struct sl_view_threads *threads, uint32_t tid)
{
	while (threads->of->len <= tid)
		g_array_append_val(threads->of, fresh);
	return &g_array_index(threads->of, struct sl_view_thread, tid);
}

static void arrive(struct sl_view_thread *t, const struct sl_rec *rec)
{
	t->got = rec->at;
	t->wait = t->left == SL_TIME_MAX ? 0 : rec->at - t->left;
	t->delay = t->woken == SL_TIME_MAX ? 0 : rec->at - t->woken;
	if (t->delay > t->delay_most) {
		t->delay_most = t->delay;
		t->delay_from = t->woken;
		t->delay_to = rec->at;
	}
	t->delay_sum += t->delay;
	t->woken = SL_TIME_MAX;
	if (t->cpu >= 0 && t->cpu != rec->cpu)
		t->migrations++;
	t->cpu = rec->cpu;
	t->running = true;
}

static sl_time leave(struct sl_view_thread *t, sl_time now)
{
	sl_time run = now - t->got;

	t->running = false;
	t->left = now;
	t->turns++;
	t->run_sum += run;
	t->run_square += (double)run * (double)run;
	t->run_least = MIN(t->run_least, run);
	t->run_most = MAX(t->run_most, run);
	return run;
}

struct sl_view_thread *sl_view_follow(struct sl_view_threads *threads, const struct sl_rec *rec,
				      sl_time *run)
{
	if (rec->kind == SL_REC_WAKE || rec->kind == SL_REC_START)
		sl_view_thread_at(threads, rec->a)->woken = rec->at;
	if (rec->kind == SL_REC_START && rec->b != SL_REC_IDLE)
		sl_view_thread_at(threads, rec->a)->parent = rec->b;
	if (rec->kind != SL_REC_SWITCH || rec->a == rec->b)
		return NULL;
	if (rec->b != SL_REC_IDLE)
		arrive(sl_view_thread_at(threads, rec->b), rec);
	if (rec->a == SL_REC_IDLE)
		return NULL;
	*run = leave(sl_view_thread_at(threads, rec->a), rec->at);
	return sl_view_thread_at(threads, rec->a);
}

void sl_view_restart(struct sl_view_threads *threads, sl_time now)
{
	for (guint tid = 0; tid < threads->of->len; tid++) {
		struct sl_view_thread *t = sl_view_thread_at(threads, tid), old = *t;

		*t = fresh;
		t->woken = old.woken;
		t->left = old.left;
		t->running = old.running;
		t->cpu = old.cpu;
		t->parent = old.parent;
		t->got = now;
	}
}

void sl_view_finish(struct sl_view_threads *threads, sl_time now)
{
	for (guint tid = 0; tid < threads->of->len; tid++) {
		struct sl_view_thread *t = sl_view_thread_at(threads, tid);

		if (t->running)
			leave(t, now);
	}
}

static void take(void *ctx, const struct sl_rec *rec, uint32_t n)
{
	struct sl_view *view = ctx;

	for (uint32_t i = 0; i < n; i++)
		view->kind->record(view, &rec[i]);
}

static int simulate(const struct sl_cli *cli, const struct sl_setup *setup, struct sl_view *view)
{
	struct sl_sink sink = { .take = take, .ctx = view };
	struct sl_sim_args args;
	struct sl_sim *sim;
	GError *error = NULL;
	enum sl_end end;
	char why[512];

	sl_setup_args(setup, 0, &args);
	args.sinks = &sink;
	args.n_sinks = 1;
	args.stop = sl_cli_catch_signals();
	sim = sl_sim_new(&args, why, sizeof(why));
	if (!sim)
		return sl_cli_no_sim(cli, why);
	view->names.sim = sim;
	view->ncpus = setup->topo->ncpus;
	view->out = sl_out_open("-", NULL);
	view->state = g_malloc0(view->kind->state_size);
	view->kind->begin(view);
	end = sl_sim_run(sim);
	view->now = sl_sim_pol(sim)->now;
	view->kind->end(view);
	g_free(view->state);
	if (sl_end_exit(end) != SL_EXIT_OK)
		sl_cli_note(cli, "%s", *sl_sim_fault(sim) ? sl_sim_fault(sim) : sl_end_text(end));
	sl_sim_free(sim);
	if (!sl_out_close(view->out, &error))
		return sl_cli_fail(cli, error, SL_EXIT_INPUT);
	return (int)sl_end_exit(end);
}

static int view_loaded(const struct sl_cli *cli, const struct view_options *o,
		       const struct sl_setup *setup, struct sl_view *view)
{
	GError *error = NULL;
	int code;

	view->to = SL_TIME_MAX;
	if (!sl_window_parse(o->from, o->to, &view->from, &view->to, &error))
		return sl_cli_fail(cli, error, SL_EXIT_INPUT);
	if (setup->policies->len != 1)
		return sl_cli_complain(cli, SL_EXIT_INPUT, "one -p POLICY is expected");
	sl_names_init(&view->names);
	code = simulate(cli, setup, view);
	if (code == SL_EXIT_OK && !sl_window_reached(o->from, view->from, view->now, &error))
		code = sl_cli_fail(cli, error, SL_EXIT_INPUT);
	sl_names_clear(&view->names);
	return code;
}

int sl_view_run(const struct sl_cli *cli, int argc, char **argv, const struct sl_view_kind *kind)
{
	struct view_options o = { 0 };
	struct sl_view view = { .kind = kind };
	const GOptionEntry own[] = {
		{ "from", 0, 0, G_OPTION_ARG_FILENAME, &o.from, "Print from this time on", "TIME" },
		{ "to", 0, 0, G_OPTION_ARG_FILENAME, &o.to, "Print up to this time", "TIME" },
		{ 0 },
	};
	const GOptionEntry summary[] = {
		{ "summary", 's', 0, G_OPTION_ARG_NONE, &view.summary,
		  "Only a line for each thread", NULL },
		{ 0 },
	};
	GOptionEntry common[SL_SETUP_ENTRIES];
	const GOptionEntry *groups[] = { common, own, summary };
	struct sl_setup setup;
	int code = SL_EXIT_USAGE;

	sl_setup_entries(&o.setup, common);
	if (!sl_cli_parse(cli, &argc, &argv, groups, kind->has_summary ? 3 : 2)) {
		/* said already */
	} else if (argc > 1) {
		code = sl_cli_complain(cli, SL_EXIT_USAGE, "unexpected argument \"%s\"", argv[1]);
	} else {
		code = sl_setup_load(cli, &o.setup, &setup);
		if (code == SL_EXIT_OK) {
			code = view_loaded(cli, &o, &setup, &view);
			sl_setup_free(&setup);
		}
	}
	g_free(o.from);
	g_free(o.to);
	sl_setup_options_clear(&o.setup);
	return code;
}
