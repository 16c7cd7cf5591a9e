/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Reader of FreeBSD's kern.sched.topology_spec. A group tells which CPUs share a cache
 * (cache-level), are threads of one core (flags HTT, SMT, THREAD) or one NUMA node (flag
 * NODE); nothing else is in there. Packages are not: each NODE group counts as a
 * package, a machine without such groups as one.
 * Invariant: owner[depth][cpu] names the only group of that depth that holds the CPU,
 * so siblings cannot overlap and a child cannot leave its parent. */
#include "topologies/topo_read.h"

#include <string.h>

#include "sim/base/bits.h"
#include "topologies/cpuset.h"

#define MOST_DEPTH 16

enum flag { HTT = 1, THREAD = 2, SMT = 4, NODE = 8 };

static const char *const flag_name[] = { "HTT", "THREAD", "SMT", "NODE" };

struct group {
	uint32_t cache_level, flags;
	uint32_t line, col;
	bool has_cpus, has_children;
};

struct reader {
	const struct sl_input *in;
	GArray *group;		     /* of struct group */
	uint32_t depth;		     /* open groups */
	uint32_t open[MOST_DEPTH];   /* their indexes */
	uint32_t *owner[MOST_DEPTH]; /* [SL_TOPO_MAX_CPUS]: group index + 1 */
	uint32_t n_roots;
	GString *list; /* text of the open <cpu>; NULL outside */
	char *mask;    /* its attributes */
	char *count;
};

static struct group *current(struct reader *r)
{
	return &g_array_index(r->group, struct group, r->open[r->depth - 1]);
}

static bool attr_number(GMarkupParseContext *c, struct reader *r, const char *element,
			const char *name, const char *text, uint32_t most, uint32_t *value,
			GError **error)
{
	guint64 v;

	if (text == NULL || !g_ascii_string_to_unsigned(text, 10, 0, most, &v, NULL)) {
		topo_markup_fail(c, r->in, error,
				 "<%s> with %s=\"%s\"; expected a number from 0 to %u", element,
				 name, text != NULL ? text : "", most);
		return false;
	}
	*value = (uint32_t)v;
	return true;
}

/* A cache of the same or a higher level cannot lie inside one. */
static bool check_level(GMarkupParseContext *c, struct reader *r, const struct group *g,
			GError **error)
{
	for (uint32_t d = 0; d < r->depth && g->cache_level > 0; d++) {
		uint32_t outer = g_array_index(r->group, struct group, r->open[d]).cache_level;

		if (outer > 0 && outer <= g->cache_level) {
			topo_markup_fail(c, r->in, error,
					 "a group of cache-level %u inside one of cache-level %u; "
					 "expected a smaller level",
					 g->cache_level, outer);
			return false;
		}
	}
	return true;
}

static void start_group(GMarkupParseContext *c, struct reader *r, const char **names,
			const char **values, GError **error)
{
	struct group g = { .cache_level = 0 };
	int line, col;
	uint32_t level;

	if (r->depth == MOST_DEPTH || (r->depth == 0 && r->n_roots++ > 0)) {
		topo_markup_fail(c, r->in, error,
				 r->depth == 0 ? "a second outermost group; expected one"
					       : "groups too deep; expected 16 levels at most");
		return;
	}
	if (!attr_number(c, r, "group", "level", topo_markup_attr(names, values, "level"),
			 UINT16_MAX, &level, error) ||
	    !attr_number(c, r, "group", "cache-level",
			 topo_markup_attr(names, values, "cache-level"), 3, &g.cache_level,
			 error) ||
	    !check_level(c, r, &g, error))
		return;
	if (level != r->depth + 1) {
		topo_markup_fail(c, r->in, error,
				 "a group of level %u at depth %u; expected level=\"%u\"", level,
				 r->depth + 1, r->depth + 1);
		return;
	}
	if (r->depth > 0) {
		if (!current(r)->has_cpus) {
			topo_markup_fail(
				c, r->in, error,
				"<children> before the CPUs of their group; expected <cpu>");
			return;
		}
		current(r)->has_children = true;
	}
	g_markup_parse_context_get_position(c, &line, &col);
	g.line = (uint32_t)line;
	g.col = (uint32_t)col;
	if (r->owner[r->depth] == NULL)
		r->owner[r->depth] = g_new0(uint32_t, SL_TOPO_MAX_CPUS);
	r->open[r->depth++] = r->group->len;
	g_array_append_val(r->group, g);
}

static void start_flag(GMarkupParseContext *c, struct reader *r, const char *name, GError **error)
{
	for (uint32_t i = 0; name != NULL && i < G_N_ELEMENTS(flag_name); i++)
		if (strcmp(name, flag_name[i]) == 0) {
			current(r)->flags |= 1u << i;
			return;
		}
	topo_markup_fail(c, r->in, error, "unknown flag '%s'; expected HTT, THREAD, SMT or NODE",
			 name != NULL ? name : "");
}

static void start(GMarkupParseContext *c, const char *element, const char **names,
		  const char **values, gpointer user, GError **error)
{
	/* Which element may stand in which. */
	static const char *const child_of[][2] = { { "group", "groups" },   { "group", "children" },
						   { "cpu", "group" },	    { "flags", "group" },
						   { "children", "group" }, { "flag", "flags" } };
	const GSList *stack = g_markup_parse_context_get_element_stack(c);
	const char *parent = stack->next != NULL ? stack->next->data : NULL;
	struct reader *r = user;
	bool fits = parent == NULL && strcmp(element, "groups") == 0;

	for (size_t i = 0; parent != NULL && i < G_N_ELEMENTS(child_of); i++)
		fits = fits || (strcmp(element, child_of[i][0]) == 0 &&
				strcmp(parent, child_of[i][1]) == 0);
	if (!fits) {
		topo_markup_fail(c, r->in, error,
				 "<%s> is out of place; expected groups > group > cpu, flags > "
				 "flag, children > group",
				 element);
	} else if (!topo_markup_once(c, r->in, names, error)) {
		/* said already */
	} else if (strcmp(element, "group") == 0) {
		start_group(c, r, names, values, error);
	} else if (strcmp(element, "flag") == 0) {
		start_flag(c, r, topo_markup_attr(names, values, "name"), error);
	} else if (strcmp(element, "cpu") == 0) {
		r->list = g_string_new(NULL);
		r->mask = g_strdup(topo_markup_attr(names, values, "mask"));
		r->count = g_strdup(topo_markup_attr(names, values, "count"));
	}
}

/* Mask words, least significant first, of `bits` bits each; false when the text is not
 * one or names a CPU beyond the limit. */
static bool read_mask(const char *text, uint32_t bits, uint64_t *set)
{
	uint32_t base = 0;

	memset(set, 0, SL_BITS_WORDS(SL_TOPO_MAX_CPUS) * sizeof(*set));
	for (const char *at = text;; at++, base += bits) {
		guint64 v;
		char *end;

		if (!g_ascii_isxdigit(*at))
			return false;
		v = g_ascii_strtoull(at, &end, 16);
		if (end - at > 18 || (bits < 64 && v >> bits != 0) ||
		    (v != 0 && base >= SL_TOPO_MAX_CPUS))
			return false;
		if (v != 0)
			set[base / 64] |= v << (base % 64);
		at = end;
		if (*at == '\0')
			return true;
		if (*at != ',' || base > 16 * SL_TOPO_MAX_CPUS)
			return false;
		while (g_ascii_isspace(at[1]))
			at++;
	}
}

/* Compares the mask with the list; words are 64 bits wide on 64-bit kernels, 32 on
 * others. */
static bool check_mask(GMarkupParseContext *c, struct reader *r, const uint64_t *set,
		       GError **error)
{
	uint32_t words = SL_BITS_WORDS(SL_TOPO_MAX_CPUS), i = 0;
	g_autofree uint64_t *mask = g_new(uint64_t, words);

	if (read_mask(r->mask, 32, mask) && sl_bits_equal(mask, set, words))
		return true;
	if (!read_mask(r->mask, 64, mask)) {
		topo_markup_fail(c, r->in, error,
				 "mask=\"%.40s\" is no mask; expected hexadecimal words separated "
				 "by commas, for CPUs below %d",
				 r->mask, SL_TOPO_MAX_CPUS);
		return false;
	}
	if (sl_bits_equal(mask, set, words))
		return true;
	while (sl_bit_test(mask, i) == sl_bit_test(set, i))
		i++;
	topo_markup_fail(c, r->in, error,
			 "the mask %s CPU %u and the list of CPUs %s; expected them to agree",
			 sl_bit_test(mask, i) ? "has" : "lacks", i,
			 sl_bit_test(set, i) ? "has it" : "does not");
	return false;
}

/* Gives the CPUs of the open group to it. */
static bool claim(GMarkupParseContext *c, struct reader *r, const uint64_t *set, GError **error)
{
	uint32_t words = SL_BITS_WORDS(SL_TOPO_MAX_CPUS), d = r->depth - 1;

	for (uint32_t i = sl_bits_next(set, words, 0); i < SL_TOPO_MAX_CPUS;
	     i = sl_bits_next(set, words, i + 1)) {
		if (d > 0 && r->owner[d - 1][i] != r->open[d - 1] + 1) {
			topo_markup_fail(c, r->in, error,
					 "CPU %u is not in the group around this one; expected "
					 "groups to nest",
					 i);
			return false;
		}
		if (r->owner[d][i] != 0) {
			topo_markup_fail(c, r->in, error,
					 "CPU %u is in two groups side by side; expected it in one",
					 i);
			return false;
		}
		r->owner[d][i] = r->open[d] + 1;
	}
	return true;
}

static void end_cpu(GMarkupParseContext *c, struct reader *r, GError **error)
{
	uint32_t words = SL_BITS_WORDS(SL_TOPO_MAX_CPUS), n;
	g_autofree uint64_t *set = g_new(uint64_t, words);
	struct sl_cpuset_fault fault;

	if (current(r)->has_cpus) {
		topo_markup_fail(c, r->in, error, "a second <cpu> in one group; expected one");
		return;
	}
	if (!sl_cpuset_scan(r->list->str, r->list->len, SL_TOPO_MAX_CPUS, set, &fault)) {
		topo_markup_fail(c, r->in, error, "list of CPUs: %s", fault.why);
		return;
	}
	if (r->mask != NULL && !check_mask(c, r, set, error))
		return;
	if (r->count != NULL) {
		if (!attr_number(c, r, "cpu", "count", r->count, SL_TOPO_MAX_CPUS, &n, error))
			return;
		if (n != sl_bits_count(set, words)) {
			topo_markup_fail(c, r->in, error,
					 "count=\"%u\" but %u CPUs are listed; expected them to "
					 "agree",
					 n, sl_bits_count(set, words));
			return;
		}
	}
	current(r)->has_cpus = claim(c, r, set, error);
}

static void end_group(GMarkupParseContext *c, struct reader *r, GError **error)
{
	const struct group *g = current(r);

	if (!g->has_cpus && r->depth > 1) {
		topo_markup_fail(c, r->in, error, "a group without CPUs; expected <cpu>");
		return;
	}
	if (g->cache_level == 0 && r->depth > 1 && (g->flags & (HTT | SMT | THREAD | NODE)) == 0) {
		topo_markup_fail(c, r->in, error,
				 "an inner group that says nothing; expected a cache-level or a "
				 "flag");
		return;
	}
	r->depth--;
}

static void clear_cpu(struct reader *r)
{
	if (r->list != NULL)
		g_string_free(r->list, TRUE);
	r->list = NULL;
	g_clear_pointer(&r->mask, g_free);
	g_clear_pointer(&r->count, g_free);
}

static void end(GMarkupParseContext *c, const char *element, gpointer user, GError **error)
{
	struct reader *r = user;

	if (strcmp(element, "cpu") == 0) {
		end_cpu(c, r, error);
		clear_cpu(r);
	} else if (strcmp(element, "group") == 0) {
		end_group(c, r, error);
	}
}

static void text(GMarkupParseContext *c, const char *t, gsize len, gpointer user, GError **error)
{
	struct reader *r = user;
	const GSList *stack = g_markup_parse_context_get_element_stack(c);
	bool in_flag = stack != NULL && strcmp(stack->data, "flag") == 0;

	if (r->list != NULL) {
		g_string_append_len(r->list, t, (gssize)len);
		return;
	}
	for (gsize i = 0; i < len && !in_flag; i++)
		if (!g_ascii_isspace(t[i])) {
			topo_markup_fail(c, r->in, error, "stray text; expected <group>");
			return;
		}
}

/* What the groups around CPU i say about it. */
static void describe(const struct reader *r, struct topo_build *b, uint32_t i)
{
	struct topo_row *row = topo_build_add(b, i, 1, 1);

	for (uint32_t d = 0; d < MOST_DEPTH && r->owner[d] != NULL && r->owner[d][i] != 0; d++) {
		uint32_t id = r->owner[d][i] - 1;
		const struct group *g = &g_array_index(r->group, struct group, id);

		row->line = g->line;
		row->col = g->col;
		if (g->cache_level > 0)
			row->domain[g->cache_level == 3	  ? TOPO_L3
				    : g->cache_level == 2 ? TOPO_L2
							  : TOPO_L1] = id;
		if (g->flags & NODE)
			row->domain[TOPO_NODE] = row->domain[TOPO_PACKAGE] = id;
		if (g->flags & (HTT | SMT | THREAD)) {
			row->domain[TOPO_CORE] = id;
			/* Threads of one core have one L1, listed or not. */
			row->domain[TOPO_L1] = id;
		}
	}
}

bool topo_read_freebsd(struct topo_build *b, GError **error)
{
	static const GMarkupParser parser = { .start_element = start,
					      .end_element = end,
					      .text = text };
	struct reader r = { .in = b->in };
	bool ok;

	r.group = g_array_new(FALSE, FALSE, sizeof(struct group));
	ok = topo_markup(b, &parser, &r, error);
	if (ok && r.group->len == 0) {
		sl_input_fail(b->in, 1, 1, error, "<groups> is empty; expected <group>");
		ok = false;
	} else if (ok && !g_array_index(r.group, struct group, 0).has_cpus) {
		topo_build_add(b, 0, 1, 1);
		b->uniprocessor = b->caches_unknown = true;
		b->summary = g_strdup("FreeBSD topology_spec of a uniprocessor kernel");
	} else if (ok) {
		for (uint32_t i = 0; i < SL_TOPO_MAX_CPUS; i++)
			if (r.owner[0][i] != 0)
				describe(&r, b, i);
		b->caches_unknown = r.group->len == 1 &&
				    g_array_index(r.group, struct group, 0).cache_level == 0;
		b->summary = g_strdup("FreeBSD topology_spec");
	}
	clear_cpu(&r);
	for (uint32_t d = 0; d < MOST_DEPTH; d++)
		g_free(r.owner[d]);
	g_array_unref(r.group);
	return ok;
}
