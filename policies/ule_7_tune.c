/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Tunables of ULE 7.x and 8.0 and their defaults (ule-history.md 5, D2, D3, C7).
 * Invariant: slice_for[] agrees with slice after every write; a new thread has
 * slice_min = 1 stat tick. */
#include "policies/ule_7.h"

static void set_slice(struct sl_pol *p, int64_t ticks)
{
	struct ule *u = ule_of(p);

	u->slice = (int32_t)ticks;
	u->slices.set(u);
}

#define INT(sysctl, field, units, low, high, text)                                                 \
	{                                                                                          \
		.name = "kern.sched." sysctl, .unit = (units), .help = (text), .least = (low),     \
		.most = (high), .offset = offsetof(struct ule, field)                              \
	}
#define SLICE                                                                                      \
	{                                                                                          \
		.name = "kern.sched.slice", .unit = "stat ticks",                                  \
		.help = "slice of every thread, whatever its nice value and the load", .least = 1, \
		.most = 1000000, .offset = offsetof(struct ule, slice), .set = set_slice           \
	}
#define INTERACT INT("interact", interact, "score", 1, 100, "interactivity score threshold")
#define PREEMPT_THRESH                                                                             \
	INT("preempt_thresh", preempt_thresh, "priority", 0, 255,                                  \
	    "worst priority that may preempt; 0: none")
#define AFFINITY(text) INT("affinity", affinity, "hz ticks", 0, 1000000, text)
#define BALANCE	       INT("balance", balance, "flag", 0, 1, "enables the long-term load balancer")
#define BALANCE_INTERVAL                                                                           \
	INT("balance_interval", balance_interval, "stat ticks", 1, 1000000,                        \
	    "mean time between runs of the long-term load balancer")
#define STEAL_HTT	   INT("steal_htt", steal_htt, "flag", 0, 1, "steals from hyper-threads first")
#define STEAL_IDLE	   INT("steal_idle", steal_idle, "flag", 0, 1, "idle CPUs steal work from others")
#define STEAL_THRESH(text) INT("steal_thresh", steal_thresh, "threads", 1, 1000000, text)
#define PICK_PRI                                                                                   \
	INT("pick_pri", pick_pri, "flag", 0, 1,                                                    \
	    "1: place on the CPU with the worst work; 0: with the least")
#define TRYSELF                                                                                    \
	INT("tryself", tryself, "flag", 0, 1, "place on the waker's CPU when better than the waker")
#define HOME "time during which a thread is warm on its last CPU"

const struct sl_tunable ule_70_tunables[] = {
	SLICE,
	INTERACT,
	PREEMPT_THRESH,
	PICK_PRI,
	AFFINITY(HOME),
	TRYSELF,
	BALANCE,
	INT("balance_secs", balance_secs, "s", 1, 1000,
	    "upper end of the random time between runs of the load balancers"),
	STEAL_HTT,
	STEAL_IDLE,
	STEAL_THRESH("least number of threads that may leave a CPU from which work is stolen"),
};

const struct sl_tunable ule_7_tunables[] = {
	SLICE,
	INTERACT,
	PREEMPT_THRESH,
	PICK_PRI,
	AFFINITY(HOME),
	TRYSELF,
	BALANCE,
	BALANCE_INTERVAL,
	STEAL_HTT,
	STEAL_IDLE,
	STEAL_THRESH("least load of a CPU from which work is stolen"),
};

const struct sl_tunable ule_8_tunables[] = {
	SLICE,
	INTERACT,
	PREEMPT_THRESH,
	INT("static_boost", static_boost, "priority", 0, 255,
	    "priority of sleeping threads; 0: no boost, 1: what the sleeper asks for"),
	INT("idlespins", idlespins, "iterations", 0, INT32_MAX,
	    "number of times idle threads spin for new work (takes no simulated time)"),
	INT("idlespinthresh", idlespinthresh, "switches", 0, INT32_MAX,
	    "switches in two stat ticks above which an idle CPU spins (takes no simulated time)"),
	AFFINITY("time per cache level during which a thread counts as warm"),
	BALANCE,
	BALANCE_INTERVAL,
	INT("steal_htt", steal_htt, "flag", 0, 1,
	    "known to 8.0, read by none of its rules: siblings give up threads at any load"),
	STEAL_IDLE,
	STEAL_THRESH("least load of a CPU from which work is stolen; siblings: 1"),
};

static_assert(SL_ARRAY_LEN(ule_70_tunables) == ULE_7_N_TUNABLES, "count them in ule_7.h");
static_assert(SL_ARRAY_LEN(ule_7_tunables) == ULE_7_N_TUNABLES, "count them in ule_7.h");
static_assert(SL_ARRAY_LEN(ule_8_tunables) == ULE_8_N_TUNABLES, "count them in ule_7.h");

/* floor(log2 n), at most 3. */
static int32_t thresh_for(uint32_t ncpus)
{
	int32_t log = 31 - __builtin_clz(ncpus);

	return log < 3 ? log : 3;
}

/* September 2007. */
void ule_70_defaults(struct sl_pol *p)
{
	struct ule *u = ule_of(p);

	u->slice_min = 1;
	u->affinity = u->hz / 300 > 0 ? u->hz / 300 : 1;
	u->tryself = 1;
	u->pick_pri = 1;
	u->balance_secs = 1;
	u->steal_htt = 0;
	u->steal_thresh = 2;
}

/* BETA1: the threshold follows the number of CPUs. */
void ule_71_defaults(struct sl_pol *p)
{
	ule_70_defaults(p);
	ule_of(p)->steal_thresh = thresh_for(p->ncpus);
}

void ule_73_defaults(struct sl_pol *p)
{
	ule_71_defaults(p);
	ule_of(p)->steal_htt = 1;
}

void ule_8_defaults(struct sl_pol *p)
{
	struct ule *u = ule_of(p);

	u->slice_min = 1;
	u->idlespinthresh = 4;
	u->steal_htt = 1;
	u->steal_thresh = thresh_for(p->ncpus);
}
