/* SPDX-License-Identifier: BSD-2-Clause
 *
 * schedlab sweep submit: a sweep on engines that people have, GNU parallel and Slurm.
 * Invariant: all that this program adds is a script, which can be read before it is run
 * (--dry-run) and run again: parts that are done are skipped, parts that were cut off go on. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#include "sim/batch/shard.h"
#include "sim/cli/out.h"
#include "sim/cli/verb_sweep.h"

/* A task should last this long: short against a night, long against a start. */
#define TASK_SECONDS 300
#define TASKS_MOST   1000 /* Slurm's MaxArraySize is 1001 unless an administrator raised it */
#define TASKS_BLIND  64	  /* when nothing can be estimated */

struct submit_options {
	char *tasks, *cpus, *hosts, *limit, *program;
	gboolean parallel, slurm, dry_run, no_wait;
	uint64_t n_tasks, n_cpus, n_limit;
};

/* What a script is made from; quoted for a shell. */
struct script {
	const struct submit_options *o;
	char *program, *file, *stem, *hosts;
	uint32_t tasks;
	GString *text;
};

static void clear_options(struct submit_options *o)
{
	g_free(o->tasks);
	g_free(o->cpus);
	g_free(o->hosts);
	g_free(o->limit);
	g_free(o->program);
}

static bool read_options(struct submit_options *o, GError **error)
{
	o->n_cpus = 1;
	return (!o->tasks ||
		sl_spec_number("--tasks", o->tasks, 1, SL_SHARD_MOST, &o->n_tasks, error)) &&
	       (!o->cpus || sl_spec_number("--cpus", o->cpus, 1, 4096, &o->n_cpus, error)) &&
	       (!o->limit ||
		sl_spec_number("--limit", o->limit, 1, SL_SHARD_MOST, &o->n_limit, error));
}

static void add_head(struct script *s, const struct sl_cli *cli)
{
	g_string_append_printf(s->text,
			       "#!/bin/sh\n# schedlab " SL_VERSION ": %s\n"
			       "# %u parts; may be run again, and then does what is missing.\n",
			       cli->command_line, s->tasks);
}

static void add_merge(struct script *s)
{
	g_string_append_printf(s->text, "%s sweep merge -o %s.sqlite", s->program, s->stem);
	g_string_append_printf(s->text, " %s.*-of-%u.sqlite\n", s->stem, s->tasks);
}

/* Jobs go to hosts as they become free; a part that failed is tried again by the next run. */
static void write_parallel(struct script *s)
{
	g_string_append(s->text,
			"set -u\n"
			"parallel --version 2>/dev/null | grep -q '^GNU parallel' || {\n"
			"\techo 'GNU parallel is needed (another program of that name may be "
			"installed)' >&2\n\texit 2\n}\n");
	g_string_append_printf(s->text, "seq %u | parallel -q --joblog %s.joblog --resume-failed",
			       s->tasks, s->stem);
	if (s->o->n_limit)
		g_string_append_printf(s->text, " -j %u", (unsigned)s->o->n_limit);
	if (s->hosts)
		g_string_append_printf(s->text,
				       " \\\n\t--sshloginfile %s --transferfile %s --return "
				       "%s.{}-of-%u.sqlite --cleanup --workdir ...",
				       s->hosts, s->file, s->stem, s->tasks);
	g_string_append_printf(
		s->text, " \\\n\t%s sweep run %s --shard {}/%u -j %u -o %s.{}-of-%u.sqlite\n",
		s->program, s->file, s->tasks, (unsigned)s->o->n_cpus, s->stem, s->tasks);
	add_merge(s);
}

/* The array's script is a here-document of one script, so that there is one file to read. A task
 * that is put back into the queue goes on with its part's file. */
static void write_slurm(struct script *s)
{
	g_string_append_printf(s->text,
			       "set -u\nsbatch %s<<'TASK'\n#!/bin/sh\n"
			       "#SBATCH --job-name=schedlab-sweep\n#SBATCH --array=1-%u",
			       s->o->no_wait ? "" : "--wait ", s->tasks);
	if (s->o->n_limit)
		g_string_append_printf(s->text, "%%%u", (unsigned)s->o->n_limit);
	g_string_append_printf(s->text,
			       "\n#SBATCH --cpus-per-task=%u\n#SBATCH --requeue\n"
			       "#SBATCH --open-mode=append\n#SBATCH --output=%s.%%a.log\n"
			       "exec %s sweep run %s --shard \"$SLURM_ARRAY_TASK_ID/%u\" -j %u "
			       "-o %s.\"$SLURM_ARRAY_TASK_ID\"-of-%u.sqlite\nTASK\n",
			       (unsigned)s->o->n_cpus, s->stem, s->program, s->file, s->tasks,
			       (unsigned)s->o->n_cpus, s->stem, s->tasks);
	if (s->o->no_wait)
		g_string_append(s->text, "# when all tasks have ended:\n# ");
	add_merge(s);
}

/* Parts so that each takes minutes, at most one per cell. */
static uint32_t count_tasks(const struct sl_sweep_plan *plan, struct sl_sweep_inputs *in,
			    const struct submit_options *o)
{
	uint32_t timed;
	double seconds, tasks;

	if (o->n_tasks)
		return (uint32_t)MIN(o->n_tasks, plan->hash->len);
	seconds = sl_sweep_estimate(plan, in, &timed);
	tasks = timed ? ceil(seconds / TASK_SECONDS / (double)o->n_cpus) : TASKS_BLIND;
	return (uint32_t)CLAMP(tasks, 1, MIN(TASKS_MOST, plan->hash->len));
}

static int run_script(const struct sl_cli *cli, const struct script *s, const char *stem)
{
	char *path = g_strconcat(stem, ".submit.sh", NULL);
	char *argv[] = { (char *)(uintptr_t) "sh", path, NULL };
	GError *error = NULL;
	struct sl_out *out = sl_out_open(path, &error);
	int status = 0, code;

	if (out)
		sl_out_text(out, s->text->str);
	if (!out || !sl_out_close(out, &error) ||
	    !g_spawn_sync(NULL, argv, NULL, G_SPAWN_SEARCH_PATH | G_SPAWN_CHILD_INHERITS_STDIN,
			  NULL, NULL, NULL, NULL, &status, &error))
		code = sl_cli_fail(cli, error, SL_EXIT_INPUT);
	else if (WIFEXITED(status) && WEXITSTATUS(status) <= SL_EXIT_PARTIAL)
		code = WEXITSTATUS(status);
	else
		code = sl_cli_complain(cli, SL_EXIT_PARTIAL, "%s did not end well; run it again",
				       path);
	g_free(path);
	return code;
}

static int submit(const struct sl_cli *cli, const struct submit_options *o, const char *path)
{
	struct sl_sweep_plan plan = { 0 };
	GError *error = NULL;
	struct sl_sweep *sweep = sl_sweep_load(path, &error);
	struct sl_sweep_inputs *in;
	struct script s = { .o = o };
	char *stem = sl_sweep_result_path(path, 1, 1);
	int code = SL_EXIT_OK;

	if (!sweep) {
		g_free(stem);
		return sl_sweep_fail_with(cli, error);
	}
	stem[strlen(stem) - strlen(".sqlite")] = 0;
	in = sl_sweep_inputs_new(cli, true);
	s.program = o->program ? g_shell_quote(o->program) : g_shell_quote("schedlab");
	s.file = g_shell_quote(path);
	s.stem = g_shell_quote(stem);
	s.hosts = o->hosts ? g_shell_quote(o->hosts) : NULL;
	s.text = g_string_new(NULL);
	if (!sl_sweep_plan_make(&plan, sweep, in, &error)) {
		code = sl_sweep_fail_with(cli, error);
	} else {
		s.tasks = count_tasks(&plan, in, o);
		add_head(&s, cli);
		if (o->slurm)
			write_slurm(&s);
		else
			write_parallel(&s);
		if (o->dry_run)
			fputs(s.text->str, stdout);
		else
			code = run_script(cli, &s, stem);
	}
	g_string_free(s.text, TRUE);
	g_free(s.hosts);
	g_free(s.stem);
	g_free(s.file);
	g_free(s.program);
	g_free(stem);
	sl_sweep_plan_clear(&plan);
	sl_sweep_inputs_free(in);
	sl_sweep_free(sweep);
	return code;
}

int sl_sweep_verb_submit(const struct sl_cli *cli, int argc, char **argv)
{
	struct submit_options o = { 0 };
	const GOptionEntry own[] = {
		{ "parallel", 0, 0, G_OPTION_ARG_NONE, &o.parallel, "By GNU parallel", NULL },
		{ "slurm", 0, 0, G_OPTION_ARG_NONE, &o.slurm, "As a job array of Slurm", NULL },
		{ "dry-run", 0, 0, G_OPTION_ARG_NONE, &o.dry_run, "Print the script only", NULL },
		{ "tasks", 0, 0, G_OPTION_ARG_FILENAME, &o.tasks,
		  "Parts (default: so that each takes some minutes)", "N" },
		{ "cpus", 0, 0, G_OPTION_ARG_FILENAME, &o.cpus, "Threads of each part (default 1)",
		  "N" },
		{ "limit", 0, 0, G_OPTION_ARG_FILENAME, &o.limit, "Parts at once", "N" },
		{ "hosts", 0, 0, G_OPTION_ARG_FILENAME, &o.hosts,
		  "With --parallel: its file of ssh logins", "FILE" },
		{ "program", 0, 0, G_OPTION_ARG_FILENAME, &o.program,
		  "This program on the machines (default: schedlab in the PATH)", "PATH" },
		{ "no-wait", 0, 0, G_OPTION_ARG_NONE, &o.no_wait,
		  "With --slurm: return at once, without merging", NULL },
		{ 0 },
	};
	GError *error = NULL;
	const char *path;
	int code = SL_EXIT_USAGE;

	path = sl_sweep_file_argument(cli, argc, argv, own);
	if (!path)
		code = SL_EXIT_USAGE;
	else if (o.parallel == o.slurm)
		code = sl_cli_complain(cli, SL_EXIT_USAGE,
				       "one of --parallel and --slurm is needed");
	else if ((o.hosts && !o.parallel) || (o.no_wait && !o.slurm))
		code = sl_cli_complain(cli, SL_EXIT_USAGE,
				       "--hosts goes with --parallel, --no-wait with --slurm");
	else if (!read_options(&o, &error))
		code = sl_sweep_fail_with(cli, error);
	else
		code = submit(cli, &o, path);
	clear_options(&o);
	return code;
}
