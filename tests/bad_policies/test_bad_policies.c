/* SPDX-License-Identifier: BSD-2-Clause
 *
 * One broken policy per rule of the checker; each must be caught, by name. */
#include "tests/core/toy.h"

#include "tests/sl_test.h"

static const struct sl_op ops[] = { OP(LOOP, .dist = { .value = 30 }), RUN_MS(7), SLEEP_MS(3),
				    OP(ENDLOOP, .target = 0) };
static const uint64_t masks[] = { 1 };

/* Three threads on two CPUs; the third may use CPU 0 only. */
static struct sl_task tasks[] = { TASK("a", 0, 4), TASK("b", 0, 4), TASK("c", 0, 4) };

static const struct sl_workload workload = {
	.name = "bad",
	.op = ops,
	.n_ops = SL_ARRAY_LEN(ops),
	.task = tasks,
	.n_tasks = SL_ARRAY_LEN(tasks),
	.mask = masks,
	.n_masks = 1,
	.mask_words = 1,
};

static enum sl_end run(const struct sl_policy *policy, char *fault, size_t len)
{
	struct sl_topo topo = toy_topo_of(2);
	struct sl_sim_args args = { .topo = &topo,
				    .policy = policy,
				    .workload = &workload,
				    .until = SL_NS_PER_S,
				    .check = true };
	char err[256];
	struct sl_sim *s;
	enum sl_end end;

	tasks[2].mask = 0;
	s = sl_sim_new(&args, err, sizeof err);
	if (!s)
		fail_msg("%s", err);
	end = sl_sim_run(s);
	snprintf(fault, len, "%s", sl_sim_fault(s));
	sl_sim_free(s);
	return end;
}

/* Forgets every tenth thread it is given. */
static void loses_add(struct sl_pol *p, struct sl_thread *td, unsigned srq)
{
	if (p->now % 10 != 0 || p->now < 20 * SL_NS_PER_MS)
		toy_add(p, td, srq);
}

static void doubles_add(struct sl_pol *p, struct sl_thread *td, unsigned srq)
{
	toy_add(p, td, srq);
	sl_pol_queued(p, td);
}

/* Chooses the first thread whatever its mask. */
static struct sl_thread *ignores_mask(struct sl_pol *p, uint32_t cpu, struct sl_thread *td,
				      unsigned sw, struct sl_thread *next)
{
	struct toy *toy = p->priv;

	if (cpu == 1 && !sl_list_empty(&toy->queue)) {
		struct sl_thread *first = SL_OF(toy->queue.next, struct sl_thread, runq);

		sl_link_remove(&first->runq);
		td->flags &= (uint16_t) ~(SL_TDF_NEEDRESCHED | SL_TDF_OWEPREEMPT);
		if (td->state == SL_TS_RUNNING && !sl_thread_is_idle(td)) {
			sl_list_append(&toy->queue, &td->runq);
			sl_pol_queued(p, td);
		}
		return first;
	}
	return toy_switch(p, cpu, td, sw, next);
}

/* Returns the other CPU's idle thread. */
static struct sl_thread *foreign_idle(struct sl_pol *p, uint32_t cpu, struct sl_thread *td,
				      unsigned sw, struct sl_thread *next)
{
	struct sl_thread *in = toy_switch(p, cpu, td, sw, next);

	return in == p->cpu[cpu].idle ? p->cpu[1 - cpu].idle : in;
}

/* Goes idle although somebody waits. */
static struct sl_thread *lazy(struct sl_pol *p, uint32_t cpu, struct sl_thread *td, unsigned sw,
			      struct sl_thread *next)
{
	if (td->state == SL_TS_RUNNING && !sl_thread_is_idle(td)) {
		toy_add(p, td, 0);
		td->flags = 0;
		return p->cpu[cpu].idle;
	}
	return toy_switch(p, cpu, td, sw, next);
}

static struct sl_thread *keeps_flags(struct sl_pol *p, uint32_t cpu, struct sl_thread *td,
				     unsigned sw, struct sl_thread *next)
{
	uint16_t flags = td->flags;
	struct sl_thread *in = toy_switch(p, cpu, td, sw, next);

	td->flags = (uint16_t)(flags | SL_TDF_SLICEEND);
	return in;
}

static struct sl_thread *chooses_nobody(struct sl_pol *p, uint32_t cpu, struct sl_thread *td,
					unsigned sw, struct sl_thread *next)
{
	struct sl_thread *in = toy_switch(p, cpu, td, sw, next);

	return p->now > 50 * SL_NS_PER_MS ? NULL : in;
}

static int64_t wrong_load(const struct sl_pol *p, const struct sl_thread *td, enum sl_metric which)
{
	(void)p;
	(void)td;
	return which == SL_METRIC_LOAD ? 17 : -1;
}

struct bad {
	const char *says;
	void (*add)(struct sl_pol *p, struct sl_thread *td, unsigned srq);
	struct sl_thread *(*sswitch)(struct sl_pol *p, uint32_t cpu, struct sl_thread *td,
				     unsigned sw, struct sl_thread *next);
	int64_t (*metric)(const struct sl_pol *p, const struct sl_thread *td, enum sl_metric which);
};

static const struct bad bads[] = {
	{ .says = "rule \"lost\"", .add = loses_add },
	{ .says = "which is not runnable", .add = doubles_add },
	{ .says = "rule \"mask\"", .sswitch = ignores_mask },
	{ .says = "rule \"foreign\"", .sswitch = foreign_idle },
	{ .says = "rule \"idle\"", .sswitch = lazy },
	{ .says = "rule \"flags\"", .sswitch = keeps_flags },
	{ .says = "chose no thread", .sswitch = chooses_nobody },
	{ .says = "rule \"load\"", .metric = wrong_load },
};

static void each_rule_bites(void **state)
{
	(void)state;
	for (size_t i = 0; i < SL_ARRAY_LEN(bads); i++) {
		struct sl_policy policy = toy_policy;
		char fault[2048];

		if (bads[i].add)
			policy.add = bads[i].add;
		if (bads[i].sswitch)
			policy.sswitch = bads[i].sswitch;
		policy.metric = bads[i].metric;
		if (run(&policy, fault, sizeof fault) != SL_END_CHECK)
			fail_msg("%s: not caught", bads[i].says);
		if (!strstr(fault, bads[i].says))
			fail_msg("expected %s, got: %s", bads[i].says, fault);
	}
}

static void the_toy_itself_is_clean(void **state)
{
	char fault[2048];

	(void)state;
	assert_int_equal(run(&toy_policy, fault, sizeof fault), SL_END_DONE);
	assert_string_equal(fault, "");
}

static void a_wrong_abi_is_refused(void **state)
{
	struct sl_policy policy = toy_policy;

	(void)state;
	policy.abi = SL_POLICY_ABI + 1;
	assert_string_equal(sl_policy_refuse(&policy),
			    "the policy was built for another ABI version");
	assert_null(sl_policy_refuse(&toy_policy));
}

/* Tables that would make a listing or a setting read where nothing is. */
static void broken_tables_are_refused(void **state)
{
	static const struct sl_machine rules = { .hz = 1000, .stathz = 127 };
	const struct sl_tunable good = { .name = "t", .help = "h", .least = 0, .most = 1 };
	const struct sl_era era = { .name = "1", .summary = "s", .machine = &rules };
	struct sl_tunable tunable = good;
	struct sl_era eras[1] = { era };
	struct sl_policy policy = toy_policy;

	(void)state;
	policy.instance_size = sizeof(int32_t);
	policy.tunables = &tunable;
	policy.n_tunables = 1;
	assert_null(sl_policy_refuse(&policy));
	tunable.name = NULL;
	assert_string_equal(sl_policy_refuse(&policy), "a tunable has no name or help");
	tunable = good;
	tunable.least = 2;
	assert_string_equal(sl_policy_refuse(&policy), "a tunable's bounds leave no value");
	tunable = good;
	tunable.offset = 1;
	assert_string_equal(sl_policy_refuse(&policy),
			    "a tunable lies outside the policy's instance");
	tunable.offset = SIZE_MAX;
	assert_string_equal(sl_policy_refuse(&policy),
			    "a tunable lies outside the policy's instance");
	policy = toy_policy;
	policy.eras = eras;
	policy.n_eras = 1;
	policy.machine = NULL;
	assert_string_equal(sl_policy_refuse(&policy),
			    "the default era is none of the policy's eras");
	policy.default_era = "1";
	assert_null(sl_policy_refuse(&policy));
	eras[0].machine = NULL;
	assert_string_equal(sl_policy_refuse(&policy), "an era names no machine rules");
	eras[0] = era;
	eras[0].name = NULL;
	assert_string_equal(sl_policy_refuse(&policy), "an era has no name or summary");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_rule_bites),
		cmocka_unit_test(the_toy_itself_is_clean),
		cmocka_unit_test(a_wrong_abi_is_refused),
		cmocka_unit_test(broken_tables_are_refused),
	};

	return cmocka_run_group_tests_name("bad_policies", tests, NULL, NULL);
}
