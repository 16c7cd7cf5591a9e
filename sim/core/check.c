/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The checker: a policy that wraps a policy. Its operations verify, forward, verify.
 * It keeps its own count of who is queued where and never looks inside the policy.
 *
 * Rules, each proved to bite by tests/bad_policies:
 *   lost       a runnable thread that leaves a CPU is queued
 *   doubled    a thread is queued once, and a running thread is in no queue
 *   mask       a thread runs and is queued only where its mask (or its pin) allows
 *   foreign    a switch chooses a queued thread, the same thread, or this CPU's idle one
 *   idle       the idle thread is chosen only when nothing is queued for the CPU
 *   load       the policy's load figure equals running plus queued threads
 *   flags      a switch clears the request flags of the thread that leaves
 * Invariant: a wrapped and an unwrapped run give the same records. */
#include "sim/core/engine.h"

#include <stdlib.h>

struct checker {
	struct sl_policy ops;	       /* what the engine calls */
	const struct sl_policy *inner; /* what it forwards to */
};

static struct checker *checker_of(const struct sl_pol *p)
{
	return p->check;
}

static void broken(struct sl_pol *p, const char *rule, const struct sl_thread *td, const char *what)
{
	sl_sim_fail(p->sim, SL_END_CHECK,
		    "policy %s breaks rule \"%s\" at %llu ns on CPU %u: "
		    "thread %u %s",
		    p->ops->name, rule, (unsigned long long)p->now, p->sim->self, td ? td->id : 0,
		    what);
}

static bool may_run_on(const struct sl_thread *td, uint32_t cpu)
{
	return sl_bit_test(td->mask, cpu) || td->pinned > 0 || (td->flags & SL_TDF_BOUND);
}

/* Load as the machine counts it against the policy's own figure. */
static void check_load(struct sl_pol *p)
{
	int64_t said;

	if (!p->ops->metric || p->sim->ended)
		return;
	said = p->ops->metric(p, NULL, SL_METRIC_LOAD);
	if (said >= 0 && said != (int64_t)p->sim->n_queued + p->sim->n_busy)
		sl_sim_fail(p->sim, SL_END_CHECK,
			    "policy %s breaks rule \"load\" at %llu ns: it "
			    "counts %lld runnable threads, the machine %u queued and %u running",
			    p->ops->name, (unsigned long long)p->now, (long long)said,
			    p->sim->n_queued, p->sim->n_busy);
}

static void check_queued(struct sl_pol *p, const struct sl_thread *td)
{
	if (td->state == SL_TS_CAN_RUN)
		broken(p, "lost", td, "was added and is in no queue");
	else if (td->state == SL_TS_RUNQ && td->cpu >= 0 && !p->ops->work_conserving &&
		 !may_run_on(td, (uint32_t)td->cpu))
		broken(p, "mask", td, "is queued on a CPU outside its mask");
}

static void chk_add(struct sl_pol *p, struct sl_thread *td, unsigned srq)
{
	if (td->state != SL_TS_CAN_RUN) {
		broken(p, "doubled", td, "is added but not runnable");
		return;
	}
	checker_of(p)->inner->add(p, td, srq);
	check_queued(p, td);
}

static void chk_wakeup(struct sl_pol *p, struct sl_thread *td, enum sl_wprio raise, unsigned srq)
{
	checker_of(p)->inner->wakeup(p, td, raise, srq);
	check_queued(p, td);
}

static void chk_rem(struct sl_pol *p, struct sl_thread *td)
{
	checker_of(p)->inner->rem(p, td);
	if (td->state == SL_TS_RUNQ)
		broken(p, "doubled", td, "was removed and is still queued");
}

/* Does the policy owe it to td, which waits, not to leave `cpu` idle? */
static bool owed_to(const struct sl_pol *p, const struct sl_thread *td, uint32_t cpu)
{
	if (!p->ops->work_conserving)
		return td->cpu == (int32_t)cpu;
	if (p->ops->cpu_names_queue && td->cpu >= 0)
		return td->cpu == (int32_t)cpu;
	return sl_bit_test(td->mask, cpu) && td->pinned == 0 && !(td->flags & SL_TDF_BOUND);
}

/* Is a thread waiting that only its own choice keeps `cpu` from running? */
static const struct sl_thread *left_waiting(const struct sl_pol *p, uint32_t cpu)
{
	const struct sl_sim *s = p->sim;

	for (uint32_t i = 0; i < s->threads.used; i++) {
		const struct sl_thread *td = &ethread_at(s, i)->td;

		if (td->state != SL_TS_RUNQ || sl_thread_is_idle(td) || !td->proc)
			continue;
		if (owed_to(p, td, cpu))
			return td;
	}
	return NULL;
}

static void check_choice(struct sl_pol *p, uint32_t cpu, const struct sl_thread *in,
			 const struct sl_thread *out)
{
	if (sl_thread_is_idle(in)) {
		const struct sl_thread *td = p->sim->n_queued ? left_waiting(p, cpu) : NULL;

		if (in != p->cpu[cpu].idle)
			broken(p, "foreign", in, "is another CPU's idle thread");
		else if (td)
			broken(p, "idle", td, "waits for this CPU, which goes idle");
		return;
	}
	if (in != out && in->state != SL_TS_RUNQ && in->state != SL_TS_CAN_RUN)
		broken(p, "foreign", in, "was chosen but is not queued");
	else if (!may_run_on(in, cpu))
		broken(p, "mask", in, "runs on a CPU outside its mask");
}

static struct sl_thread *chk_sswitch(struct sl_pol *p, uint32_t cpu, struct sl_thread *td,
				     unsigned sw, struct sl_thread *next)
{
	struct sl_thread *in;

	in = checker_of(p)->inner->sswitch(p, cpu, td, sw, next);
	if (!in || p->sim->ended)
		return in;
	if (td->flags & (SL_TDF_NEEDRESCHED | SL_TDF_SLICEEND | SL_TDF_OWEPREEMPT))
		broken(p, "flags", td, "keeps request flags after its switch");
	if (in != next && in->state == SL_TS_CAN_RUN && !sl_thread_is_idle(in))
		broken(p, "foreign", in, "was chosen but is not queued");
	else if (in != next)
		check_choice(p, cpu, in, td);
	return in;
}

static void chk_clock(struct sl_pol *p, uint32_t cpu, struct sl_thread *td, uint32_t cnt)
{
	checker_of(p)->inner->clock(p, cpu, td, cnt);
	check_load(p);
}

static void chk_userret(struct sl_pol *p, struct sl_thread *td)
{
	checker_of(p)->inner->userret(p, td);
	if (td->state != SL_TS_RUNNING)
		broken(p, "lost", td, "returns to user mode without running");
	check_load(p);
}

bool sl_check_wrap(struct sl_sim *s)
{
	struct checker *k = calloc(1, sizeof *k);

	if (!k)
		return false;
	k->inner = s->ops;
	k->ops = *s->ops;
	k->ops.add = chk_add;
	k->ops.rem = chk_rem;
	k->ops.sswitch = chk_sswitch;
	if (s->ops->wakeup)
		k->ops.wakeup = chk_wakeup;
	if (s->ops->clock)
		k->ops.clock = chk_clock;
	if (s->ops->userret)
		k->ops.userret = chk_userret;
	s->pol.check = k;
	s->check_state = k;
	s->ops = &k->ops;
	return true;
}

void sl_check_free(struct sl_sim *s)
{
	free(s->check_state);
}
