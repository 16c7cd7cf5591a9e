/* SPDX-License-Identifier: BSD-2-Clause
 *
 * CPU shares of hogs of different nice values on one CPU under the old eras of ULE
 * (ule-history.md, correction 15). */
#include "policies/registry.h"
#include "sim/core/sim.h"
#include "topologies/topo_load.h"
#include "traces/workload_load.h"

#include "tests/sl_test.h"

#include <glib.h>

#define MAX_HOGS 3
#define SLACK	 0.06 /* seconds: the sheet gives one or two decimals */

struct row {
	const char *era;
	int nice[MAX_HOGS];
	unsigned n, seconds;
	double share[MAX_HOGS]; /* seconds */
};

static const struct row rows[] = {
	{ "2005", { 0, 5 }, 2, 30, { 17.1, 12.9 } },
	{ "2005", { 0, 19 }, 2, 60, { 56.5, 3.5 } },
	{ "2005b", { 0, 19 }, 2, 60, { 57, 3 } },
	{ "2005", { -20, 0, 19 }, 3, 60, { 52.6, 3.7, 3.7 } },
	{ "7.0-sep", { 0, 5 }, 2, 30, { 15.06, 14.94 } },
	{ "7.3", { 0, 5 }, 2, 30, { 15.06, 14.94 } },
	{ "8.0", { 0, 5 }, 2, 30, { 15.06, 14.94 } },
	{ "7.3", { 0, 19 }, 2, 60, { 36.6, 23.4 } },
	{ "8.0", { 0, 19 }, 2, 60, { 36.6, 23.4 } },
	{ "7.3", { -20, 0, 19 }, 3, 60, { 30.1, 18.0, 11.9 } },
	{ "8.0", { -20, 0, 19 }, 3, 60, { 30.1, 18.0, 11.9 } },
};

static struct sl_workload *hogs(const struct row *row)
{
	g_autoptr(GString) text = g_string_new("{ \"tasks\": {");
	g_autoptr(GError) error = NULL;
	struct sl_workload *w;

	for (unsigned i = 0; i < row->n; i++)
		g_string_append_printf(text,
				       "%s \"h%u\": { \"priority\": %d, \"loop\": -1, "
				       "\"run\": 1000000 }",
				       i ? "," : "", i, row->nice[i]);
	g_string_append(text, " } }");
	w = sl_workload_load_text(text->str, text->len, "hogs", NULL, NULL, NULL, &error);
	if (!w)
		fail_msg("%s", error->message);
	return w;
}

static void check(const struct row *row)
{
	g_autoptr(GError) error = NULL;
	struct sl_topo *topo = sl_topo_load("flat:1", &error);
	struct sl_workload *w = hogs(row);
	struct sl_sim_args args = { .topo = topo,
				    .policy = &sl_policy_ule,
				    .era = sl_policy_era(&sl_policy_ule, row->era),
				    .workload = w,
				    .until = row->seconds * SL_NS_PER_S,
				    .check = true };
	char err[256] = "";
	struct sl_sim *sim = sl_sim_new(&args, err, sizeof err);

	if (!sim)
		fail_msg("%s", err);
	assert_int_equal(sl_sim_run(sim), SL_END_UNTIL);
	for (unsigned i = 0; i < row->n; i++) {
		struct sl_thread_result result;
		double got;

		assert_true(sl_sim_thread(sim, i, &result));
		got = (double)result.user_ns / 1e9;
		if (got < row->share[i] - SLACK || got > row->share[i] + SLACK)
			fail_msg("%s: nice %d gets %.2f s of %u, not %.2f", row->era, row->nice[i],
				 got, row->seconds, row->share[i]);
	}
	sl_sim_free(sim);
	sl_workload_free(w);
	sl_topo_free(topo);
}

static void shares_by_nice(void **state)
{
	(void)state;
	for (size_t i = 0; i < SL_ARRAY_LEN(rows); i++)
		check(&rows[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(shares_by_nice) };

	return cmocka_run_group_tests_name("shares under old ULE", tests, NULL, NULL);
}
