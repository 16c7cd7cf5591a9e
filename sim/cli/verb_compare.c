/* SPDX-License-Identifier: BSD-2-Clause
 *
 * schedlab compare: the same work under several policies, many times, and ministat's
 * verdict. The first policy is the reference. */
#include "sim/cli/verbs.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "sim/cli/compare.h"
#include "sim/cli/compare_latency.h"
#include "sim/cli/gnuplot.h"
#include "sim/cli/until.h"

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
		  "Add runs until differences are known to +/- W percent", "W" },
		{ "power", 0, 0, G_OPTION_ARG_FILENAME, &o->power,
		  "Add runs until --effect is found with a probability of P percent", "P" },
		{ "effect", 0, 0, G_OPTION_ARG_FILENAME, &o->effect,
		  "With --power: the difference to find, in percent", "E" },
		{ "max-runs", 0, 0, G_OPTION_ARG_FILENAME, &o->max_runs,
		  "With --until-ci or --power: at most N runs per policy (default 200)", "N" },
		{ "tests", 0, 0, G_OPTION_ARG_NONE, &o->tests,
		  "More tests, and the interval of every effect", NULL },
		{ "times", 0, 0, G_OPTION_ARG_NONE, &o->times,
		  "Print real, user and sys of every run, as time(1) does", NULL },
		{ "json", 0, 0, G_OPTION_ARG_NONE, &o->json, "Print values and tests as JSON",
		  NULL },
		{ "csv", 0, 0, G_OPTION_ARG_NONE, &o->csv, "Print the tests as CSV", NULL },
		{ "plot", 0, 0, G_OPTION_ARG_FILENAME, &o->plot,
		  "Draw FILE.svg (png, pdf, txt, sixel; gp: the script only)", "FILE" },
		{ 0 },
	};
	GOptionEntry common[SL_SETUP_ENTRIES];
	const GOptionEntry *groups[] = { common, own };

	sl_setup_entries(&o->setup, common);
	return sl_cli_parse(cli, argc, argv, groups, SL_ARRAY_LEN(groups));
}

static void clear_options(struct sl_compare_options *o)
{
	char *texts[] = { o->n,	       o->discard,  o->jobs, o->metric, o->raw,	  o->threshold,
			  o->until_ci, o->max_runs, o->plot, o->power,	o->effect };

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

static bool read_percents(struct sl_compare_options *o, GError **error)
{
	const struct {
		const char *what, *text;
		double *to;
	} percents[] = {
		{ "--threshold", o->threshold, &o->threshold_percent },
		{ "--until-ci", o->until_ci, &o->ci_percent },
		{ "--power", o->power, &o->power_percent },
		{ "--effect", o->effect, &o->effect_percent },
	};

	for (size_t i = 0; i < SL_ARRAY_LEN(percents); i++)
		if (percents[i].text && !sl_spec_real(percents[i].what, percents[i].text, 0, true,
						      percents[i].to, error))
			return false;
	if (o->power && !(o->power_percent >= 50 && o->power_percent < 100)) {
		g_set_error(error, SL_CLI_ERROR, 0,
			    "--power \"%s\": expected a probability from 50 to below 100 percent",
			    o->power);
		return false;
	}
	return true;
}

static bool read_numbers(struct sl_compare_options *o, GError **error)
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
	return true;
}

/* Options that say nothing without another one, and how many runs there are. */
static bool check_options(struct sl_compare_options *o, GError **error)
{
	const struct {
		bool wrong;
		const char *why;
	} rules[] = {
		{ o->power && !o->effect, "--power needs --effect: which difference to find" },
		{ o->effect && !o->power, "--effect needs --power" },
		{ o->max_runs && !o->until_ci && !o->power,
		  "--max-runs needs --until-ci or --power" },
		{ o->plot && !sl_gnuplot_format(o->plot),
		  "--plot: expected a name that ends with .svg, .png, .pdf, .txt, .sixel or .gp" },
		{ o->times && (o->json || o->csv),
		  "--times prints a text: leave out --json and --csv" },
		{ o->json && o->csv, "--json and --csv are two forms; choose one" },
	};

	for (size_t i = 0; i < SL_ARRAY_LEN(rules); i++)
		if (rules[i].wrong) {
			g_set_error_literal(error, SL_CLI_ERROR, 0, rules[i].why);
			return false;
		}
	if (!o->max_runs)
		o->most = MAX(o->most, o->runs);
	if (o->until_ci || o->power)
		o->runs = MIN(o->runs, o->most);
	if (o->runs < o->dropped + MINISTAT_LEAST) {
		g_set_error(error, SL_CLI_ERROR, 0,
			    "%s %u with --discard %u leaves %d runs; ministat's numbers need at "
			    "least %d",
			    o->max_runs && o->runs == o->most ? "--max-runs" : "-n",
			    (unsigned)o->runs, (unsigned)o->dropped, (int)o->runs - (int)o->dropped,
			    MINISTAT_LEAST);
		return false;
	}
	return true;
}

static bool read_options(struct sl_compare_options *o, GError **error)
{
	return read_numbers(o, error) && read_percents(o, error) && check_options(o, error) &&
	       read_metric(o, error);
}

/* The runs asked for; with --until-ci and --power as many more as they plan. */
static bool run_all(struct sl_trials *t, const struct sl_compare_options *o, struct sl_until *u,
		    GError **error)
{
	bool done;

	if (!sl_trials_add(t, (uint32_t)o->runs, (uint32_t)o->threads, error))
		return false;
	if ((!o->until_ci && !o->power) || *t->stop)
		return true;
	sl_until_plan(u, t, o);
	if (u->runs <= t->runs)
		return true;
	t->note = sl_until_note;
	t->note_ctx = u;
	done = sl_trials_add(t, u->runs - t->runs, (uint32_t)o->threads, error);
	t->note = NULL;
	return done;
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

static void print_text(const struct sl_trials *t, const struct sl_compare_options *o,
		       const struct sl_compare_sets *sets)
{
	const struct sl_ministat_options look = { .level = SL_LEVEL_95, .width = SL_PLOT_WIDTH };

	sl_compare_print_head(t, o);
	if (o->times)
		sl_compare_print_times(t, o);
	if (sets->least < MINISTAT_LEAST)
		return;
	sl_ministat_print(stdout, sets->sample, sets->n, &look);
	if (sl_compare_of_latency(o->which))
		sl_compare_print_latency(t, o, sets);
	if (sets->until)
		sl_until_print(sets->until, o, sets);
	if (o->tests)
		sl_compare_print_tests(t, o, sets);
	else
		sl_compare_print_lines(t, o, sets);
	sl_compare_print_warnings(o, sets);
}

static int print_result(const struct sl_trials *t, const struct sl_compare_options *o,
			const struct sl_compare_sets *sets)
{
	GError *error = NULL;

	if (!write_files(t, o, sets, &error))
		return sl_cli_fail(t->cli, error, SL_EXIT_INPUT);
	if (o->json)
		sl_compare_print_json(t, o, sets);
	else if (o->csv)
		sl_compare_print_csv(t, o, sets);
	else
		print_text(t, o, sets);
	if (sets->least < MINISTAT_LEAST)
		sl_cli_note(t->cli, "interrupted after %u runs, too few for a comparison",
			    sl_trials_whole(t));
	if (*t->stop)
		return SL_EXIT_INTERRUPTED;
	return o->threshold && beyond(sets, o) ? SL_EXIT_DIFFERENT : SL_EXIT_OK;
}

/* Says so when the runs that were done are not those the pilot asked for. */
static void note_aim(const struct sl_trials *t, const struct sl_until *u)
{
	const uint32_t runs = sl_trials_whole(t);

	if (u->n == 0)
		return;
	if (runs < u->runs)
		sl_cli_note(t->cli,
			    "interrupted after %u of %u runs, before the aim, at +/- %.3g%%", runs,
			    u->runs, sl_until_width(u, runs));
	else if (u->short_of_aim)
		sl_cli_note(t->cli, "--max-runs %u is reached before the aim, at +/- %.3g%%", runs,
			    sl_until_width(u, runs));
}

static int compare(const struct sl_cli *cli, const struct sl_compare_options *o,
		   const struct sl_setup *setup)
{
	struct sl_compare_sets sets = { 0 };
	struct sl_until until = { 0 };
	struct sl_trials t;
	GError *error = NULL;
	int code;

	if (setup->policies->len > SL_MAX_SETS)
		return sl_cli_complain(cli, SL_EXIT_USAGE, "at most %d policies, not %u",
				       SL_MAX_SETS, setup->policies->len);
	if (o->csv && setup->policies->len < 2)
		return sl_cli_complain(cli, SL_EXIT_USAGE,
				       "--csv prints comparisons: it needs two policies");
	if (!sl_compare_prepare(o, &error))
		return sl_cli_fail(cli, error, SL_EXIT_INPUT);
	sl_trials_init(&t, cli, setup, sl_cli_catch_signals());
	t.keep_latencies = sl_compare_of_latency(o->which);
	if (!run_all(&t, o, &until, &error)) {
		code = sl_cli_fail(cli, error, SL_EXIT_PARTIAL);
	} else if ((code = find_fault(&t)) < 0) {
		sl_compare_gather(&sets, &t, o);
		sets.until = until.n ? &until : NULL;
		note_aim(&t, &until);
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
