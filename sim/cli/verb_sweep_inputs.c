/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Inputs of sweeps, loaded once each.
 * Invariant: the lock is held while a table is read or changed; what a table holds is
 * frozen, and used without it. */
#include "sim/cli/verb_sweep.h"

#include <stdlib.h>
#include <string.h>

#include "policies/registry.h"
#include "sim/base/bits.h"
#include "sim/cli/module.h"
#include "topologies/costs_load.h"
#include "topologies/cpuset.h"
#include "topologies/topo_load.h"
#include "traces/workload_load.h"

/* Workloads kept though nobody uses them. */
#define IDLE_WORKS 8

struct sl_sweep_inputs {
	const struct sl_cli *cli;
	bool notes;
	GMutex lock;
	GHashTable *topo, *costs, *policy, *work;
	GHashTable *known; /* files that are traces, or not: many workloads are of one file */
	GQueue idle;	   /* of struct sl_sweep_work, longest idle first */
};

static void free_topo(gpointer data)
{
	struct sl_sweep_topo *t = data;

	sl_topo_free(t->topo);
	g_free(t->digest);
	g_free(t);
}

static void free_costs(gpointer data)
{
	struct sl_sweep_costs *c = data;

	sl_costs_free(c->costs);
	g_free(c->digest);
	g_free(c);
}

static void free_policy(gpointer data)
{
	struct sl_sweep_policy *p = data;

	sl_policy_spec_free(p->spec);
	g_free(p->digest);
	g_free(p);
}

static void free_work(gpointer data)
{
	struct sl_sweep_work *w = data;

	sl_work_release(&w->work);
	g_free(w->digest);
	g_free(w->key);
	g_free(w);
}

struct sl_sweep_inputs *sl_sweep_inputs_new(const struct sl_cli *cli, bool notes)
{
	struct sl_sweep_inputs *in = g_new0(struct sl_sweep_inputs, 1);

	in->cli = cli;
	in->notes = notes;
	g_mutex_init(&in->lock);
	in->topo = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, free_topo);
	in->costs = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, free_costs);
	in->policy = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, free_policy);
	in->work = g_hash_table_new_full(g_str_hash, g_str_equal, NULL, free_work);
	in->known = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	g_queue_init(&in->idle);
	return in;
}

void sl_sweep_inputs_free(struct sl_sweep_inputs *in)
{
	g_queue_clear(&in->idle);
	g_hash_table_unref(in->known);
	g_hash_table_unref(in->work);
	g_hash_table_unref(in->policy);
	g_hash_table_unref(in->costs);
	g_hash_table_unref(in->topo);
	g_mutex_clear(&in->lock);
	g_free(in);
}

const struct sl_sweep_topo *sl_sweep_inputs_topo(struct sl_sweep_inputs *in, const char *text,
						 GError **error)
{
	struct sl_sweep_topo *t;

	g_mutex_lock(&in->lock);
	t = g_hash_table_lookup(in->topo, text);
	if (!t) {
		struct sl_topo *topo = sl_topo_load(text, error);

		if (topo) {
			t = g_new0(struct sl_sweep_topo, 1);
			t->topo = topo;
			t->digest = sl_digest_topo(topo);
			g_hash_table_insert(in->topo, g_strdup(text), t);
		}
	}
	g_mutex_unlock(&in->lock);
	return t;
}

/* Overlay `name`, or with a latency that of a recording, as `run` charges it. */
static struct sl_costs *load_costs(const char *name, const sl_time *latency, GError **error)
{
	struct sl_costs *costs;
	char *text;

	if (!latency)
		return sl_costs_load(name, error);
	text = g_strdup_printf("[costs]\nname=%s\nidle_exit_ns=%u\n", name, (unsigned)*latency);
	costs = sl_costs_parse("recorded", text, strlen(text), error);
	g_free(text);
	return costs;
}

const struct sl_sweep_costs *sl_sweep_inputs_costs(struct sl_sweep_inputs *in, const char *text,
						   const struct sl_topo *topo,
						   const struct sl_work *work, GError **error)
{
	bool recorded = strcmp(text, SL_SWEEP_AUTO) == 0 && work->recorded;
	sl_time latency = MIN(work->workload->wake_latency, SL_NS_PER_MS);
	char *name = recorded ? g_strdup_printf("recorded: idle exit %u ns", (unsigned)latency)
		     : strcmp(text, SL_SWEEP_AUTO) == 0 ? g_strdup(sl_topo_costs(topo))
							: g_strdup(text);
	struct sl_sweep_costs *c;

	g_mutex_lock(&in->lock);
	c = g_hash_table_lookup(in->costs, name);
	if (!c) {
		struct sl_costs *costs = load_costs(name, recorded ? &latency : NULL, error);

		if (costs) {
			c = g_new0(struct sl_sweep_costs, 1);
			c->costs = costs;
			c->digest = sl_digest_costs(costs);
			g_hash_table_insert(in->costs, g_strdup(name), c);
		}
	}
	g_mutex_unlock(&in->lock);
	g_free(name);
	return c;
}

/* A module's code is an input: its bytes are hashed. */
static void hash_module(struct sl_hasher *h, const char *text)
{
	const char *suffix = strstr(text, ".so");
	char *name = suffix ? g_strndup(text, (gsize)(suffix + 3 - text))
			    : g_strndup(text, strcspn(text, "@:"));
	char *path = suffix ? NULL : sl_module_search(name), *bytes;
	gsize n;

	if (!sl_policy_find(name) && g_file_get_contents(path ? path : name, &bytes, &n, NULL)) {
		sl_hasher_u64(h, n);
		sl_hasher_bytes(h, bytes, n);
		g_free(bytes);
	}
	g_free(path);
	g_free(name);
}

static int by_name(const void *a, const void *b)
{
	const struct sl_override *x = a, *y = b;

	return strcmp(x->tunable->name, y->tunable->name);
}

static char *digest_policy(const struct sl_policy_spec *spec)
{
	struct sl_override *sorted = g_new(struct sl_override, spec->n_overrides + 1);
	struct sl_hasher h;

	sl_hasher_init(&h, "policy/1");
	sl_hasher_text(&h, spec->ops->name);
	sl_hasher_text(&h, spec->era ? spec->era->name : NULL);
	sl_hasher_u64(&h, spec->machine.hz);
	sl_hasher_u64(&h, spec->machine.stathz);
	if (spec->n_overrides)
		memcpy(sorted, spec->override, spec->n_overrides * sizeof(*sorted));
	qsort(sorted, spec->n_overrides, sizeof(*sorted), by_name);
	for (uint32_t i = 0; i < spec->n_overrides; i++) {
		sl_hasher_text(&h, sorted[i].tunable->name);
		sl_hasher_u64(&h, (uint64_t)sorted[i].value);
	}
	hash_module(&h, spec->text);
	g_free(sorted);
	return sl_hasher_end(&h);
}

const struct sl_sweep_policy *sl_sweep_inputs_policy(struct sl_sweep_inputs *in, const char *text,
						     GError **error)
{
	struct sl_sweep_policy *p;

	g_mutex_lock(&in->lock);
	p = g_hash_table_lookup(in->policy, text);
	if (!p) {
		struct sl_policy_spec *spec = sl_policy_spec_new(text, error);

		if (spec) {
			p = g_new0(struct sl_sweep_policy, 1);
			p->spec = spec;
			p->digest = digest_policy(spec);
			g_hash_table_insert(in->policy, g_strdup(text), p);
		}
	}
	g_mutex_unlock(&in->lock);
	return p;
}

/* As sl_work_load(), but its notes are printed when the sweep is planned and not again. */
static bool load_work(struct sl_sweep_inputs *in, const char *text, uint32_t ncpus,
		      struct sl_work *work, GError **error)
{
	const struct sl_workload_opts opts = { .ncpus = ncpus };
	size_t path_len;

	if (sl_work_is_trace(text, &path_len, in->known))
		return sl_work_load(in->cli, text, &opts, work, error);
	return sl_work_load_written(in->notes ? in->cli : NULL, text, &opts, work, error);
}

static struct sl_sweep_work *new_work(struct sl_sweep_inputs *in, const char *text, uint32_t ncpus,
				      GError **error)
{
	struct sl_sweep_work *w = g_new0(struct sl_sweep_work, 1);

	if (!load_work(in, text, ncpus, &w->work, error)) {
		g_free(w);
		return NULL;
	}
	w->digest = sl_digest_workload(w->work.workload);
	return w;
}

struct sl_sweep_work *sl_sweep_inputs_work(struct sl_sweep_inputs *in, const char *text,
					   uint32_t ncpus, GError **error)
{
	char *key = g_strdup_printf("%u %s", ncpus, text);
	struct sl_sweep_work *w;

	g_mutex_lock(&in->lock);
	w = g_hash_table_lookup(in->work, key);
	if (!w) {
		w = new_work(in, text, ncpus, error);
		if (w) {
			w->key = key;
			key = NULL;
			g_hash_table_insert(in->work, w->key, w);
		}
	} else if (w->users == 0) {
		g_queue_remove(&in->idle, w);
	}
	if (w)
		w->users++;
	g_mutex_unlock(&in->lock);
	g_free(key);
	return w;
}

void sl_sweep_inputs_release(struct sl_sweep_inputs *in, struct sl_sweep_work *work)
{
	g_mutex_lock(&in->lock);
	if (--work->users == 0) {
		g_queue_push_tail(&in->idle, work);
		if (g_queue_get_length(&in->idle) > IDLE_WORKS) {
			struct sl_sweep_work *old = g_queue_pop_head(&in->idle);

			g_hash_table_remove(in->work, old->key);
		}
	}
	g_mutex_unlock(&in->lock);
}

bool sl_sweep_inputs_cpuset(const char *list, uint32_t ncpus, uint64_t **mask, char **text,
			    GError **error)
{
	*mask = NULL;
	*text = NULL;
	if (strcmp(list, SL_SWEEP_ALL) == 0) {
		*text = g_strdup(list);
		return true;
	}
	*mask = g_new0(uint64_t, SL_BITS_WORDS(ncpus));
	if (sl_cpuset_parse(list, ncpus, *mask, error)) {
		*text = sl_cpuset_print(*mask, ncpus);
		return true;
	}
	g_clear_pointer(mask, g_free);
	return false;
}

/* --- One run ----------------------------------------------------------------------------- */

static const char *const outcomes[] = {
	[SL_END_DONE] = "done",	      [SL_END_UNTIL] = "until",	    [SL_END_DEADLOCK] = "deadlock",
	[SL_END_STALL] = "stall",     [SL_END_CHECK] = "check",	    [SL_END_NOMEM] = "memory",
	[SL_END_STOPPED] = "stopped", [SL_END_PROGRAM] = "program",
};

const char *sl_sweep_outcome(enum sl_end end)
{
	return outcomes[end];
}

static bool planned_with(const char *kind, const char *text, const char *digest,
			 const char *planned, GError **error)
{
	if (strcmp(digest, planned) == 0)
		return true;
	g_set_error(
		error, SL_CLI_ERROR, 0,
		"%s %s is not the one the sweep was planned with; start \"sweep run\" again with "
		"the sweep file",
		kind, text);
	return false;
}

static bool simulate(const struct sl_sim_args *args, struct sl_sweep_result *r, GError **error)
{
	struct sl_totals totals;
	char why[512];
	struct sl_sim *sim = sl_sim_new(args, why, sizeof(why));

	if (!sim) {
		r->end = args->stop && *args->stop ? SL_END_STOPPED : SL_END_NOMEM;
		g_set_error(error, SL_CLI_ERROR, 0, "cannot start a simulation: %s", why);
		return false;
	}
	r->end = sl_sim_run(sim);
	r->fault = sl_end_exit(r->end) == SL_EXIT_FAULT ? g_strdup(sl_sim_fault(sim)) : NULL;
	sl_sim_totals(sim, &totals);
	for (int i = 0; i < SL_METRIC_DEFS; i++)
		r->value[i] = sl_metric_defs[i].value(&totals);
	r->digest = totals.digest;
	r->end_ns = totals.end_ns;
	sl_sim_free(sim);
	if (r->end != SL_END_NOMEM && r->end != SL_END_STOPPED)
		return true;
	g_set_error(error, SL_CLI_ERROR, 0, "a simulation ended: %s", sl_end_text(r->end));
	return false;
}

static bool fill_policy(struct sl_sweep_inputs *in, const struct sl_sweep_task *task,
			struct sl_sim_args *args, GError **error)
{
	const char *text = task->spec[SL_INPUT_POLICY];
	const struct sl_sweep_policy *p = sl_sweep_inputs_policy(in, text, error);

	if (!p || !planned_with("policy", text, p->digest, task->digest[SL_INPUT_POLICY], error))
		return false;
	args->policy = p->spec->ops;
	args->era = p->spec->era;
	args->override = p->spec->override;
	args->n_overrides = p->spec->n_overrides;
	args->machine = p->spec->machine_changed ? &p->spec->machine : NULL;
	return true;
}

static bool fill_topo(struct sl_sweep_inputs *in, const struct sl_sweep_task *task,
		      struct sl_sim_args *args, GError **error)
{
	const char *text = task->spec[SL_INPUT_TOPOLOGY];
	const struct sl_sweep_topo *t = sl_sweep_inputs_topo(in, text, error);

	args->topo = t ? t->topo : NULL;
	return t &&
	       planned_with("topology", text, t->digest, task->digest[SL_INPUT_TOPOLOGY], error);
}

/* What depends on the workload: itself, the overlay, the end. */
static bool fill_work(struct sl_sweep_inputs *in, const struct sl_sweep_task *task,
		      const struct sl_sweep_work *work, struct sl_sim_args *args, GError **error)
{
	const char *text = task->spec[SL_INPUT_COSTS];
	const struct sl_sweep_costs *c;

	if (!planned_with("workload", task->spec[SL_INPUT_WORKLOAD], work->digest,
			  task->digest[SL_INPUT_WORKLOAD], error))
		return false;
	c = sl_sweep_inputs_costs(in, text, args->topo, &work->work, error);
	if (!c ||
	    !planned_with("cost overlay", text, c->digest, task->digest[SL_INPUT_COSTS], error))
		return false;
	args->costs = c->costs;
	args->workload = work->work.workload;
	if (*task->until)
		return sl_spec_duration(task->until, &args->until, error);
	args->give_up = sl_setup_give_up(args->workload);
	return true;
}

bool sl_sweep_do(struct sl_sweep_inputs *in, const struct sl_sweep_task *task, uint32_t run,
		 bool check, const _Atomic bool *stop, struct sl_sweep_result *result,
		 GError **error)
{
	struct sl_sim_args args = {
		.seed = task->seed + run,
		.cold_cache = run == 0,
		.check = check,
		.stop = stop,
		.sinks = task->sink,
		.n_sinks = task->sink != NULL,
	};
	struct sl_sweep_work *work;
	uint64_t *mask;
	char *text;
	bool ok;

	memset(result, 0, sizeof(*result));
	if (!fill_topo(in, task, &args, error) || !fill_policy(in, task, &args, error) ||
	    !sl_sweep_inputs_cpuset(task->cpuset, args.topo->ncpus, &mask, &text, error))
		return false;
	args.cpuset = mask;
	work = sl_sweep_inputs_work(in, task->spec[SL_INPUT_WORKLOAD], args.topo->ncpus, error);
	ok = work && fill_work(in, task, work, &args, error) && simulate(&args, result, error);
	if (work)
		sl_sweep_inputs_release(in, work);
	g_free(mask);
	g_free(text);
	return ok;
}
