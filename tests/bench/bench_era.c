/* SPDX-License-Identifier: BSD-2-Clause
 *
 * One fixed load for one policy and era: 40 compile-like threads on 2 packages of 4 cores
 * of 2 hardware threads. Prints its events, so that whoever counts the instructions
 * or the time (era_dispatch.sh) knows that two builds did the same. CPU time goes to stderr.
 *   bench_era [POLICY [ERA [SECONDS]]]    default ule 2017 2 */
#include "policies/registry.h"
#include "sim/core/sim.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { PACKAGES = 2, CORES = 4, THREADS = 2, CPUS = PACKAGES * CORES * THREADS };

static const uint64_t quantiles[] = { 200000, 1000000, 2500000 };

static const struct sl_op ops[] = {
	{ .kind = SL_OP_LOOP, .dist = { .value = UINT64_MAX } },
	{ .kind = SL_OP_RUN, .dist = { .n = 2, .first = 0, .value = 1200000 } },
	{ .kind = SL_OP_SLEEP, .dist = { .value = 1000000 } },
	{ .kind = SL_OP_ENDLOOP, .target = 0 },
};

static const struct sl_task task = {
	.name = "cc",
	.instances = 40,
	.n_ops = SL_ARRAY_LEN(ops),
	.mask = SL_NONE,
	.proc_group = SL_NONE,
	.bind_cpu = -1,
};

static const struct sl_workload load = {
	.name = "cc",
	.op = ops,
	.n_ops = SL_ARRAY_LEN(ops),
	.task = &task,
	.n_tasks = 1,
	.quantile = quantiles,
	.n_quantiles = SL_ARRAY_LEN(quantiles),
};

static void describe(struct sl_topo_cpu cpu[CPUS])
{
	for (uint16_t c = 0; c < CPUS; c++) {
		uint16_t core = c / THREADS, package = core / CORES;

		cpu[c] = (struct sl_topo_cpu){ .package = package,
					       .core = core,
					       .thread = c % THREADS,
					       .l1 = core,
					       .l2 = core,
					       .l3 = package,
					       .speed_permille = 1000 };
	}
}

int main(int argc, char **argv)
{
	const char *name = argc > 1 ? argv[1] : "ule", *era_name = argc > 2 ? argv[2] : "2017";
	unsigned long seconds = argc > 3 ? strtoul(argv[3], NULL, 10) : 2;
	const struct sl_policy *policy = sl_policy_find(name);
	const struct sl_era *era = policy ? sl_policy_era(policy, era_name) : NULL;
	struct sl_topo_cpu cpu[CPUS];
	const struct sl_topo topo = { .name = "bench", .ncpus = CPUS, .cpu = cpu };
	struct sl_sim_args args = { .topo = &topo,
				    .policy = policy,
				    .era = era,
				    .workload = &load,
				    .seed = 1,
				    .until = seconds * SL_NS_PER_S };
	struct sl_totals total;
	struct sl_sim *sim;
	clock_t start;
	char err[256];

	if (!era) {
		fprintf(stderr, "bench_era: no %s@%s\n", name, era_name);
		return 2;
	}
	describe(cpu);
	sim = sl_sim_new(&args, err, sizeof err);
	if (!sim) {
		fprintf(stderr, "bench_era: %s\n", err);
		return 2;
	}
	start = clock();
	sl_sim_run(sim);
	start = clock() - start;
	sl_sim_totals(sim, &total);
	sl_sim_free(sim);
	printf("%llu events, %llu switches, digest %016llx\n", (unsigned long long)total.events,
	       (unsigned long long)total.switches, (unsigned long long)total.digest);
	fprintf(stderr, "%ld us\n", (long)((double)start * 1e6 / CLOCKS_PER_SEC));
	return 0;
}
