/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Tunables: the sysctls of each era, with their reading and writing rules, and a few
 * switches of the model ("schedlab.").
 * Invariant: what a table names is what that era's kernel had. */
#include "policies/4bsd.h"

#include <stdint.h>

int64_t bsd_quantum_us(const struct sl_pol *p)
{
	return (int64_t)bsd_of(p)->quantum * (1000000 / (int64_t)p->hz);
}

void bsd_set_quantum_us(struct sl_pol *p, int64_t us)
{
	int64_t ticks = us / (1000000 / (int64_t)p->hz);

	bsd_of(p)->quantum = (int32_t)(ticks < 1 ? 1 : ticks);
}

int64_t bsd_slice_us(const struct sl_pol *p)
{
	return bsd_slice_to_us(p->stathz, bsd_of(p)->slice);
}

void bsd_set_slice_us(struct sl_pol *p, int64_t us)
{
	bsd_of(p)->slice = (int32_t)bsd_slice_from_us(p->stathz, us);
}

static int64_t one(const struct sl_pol *p)
{
	(void)p;
	return 1;
}

static int64_t ccpu(const struct sl_pol *p)
{
	(void)p;
	return BSD_CCPU;
}

static int64_t fscale(const struct sl_pol *p)
{
	(void)p;
	return BSD_FSCALE;
}

static int64_t smp_cpus(const struct sl_pol *p)
{
	return p->ncpus;
}

static int64_t hogticks_quantum(const struct sl_pol *p)
{
	return 2 * (int64_t)bsd_of(p)->quantum;
}

static int64_t hogticks_slice(const struct sl_pol *p)
{
	return bsd_slice_ticks(p->hz, p->stathz, 2 * (int64_t)bsd_of(p)->slice);
}

static int64_t rr_interval_quantum(const struct sl_pol *p)
{
	return bsd_of(p)->quantum;
}

static int64_t rr_interval_slice(const struct sl_pol *p)
{
	return bsd_slice_ticks(p->hz, p->stathz, bsd_of(p)->slice);
}

static int64_t apic_stathz(const struct sl_pol *p)
{
	return bsd_apic_stathz(p->hz);
}

#define FIELD(f) offsetof(struct bsd, f)

#define READ_ONLY(n, u, h, g)                                                                      \
	{                                                                                          \
		.name = n, .unit = u, .help = h, .most = INT32_MAX, .read_only = true, .get = g,   \
	}

#define COUNTER(n, h, f)                                                                           \
	{                                                                                          \
		.name = n, .unit = "count", .help = h, .most = INT32_MAX, .read_only = true,       \
		.offset = FIELD(f),                                                                \
	}

#define SWITCH(n, h, f)                                                                            \
	{                                                                                          \
		.name = n, .unit = "bool", .help = h, .most = 1, .offset = FIELD(f),               \
	}

/* In every era. */
/* clang-format off */
#define COMMON                                                                                     \
	READ_ONLY("kern.sched.preemption", "bool", "the kernel has PREEMPTION", one),              \
	{ .name = "kern.sched.runq_fuzz", .unit = "threads", .least = 0, .most = INT32_MAX,        \
	  .help = "look at so many threads of the best list for one that ran here last",           \
	  .offset = FIELD(runq_fuzz) },                                                            \
	SWITCH("kern.sched.ipiwakeup.enabled", "hand woken threads to idle CPUs", fwd_enabled),    \
	SWITCH("kern.sched.ipiwakeup.usemask", "find idle CPUs by the idle mask", fwd_usemask),    \
	SWITCH("kern.sched.ipiwakeup.useloop", "find idle CPUs by what they run", fwd_useloop),    \
	COUNTER("kern.sched.ipiwakeup.requested", "hand-offs tried", fwd_requested),               \
	COUNTER("kern.sched.ipiwakeup.delivered", "hand-offs that signalled a CPU",                \
		fwd_delivered),                                                                    \
	READ_ONLY("kern.ccpu", "1/2048", "decay of %cpu per second", ccpu),                        \
	READ_ONLY("kern.fscale", "1/1", "fixed-point unit", fscale),                               \
	READ_ONLY("kern.smp.cpus", "CPUs", "CPUs launched", smp_cpus),                             \
	{ .name = "schedlab.estcpu_limit", .unit = "stat ticks", .least = 1, .most = INT32_MAX,    \
	  .help = "ceiling of a thread's usage; the kernel computes it from the number of CPUs",   \
	  .offset = FIELD(estcpu_limit) },                                                         \
	SWITCH("schedlab.random_load_period",                                                      \
	       "sample the load every 4 to 6 s as the kernel does, not every 5 s", random_load),   \
	SWITCH("schedlab.schedcpu_wakes",                                                          \
	       "the wake-up of the once-a-second pass reschedules CPU 0 as the kernel's does",     \
	       pass_wakes)

/* Where the quantum is measured in ticks: 2005 .. 9.0. */
#define QUANTUM                                                                                    \
	{ .name = "kern.sched.quantum", .unit = "us", .least = 1000, .most = INT32_MAX,            \
	  .help = "round-robin interval", .get = bsd_quantum_us, .set = bsd_set_quantum_us },      \
	READ_ONLY("schedlab.rr_interval", "ticks", "what sched_rr_get_interval() says",            \
		  rr_interval_quantum),                                                            \
	READ_ONLY("schedlab.hogticks", "ticks", "longest stretch of in-kernel copying",            \
		  hogticks_quantum)

/* Where it is counted down in stat ticks: 9 on. */
#define SLICE                                                                                      \
	{ .name = "kern.sched.quantum", .unit = "us", .least = 1, .most = INT32_MAX,               \
	  .help = "slice in microseconds", .get = bsd_slice_us, .set = bsd_set_slice_us },         \
	{ .name = "kern.sched.slice", .unit = "stat ticks", .least = 1, .most = INT32_MAX,         \
	  .help = "slice of a thread", .offset = FIELD(slice) },                                   \
	READ_ONLY("schedlab.rr_interval", "ticks", "what sched_rr_get_interval() says",            \
		  rr_interval_slice),                                                              \
	READ_ONLY("schedlab.hogticks", "ticks", "longest stretch of in-kernel copying",            \
		  hogticks_slice)

/* 2005 .. 8.x. */
#define HTT                                                                                        \
	SWITCH("kern.sched.ipiwakeup.onecpu", "signal one idle CPU only", fwd_onecpu),             \
	SWITCH("kern.sched.ipiwakeup.htt2", "prefer CPUs whose sibling is idle too", fwd_htt2),    \
	SWITCH("kern.smp.forward_roundrobin_enabled",                                              \
	       "the quantum's callout rotates other CPUs; nothing calls it in 7.3", beat_enabled)

/* 7.x, 8.x. */
#define APIC                                                                                       \
	READ_ONLY("schedlab.apic_stathz", "Hz", "stathz that goes with kern.hz on the APIC timer", \
		  apic_stathz)

/* 2005. */
#define KSEGRP                                                                                     \
	SWITCH("kern.sched.followon", "a group mate follows a thread that gives up its CPU",       \
	       followon),                                                                          \
	COUNTER("kern.sched.pfollowons", "followers out of the process", pfollowons),              \
	COUNTER("kern.sched.kgfollowons", "followers out of the group", kgfollowons),              \
	{ .name = "kern.threads.thr_scope", .unit = "scope", .least = 0, .most = 2,                \
	  .help = "0 as asked for, 1 all process scope, 2 all system scope",                       \
	  .offset = FIELD(thr_scope) },                                                            \
	{ .name = "kern.threads.thr_concurrency", .unit = "slots", .least = 0, .most = INT32_MAX,  \
	  .help = "run slots of a multi-threaded process; 0: two per CPU",                         \
	  .offset = FIELD(thr_concurrency) }
/* clang-format on */

const struct sl_tunable bsd_tunables_slice[BSD_N_SLICE] = { SLICE, COMMON };
const struct sl_tunable bsd_tunables_quantum[BSD_N_QUANTUM] = { QUANTUM, COMMON };
const struct sl_tunable bsd_tunables_htt[BSD_N_HTT] = { QUANTUM, HTT, APIC, COMMON };
const struct sl_tunable bsd_tunables_ksegrp[BSD_N_KSEGRP] = { QUANTUM, HTT, KSEGRP, COMMON };
