/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Reader of hwloc's XML export (versions 1 and 2), by the project's own parser, so that
 * such files are read where hwloc is not installed.
 * Invariant: an object's number is its position in the file, unique by construction;
 * a CPU (PU) takes the numbers of the objects around it. */
#include "topologies/topo_read.h"

#include <string.h>

#include "sim/base/bits.h"

#define MOST_DEPTH   128

#define NOT_A_DOMAIN TOPO_DOMAINS

static const struct {
	const char *type;
	enum topo_domain domain;
} type_table[] = {
	{ "Package", TOPO_PACKAGE }, { "Socket", TOPO_PACKAGE }, { "NUMANode", TOPO_NODE },
	{ "L3Cache", TOPO_L3 },	     { "L2Cache", TOPO_L2 },	 { "L1Cache", TOPO_L1 },
	{ "Core", TOPO_CORE },
};

struct object {
	enum topo_domain domain; /* NOT_A_DOMAIN for the rest */
	bool is_pu;
};

struct node_set {
	uint64_t *words;
	int64_t number;
};

struct reader {
	struct topo_build *b;
	struct object open[MOST_DEPTH];
	uint32_t depth;
	int64_t next;			  /* number of the next object */
	int64_t around[TOPO_DOMAINS + 1]; /* objects around, TOPO_UNKNOWN outside */
	int64_t outer[MOST_DEPTH];	  /* what `around` held before the open object */
	GArray *nodes;			  /* of struct node_set: NUMA nodes as CPU sets */
	bool saw_cache;
};

/* hwloc 1 writes caches as type Cache with a depth. */
static enum topo_domain domain_of(const char *type, const char **names, const char **values)
{
	const char *depth = topo_markup_attr(names, values, "depth");
	const char *cache_type = topo_markup_attr(names, values, "cache_type");

	if (strcmp(type, "Cache") == 0 && depth != NULL && depth[0] >= '1' && depth[0] <= '3' &&
	    depth[1] == '\0' && (cache_type == NULL || strcmp(cache_type, "2") != 0))
		return depth[0] == '1' ? TOPO_L1 : depth[0] == '2' ? TOPO_L2 : TOPO_L3;
	for (size_t i = 0; i < G_N_ELEMENTS(type_table); i++)
		if (strcmp(type, type_table[i].type) == 0)
			return type_table[i].domain;
	return NOT_A_DOMAIN;
}

/* hwloc's bitmaps: 32-bit words in hexadecimal, most significant first. */
static uint64_t *read_bitmap(const char *text)
{
	g_auto(GStrv) part = g_strsplit(text, ",", -1);
	uint32_t n = g_strv_length(part);
	uint64_t *set = g_new0(uint64_t, SL_BITS_WORDS(SL_TOPO_MAX_CPUS));

	for (uint32_t i = 0; i < n; i++) {
		const char *hex = g_str_has_prefix(part[i], "0x") ? part[i] + 2 : part[i];
		uint32_t base = (n - 1 - i) * 32;
		guint64 v = 0;

		if (*hex != '\0' && !g_ascii_string_to_unsigned(hex, 16, 0, UINT32_MAX, &v, NULL))
			return g_free(set), NULL;
		if (v != 0 && n - 1 - i >= SL_TOPO_MAX_CPUS / 32)
			return g_free(set), NULL;
		if (v != 0)
			set[base / 64] |= v << (base % 64);
	}
	return set;
}

static bool add_node(GMarkupParseContext *c, struct reader *r, const char *cpuset, GError **error)
{
	struct node_set node = { .number = r->next };

	if (cpuset == NULL)
		return true;
	node.words = read_bitmap(cpuset);
	if (node.words == NULL) {
		topo_markup_fail(c, r->b->in, error,
				 "cpuset=\"%.40s\" is no CPU set; expected hexadecimal words for "
				 "CPUs below %d",
				 cpuset, SL_TOPO_MAX_CPUS);
		return false;
	}
	if (r->nodes->len >= SL_TOPO_MAX_CPUS) {
		g_free(node.words);
		topo_markup_fail(c, r->b->in, error, "too many NUMA nodes");
		return false;
	}
	g_array_append_val(r->nodes, node);
	return true;
}

static bool add_pu(GMarkupParseContext *c, struct reader *r, const char *os_index, GError **error)
{
	struct topo_row *row;
	int line, col;
	guint64 cpu;

	if (os_index == NULL ||
	    !g_ascii_string_to_unsigned(os_index, 10, 0, SL_TOPO_MAX_CPUS - 1, &cpu, NULL)) {
		topo_markup_fail(c, r->b->in, error,
				 "PU with os_index=\"%s\"; expected a number from 0 to %d",
				 os_index != NULL ? os_index : "", SL_TOPO_MAX_CPUS - 1);
		return false;
	}
	g_markup_parse_context_get_position(c, &line, &col);
	row = topo_build_add(r->b, (uint32_t)cpu, (uint32_t)line, (uint32_t)col);
	memcpy(row->domain, r->around, sizeof(row->domain));
	return true;
}

static void start(GMarkupParseContext *c, const char *element, const char **names,
		  const char **values, gpointer user, GError **error)
{
	struct reader *r = user;
	const char *type = topo_markup_attr(names, values, "type");
	struct object *o;

	if (g_markup_parse_context_get_element_stack(c)->next == NULL &&
	    strcmp(element, "topology") != 0) {
		topo_markup_fail(c, r->b->in, error, "<%s>; expected <topology> or <groups>",
				 element);
		return;
	}
	if (strcmp(element, "object") != 0)
		return; /* page types, distances, infos: not about CPUs */
	if (type == NULL || r->depth == MOST_DEPTH) {
		topo_markup_fail(c, r->b->in, error,
				 type == NULL ? "<object> without type"
					      : "objects too deep; expected 128 levels at most");
		return;
	}
	o = &r->open[r->depth];
	o->domain = domain_of(type, names, values);
	o->is_pu = strcmp(type, "PU") == 0;
	r->outer[r->depth++] = r->around[o->domain];
	r->around[o->domain] = r->next;
	r->saw_cache = r->saw_cache || (o->domain >= TOPO_L3 && o->domain <= TOPO_L1);
	if (o->is_pu && !add_pu(c, r, topo_markup_attr(names, values, "os_index"), error))
		return;
	if (o->domain == TOPO_NODE &&
	    !add_node(c, r, topo_markup_attr(names, values, "cpuset"), error))
		return;
	r->next++;
}

static void end(GMarkupParseContext *c, const char *element, gpointer user, GError **error)
{
	struct reader *r = user;

	(void)c;
	(void)error;
	if (strcmp(element, "object") != 0)
		return;
	r->depth--;
	r->around[r->open[r->depth].domain] = r->outer[r->depth];
}

/* In version 2 a NUMA node stands beside its CPUs: its CPU set decides. The smallest
 * node that holds a CPU wins over wider memory. */
static void assign_nodes(struct reader *r)
{
	g_autofree uint32_t *width = g_new0(uint32_t, r->nodes->len + 1);

	for (uint32_t k = 0; k < r->nodes->len; k++)
		width[k] = sl_bits_count(g_array_index(r->nodes, struct node_set, k).words,
					 SL_BITS_WORDS(SL_TOPO_MAX_CPUS));
	for (uint32_t i = 0; i < r->b->rows->len; i++) {
		struct topo_row *row = &g_array_index(r->b->rows, struct topo_row, i);
		uint32_t best = UINT32_MAX;

		for (uint32_t k = 0; k < r->nodes->len; k++) {
			const struct node_set *n = &g_array_index(r->nodes, struct node_set, k);

			if (sl_bit_test(n->words, row->cpu) && width[k] < best) {
				best = width[k];
				row->domain[TOPO_NODE] = n->number;
			}
		}
	}
}

bool topo_read_hwloc(struct topo_build *b, GError **error)
{
	static const GMarkupParser parser = { .start_element = start, .end_element = end };
	struct reader r = { .b = b };
	bool ok;

	r.nodes = g_array_new(FALSE, FALSE, sizeof(struct node_set));
	for (int d = 0; d <= TOPO_DOMAINS; d++)
		r.around[d] = TOPO_UNKNOWN;
	ok = topo_markup(b, &parser, &r, error);
	if (ok && b->rows->len == 0) {
		sl_input_fail(b->in, 1, 1, error, "no PU object; expected one per CPU");
		ok = false;
	}
	if (ok) {
		assign_nodes(&r);
		if (!r.saw_cache)
			topo_build_private_caches(b);
		b->summary = g_strdup("hwloc XML");
	}
	for (uint32_t k = 0; k < r.nodes->len; k++)
		g_free(g_array_index(r.nodes, struct node_set, k).words);
	g_array_unref(r.nodes);
	return ok;
}
