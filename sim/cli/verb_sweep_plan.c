/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Plans: every input is loaded and hashed before the first run, so that a wrong name at
 * the end of a sweep is found at its beginning.
 * Invariant: a cell's hash depends on what the engine is given, never on spelling, on
 * the number of runs, or on the other cells. */
#include "sim/cli/verb_sweep.h"

#include <stdio.h>
#include <string.h>

/* Two walks over the same cells: one names them, one stores them. */
struct walk {
	struct sl_sweep_plan *plan;
	struct sl_sweep_inputs *in;
	struct sl_store *store;
	struct sl_hasher all;
	uint32_t place, group; /* group: number of those begun */
	char work_digest[SL_DIGEST_CHARS + 1], costs_digest[SL_DIGEST_CHARS + 1];
	GError **error;
};

/* Says where in the sweep file the fault lies; takes `why`. */
static bool blame(struct walk *w, uint32_t line, uint32_t col, GError *why)
{
	sl_sweep_fail(w->plan->sweep, line, col, w->error, "%s", why->message);
	g_error_free(why);
	return false;
}

static bool blame_axis(struct walk *w, const struct sl_sweep_cell *cell, enum sl_axis axis,
		       GError *why)
{
	const struct sl_sweep_list *list = &cell->block->axis[axis];
	const char *item = cell->axis[axis];
	GError *more;

	if (!strchr(item, ',') || list->item->len > 1 || axis == SL_AXIS_CPUSET ||
	    axis == SL_AXIS_WORKLOAD || strchr(item, ':'))
		return blame(w, list->line, list->col, why);
	more = g_error_new(SL_CLI_ERROR, 0, "%s (items are separated by ';')", why->message);
	g_error_free(why);
	return blame(w, list->line, list->col, more);
}

/* A workload's fault may be that of a parameter's line. */
static bool blame_workload(struct walk *w, const struct sl_sweep_cell *cell, GError *why)
{
	const struct sl_sweep_block *b = cell->block;

	for (guint i = 0; i < b->param->len; i++) {
		const struct sl_sweep_param *p = b->param->pdata[i];
		char *quoted = g_strdup_printf("\"%s\"", p->name);
		bool its = strstr(why->message, quoted) != NULL;

		g_free(quoted);
		if (its)
			return blame(w, p->value.line, 1, why);
	}
	return blame_axis(w, cell, SL_AXIS_WORKLOAD, why);
}

/* The workload of a group of cells, and the overlay, which may depend on it. */
static bool hash_group(struct walk *w, const struct sl_sweep_cell *cell, const struct sl_topo *topo)
{
	GError *why = NULL;
	struct sl_sweep_work *work;
	const struct sl_sweep_costs *c;

	if (cell->group < w->group)
		return true;
	work = sl_sweep_inputs_work(w->in, cell->axis[SL_AXIS_WORKLOAD], topo->ncpus, &why);
	if (!work)
		return blame_workload(w, cell, why);
	c = sl_sweep_inputs_costs(w->in, cell->axis[SL_AXIS_COSTS], topo, &work->work, &why);
	if (c) {
		g_strlcpy(w->work_digest, work->digest, sizeof(w->work_digest));
		g_strlcpy(w->costs_digest, c->digest, sizeof(w->costs_digest));
		g_array_append_val(w->plan->work, w->work_digest);
		g_array_append_val(w->plan->costs, w->costs_digest);
		w->group = cell->group + 1;
	}
	sl_sweep_inputs_release(w->in, work);
	return c || blame_axis(w, cell, SL_AXIS_COSTS, why);
}

static void hash_cell(const char *const *digest, const char *cpuset, uint64_t seed, sl_time until,
		      char out[SL_DIGEST_CHARS + 1])
{
	struct sl_hasher h;
	char *text;

	sl_hasher_init(&h, "cell");
	sl_hasher_u64(&h, SL_RESULT_VERSION);
	for (int i = 0; i < SL_INPUT_KINDS; i++)
		sl_hasher_text(&h, digest[i]);
	sl_hasher_text(&h, cpuset);
	sl_hasher_u64(&h, seed);
	sl_hasher_u64(&h, until);
	text = sl_hasher_end(&h);
	g_strlcpy(out, text, SL_DIGEST_CHARS + 1);
	g_free(text);
}

static bool read_until(struct walk *w, const struct sl_sweep_cell *cell, sl_time *until)
{
	const struct sl_sweep_block *b = cell->block;
	GError *why = NULL;

	*until = 0;
	if (!b->until || (sl_spec_duration(b->until, until, &why) && *until > 0))
		return true;
	if (!why)
		why = g_error_new(SL_CLI_ERROR, 0, "until = %s: expected more than 0", b->until);
	return blame(w, b->until_line, b->until_col, why);
}

static bool name_cell(const struct sl_sweep_cell *cell, void *ctx)
{
	struct walk *w = ctx;
	const char *digest[SL_INPUT_KINDS];
	char hash[SL_DIGEST_CHARS + 1], *cpuset;
	const struct sl_sweep_topo *t;
	const struct sl_sweep_policy *p;
	GError *why = NULL;
	uint64_t *mask;
	sl_time until;

	t = sl_sweep_inputs_topo(w->in, cell->axis[SL_AXIS_TOPOLOGY], &why);
	if (!t)
		return blame_axis(w, cell, SL_AXIS_TOPOLOGY, why);
	p = sl_sweep_inputs_policy(w->in, cell->axis[SL_AXIS_POLICY], &why);
	if (!p)
		return blame_axis(w, cell, SL_AXIS_POLICY, why);
	if (!sl_sweep_inputs_cpuset(cell->axis[SL_AXIS_CPUSET], t->topo->ncpus, &mask, &cpuset,
				    &why))
		return blame_axis(w, cell, SL_AXIS_CPUSET, why);
	g_free(mask);
	if (!hash_group(w, cell, t->topo) || !read_until(w, cell, &until)) {
		g_free(cpuset);
		return false;
	}
	digest[SL_INPUT_TOPOLOGY] = t->digest;
	digest[SL_INPUT_COSTS] = w->costs_digest;
	digest[SL_INPUT_POLICY] = p->digest;
	digest[SL_INPUT_WORKLOAD] = w->work_digest;
	hash_cell(digest, cpuset, cell->block->seed, until, hash);
	g_free(cpuset);
	g_array_append_val(w->plan->hash, hash);
	sl_hasher_text(&w->all, hash);
	sl_hasher_u64(&w->all, cell->block_index);
	sl_hasher_u64(&w->all, cell->group);
	w->plan->runs += cell->block->runs;
	return true;
}

static char *join(const GPtrArray *words)
{
	GString *text = g_string_new(NULL);

	for (guint i = 0; i < words->len; i++)
		g_string_append_printf(text, "%s%s", i ? "," : "", (char *)words->pdata[i]);
	return g_string_free(text, FALSE);
}

static bool check_metrics(struct walk *w, const struct sl_sweep_block *b)
{
	const char *names[SL_METRIC_DEFS];
	char *hint;

	for (int i = 0; i < SL_METRIC_DEFS; i++)
		names[i] = sl_metric_defs[i].name;
	for (guint i = 0; i < b->metric->len; i++) {
		const char *name = b->metric->pdata[i];

		if (sl_metric_find(name) >= 0)
			continue;
		hint = sl_cli_did_you_mean(name, names, SL_METRIC_DEFS);
		sl_sweep_fail(w->plan->sweep, b->metric_line, b->metric_col, w->error,
			      "unknown metric \"%s\"%s; \"schedlab list metrics\" names them all",
			      name, hint);
		g_free(hint);
		return false;
	}
	return true;
}

static void hash_block(struct walk *w, const struct sl_sweep_block *b)
{
	char *metrics = join(b->metric);

	sl_hasher_text(&w->all, b->name);
	sl_hasher_text(&w->all, metrics);
	sl_hasher_u64(&w->all, b->runs);
	sl_hasher_u64(&w->all, b->discard);
	g_free(metrics);
}

bool sl_sweep_plan_make(struct sl_sweep_plan *plan, const struct sl_sweep *sweep,
			struct sl_sweep_inputs *in, GError **error)
{
	struct walk w = { .plan = plan, .in = in, .error = error };
	bool ok = true;

	plan->sweep = sweep;
	plan->hash = g_array_new(FALSE, FALSE, SL_DIGEST_CHARS + 1);
	plan->work = g_array_new(FALSE, FALSE, SL_DIGEST_CHARS + 1);
	plan->costs = g_array_new(FALSE, FALSE, SL_DIGEST_CHARS + 1);
	plan->runs = 0;
	sl_hasher_init(&w.all, "plan/1");
	sl_hasher_text(&w.all, sweep->name);
	for (guint i = 0; i < sweep->block->len && ok; i++) {
		ok = check_metrics(&w, sweep->block->pdata[i]);
		hash_block(&w, sweep->block->pdata[i]);
	}
	ok = ok && sl_sweep_each(sweep, name_cell, &w);
	plan->digest = sl_hasher_end(&w.all);
	return ok;
}

void sl_sweep_plan_clear(struct sl_sweep_plan *plan)
{
	if (plan->hash)
		g_array_unref(plan->hash);
	if (plan->work)
		g_array_unref(plan->work);
	if (plan->costs)
		g_array_unref(plan->costs);
	g_free(plan->digest);
	memset(plan, 0, sizeof(*plan));
}

/* "threads=4,size=1" */
static char *spell_params(const struct sl_sweep_cell *cell)
{
	GString *text = g_string_new(NULL);

	for (guint i = 0; i < cell->block->param->len; i++) {
		const struct sl_sweep_param *p = cell->block->param->pdata[i];

		g_string_append_printf(text, "%s%s=%s", i ? "," : "", p->name, cell->param[i]);
	}
	return g_string_free(text, FALSE);
}

/* All inputs were loaded once already: nothing but memory can fail to be found. */
static bool store_cell(const struct sl_sweep_cell *cell, void *ctx)
{
	struct walk *w = ctx;
	const struct sl_sweep_plan *plan = w->plan;
	const struct sl_sweep_topo *t =
		sl_sweep_inputs_topo(w->in, cell->axis[SL_AXIS_TOPOLOGY], w->error);
	const struct sl_sweep_policy *p =
		t ? sl_sweep_inputs_policy(w->in, cell->axis[SL_AXIS_POLICY], w->error) : NULL;
	size_t group = cell->group * (SL_DIGEST_CHARS + 1);
	struct sl_store_cell row;
	char *cpuset = NULL, *param;
	uint64_t *mask = NULL;
	bool ok;

	if (!p || !sl_sweep_inputs_cpuset(cell->axis[SL_AXIS_CPUSET], t->topo->ncpus, &mask,
					  &cpuset, w->error))
		return false;
	param = spell_params(cell);
	row = (struct sl_store_cell){
		.hash = &g_array_index(plan->hash, char, w->place *(SL_DIGEST_CHARS + 1)),
		.spec = { cell->axis[SL_AXIS_TOPOLOGY], cell->axis[SL_AXIS_COSTS],
			  cell->axis[SL_AXIS_POLICY], cell->axis[SL_AXIS_WORKLOAD] },
		.digest = { t->digest, &g_array_index(plan->costs, char, group), p->digest,
			    &g_array_index(plan->work, char, cell->group *(SL_DIGEST_CHARS + 1)) },
		.cpuset = cpuset,
		.seed = cell->block->seed,
		.until = cell->block->until ? cell->block->until : "",
		.block = cell->block_index,
		.group = cell->group,
		.runs = cell->block->runs,
		.param = param,
	};
	w->place++;
	ok = sl_store_plan_cell(w->store, &row, w->error);
	g_free(param);
	g_free(mask);
	g_free(cpuset);
	return ok;
}

static bool store_block(struct sl_store *store, uint32_t index, const struct sl_sweep_block *b,
			GError **error)
{
	GString *params = g_string_new(NULL);
	char *metrics = join(b->metric);
	struct sl_store_block row;
	bool ok;

	for (guint i = 0; i < b->param->len; i++)
		g_string_append_printf(params, "%s%s", i ? "," : "",
				       ((const struct sl_sweep_param *)b->param->pdata[i])->name);
	row = (struct sl_store_block){ b->name, metrics, params->str, b->discard };
	ok = sl_store_plan_block(store, index, &row, error);
	g_string_free(params, TRUE);
	g_free(metrics);
	return ok;
}

bool sl_sweep_plan_store(const struct sl_sweep_plan *plan, struct sl_sweep_inputs *in,
			 struct sl_store *store, GError **error)
{
	const struct sl_sweep *sweep = plan->sweep;
	struct sl_sweep_plan copy = *plan;
	struct walk w = { .plan = &copy, .in = in, .store = store, .error = error };
	bool same, ok = true;

	if (!sl_store_plan_begin(store, sweep->name, plan->digest, sweep->text, &same, error))
		return false;
	if (same)
		return true;
	for (guint i = 0; i < sweep->block->len && ok; i++)
		ok = store_block(store, i, sweep->block->pdata[i], error);
	ok = ok && sl_sweep_each(sweep, store_cell, &w);
	if (ok)
		return sl_store_plan_end(store, error);
	sl_store_plan_cancel(store);
	return false;
}
