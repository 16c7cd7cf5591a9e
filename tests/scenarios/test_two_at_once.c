/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Two simulations in one process must not notice each other: run alone and side by
 * side, in threads of one process, each gives its own digest. */
#include "policies/registry.h"
#include "sim/core/sim.h"
#include "topologies/topo_load.h"
#include "traces/workload_load.h"

#include "tests/sl_test.h"

#include <glib.h>

struct job {
	const char *policy, *topology, *workload;
	uint64_t seed, digest;
	enum sl_end end;
};

static gpointer simulate(gpointer data)
{
	struct job *job = data;
	const struct sl_policy *policy = sl_policy_find(job->policy);
	struct sl_topo *topo = sl_topo_load(job->topology, NULL);
	struct sl_workload_opts opts = { .ncpus = topo->ncpus };
	struct sl_workload *w = sl_workload_load(job->workload, &opts, NULL, NULL);
	struct sl_sim_args args = { .topo = topo,
				    .policy = policy,
				    .era = sl_policy_era(policy, NULL),
				    .workload = w,
				    .seed = job->seed,
				    .until = 20 * SL_NS_PER_S };
	char err[256];
	struct sl_sim *s = sl_sim_new(&args, err, sizeof err);
	struct sl_totals totals;

	job->end = sl_sim_run(s);
	sl_sim_totals(s, &totals);
	job->digest = totals.digest;
	sl_sim_free(s);
	sl_workload_free(w);
	sl_topo_free(topo);
	return NULL;
}

static void side_by_side_equals_alone(void **state)
{
	static const struct job jobs[] = {
		{ .policy = "ule",
		  .topology = "1x6x2",
		  .workload = "buildworld:scale=0.002",
		  .seed = 1 },
		{ .policy = "4bsd", .topology = "flat:4", .workload = "hackbench", .seed = 2 },
		{ .policy = "ule-1ppq", .topology = "4x8x2", .workload = "sleepers", .seed = 3 },
		{ .policy = "ule",
		  .topology = "1x6x2",
		  .workload = "buildworld:scale=0.002",
		  .seed = 4 },
	};
	struct job alone[SL_ARRAY_LEN(jobs)], beside[SL_ARRAY_LEN(jobs)];
	GThread *thread[SL_ARRAY_LEN(jobs)];

	(void)state;
	for (size_t i = 0; i < SL_ARRAY_LEN(jobs); i++) {
		alone[i] = beside[i] = jobs[i];
		simulate(&alone[i]);
	}
	for (size_t i = 0; i < SL_ARRAY_LEN(jobs); i++)
		thread[i] = g_thread_new("sim", simulate, &beside[i]);
	for (size_t i = 0; i < SL_ARRAY_LEN(jobs); i++) {
		g_thread_join(thread[i]);
		assert_int_equal(alone[i].digest, beside[i].digest);
		assert_int_equal(alone[i].end, beside[i].end);
	}
	assert_int_not_equal(alone[0].digest, alone[3].digest);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(side_by_side_equals_alone),
	};

	return cmocka_run_group_tests_name("two_at_once", tests, NULL, NULL);
}
