/* SPDX-License-Identifier: BSD-2-Clause
 *
 * schedlab export: one simulation, as a trace that other programs read. */
#include "sim/cli/verbs.h"

#include <string.h>

#include "sim/base/bits.h"
#include "sim/cli/setup.h"
#include "sim/cli/trace_out.h"
#include "sim/cli/window.h"
#include "topologies/cpuset.h"

struct export_options {
	struct sl_setup_options setup;
	char *output, *from, *to, *thread, *cpus;
	struct sl_export_opts opts;
};

static bool parse_options(const struct sl_cli *cli, struct export_options *o, int *argc,
			  char ***argv)
{
	const GOptionEntry own[] = {
		{ "output", 'o', 0, G_OPTION_ARG_FILENAME, &o->output,
		  "Write to this file (default: standard output)", "FILE" },
		{ "from", 0, 0, G_OPTION_ARG_FILENAME, &o->from, "Events from this time on",
		  "TIME" },
		{ "to", 0, 0, G_OPTION_ARG_FILENAME, &o->to, "Events up to this time", "TIME" },
		{ "thread", 0, 0, G_OPTION_ARG_FILENAME, &o->thread,
		  "Events of this task's threads only", "TASK" },
		{ "cpus", 0, 0, G_OPTION_ARG_FILENAME, &o->cpus, "Events on these CPUs only: 0,2-3",
		  "LIST" },
		{ 0 },
	};
	GOptionEntry common[SL_SETUP_ENTRIES];
	const GOptionEntry *groups[] = { common, own };

	sl_setup_entries(&o->setup, common);
	return sl_cli_parse(cli, argc, argv, groups, SL_ARRAY_LEN(groups));
}

static void clear_options(struct export_options *o)
{
	g_free(o->output);
	g_free(o->from);
	g_free(o->to);
	g_free(o->thread);
	g_free(o->cpus);
	sl_setup_options_clear(&o->setup);
}

static bool known_task(const struct sl_workload *w, const char *name, GError **error)
{
	const char **names = g_new0(const char *, w->n_tasks + 1);
	bool known = false;

	for (uint32_t i = 0; i < w->n_tasks; i++) {
		names[i] = w->task[i].name;
		known |= strcmp(names[i], name) == 0;
	}
	if (!known) {
		char *hint = sl_cli_did_you_mean(name, names, w->n_tasks);

		g_set_error(error, SL_CLI_ERROR, 0, "the workload has no task \"%s\"%s", name,
			    hint);
		g_free(hint);
	}
	g_free(names);
	return known;
}

/* Filters; `cpus` has room for the topology's CPUs. */
static bool read_filters(struct export_options *o, const struct sl_setup *setup, uint64_t *cpus,
			 GError **error)
{
	uint32_t ncpus = setup->topo->ncpus;

	if (!sl_window_parse(o->from, o->to, &o->opts.from, &o->opts.to, error))
		return false;
	/* To the exporters 0 is no end. */
	if (o->to && o->opts.to == 0)
		o->opts.to = 1;
	if (o->thread && !known_task(setup->work.workload, o->thread, error))
		return false;
	o->opts.thread = o->thread;
	if (!o->cpus)
		return true;
	o->opts.cpus = cpus;
	o->opts.cpu_words = SL_BITS_WORDS(ncpus);
	return sl_cpuset_parse(o->cpus, ncpus, cpus, error);
}

static int simulate(const struct sl_cli *cli, const struct sl_setup *setup,
		    const struct export_options *o, struct sl_trace_out *trace)
{
	struct sl_sink sink = sl_trace_out_sink(trace);
	struct sl_sim_args args;
	struct sl_sim *sim;
	GError *error = NULL;
	enum sl_end end;
	char why[512];
	bool ok;

	sl_setup_args(setup, 0, &args);
	args.sinks = &sink;
	args.n_sinks = 1;
	args.stop = sl_cli_catch_signals();
	sim = sl_sim_new(&args, why, sizeof(why));
	if (!sim) {
		sl_trace_out_abandon(trace);
		return sl_cli_no_sim(cli, why);
	}
	end = sl_sim_run(sim);
	ok = sl_trace_out_close(trace, sl_sim_pol(sim)->now, end == SL_END_STOPPED, &error);
	if (sl_end_exit(end) != SL_EXIT_OK)
		sl_cli_note(cli, "%s", *sl_sim_fault(sim) ? sl_sim_fault(sim) : sl_end_text(end));
	else if (ok)
		ok = sl_window_reached(o->from, o->opts.from, sl_sim_pol(sim)->now, &error);
	sl_sim_free(sim);
	return ok ? (int)sl_end_exit(end) : sl_cli_fail(cli, error, SL_EXIT_INPUT);
}

static int export_loaded(const struct sl_cli *cli, struct export_options *o, const char *format,
			 const struct sl_setup *setup)
{
	uint64_t *cpus = g_new0(uint64_t, SL_BITS_WORDS(setup->topo->ncpus));
	struct sl_trace_out *trace;
	GError *error = NULL;
	int code;

	if (setup->policies->len != 1) {
		code = sl_cli_complain(cli, SL_EXIT_INPUT, "one -p POLICY is expected");
	} else if (!read_filters(o, setup, cpus, &error)) {
		code = sl_cli_fail(cli, error, SL_EXIT_INPUT);
	} else {
		trace = sl_trace_out_new(o->output ? o->output : "-", format, setup->work.workload,
					 &o->opts, &error);
		code = trace ? simulate(cli, setup, o, trace)
			     : sl_cli_fail(cli, error, SL_EXIT_INPUT);
	}
	g_free(cpus);
	return code;
}

int sl_verb_export(const struct sl_cli *cli, int argc, char **argv)
{
	struct export_options o = { 0 };
	struct sl_setup setup;
	int code = SL_EXIT_USAGE;

	if (!parse_options(cli, &o, &argc, &argv)) {
		/* said already */
	} else if (argc != 2) {
		code = sl_cli_complain(cli, SL_EXIT_USAGE, "expected %s", cli->verb->arguments);
	} else {
		code = sl_setup_load(cli, &o.setup, &setup);
		if (code == SL_EXIT_OK) {
			code = export_loaded(cli, &o, argv[1], &setup);
			sl_setup_free(&setup);
		}
	}
	clear_options(&o);
	return code;
}
