/* SPDX-License-Identifier: BSD-2-Clause
 *
 * First in, first out: a thread runs until it sleeps, yields or ends.
 * Invariant: list 0 is in order of arrival. */
#include "policies/registry.h"
#include "policies/simple.h"

static void enqueue(struct sl_simple *s, struct sl_thread *td, enum sl_simple_why why)
{
	/* Whoever had to leave his CPU has not had his turn yet. */
	if (why == SL_SIMPLE_DISPLACED)
		sl_list_prepend(&s->list[0], &td->runq);
	else
		sl_list_append(&s->list[0], &td->runq);
}

static struct sl_thread *pick(struct sl_simple *s, uint32_t cpu)
{
	return sl_simple_first(&s->list[0], cpu);
}

static const struct sl_simple_ops fifo = { .enqueue = enqueue, .pick = pick };

const struct sl_policy sl_policy_fifo = {
	SL_SIMPLE_POLICY,
	.name = "fifo",
	.summary = "first in, first out; runs until it sleeps (teaching)",
	.extra = &fifo,
};
