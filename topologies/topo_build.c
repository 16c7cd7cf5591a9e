/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Invariant: a topology that leaves this file keeps the promises of sim/core/topo.h:
 * dense ids, domains that nest, at most SL_TOPO_MAX_CPUS CPUs. */
#include "topologies/topo_build.h"

#include <string.h>

#include "topologies/cpuset.h"

#include "sim/base/bits.h"

static const char *const domain_name[TOPO_DOMAINS] = { "package", "NUMA node", "L3",
						       "L2",	  "L1",	       "core" };

/* The frozen result with what it owns. */
struct loaded {
	struct sl_topo pub; /* first: freed through it */
	char *name, *summary, *costs;
	struct sl_topo_cpu *cpu;
};

void topo_build_init(struct topo_build *b, const struct sl_input *in)
{
	*b = (struct topo_build){ .in = in };
	b->rows = g_array_new(FALSE, FALSE, sizeof(struct topo_row));
}

void topo_build_clear(struct topo_build *b)
{
	g_clear_pointer(&b->rows, g_array_unref);
	g_clear_pointer(&b->name, g_free);
	g_clear_pointer(&b->summary, g_free);
	g_clear_pointer(&b->costs, g_free);
}

struct topo_row *topo_build_add(struct topo_build *b, uint32_t cpu, uint32_t line, uint32_t col)
{
	struct topo_row row = { .cpu = cpu, .line = line, .col = col, .speed_permille = 1000 };

	for (int d = 0; d < TOPO_DOMAINS; d++)
		row.domain[d] = TOPO_UNKNOWN;
	/* One CPU too many is as bad as a million: memory stays bounded. */
	if (b->rows->len > SL_TOPO_MAX_CPUS)
		g_array_set_size(b->rows, SL_TOPO_MAX_CPUS);
	g_array_append_val(b->rows, row);
	return &g_array_index(b->rows, struct topo_row, b->rows->len - 1);
}

void topo_build_private_caches(struct topo_build *b)
{
	b->caches_unknown = true;
	for (uint32_t i = 0; i < b->rows->len; i++) {
		int64_t *d = g_array_index(b->rows, struct topo_row, i).domain;

		d[TOPO_L1] = d[TOPO_L2] = d[TOPO_CORE];
		b->caches_unknown = b->caches_unknown && d[TOPO_CORE] == TOPO_UNKNOWN;
	}
}

static int by_cpu(gconstpointer a, gconstpointer b)
{
	const struct topo_row *x = a, *y = b;

	if (x->cpu != y->cpu)
		return x->cpu < y->cpu ? -1 : 1;
	return x->line != y->line ? (x->line < y->line ? -1 : 1) : 0;
}

static const struct topo_row *row_at(const struct topo_build *b, uint32_t i)
{
	return &g_array_index(b->rows, struct topo_row, i);
}

static bool check_rows(struct topo_build *b, GError **error)
{
	if (b->rows->len == 0) {
		sl_input_fail(b->in, 1, 1, error, "no CPU; expected 1 to %d", SL_TOPO_MAX_CPUS);
		return false;
	}
	if (b->rows->len > SL_TOPO_MAX_CPUS) {
		const struct topo_row *r = row_at(b, SL_TOPO_MAX_CPUS);

		sl_input_fail(b->in, r->line, r->col, error, "too many CPUs; expected 1 to %d",
			      SL_TOPO_MAX_CPUS);
		return false;
	}
	g_array_sort(b->rows, by_cpu);
	for (uint32_t i = 0; i < b->rows->len; i++) {
		const struct topo_row *r = row_at(b, i);

		if (i > 0 && r->cpu == row_at(b, i - 1)->cpu) {
			sl_input_fail(b->in, r->line, r->col, error,
				      "CPU %u is listed twice, first on line %u; expected each "
				      "CPU once",
				      r->cpu, row_at(b, i - 1)->line);
			return false;
		}
		if (r->speed_permille < 1 || r->speed_permille > 10000) {
			sl_input_fail(b->in, r->line, r->col, error,
				      "CPU %u runs at %u permille of nominal speed; expected 1 to "
				      "10000",
				      r->cpu, r->speed_permille);
			return false;
		}
	}
	return true;
}

/* Renumbers one kind of domain by first CPU into dense[]. */
static void number_domain(const struct topo_build *b, enum topo_domain d, uint16_t *dense)
{
	g_autoptr(GHashTable) ids = g_hash_table_new(g_int64_hash, g_int64_equal);
	uint32_t next = 0;

	for (uint32_t i = 0; i < b->rows->len; i++) {
		const int64_t *key = &row_at(b, i)->domain[d];
		void *known;

		if (*key == TOPO_UNKNOWN && d >= TOPO_L3) {
			dense[i] = d == TOPO_CORE ? (uint16_t)next++ : SL_TOPO_NONE;
			continue;
		}
		if (!g_hash_table_lookup_extended(ids, key, NULL, &known)) {
			known = GUINT_TO_POINTER(next++);
			g_hash_table_insert(ids, (void *)(uintptr_t)key, known);
		}
		dense[i] = (uint16_t)GPOINTER_TO_UINT(known);
	}
}

static bool nest_fault(const struct topo_build *b, uint32_t i, uint32_t other, enum topo_domain in,
		       enum topo_domain out, GError **error)
{
	const struct topo_row *r = row_at(b, i);

	sl_input_fail(b->in, r->line, r->col, error,
		      "CPU %u shares the %s of CPU %u but not its %s; expected every %s inside one "
		      "%s",
		      r->cpu, domain_name[in], row_at(b, other)->cpu, domain_name[out],
		      domain_name[in], domain_name[out]);
	return false;
}

/* first[id] = first CPU of each domain. */
static void first_of(const uint16_t *dense, uint32_t n, uint32_t *first)
{
	for (uint32_t i = n; i-- > 0;)
		if (dense[i] != SL_TOPO_NONE)
			first[dense[i]] = i;
}

/* Each domain `in` must lie inside one domain `out`. */
static bool check_inside(const struct topo_build *b, uint16_t *const *dense, enum topo_domain in,
			 enum topo_domain out, GError **error)
{
	uint32_t n = b->rows->len;
	g_autofree uint32_t *first = g_new0(uint32_t, n);

	first_of(dense[in], n, first);
	for (uint32_t i = 0; i < n; i++) {
		uint16_t id = dense[in][i];

		if (id != SL_TOPO_NONE && dense[out][i] != dense[out][first[id]])
			return nest_fault(b, i, first[id], in, out, error);
	}
	return true;
}

/* A NUMA node may be part of a package or an L3, or hold several, but not overlap one
 * in part. */
static bool check_node(const struct topo_build *b, uint16_t *const *dense, enum topo_domain with,
		       GError **error)
{
	uint32_t n = b->rows->len;
	const uint16_t *node = dense[TOPO_NODE], *x = dense[with];
	g_autofree uint32_t *first = g_new0(uint32_t, n), *first_in = g_new0(uint32_t, n);
	g_autofree bool *spans = g_new0(bool, n);

	first_of(x, n, first);
	first_of(node, n, first_in);
	for (uint32_t i = 0; i < n; i++)
		if (x[i] != SL_TOPO_NONE && node[i] != node[first[x[i]]])
			spans[x[i]] = true;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t f = first_in[node[i]];

		if (x[i] != x[f] && ((x[i] != SL_TOPO_NONE && spans[x[i]]) ||
				     (x[f] != SL_TOPO_NONE && spans[x[f]])))
			return nest_fault(b, i, f, TOPO_NODE, with, error);
	}
	return true;
}

static bool check_nesting(const struct topo_build *b, uint16_t *const *dense, GError **error)
{
	static const struct {
		enum topo_domain in, out;
	} pair[] = {
		{ TOPO_CORE, TOPO_L1 },	     { TOPO_CORE, TOPO_L2 },	{ TOPO_CORE, TOPO_L3 },
		{ TOPO_L1, TOPO_L2 },	     { TOPO_L1, TOPO_L3 },	{ TOPO_L2, TOPO_L3 },
		{ TOPO_CORE, TOPO_PACKAGE }, { TOPO_L1, TOPO_PACKAGE }, { TOPO_L2, TOPO_PACKAGE },
		{ TOPO_L3, TOPO_PACKAGE },   { TOPO_CORE, TOPO_NODE },
	};

	for (size_t i = 0; i < G_N_ELEMENTS(pair); i++)
		if (!check_inside(b, dense, pair[i].in, pair[i].out, error))
			return false;
	return check_node(b, dense, TOPO_PACKAGE, error) && check_node(b, dense, TOPO_L3, error);
}

/* " (CPU ids renumbered, were 0,2,4)" when the source's numbers have gaps. */
static char *renumbered(const struct topo_build *b)
{
	uint32_t n = b->rows->len, last = row_at(b, n - 1)->cpu;
	g_autofree uint64_t *set = NULL;
	g_autofree char *list = NULL;

	if (last == n - 1)
		return g_strdup("");
	if (last >= 1u << 20)
		return g_strdup_printf(" (CPU ids renumbered, were %u to %u with gaps)",
				       row_at(b, 0)->cpu, last);
	set = g_new0(uint64_t, SL_BITS_WORDS(last + 1));
	for (uint32_t i = 0; i < n; i++)
		sl_bit_set(set, row_at(b, i)->cpu);
	list = sl_cpuset_print(set, last + 1);
	return g_strdup_printf(" (CPU ids renumbered, were %s)", list);
}

static struct sl_topo *freeze(struct topo_build *b, uint16_t *const *dense)
{
	struct loaded *l = g_new0(struct loaded, 1);
	uint32_t n = b->rows->len;
	g_autofree uint16_t *threads = g_new0(uint16_t, n);
	g_autofree char *note = renumbered(b);

	l->cpu = g_new0(struct sl_topo_cpu, n);
	for (uint32_t i = 0; i < n; i++)
		l->cpu[i] = (struct sl_topo_cpu){
			.package = dense[TOPO_PACKAGE][i],
			.node = dense[TOPO_NODE][i],
			.core = dense[TOPO_CORE][i],
			.thread = threads[dense[TOPO_CORE][i]]++,
			.l1 = dense[TOPO_L1][i],
			.l2 = dense[TOPO_L2][i],
			.l3 = dense[TOPO_L3][i],
			.speed_permille = (uint16_t)row_at(b, i)->speed_permille,
		};
	l->name = b->name != NULL ? g_strdup(b->name) : g_path_get_basename(b->in->name);
	l->summary = g_strconcat(b->summary != NULL ? b->summary : "", note, NULL);
	l->costs = g_strdup(b->costs != NULL ? b->costs : "default");
	l->pub = (struct sl_topo){
		.name = l->name,
		.summary = l->summary,
		.ncpus = n,
		.uniprocessor = b->uniprocessor,
		.caches_unknown = b->caches_unknown,
		.cpu = l->cpu,
	};
	return &l->pub;
}

struct sl_topo *topo_build_finish(struct topo_build *b, GError **error)
{
	uint16_t *dense[TOPO_DOMAINS] = { NULL };
	struct sl_topo *t = NULL;

	if (check_rows(b, error)) {
		for (int d = 0; d < TOPO_DOMAINS; d++) {
			dense[d] = g_new0(uint16_t, b->rows->len);
			number_domain(b, (enum topo_domain)d, dense[d]);
		}
		if (check_nesting(b, dense, error))
			t = freeze(b, dense);
	}
	for (int d = 0; d < TOPO_DOMAINS; d++)
		g_free(dense[d]);
	topo_build_clear(b);
	return t;
}

const char *topo_build_costs(const struct sl_topo *t)
{
	return ((const struct loaded *)(const void *)t)->costs;
}

void topo_build_free(struct sl_topo *t)
{
	struct loaded *l = (struct loaded *)(void *)t;

	if (l == NULL)
		return;
	g_free(l->name);
	g_free(l->summary);
	g_free(l->costs);
	g_free(l->cpu);
	g_free(l);
}
