/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Sweep files: what they make, and where they say that they are wrong. */
#include "sim/batch/sweep_file.h"

#include "sim/batch/expand.h"
#include "tests/sl_test.h"

static struct sl_sweep *read_ok(const char *text)
{
	GError *error = NULL;
	struct sl_sweep *s = sl_sweep_parse("dir/x.sweep", text, strlen(text), &error);

	if (!s)
		fail_msg("%s", error->message);
	return s;
}

static bool add_line(const struct sl_sweep_cell *c, void *ctx)
{
	g_string_append_printf(ctx, "%u %s %s %s %s %s;", c->group, c->axis[SL_AXIS_TOPOLOGY],
			       c->axis[SL_AXIS_COSTS], c->axis[SL_AXIS_CPUSET],
			       c->axis[SL_AXIS_WORKLOAD], c->axis[SL_AXIS_POLICY]);
	return true;
}

static void product(void **state)
{
	struct sl_sweep *s = read_ok("# a comment\n[sweep]\npolicies = a; b:x={1,2}\nruns=7\n\n"
				     "[cells one]\ntopologies = up\nworkloads = w; v:k=1\n"
				     "n = 2..3\n[cells two]\ntopologies=t;u\ncosts = none\n"
				     "cpusets = 0,2; all\nworkloads=w\npolicies=c\nruns=3\n"
				     "discard=0\nseed=9\nmetrics = real,rate\n");
	GString *all = g_string_new(NULL);
	const struct sl_sweep_block *one = s->block->pdata[0], *two = s->block->pdata[1];

	(void)state;
	assert_string_equal(s->name, "x");
	assert_int_equal(sl_sweep_count(s, NULL), 16);
	assert_true(sl_sweep_each(s, add_line, all));
	assert_string_equal(
		all->str,
		"0 up auto all w:n=2 a;0 up auto all w:n=2 b:x=1;0 up auto all w:n=2 b:x=2;"
		"1 up auto all w:n=3 a;1 up auto all w:n=3 b:x=1;1 up auto all w:n=3 b:x=2;"
		"2 up auto all v:k=1,n=2 a;2 up auto all v:k=1,n=2 b:x=1;"
		"2 up auto all v:k=1,n=2 b:x=2;3 up auto all v:k=1,n=3 a;"
		"3 up auto all v:k=1,n=3 b:x=1;3 up auto all v:k=1,n=3 b:x=2;"
		"4 t none 0,2 w c;5 t none all w c;6 u none 0,2 w c;7 u none all w c;");
	assert_int_equal(one->runs, 7);
	assert_int_equal(one->discard, 1);
	assert_int_equal(one->seed, 1);
	assert_int_equal(two->runs, 3);
	assert_int_equal(two->discard, 0);
	assert_int_equal(two->seed, 9);
	assert_string_equal(one->metric->pdata[0], "real");
	assert_int_equal(two->metric->len, 2);
	g_string_free(all, TRUE);
	sl_sweep_free(s);
}

#define GOOD "[cells a]\ntopologies=t\npolicies=p\nworkloads=w\n"

static void faults(void **state)
{
	static const struct {
		const char *text, *message;
	} bad[] = {
		{ "", "x:1:1: expected at least one group" },
		{ "x = 1\n", "x:1:1: expected [sweep] or [cells NAME] first" },
		{ "[cells ]\n", "x:1:1: group [cells ]; expected" },
		{ "[sweep]\n[sweep]\n", "x:2:1: [sweep] again" },
		{ GOOD "[sweep]\n", "x:5:1: [sweep] again or late" },
		{ GOOD GOOD, "x:5:1: [cells a]: expected a name that no other group has" },
		{ "[sweep]\nrnus = 3\n", "x:2:1: unknown key \"rnus\" (did you mean 'runs'?)" },
		{ GOOD "runs = 0\n", "x:5:8: runs is \"0\"; expected a whole number from 1" },
		{ GOOD "runs = 5\ndiscard = 5\n", "x:1:1: [cells a]: 5 runs of which 5" },
		{ GOOD "n =\n", "x:5:4: n is empty" },
		{ GOOD "n = 1,,2\n", "x:5:7: an empty item" },
		{ GOOD "n = 1,3..x\n", "x:5:7: expected a range" },
		{ GOOD "n = 1..5..0\n", "x:5:5: expected a step" },
		{ GOOD "n = 5..1..-1\n", "x:5:5: expected a step" },
		{ GOOD "n = 1,1\n", "x:5:5: \"1\" twice" },
		{ GOOD "costs = {a\n", "x:5:9: a brace without its partner" },
		{ GOOD "hello\n", "x:5:1: expected key = value" },
		{ GOOD "n = 1..99999999\n", "x:5:5: more items" },
		{ GOOD "n = 1..9999\nm = 1..9999\n", "x:1:1: [cells a] makes more than" },
		{ "[cells a]\npolicies=p\nworkloads=w\n", "x:1:1: [cells a] has no topologies" },
		{ GOOD "name = y\n", "x:5:1: a group of cells is named in its heading" },
		{ GOOD "seed = -1\n", "x:5:8: seed is \"-1\"" },
		{ GOOD "n = \xff\n", "x:5:5: " },
	};

	(void)state;
	for (size_t i = 0; i < SL_ARRAY_LEN(bad); i++) {
		GError *error = NULL;

		assert_null(sl_sweep_parse("x", bad[i].text, strlen(bad[i].text), &error));
		assert_non_null(error);
		if (strncmp(error->message, bad[i].message, strlen(bad[i].message)) != 0)
			fail_msg("case %zu: \"%s\", not \"%s\"", i, error->message, bad[i].message);
		g_error_free(error);
	}
}

static void lists(void **state)
{
	static const struct {
		const char *text;
		bool commas;
		const char *want; /* joined by '|' */
	} list[] = {
		{ "a", false, "a" },
		{ " a ; b,c ;", false, "a|b,c" },
		{ "x{1,2}y{a,b}", false, "x1ya|x1yb|x2ya|x2yb" },
		{ "n={2..4}", false, "n=2|n=3|n=4" },
		{ "{3..1}", false, "3|2|1" },
		{ "5..1", true, "5|4|3|2|1" },
		{ "9..0..4", true, "9|5|1" },
		{ "4..4", true, "4" },
		{ "0..100..50,7", true, "0|50|100|7" },
		{ "-1..1", true, "-1|0|1" },
		{ "2ms,5ms", true, "2ms|5ms" },
		{ "../a/b.json", false, "../a/b.json" },
	};

	(void)state;
	for (size_t i = 0; i < SL_ARRAY_LEN(list); i++) {
		struct sl_expand_fault fault;
		GPtrArray *item = sl_expand_list(list[i].text, list[i].commas, 100, &fault);
		char *joined;

		assert_non_null(item);
		g_ptr_array_add(item, NULL);
		joined = g_strjoinv("|", (char **)item->pdata);
		assert_string_equal(joined, list[i].want);
		g_free(joined);
		g_ptr_array_unref(item);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(product),
		cmocka_unit_test(faults),
		cmocka_unit_test(lists),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
