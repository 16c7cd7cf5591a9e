/* SPDX-License-Identifier: BSD-2-Clause */
#include "topologies/costs_load.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "topologies/input.h"
#include "topologies/topo_load.h"

static void bad(const char *text, const char *want)
{
	g_autoptr(GError) error = NULL;

	assert_null(sl_costs_parse("f", text, strlen(text), &error));
	assert_string_equal(error->message, want);
}

static void ideal_machine(void **state)
{
	struct sl_costs *c = sl_costs_load("none", NULL), zero = { .name = "none" };

	(void)state;
	assert_non_null(c);
	assert_string_equal(c->name, "none");
	zero.name = c->name;
	assert_memory_equal(c, &zero, sizeof(zero));
	sl_costs_free(c);
}

/* Nearer is never dearer, every machine with siblings slows them, and all switches
 * cost something. */
static void embedded(void **state)
{
	g_autoptr(GPtrArray) list = sl_costs_list();

	(void)state;
	assert_int_equal(list->len, 7);
	for (guint i = 0; i < list->len; i++) {
		const struct sl_named *n = g_ptr_array_index(list, i);
		struct sl_costs *c = sl_costs_load(n->name, NULL);

		assert_non_null(c);
		assert_string_equal(c->name, n->name);
		assert_true(strlen(n->summary) > 10);
		for (int d = SL_SHARED_CORE; d < SL_SHARED_NOTHING; d++)
			assert_true(c->refill_ns_per_kib[d] <= c->refill_ns_per_kib[d + 1]);
		if (strcmp(n->name, "none") != 0) {
			assert_in_range(c->switch_ns, 1000, 3000);
			assert_true(c->evict_us > 0 && c->footprint_kib > 0);
			assert_in_range(c->noise_permille, 0, 10);
			/* Two threads do more than one, but less than two. */
			if (c->smt_permille[1] != 0)
				assert_in_range(c->smt_permille[1], 501, 999);
		}
		sl_costs_free(c);
	}
}

/* A switch with its wake-up: half of a 5.86 us ping-pong. */
static void ping_pong(void **state)
{
	struct sl_costs *c = sl_costs_load("default", NULL);

	(void)state;
	assert_int_equal(c->switch_ns + c->wake_ns, 2900);
	sl_costs_free(c);
}

static void machines_have_overlays(void **state)
{
	g_autoptr(GPtrArray) list = sl_topo_list();

	(void)state;
	for (guint i = 0; i < list->len; i++) {
		const struct sl_named *n = g_ptr_array_index(list, i);
		struct sl_topo *t = sl_topo_load(n->name, NULL);
		struct sl_costs *c = sl_costs_load(sl_topo_costs(t), NULL);

		assert_non_null(c);
		/* Hardware threads slow each other on every machine that has them. */
		for (uint32_t k = 0; k < t->ncpus; k++)
			assert_true(t->cpu[k].thread == 0 || c->smt_permille[1] < 1000);
		sl_costs_free(c);
		sl_topo_free(t);
	}
}

static void file(void **state)
{
	static const char text[] =
		"[costs]\nname=mine\nbase=zen2\nswitch_ns=7\n"
		"smt_permille=700;500;300\nrefill_remote=900\nnoise_permille=5\n";
	struct sl_costs *c = sl_costs_parse("f", text, strlen(text), NULL);

	(void)state;
	assert_non_null(c);
	assert_string_equal(c->name, "mine");
	assert_int_equal(c->switch_ns, 7);
	assert_int_equal(c->wake_ns, 700); /* of zen2 */
	assert_int_equal(c->smt_permille[0], 1000);
	assert_int_equal(c->smt_permille[1], 700);
	assert_int_equal(c->smt_permille[3], 300);
	assert_int_equal(c->smt_permille[7], 300);
	assert_int_equal(c->refill_ns_per_kib[SL_SHARED_NOTHING], 900);
	assert_int_equal(c->noise_permille, 5);
	sl_costs_free(c);
}

static void refusals(void **state)
{
	g_autoptr(GError) error = NULL;

	(void)state;
	bad("", "f:1:1: expected the group [costs]");
	bad("switch_ns=1\n", "f:1:1: expected the group [costs] first");
	bad("[costs]\n[costs]\n", "f:2:1: group [costs] again; expected it once");
	bad("[costs]\nswich_ns=1\n",
	    "f:2:1: unknown key 'swich_ns' (did you mean 'switch_ns'?); expected one of name, "
	    "summary, base, switch_ns, wake_ns, tick_ns, ipi_ns, idle_exit_ns, syscall_ns, "
	    "smt_permille, refill_core, refill_l2, refill_l3, refill_package, refill_node, "
	    "refill_remote, footprint_kib, evict_us, noise_permille");
	bad("[costs]\nswitch_ns=2us\n",
	    "f:2:11: switch_ns=2us; expected a whole number of ns from 0 to 1000000000");
	bad("[costs]\nswitch_ns=-1\n",
	    "f:2:11: switch_ns=-1; expected a whole number of ns from 0 to 1000000000");
	bad("[costs]\nswitch_ns=\n",
	    "f:2:11: switch_ns=; expected a whole number of ns from 0 to 1000000000");
	bad("[costs]\nsmt_permille=700;0\n",
	    "f:2:18: smt_permille=0; expected a whole number of 1/1000 from 1 to 1000");
	bad("[costs]\nsmt_permille=9;8;7;6;5;4;3;2\n", "f:2:28: more than 7 values");
	bad("[costs]\nbase=zen3\n",
	    "f:2:6: unknown overlay 'zen3' (did you mean 'zen2'?); expected "
	    "one of `list costs`");
	assert_null(sl_costs_load("nome", &error));
	assert_string_equal(error->message,
			    "costs:1:1: no overlay and no file 'nome' (did you mean "
			    "'none'?); expected a file or one of `list costs`");
}

/* Each key is listed with its value and where it comes from. */
static void table(void **state)
{
	g_autofree char *text = sl_costs_table();

	(void)state;
	assert_non_null(strstr(text, "  none           Nothing costs anything"));
	assert_non_null(strstr(text, "  switch_ns        1900 ns      context switch"));
	assert_non_null(strstr(text, "  smt_permille      625 1/1000  speed of a thread"));
	assert_non_null(strstr(text, "Published: 5.86 us per pipe ping-pong"));
	assert_null(strstr(text, "base"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ideal_machine), cmocka_unit_test(embedded),
		cmocka_unit_test(ping_pong),	 cmocka_unit_test(machines_have_overlays),
		cmocka_unit_test(file),		 cmocka_unit_test(refusals),
		cmocka_unit_test(table),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
