/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Tunables of ULE, with the names, defaults and side effects of the kernel's
 * sysctls (ule.md 1.2, 27).
 * Invariant: slice_for[] agrees with slice and slice_min after every write. */
#include "policies/ule.h"

static int64_t get_preemption(const struct sl_pol *p)
{
	(void)p;
	return 1;
}

static int32_t tick_us(const struct ule *u)
{
	return 1000000 / u->realstathz;
}

static int64_t get_quantum(const struct sl_pol *p)
{
	const struct ule *u = ule_of(p);

	return (int64_t)u->slice * tick_us(u);
}

/* The only way to change slice_min, which becomes 0 for slices below 6. */
static void set_quantum(struct sl_pol *p, int64_t us)
{
	struct ule *u = ule_of(p);
	int64_t ticks = (us + tick_us(u) / 2) / tick_us(u);

	u->slice = (int32_t)(ticks > 1 ? ticks : 1);
	u->slice_min = u->slice / 6;
	u->slices.set(u);
}

static void set_slice(struct sl_pol *p, int64_t ticks)
{
	struct ule *u = ule_of(p);

	u->slice = (int32_t)ticks;
	u->slices.set(u);
}

#define FIELD(member) .offset = offsetof(struct ule, member)

const struct sl_tunable ule_tunables[] = {
	{ .name = "kern.sched.preemption",
	  .unit = "flag",
	  .help = "kernel preemption is compiled in",
	  .least = 1,
	  .most = 1,
	  .read_only = true,
	  .get = get_preemption },
	{ .name = "kern.sched.quantum",
	  .unit = "us",
	  .help = "quantum for timeshare threads; sets slice and the least slice with it",
	  .least = 1,
	  .most = 100000000,
	  .get = get_quantum,
	  .set = set_quantum },
	{ .name = "kern.sched.slice",
	  .unit = "stat ticks",
	  .help = "quantum for timeshare threads; leaves the least slice alone",
	  .least = 1,
	  .most = 1000000,
	  FIELD(slice),
	  .set = set_slice },
	{ .name = "kern.sched.interact",
	  .unit = "score",
	  .help = "interactivity score threshold",
	  .least = 0,
	  .most = 100,
	  FIELD(interact) },
	{ .name = "kern.sched.preempt_thresh",
	  .unit = "priority",
	  .help = "worst priority that may preempt; 0: none",
	  .least = 0,
	  .most = 255,
	  FIELD(preempt_thresh) },
	{ .name = "kern.sched.static_boost",
	  .unit = "priority",
	  .help = "priority of sleeping threads; 0: no boost, 1: what the sleeper asks for",
	  .least = 0,
	  .most = 255,
	  FIELD(static_boost) },
	{ .name = "kern.sched.idlespins",
	  .unit = "iterations",
	  .help = "number of times idle threads spin for new work (takes no simulated time)",
	  .least = 0,
	  .most = INT32_MAX,
	  FIELD(idlespins) },
	{ .name = "kern.sched.idlespinthresh",
	  .unit = "switches",
	  .help = "switches in two stat ticks above which an idle CPU stays awake",
	  .least = 0,
	  .most = INT32_MAX,
	  FIELD(idlespinthresh) },
	{ .name = "kern.sched.affinity",
	  .unit = "hz ticks",
	  .help = "time per cache level during which a thread counts as warm",
	  .least = 0,
	  .most = 1000000,
	  FIELD(affinity) },
	{ .name = "kern.sched.balance",
	  .unit = "flag",
	  .help = "enables the long-term load balancer",
	  .least = 0,
	  .most = 1,
	  FIELD(balance) },
	{ .name = "kern.sched.balance_interval",
	  .unit = "stat ticks",
	  .help = "mean time between runs of the long-term load balancer",
	  .least = 1,
	  .most = 1000000,
	  FIELD(balance_interval) },
	{ .name = "kern.sched.balance_alive",
	  .unit = "flag",
	  .help = "arms the long-term load balancer at boot; schedlab's own: kernels of 2016 and "
		  "2017 forget it",
	  .least = 0,
	  .most = 1,
	  FIELD(balance_alive) },
	{ .name = "kern.sched.steal_idle",
	  .unit = "flag",
	  .help = "idle CPUs steal work from others",
	  .least = 0,
	  .most = 1,
	  FIELD(steal_idle) },
	{ .name = "kern.sched.steal_thresh",
	  .unit = "threads",
	  .help = "least load of a CPU from which work is stolen",
	  .least = 1,
	  .most = 1000000,
	  FIELD(steal_thresh) },
	{ .name = "kern.sched.trysteal_limit",
	  .unit = "levels",
	  .help = "topology levels searched for work before going idle; 0: none (12 and later)",
	  .least = 0,
	  .most = 100,
	  FIELD(trysteal_limit) },
	{ .name = "kern.sched.always_steal",
	  .unit = "flag",
	  .help = "the idle loop tries to steal on every pass (12 and later)",
	  .least = 0,
	  .most = 1,
	  FIELD(always_steal) },
	{ .name = "kern.sched.fork_warm",
	  .unit = "flag",
	  .help = "a child counts as having run when its parent last left a CPU; schedlab's own: "
		  "kernels leave the field as they find it",
	  .least = 0,
	  .most = 1,
	  FIELD(fork_warm) },
};

static_assert(SL_ARRAY_LEN(ule_tunables) == ULE_N_TUNABLES, "count them in ule.h");

void ule_default_tunables(struct sl_pol *p)
{
	struct ule *u = ule_of(p);
	int32_t hz = (int32_t)p->hz;

	u->hz = hz;
	u->realstathz = p->stathz != 0 ? (int32_t)p->stathz : hz;
	u->slice = u->realstathz / 10;
	u->slice_min = u->slice / 6;
	u->interact = 30;
	u->preempt_thresh = u->era->preempt_thresh;
	u->static_boost = u->era->static_boost;
	u->idlespins = 10000;
	u->idlespinthresh = 2 * (6 * hz > 10000 ? 6 * hz : 10000) / u->realstathz;
	u->affinity = hz / 1000 > 0 ? hz / 1000 : 1;
	u->balance = 1;
	u->balance_interval = u->realstathz;
	u->balance_alive = u->balancer.alive;
	u->steal_idle = 1;
	u->steal_thresh = 2;
	u->trysteal_limit = 2;
	u->always_steal = 0;
	u->fork_warm = 0;
	if (u->era->defaults != NULL)
		u->era->defaults(p);
	u->slices.set(u);
}
