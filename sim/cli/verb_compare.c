/* SPDX-License-Identifier: BSD-2-Clause
 *
 * schedlab compare: the same work under several policies, many times, and ministat's
 * verdict. The first policy is the reference. */
#include "sim/cli/verbs.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "sim/cli/compare.h"
#include "stats/sequential.h"

static bool parse_options(const struct sl_cli *cli, struct sl_compare_options *o, int *argc,
			  char ***argv)
{
	const GOptionEntry own[] = {
		{ "runs", 'n', 0, G_OPTION_ARG_FILENAME, &o->n, "Runs per policy (default 31)",
		  "N" },
		{ "discard", 0, 0, G_OPTION_ARG_FILENAME, &o->discard,
		  "Leave out this many first runs (default 1)", "N" },
		{ "metric", 0, 0, G_OPTION_ARG_FILENAME, &o->metric,
		  "What to compare (default real); \"schedlab list metrics\"", "NAME" },
		{ "jobs", 'j', 0, G_OPTION_ARG_FILENAME, &o->jobs,
		  "Simulations at once (default: one per CPU)", "N" },
		{ "raw", 0, 0, G_OPTION_ARG_FILENAME, &o->raw,
		  "Write each policy's values to a file in DIR", "DIR" },
		{ "threshold", 0, 0, G_OPTION_ARG_FILENAME, &o->threshold,
		  "Exit 1 when a difference beyond P percent is proven", "P" },
		{ "until-ci", 0, 0, G_OPTION_ARG_FILENAME, &o->until_ci,
		  "Add runs until every mean is known to +/- W percent", "W" },
		{ "max-runs", 0, 0, G_OPTION_ARG_FILENAME, &o->max_runs,
		  "With --until-ci: at most N runs per policy (default 200)", "N" },
		{ "tests", 0, 0, G_OPTION_ARG_NONE, &o->tests,
		  "More tests, and the interval of every effect", NULL },
		{ "json", 0, 0, G_OPTION_ARG_NONE, &o->json, "Print values and tests as JSON",
		  NULL },
		{ "plot", 0, 0, G_OPTION_ARG_FILENAME, &o->plot,
		  "Write a gnuplot script with its data", "FILE" },
		{ 0 },
	};
	GOptionEntry common[SL_SETUP_ENTRIES];
	const GOptionEntry *groups[] = { common, own };

	sl_setup_entries(&o->setup, common);
	return sl_cli_parse(cli, argc, argv, groups, SL_ARRAY_LEN(groups));
}

static void clear_options(struct sl_compare_options *o)
{
	char *texts[] = { o->n,		o->discard,  o->jobs,	  o->metric, o->raw,
			  o->threshold, o->until_ci, o->max_runs, o->plot };

	for (size_t i = 0; i < SL_ARRAY_LEN(texts); i++)
		g_free(texts[i]);
	sl_setup_options_clear(&o->setup);
}

static bool read_metric(struct sl_compare_options *o, GError **error)
{
	const char *names[SL_METRIC_DEFS], *name = o->metric ? o->metric : "real";
	char *hint;

	o->which = sl_metric_find(name);
	if (o->which >= 0)
		return true;
	for (int i = 0; i < SL_METRIC_DEFS; i++)
		names[i] = sl_metric_defs[i].name;
	hint = sl_cli_did_you_mean(name, names, SL_METRIC_DEFS);
	g_set_error(error, SL_CLI_ERROR, 0,
		    "unknown metric \"%s\"%s; \"schedlab list metrics\" names them all", name,
		    hint);
	g_free(hint);
	return false;
}

static bool read_options(struct sl_compare_options *o, GError **error)
{
	const struct {
		const char *what, *text;
		uint64_t least, most, standard, *to;
	} numbers[] = {
		{ "-n", o->n, 1, 1000000, 31, &o->runs },
		{ "--discard", o->discard, 0, 1000000, 1, &o->dropped },
		{ "-j", o->jobs, 1, 4096, 0, &o->threads },
		{ "--max-runs", o->max_runs, 1, 1000000, 200, &o->most },
	};

	for (size_t i = 0; i < SL_ARRAY_LEN(numbers); i++) {
		*numbers[i].to = numbers[i].standard;
		if (numbers[i].text &&
		    !sl_spec_number(numbers[i].what, numbers[i].text, numbers[i].least,
				    numbers[i].most, numbers[i].to, error))
			return false;
	}
	if (o->threshold &&
	    !sl_spec_real("--threshold", o->threshold, 0, true, &o->threshold_percent, error))
		return false;
	if (o->until_ci && !sl_spec_real("--until-ci", o->until_ci, 0, true, &o->ci_percent, error))
		return false;
	if (o->runs < o->dropped + 3) {
		g_set_error(error, SL_CLI_ERROR, 0,
			    "-n %u with --discard %u leaves %d runs; ministat's numbers need at "
			    "least 3",
			    (unsigned)o->runs, (unsigned)o->dropped,
			    (int)o->runs - (int)o->dropped);
		return false;
	}
	return read_metric(o, error);
}

/* Runs each policy needs for its mean to be known to +/- W percent, by Stein's rule: the
 * runs made so far are the pilot, and decide once. */
static uint32_t runs_wanted(const struct sl_trials *t, const struct sl_compare_options *o)
{
	struct sl_compare_sets sets;
	size_t most = 0;

	sl_compare_gather(&sets, t, o);
	for (int p = 0; p < sets.n; p++) {
		const struct sl_sample *s = &sets.sample[p];
		double half = o->ci_percent / 100 * fabs(sets.summary[p].avg);

		if (s->n >= 2)
			most = MAX(most, sl_stein_plan(s->v, s->n, half, 0.95).runs);
	}
	sl_compare_drop(&sets);
	most = most > o->most ? o->most : most + o->dropped;
	return (uint32_t)MIN(most, o->most);
}

static bool run_all(struct sl_trials *t, const struct sl_compare_options *o, GError **error)
{
	uint32_t wanted;

	if (!sl_trials_add(t, (uint32_t)o->runs, (uint32_t)o->threads, error))
		return false;
	if (!o->until_ci || *t->stop)
		return true;
	wanted = runs_wanted(t, o);
	if (wanted == o->most)
		sl_cli_note(t->cli, "--max-runs %u is reached before --until-ci",
			    (unsigned)o->most);
	return wanted <= t->runs || sl_trials_add(t, wanted - t->runs, (uint32_t)o->threads, error);
}

/* The first run that went wrong, by run and policy: -1 or its exit code. */
static int find_fault(const struct sl_trials *t)
{
	for (uint32_t run = 0; run < t->runs; run++)
		for (uint32_t p = 0; p < t->policies; p++) {
			const struct sl_trial *row = sl_trials_at(t, p, run);
			const struct sl_policy_spec *spec = t->setup->policies->pdata[p];

			if (!row->fault)
				continue;
			sl_cli_note(t->cli, "%s, run %u (seed %" G_GUINT64_FORMAT "): %s",
				    spec->text, run + 1, (guint64)(t->setup->seed + run),
				    row->fault);
			return (int)(row->end == SL_END_NOMEM ? SL_EXIT_INPUT
							      : sl_end_exit(row->end));
		}
	return -1;
}

/* A difference that lies beyond the threshold as a whole interval. */
static bool beyond(const struct sl_compare_sets *sets, const struct sl_compare_options *o)
{
	for (int p = 1; p < sets->n; p++) {
		struct sl_difference d =
			sl_summary_compare(&sets->summary[0], &sets->summary[p], SL_LEVEL_95, true);

		if (fabs(d.percent) - d.percent_err > o->threshold_percent)
			return true;
	}
	return false;
}

static bool write_files(const struct sl_trials *t, const struct sl_compare_options *o,
			const struct sl_compare_sets *sets, GError **error)
{
	return (!o->raw || sl_compare_write_raw(t, o, sets, error)) &&
	       (!o->plot || sl_compare_write_plot(t, o, sets, error));
}

static int print_result(const struct sl_trials *t, const struct sl_compare_options *o,
			const struct sl_compare_sets *sets)
{
	const struct sl_ministat_options look = { .level = SL_LEVEL_95, .width = SL_PLOT_WIDTH };
	GError *error = NULL;

	if (!write_files(t, o, sets, &error))
		return sl_cli_fail(t->cli, error, SL_EXIT_INPUT);
	if (!o->json)
		sl_compare_print_head(t, o);
	if (sets->least < 3) {
		sl_cli_note(t->cli, "too few runs were done for a comparison");
		return *t->stop ? SL_EXIT_INTERRUPTED : SL_EXIT_PARTIAL;
	}
	if (o->json) {
		sl_compare_print_json(t, o, sets);
	} else {
		sl_ministat_print(stdout, sets->sample, sets->n, &look);
		if (o->tests)
			sl_compare_print_tests(t, o, sets);
	}
	if (*t->stop)
		return SL_EXIT_INTERRUPTED;
	return o->threshold && beyond(sets, o) ? SL_EXIT_DIFFERENT : SL_EXIT_OK;
}

static int compare(const struct sl_cli *cli, const struct sl_compare_options *o,
		   const struct sl_setup *setup)
{
	struct sl_compare_sets sets;
	struct sl_trials t;
	GError *error = NULL;
	int code;

	if (setup->policies->len > SL_MAX_SETS)
		return sl_cli_complain(cli, SL_EXIT_USAGE, "at most %d policies, not %u",
				       SL_MAX_SETS, setup->policies->len);
	sl_trials_init(&t, cli, setup, sl_cli_catch_signals());
	if (!run_all(&t, o, &error)) {
		code = sl_cli_fail(cli, error, SL_EXIT_PARTIAL);
	} else if ((code = find_fault(&t)) < 0) {
		sl_compare_gather(&sets, &t, o);
		code = print_result(&t, o, &sets);
		sl_compare_drop(&sets);
	}
	sl_trials_clear(&t);
	return code;
}

int sl_verb_compare(const struct sl_cli *cli, int argc, char **argv)
{
	struct sl_compare_options o = { 0 };
	struct sl_setup setup;
	GError *error = NULL;
	int code = SL_EXIT_USAGE;

	if (!parse_options(cli, &o, &argc, &argv)) {
		/* said already */
	} else if (argc > 1) {
		code = sl_cli_complain(cli, SL_EXIT_USAGE, "unexpected argument \"%s\"", argv[1]);
	} else if (!read_options(&o, &error)) {
		code = sl_cli_fail(cli, error, SL_EXIT_INPUT);
	} else {
		code = sl_setup_load(cli, &o.setup, &setup);
		if (code == SL_EXIT_OK) {
			code = compare(cli, &o, &setup);
			sl_setup_free(&setup);
		}
	}
	clear_options(&o);
	return code;
}
