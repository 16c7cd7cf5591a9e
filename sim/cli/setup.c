/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Invariant: a setup that loaded holds a checked workload, a topology, at least one
 * policy, and a CPU set with at least one CPU of the topology. */
#include "sim/cli/setup.h"

#include <string.h>

#include "sim/base/bits.h"
#include "topologies/costs_load.h"
#include "topologies/cpuset.h"
#include "topologies/topo_load.h"

void sl_setup_entries(struct sl_setup_options *o, GOptionEntry entries[SL_SETUP_ENTRIES])
{
	const GOptionEntry all[SL_SETUP_ENTRIES] = {
		{ "topology", 't', 0, G_OPTION_ARG_FILENAME, &o->topo,
		  "Machine: PxCxT, flat:N, up, host, a name or a file", "TOPO" },
		{ "policy", 'p', 0, G_OPTION_ARG_FILENAME_ARRAY, &o->policies,
		  "Scheduler: name[@era][:tunable=value,...] or ./module.so", "POLICY" },
		{ "workload", 'w', 0, G_OPTION_ARG_FILENAME, &o->workload,
		  "Work: name or file, then :param=value,...", "WORKLOAD" },
		{ "seed", 0, 0, G_OPTION_ARG_FILENAME, &o->seed, "Seed of all draws (default 1)",
		  "N" },
		{ "cpuset", 0, 0, G_OPTION_ARG_FILENAME, &o->cpuset,
		  "Use these CPUs only, as cpuset -l does: 32-63", "LIST" },
		{ "until", 0, 0, G_OPTION_ARG_FILENAME, &o->until,
		  "Stop at this simulated time: 60s", "TIME" },
		{ "costs", 0, 0, G_OPTION_ARG_FILENAME, &o->costs,
		  "Cost overlay: none, a name or a file (default: the topology's)", "COSTS" },
		{ "check", 0, 0, G_OPTION_ARG_NONE, &o->check,
		  "Watch the policy: every invariant is checked", NULL },
		{ "tick-phase", 0, 0, G_OPTION_ARG_NONE, &o->tick_phase,
		  "Give every CPU's clock a drawn phase", NULL },
		{ "cold-cache", 0, 0, G_OPTION_ARG_NONE, &o->cold_cache,
		  "Start with a cold page cache, as a first run does", NULL },
		{ "dialect", 0, 0, G_OPTION_ARG_FILENAME, &o->dialect,
		  "rt-app the workload was written for: current (default) or 1.0", "DIALECT" },
		{ 0 },
	};

	memcpy(entries, all, sizeof(all));
}

void sl_setup_options_clear(struct sl_setup_options *o)
{
	g_free(o->topo);
	g_free(o->workload);
	g_free(o->seed);
	g_free(o->cpuset);
	g_free(o->until);
	g_free(o->costs);
	g_free(o->dialect);
	g_strfreev(o->policies);
}

/* FNV-1a of what the loader made, so that two spellings of one machine agree. */
static uint64_t digest_topo(const struct sl_topo *t)
{
	const unsigned char *byte = (const unsigned char *)t->cpu;
	uint64_t hash = 0xcbf29ce484222325u;

	for (size_t i = 0; i < t->ncpus * sizeof(*t->cpu); i++)
		hash = (hash ^ byte[i]) * 0x100000001b3u;
	hash = (hash ^ t->uniprocessor) * 0x100000001b3u;
	return (hash ^ t->caches_unknown) * 0x100000001b3u;
}

static void free_policy(gpointer spec)
{
	sl_policy_spec_free(spec);
}

static bool load_policies(struct sl_setup *setup, char **texts, GError **error)
{
	for (char **p = texts; *p; p++) {
		struct sl_policy_spec *spec = sl_policy_spec_new(*p, error);

		if (!spec)
			return false;
		g_ptr_array_add(setup->policies, spec);
	}
	return true;
}

static bool load_numbers(const struct sl_setup_options *o, struct sl_setup *setup, GError **error)
{
	setup->seed = 1;
	if (o->seed && !sl_spec_number("--seed", o->seed, 0, UINT64_MAX, &setup->seed, error))
		return false;
	if (o->until && !sl_spec_duration(o->until, &setup->until, error))
		return false;
	if (o->until && setup->until == 0) {
		g_set_error(error, SL_CLI_ERROR, 0, "--until %s: expected more than 0", o->until);
		return false;
	}
	if (!o->cpuset)
		return true;
	setup->cpuset = g_new0(uint64_t, SL_BITS_WORDS(setup->topo->ncpus));
	return sl_cpuset_parse(o->cpuset, setup->topo->ncpus, setup->cpuset, error);
}

#define GIVE_UP (3600 * SL_NS_PER_S)

/* A foreground task that loops for ever keeps a run from ending by itself. */
static bool is_endless(const struct sl_workload *w)
{
	for (uint32_t i = 0; i < w->n_tasks; i++) {
		const struct sl_task *task = &w->task[i];
		bool endless = false;

		for (uint32_t k = 0; k < task->n_ops; k++) {
			const struct sl_op *op = &w->op[task->first_op + k];

			if (op->kind == SL_OP_LOOP && op->dist.n == 0 &&
			    op->dist.value == UINT64_MAX)
				endless = true;
			if (op->kind == SL_OP_EXIT)
				endless = false;
		}
		if (endless && !task->background)
			return true;
	}
	return false;
}

sl_time sl_setup_give_up(const struct sl_workload *w)
{
	return is_endless(w) ? GIVE_UP : 0;
}

/* A recording's CPU times hold every cost of the recorded machine but the time an idle CPU
 * took to wake: that alone is charged when nothing else was asked for. */
static bool load_costs(struct sl_setup *setup, const char *asked, GError **error)
{
	if (asked || !setup->work.recorded) {
		setup->costs = sl_costs_load(asked ? asked : sl_topo_costs(setup->topo), error);
	} else {
		sl_time latency = MIN(setup->work.workload->wake_latency, SL_NS_PER_MS);
		char *text = g_strdup_printf("[costs]\nname=recorded: idle exit %u ns\n"
					     "idle_exit_ns=%u\n",
					     (unsigned)latency, (unsigned)latency);

		setup->costs = sl_costs_parse("recorded", text, strlen(text), error);
		g_free(text);
	}
	return setup->costs != NULL;
}

static bool read_dialect(const char *text, enum sl_dialect *dialect, GError **error)
{
	*dialect = SL_DIALECT_CURRENT;
	if (!text || strcmp(text, "current") == 0)
		return true;
	if (strcmp(text, "1.0") == 0) {
		*dialect = SL_DIALECT_1_0;
		return true;
	}
	g_set_error(error, SL_CLI_ERROR, 0, "--dialect %s: expected current or 1.0", text);
	return false;
}

static bool load(const struct sl_cli *cli, const struct sl_setup_options *o, struct sl_setup *setup,
		 GError **error)
{
	struct sl_workload_opts opts = { 0 };

	if (!read_dialect(o->dialect, &opts.dialect, error))
		return false;
	setup->topo = sl_topo_load(o->topo, error);
	if (!setup->topo)
		return false;
	opts.ncpus = setup->topo->ncpus;
	setup->topo_digest = digest_topo(setup->topo);
	return sl_work_load(cli, o->workload, &opts, &setup->work, error) &&
	       load_costs(setup, o->costs, error) && load_policies(setup, o->policies, error) &&
	       load_numbers(o, setup, error);
}

int sl_setup_load(const struct sl_cli *cli, const struct sl_setup_options *o,
		  struct sl_setup *setup)
{
	GError *error = NULL;

	memset(setup, 0, sizeof(*setup));
	if (!o->topo)
		return sl_cli_complain(cli, SL_EXIT_USAGE, "-t TOPO is missing");
	if (!o->policies)
		return sl_cli_complain(cli, SL_EXIT_USAGE, "-p POLICY is missing");
	if (!o->workload)
		return sl_cli_complain(cli, SL_EXIT_USAGE, "-w WORKLOAD is missing");
	setup->check = o->check;
	setup->tick_phase = o->tick_phase;
	setup->cold_cache = o->cold_cache;
	setup->policies = g_ptr_array_new_with_free_func(free_policy);
	if (load(cli, o, setup, &error)) {
		if (!setup->until)
			setup->give_up = sl_setup_give_up(setup->work.workload);
		return SL_EXIT_OK;
	}
	sl_setup_free(setup);
	return sl_cli_fail(cli, error, SL_EXIT_INPUT);
}

void sl_setup_args(const struct sl_setup *setup, uint32_t which, struct sl_sim_args *args)
{
	const struct sl_policy_spec *spec = setup->policies->pdata[which];

	*args = (struct sl_sim_args){
		.topo = setup->topo,
		.policy = spec->ops,
		.era = spec->era,
		.override = spec->override,
		.n_overrides = spec->n_overrides,
		.workload = setup->work.workload,
		.costs = setup->costs,
		.machine = spec->machine_changed ? &spec->machine : NULL,
		.cpuset = setup->cpuset,
		.seed = setup->seed,
		.until = setup->until,
		.give_up = setup->give_up,
		.check = setup->check,
		.tick_phase = setup->tick_phase,
		.cold_cache = setup->cold_cache,
	};
}

void sl_setup_free(struct sl_setup *setup)
{
	if (setup->policies)
		g_ptr_array_unref(setup->policies);
	sl_work_release(&setup->work);
	sl_costs_free(setup->costs);
	sl_topo_free(setup->topo);
	g_free(setup->cpuset);
	memset(setup, 0, sizeof(*setup));
}

static const struct {
	enum sl_exit code;
	const char *text;
} ends[] = {
	[SL_END_DONE] = { SL_EXIT_OK, "all foreground threads ended" },
	[SL_END_UNTIL] = { SL_EXIT_OK, "reached its time limit" },
	[SL_END_DEADLOCK] = { SL_EXIT_FAULT, "deadlock" },
	[SL_END_PROGRAM] = { SL_EXIT_FAULT, "program fault" },
	[SL_END_STALL] = { SL_EXIT_FAULT, "stall" },
	[SL_END_CHECK] = { SL_EXIT_FAULT, "broken invariant" },
	[SL_END_NOMEM] = { SL_EXIT_PARTIAL, "out of memory" },
	[SL_END_STOPPED] = { SL_EXIT_INTERRUPTED, "interrupted" },
};

enum sl_exit sl_end_exit(enum sl_end end)
{
	return ends[end].code;
}

const char *sl_end_text(enum sl_end end)
{
	return ends[end].text;
}
