/* SPDX-License-Identifier: BSD-2-Clause
 *
 * schedlab run: one simulation, its logs and its report. */
#include "sim/cli/verbs.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "sim/cli/check_fatal.h"
#include "sim/cli/claims.h"
#include "sim/cli/logs.h"
#include "sim/cli/out.h"
#include "sim/cli/report.h"
#include "sim/cli/trace_out.h"
#include "sim/cli/window.h"

struct run_options {
	struct sl_setup_options setup;
	char **logs, **traces;
	char *from, *to, *fatal_text;
	gboolean json, explain;
	bool report_to_stderr; /* stdout has a log or a trace */
	struct sl_explain_filter filter;
	struct sl_export_opts window;
	GPtrArray *traced; /* of struct sl_trace_out, one per --trace that is open */
	struct sl_fatal fatal;
};

static bool parse_options(const struct sl_cli *cli, struct run_options *o, int *argc, char ***argv)
{
	const GOptionEntry own[] = {
		{ "log", 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &o->logs,
		  "Write a log: switches=FILE, samples=FILE or decisions=FILE; JSON lines if FILE "
		  "ends in .jsonl",
		  "KIND=FILE" },
		{ "json", 0, 0, G_OPTION_ARG_NONE, &o->json, "Print the report as JSON", NULL },
		{ "explain", 0, 0, G_OPTION_ARG_NONE, &o->explain,
		  "Tell every decision; thread=NAME or cpu=N as arguments narrow it", NULL },
		{ "trace", 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &o->traces,
		  "Write the run as a trace; the format as for export, or by FILE's ending",
		  "[FORMAT=]FILE" },
		{ "check-fatal", 0, 0, G_OPTION_ARG_FILENAME, &o->fatal_text,
		  "As --check, and these findings are faults: conservation[=TIME], "
		  "hogs[=PERCENT], migrations[=COUNT], all",
		  "RULE,..." },
		{ "from", 0, 0, G_OPTION_ARG_FILENAME, &o->from,
		  "Explain and trace from this time on", "TIME" },
		{ "to", 0, 0, G_OPTION_ARG_FILENAME, &o->to, "Explain and trace up to this time",
		  "TIME" },
		{ 0 },
	};
	GOptionEntry common[SL_SETUP_ENTRIES];
	const GOptionEntry *groups[] = { common, own };

	sl_setup_entries(&o->setup, common);
	return sl_cli_parse(cli, argc, argv, groups, SL_ARRAY_LEN(groups));
}

/* Values of options, and the arguments that are left: what to explain. */
static bool parse_values(struct run_options *o, int argc, char **argv, GError **error)
{
	o->filter.cpu = -1;
	o->filter.to = SL_TIME_MAX;
	if (!sl_window_parse(o->from, o->to, &o->filter.from, &o->filter.to, error))
		return false;
	if (o->fatal_text) {
		o->setup.check = TRUE;
		if (!sl_fatal_parse(&o->fatal, o->fatal_text, error))
			return false;
	}
	for (int i = 1; i < argc; i++)
		if (!sl_explain_filter_parse(&o->filter, argv[i], error))
			return false;
	return true;
}

/* Claims what the options `name` SPEC of one kind write. What is wrong with a log's or a trace's
 * SPEC is said when it is opened. */
static bool claim_all(GHashTable *claims, const char *name, char **specs, bool traces,
		      GError **error)
{
	bool ok = true;

	for (char **spec = specs; spec && *spec && ok; spec++) {
		const char *equals = strchr(*spec, '='), *path = equals ? equals + 1 : NULL,
			   *format;
		char *who;

		if (traces && !sl_trace_out_split(*spec, &path, &format, NULL))
			continue;
		if (!path)
			continue;
		who = g_strconcat(name, " ", *spec, NULL);
		ok = sl_claims_add(claims, path, who, error);
		g_free(who);
	}
	return ok;
}

/* Refuses two outputs in one place. The readable report gives way to a log or trace. */
static bool claim_outputs(struct run_options *o, GError **error)
{
	GHashTable *claims = sl_claims_new();
	bool ok = (!o->json || sl_claims_add(claims, "-", "--json", error)) &&
		  (!o->explain || sl_claims_add(claims, "-", "--explain", error)) &&
		  claim_all(claims, "--log", o->logs, false, error) &&
		  claim_all(claims, "--trace", o->traces, true, error);

	o->report_to_stderr = ok && !o->json && !o->explain && sl_claims_stdout(claims);
	g_hash_table_unref(claims);
	return ok;
}

static bool open_traces(struct run_options *o, struct sl_logs *logs, const struct sl_workload *w,
			GError **error)
{
	o->window.from = o->filter.from;
	/* To the exporters 0 is no end. */
	o->window.to = o->to ? MAX(o->filter.to, 1) : 0;
	for (char **spec = o->traces; spec && *spec; spec++) {
		const char *path, *format;
		struct sl_trace_out *t;

		if (!sl_trace_out_split(*spec, &path, &format, error))
			return false;
		t = sl_trace_out_new(path, format, w, &o->window, error);
		if (!t)
			return false;
		g_ptr_array_add(o->traced, t);
		sl_logs_also(logs, sl_trace_out_sink(t));
	}
	return true;
}

static bool open_logs(struct run_options *o, struct sl_logs *logs, const struct sl_workload *w,
		      GError **error)
{
	if (!claim_outputs(o, error) || !open_traces(o, logs, w, error))
		return false;
	for (char **spec = o->logs; spec && *spec; spec++)
		if (!sl_logs_add(logs, *spec, error))
			return false;
	if (o->explain) {
		sl_logs_add_narrative(logs, &o->filter);
		o->filter.thread = NULL;
	}
	return true;
}

/* Logs and trace are complete. */
static bool close_outputs(struct run_options *o, struct sl_logs *logs, const struct sl_report *r,
			  GError **error)
{
	bool partial = r->end == SL_END_STOPPED, ok = sl_logs_close(logs, partial, error);

	while (ok && o->traced->len)
		ok = sl_trace_out_close(g_ptr_array_steal_index(o->traced, 0),
					sl_sim_pol(r->sim)->now, partial, error);
	return ok;
}

/* Refuses a stretch that begins after the end of the run. A run that ended early for another
 * reason is told of by that. */
static bool reaches_from(const struct run_options *o, const struct sl_report *r, GError **error)
{
	return sl_end_exit(r->end) != SL_EXIT_OK ||
	       sl_window_reached(o->from, o->filter.from, sl_sim_pol(r->sim)->now, error);
}

static void print_report(const struct run_options *o, const struct sl_report *report)
{
	if (o->report_to_stderr) {
		fflush(stdout);
		dup2(STDERR_FILENO, STDOUT_FILENO);
	}
	if (o->json)
		sl_report_json(report);
	else
		sl_report_text(report);
}

static int simulate(const struct sl_cli *cli, struct run_options *o, const struct sl_setup *setup,
		    struct sl_logs *logs, struct sl_observer *observer)
{
	struct sl_report report = { .cli = cli, .setup = setup };
	struct sl_sim_args args;
	GError *error = NULL;
	uint32_t broken;
	char why[512];

	sl_setup_args(setup, 0, &args);
	if (observer)
		sl_logs_also(logs, sl_observer_sink(observer));
	sl_logs_attach(logs, &args);
	args.stop = sl_cli_catch_signals();
	report.sim = sl_sim_new(&args, why, sizeof(why));
	if (!report.sim)
		return sl_cli_no_sim(cli, why);
	sl_logs_bind(logs, report.sim);
	report.end = sl_sim_run(report.sim);
	if (!close_outputs(o, logs, &report, &error) || !reaches_from(o, &report, &error)) {
		sl_sim_free(report.sim);
		return sl_cli_fail(cli, error, SL_EXIT_INPUT);
	}
	if (observer)
		report.observed = sl_observer_finish(observer, sl_sim_pol(report.sim)->now);
	if (sl_logs_silent(logs))
		sl_cli_note(cli, "--explain: nothing happened there and then: no line passes "
				 "thread=, cpu=, --from and --to");
	print_report(o, &report);
	if (sl_end_exit(report.end) != SL_EXIT_OK || *sl_sim_fault(report.sim))
		sl_cli_note(cli, "%s",
			    *sl_sim_fault(report.sim) ? sl_sim_fault(report.sim)
						      : sl_end_text(report.end));
	broken = observer ? sl_fatal_judge(&o->fatal, &report) : 0;
	sl_sim_free(report.sim);
	return sl_end_exit(report.end) == SL_EXIT_OK && broken > 0 ? SL_EXIT_FAULT
								   : (int)sl_end_exit(report.end);
}

static int run_loaded(const struct sl_cli *cli, struct run_options *o, struct sl_setup *setup)
{
	const struct sl_observe_opts observe = { .topo = setup->topo,
						 .workload = setup->work.workload,
						 .cpuset = setup->cpuset,
						 .grace = sl_fatal_grace(&o->fatal) };
	struct sl_observer *observer = NULL;
	struct sl_logs *logs;
	GError *error = NULL;
	int code;

	if (setup->policies->len != 1)
		return sl_cli_complain(cli, SL_EXIT_INPUT,
				       "one -p POLICY is expected; \"compare\" takes several");
	if (o->filter.cpu >= (int32_t)setup->topo->ncpus)
		return sl_cli_complain(
			cli, SL_EXIT_INPUT,
			"--explain cpu=%d: expected one of the machine's CPUs, 0 to %u",
			(int)o->filter.cpu, setup->topo->ncpus - 1);
	if (setup->until && o->filter.from > setup->until)
		return sl_cli_complain(cli, SL_EXIT_INPUT,
				       "--from %s: expected a time up to --until %s", o->from,
				       o->setup.until);
	if (setup->check && !(observer = sl_observer_new(&observe)))
		return sl_cli_complain(cli, SL_EXIT_FAULT, "out of memory");
	logs = sl_logs_new();
	o->traced = g_ptr_array_new();
	if (open_logs(o, logs, setup->work.workload, &error))
		code = simulate(cli, o, setup, logs, observer);
	else
		code = sl_cli_fail(cli, error, SL_EXIT_INPUT);
	while (o->traced->len)
		sl_trace_out_abandon(g_ptr_array_steal_index(o->traced, 0));
	g_ptr_array_unref(o->traced);
	sl_logs_free(logs);
	sl_observer_free(observer);
	return code;
}

int sl_verb_run(const struct sl_cli *cli, int argc, char **argv)
{
	struct run_options o = { 0 };
	struct sl_setup setup;
	GError *error = NULL;
	int code = SL_EXIT_USAGE;

	if (!parse_options(cli, &o, &argc, &argv)) {
		/* said already */
	} else if (argc > 1 && !o.explain) {
		code = sl_cli_complain(cli, SL_EXIT_USAGE, "unexpected argument \"%s\"", argv[1]);
	} else if ((o.from || o.to) && !o.explain && !o.traces) {
		code = sl_cli_complain(cli, SL_EXIT_USAGE,
				       "--from and --to narrow --explain or --trace");
	} else if (!parse_values(&o, argc, argv, &error)) {
		code = sl_cli_fail(cli, error, SL_EXIT_INPUT);
	} else {
		code = sl_setup_load(cli, &o.setup, &setup);
		if (code == SL_EXIT_OK) {
			code = run_loaded(cli, &o, &setup);
			sl_setup_free(&setup);
		}
	}
	g_strfreev(o.logs);
	g_free(o.from);
	g_free(o.to);
	g_strfreev(o.traces);
	g_free(o.fatal_text);
	g_free(o.filter.thread);
	sl_setup_options_clear(&o.setup);
	return code;
}
