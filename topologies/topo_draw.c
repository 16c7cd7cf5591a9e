/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Invariant: what is printed comes from the tree the scheduler uses, never from the
 * description it was made of; the hardware part is marked as such. */
#include "topologies/topo_draw.h"

#include "sim/base/bits.h"
#include "topologies/cpuset.h"

static const char *const rule_name[] = {
	[SL_CG_RULE_CACHE] = "11.x, cache tree",
	[SL_CG_RULE_CACHE_COLLAPSED] = "12 and later, cache tree without lone roots",
	[SL_CG_RULE_UNIFORM] = "10.x, packages and cores",
	[SL_CG_RULE_UNIFORM_8] = "8.0, packages and cores",
	[SL_CG_RULE_SMT_PAIRS] = "up to 7.x, cores with hardware threads",
	[SL_CG_RULE_FLAT] = "one group",
};

static const char *const level_name[] = { "NONE", "L1", "L2", "L3" };

/* Flags as the kernel prints them: SMT implies THREAD, as THREAD is HTT or SMT. */
static const struct {
	unsigned mask;
	const char *name, *text;
} flag[] = {
	{ SL_CG_HTT, "HTT", "HTT group" },
	{ SL_CG_THREAD, "THREAD", "THREAD group" },
	{ SL_CG_SMT, "SMT", "SMT group" },
	{ SL_CG_NODE, "NODE", "NUMA node" },
};

const char *sl_cg_rule_name(enum sl_cg_rule rule)
{
	return rule_name[rule];
}

/* One kind of hardware domain: how many there are and which CPUs share one. */
struct kind {
	const char *one, *many;
	size_t offset;
};

static const struct kind kind[] = {
	{ "NUMA node", "NUMA nodes", offsetof(struct sl_topo_cpu, node) },
	{ "package", "packages", offsetof(struct sl_topo_cpu, package) },
	{ "L3", "L3", offsetof(struct sl_topo_cpu, l3) },
	{ "L2", "L2", offsetof(struct sl_topo_cpu, l2) },
	{ "L1", "L1", offsetof(struct sl_topo_cpu, l1) },
	{ "core", "cores", offsetof(struct sl_topo_cpu, core) },
};

static uint16_t id_of(const struct sl_topo *t, uint32_t cpu, const struct kind *k)
{
	return *(const uint16_t *)(const void *)((const char *)&t->cpu[cpu] + k->offset);
}

/* "  4 L3         0-5  6-11  12-17  18-23" */
static void draw_kind(GString *out, const struct sl_topo *t, const struct kind *k)
{
	uint32_t words = SL_BITS_WORDS(t->ncpus), n = 0;
	g_autofree uint64_t *sets = g_new0(uint64_t, (size_t)words * t->ncpus);

	for (uint32_t i = 0; i < t->ncpus; i++) {
		uint16_t id = id_of(t, i, k);

		if (id == SL_TOPO_NONE)
			continue;
		sl_bit_set(sets + (size_t)id * words, i);
		n = MAX(n, (uint32_t)id + 1);
	}
	if (n == 0)
		return;
	g_string_append_printf(out, "  %4u %-11s", n, n > 1 ? k->many : k->one);
	for (uint32_t d = 0; d < n; d++) {
		g_autofree char *list = sl_cpuset_print(sets + (size_t)d * words, t->ncpus);

		g_string_append_printf(out, " %s", list);
	}
	g_string_append_c(out, '\n');
}

/* CPUs by speed, when they differ from nominal. */
static void draw_speeds(GString *out, const struct sl_topo *t)
{
	uint32_t words = SL_BITS_WORDS(t->ncpus);
	g_autofree uint64_t *set = g_new(uint64_t, words);
	bool uneven = false;

	for (uint32_t i = 0; i < t->ncpus; i++)
		uneven = uneven || t->cpu[i].speed_permille != 1000;
	for (uint32_t i = 0; uneven && i < t->ncpus; i++) {
		g_autofree char *list = NULL;
		bool seen = false;

		for (uint32_t k = 0; k < i; k++)
			seen = seen || t->cpu[k].speed_permille == t->cpu[i].speed_permille;
		if (seen)
			continue;
		for (uint32_t w = 0; w < words; w++)
			set[w] = 0;
		for (uint32_t k = i; k < t->ncpus; k++)
			if (t->cpu[k].speed_permille == t->cpu[i].speed_permille)
				sl_bit_set(set, k);
		list = sl_cpuset_print(set, t->ncpus);
		g_string_append_printf(out, "  speed %u/1000  %s\n", t->cpu[i].speed_permille,
				       list);
	}
}

static void draw_group(GString *out, const struct sl_cpu_tree *tree, uint32_t ncpus,
		       const struct sl_cpu_group *g, uint32_t depth)
{
	g_autofree char *list = sl_cpuset_print(g->mask, ncpus);

	g_string_append_printf(out, "  %*s%-4s %4u CPU%s %-*s", (int)depth * 2, "",
			       level_name[g->level], g->count, g->count > 1 ? "s" : " ",
			       g->flags != 0 ? 8 : 0, list);
	for (size_t i = 0; i < G_N_ELEMENTS(flag); i++)
		if (g->flags & flag[i].mask)
			g_string_append_printf(out, " %s", flag[i].name);
	g_string_append_c(out, '\n');
	for (uint32_t i = 0; i < g->nchildren; i++)
		draw_group(out, tree, ncpus, &g->child[i], depth + 1);
}

char *sl_topo_draw(const struct sl_topo *t, enum sl_cg_rule rule)
{
	struct sl_cpu_tree *tree = sl_cpu_tree_new(t, rule);
	GString *out = g_string_new(NULL);

	SL_ASSERT(tree != NULL); /* GLib's own answer to no memory */
	g_string_append_printf(out, "%s: %u CPU%s\n", t->name, t->ncpus, t->ncpus > 1 ? "s" : "");
	if (t->summary != NULL && *t->summary != '\0')
		g_string_append_printf(out, "%s\n", t->summary);
	g_string_append(out, "\nHardware\n");
	for (size_t i = 0; i < G_N_ELEMENTS(kind); i++)
		draw_kind(out, t, &kind[i]);
	if (t->caches_unknown)
		g_string_append(out, "  caches unknown to the kernel\n");
	draw_speeds(out, t);
	g_string_append_printf(out, "\nGroups the scheduler sees (%s%s)\n",
			       t->uniprocessor ? "uniprocessor kernel, " : "", rule_name[rule]);
	draw_group(out, tree, t->ncpus, tree->top, 0);
	sl_cpu_tree_free(tree);
	return g_string_free(out, FALSE);
}

struct writer {
	GString *out;
	const struct sl_cpu_tree *tree;
	uint32_t mask_words;
};

static void write_cpus(struct writer *w, const struct sl_cpu_group *g, int indent)
{
	uint32_t words = w->tree->mask_words;

	g_string_append_printf(w->out, "%*s <cpu count=\"%u\" mask=\"", indent, "", g->count);
	for (uint32_t i = 0; i < w->mask_words; i++)
		g_string_append_printf(w->out, "%s%" G_GINT64_MODIFIER "x", i > 0 ? "," : "",
				       (guint64)(i < words ? g->mask[i] : 0));
	g_string_append(w->out, "\">");
	for (uint32_t i = g->first; i <= g->last; i = sl_bits_next(g->mask, words, i + 1))
		g_string_append_printf(w->out, "%s%u", i > g->first ? ", " : "", i);
	g_string_append(w->out, "</cpu>\n");
}

/* One group at an indentation of 1, 3, 5, ... blanks. */
static void write_group(struct writer *w, const struct sl_cpu_group *g, int indent)
{
	g_string_append_printf(w->out, "%*s<group level=\"%d\" cache-level=\"%u\">\n", indent, "",
			       1 + indent / 2, g->level);
	write_cpus(w, g, indent);
	if (g->flags != 0) {
		g_string_append_printf(w->out, "%*s <flags>", indent, "");
		for (size_t i = 0; i < G_N_ELEMENTS(flag); i++)
			if (g->flags & flag[i].mask)
				g_string_append_printf(w->out, "<flag name=\"%s\">%s</flag>",
						       flag[i].name, flag[i].text);
		g_string_append(w->out, "</flags>\n");
	}
	if (g->nchildren > 0) {
		g_string_append_printf(w->out, "%*s <children>\n", indent, "");
		for (uint32_t i = 0; i < g->nchildren; i++)
			write_group(w, &g->child[i], indent + 2);
		g_string_append_printf(w->out, "%*s </children>\n", indent, "");
	}
	g_string_append_printf(w->out, "%*s</group>\n", indent, "");
}

char *sl_topo_to_xml(const struct sl_topo *t, enum sl_cg_rule rule, uint32_t mask_words)
{
	struct sl_cpu_tree *tree;
	struct writer w;

	/* A uniprocessor kernel has a group without CPUs. */
	if (t->uniprocessor)
		return g_strdup("<groups>\n <group level=\"1\" cache-level=\"1\">\n </group>\n"
				"</groups>\n");
	tree = sl_cpu_tree_new(t, rule);
	SL_ASSERT(tree != NULL);
	w = (struct writer){ g_string_new("<groups>\n"), tree, mask_words > 0 ? mask_words : 16 };
	w.mask_words = MAX(w.mask_words, tree->mask_words);
	write_group(&w, tree->top, 1);
	g_string_append(w.out, "</groups>\n");
	sl_cpu_tree_free(tree);
	return g_string_free(w.out, FALSE);
}
