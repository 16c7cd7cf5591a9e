/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Invariant: cells of a group are neighbours and the reference is the first of them; a
 * comparison is made only when both samples have two values or more. */
#include "sim/cli/verb_sweep_table.h"

#include <math.h>
#include <string.h>

#include "stats/comparison.h"

struct loading {
	struct sl_sweep_table *t;
	const struct sl_sweep_choice *choice;
};

static void free_block(gpointer data)
{
	struct sl_sweep_tblock *b = data;

	g_free(b->name);
	g_strfreev(b->metrics);
	g_strfreev(b->params);
	g_free(b);
}

static bool note_block(const struct sl_store_block *b, void *ctx)
{
	struct sl_sweep_table *t = ctx;
	struct sl_sweep_tblock *copy = g_new0(struct sl_sweep_tblock, 1);

	copy->name = g_strdup(b->name);
	copy->metrics = g_strsplit(b->metrics, ",", -1);
	copy->params = g_strsplit(b->params, ",", -1);
	copy->discard = b->discard;
	g_ptr_array_add(t->block, copy);
	return true;
}

char *sl_sweep_table_label(const struct sl_sweep_tcell *c)
{
	GString *text = g_string_new(c->workload);

	g_string_append_printf(text, " on %s", c->topology);
	if (strcmp(c->cpuset, SL_SWEEP_ALL) != 0)
		g_string_append_printf(text, ", CPUs %s", c->cpuset);
	if (strcmp(c->costs, SL_SWEEP_AUTO) != 0)
		g_string_append_printf(text, ", costs %s", c->costs);
	return g_string_free(text, FALSE);
}

static bool chosen(const struct loading *l, const struct sl_sweep_tcell *c)
{
	const struct sl_sweep_tblock *b = l->t->block->pdata[c->block];
	char *label;
	bool yes = true;

	if (l->choice->policies &&
	    !g_strv_contains((const char *const *)l->choice->policies, c->policy))
		return false;
	if (l->choice->only) {
		label = sl_sweep_table_label(c);
		yes = strstr(label, l->choice->only) || strstr(b->name, l->choice->only);
		g_free(label);
	}
	return yes;
}

static const char *keep(struct sl_sweep_table *t, const char *text)
{
	return g_string_chunk_insert_const(t->text, text);
}

static bool note_cell(const struct sl_store_member *m, void *ctx)
{
	struct loading *l = ctx;
	struct sl_sweep_table *t = l->t;
	struct sl_sweep_tcell c = {
		.block = m->cell.block,
		.group = m->cell.group,
		.runs = m->cell.runs,
		.id = m->id,
		.seed = m->cell.seed,
		.topology = keep(t, m->cell.spec[SL_INPUT_TOPOLOGY]),
		.costs = keep(t, m->cell.spec[SL_INPUT_COSTS]),
		.workload = keep(t, m->cell.spec[SL_INPUT_WORKLOAD]),
		.policy = keep(t, m->cell.spec[SL_INPUT_POLICY]),
		.cpuset = keep(t, m->cell.cpuset),
		.until = keep(t, m->cell.until),
		.param = keep(t, m->cell.param),
	};

	if (c.block < t->block->len && chosen(l, &c)) {
		c.hash = g_string_chunk_insert(t->text, m->cell.hash);
		for (int i = 0; i < SL_INPUT_KINDS; i++)
			c.digest[i] = keep(t, m->cell.digest[i]);
		g_array_append_val(t->cell, c);
	}
	return true;
}

guint sl_sweep_table_group_end(const struct sl_sweep_table *t, guint i)
{
	uint32_t group = g_array_index(t->cell, struct sl_sweep_tcell, i).group;

	while (i < t->cell->len && g_array_index(t->cell, struct sl_sweep_tcell, i).group == group)
		i++;
	return i;
}

/* Brings the reference that was asked for to the front of each group. */
static void put_reference_first(struct sl_sweep_table *t, const char *policy)
{
	for (guint i = 0; i < t->cell->len; i = sl_sweep_table_group_end(t, i)) {
		guint end = sl_sweep_table_group_end(t, i);

		for (guint k = i; k < end; k++) {
			struct sl_sweep_tcell *c =
				&g_array_index(t->cell, struct sl_sweep_tcell, k);
			struct sl_sweep_tcell ref = *c;

			if (strcmp(c->policy, policy) != 0)
				continue;
			memmove(&g_array_index(t->cell, struct sl_sweep_tcell, i + 1),
				&g_array_index(t->cell, struct sl_sweep_tcell, i),
				(k - i) * sizeof(*c));
			g_array_index(t->cell, struct sl_sweep_tcell, i) = ref;
			break;
		}
	}
}

bool sl_sweep_table_load(struct sl_sweep_table *t, struct sl_store *store, const char *sweep,
			 const struct sl_sweep_choice *choice, GError **error)
{
	struct loading l = { t, choice };
	int64_t id;

	t->sweep = g_strdup(sweep);
	t->block = g_ptr_array_new_with_free_func(free_block);
	t->cell = g_array_new(FALSE, FALSE, sizeof(struct sl_sweep_tcell));
	t->text = g_string_chunk_new(1 << 16);
	t->metric = -1;
	t->compared = 0;
	id = sl_store_find_sweep(store, sweep, NULL, error);
	if (id < 0 || !sl_store_each_block(store, id, note_block, t, error) ||
	    !sl_store_each_member(store, id, false, note_cell, &l, error))
		return false;
	if (choice->policies)
		put_reference_first(t, choice->policies[0]);
	return true;
}

bool sl_sweep_table_wants(const struct sl_sweep_tblock *b, int metric)
{
	return g_strv_contains((const char *const *)b->metrics, sl_metric_defs[metric].name);
}

struct reading {
	struct sl_sweep_tcell *cell;
	int metric;
	uint32_t seen, first;
};

static bool note_run(const struct sl_store_run *run, void *ctx)
{
	struct reading *r = ctx;
	struct sl_sweep_tcell *c = r->cell;

	if (run->run >= c->runs)
		return false;
	if (!sl_store_outcome_good(run->outcome))
		return true;
	r->seen++;
	c->v[c->n++] = run->value[r->metric];
	return true;
}

static bool read_sample(struct sl_store *store, struct sl_sweep_tcell *c, int metric,
			uint32_t discard, GError **error)
{
	const struct sl_summary_rules rules = { 0 };
	struct reading r = { .cell = c, .metric = metric };

	c->v = g_new(double, c->runs + 1);
	if (!sl_store_each_run(store, c->id, discard, note_run, &r, error))
		return false;
	c->whole = c->runs >= discard && r.seen == c->runs - discard;
	if (c->n)
		c->sum = sl_summarize(c->v, c->n, &rules);
	return true;
}

static void compare(struct sl_sweep_table *t, const struct sl_sweep_tcell *ref,
		    struct sl_sweep_tcell *c)
{
	const struct sl_comparison_options options = {
		.level = 0.95,
		.paired = ref->whole && c->whole && ref->n == c->n && ref->seed == c->seed,
		.larger_is_better = sl_metric_defs[t->metric].larger_is_better,
	};
	const struct sl_sample a = { ref->policy, ref->v, ref->n }, b = { c->policy, c->v, c->n };
	struct sl_comparison made;

	if (ref->n < 2 || c->n < 2)
		return;
	sl_comparison_make(&made, &a, &b, &options);
	c->compared = true;
	c->identical = made.identical;
	c->paired = made.options.paired;
	c->diff = c->paired ? made.pairs.diff : made.welch.diff;
	c->low = c->paired ? made.pairs.low : made.welch.low;
	c->high = c->paired ? made.pairs.high : made.welch.high;
	c->p = made.p;
	if (made.identical)
		c->diff = c->low = c->high = 0;
	t->compared++;
}

/* One family: every comparison of this metric in the table. */
static void judge(struct sl_sweep_table *t)
{
	double *p = g_new(double, t->cell->len + 1);
	bool larger = sl_metric_defs[t->metric].larger_is_better;

	for (guint i = 0; i < t->cell->len; i++) {
		const struct sl_sweep_tcell *c = &g_array_index(t->cell, struct sl_sweep_tcell, i);

		p[i] = c->compared ? c->p : NAN;
	}
	sl_holm(p, t->cell->len, p);
	for (guint i = 0; i < t->cell->len; i++) {
		struct sl_sweep_tcell *c = &g_array_index(t->cell, struct sl_sweep_tcell, i);

		c->p_holm = p[i];
		if (!c->compared || c->identical || !(p[i] < 0.05))
			continue;
		c->better = (c->diff > 0) == larger;
		c->worse = !c->better;
	}
	g_free(p);
}

static void drop_samples(struct sl_sweep_table *t)
{
	for (guint i = 0; i < t->cell->len; i++) {
		struct sl_sweep_tcell *c = &g_array_index(t->cell, struct sl_sweep_tcell, i);

		g_clear_pointer(&c->v, g_free);
		c->n = 0;
		c->whole = c->compared = c->identical = c->better = c->worse = false;
	}
	t->compared = 0;
}

bool sl_sweep_table_fill(struct sl_sweep_table *t, struct sl_store *store, int metric, bool always,
			 GError **error)
{
	drop_samples(t);
	t->metric = metric;
	for (guint i = 0; i < t->cell->len; i++) {
		struct sl_sweep_tcell *c = &g_array_index(t->cell, struct sl_sweep_tcell, i);
		const struct sl_sweep_tblock *b = t->block->pdata[c->block];

		if ((always || sl_sweep_table_wants(b, metric)) &&
		    !read_sample(store, c, metric, b->discard, error))
			return false;
	}
	for (guint i = 0; i < t->cell->len; i = sl_sweep_table_group_end(t, i))
		for (guint k = i + 1; k < sl_sweep_table_group_end(t, i); k++)
			compare(t, &g_array_index(t->cell, struct sl_sweep_tcell, i),
				&g_array_index(t->cell, struct sl_sweep_tcell, k));
	judge(t);
	return true;
}

void sl_sweep_table_clear(struct sl_sweep_table *t)
{
	drop_samples(t);
	g_array_unref(t->cell);
	g_ptr_array_unref(t->block);
	g_string_chunk_free(t->text);
	g_free(t->sweep);
}

const char *sl_sweep_table_verdict(const struct sl_sweep_tcell *c)
{
	if (c->n == 0)
		return "missing";
	if (!c->compared)
		return "reference";
	if (c->identical)
		return "identical";
	return c->better ? "better" : c->worse ? "worse" : "not proven";
}

/* The mean of a cell that has all its runs, or NaN. */
static double whole_mean(const struct sl_sweep_table *t, guint at, guint end)
{
	const struct sl_sweep_tcell *c;

	if (at >= end)
		return NAN;
	c = &g_array_index(t->cell, struct sl_sweep_tcell, at);
	return c->whole && c->n ? c->sum.avg : NAN;
}

bool sl_sweep_table_has_geomean(const struct sl_sweep_table *t, guint from, guint end)
{
	guint first = sl_sweep_table_group_end(t, from);

	return first < end && first > from + 1;
}

struct sl_geomean sl_sweep_table_geomean(const struct sl_sweep_table *t, guint from, guint end,
					 guint column)
{
	double *a = g_new(double, end - from), *b = g_new(double, end - from);
	struct sl_geomean mean;
	size_t n = 0;

	for (guint i = from, next; i < end; i = next) {
		next = sl_sweep_table_group_end(t, i);
		a[n] = whole_mean(t, i, next);
		b[n++] = whole_mean(t, i + column, next);
	}
	mean = sl_geomean_ratio(a, b, n);
	g_free(a);
	g_free(b);
	return mean;
}

char *sl_sweep_geomean_text(const struct sl_geomean *mean)
{
	if (mean->used == 0)
		return g_strdup("-");
	if (mean->left_out == 0)
		return g_strdup_printf("%.5g", mean->ratio);
	return g_strdup_printf("%.5g over %zu of %zu cells", mean->ratio, mean->used,
			       mean->used + mean->left_out);
}

char *sl_sweep_table_command(const struct sl_sweep_tcell *c)
{
	const struct {
		const char *option, *value, *standard;
	} part[] = {
		{ "-t", c->topology, NULL },
		{ "-w", c->workload, NULL },
		{ "-p", c->policy, NULL },
		{ "--costs", c->costs, SL_SWEEP_AUTO },
		{ "--cpuset", c->cpuset, SL_SWEEP_ALL },
		{ "--until", c->until, "" },
	};
	GString *text = g_string_new("schedlab compare");

	for (size_t i = 0; i < SL_ARRAY_LEN(part); i++) {
		char *quoted;

		if (g_strcmp0(part[i].value, part[i].standard) == 0)
			continue;
		quoted = g_shell_quote(part[i].value);
		g_string_append_printf(text, " %s %s", part[i].option,
				       strpbrk(part[i].value, " '\"$&;()<>|*?{}") ? quoted
										  : part[i].value);
		g_free(quoted);
	}
	g_string_append_printf(text, " --seed %" G_GUINT64_FORMAT " -n %u", (guint64)c->seed,
			       c->runs);
	return g_string_free(text, FALSE);
}
