/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Lottery (Waldspurger and Weihl 1994): each turn goes to the holder of a drawn ticket;
 * a thread holds 21 - nice tickets (1 .. 41).
 * Invariant: one draw per choice, from the run's seed, so that the same seed gives the
 * same turns. */
#include "policies/registry.h"
#include "policies/simple.h"

static void enqueue(struct sl_simple *s, struct sl_thread *td, enum sl_simple_why why)
{
	(void)why;
	sl_simple_thread_of(td)->used = 0;
	sl_list_append(&s->list[0], &td->runq);
}

static uint32_t tickets(const struct sl_thread *td, uint32_t cpu)
{
	return sl_simple_may_run(td, cpu) ? (uint32_t)(21 - td->proc->nice) : 0;
}

/* O(waiting threads): counts the tickets, draws one, finds its holder. */
static struct sl_thread *pick(struct sl_simple *s, uint32_t cpu)
{
	const struct sl_link *list = &s->list[0];
	uint64_t sum = 0, drawn;

	for (const struct sl_link *l = list->next; l != list; l = l->next)
		sum += tickets(SL_OF(l, struct sl_thread, runq), cpu);
	drawn = sl_rng_scale(sl_rng_draw(s->p->seed, SL_RNG_POLICY, 0, s->draws++), sum);
	for (const struct sl_link *l = list->next; l != list; l = l->next) {
		struct sl_thread *td = SL_OF(l, struct sl_thread, runq);
		uint32_t own = tickets(td, cpu);

		if (drawn < own)
			return td;
		drawn -= own;
	}
	sl_panic("a ticket without a holder", __FILE__, __LINE__);
}

static bool tick(struct sl_simple *s, struct sl_thread *td)
{
	return sl_simple_thread_of(td)->used >= s->param[0];
}

static const struct sl_simple_ops lottery = {
	.enqueue = enqueue,
	.pick = pick,
	.tick = tick,
	.param = { 12 },
};

static const struct sl_tunable tunables[] = {
	{ .name = "kern.sched.slice",
	  .unit = "stat ticks",
	  .help = "length of a turn",
	  .least = 1,
	  .most = 1000000,
	  SL_SIMPLE_PARAM(0) },
};

const struct sl_policy sl_policy_lottery = {
	SL_SIMPLE_POLICY,
	.name = "lottery",
	.summary = "each turn goes to a drawn ticket; nice decides how many one holds (teaching)",
	.tunables = tunables,
	.n_tunables = SL_ARRAY_LEN(tunables),
	.extra = &lottery,
};
