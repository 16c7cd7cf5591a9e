/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Random machines and workloads under every policy and era, wrapped in the checker, with
 * the books of the run audited from its records alone:
 *   one thread per CPU and one CPU per thread; a thread runs within its mask;
 *   each CPU's busy time is the time its records say a thread held it; busy and idle make
 *   up the whole run; user plus system time of all threads is the busy time of all CPUs;
 *   the checker changes nothing (tried on every fourth era of a seed).
 * Without arguments a fixed set runs; FIRST COUNT runs more and prints what failed. */
#include "policies/registry.h"
#include "tests/property/random_case.h"

#include "tests/sl_test.h"

#include <stdlib.h>

enum { FIXED_SEEDS = 40, MAX_IDS = 4096 };

struct audit {
	const struct random_case *c;
	uint32_t cur[RC_CPUS];
	sl_time since[RC_CPUS], busy[RC_CPUS], last;
	uint32_t task_of[MAX_IDS];
	int16_t on[MAX_IDS]; /* CPU + 1; 0: nowhere */
	char fault[2400];
};

#define FAULT(a, ...)                                                                              \
	do {                                                                                       \
		if (!(a)->fault[0])                                                                \
			snprintf((a)->fault, sizeof(a)->fault, __VA_ARGS__);                       \
	} while (0)

/* Threads whose mask never changes, and that are neither bound nor pinned. */
static void check_mask(struct audit *a, uint32_t tid, uint32_t cpu, sl_time at)
{
	uint32_t task = a->task_of[tid];
	const struct sl_task *t = &a->c->task[task];

	if (a->c->masks_change[task] || t->bind_cpu >= 0 || t->pin || t->mask == SL_NONE)
		return;
	if (!sl_bit_test(&a->c->mask[t->mask], cpu))
		FAULT(a, "thread %u (%s) outside its mask on CPU %u at %llu", tid, t->name, cpu,
		      (unsigned long long)at);
}

static void on_switch(struct audit *a, const struct sl_rec *r)
{
	uint32_t cpu = r->cpu;

	if (a->cur[cpu] != r->a)
		FAULT(a, "CPU %u switches from %u, but %u runs there at %llu", cpu, r->a,
		      a->cur[cpu], (unsigned long long)r->at);
	if (r->a != SL_REC_IDLE) {
		a->busy[cpu] += r->at - a->since[cpu];
		a->on[r->a % MAX_IDS] = 0;
	}
	a->since[cpu] = r->at;
	a->cur[cpu] = r->b;
	if (r->b == SL_REC_IDLE)
		return;
	if (a->on[r->b % MAX_IDS])
		FAULT(a, "thread %u runs on CPUs %d and %u at %llu", r->b,
		      a->on[r->b % MAX_IDS] - 1, cpu, (unsigned long long)r->at);
	a->on[r->b % MAX_IDS] = (int16_t)(cpu + 1);
	check_mask(a, r->b % MAX_IDS, cpu, r->at);
}

static void take(void *ctx, const struct sl_rec *rec, uint32_t n)
{
	struct audit *a = ctx;

	for (uint32_t i = 0; i < n; i++) {
		if (rec[i].at < a->last)
			FAULT(a, "records go back in time at %llu", (unsigned long long)rec[i].at);
		a->last = rec[i].at;
		if (rec[i].kind == SL_REC_START)
			a->task_of[rec[i].a % MAX_IDS] = (uint32_t)(rec[i].aux >> 32);
		else if (rec[i].kind == SL_REC_SWITCH)
			on_switch(a, &rec[i]);
	}
}

static void audit_times(struct audit *a, const struct sl_sim *s)
{
	struct sl_totals t;
	sl_time busy = 0, idle = 0;

	sl_sim_totals(s, &t);
	for (uint32_t cpu = 0; cpu < a->c->topo.ncpus; cpu++) {
		struct sl_cpu_result r;

		sl_sim_cpu(s, cpu, &r);
		if (a->cur[cpu] != SL_REC_IDLE)
			a->busy[cpu] += t.end_ns - a->since[cpu];
		if (a->busy[cpu] != r.busy_ns)
			FAULT(a, "CPU %u was busy for %llu ns, not %llu", cpu,
			      (unsigned long long)a->busy[cpu], (unsigned long long)r.busy_ns);
		busy += a->busy[cpu];
		idle += t.end_ns - a->busy[cpu];
	}
	if (t.user_ns + t.sys_ns != busy)
		FAULT(a, "threads used %llu ns, CPUs %llu",
		      (unsigned long long)(t.user_ns + t.sys_ns), (unsigned long long)busy);
	if (t.idle_ns != idle)
		FAULT(a, "idle for %llu ns, not %llu", (unsigned long long)t.idle_ns,
		      (unsigned long long)idle);
}

/* One run; its digest. 0 and the reason in a->fault when something is wrong. */
static uint64_t simulate(struct audit *a, const struct random_case *c,
			 const struct sl_policy *policy, const struct sl_era *era, bool check)
{
	struct sl_sink sink = { take, a };
	struct sl_sim_args args = { .topo = &c->topo,
				    .policy = policy,
				    .era = era,
				    .workload = &c->w,
				    .costs = c->with_costs ? &c->costs : NULL,
				    .seed = c->seed,
				    .until = c->until,
				    .check = check,
				    .tick_phase = c->tick_phase,
				    .sinks = &sink,
				    .n_sinks = 1 };
	char err[256];
	struct sl_sim *s = sl_sim_new(&args, err, sizeof err);
	struct sl_totals t;
	enum sl_end end;

	memset(a, 0, sizeof *a);
	a->c = c;
	for (uint32_t i = 0; i < RC_CPUS; i++)
		a->cur[i] = SL_REC_IDLE;
	if (!s) {
		FAULT(a, "refused: %s", err);
		return 0;
	}
	end = sl_sim_run(s);
	if (end != SL_END_UNTIL && end != SL_END_DONE)
		FAULT(a, "ends with %d: %s", (int)end, sl_sim_fault(s));
	else
		audit_times(a, s);
	sl_sim_totals(s, &t);
	sl_sim_free(s);
	return t.digest;
}

static unsigned try_era(const struct random_case *c, const struct sl_policy *policy,
			const struct sl_era *era, bool twice)
{
	static struct audit a; /* large */
	uint64_t wrapped = simulate(&a, c, policy, era, true), bare;

	if (!a.fault[0] && twice) {
		bare = simulate(&a, c, policy, era, false);
		if (!a.fault[0] && bare != wrapped)
			FAULT(&a, "the checker changes the run");
	}
	if (!a.fault[0])
		return 0;
	printf("seed %llu %s@%s: %s\n", (unsigned long long)c->seed, policy->name,
	       era ? era->name : "", a.fault);
	fflush(stdout);
	return 1;
}

static unsigned try_seed(uint64_t seed)
{
	static struct random_case c; /* large */
	unsigned bad = 0, nth = 0;

	rc_make(&c, seed);
	for (uint32_t i = 0; i < sl_policy_count(); i++) {
		const struct sl_policy *p = sl_policy_at(i);

		if (p->n_eras == 0)
			bad += try_era(&c, p, NULL, (seed + nth++) % 4 == 0);
		for (uint32_t e = 0; e < p->n_eras; e++)
			bad += try_era(&c, p, &p->eras[e], (seed + nth++) % 4 == 0);
	}
	return bad;
}

static void fixed_seeds_are_clean(void **state)
{
	unsigned bad = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= FIXED_SEEDS; seed++)
		bad += try_seed(seed);
	assert_int_equal(bad, 0);
}

static void equal_seeds_give_equal_cases(void **state)
{
	static struct random_case a, b;

	(void)state;
	rc_make(&a, 5);
	rc_make(&b, 5);
	assert_int_equal(a.w.n_ops, b.w.n_ops);
	assert_memory_equal(a.op, b.op, sizeof a.op);
	assert_memory_equal(a.cpu, b.cpu, sizeof a.cpu);
	rc_make(&b, 6);
	assert_memory_not_equal(a.op, b.op, sizeof a.op);
}

static int run_more(uint64_t first, uint64_t count)
{
	uint64_t bad = 0;

	for (uint64_t seed = first; seed < first + count; seed++) {
		bad += try_seed(seed);
		if ((seed + 1 - first) % 500 == 0) {
			printf("%llu seeds, %llu faults\n", (unsigned long long)(seed + 1 - first),
			       (unsigned long long)bad);
			fflush(stdout);
		}
	}
	printf("%llu seeds from %llu: %llu faults\n", (unsigned long long)count,
	       (unsigned long long)first, (unsigned long long)bad);
	return bad != 0;
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fixed_seeds_are_clean),
		cmocka_unit_test(equal_seeds_give_equal_cases),
	};

	if (argc > 2)
		return run_more(strtoull(argv[1], NULL, 10), strtoull(argv[2], NULL, 10));
	return cmocka_run_group_tests_name("random", tests, NULL, NULL);
}
