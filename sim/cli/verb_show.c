/* SPDX-License-Identifier: BSD-2-Clause
 *
 * schedlab show: one machine, policy or workload in full. */
#include "sim/cli/verbs.h"

#include <stdio.h>
#include <string.h>

#include "sim/cli/tunables.h"
#include "sim/cli/work.h"
#include "topologies/topo_draw.h"
#include "topologies/topo_load.h"
#include "traces/recording.h"
#include "traces/workload_load.h"

/* The era everything else is measured against. */
#define REFERENCE_ERA "2017"

struct show_options {
	const struct sl_cli *cli;
	char *policy; /* whose kernel looks at the topology */
	gboolean xml;
};

static bool show_topology(const struct show_options *o, const char *name, GError **error)
{
	struct sl_policy_spec *spec = sl_policy_spec_new(o->policy ? o->policy : "ule", error);
	struct sl_topo *topo = spec ? sl_topo_load(name, error) : NULL;
	enum sl_cg_rule rule = spec ? spec->machine.groups : SL_CG_RULE_CACHE;
	char *text;

	sl_policy_spec_free(spec);
	if (!topo)
		return false;
	text = o->xml ? sl_topo_to_xml(topo, rule, 0) : sl_topo_draw(topo, rule);
	fputs(text, stdout);
	g_free(text);
	sl_topo_free(topo);
	return true;
}

static bool show_workload(const struct show_options *o, const char *name, GError **error)
{
	struct sl_work work = { 0 };
	GString *text;

	if (!sl_work_load(o->cli, name, NULL, &work, error))
		return false;
	if (work.recorded && sl_recording_print(work.workload, stdout, NULL)) {
		sl_work_release(&work);
		return true;
	}
	text = g_string_new(NULL);
	sl_workload_show(work.workload, text);
	fputs(text->str, stdout);
	g_string_free(text, TRUE);
	sl_work_release(&work);
	return true;
}

static void print_tunable(const struct sl_tunable_view *t, void *ctx)
{
	(void)ctx;
	printf("  %-34s %10" G_GINT64_FORMAT " %-6s", t->name, (gint64)t->value,
	       t->unit && *t->unit ? t->unit : "");
	if (t->read_only)
		printf(" read-only");
	else
		printf(" %" G_GINT64_FORMAT "..%" G_GINT64_FORMAT, (gint64)t->least,
		       (gint64)t->most);
	printf("%s\n", t->changed ? "  (changed)" : "");
	if (t->help)
		printf("      %s\n", t->help);
}

/* Values by name, to compare two eras. */
static void collect(const struct sl_tunable_view *t, void *ctx)
{
	GHashTable *values = ctx;

	g_hash_table_insert(values, g_strdup(t->name),
			    g_strdup_printf("%" G_GINT64_FORMAT, (gint64)t->value));
}

struct difference {
	GHashTable *reference;
	bool any;
};

static void print_difference(const struct sl_tunable_view *t, void *ctx)
{
	struct difference *d = ctx;
	const char *there = g_hash_table_lookup(d->reference, t->name);
	char *here = g_strdup_printf("%" G_GINT64_FORMAT, (gint64)t->value);

	if (!there) {
		printf("  %-34s %10s    not in @" REFERENCE_ERA "\n", t->name, here);
		d->any = true;
	} else if (strcmp(there, here) != 0) {
		printf("  %-34s %10s    %s in @" REFERENCE_ERA "\n", t->name, here, there);
		d->any = true;
	}
	/* What is left at the end exists there only. */
	g_hash_table_remove(d->reference, t->name);
	g_free(here);
}

static const char *const clock_models[] = {
	[SL_CLOCK_ONESHOT] = "one-shot timers, idle CPUs skip ticks",
	[SL_CLOCK_APIC] = "one periodic interrupt for both clocks on every CPU",
};

/* How the kernel around the policy behaves: label and text of each property. */
static void machine_rows(const struct sl_machine *m, const char *row[6][2])
{
	const char *const rows[6][2] = {
		{ "clocks", clock_models[m->clock] },
		{ "CPU groups", sl_cg_rule_name(m->groups) },
		{ "at boot", m->boot_idle_pass ? "every CPU runs its idle loop once"
					       : "idle CPUs are halted" },
		{ "halted CPUs", m->idle_clock_wake ? "woken every hz/2 ticks" : "left alone" },
		{ "missed stat ticks",
		  m->replay_ticks ? m->tick_count ? "replayed in one call" : "replayed one by one"
				  : "lost" },
		{ "semaphores",
		  m->user_semaphores ? "user mode when uncontended" : "a system call each" },
	};

	memcpy(row, rows, sizeof(rows));
}

static void print_machine(const struct sl_machine *m, const struct sl_machine *reference)
{
	const char *here[6][2], *there[6][2];

	machine_rows(m, here);
	machine_rows(reference, there);
	printf("\nkernel around it\n");
	for (int i = 0; i < 6; i++)
		printf("  %-18s %s%s%s%s\n", here[i][0], here[i][1],
		       strcmp(here[i][1], there[i][1]) ? "    (" REFERENCE_ERA ": " : "",
		       strcmp(here[i][1], there[i][1]) ? there[i][1] : "",
		       strcmp(here[i][1], there[i][1]) ? ")" : "");
}

enum { PARTS_MOST = 40 };

static const struct sl_part *find_part(const struct sl_part *part, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(part[i].part, name) == 0)
			return &part[i];
	return NULL;
}

static char *part_text(const struct sl_part *part)
{
	return part->choice ? g_strdup(part->choice)
			    : g_strdup_printf("%" G_GINT64_FORMAT, (gint64)part->number);
}

static size_t parts_of(const struct sl_policy_spec *spec, struct sl_part part[PARTS_MOST])
{
	const struct sl_policy *ops = sl_policy_spec_ops(spec);

	return spec->era && ops->parts ? MIN(ops->parts(spec->era, part, PARTS_MOST), PARTS_MOST)
				       : 0;
}

/* The era's parts, each with what the reference era has instead. */
static void print_parts(const struct sl_policy_spec *spec, const struct sl_policy_spec *reference)
{
	struct sl_part here[PARTS_MOST], there[PARTS_MOST];
	size_t n = parts_of(spec, here), n_there = reference ? parts_of(reference, there) : 0;

	if (n == 0)
		return;
	printf("\nparts\n");
	for (size_t i = 0; i < n; i++) {
		const struct sl_part *other = find_part(there, n_there, here[i].part);
		char *text = part_text(&here[i]), *was = other ? part_text(other) : NULL;

		printf("  %-29s %s", here[i].part, text);
		if (was && strcmp(text, was) != 0)
			printf("    (" REFERENCE_ERA ": %s)", was);
		printf("\n");
		g_free(text);
		g_free(was);
	}
	for (size_t i = 0; i < n_there; i++) {
		char *was = part_text(&there[i]);

		if (!find_part(here, n, there[i].part))
			printf("  %-29s -    (" REFERENCE_ERA ": %s)\n", there[i].part, was);
		g_free(was);
	}
}

static gint compare_names(gconstpointer a, gconstpointer b)
{
	return strcmp(a, b);
}

/* The tunables that differ from the reference era's, and those it has alone. */
static bool print_differences(struct sl_policy_spec *spec, struct sl_policy_spec *reference,
			      GError **error)
{
	struct difference d = {
		.reference = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free),
	};
	GList *left;
	bool ok = sl_tunables_each(reference, NULL, collect, d.reference, error);

	printf("\ntunables that differ from @" REFERENCE_ERA "\n");
	ok = ok && sl_tunables_each(spec, NULL, print_difference, &d, error);
	left = g_list_sort(g_hash_table_get_keys(d.reference), compare_names);
	for (GList *l = left; ok && l; l = l->next) {
		printf("  %-34s %10s    only in @" REFERENCE_ERA "\n", (char *)l->data, "-");
		d.any = true;
	}
	if (ok && !d.any)
		printf("  none\n");
	g_list_free(left);
	g_hash_table_unref(d.reference);
	return ok;
}

static bool compare_with_reference(struct sl_policy_spec *spec, GError **error)
{
	char *name = g_strconcat(spec->ops->name, "@" REFERENCE_ERA, NULL);
	struct sl_policy_spec *reference = sl_policy_spec_new(name, NULL);
	bool ok = true;

	/* Modules and teaching policies have no such era: nothing to compare with. */
	print_parts(spec, reference);
	if (reference) {
		print_machine(&spec->machine, &reference->machine);
		ok = print_differences(spec, reference, error);
	} else {
		print_machine(&spec->machine, &spec->machine);
	}
	sl_policy_spec_free(reference);
	g_free(name);
	return ok;
}

static bool show_policy(const struct show_options *o, const char *name, GError **error)
{
	struct sl_policy_spec *spec = sl_policy_spec_new(name, error);
	char *title;
	bool ok;

	(void)o;
	if (!spec)
		return false;
	title = sl_policy_spec_title(spec);
	printf("%s: %s\n", title, spec->ops->summary);
	if (spec->era)
		printf("era %s: %s\n", spec->era->name, spec->era->summary);
	printf("\ntunables\n");
	ok = sl_tunables_each(spec, NULL, print_tunable, NULL, error) &&
	     compare_with_reference(spec, error);
	g_free(title);
	sl_policy_spec_free(spec);
	return ok;
}

static const struct {
	const char *name;
	bool (*show)(const struct show_options *o, const char *name, GError **error);
} kinds[] = {
	{ "topology", show_topology },
	{ "policy", show_policy },
	{ "workload", show_workload },
};

static int show(const struct show_options *o, const char *kind, const char *name)
{
	const char *names[SL_ARRAY_LEN(kinds)];
	GError *error = NULL;
	char *hint;

	for (size_t i = 0; i < SL_ARRAY_LEN(kinds); i++) {
		names[i] = kinds[i].name;
		if (strcmp(kinds[i].name, kind) != 0)
			continue;
		return kinds[i].show(o, name, &error) ? SL_EXIT_OK
						      : sl_cli_fail(o->cli, error, SL_EXIT_INPUT);
	}
	hint = sl_cli_did_you_mean(kind, names, SL_ARRAY_LEN(names));
	sl_cli_complain(o->cli, SL_EXIT_INPUT,
			"nothing of kind \"%s\"%s; expected topology, policy or workload", kind,
			hint);
	g_free(hint);
	return SL_EXIT_INPUT;
}

int sl_verb_show(const struct sl_cli *cli, int argc, char **argv)
{
	struct show_options o = { .cli = cli };
	const GOptionEntry own[] = {
		{ "policy", 'p', 0, G_OPTION_ARG_FILENAME, &o.policy,
		  "topology: draw the groups that this policy's kernel sees (default ule)",
		  "POLICY" },
		{ "xml", 0, 0, G_OPTION_ARG_NONE, &o.xml,
		  "topology: print it as that kernel's topology_spec", NULL },
		{ 0 },
	};
	const GOptionEntry *groups[] = { own };
	int code = SL_EXIT_USAGE;

	if (!sl_cli_parse(cli, &argc, &argv, groups, SL_ARRAY_LEN(groups)))
		return SL_EXIT_USAGE;
	if (argc != 3)
		sl_cli_complain(cli, SL_EXIT_USAGE, "expected %s", cli->verb->arguments);
	else
		code = show(&o, argv[1], argv[2]);
	g_free(o.policy);
	return code;
}
