/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Text trees and FreeBSD's XML: what is written reads back as the same tree. */
#include "topologies/topo_draw.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "topologies/topo_load.h"

static struct sl_topo *load(const char *spec)
{
	g_autoptr(GError) error = NULL;
	struct sl_topo *t = sl_topo_load(spec, &error);

	if (t == NULL)
		fail_msg("%s: %s", spec, error->message);
	return t;
}

static void expect_drawing(const char *spec, enum sl_cg_rule rule, const char *want)
{
	struct sl_topo *t = load(spec);
	g_autofree char *got = sl_topo_draw(t, rule);

	assert_string_equal(got, want);
	sl_topo_free(t);
}

static void drawings(void **state)
{
	(void)state;
	expect_drawing("2x2x2", SL_CG_RULE_CACHE,
		       "2x2x2: 8 CPUs\n\n"
		       "Hardware\n"
		       "     1 NUMA node   0-7\n"
		       "     2 packages    0-3 4-7\n"
		       "     2 L3          0-3 4-7\n"
		       "     4 L2          0-1 2-3 4-5 6-7\n"
		       "     4 L1          0-1 2-3 4-5 6-7\n"
		       "     4 cores       0-1 2-3 4-5 6-7\n\n"
		       "Groups the scheduler sees (11.x, cache tree)\n"
		       "  NONE    8 CPUs 0-7\n"
		       "    L3      4 CPUs 0-3\n"
		       "      L2      2 CPUs 0-1      THREAD SMT\n"
		       "      L2      2 CPUs 2-3      THREAD SMT\n"
		       "    L3      4 CPUs 4-7\n"
		       "      L2      2 CPUs 4-5      THREAD SMT\n"
		       "      L2      2 CPUs 6-7      THREAD SMT\n");
	expect_drawing(
		"p4-xeon-htt", SL_CG_RULE_SMT_PAIRS,
		"p4-xeon-htt: 4 CPUs\n"
		"2 x Pentium 4 class Xeon with Hyper-Threading: 4 threads, L2 per package\n\n"
		"Hardware\n"
		"     1 NUMA node   0-3\n"
		"     2 packages    0-1 2-3\n"
		"     2 L2          0-1 2-3\n"
		"     2 L1          0-1 2-3\n"
		"     2 cores       0-1 2-3\n\n"
		"Groups the scheduler sees (up to 7.x, cores with hardware threads)\n"
		"  NONE    4 CPUs 0-3\n"
		"    L1      2 CPUs 0-1      HTT THREAD\n"
		"    L1      2 CPUs 2-3      HTT THREAD\n");
	expect_drawing("up", SL_CG_RULE_CACHE,
		       "up: 1 CPU\nOne CPU, uniprocessor kernel\n\n"
		       "Hardware\n"
		       "     1 NUMA node   0\n"
		       "     1 package     0\n"
		       "     1 core        0\n"
		       "  caches unknown to the kernel\n\n"
		       "Groups the scheduler sees (uniprocessor kernel, 11.x, cache tree)\n"
		       "  NONE    1 CPU  0\n");
}

static void speeds(void **state)
{
	static const char text[] = "[topology]\ncpus=4\nspeed=0,2:1000;1,3:600\n";
	struct sl_topo *t = sl_topo_parse("f", text, strlen(text), NULL);
	g_autofree char *got = sl_topo_draw(t, SL_CG_RULE_FLAT);

	(void)state;
	assert_non_null(strstr(got, "  speed 1000/1000  0,2\n  speed 600/1000  1,3\n"));
	sl_topo_free(t);
}

static void xml_layout(void **state)
{
	struct sl_topo *t = load("1x2x2");
	g_autofree char *got = sl_topo_to_xml(t, SL_CG_RULE_CACHE_COLLAPSED, 4);

	(void)state;
	assert_string_equal(got, "<groups>\n"
				 " <group level=\"1\" cache-level=\"3\">\n"
				 "  <cpu count=\"4\" mask=\"f,0,0,0\">0, 1, 2, 3</cpu>\n"
				 "  <children>\n"
				 "   <group level=\"2\" cache-level=\"2\">\n"
				 "    <cpu count=\"2\" mask=\"3,0,0,0\">0, 1</cpu>\n"
				 "    <flags><flag name=\"THREAD\">THREAD group</flag>"
				 "<flag name=\"SMT\">SMT group</flag></flags>\n"
				 "   </group>\n"
				 "   <group level=\"2\" cache-level=\"2\">\n"
				 "    <cpu count=\"2\" mask=\"c,0,0,0\">2, 3</cpu>\n"
				 "    <flags><flag name=\"THREAD\">THREAD group</flag>"
				 "<flag name=\"SMT\">SMT group</flag></flags>\n"
				 "   </group>\n"
				 "  </children>\n"
				 " </group>\n"
				 "</groups>\n");
	sl_topo_free(t);
}

/* spec -> XML -> topology -> XML. */
static void expect_round_trip(const char *spec, enum sl_cg_rule rule)
{
	struct sl_topo *t = load(spec), *again;
	g_autofree char *first = sl_topo_to_xml(t, rule, 0), *second = NULL;
	g_autoptr(GError) error = NULL;

	again = sl_topo_parse("xml", first, strlen(first), &error);
	if (again == NULL)
		fail_msg("%s: %s", spec, error->message);
	assert_int_equal(again->ncpus, t->ncpus);
	assert_int_equal(again->uniprocessor, t->uniprocessor);
	second = sl_topo_to_xml(again, rule, 0);
	assert_string_equal(first, second);
	sl_topo_free(t);
	sl_topo_free(again);
}

static void round_trips(void **state)
{
	static const char *const spec[] = {
		"e5-2420", "e5-2420-noht", "x7560",	"q6600",   "p4-xeon-htt", "p4-xeon",
		"i7-3770", "ryzen-3900x",  "xeon-2x10", "up",	   "flat:12",	  "4x8x1",
		"1x1x2",   "1x1x1",	   "8x16x2",	"16x32x2",
	};

	(void)state;
	for (size_t i = 0; i < G_N_ELEMENTS(spec); i++) {
		expect_round_trip(spec[i], SL_CG_RULE_CACHE);
		expect_round_trip(spec[i], SL_CG_RULE_CACHE_COLLAPSED);
	}
}

/* A machine as reported with FreeBSD 14: two nodes, pairs below. */
static void numa_flags(void **state)
{
	struct sl_topo *t = load("xeon-2x10");
	g_autofree char *xml = sl_topo_to_xml(t, SL_CG_RULE_CACHE_COLLAPSED, 16);

	(void)state;
	assert_non_null(strstr(
		xml, "   <group level=\"2\" cache-level=\"3\">\n"
		     "    <cpu count=\"20\" mask=\"fffff00000,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0\">20, "
		     "21, 22, "
		     "23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39</cpu>\n"
		     "    <flags><flag name=\"NODE\">NUMA node</flag></flags>\n"
		     "    <children>\n"));
	sl_topo_free(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(drawings),   cmocka_unit_test(speeds),
		cmocka_unit_test(xml_layout), cmocka_unit_test(round_trips),
		cmocka_unit_test(numa_flags),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
