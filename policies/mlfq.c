/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Multi-level feedback queue (Corbato 1962): who uses up a turn sinks one level, where
 * turns are twice as long and come later; who sleeps keeps its level. From time to time
 * everybody starts again at the top, so that nobody starves.
 * Invariant: a waiting thread is on the list of its level. */
#include "policies/registry.h"
#include "policies/simple.h"

enum { SLICE, LEVELS, BOOST };

/* Raises all who wait or run; a sleeper keeps its level. */
static void boost(struct sl_simple *s)
{
	s->deadline = s->p->now + (sl_time)s->param[BOOST] * SL_NS_PER_MS;
	for (uint32_t c = 0; c < s->p->ncpus; c++)
		sl_simple_thread_of(s->p->cpu[c].cur)->level = 0;
	for (int32_t i = 1; i < SL_SIMPLE_LISTS; i++)
		while (!sl_list_empty(&s->list[i])) {
			struct sl_link *l = s->list[i].next;

			sl_link_remove(l);
			sl_list_append(&s->list[0], l);
			sl_simple_thread_of(SL_OF(l, struct sl_thread, runq))->level = 0;
		}
}

static void enqueue(struct sl_simple *s, struct sl_thread *td, enum sl_simple_why why)
{
	struct sl_simple_thread *ts = sl_simple_thread_of(td);

	if (why == SL_SIMPLE_TURN_OVER && ts->level + 1 < s->param[LEVELS])
		ts->level++;
	if (why == SL_SIMPLE_DISPLACED) {
		sl_list_prepend(&s->list[ts->level], &td->runq);
		return;
	}
	if (why == SL_SIMPLE_TURN_OVER)
		ts->used = 0;
	sl_list_append(&s->list[ts->level], &td->runq);
}

static struct sl_thread *pick(struct sl_simple *s, uint32_t cpu)
{
	struct sl_thread *td = NULL;

	for (int32_t i = 0; i < SL_SIMPLE_LISTS && td == NULL; i++)
		td = sl_simple_first(&s->list[i], cpu);
	return td;
}

static bool tick(struct sl_simple *s, struct sl_thread *td)
{
	struct sl_simple_thread *ts = sl_simple_thread_of(td);

	if (s->p->now >= s->deadline)
		boost(s);
	return ts->used >= s->param[SLICE] << ts->level;
}

static bool beats(const struct sl_simple *s, const struct sl_thread *td,
		  const struct sl_thread *running)
{
	(void)s;
	return sl_simple_thread_of(td)->level < sl_simple_thread_of(running)->level;
}

static const struct sl_simple_ops mlfq = {
	.enqueue = enqueue,
	.pick = pick,
	.tick = tick,
	.beats = beats,
	.param = { [SLICE] = 3, [LEVELS] = 4, [BOOST] = 1000 },
};

static const struct sl_tunable tunables[] = {
	{ .name = "kern.sched.slice",
	  .unit = "stat ticks",
	  .help = "length of a turn on the top level; doubles with each level",
	  .least = 1,
	  .most = 100000,
	  SL_SIMPLE_PARAM(SLICE) },
	{ .name = "mlfq.levels",
	  .unit = "levels",
	  .help = "number of levels",
	  .least = 1,
	  .most = SL_SIMPLE_LISTS,
	  SL_SIMPLE_PARAM(LEVELS) },
	{ .name = "mlfq.boost",
	  .unit = "ms",
	  .help = "time between two rises of all waiting threads to the top level",
	  .least = 1,
	  .most = 1000000,
	  SL_SIMPLE_PARAM(BOOST) },
};

const struct sl_policy sl_policy_mlfq = {
	SL_SIMPLE_POLICY,
	.name = "mlfq",
	.summary = "multi-level feedback queue with a periodic boost (teaching)",
	.tunables = tunables,
	.n_tunables = SL_ARRAY_LEN(tunables),
	.extra = &mlfq,
};
