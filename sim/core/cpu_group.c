/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The scheduler's tree of CPU groups, derived from the hardware by the rule of a
 * kernel era (enum sl_cg_rule).
 * Invariant: the children of a group partition it; groups lie breadth first, the
 * children of one parent side by side and ascending by their first CPU; every CPU
 * is in exactly one leaf.
 *
 * Each rule is reduced to a plan: which hardware domains become groups, from the
 * widest to the narrowest, and the cache level the kernel gives to each. One walk
 * serves them all. Facts each plan rests on:
 *  - CACHE: the root is level NONE; the children of a group are the widest cache
 *    domains inside it; a domain as wide as its parent is left out, except directly
 *    under the root. A group of several CPUs but one core carries SMT.
 *  - CACHE_COLLAPSED: as CACHE, then roots with a single child are removed. On a
 *    machine of several NUMA nodes a group that is exactly one node carries NODE.
 *  - UNIFORM: equal packages of equal cores only, else flat. Threads and cores: the
 *    package as L2, the core as L1 with SMT; cores only: packages (L2); threads
 *    only: cores (L1, HTT).
 *  - UNIFORM_8: as UNIFORM, always HTT.
 *  - SMT_PAIRS: a group per core with hardware threads, else per CPU, no caches. */
#include "sim/core/topo.h"

#include <stdlib.h>

#include "sim/base/bits.h"

#define MAX_STEPS 3

/* Hardware domains a plan may name, as offsets of uint16_t fields. */
struct step {
	size_t field;  /* offset in struct sl_topo_cpu */
	uint8_t level; /* enum sl_cg_level of its groups */
};

struct plan {
	struct step step[MAX_STEPS];
	uint32_t n;
	uint8_t smt_flag; /* for groups of several CPUs but one core */
	bool lone_none;	  /* a group of one CPU has level NONE */
	bool collapse;
	bool mark_nodes;
};

#define STEP(name, lvl)                                                                            \
	{                                                                                          \
		.field = offsetof(struct sl_topo_cpu, name), .level = (lvl)                        \
	}

static const struct plan plan_flat = { .n = 0 };

static const struct plan plan_cache = {
	.step = { STEP(l3, SL_CG_L3), STEP(l2, SL_CG_L2), STEP(l1, SL_CG_L1) },
	.n = 3,
	.smt_flag = SL_CG_SMT,
};

static const struct plan plan_cache_collapsed = {
	.step = { STEP(l3, SL_CG_L3), STEP(l2, SL_CG_L2), STEP(l1, SL_CG_L1) },
	.n = 3,
	.smt_flag = SL_CG_SMT,
	.collapse = true,
	.mark_nodes = true,
};

static const struct plan plan_packages = {
	.step = { STEP(package, SL_CG_L2) },
	.n = 1,
};

static const struct plan plan_threads = {
	.step = { STEP(core, SL_CG_L1) },
	.n = 1,
	.smt_flag = SL_CG_HTT,
};

static const struct plan plan_two_levels = {
	.step = { STEP(package, SL_CG_L2), STEP(core, SL_CG_L1) },
	.n = 2,
	.smt_flag = SL_CG_SMT,
};

static const struct plan plan_two_levels_8 = {
	.step = { STEP(package, SL_CG_L2), STEP(core, SL_CG_L1) },
	.n = 2,
	.smt_flag = SL_CG_HTT,
};

static const struct plan plan_smt_pairs = {
	.step = { STEP(core, SL_CG_L1) },
	.n = 1,
	.smt_flag = SL_CG_HTT,
	.lone_none = true,
};

/* Everything one construction needs; the arrays live as long as the call. */
struct builder {
	const struct sl_topo *topo;
	const struct plan *plan;
	size_t domains;	     /* all ids are below */
	uint32_t *size;	     /* [n steps][domains]: CPUs of each domain */
	uint32_t *group;     /* [n steps][domains]: child made for a domain */
	uint32_t *stamp;     /* [n steps][domains]: parent + 1 that `group` holds for */
	uint32_t *node_size; /* [domains]: CPUs of each NUMA node */
	uint32_t nodes;	     /* NUMA nodes of the machine */
};

/* The tree with what it owns. */
struct tree {
	struct sl_cpu_tree pub; /* first: sl_cpu_tree_free() casts back */
	struct sl_cpu_group *groups;
	const struct sl_cpu_group **leaves;
	uint64_t *masks;
};

static uint16_t domain(const struct sl_topo_cpu *cpu, const struct step *s)
{
	return *(const uint16_t *)(const void *)((const char *)cpu + s->field);
}

/* One more than the highest id of a domain. The tables have that size, not that of every
 * possible id: a short run would take longer to clear 65,536 of them than to simulate. */
static size_t count_domains(const struct sl_topo *t)
{
	uint16_t most = 0;

	for (uint32_t i = 0; i < t->ncpus; i++) {
		const struct sl_topo_cpu *c = &t->cpu[i];
		const uint16_t id[] = { c->package, c->node, c->core, c->l1, c->l2, c->l3 };

		for (size_t k = 0; k < SL_ARRAY_LEN(id); k++)
			if (id[k] != SL_TOPO_NONE && id[k] > most)
				most = id[k];
	}
	return (size_t)most + 1;
}

/* Shape of a machine of equal packages and equal cores; false when it is not one. */
static bool uniform(const struct sl_topo *t, uint32_t *cores, uint32_t *threads)
{
	const size_t domains = count_domains(t);
	static const struct step by_package = STEP(package, 0), by_core = STEP(core, 0);
	const struct step *const by[2] = { &by_package, &by_core };
	uint32_t width[2] = { 0, 0 };

	for (uint32_t k = 0; k < 2; k++) {
		uint32_t *count = calloc(domains, sizeof(*count));
		bool even = true;

		if (count == NULL)
			return false;
		for (uint32_t i = 0; i < t->ncpus; i++)
			count[domain(&t->cpu[i], by[k])]++;
		width[k] = count[domain(&t->cpu[0], by[k])];
		for (size_t d = 0; d < domains; d++)
			even = even && (count[d] == 0 || count[d] == width[k]);
		free(count);
		if (!even)
			return false;
	}
	*threads = width[1];
	*cores = width[0] / width[1];
	return width[0] % width[1] == 0;
}

static const struct plan *uniform_plan(const struct sl_topo *t, bool is_8)
{
	uint32_t cores, threads;

	if (t->caches_unknown || !uniform(t, &cores, &threads))
		return &plan_flat;
	if (cores > 1 && threads > 1)
		return is_8 ? &plan_two_levels_8 : &plan_two_levels;
	if (threads > 1)
		return &plan_threads;
	/* Single-CPU packages too: a level below the root, as the HTT row without HTT. */
	return &plan_packages;
}

static const struct plan *choose_plan(const struct sl_topo *t, enum sl_cg_rule rule)
{
	if (t->uniprocessor)
		return &plan_flat;
	switch (rule) {
	case SL_CG_RULE_CACHE:
		return t->caches_unknown ? &plan_flat : &plan_cache;
	case SL_CG_RULE_CACHE_COLLAPSED:
		return t->caches_unknown ? &plan_flat : &plan_cache_collapsed;
	case SL_CG_RULE_UNIFORM:
		return uniform_plan(t, false);
	case SL_CG_RULE_UNIFORM_8:
		return uniform_plan(t, true);
	case SL_CG_RULE_SMT_PAIRS:
		return &plan_smt_pairs;
	case SL_CG_RULE_FLAT:
		break;
	}
	return &plan_flat;
}

/* Counts the CPUs of every domain of the plan, and the NUMA nodes. Returns the most
 * groups the tree can have: the root, the domains, a stand-in for each CPU that no
 * domain covers. */
static size_t measure(struct builder *b)
{
	const struct sl_topo *t = b->topo;
	size_t bound = 1 + t->ncpus;

	for (uint32_t i = 0; i < t->ncpus; i++) {
		for (uint32_t k = 0; k < b->plan->n; k++) {
			uint16_t d = domain(&t->cpu[i], &b->plan->step[k]);

			if (d != SL_TOPO_NONE && b->size[k * b->domains + d]++ == 0)
				bound++;
		}
		if (b->node_size[t->cpu[i].node]++ == 0)
			b->nodes++;
	}
	return bound;
}

/* Flags of a finished group below the root. */
static uint8_t flags_of(const struct builder *b, const struct sl_cpu_group *g, uint32_t words)
{
	const struct sl_topo_cpu *cpu = b->topo->cpu;
	bool one_core = g->count > 1;
	bool one_node =
		b->plan->mark_nodes && b->nodes > 1 && g->count == b->node_size[cpu[g->first].node];

	for (uint32_t i = g->first; i <= g->last; i = sl_bits_next(g->mask, words, i + 1)) {
		one_core = one_core && cpu[i].core == cpu[g->first].core;
		one_node = one_node && cpu[i].node == cpu[g->first].node;
	}
	return (uint8_t)((one_core ? b->plan->smt_flag : 0) | (one_node ? SL_CG_NODE : 0));
}

/* The step whose domain is CPU i's widest one inside a group of `width` CPUs at depth
 * `from`; plan->n when none is left. Under the root a domain as wide as the machine counts. */
static uint32_t widest(const struct builder *b, uint32_t i, uint32_t from, uint32_t width,
		       bool is_root)
{
	uint32_t k = from;

	for (; k < b->plan->n; k++) {
		uint16_t d = domain(&b->topo->cpu[i], &b->plan->step[k]);

		if (d != SL_TOPO_NONE && (is_root || b->size[k * b->domains + d] < width))
			break;
	}
	return k;
}

/* Appends CPU i to the child of `parent` that its domain at step k stands for, making
 * it when CPU i is the first. */
static void put(struct builder *b, struct tree *tr, uint32_t *depth, uint32_t parent, uint32_t i,
		uint32_t k)
{
	struct sl_cpu_group *g = NULL;
	uint32_t n = tr->pub.ngroups, words = tr->pub.mask_words, id = n;
	bool lone = k == b->plan->n;

	if (!lone) {
		/* Steps do not share stamps: two domains of one parent may have equal ids. */
		size_t slot = k * b->domains + domain(&b->topo->cpu[i], &b->plan->step[k]);

		if (b->stamp[slot] == parent + 1)
			id = b->group[slot];
		b->stamp[slot] = parent + 1;
		b->group[slot] = id;
	}
	g = &tr->groups[id];
	if (id == n) {
		g->id = id;
		g->first = i;
		g->mask = tr->masks + (size_t)id * words;
		g->level = lone ? SL_CG_L1 : b->plan->step[k].level;
		g->parent = &tr->groups[parent];
		depth[id] = lone ? k : k + 1;
		if (tr->groups[parent].nchildren++ == 0)
			tr->groups[parent].child = g;
		tr->pub.ngroups++;
	}
	sl_bit_set(tr->masks + (size_t)id * words, i);
	g->last = i;
	g->count++;
}

/* Makes the children of group p. */
static void expand(struct builder *b, struct tree *tr, uint32_t *depth, uint32_t p)
{
	const struct sl_cpu_group *g = &tr->groups[p];
	uint32_t words = tr->pub.mask_words;
	bool any = false;

	for (uint32_t i = g->first; i <= g->last && !any; i = sl_bits_next(g->mask, words, i + 1))
		any = widest(b, i, depth[p], g->count, p == 0) < b->plan->n;
	if (!any)
		return;
	for (uint32_t i = g->first; i <= g->last; i = sl_bits_next(g->mask, words, i + 1))
		put(b, tr, depth, p, i, widest(b, i, depth[p], g->count, p == 0));
	for (uint32_t c = 0; c < g->nchildren; c++) {
		struct sl_cpu_group *child = &tr->groups[g->child[c].id];

		child->flags = flags_of(b, child, words);
		if (child->count == 1 && b->plan->lone_none)
			child->level = SL_CG_NONE;
	}
}

/* Removes roots with one child: the first groups of the array. */
static void collapse(struct tree *tr)
{
	uint32_t skip = 0;

	while (tr->groups[skip].nchildren == 1)
		skip++;
	tr->groups[skip].parent = NULL;
	for (uint32_t i = skip; i < tr->pub.ngroups; i++)
		tr->groups[i].id -= skip;
	tr->pub.top = tr->pub.group = &tr->groups[skip];
	tr->pub.ngroups -= skip;
}

static void grow(struct builder *b, struct tree *tr, uint32_t *depth)
{
	uint32_t words = tr->pub.mask_words, ncpus = b->topo->ncpus;
	struct sl_cpu_group *root = &tr->groups[0];

	root->mask = tr->masks;
	root->count = ncpus;
	root->last = ncpus - 1;
	sl_bits_fill(tr->masks, 0, ncpus);
	tr->pub.ngroups = 1;
	for (uint32_t p = 0; p < tr->pub.ngroups; p++)
		expand(b, tr, depth, p);
	tr->pub.top = tr->pub.group = root;
	if (b->plan->collapse)
		collapse(tr);
	for (uint32_t p = 0; p < tr->pub.ngroups; p++) {
		const struct sl_cpu_group *g = &tr->pub.group[p];

		if (g->nchildren > 0)
			continue;
		for (uint32_t i = g->first; i <= g->last; i = sl_bits_next(g->mask, words, i + 1))
			tr->leaves[i] = g;
	}
	tr->pub.leaf = tr->leaves;
}

struct sl_cpu_tree *sl_cpu_tree_new(const struct sl_topo *t, enum sl_cg_rule rule)
{
	struct builder b = { .topo = t, .plan = choose_plan(t, rule) };
	size_t slots, most = 0;
	struct tree *tr = calloc(1, sizeof(*tr));
	uint32_t *depth = NULL;
	bool ok = false;

	b.domains = count_domains(t);
	slots = b.domains * (b.plan->n > 0 ? b.plan->n : 1);
	b.size = calloc(slots, sizeof(*b.size));
	b.group = calloc(slots, sizeof(*b.group));
	b.stamp = calloc(slots, sizeof(*b.stamp));
	b.node_size = calloc(b.domains, sizeof(*b.node_size));
	if (tr != NULL && b.size != NULL && b.group != NULL && b.stamp != NULL &&
	    b.node_size != NULL) {
		most = measure(&b);
		tr->pub.mask_words = SL_BITS_WORDS(t->ncpus);
		tr->groups = calloc(most, sizeof(*tr->groups));
		tr->masks = calloc(most * tr->pub.mask_words, sizeof(*tr->masks));
		tr->leaves = calloc(t->ncpus, sizeof(*tr->leaves));
		depth = calloc(most, sizeof(*depth));
		ok = tr->groups != NULL && tr->masks != NULL && tr->leaves != NULL && depth != NULL;
	}
	if (ok)
		grow(&b, tr, depth);
	free(depth);
	free(b.size);
	free(b.group);
	free(b.stamp);
	free(b.node_size);
	if (!ok && tr != NULL) {
		sl_cpu_tree_free(&tr->pub);
		tr = NULL;
	}
	return tr != NULL ? &tr->pub : NULL;
}

void sl_cpu_tree_free(struct sl_cpu_tree *tree)
{
	struct tree *tr = (struct tree *)(void *)tree;

	if (tr == NULL)
		return;
	free(tr->groups);
	free(tr->leaves);
	free(tr->masks);
	free(tr);
}

static bool same(uint16_t a, uint16_t b)
{
	return a == b && a != SL_TOPO_NONE;
}

enum sl_shared sl_topo_shared(const struct sl_topo *t, uint32_t a, uint32_t b)
{
	const struct sl_topo_cpu *x = &t->cpu[a], *y = &t->cpu[b];

	if (a == b)
		return SL_SHARED_CPU;
	if (x->core == y->core || same(x->l1, y->l1))
		return SL_SHARED_CORE;
	if (same(x->l2, y->l2))
		return SL_SHARED_L2;
	if (same(x->l3, y->l3))
		return SL_SHARED_L3;
	if (x->package == y->package)
		return SL_SHARED_PACKAGE;
	return x->node == y->node ? SL_SHARED_NODE : SL_SHARED_NOTHING;
}
