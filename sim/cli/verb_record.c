/* SPDX-License-Identifier: BSD-2-Clause
 *
 * schedlab record: runs a command under perf and keeps it as a recording. perf is a program
 * of Linux; this file is the only part of schedlab that knows it.
 * Invariant: nothing is left behind but the recording (and perf's own file with --keep). */
#include "sim/cli/verbs.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#include "sim/cli/out.h"
#include "traces/import.h"
#include "traces/recording.h"

struct record_options {
	char *output, *keep;
	gboolean all, servers, kernel;
};

/* What perf sched record leaves out: the wakee's end of a wake-up, program starts, ends. */
static const char *const events[] = { "sched:sched_wakeup", "sched:sched_process_exec",
				      "sched:sched_process_exit" };

/* Interrupts, so that what they wake is not taken for the work of whoever they hit. Recorded
 * where the kernel has them: folder below the event folder. */
static const char *const more_events[] = {
	"irq_vectors/local_timer_entry",
	"irq_vectors/local_timer_exit",
	"irq/irq_handler_entry",
	"irq/irq_handler_exit",
};

static const char *const event_folders[] = { "/sys/kernel/tracing/events",
					     "/sys/kernel/debug/tracing/events" };

static void add_event(GPtrArray *argv, char *name)
{
	g_ptr_array_add(argv, g_strdup("-e"));
	g_ptr_array_add(argv, g_strdelimit(name, "/", ':'));
}

static void add_more_events(GPtrArray *argv)
{
	for (size_t i = 0; i < SL_ARRAY_LEN(more_events); i++) {
		bool found = false;

		for (size_t k = 0; k < SL_ARRAY_LEN(event_folders) && !found; k++) {
			char *path = g_build_filename(event_folders[k], more_events[i], NULL);

			found = g_file_test(path, G_FILE_TEST_IS_DIR);
			g_free(path);
		}
		if (found)
			add_event(argv, g_strdup(more_events[i]));
	}
}

static GPtrArray *perf_command(const char *perf, const char *data, char **command)
{
	GPtrArray *argv = g_ptr_array_new_with_free_func(g_free);

	g_ptr_array_add(argv, g_strdup(perf));
	g_ptr_array_add(argv, g_strdup("sched"));
	g_ptr_array_add(argv, g_strdup("record"));
	g_ptr_array_add(argv, g_strdup("-q"));
	for (size_t i = 0; i < SL_ARRAY_LEN(events); i++)
		add_event(argv, g_strdup(events[i]));
	add_more_events(argv);
	/* Buffers that a burst of wake-ups does not overrun. */
	g_ptr_array_add(argv, g_strdup("-m"));
	g_ptr_array_add(argv, g_strdup("8M"));
	g_ptr_array_add(argv, g_strdup("-o"));
	g_ptr_array_add(argv, g_strdup(data));
	g_ptr_array_add(argv, g_strdup("--"));
	for (; *command; command++)
		g_ptr_array_add(argv, g_strdup(*command));
	g_ptr_array_add(argv, NULL);
	return argv;
}

/* perf's own reasons are on stderr; what to do about them. */
static int explain_failure(const struct sl_cli *cli)
{
	char *text = NULL;
	long level = 2;

	if (g_file_get_contents("/proc/sys/kernel/perf_event_paranoid", &text, NULL, NULL))
		level = strtol(text, NULL, 10);
	g_free(text);
	if (level > -1)
		return sl_cli_complain(
			cli, SL_EXIT_INPUT,
			"perf recorded nothing; expected the permission to trace all CPUs: run "
			"this as root, or once, as root: sysctl kernel.perf_event_paranoid=-1 && "
			"mount -o remount,mode=755 /sys/kernel/tracing (it is %ld now; in a "
			"container also CAP_PERFMON, or record outside it)",
			level);
	return sl_cli_complain(cli, SL_EXIT_INPUT,
			       "perf recorded nothing; expected a kernel with scheduler trace "
			       "events (CONFIG_FTRACE) and access to /sys/kernel/tracing");
}

static bool has_content(const char *path)
{
	GStatBuf info;

	return g_stat(path, &info) == 0 && info.st_size > 0;
}

/* Runs the command under perf. */
static int run_perf(const struct sl_cli *cli, const char *perf, const char *data, char **command)
{
	GPtrArray *argv = perf_command(perf, data, command);
	GError *error = NULL;
	int status = 0, code = SL_EXIT_OK;

	/* An interrupt ends the command and perf; what was recorded until then is kept. */
	sl_cli_catch_signals();
	if (!g_spawn_sync(NULL, (char **)argv->pdata, NULL, G_SPAWN_CHILD_INHERITS_STDIN, NULL,
			  NULL, NULL, NULL, &status, &error))
		code = sl_cli_fail(cli, error, SL_EXIT_INPUT);
	else if (!has_content(data))
		code = explain_failure(cli);
	else if (WIFEXITED(status) && WEXITSTATUS(status) != 0)
		sl_cli_note(cli, "%s ended with exit code %d", command[0], WEXITSTATUS(status));
	g_ptr_array_unref(argv);
	return code;
}

/* perf's file as text, through the importer, into `output`. */
static int convert(const struct sl_cli *cli, const struct record_options *o, const char *perf,
		   const char *data, const char *name, const char *output)
{
	const char *argv[] = { perf, "script", "--ns", "-i", data, NULL };
	const struct sl_import_opts opts = { .all = o->all,
					     .servers = o->servers,
					     .keep_kernel = o->kernel };
	struct sl_import_report report = { 0 };
	struct sl_workload *w;
	GError *error = NULL;
	bool ok;
	int fd;

	if (!g_spawn_async_with_pipes(NULL, (char **)argv, NULL, G_SPAWN_STDERR_TO_DEV_NULL, NULL,
				      NULL, NULL, NULL, &fd, NULL, &error))
		return sl_cli_fail(cli, error, SL_EXIT_INPUT);
	w = sl_trace_import_fd(fd, name, &opts, &report, &error);
	ok = w && sl_recording_save(w, output, &error);
	if (w)
		sl_import_report_print(&report, stderr);
	sl_import_workload_free(w);
	return ok ? SL_EXIT_OK : sl_cli_fail(cli, error, SL_EXIT_INPUT);
}

static int record(const struct sl_cli *cli, const struct record_options *o, const char *perf,
		  char **command)
{
	char *name = g_path_get_basename(command[0]);
	char *output = !o->output		     ? g_strconcat(name, ".slr", NULL)
		       : sl_out_is_stdout(o->output) ? g_strdup("-")
						     : g_strdup(o->output);
	char *folder = NULL, *data = g_strdup(o->keep);
	char *program = g_find_program_in_path(command[0]);
	GError *error = NULL;
	int code;

	if (program && !data) {
		folder = g_dir_make_tmp("schedlab-XXXXXX", &error);
		data = folder ? g_build_filename(folder, "perf.data", NULL) : NULL;
	}
	if (!program) {
		code = sl_cli_complain(cli, SL_EXIT_INPUT,
				       "%s: not found; expected a program to record", command[0]);
	} else if (!data) {
		code = sl_cli_fail(cli, error, SL_EXIT_INPUT);
	} else {
		code = run_perf(cli, perf, data, command);
		if (code == SL_EXIT_OK)
			code = convert(cli, o, perf, data, name, output);
	}
	if (folder) {
		g_unlink(data);
		g_rmdir(folder);
	}
	if (code == SL_EXIT_OK && strcmp(output, "-") != 0)
		sl_cli_note(cli, "recorded in %s", output);
	g_free(program);
	g_free(folder);
	g_free(data);
	g_free(output);
	g_free(name);
	return code;
}

static char *find_perf(const struct sl_cli *cli, int *code)
{
#ifdef __linux__
	char *perf = g_find_program_in_path("perf");

	if (!perf)
		*code = sl_cli_complain(cli, SL_EXIT_INPUT,
					"perf is not installed; expected the package linux-perf "
					"(Debian), linux-tools-generic (Ubuntu) or perf (Fedora, "
					"Arch, SUSE)");
	return perf;
#else
	*code = sl_cli_complain(cli, SL_EXIT_INPUT,
				"perf is a program of Linux; here record with DTrace or KTR "
				"(docs/recording.md) and use \"schedlab import\"");
	return NULL;
#endif
}

int sl_verb_record(const struct sl_cli *cli, int argc, char **argv)
{
	struct record_options o = { 0 };
	const GOptionEntry own[] = {
		{ "output", 'o', 0, G_OPTION_ARG_FILENAME, &o.output,
		  "The recording (default: COMMAND.slr)", "FILE" },
		{ "keep", 0, 0, G_OPTION_ARG_FILENAME, &o.keep, "Keep perf's own file as FILE",
		  "FILE" },
		{ "all", 0, 0, G_OPTION_ARG_NONE, &o.all,
		  "Every user thread of the system, not only the command's", NULL },
		{ "servers", 0, 0, G_OPTION_ARG_NONE, &o.servers,
		  "Also threads that wake and are woken by those", NULL },
		{ "kernel", 0, 0, G_OPTION_ARG_NONE, &o.kernel, "Also kernel threads", NULL },
		{ 0 },
	};
	const GOptionEntry *groups[] = { own };
	char *perf, **command;
	int code = SL_EXIT_USAGE;

	if (!sl_cli_parse(cli, &argc, &argv, groups, SL_ARRAY_LEN(groups))) {
		/* said already */
	} else {
		command = argv + 1;
		if (*command && strcmp(*command, "--") == 0)
			command++;
		if (!*command)
			code = sl_cli_complain(cli, SL_EXIT_USAGE, "expected %s",
					       cli->verb->arguments);
		else if ((perf = find_perf(cli, &code))) {
			code = record(cli, &o, perf, command);
			g_free(perf);
		}
	}
	g_free(o.output);
	g_free(o.keep);
	return code;
}
