/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The pass over all threads once a second ("schedcpu").
 * Invariant: the pass is one atomic step of a kernel thread at PVM on CPU 0, which
 * stands in for CPU 0's current thread in every test meanwhile; it switches nothing. */
#include "policies/4bsd.h"

/* Runs, is queued, or did run since the last pass? A thread blocked on a lock counts
 * as asleep. */
static bool was_awake(struct sl_thread *td)
{
	struct bsd_thread *bt = bsd_td(td);
	bool did = bt->didrun;

	if (td->state == SL_TS_RUNNING)
		return true;
	bt->didrun = false;
	return did || td->state == SL_TS_RUNQ;
}

static void age_pct(const struct sl_pol *p, struct bsd_thread *bt)
{
	bt->pct = bsd_pct_pass(bt->pct, bt->cpticks, p->stathz);
	bt->cpticks = 0;
}

static void age_group(struct sl_pol *p, struct sl_thread *td, uint32_t ldavg0)
{
	const struct bsd *b = bsd_of(p);
	struct bsd_group *group = bsd_td(td)->group;
	uint32_t old = group->usage;
	bool awake = false;

	for (struct sl_thread *m = td; m != NULL; m = bsd_member_next(b->era, m)) {
		awake |= was_awake(m);
		age_pct(p, bsd_td(m));
	}
	if (!awake) {
		group->slp++;
	} else {
		if (group->slp > 1)
			group->usage = bsd_catchup(b->ldavg[0], group->usage, group->slp);
		group->slp = 0;
	}
	if (group->slp > 1) /* long sleepers are aged when they wake up */
		return;
	group->usage = bsd_decay(ldavg0, group->usage);
	sl_why(p, SL_WHY_DECAY, td, old, group->usage, ldavg0);
	bsd_recompute(p, td);
	for (struct sl_thread *m = td; m != NULL; m = bsd_member_next(b->era, m))
		bsd_apply(p, m);
}

/* The wake-up of the kernel thread itself: it never runs here, but when its waking
 * matters, it asks an idle CPU or the current thread to make room. */
static void wake_pass_thread(struct sl_pol *p)
{
	const struct bsd *b = bsd_of(p);

	if (!(p->smp && b->n_idle > 0 && bsd_forward(p)))
		bsd_resched_test(p, &b->pass_thread);
}

void bsd_pass(struct sl_pol *p)
{
	struct bsd *b = bsd_of(p);
	uint32_t ldavg0 = b->ldavg[0];

	if (b->pass_wakes)
		wake_pass_thread(p);
	b->passes++;
	b->virtual_cur = &b->pass_thread;
	for (struct sl_link *l = p->allproc->next; l != p->allproc; l = l->next) {
		const struct sl_proc *proc = SL_OF(l, struct sl_proc, all);

		for (struct sl_thread *td = bsd_thread_first(b->era, proc); td != NULL;
		     td = bsd_thread_next(b->era, td)) {
			struct bsd_group *group = bsd_td(td)->group;

			if (group == NULL || group->pass == b->passes)
				continue; /* not forked yet, or done with another member */
			group->pass = b->passes;
			age_group(p, td, ldavg0);
		}
	}
	b->virtual_cur = NULL;
}
