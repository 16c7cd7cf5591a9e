/* SPDX-License-Identifier: BSD-2-Clause
 *
 * schedlab compare: the same work under several policies, many times, and ministat's
 * verdict. The first policy is the reference. */
#include "sim/cli/verbs.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "sim/cli/out.h"
#include "sim/cli/trials.h"
#include "stats/ministat.h"

/* Runs added at a time by --until-ci; fixed, so that -j cannot change the outcome. */
#define ROUND 10

struct compare_options {
	struct sl_setup_options setup;
	char *n, *discard, *jobs, *metric, *raw, *threshold, *until_ci, *max_runs;
	uint64_t runs, dropped, threads, most;
	double threshold_percent, ci_percent;
	int which; /* index of the metric */
};

static bool parse_options(const struct sl_cli *cli, struct compare_options *o, int *argc,
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
		{ 0 },
	};
	GOptionEntry common[SL_SETUP_ENTRIES];
	const GOptionEntry *groups[] = { common, own };

	sl_setup_entries(&o->setup, common);
	return sl_cli_parse(cli, argc, argv, groups, SL_ARRAY_LEN(groups));
}

static void clear_options(struct compare_options *o)
{
	char *texts[] = { o->n,	  o->discard,	o->jobs,     o->metric,
			  o->raw, o->threshold, o->until_ci, o->max_runs };

	for (size_t i = 0; i < SL_ARRAY_LEN(texts); i++)
		g_free(texts[i]);
	sl_setup_options_clear(&o->setup);
}

static bool read_metric(struct compare_options *o, GError **error)
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

static bool read_options(struct compare_options *o, GError **error)
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

/* The sets of a comparison; values are owned. */
struct sets {
	struct sl_sample sample[SL_MAX_SETS];
	struct sl_summary summary[SL_MAX_SETS];
	int n;
	size_t least; /* size of the smallest set */
};

static void gather(struct sets *sets, const struct sl_trials *t, const struct compare_options *o)
{
	const struct sl_summary_rules rules = { 0 };

	sets->n = (int)t->policies;
	sets->least = SIZE_MAX;
	for (int p = 0; p < sets->n; p++) {
		const struct sl_policy_spec *spec = t->setup->policies->pdata[p];
		struct sl_sample *s = &sets->sample[p];

		s->name = spec->text;
		s->v = sl_trials_values(t, (uint32_t)p, o->which, (uint32_t)o->dropped, &s->n);
		if (s->n)
			sets->summary[p] = sl_summarize(s->v, s->n, &rules);
		sets->least = MIN(sets->least, s->n);
	}
}

static void drop(struct sets *sets)
{
	for (int p = 0; p < sets->n; p++)
		g_free((void *)(uintptr_t)sets->sample[p].v);
}

/* Half width of the 95 % interval of every mean, in percent of it, is within bounds. */
static bool known_well(const struct sl_trials *t, const struct compare_options *o)
{
	struct sets sets;
	bool well = true;

	gather(&sets, t, o);
	for (int p = 0; p < sets.n && well; p++) {
		const struct sl_summary *s = &sets.summary[p];
		double half = s->n < 2 ? HUGE_VAL
				       : sl_ministat_t(s->n - 1, SL_LEVEL_95) * s->stddev /
						 sqrt((double)s->n);

		well = half * 100 <= o->ci_percent * fabs(s->avg);
	}
	drop(&sets);
	return well;
}

static bool run_all(struct sl_trials *t, const struct compare_options *o, GError **error)
{
	if (!sl_trials_add(t, (uint32_t)o->runs, (uint32_t)o->threads, error))
		return false;
	while (o->until_ci && !*t->stop && t->runs < o->most && !known_well(t, o))
		if (!sl_trials_add(t, MIN(ROUND, (uint32_t)o->most - t->runs), (uint32_t)o->threads,
				   error))
			return false;
	return true;
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

static bool reserved(char c)
{
	return !g_ascii_isalnum(c) && !strchr("@.=,+-_", c);
}

/* Two policies whose texts differ get files whose names differ: the number makes sure. */
static bool write_raw_file(const struct sl_trials *t, const struct compare_options *o,
			   const struct sets *sets, int p, GError **error)
{
	char *base = g_strdup(sets->sample[p].name), *name, *path;
	struct sl_out *out;
	bool ok;

	for (char *c = base; *c; c++)
		if (reserved(*c))
			*c = '_';
	name = g_strdup_printf("%d-%s.txt", p + 1, base);
	path = g_build_filename(o->raw, name, NULL);
	out = sl_out_open(path, error);
	ok = out != NULL;
	if (ok) {
		sl_out_printf(out,
			      "# schedlab " SL_VERSION
			      ": %s\n# %s of %s, seeds from %" G_GUINT64_FORMAT "\n",
			      t->cli->command_line, sl_metric_defs[o->which].name,
			      sets->sample[p].name, (guint64)(t->setup->seed + o->dropped));
		for (size_t i = 0; i < sets->sample[p].n; i++)
			sl_out_printf(out, "%.17g\n", sets->sample[p].v[i]);
		ok = *t->stop ? sl_out_close_partial(out, error) : sl_out_close(out, error);
	}
	g_free(path);
	g_free(name);
	g_free(base);
	return ok;
}

static bool write_raw(const struct sl_trials *t, const struct compare_options *o,
		      const struct sets *sets, GError **error)
{
	if (g_mkdir_with_parents(o->raw, 0777) != 0) {
		g_set_error(error, SL_CLI_ERROR, 0, "%s: cannot make this folder", o->raw);
		return false;
	}
	for (int p = 0; p < sets->n; p++)
		if (!write_raw_file(t, o, sets, p, error))
			return false;
	return true;
}

/* A digest over the digests of all runs, in order. */
static uint64_t digest_all(const struct sl_trials *t)
{
	uint64_t digest = 0;

	for (guint i = 0; i < t->row->len; i++)
		digest = sl_rng_mix(digest ^ g_array_index(t->row, struct sl_trial, i).digest);
	return digest;
}

static void print_head(const struct sl_trials *t, const struct compare_options *o)
{
	const struct sl_setup *s = t->setup;
	const struct sl_metric_def *m = &sl_metric_defs[o->which];

	printf("# schedlab " SL_VERSION ": %s\n", t->cli->command_line);
	printf("# topology %s, digest %016" G_GINT64_MODIFIER "x; costs %s\n", s->topo->name,
	       (guint64)s->topo_digest, s->costs->name);
	printf("# workload %s, digest %016" G_GINT64_MODIFIER "x\n", s->work.workload->name,
	       (guint64)s->work.workload->digest);
	printf("# %s%s%s%s, %s is better; %u runs, first %u discarded; seeds from "
	       "%" G_GUINT64_FORMAT "; digest %016" G_GINT64_MODIFIER "x\n",
	       m->name, *m->unit ? " in " : "", m->unit, *m->unit ? "" : " (count)",
	       m->larger_is_better ? "larger" : "smaller", t->runs, (unsigned)o->dropped,
	       (guint64)s->seed, (guint64)digest_all(t));
}

/* A difference that lies beyond the threshold as a whole interval. */
static bool beyond(const struct sets *sets, const struct compare_options *o)
{
	for (int p = 1; p < sets->n; p++) {
		struct sl_difference d =
			sl_summary_compare(&sets->summary[0], &sets->summary[p], SL_LEVEL_95, true);

		if (fabs(d.percent) - d.percent_err > o->threshold_percent)
			return true;
	}
	return false;
}

static int print_result(const struct sl_trials *t, const struct compare_options *o,
			const struct sets *sets)
{
	const struct sl_ministat_options look = { .level = SL_LEVEL_95, .width = SL_PLOT_WIDTH };
	GError *error = NULL;

	print_head(t, o);
	if (*t->stop)
		printf("# PARTIAL: interrupted, only the runs that were done are here\n");
	if (o->raw && !write_raw(t, o, sets, &error))
		return sl_cli_fail(t->cli, error, SL_EXIT_INPUT);
	if (sets->least < 3) {
		sl_cli_note(t->cli, "too few runs were done for a comparison");
		return *t->stop ? SL_EXIT_INTERRUPTED : SL_EXIT_PARTIAL;
	}
	sl_ministat_print(stdout, sets->sample, sets->n, &look);
	if (*t->stop)
		return SL_EXIT_INTERRUPTED;
	return o->threshold && beyond(sets, o) ? SL_EXIT_DIFFERENT : SL_EXIT_OK;
}

static int compare(const struct sl_cli *cli, const struct compare_options *o,
		   const struct sl_setup *setup)
{
	struct sl_trials t;
	struct sets sets;
	GError *error = NULL;
	int code;

	if (setup->policies->len > SL_MAX_SETS)
		return sl_cli_complain(cli, SL_EXIT_USAGE, "at most %d policies, not %u",
				       SL_MAX_SETS, setup->policies->len);
	sl_trials_init(&t, cli, setup, sl_cli_catch_signals());
	if (!run_all(&t, o, &error)) {
		code = sl_cli_fail(cli, error, SL_EXIT_PARTIAL);
	} else if ((code = find_fault(&t)) < 0) {
		gather(&sets, &t, o);
		code = print_result(&t, o, &sets);
		drop(&sets);
	}
	sl_trials_clear(&t);
	return code;
}

int sl_verb_compare(const struct sl_cli *cli, int argc, char **argv)
{
	struct compare_options o = { 0 };
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
