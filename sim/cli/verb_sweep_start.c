/* SPDX-License-Identifier: BSD-2-Clause
 *
 * schedlab sweep run: options, the plan into the result file, then the runner.
 * schedlab sweep status and merge. */
#include <stdio.h>
#include <string.h>

#include <glib/gstdio.h>

#include "sim/cli/verb_sweep_run.h"

struct run_options {
	char *jobs, *shard, *output, *budget, *until_ci, *max_runs;
	gboolean check;
};

static void clear_options(struct run_options *o)
{
	char *texts[] = { o->jobs, o->shard, o->output, o->budget, o->until_ci, o->max_runs };

	for (size_t i = 0; i < SL_ARRAY_LEN(texts); i++)
		g_free(texts[i]);
}

static bool read_options(const struct run_options *o, struct sl_sweep_run *run, GError **error)
{
	uint64_t jobs = g_get_num_processors(), most = 200;
	sl_time budget = 0;

	if ((o->jobs && !sl_spec_number("-j", o->jobs, 1, 4096, &jobs, error)) ||
	    (o->max_runs &&
	     !sl_spec_number("--max-runs", o->max_runs, 1, SL_SWEEP_MOST_RUNS, &most, error)) ||
	    (o->budget && !sl_spec_duration(o->budget, &budget, error)) ||
	    (o->until_ci &&
	     !sl_spec_real("--until-ci", o->until_ci, 0, true, &run->until_ci, error)) ||
	    !sl_shard_parse(o->shard, g_getenv, &run->shard, error))
		return false;
	run->jobs = (uint32_t)jobs;
	run->most = (uint32_t)most;
	run->budget_us = (int64_t)((budget + SL_NS_PER_US - 1) / SL_NS_PER_US);
	run->check = o->check;
	return true;
}

/* The file with the plan in it, and the sweep's id; NULL with an error. */
static struct sl_store *open_planned(const struct sl_sweep *sweep, struct sl_sweep_inputs *inputs,
				     const char *path, int64_t *id, GError **error)
{
	struct sl_sweep_plan plan = { 0 };
	struct sl_store *store = NULL;

	if (sl_sweep_plan_make(&plan, sweep, inputs, error))
		store = sl_sweep_open(path, SL_STORE_CREATE, error);
	if (store &&
	    (!sl_store_check(store, error) || !sl_sweep_plan_store(&plan, inputs, store, error) ||
	     (*id = sl_store_find_sweep(store, sweep->name, NULL, error)) < 0)) {
		sl_store_close(store);
		store = NULL;
	}
	sl_sweep_plan_clear(&plan);
	return store;
}

static int run_file(const struct sl_cli *cli, const char *path, const struct run_options *o,
		    struct sl_sweep_run *run)
{
	GError *error = NULL;
	struct sl_sweep *sweep = sl_sweep_load(path, &error);
	struct sl_sweep_inputs *inputs;
	struct sl_store *store;
	char *result;
	int64_t id;
	int code;

	if (!sweep)
		return sl_sweep_fail_with(cli, error);
	if (run->shard.launcher)
		sl_cli_note(cli, "part %u of %u, by %s", run->shard.index, run->shard.count,
			    run->shard.launcher);
	inputs = sl_sweep_inputs_new(cli, false);
	result = o->output ? g_strdup(o->output)
			   : sl_sweep_result_path(path, run->shard.index, run->shard.count);
	run->sweep = sweep;
	run->interrupted = sl_cli_catch_signals();
	store = open_planned(sweep, inputs, result, &id, &error);
	code = store ? sl_sweep_run(cli, run, inputs, store, id) : sl_sweep_fail_with(cli, error);
	sl_store_close(store);
	sl_sweep_inputs_free(inputs);
	sl_sweep_free(sweep);
	g_free(result);
	return code;
}

int sl_sweep_verb_run(const struct sl_cli *cli, int argc, char **argv)
{
	struct run_options o = { 0 };
	const GOptionEntry own[] = {
		{ "jobs", 'j', 0, G_OPTION_ARG_FILENAME, &o.jobs,
		  "Simulations at once (default: one per CPU)", "N" },
		{ "output", 'o', 0, G_OPTION_ARG_FILENAME, &o.output,
		  "Result file (default: the sweep file's name with .sqlite, here)", "FILE" },
		{ "shard", 0, 0, G_OPTION_ARG_FILENAME, &o.shard,
		  "Do part I of N; auto or auto/N: ask the launcher's environment", "I/N" },
		{ "budget", 0, 0, G_OPTION_ARG_FILENAME, &o.budget,
		  "Start no run after this time: 10min", "TIME" },
		{ "until-ci", 0, 0, G_OPTION_ARG_FILENAME, &o.until_ci,
		  "Add runs until every mean is known to +/- W percent", "W" },
		{ "max-runs", 0, 0, G_OPTION_ARG_FILENAME, &o.max_runs,
		  "With --until-ci: at most N runs of a cell (default 200)", "N" },
		{ "check", 0, 0, G_OPTION_ARG_NONE, &o.check,
		  "Watch the policies: every invariant is checked", NULL },
		{ 0 },
	};
	struct sl_sweep_run run = { 0 };
	GError *error = NULL;
	const char *path;
	int code = SL_EXIT_USAGE;

	path = sl_sweep_file_argument(cli, argc, argv, own);
	if (path)
		code = read_options(&o, &run, &error) ? run_file(cli, path, &o, &run)
						      : sl_sweep_fail_with(cli, error);
	clear_options(&o);
	return code;
}

/* --- Status ------------------------------------------------------------------------------ */

struct tally {
	GPtrArray *block; /* names */
	GArray *count;	  /* of struct count, by block */
	GArray *content;
};

struct count {
	uint64_t cells, cells_done, runs, done, failed;
};

static bool note_block(const struct sl_store_block *b, void *ctx)
{
	struct tally *t = ctx;

	g_ptr_array_add(t->block, g_strdup(b->name));
	g_array_set_size(t->count, t->count->len + 1);
	return true;
}

static void add(struct count *c, const struct sl_store_member *m)
{
	c->cells++;
	c->cells_done += m->done == m->cell.runs;
	c->runs += m->cell.runs;
	c->done += m->done;
	c->failed += m->failed;
}

static bool note_member(const struct sl_store_member *m, void *ctx)
{
	struct tally *t = ctx;

	sl_store_content_add(t->content, m);
	if (m->cell.block < t->count->len)
		add(&g_array_index(t->count, struct count, m->cell.block), m);
	return true;
}

static void print_count(const char *name, const struct count *c)
{
	printf("%-28s %10" G_GUINT64_FORMAT " %10" G_GUINT64_FORMAT " %12" G_GUINT64_FORMAT
	       " %12" G_GUINT64_FORMAT " %8" G_GUINT64_FORMAT "\n",
	       name, (guint64)c->cells, (guint64)c->cells_done, (guint64)c->runs, (guint64)c->done,
	       (guint64)c->failed);
}

/* Prints one sweep's state; *missing runs are added up. */
static bool print_sweep(struct sl_store *store, const char *title, const char *name,
			uint64_t *missing, GError **error)
{
	struct tally t = { g_ptr_array_new_with_free_func(g_free),
			   g_array_new(FALSE, TRUE, sizeof(struct count)), sl_store_content_new() };
	struct count all = { 0 };
	int64_t id = sl_store_find_sweep(store, name, NULL, error);
	bool ok = id >= 0 && sl_store_each_block(store, id, note_block, &t, error) &&
		  sl_store_each_member(store, id, true, note_member, &t, error);
	char *content = sl_store_content_end(t.content);

	if (ok) {
		printf("# sweep %s in %s\n%-28s %10s %10s %12s %12s %8s\n", name, title,
		       "# cells of", "cells", "complete", "runs", "done", "failed");
		for (guint i = 0; i < t.block->len; i++) {
			const struct count *c = &g_array_index(t.count, struct count, i);

			print_count(t.block->pdata[i], c);
			all.cells += c->cells;
			all.cells_done += c->cells_done;
			all.runs += c->runs;
			all.done += c->done;
			all.failed += c->failed;
		}
		print_count("all", &all);
		printf("# content %s\n", content);
		*missing += all.runs - all.done;
	}
	g_free(content);
	g_ptr_array_unref(t.block);
	g_array_unref(t.count);
	return ok;
}

static bool print_sweeps(struct sl_store *store, const char *title, uint64_t *missing,
			 GError **error)
{
	char **names = sl_store_sweeps(store, error);
	bool ok = names != NULL;

	*missing = 0;
	for (char **name = names; ok && *name; name++)
		ok = print_sweep(store, title, *name, missing, error);
	g_strfreev(names);
	return ok;
}

static int print_status(const struct sl_cli *cli, struct sl_store *store)
{
	GError *error = NULL;
	uint64_t missing;

	if (!print_sweeps(store, sl_store_path(store), &missing, &error))
		return sl_sweep_fail_with(cli, error);
	if (missing == 0)
		return SL_EXIT_OK;
	return sl_cli_complain(cli, SL_EXIT_PARTIAL, "%" G_GUINT64_FORMAT " runs are missing",
			       (guint64)missing);
}

int sl_sweep_verb_status(const struct sl_cli *cli, int argc, char **argv)
{
	char *output = NULL, *path;
	const GOptionEntry own[] = {
		{ "output", 'o', 0, G_OPTION_ARG_FILENAME, &output,
		  "Result file (default: the sweep file's name with .sqlite, here)", "FILE" },
		{ 0 },
	};
	GError *error = NULL;
	struct sl_store *store;
	const char *file;
	int code;

	file = sl_sweep_file_argument(cli, argc, argv, own);
	if (!file) {
		g_free(output);
		return SL_EXIT_USAGE;
	}
	path = output ? output : sl_sweep_result_path(file, 1, 1);
	store = sl_sweep_open(path, SL_STORE_READ, &error);
	if (store && sl_store_check(store, &error))
		code = print_status(cli, store);
	else
		code = sl_sweep_fail_with(cli, error);
	sl_store_close(store);
	g_free(path);
	return code;
}

/* --- Merge ------------------------------------------------------------------------------- */

static bool merge_one(const struct sl_cli *cli, struct sl_store *into, const char *path,
		      uint64_t *lost, GError **error)
{
	struct sl_store *from = sl_sweep_open(path, SL_STORE_SALVAGE, error);
	struct sl_store_merge count;
	bool ok = from && sl_store_merge(into, from, &count, error);

	if (ok) {
		printf("%s: %" G_GUINT64_FORMAT " new runs, %" G_GUINT64_FORMAT
		       " already there and equal\n",
		       path, (guint64)count.runs, (guint64)count.twice);
		if (count.damaged)
			sl_cli_note(cli,
				    "%s: damaged, %s%" G_GUINT64_FORMAT
				    " rows or places are lost; run "
				    "the sweep file with the new file to complete it",
				    path, count.lost ? "at least " : "", (guint64)count.lost);
		*lost += count.damaged;
	}
	sl_store_close(from);
	return ok;
}

/* Writes beside the target and renames: a failure leaves it as it was. */
static int merge(const struct sl_cli *cli, const char *output, char **input)
{
	char *partial = g_strdup_printf("%s.partial-%u", output, (unsigned)g_random_int());
	GError *error = NULL;
	struct sl_store *into = sl_sweep_open(partial, SL_STORE_CREATE, &error);
	uint64_t missing = 0, lost = 0;
	bool ok = into != NULL;
	int code = SL_EXIT_OK;

	if (ok && g_file_test(output, G_FILE_TEST_EXISTS))
		ok = merge_one(cli, into, output, &lost, &error);
	for (char **path = input; *path && ok; path++)
		if (strcmp(*path, output) != 0)
			ok = merge_one(cli, into, *path, &lost, &error);
	ok = ok && print_sweeps(into, output, &missing, &error);
	sl_store_close(into);
	if (ok && g_rename(partial, output) != 0) {
		ok = false;
		g_set_error(&error, SL_CLI_ERROR, 0, "%s: cannot be written", output);
	}
	if (!ok) {
		g_unlink(partial);
		code = sl_sweep_fail_with(cli, error);
	} else if (missing || lost) {
		code = sl_cli_complain(cli, SL_EXIT_PARTIAL,
				       "%s: not complete, %" G_GUINT64_FORMAT " runs are missing",
				       output, (guint64)missing);
	}
	g_free(partial);
	return code;
}

int sl_sweep_verb_merge(const struct sl_cli *cli, int argc, char **argv)
{
	char *output = NULL;
	const GOptionEntry own[] = {
		{ "output", 'o', 0, G_OPTION_ARG_FILENAME, &output,
		  "The joined file; when it exists, what it holds is kept", "FILE" },
		{ 0 },
	};
	const GOptionEntry *groups[] = { own };
	int code;

	if (!sl_cli_parse(cli, &argc, &argv, groups, SL_ARRAY_LEN(groups)))
		code = SL_EXIT_USAGE;
	else if (!output)
		code = sl_cli_complain(cli, SL_EXIT_USAGE, "-o FILE is missing");
	else if (argc < 2)
		code = sl_cli_complain(cli, SL_EXIT_USAGE, "result files are missing");
	else
		code = merge(cli, output, argv + 1);
	g_free(output);
	return code;
}
