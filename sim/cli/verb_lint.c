/* SPDX-License-Identifier: BSD-2-Clause
 *
 * schedlab lint: checks workload files beyond what loading needs. */
#include "sim/cli/verbs.h"

#include <stdio.h>

#include "sim/cli/shorten.h"
#include "traces/workload_load.h"

/* Prints what is found in one workload; true when that is nothing. */
static bool lint_one(const struct sl_cli *cli, const char *spec,
		     const struct sl_workload_opts *opts)
{
	GPtrArray *findings = g_ptr_array_new_with_free_func(g_free);
	GError *error = NULL;
	bool clean = sl_workload_lint(spec, opts, findings, &error);

	for (guint i = 0; i < findings->len; i++) {
		char *text = sl_shorten(findings->pdata[i]);

		puts(text);
		g_free(text);
	}
	clean &= findings->len == 0;
	g_ptr_array_unref(findings);
	if (error)
		sl_cli_fail(cli, error, SL_EXIT_INPUT);
	return clean;
}

int sl_verb_lint(const struct sl_cli *cli, int argc, char **argv)
{
	gboolean strict = FALSE;
	const GOptionEntry own[] = {
		{ "strict", 0, 0, G_OPTION_ARG_NONE, &strict,
		  "Pure JSON only: no comments, no trailing commas", NULL },
		{ 0 },
	};
	const GOptionEntry *groups[] = { own };
	struct sl_workload_opts opts = { 0 };
	bool clean = true;

	if (!sl_cli_parse(cli, &argc, &argv, groups, SL_ARRAY_LEN(groups)))
		return SL_EXIT_USAGE;
	if (argc < 2)
		return sl_cli_complain(cli, SL_EXIT_USAGE, "a workload to check is missing");
	opts.strict = strict;
	for (int i = 1; i < argc; i++)
		clean &= lint_one(cli, argv[i], &opts);
	return clean ? SL_EXIT_OK : SL_EXIT_INPUT;
}
