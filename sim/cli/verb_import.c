/* SPDX-License-Identifier: BSD-2-Clause
 *
 * schedlab import: reads a recorded trace, says what is in it and what had to be
 * repaired, and keeps it as a recording of our own. */
#include "sim/cli/verbs.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <stdio.h>
#include <string.h>

#include "sim/base/bits.h"
#include "sim/cli/out.h"
#include "sim/cli/spec.h"
#include "topologies/cpuset.h"
#include "traces/import.h"
#include "traces/recording.h"

/* A trace of more CPUs keeps those above out of --cpus. */
#define CPUS_MOST 4096u

struct import_options {
	struct sl_import_opts opts;
	gboolean strict, force, all, servers, kernel, timeouts, absolute, report;
	char *command, *from, *to, *jobs, *output, *cpus;
	uint64_t cpu_set[SL_BITS_WORDS(CPUS_MOST)];
	char **threads;
};

static bool parse_options(const struct sl_cli *cli, struct import_options *o, int *argc,
			  char ***argv)
{
	const GOptionEntry own[] = {
		{ "output", 'o', 0, G_OPTION_ARG_FILENAME, &o->output,
		  "Write the trace as a recording (.slr)", "FILE" },
		{ "report", 0, 0, G_OPTION_ARG_NONE, &o->report,
		  "Print the report although -o is given", NULL },
		{ "strict", 0, 0, G_OPTION_ARG_NONE, &o->strict,
		  "Fail at the first thing that has to be repaired", NULL },
		{ "force", 0, 0, G_OPTION_ARG_NONE, &o->force,
		  "Accept a trace that is more than 20 % repairs", NULL },
		{ "all", 0, 0, G_OPTION_ARG_NONE, &o->all,
		  "Every user thread, not only the recorded command's", NULL },
		{ "servers", 0, 0, G_OPTION_ARG_NONE, &o->servers,
		  "Also threads that wake and are woken by those", NULL },
		{ "kernel", 0, 0, G_OPTION_ARG_NONE, &o->kernel, "Also kernel threads", NULL },
		{ "timeouts", 0, 0, G_OPTION_ARG_NONE, &o->timeouts,
		  "Keep waits that kept timing out", NULL },
		{ "absolute", 0, 0, G_OPTION_ARG_NONE, &o->absolute,
		  "Timed waits end at the recorded time, not after it", NULL },
		{ "command", 0, 0, G_OPTION_ARG_FILENAME, &o->command,
		  "The recorded command (default: found)", "NAME" },
		{ "thread", 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &o->threads,
		  "Only this thread, by name or number, and what it forks", "NAME" },
		{ "from", 0, 0, G_OPTION_ARG_FILENAME, &o->from, "Start here in the trace",
		  "TIME" },
		{ "to", 0, 0, G_OPTION_ARG_FILENAME, &o->to, "End here in the trace", "TIME" },
		{ "cpus", 0, 0, G_OPTION_ARG_FILENAME, &o->cpus,
		  "Only threads that ran on one of these CPUs: 0,2-3", "LIST" },
		{ "jobs", 0, 0, G_OPTION_ARG_FILENAME, &o->jobs,
		  "ninja log: jobs at once (default: as recorded)", "N" },
		{ 0 },
	};
	const GOptionEntry *groups[] = { own };

	return sl_cli_parse(cli, argc, argv, groups, SL_ARRAY_LEN(groups));
}

static void clear_options(struct import_options *o)
{
	g_free(o->command);
	g_free(o->from);
	g_free(o->to);
	g_free(o->jobs);
	g_free(o->cpus);
	g_free(o->output);
	g_strfreev(o->threads);
}

static bool read_options(struct import_options *o, GError **error)
{
	uint64_t jobs = 0;

	if (o->from && !sl_spec_duration(o->from, &o->opts.from, error))
		return false;
	if (o->to && !sl_spec_duration(o->to, &o->opts.to, error))
		return false;
	if (o->to && o->opts.to <= o->opts.from) {
		g_set_error(error, SL_CLI_ERROR, 0,
			    "--to %s is not behind --from; expected a later time", o->to);
		return false;
	}
	if (o->jobs && !sl_spec_number("--jobs", o->jobs, 1, 65536, &jobs, error))
		return false;
	if (o->cpus) {
		if (!sl_cpuset_parse(o->cpus, CPUS_MOST, o->cpu_set, error))
			return false;
		o->opts.cpus = o->cpu_set;
		o->opts.cpu_words = SL_BITS_WORDS(CPUS_MOST);
	}
	o->opts.jobs = (uint32_t)jobs;
	o->opts.strict = o->strict;
	o->opts.force = o->force;
	o->opts.all = o->all;
	o->opts.servers = o->servers;
	o->opts.keep_kernel = o->kernel;
	o->opts.keep_timeouts = o->timeouts;
	o->opts.absolute = o->absolute;
	o->opts.command = o->command;
	o->opts.select = (const char *const *)o->threads;
	return true;
}

static int import(const struct sl_cli *cli, const struct import_options *o, const char *path)
{
	/* With -o -, stdout is the recording. */
	bool to_stdout = o->output && sl_out_is_stdout(o->output);
	struct sl_import_report report = { 0 };
	GError *error = NULL;
	struct sl_workload *w = sl_trace_import(path, &o->opts, &report, &error);
	bool ok = w != NULL;

	if (!o->output || o->report || !ok)
		sl_import_report_print(&report, ok && !to_stdout ? stdout : stderr);
	if (ok && report.truncated)
		sl_cli_note(cli,
			    "%s: the trace is cut off; what was imported is its beginning only",
			    path);
	if (ok && o->output)
		ok = sl_recording_save(w, to_stdout ? "-" : o->output, &error);
	sl_import_workload_free(w);
	return ok ? SL_EXIT_OK : sl_cli_fail(cli, error, SL_EXIT_INPUT);
}

int sl_verb_import(const struct sl_cli *cli, int argc, char **argv)
{
	struct import_options o = { 0 };
	GError *error = NULL;
	int code = SL_EXIT_USAGE;

	if (!parse_options(cli, &o, &argc, &argv)) {
		/* said already */
	} else if (argc != 2) {
		code = sl_cli_complain(cli, SL_EXIT_USAGE, "one TRACE is expected");
	} else if (!read_options(&o, &error)) {
		code = sl_cli_fail(cli, error, SL_EXIT_INPUT);
	} else {
		code = import(cli, &o, argv[1]);
	}
	clear_options(&o);
	return code;
}
