/* SPDX-License-Identifier: BSD-2-Clause
 *
 * schedlab list: names of one kind, one on a line. */
#include "sim/cli/verbs.h"

#include <stdio.h>
#include <string.h>

#include "policies/registry.h"
#include "sim/cli/metrics.h"
#include "sim/cli/tunables.h"
#include "topologies/costs_load.h"
#include "topologies/input.h"
#include "topologies/topo_load.h"
#include "traces/workload_load.h"

static bool list_policies(GError **error)
{
	(void)error;
	for (uint32_t i = 0; i < sl_policy_count(); i++) {
		const struct sl_policy *ops = sl_policy_at(i);

		printf("%-20s %s\n", ops->name, ops->summary);
		for (uint32_t e = 0; e < ops->n_eras; e++) {
			const struct sl_era *era = &ops->eras[e];
			char *name = g_strconcat(ops->name, "@", era->name, NULL);

			printf("%-20s %s%s\n", name, era->summary,
			       strcmp(era->name, ops->default_era) == 0 ? " (default)" : "");
			g_free(name);
		}
	}
	return true;
}

static void print_named(GPtrArray *all)
{
	for (guint i = 0; i < all->len; i++) {
		const struct sl_named *named = all->pdata[i];

		printf("%-20s %s\n", named->name, named->summary ? named->summary : "");
	}
	g_ptr_array_unref(all);
}

static bool list_topologies(GError **error)
{
	(void)error;
	print_named(sl_topo_list());
	return true;
}

static bool list_costs(GError **error)
{
	char *table = sl_costs_table();

	(void)error;
	fputs(table, stdout);
	g_free(table);
	return true;
}

static bool list_workloads(GError **error)
{
	char **names = sl_workload_library();

	(void)error;
	for (char **name = names; *name; name++) {
		char *summary = sl_workload_summary(*name), *params = sl_workload_params(*name);
		char **lines = g_strsplit(params ? params : "", "\n", -1);

		printf("%-20s %s\n", *name, summary ? summary : "");
		for (char **line = lines; *line; line++)
			if (**line)
				printf("    %s\n", *line);
		g_strfreev(lines);
		g_free(params);
		g_free(summary);
	}
	g_strfreev(names);
	return true;
}

static void print_tunable(const struct sl_tunable_view *t, void *ctx)
{
	const char *policy = ctx;

	printf("%-6s %-34s %8" G_GINT64_FORMAT " %-6s %" G_GINT64_FORMAT "..%" G_GINT64_FORMAT
	       "%s  %s\n",
	       policy, t->name, (gint64)t->value, t->unit && *t->unit ? t->unit : "-",
	       (gint64)t->least, (gint64)t->most, t->read_only ? " (read-only)" : "",
	       t->help ? t->help : "");
}

static bool list_tunables(GError **error)
{
	bool ok = true;

	for (uint32_t i = 0; i < sl_policy_count() && ok; i++) {
		const char *name = sl_policy_at(i)->name;
		struct sl_policy_spec *spec = sl_policy_spec_new(name, error);

		ok = spec &&
		     sl_tunables_each(spec, NULL, print_tunable, (void *)(uintptr_t)name, error);
		sl_policy_spec_free(spec);
	}
	return ok;
}

static bool list_metrics(GError **error)
{
	(void)error;
	for (int i = 0; i < SL_METRIC_DEFS; i++) {
		const struct sl_metric_def *m = &sl_metric_defs[i];

		printf("%-14s %-4s %-8s %s\n", m->name, *m->unit ? m->unit : "-",
		       m->larger_is_better ? "larger" : "smaller", m->help);
	}
	return true;
}

static const struct {
	const char *name;
	bool (*list)(GError **error);
} kinds[] = {
	{ "policies", list_policies },	 { "topologies", list_topologies },
	{ "workloads", list_workloads }, { "tunables", list_tunables },
	{ "metrics", list_metrics },	 { "costs", list_costs },
};

int sl_verb_list(const struct sl_cli *cli, int argc, char **argv)
{
	const char *names[SL_ARRAY_LEN(kinds)];
	GError *error = NULL;
	char *hint;

	if (!sl_cli_parse(cli, &argc, &argv, NULL, 0))
		return SL_EXIT_USAGE;
	if (argc != 2)
		return sl_cli_complain(cli, SL_EXIT_USAGE, "expected one of %s",
				       cli->verb->arguments);
	for (size_t i = 0; i < SL_ARRAY_LEN(kinds); i++) {
		names[i] = kinds[i].name;
		if (strcmp(kinds[i].name, argv[1]) != 0)
			continue;
		return kinds[i].list(&error) ? SL_EXIT_OK : sl_cli_fail(cli, error, SL_EXIT_INPUT);
	}
	hint = sl_cli_did_you_mean(argv[1], names, SL_ARRAY_LEN(names));
	sl_cli_complain(cli, SL_EXIT_INPUT, "nothing is called \"%s\"%s; expected one of %s",
			argv[1], hint, cli->verb->arguments);
	g_free(hint);
	return SL_EXIT_INPUT;
}
