/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Speed and memory of the engine with a policy. Prints one line per scenario:
 * scheduler events (switches, wake-ups, stat ticks, burst ends, IPIs), events per
 * second, simulated seconds per second, memory.
 *   bench_engine [POLICY [N]]    default ule, all; N: only scenario N, from 0 */
#include "policies/registry.h"
#include "sim/core/sim.h"
#include "topologies/topo_load.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#define US SL_NS_PER_US

/* Compile-like thread: bursts of 1 to 3 ms (drawn), sleeps of 1 ms. */
static const uint64_t quantiles[] = { 200 * US, 1000 * US, 2500 * US };
static const struct sl_op mixed[] = {
	{ .kind = SL_OP_LOOP, .dist = { .value = UINT64_MAX } },
	{ .kind = SL_OP_RUN, .dist = { .n = 2, .first = 0, .value = 1200 * US } },
	{ .kind = SL_OP_SLEEP, .dist = { .value = 1000 * US } },
	{ .kind = SL_OP_ENDLOOP, .target = 0 },
};
static const struct sl_op hog[] = {
	{ .kind = SL_OP_LOOP, .dist = { .value = UINT64_MAX } },
	{ .kind = SL_OP_RUN, .dist = { .value = SL_NS_PER_S } },
	{ .kind = SL_OP_ENDLOOP, .target = 0 },
};
static const struct sl_op sleeper[] = {
	{ .kind = SL_OP_LOOP, .dist = { .value = UINT64_MAX } },
	{ .kind = SL_OP_RUN, .dist = { .value = 100 * US } },
	{ .kind = SL_OP_SLEEP, .dist = { .value = 100 * SL_NS_PER_MS } },
	{ .kind = SL_OP_ENDLOOP, .target = 0 },
};

struct scenario {
	const char *what, *topo;
	const struct sl_op *ops;
	uint32_t n_ops, threads;
	sl_time until;
};

static const struct scenario scenarios[] = {
	{ "40 compile-like threads", "4x8x2", mixed, 4, 40, 20 * SL_NS_PER_S },
	{ "40 hogs (ticks only)", "4x8x2", hog, 3, 40, 2000 * SL_NS_PER_S },
	{ "20 compile-like threads", "1x6x2", mixed, 4, 20, 20 * SL_NS_PER_S },
	{ "1,000 sleepers", "64x8x2", sleeper, 4, 1000, 20 * SL_NS_PER_S },
	{ "100,000 threads, 1,024 CPUs", "64x8x2", sleeper, 4, 100000, SL_NS_PER_S },
};

static double seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static long peak_mib(void)
{
	struct rusage r;

	getrusage(RUSAGE_SELF, &r);
	return r.ru_maxrss / 1024;
}

static int measure(const struct sl_policy *policy, const struct scenario *sc)
{
	GError *error = NULL;
	struct sl_topo *topo = sl_topo_load(sc->topo, &error);
	struct sl_task task = { .name = "t",
				.instances = sc->threads,
				.n_ops = sc->n_ops,
				.mask = SL_NONE,
				.proc_group = SL_NONE,
				.bind_cpu = -1 };
	struct sl_workload w = { .name = "bench",
				 .op = sc->ops,
				 .n_ops = sc->n_ops,
				 .task = &task,
				 .n_tasks = 1,
				 .quantile = quantiles,
				 .n_quantiles = SL_ARRAY_LEN(quantiles) };
	struct sl_sim_args args = { .topo = topo,
				    .policy = policy,
				    .era = sl_policy_era(policy, NULL),
				    .workload = &w,
				    .seed = 1,
				    .until = sc->until };
	char err[256];
	struct sl_sim *s = topo ? sl_sim_new(&args, err, sizeof err) : NULL;
	struct sl_totals t;
	double start = seconds(), took, events;

	if (!s) {
		fprintf(stderr, "%s: %s\n", sc->what, topo ? err : error->message);
		return 1;
	}
	sl_sim_run(s);
	took = seconds() - start;
	sl_sim_totals(s, &t);
	events = (double)(t.events + t.ticks + t.switches + t.wakeups);
	printf("%-28s %-7s %11.0f events  %6.2f M events/s  %8.1f sim s/s  %5zu MiB  "
	       "peak %ld MiB  digest %016llx\n",
	       sc->what, sc->topo, events, events / took / 1e6, (double)sc->until / 1e9 / took,
	       t.memory_bytes >> 20, peak_mib(), (unsigned long long)t.digest);
	sl_sim_free(s);
	sl_topo_free(topo);
	return 0;
}

int main(int argc, char **argv)
{
	const struct sl_policy *policy = sl_policy_find(argc > 1 ? argv[1] : "ule");
	int bad = 0;

	if (!policy) {
		fprintf(stderr, "no policy %s\n", argv[1]);
		return 2;
	}
	for (size_t i = 0; i < SL_ARRAY_LEN(scenarios); i++)
		if (argc < 3 || (size_t)atoi(argv[2]) == i)
			bad |= measure(policy, &scenarios[i]);
	return bad;
}
