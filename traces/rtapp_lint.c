/* SPDX-License-Identifier: BSD-2-Clause
 *
 * What loads but can hardly be meant. The checks look at the uses noted while programs
 * were made, and at the frozen programs, so a finding always has a place in the file. */
#include "traces/rtapp.h"

#include <string.h>

#define BIT(kind) ((uint64_t)1 << (kind))

/* One kind of object that some operations feed and others wait on. */
struct pairing {
	enum sl_resource resource;
	uint64_t makers, takers; /* bits of enum sl_op_kind */
	const char *lonely_maker, *lonely_taker;
};

static const struct pairing pairings[] = {
	{ SL_RES_COND, BIT(SL_OP_COND_SIGNAL) | BIT(SL_OP_COND_BROAD) | BIT(SL_OP_COND_SYNC),
	  BIT(SL_OP_COND_WAIT) | BIT(SL_OP_COND_SYNC),
	  "wakes a name for which nobody waits or suspends",
	  "waits for a name that nobody signals or resumes" },
	{ SL_RES_SEM, BIT(SL_OP_SEM_POST), BIT(SL_OP_SEM_WAIT),
	  "posts a semaphore for which nobody waits", "waits for a semaphore that nobody posts" },
	{ SL_RES_CHANNEL, BIT(SL_OP_SEND), BIT(SL_OP_RECV),
	  "sends to a channel from which nobody receives",
	  "receives from a channel to which nobody sends" },
};

static void find(struct sl_rtapp *rt, const struct sl_json *at, const char *what, const char *name)
{
	sl_json_warn(rt->doc, at, TRUE, rt->findings, "%s \"%s\": %s", at->key ? at->key : "here",
		     name, what);
}

static uint64_t *kinds_per_object(const struct sl_rtapp *rt, const struct pairing *p, uint32_t n)
{
	uint64_t *seen = g_new0(uint64_t, n + 1);
	uint64_t both = p->makers | p->takers;

	for (guint i = 0; i < rt->uses->len; i++) {
		const struct sl_rtapp_use *u = &g_array_index(rt->uses, struct sl_rtapp_use, i);

		if (both & BIT(u->kind))
			seen[u->obj] |= BIT(u->kind);
	}
	return seen;
}

static void lint_pairing(struct sl_rtapp *rt, const struct sl_workload *w, const struct pairing *p,
			 uint32_t n)
{
	uint64_t *seen = kinds_per_object(rt, p, n);

	for (guint i = 0; i < rt->uses->len; i++) {
		const struct sl_rtapp_use *u = &g_array_index(rt->uses, struct sl_rtapp_use, i);
		const char *name;

		if (!((p->makers | p->takers) & BIT(u->kind)))
			continue;
		name = p->resource == SL_RES_COND  ? w->cond[u->obj].name
		       : p->resource == SL_RES_SEM ? w->sem[u->obj].name
						   : w->channel[u->obj].name;
		if (!(seen[u->obj] & p->takers))
			find(rt, u->at, p->lonely_maker, name);
		else if (!(seen[u->obj] & p->makers) &&
			 !(p->resource == SL_RES_SEM && w->sem[u->obj].initial > 0))
			find(rt, u->at, p->lonely_taker, name);
		else
			continue;
		/* One finding per object is enough. */
		seen[u->obj] = ~(uint64_t)0;
	}
	g_free(seen);
}

/* A barrier meets only when as many threads as it has parties can stand at it at once. */
static void lint_barriers(struct sl_rtapp *rt, const struct sl_workload *w)
{
	uint64_t *threads = g_new0(uint64_t, w->n_barriers + 1);
	uint32_t *last = g_new(uint32_t, w->n_barriers + 1);

	memset(last, 0xff, (w->n_barriers + 1) * sizeof(*last));
	for (guint i = 0; i < rt->uses->len; i++) {
		const struct sl_rtapp_use *u = &g_array_index(rt->uses, struct sl_rtapp_use, i);

		if (u->kind != SL_OP_BARRIER || last[u->obj] == u->task)
			continue;
		last[u->obj] = u->task;
		threads[u->obj] += w->task[u->task].instances;
	}
	for (guint i = 0; i < rt->uses->len; i++) {
		const struct sl_rtapp_use *u = &g_array_index(rt->uses, struct sl_rtapp_use, i);
		bool forked = u->kind == SL_OP_BARRIER && w->task[u->task].instances == 0;

		if (u->kind != SL_OP_BARRIER || forked || threads[u->obj] == 0 ||
		    threads[u->obj] >= w->barrier[u->obj].parties)
			continue;
		sl_json_warn(rt->doc, u->at, TRUE, rt->findings,
			     "barrier \"%s\" cannot meet: %u parties (each place that names it "
			     "counts), but only %" G_GUINT64_FORMAT " threads",
			     w->barrier[u->obj].name, w->barrier[u->obj].parties, threads[u->obj]);
		threads[u->obj] = 0;
	}
	g_free(threads);
	g_free(last);
}

/* Operations behind a loop that never ends, or behind exit, are never executed. */
static void lint_unreachable(struct sl_rtapp *rt, const struct sl_workload *w, uint32_t task)
{
	const struct sl_task *t = &w->task[task];
	uint32_t first = SL_NONE;

	for (uint32_t i = 0; i < t->n_ops; i++) {
		const struct sl_op *op = &w->op[t->first_op + i];
		const struct sl_op *loop =
			op->kind == SL_OP_ENDLOOP ? &w->op[t->first_op + op->target] : NULL;
		bool endless = loop && loop->dist.n == 0 && loop->dist.value == UINT64_MAX;

		if (!endless && op->kind != SL_OP_EXIT)
			continue;
		first = i + 1;
		while (first < t->n_ops && w->op[t->first_op + first].kind == SL_OP_ENDLOOP)
			first++;
		break;
	}
	if (first < t->n_ops)
		find(rt, g_array_index(rt->op_at, const struct sl_json *, t->first_op + first),
		     "never reached: what stands before it does not end", t->name);
	for (uint32_t i = 0; i < t->n_ops; i++) {
		const struct sl_op *op = &w->op[t->first_op + i];

		if (op->kind == SL_OP_LOOP && op->dist.n == 0 && op->dist.value == 0)
			find(rt, g_array_index(rt->op_at, const struct sl_json *, t->first_op + i),
			     "never reached: its loop count is 0", t->name);
	}
}

/* Written as 0, not computed: a number of threads that happens to be 0 is no template. */
static bool is_template(const struct sl_json *node)
{
	const struct sl_json *v = sl_rtapp_prop(node, "instance");

	return v && v->type == SL_JSON_NUMBER;
}

void sl_rtapp_lint(struct sl_rtapp *rt, const struct sl_workload *w)
{
	const uint32_t counts[] = { w->n_conds, w->n_sems, w->n_channels };

	for (size_t i = 0; i < G_N_ELEMENTS(pairings); i++)
		lint_pairing(rt, w, &pairings[i], counts[i]);
	lint_barriers(rt, w);
	sl_rtapp_lint_locks(rt, w);
	for (uint32_t i = 0; i < w->n_tasks; i++) {
		const struct sl_rtapp_item *item =
			&g_array_index(rt->items, struct sl_rtapp_item, i);

		if (item->turn > 0)
			continue;
		lint_unreachable(rt, w, i);
		if (w->task[i].instances == 0 && is_template(item->node) &&
		    g_array_index(rt->forked, uint8_t, i) == 0)
			find(rt, item->node, "a template (instance 0) that nobody forks",
			     w->task[i].name);
	}
}
