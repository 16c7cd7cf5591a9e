/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Long-term balancer: pairs the most and the least loaded CPUs and moves one thread
 * from one to the other (ule.md 18, 22.1 - 22.3).
 * Invariant: a CPU that gave or received is out for the rest of the pass, so a pass
 * ends. Runs on CPU 0 from its stat tick. */
#include "policies/ule.h"

#include <string.h>

enum { BALANCE_CPU = 0 };

/* --- When --- */

static uint32_t random_jitter(struct sl_pol *p)
{
	return ule_random(ule_cpu_of(p, BALANCE_CPU));
}

/* The kernel's random(), shared by everything that asks: minimal standard generator. */
uint32_t ule_kernel_random(struct sl_pol *p)
{
	struct ule *u = ule_of(p);

	u->kernel_random = (uint32_t)((uint64_t)u->kernel_random * 16807u % 0x7fffffffu);
	return u->kernel_random;
}

/* Uniform between a half and one and a half of the interval. */
int32_t ule_draw_countdown(struct sl_pol *p, int32_t interval)
{
	const struct ule *u = ule_of(p);
	int32_t half = interval / 2;

	return (half > 0 ? half : 1) + (int32_t)(u->balancer.random(p) % (uint32_t)interval);
}

static void rearm(struct sl_pol *p)
{
	struct ule *u = ule_of(p);

	u->balance_ticks = ule_draw_countdown(p, u->balance_interval);
}

/* Before the clocks' rates are known the kernel assumes 128 stat ticks a second. */
static void boot_drawn(struct sl_pol *p)
{
	ule_of(p)->balance_ticks = ule_draw_countdown(p, 128);
}

static void boot_interval(struct sl_pol *p)
{
	struct ule *u = ule_of(p);

	u->balance_ticks = u->balance_interval;
}

/* 10 and 11: re-arms before it asks whether it is wanted. (11 as shipped returns too
 * early at boot; that is why it is dead there unless revived.) */
static void tick_10(struct sl_pol *p, uint32_t cnt)
{
	struct ule *u = ule_of(p);

	(void)cnt;
	if (u->balance_ticks == 0 || --u->balance_ticks != 0)
		return;
	rearm(p);
	if (p->smp && u->balance)
		u->balancer.pass(p);
}

static void tick_12(struct sl_pol *p, uint32_t cnt)
{
	struct ule *u = ule_of(p);

	(void)cnt;
	if (!p->smp || !u->balance || u->balance_ticks == 0 || --u->balance_ticks != 0)
		return;
	rearm(p);
	u->balancer.pass(p);
}

static void tick_13(struct sl_pol *p, uint32_t cnt)
{
	struct ule *u = ule_of(p);

	if (!p->smp || !u->balance || u->balance_ticks == 0)
		return;
	u->balance_ticks -= (int32_t)cnt;
	if (u->balance_ticks > 0)
		return;
	rearm(p);
	u->balancer.pass(p);
}

/* --- Telling the receiver --- */

static void tell_ipi(struct sl_pol *p, uint32_t cpu, const struct sl_thread *td, uint8_t old_low)
{
	(void)td;
	(void)old_low;
	if (cpu != sl_pol_self(p))
		sl_pol_ipi(p, cpu, SL_IPI_PREEMPT);
}

static void tell_notify(struct sl_pol *p, uint32_t cpu, const struct sl_thread *td, uint8_t old_low)
{
	if (cpu != sl_pol_self(p))
		ule_of(p)->notify.tell(p, cpu, td, old_low);
}

static void tell_notify_self(struct sl_pol *p, uint32_t cpu, const struct sl_thread *td,
			     uint8_t old_low)
{
	if (cpu != sl_pol_self(p))
		ule_of(p)->notify.tell(p, cpu, td, old_low);
	else
		ule_set_preempt(p, td, ule_cpu_of(p, cpu)->lowpri);
}

/* --- What --- */

/* A difference of one is enough: 2 and 1 become 1 and 2, on purpose. */
static bool balance_pair(struct sl_pol *p, uint32_t from, uint32_t to)
{
	struct ule *u = ule_of(p);
	const struct ule_cpu *donor = ule_cpu_of(p, from), *receiver = ule_cpu_of(p, to);
	int32_t difference = donor->load - receiver->load;
	struct sl_thread *td;
	uint8_t old_low;

	if (donor->transferable == 0 || difference <= 0)
		return false;
	td = ule_move_one(p, from, to, &old_low);
	if (td == NULL)
		return false;
	u->balanced++;
	sl_why(p, SL_WHY_BALANCE, td, from, to, difference);
	u->balancer.tell(p, to, td, old_low);
	return true;
}

/* The kernel's sets have a bit for every CPU it was compiled for, present or not: they
 * run empty only on a machine that has them all. */
static bool set_is_empty(const struct sl_pol *p, const uint64_t *set)
{
	return p->ncpus >= ule_of(p)->era->cpu_ids && sl_bits_empty(set, p->mask_words);
}

/* Finds a receiver for `donor` and moves a thread. False: the pass is over, because not
 * even the first search found a CPU with less load. */
static bool serve_donor(struct sl_pol *p, uint32_t donor, bool running)
{
	struct ule *u = ule_of(p);
	struct ule_query query = {
		.mask = u->low,
		.minpri = -1,
		.load = ule_cpu_of(p, donor)->load - 1,
		.prefer = (int32_t)donor,
		.running = running,
	};
	bool any = true;

	memcpy(u->low, u->high, p->mask_words * sizeof(u->low[0]));
	if (set_is_empty(p, u->low))
		return false;
	for (;;) {
		int32_t low = u->search.lowest(p, p->tree->top, &query, NULL);

		if (low < 0)
			return !any;
		if (balance_pair(p, donor, (uint32_t)low)) {
			sl_bit_clear(u->high, (uint32_t)low);
			return true;
		}
		sl_bit_clear(u->low, (uint32_t)low);
		any = false;
	}
}

/* Next donor, taken out of the set; -1: none. */
static int32_t next_donor(struct sl_pol *p, int32_t mintrans)
{
	struct ule *u = ule_of(p);
	struct ule_query query = { .mask = u->high,
				   .load = u->balancer.donor_load,
				   .mintrans = mintrans };
	int32_t donor = u->search.highest(p, p->tree->top, &query, NULL);

	if (donor >= 0)
		sl_bit_clear(u->high, (uint32_t)donor);
	return donor;
}

static void all_may_give(struct sl_pol *p)
{
	struct ule *u = ule_of(p);

	memcpy(u->high, u->all, p->mask_words * sizeof(u->high[0]));
}

static void pass_10(struct sl_pol *p)
{
	int32_t donor;

	all_may_give(p);
	do {
		donor = next_donor(p, 1);
	} while (donor >= 0 && serve_donor(p, (uint32_t)donor, false));
}

/* A thread alone on its CPU cannot be stolen; it is asked to choose a CPU again. */
static void repick_running(struct sl_pol *p, uint32_t cpu)
{
	struct sl_thread *td = p->cpu[cpu].cur;

	if (sl_thread_is_idle(td) || td->pinned != 0)
		return;
	td->flags |= SL_TDF_PICKCPU | SL_TDF_NEEDRESCHED;
	sl_why(p, SL_WHY_BALANCE, td, cpu, -1, 0);
	if (cpu != sl_pol_self(p))
		sl_pol_ipi(p, cpu, SL_IPI_AST);
}

static void pass_13(struct sl_pol *p)
{
	int32_t donor;

	all_may_give(p);
	while ((donor = next_donor(p, 0)) >= 0) {
		const struct ule_cpu *q = ule_cpu_of(p, (uint32_t)donor);

		if (q->load == 1) {
			repick_running(p, (uint32_t)donor);
			return;
		}
		if (q->transferable > 0 && !serve_donor(p, (uint32_t)donor, true))
			return;
	}
}

const struct ule_balancer ule_balancer_10 = {
	.name = "alive, donors from load 1, IPI always",
	.alive = true,
	.donor_load = 1,
	.boot = boot_drawn,
	.tick = tick_10,
	.random = ule_kernel_random,
	.pass = pass_10,
	.tell = tell_ipi,
};

const struct ule_balancer ule_balancer_11 = {
	.name = "never armed; donors from load 1, IPI always",
	.alive = false,
	.donor_load = 1,
	.boot = rearm,
	.tick = tick_10,
	.random = random_jitter,
	.pass = pass_10,
	.tell = tell_ipi,
};

const struct ule_balancer ule_balancer_12 = {
	.name = "alive, donors from load 2, notifies",
	.alive = true,
	.donor_load = 2,
	.boot = boot_interval,
	.tick = tick_12,
	.random = random_jitter,
	.pass = pass_10,
	.tell = tell_notify,
};

const struct ule_balancer ule_balancer_13 = {
	.name = "alive, lone threads choose again, notifies",
	.alive = true,
	.donor_load = 1,
	.boot = boot_interval,
	.tick = tick_13,
	.random = random_jitter,
	.pass = pass_13,
	.tell = tell_notify,
};

const struct ule_balancer ule_balancer_14 = {
	.name = "alive, lone threads choose again, notifies and preempts",
	.alive = true,
	.donor_load = 1,
	.boot = boot_interval,
	.tick = tick_13,
	.random = random_jitter,
	.pass = pass_13,
	.tell = tell_notify_self,
};
