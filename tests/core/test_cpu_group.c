/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Trees of CPU groups against the published tables. A tree is written as a line, one
 * group after the other in depth-first order: "level(first-last:count flags)" with its
 * children in [ ]; equal siblings are not folded. */
#include "sim/core/topo.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sim/base/bits.h"

#define MOST 512

static struct sl_topo_cpu cpus[MOST];

/* P packages of C cores of T threads; private L1 and L2, L3 per package where
 * has_l3. The old Xeons without L3 have one core per package. */
static struct sl_topo machine(uint32_t p, uint32_t c, uint32_t t, bool has_l3)
{
	struct sl_topo topo = { .name = "m", .ncpus = p * c * t, .cpu = cpus };

	assert_true(topo.ncpus <= MOST);
	for (uint32_t i = 0; i < topo.ncpus; i++) {
		uint16_t core = (uint16_t)(i / t), package = (uint16_t)(i / (c * t));

		cpus[i] = (struct sl_topo_cpu){ .package = package,
						.core = core,
						.thread = (uint16_t)(i % t),
						.l1 = core,
						.l2 = core,
						.l3 = has_l3 ? package : SL_TOPO_NONE,
						.speed_permille = 1000 };
	}
	return topo;
}

static struct sl_topo q6600(void)
{
	struct sl_topo t = machine(1, 4, 1, false);

	for (uint16_t i = 0; i < 4; i++)
		cpus[i].l2 = i / 2;
	return t;
}

static struct sl_topo flat(uint32_t n)
{
	struct sl_topo t = machine(1, n, 1, false);

	t.caches_unknown = true;
	return t;
}

/* Writes g and what is below it; returns the end of the text. */
static char *write_group(char *at, const struct sl_cpu_group *g)
{
	static const char *const level[] = { "N", "L1", "L2", "L3" };

	at += sprintf(at, "%s(%u-%u:%u", level[g->level], g->first, g->last, g->count);
	if (g->flags & SL_CG_HTT)
		at += sprintf(at, " HTT");
	if (g->flags & SL_CG_SMT)
		at += sprintf(at, " SMT");
	if (g->flags & SL_CG_NODE)
		at += sprintf(at, " NODE");
	at += sprintf(at, ")");
	for (uint32_t i = 0; i < g->nchildren; i++) {
		at += sprintf(at, "%s", i == 0 ? "[" : " ");
		at = write_group(at, &g->child[i]);
	}
	if (g->nchildren > 0)
		at += sprintf(at, "]");
	return at;
}

/* The module's invariants, on any tree. */
static void check_tree(const struct sl_topo *t, const struct sl_cpu_tree *tr)
{
	uint32_t next_child = 1;

	assert_int_equal(tr->mask_words, SL_BITS_WORDS(t->ncpus));
	assert_ptr_equal(tr->top, tr->group);
	assert_null(tr->top->parent);
	assert_int_equal(tr->top->count, t->ncpus);
	for (uint32_t i = 0; i < tr->ngroups; i++) {
		const struct sl_cpu_group *g = &tr->group[i];
		uint32_t sum = 0, before = 0;

		assert_int_equal(g->id, i);
		assert_int_equal(sl_bits_count(g->mask, tr->mask_words), g->count);
		assert_int_equal(sl_bits_next(g->mask, tr->mask_words, 0), g->first);
		assert_true(sl_bit_test(g->mask, g->last));
		assert_int_equal(sl_bits_next(g->mask, tr->mask_words, g->last + 1),
				 tr->mask_words * 64);
		for (uint32_t c = 0; c < g->nchildren; c++) {
			assert_ptr_equal(&g->child[c], &tr->group[next_child++]);
			assert_ptr_equal(g->child[c].parent, g);
			assert_true(c == 0 || g->child[c].first > before);
			before = g->child[c].first;
			sum += g->child[c].count;
			for (uint32_t w = 0; w < tr->mask_words; w++)
				assert_true((g->child[c].mask[w] & ~g->mask[w]) == 0);
		}
		assert_true(g->nchildren == 0 || sum == g->count);
	}
	assert_int_equal(next_child, tr->ngroups);
	for (uint32_t i = 0; i < t->ncpus; i++) {
		assert_int_equal(tr->leaf[i]->nchildren, 0);
		assert_true(sl_bit_test(tr->leaf[i]->mask, i));
	}
}

static void expect(struct sl_topo t, enum sl_cg_rule rule, const char *want)
{
	struct sl_cpu_tree *tr = sl_cpu_tree_new(&t, rule);
	char got[4096];

	assert_non_null(tr);
	check_tree(&t, tr);
	write_group(got, tr->top);
	assert_string_equal(got, want);
	sl_cpu_tree_free(tr);
}

static void cache_rule(void **state)
{
	(void)state;
	expect(machine(1, 6, 2, true), SL_CG_RULE_CACHE,
	       "N(0-11:12)[L3(0-11:12)[L2(0-1:2 SMT) L2(2-3:2 SMT) L2(4-5:2 SMT) "
	       "L2(6-7:2 SMT) L2(8-9:2 SMT) L2(10-11:2 SMT)]]");
	expect(machine(1, 6, 1, true), SL_CG_RULE_CACHE,
	       "N(0-5:6)[L3(0-5:6)[L2(0-0:1) L2(1-1:1) L2(2-2:1) L2(3-3:1) L2(4-4:1) L2(5-5:1)]]");
	expect(q6600(), SL_CG_RULE_CACHE,
	       "N(0-3:4)[L2(0-1:2)[L1(0-0:1) L1(1-1:1)] L2(2-3:2)[L1(2-2:1) L1(3-3:1)]]");
	expect(machine(2, 1, 2, false), SL_CG_RULE_CACHE, "N(0-3:4)[L2(0-1:2 SMT) L2(2-3:2 SMT)]");
	expect(machine(2, 1, 1, false), SL_CG_RULE_CACHE, "N(0-1:2)[L2(0-0:1) L2(1-1:1)]");
	expect(flat(4), SL_CG_RULE_CACHE, "N(0-3:4)");
}

static void cache_rule_x7560(void **state)
{
	struct sl_topo t = machine(4, 8, 2, true);
	struct sl_cpu_tree *tr = sl_cpu_tree_new(&t, SL_CG_RULE_CACHE);

	(void)state;
	check_tree(&t, tr);
	assert_int_equal(tr->ngroups, 1 + 4 + 32);
	for (uint32_t p = 0; p < 4; p++) {
		const struct sl_cpu_group *g = &tr->top->child[p];

		assert_int_equal(g->level, SL_CG_L3);
		assert_int_equal(g->count, 16);
		assert_int_equal(g->first, 16 * p);
		assert_int_equal(g->flags, 0);
		assert_int_equal(g->nchildren, 8);
	}
	for (uint32_t i = 0; i < 64; i++) {
		assert_int_equal(tr->leaf[i]->level, SL_CG_L2);
		assert_int_equal(tr->leaf[i]->flags, SL_CG_SMT);
		assert_int_equal(tr->leaf[i]->first, i & ~1u);
		assert_int_equal(tr->leaf[i]->count, 2);
	}
	sl_cpu_tree_free(tr);
}

static void collapsed_rule(void **state)
{
	struct sl_topo numa = machine(2, 2, 2, true);

	(void)state;
	for (uint32_t i = 0; i < 8; i++)
		cpus[i].node = (uint16_t)(i / 4);
	expect(numa, SL_CG_RULE_CACHE_COLLAPSED,
	       "N(0-7:8)[L3(0-3:4 NODE)[L2(0-1:2 SMT) L2(2-3:2 SMT)] "
	       "L3(4-7:4 NODE)[L2(4-5:2 SMT) L2(6-7:2 SMT)]]");
	expect(machine(1, 3, 2, true), SL_CG_RULE_CACHE_COLLAPSED,
	       "L3(0-5:6)[L2(0-1:2 SMT) L2(2-3:2 SMT) L2(4-5:2 SMT)]");
	expect(machine(2, 2, 1, true), SL_CG_RULE_CACHE_COLLAPSED,
	       "N(0-3:4)[L3(0-1:2)[L2(0-0:1) L2(1-1:1)] L3(2-3:2)[L2(2-2:1) L2(3-3:1)]]");
	expect(q6600(), SL_CG_RULE_CACHE_COLLAPSED,
	       "N(0-3:4)[L2(0-1:2)[L1(0-0:1) L1(1-1:1)] L2(2-3:2)[L1(2-2:1) L1(3-3:1)]]");
	expect(machine(1, 1, 2, false), SL_CG_RULE_CACHE_COLLAPSED, "L2(0-1:2 SMT)");
	expect(flat(2), SL_CG_RULE_CACHE_COLLAPSED, "N(0-1:2)");
}

static void uniform_rule(void **state)
{
	struct sl_topo uneven;

	(void)state;
	expect(machine(1, 6, 2, true), SL_CG_RULE_UNIFORM,
	       "N(0-11:12)[L2(0-11:12)[L1(0-1:2 SMT) L1(2-3:2 SMT) L1(4-5:2 SMT) "
	       "L1(6-7:2 SMT) L1(8-9:2 SMT) L1(10-11:2 SMT)]]");
	expect(machine(2, 2, 2, true), SL_CG_RULE_UNIFORM,
	       "N(0-7:8)[L2(0-3:4)[L1(0-1:2 SMT) L1(2-3:2 SMT)] "
	       "L2(4-7:4)[L1(4-5:2 SMT) L1(6-7:2 SMT)]]");
	expect(machine(1, 6, 1, true), SL_CG_RULE_UNIFORM, "N(0-5:6)[L2(0-5:6)]");
	expect(machine(4, 8, 1, true), SL_CG_RULE_UNIFORM,
	       "N(0-31:32)[L2(0-7:8) L2(8-15:8) L2(16-23:8) L2(24-31:8)]");
	expect(q6600(), SL_CG_RULE_UNIFORM, "N(0-3:4)[L2(0-3:4)]");
	expect(machine(2, 1, 2, false), SL_CG_RULE_UNIFORM,
	       "N(0-3:4)[L1(0-1:2 HTT) L1(2-3:2 HTT)]");
	expect(machine(2, 1, 1, false), SL_CG_RULE_UNIFORM, "N(0-1:2)[L2(0-0:1) L2(1-1:1)]");
	expect(flat(4), SL_CG_RULE_UNIFORM, "N(0-3:4)");
	uneven = machine(2, 2, 1, true);
	cpus[3].package = 0;
	expect(uneven, SL_CG_RULE_UNIFORM, "N(0-3:4)");
}

static void uniform_8_rule(void **state)
{
	(void)state;
	expect(q6600(), SL_CG_RULE_UNIFORM_8, "N(0-3:4)[L2(0-3:4)]");
	expect(machine(2, 1, 2, false), SL_CG_RULE_UNIFORM_8,
	       "N(0-3:4)[L1(0-1:2 HTT) L1(2-3:2 HTT)]");
	expect(machine(2, 4, 1, true), SL_CG_RULE_UNIFORM_8, "N(0-7:8)[L2(0-3:4) L2(4-7:4)]");
	expect(machine(1, 3, 2, true), SL_CG_RULE_UNIFORM_8,
	       "N(0-5:6)[L2(0-5:6)[L1(0-1:2 HTT) L1(2-3:2 HTT) L1(4-5:2 HTT)]]");
	expect(flat(12), SL_CG_RULE_UNIFORM_8, "N(0-11:12)");
}

static void smt_pairs_rule(void **state)
{
	(void)state;
	expect(machine(2, 1, 2, false), SL_CG_RULE_SMT_PAIRS,
	       "N(0-3:4)[L1(0-1:2 HTT) L1(2-3:2 HTT)]");
	expect(q6600(), SL_CG_RULE_SMT_PAIRS, "N(0-3:4)[N(0-0:1) N(1-1:1) N(2-2:1) N(3-3:1)]");
	expect(flat(2), SL_CG_RULE_SMT_PAIRS, "N(0-1:2)[N(0-0:1) N(1-1:1)]");
	expect(machine(1, 2, 2, true), SL_CG_RULE_SMT_PAIRS,
	       "N(0-3:4)[L1(0-1:2 HTT) L1(2-3:2 HTT)]");
}

static void one_cpu_and_flat(void **state)
{
	struct sl_topo up = machine(1, 1, 1, true);

	(void)state;
	expect(machine(1, 2, 2, true), SL_CG_RULE_FLAT, "N(0-3:4)");
	expect(flat(1), SL_CG_RULE_CACHE, "N(0-0:1)");
	up.uniprocessor = true;
	for (int rule = SL_CG_RULE_CACHE; rule <= SL_CG_RULE_FLAT; rule++)
		expect(up, (enum sl_cg_rule)rule, "N(0-0:1)");
}

/* Siblings numbered as Linux does, 0 with 3: masks need not be runs of CPUs. */
static void scattered_ids(void **state)
{
	struct sl_topo t = machine(1, 3, 2, true);

	(void)state;
	for (uint16_t i = 0; i < 6; i++)
		cpus[i].core = cpus[i].l1 = cpus[i].l2 = i % 3;
	expect(t, SL_CG_RULE_CACHE,
	       "N(0-5:6)[L3(0-5:6)[L2(0-3:2 SMT) L2(1-4:2 SMT) L2(2-5:2 SMT)]]");
}

/* Some CPUs share an L2 below the L3, others have none: the rest stand alone. */
static void partly_covered(void **state)
{
	struct sl_topo t = machine(1, 4, 1, true);

	(void)state;
	cpus[0].l2 = cpus[1].l2 = 7;
	cpus[2].l2 = cpus[3].l2 = SL_TOPO_NONE;
	for (uint32_t i = 0; i < 4; i++)
		cpus[i].l1 = SL_TOPO_NONE;
	expect(t, SL_CG_RULE_CACHE, "N(0-3:4)[L3(0-3:4)[L2(0-1:2) L1(2-2:1) L1(3-3:1)]]");
}

/* Equal ids on different levels are different domains. */
static void equal_ids_on_two_levels(void **state)
{
	struct sl_topo t = machine(1, 4, 1, false);

	(void)state;
	for (uint16_t i = 0; i < 4; i++) {
		cpus[i].l2 = i < 2 ? 5 : SL_TOPO_NONE;
		cpus[i].l1 = i < 2 ? i : 5;
	}
	expect(t, SL_CG_RULE_CACHE, "N(0-3:4)[L2(0-1:2)[L1(0-0:1) L1(1-1:1)] L1(2-3:2)]");
}

static void large_machine(void **state)
{
	struct sl_topo_cpu *many = calloc(SL_TOPO_MAX_CPUS, sizeof(*many));
	struct sl_topo t = { .name = "large", .ncpus = SL_TOPO_MAX_CPUS, .cpu = many };
	struct sl_cpu_tree *tr;

	(void)state;
	assert_non_null(many);
	for (uint32_t i = 0; i < t.ncpus; i++) {
		many[i].core = many[i].l1 = many[i].l2 = (uint16_t)(i / 2);
		many[i].l3 = (uint16_t)(i / 16);
		many[i].package = many[i].node = (uint16_t)(i / 128);
	}
	tr = sl_cpu_tree_new(&t, SL_CG_RULE_CACHE_COLLAPSED);
	assert_non_null(tr);
	assert_int_equal(tr->ngroups, 1 + SL_TOPO_MAX_CPUS / 16 + SL_TOPO_MAX_CPUS / 2);
	check_tree(&t, tr);
	sl_cpu_tree_free(tr);
	free(many);
}

static void shared(void **state)
{
	struct sl_topo t = machine(4, 2, 2, true);

	(void)state;
	for (uint32_t i = 0; i < 16; i++)
		cpus[i].node = (uint16_t)(i / 8);
	assert_int_equal(sl_topo_shared(&t, 3, 3), SL_SHARED_CPU);
	assert_int_equal(sl_topo_shared(&t, 0, 1), SL_SHARED_CORE);
	assert_int_equal(sl_topo_shared(&t, 1, 2), SL_SHARED_L3);
	assert_int_equal(sl_topo_shared(&t, 0, 4), SL_SHARED_NODE);
	assert_int_equal(sl_topo_shared(&t, 0, 8), SL_SHARED_NOTHING);
	t = q6600();
	assert_int_equal(sl_topo_shared(&t, 2, 3), SL_SHARED_L2);
	assert_int_equal(sl_topo_shared(&t, 1, 2), SL_SHARED_PACKAGE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cache_rule),	    cmocka_unit_test(cache_rule_x7560),
		cmocka_unit_test(collapsed_rule),   cmocka_unit_test(uniform_rule),
		cmocka_unit_test(uniform_8_rule),   cmocka_unit_test(smt_pairs_rule),
		cmocka_unit_test(one_cpu_and_flat), cmocka_unit_test(scattered_ids),
		cmocka_unit_test(partly_covered),   cmocka_unit_test(equal_ids_on_two_levels),
		cmocka_unit_test(large_machine),    cmocka_unit_test(shared),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
