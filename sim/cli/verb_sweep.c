/* SPDX-License-Identifier: BSD-2-Clause
 *
 * schedlab sweep: finds the sub-verb; what all of them share. */
#include "sim/cli/verbs.h"

#include <stdio.h>
#include <string.h>

#include "sim/cli/verb_sweep.h"

static const struct sl_verb sub_verbs[] = {
	{ "sweep plan", "SWEEP-FILE", "Check a sweep file, list its cells, estimate the time.",
	  false, sl_sweep_verb_plan },
	{ "sweep run", "SWEEP-FILE", "Run what is missing of a sweep.", false, sl_sweep_verb_run },
	{ "sweep status", "SWEEP-FILE|RESULT-FILE", "Say how much of a sweep is done.", false,
	  sl_sweep_verb_status },
	{ "sweep merge", "-o RESULT-FILE RESULT-FILE...",
	  "Join result files; save what is whole of a damaged one.", false, sl_sweep_verb_merge },
	{ "sweep report", "SWEEP-FILE|RESULT-FILE", "Tables, plots and pages of a sweep's results.",
	  false, sl_sweep_verb_report },
	{ "sweep submit", "SWEEP-FILE", "Run a sweep on GNU parallel's or Slurm's machines.", false,
	  sl_sweep_verb_submit },
};

#define PREFIX_LEN strlen("sweep ")

static void print_usage(FILE *to)
{
	fputs("Usage: schedlab sweep plan|run|status|merge|report|submit [OPTION...] FILE\n"
	      "Many comparisons at once: topologies, policies, workloads and their parameters.\n\n",
	      to);
	for (size_t i = 0; i < SL_ARRAY_LEN(sub_verbs); i++)
		fprintf(to, "  %-10s %s\n", sub_verbs[i].name + PREFIX_LEN, sub_verbs[i].summary);
	fputs("\n\"schedlab sweep run --help\" lists the options of run; the file's format is in "
	      "schedlab-sweep(5).\n",
	      to);
}

static int unknown(const struct sl_cli *cli, const char *word)
{
	const char *names[SL_ARRAY_LEN(sub_verbs)];
	char *hint;
	int code;

	for (size_t i = 0; i < SL_ARRAY_LEN(sub_verbs); i++)
		names[i] = sub_verbs[i].name + PREFIX_LEN;
	hint = sl_cli_did_you_mean(word, names, SL_ARRAY_LEN(names));
	code = sl_cli_complain(cli, SL_EXIT_USAGE,
			       "unknown action \"%s\"%s; expected plan, run, status, merge, report "
			       "or submit",
			       word, hint);
	g_free(hint);
	return code;
}

int sl_verb_sweep(const struct sl_cli *cli, int argc, char **argv)
{
	if (argc < 2) {
		print_usage(stderr);
		return SL_EXIT_USAGE;
	}
	if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
		print_usage(stdout);
		return SL_EXIT_OK;
	}
	for (size_t i = 0; i < SL_ARRAY_LEN(sub_verbs); i++)
		if (strcmp(argv[1], sub_verbs[i].name + PREFIX_LEN) == 0) {
			struct sl_cli sub = *cli;

			sub.verb = &sub_verbs[i];
			return sub.verb->run(&sub, argc - 1, argv + 1);
		}
	return unknown(cli, argv[1]);
}

struct sl_store *sl_sweep_open(const char *path, enum sl_store_mode mode, GError **error)
{
	const char *names[SL_METRIC_DEFS];
	const struct sl_store_shape shape = { names, SL_METRIC_DEFS };
	struct sl_store *store;

	for (int i = 0; i < SL_METRIC_DEFS; i++)
		names[i] = sl_metric_defs[i].name;
	store = sl_store_open(path, &shape, mode, error);
	return store;
}

enum sl_exit sl_sweep_exit(const GError *error)
{
	if (error->domain != SL_STORE_ERROR)
		return SL_EXIT_INPUT;
	switch (error->code) {
	case SL_STORE_ERROR_FULL:
	case SL_STORE_ERROR_USE:
		return SL_EXIT_PARTIAL;
	case SL_STORE_ERROR_DIFFERENT:
		return SL_EXIT_FAULT;
	default:
		return SL_EXIT_INPUT;
	}
}

int sl_sweep_fail_with(const struct sl_cli *cli, GError *error)
{
	return sl_cli_fail(cli, error, sl_sweep_exit(error));
}

char *sl_sweep_result_path(const char *file, uint32_t index, uint32_t count)
{
	char *base, *path;

	if (sl_store_is_file(file) || g_str_has_suffix(file, ".sqlite"))
		return g_strdup(file);
	base = g_path_get_basename(file);
	if (g_str_has_suffix(base, ".sweep"))
		base[strlen(base) - strlen(".sweep")] = 0;
	path = count > 1 ? g_strdup_printf("%s.%u-of-%u.sqlite", base, index, count)
			 : g_strconcat(base, ".sqlite", NULL);
	g_free(base);
	return path;
}

const char *sl_sweep_file_argument(const struct sl_cli *cli, int argc, char **argv,
				   const GOptionEntry *own)
{
	if (!sl_cli_parse(cli, &argc, &argv, &own, 1))
		return NULL;
	if (argc == 2)
		return argv[1];
	if (argc < 2)
		sl_cli_complain(cli, SL_EXIT_USAGE, "a file is missing: %s", cli->verb->arguments);
	else
		sl_cli_complain(cli, SL_EXIT_USAGE, "unexpected argument \"%s\"", argv[2]);
	return NULL;
}
