/* SPDX-License-Identifier: BSD-2-Clause
 *
 * What a CPU does in no time: take an interrupt, switch threads, return to user mode.
 * Every event on a CPU ends in sl_cpu_settle(), which runs the current thread until
 * time must pass: a burst is armed, or the idle thread halts.
 * Invariant: between events each CPU is either halted in its idle thread or has the
 * end of its thread's burst in sl_sim.bursts. */
#include "sim/core/engine.h"

void sl_cpu_enter(struct sl_sim *s, uint32_t cpu, enum intr_kind kind)
{
	struct sl_cpu *v = &s->pol.cpu[cpu];
	bool halted = v->halted;

	s->self = cpu;
	v->intr_nesting++;
	v->critnest++;
	sl_clock_unhalt(s, cpu);
	s->ecpu[cpu].was_idle = halted;
	/* A timer interrupt replays missed ticks first, an IPI after its handler
	 * (oracle-rules.md U4). */
	if (halted && kind == INTR_TIMER)
		sl_clock_replay(s, cpu);
}

/* Owed preemption at the end of a critical section. */
static bool owed(const struct sl_cpu *v)
{
	return (v->cur->flags & SL_TDF_OWEPREEMPT) && v->critnest == 0;
}

void sl_cpu_leave(struct sl_sim *s, uint32_t cpu, enum intr_kind kind)
{
	struct sl_cpu *v = &s->pol.cpu[cpu];

	if (kind == INTR_IPI && s->ecpu[cpu].was_idle)
		sl_clock_replay(s, cpu);
	s->ecpu[cpu].was_idle = false;
	v->critnest--;
	v->intr_nesting--;
	if (owed(v))
		sl_cpu_switch(s, cpu, SL_SW_INVOL | SL_SW_PREEMPT | SL_SW_OWEPREEMPT, NULL);
	sl_cpu_settle(s, cpu);
}

static void book_out(struct sl_sim *s, struct ethread *out, unsigned sw)
{
	if (sw & SL_SW_INVOL)
		out->involuntary++;
	else
		out->voluntary++;
	if (sw & SL_SW_PREEMPT)
		s->total.preemptions++;
}

static uint32_t latency_bucket(sl_time ns)
{
	uint32_t octave;

	if (ns < 16)
		return (uint32_t)ns;
	octave = 63u - (uint32_t)__builtin_clzll(ns);
	return (octave - 3) * 16 + (uint32_t)(ns >> (octave - 4)) - 16;
}

static void book_latency(struct sl_sim *s, struct ethread *in)
{
	sl_time waited = s->pol.now - in->runnable_since;
	uint32_t b;

	in->wait_ns += waited;
	if (!in->fresh_wake)
		return;
	in->fresh_wake = false;
	b = latency_bucket(waited);
	s->total.latency[b < SL_LATENCY_BUCKETS ? b : SL_LATENCY_BUCKETS - 1]++;
	s->total.latency_n++;
	s->total.latency_sum += waited;
	if (waited > s->total.latency_max)
		s->total.latency_max = waited;
}

static void book_in(struct sl_sim *s, uint32_t cpu, struct ethread *in)
{
	in->switches++;
	s->total.switches++;
	s->ecpu[cpu].switches++;
	if (in->ran_on >= 0 && (uint32_t)in->ran_on != cpu) {
		in->migrations++;
		s->total.migrations++;
	}
	in->ran_on = (int32_t)cpu;
	book_latency(s, in);
}

/* Busy and idle time of a CPU whose kind of current thread changes. */
static void turn_busy(struct sl_sim *s, uint32_t cpu, bool busy)
{
	struct ecpu *c = &s->ecpu[cpu];

	sl_sim_waste(s);
	if (busy) {
		s->total.idle_ns += s->pol.now - c->idle_since;
		sl_clock_became_busy(s, cpu);
	} else {
		c->idle_since = s->pol.now;
		sl_clock_became_idle(s, cpu);
		sl_slots_clear(&s->bursts, cpu);
	}
	sl_cost_siblings(s, cpu);
}

static void emit_switch(struct sl_sim *s, uint32_t cpu, const struct sl_thread *out,
			const struct sl_thread *in, unsigned sw)
{
	sl_sim_emit(s, (struct sl_rec){ .at = s->pol.now,
					.kind = SL_REC_SWITCH,
					.pri = in->pri,
					.cpu = (uint16_t)cpu,
					.a = rec_tid(out),
					.b = rec_tid(in),
					.aux = (uint64_t)sw << 8 | out->state });
}

/* Makes `in` current; out has been dealt with by the policy. */
static void change_current(struct sl_sim *s, uint32_t cpu, struct ethread *out, struct ethread *in,
			   unsigned sw)
{
	struct sl_cpu *v = &s->pol.cpu[cpu];
	bool was = sl_thread_is_idle(&out->td), is = sl_thread_is_idle(&in->td);

	emit_switch(s, cpu, &out->td, &in->td, sw);
	out->td.oncpu = -1;
	if (was)
		out->td.state = SL_TS_CAN_RUN;
	in->td.oncpu = (int32_t)cpu;
	v->cur = &in->td;
	if (was != is)
		turn_busy(s, cpu, was);
	if (!is) {
		book_in(s, cpu, in);
		sl_cost_switched(s, cpu, out, in);
	} else {
		s->ecpu[cpu].switches++;
	}
}

static void note_dequeued(struct sl_sim *s, struct ethread *t)
{
	if (t->td.state == SL_TS_RUNQ) {
		sl_sim_waste(s);
		s->n_queued--;
	}
	t->td.state = SL_TS_RUNNING;
}

void sl_cpu_switch(struct sl_sim *s, uint32_t cpu, unsigned sw, struct sl_thread *next)
{
	struct sl_cpu *v = &s->pol.cpu[cpu];
	struct ethread *out = running(s, cpu);
	struct sl_thread *in;

	s->self = cpu;
	if (!sl_thread_is_idle(&out->td)) {
		sl_cost_account(s, cpu);
		book_out(s, out, sw);
	}
	if (next)
		next->state = SL_TS_RUNNING;
	v->critnest++;
	in = s->ops->sswitch(&s->pol, cpu, &out->td, sw, next);
	v->critnest--;
	v->blocking = false;
	if (!in || s->ended) {
		if (!s->ended)
			sl_sim_fail(s, SL_END_CHECK, "policy %s chose no thread on CPU %u",
				    s->ops->name, cpu);
		return;
	}
	note_dequeued(s, ethread_of(in));
	s->ecpu[cpu].seg_start = s->pol.now;
	if (in == &out->td)
		return;
	if (out->td.state == SL_TS_RUNNING && !sl_thread_is_idle(&out->td)) {
		sl_sim_fail(s, SL_END_CHECK, "policy %s lost thread %u in a switch on CPU %u",
			    s->ops->name, out->td.id, cpu);
		return;
	}
	change_current(s, cpu, out, ethread_of(in), sw);
}

static void userret(struct sl_sim *s, struct ethread *t)
{
	/* An interrupt thread never leaves the kernel. */
	if (t->td.pri_class == SL_CLASS_ITHD) {
		t->resume = RESUME_KERNEL;
		return;
	}
	if (s->ops->userret)
		s->ops->userret(&s->pol, &t->td);
	else if (t->td.pri != t->td.user_pri)
		t->td.pri = t->td.base_pri = t->td.user_pri;
	t->resume = RESUME_USER;
}

/* The AST of a reschedule request (ule.md 12.4, 4bsd.md 10). */
static void ast(struct sl_sim *s, uint32_t cpu, struct ethread *t)
{
	t->td.flags &= (uint16_t)~SL_TDF_NEEDRESCHED;
	if (s->ops->ast)
		s->ops->ast(&s->pol, &t->td);
	else if (s->ops->prio)
		s->ops->prio(&s->pol, &t->td, t->td.user_pri);
	t->resume = RESUME_AST;
	sl_cpu_switch(s, cpu, SL_SW_INVOL | SL_SW_NEEDRESCHED, NULL);
}

/* First dispatch: bind and pin before user mode. True when the thread stays on. */
static bool first_run(struct sl_sim *s, uint32_t cpu, struct ethread *t)
{
	const struct sl_task *task = &s->w->task[t->task];

	t->resume = t->td.pri_class == SL_CLASS_ITHD ? RESUME_KERNEL : RESUME_SYSCALL;
	if (task->pin)
		t->td.pinned++;
	if (task->bind_cpu >= 0 && s->ops->bind &&
	    s->ops->bind(&s->pol, &t->td, (uint32_t)task->bind_cpu))
		sl_cpu_switch(s, cpu, SL_SW_VOL | SL_SW_NONE, NULL);
	return s->pol.cpu[cpu].cur == &t->td;
}

/* One step of the idle thread; false when it has halted. */
static bool idle_step(struct sl_sim *s, uint32_t cpu)
{
	enum sl_idle_act act = SL_IDLE_HALT;

	if (s->ops->idle)
		act = s->ops->idle(&s->pol, cpu);
	switch (act) {
	case SL_IDLE_SWITCH:
		sl_cpu_switch(s, cpu, SL_SW_VOL | SL_SW_IDLE, NULL);
		return true;
	case SL_IDLE_HALT:
		sl_clock_halt(s, cpu, false);
		return false;
	case SL_IDLE_HALT_BUSY:
		sl_clock_halt(s, cpu, true);
		return false;
	}
	sl_panic("unknown idle act", __FILE__, __LINE__);
}

/* One step of a thread; false when a burst is armed and time must pass. */
static bool thread_step(struct sl_sim *s, uint32_t cpu, struct ethread *t)
{
	switch ((enum resume)t->resume) {
	case RESUME_FIRST:
		first_run(s, cpu, t);
		return true;
	case RESUME_SYSCALL:
		/* Finishing may wake a thread that preempts t; t then returns to user mode later.
		 */
		if ((t->pending == PENDING_NONE || sl_prog_finish(s, cpu, t)) &&
		    s->pol.cpu[cpu].cur == &t->td)
			userret(s, t);
		return true;
	case RESUME_AST:
		userret(s, t);
		return true;
	case RESUME_USER:
		if (t->td.flags & SL_TDF_NEEDRESCHED) {
			ast(s, cpu, t);
			return true;
		}
		break;
	case RESUME_KERNEL:
		break;
	}
	if (!t->loaded) {
		if (s->m.ops_at_once && t->delay + t->sysrem + t->rem == 0 &&
		    !sl_prog_takes_time(s, t)) {
			sl_prog_execute(s, cpu, t, false);
			return true;
		}
		sl_prog_load_burst(s, t);
	}
	sl_cost_arm(s, cpu);
	return false;
}

void sl_cpu_settle(struct sl_sim *s, uint32_t cpu)
{
	uint32_t steps = 0;
	bool more = true;

	while (more && !s->ended) {
		struct ethread *t = running(s, cpu);

		s->self = cpu;
		more = sl_thread_is_idle(&t->td) ? idle_step(s, cpu) : thread_step(s, cpu, t);
		if (++steps > 100000 + 16 * s->next_id)
			sl_sim_fail(s, SL_END_STALL,
				    "CPU %u does not settle at %llu ns: the policy keeps switching",
				    cpu, (unsigned long long)s->pol.now);
	}
}

/* Serves the IPIs of the lowest CPU that has one due. */
void sl_cpu_ipis(struct sl_sim *s)
{
	uint32_t cpu = sl_slots_first_id(&s->ipis);
	uint8_t pending = s->ecpu[cpu].ipi;

	sl_slots_clear(&s->ipis, cpu);
	s->ecpu[cpu].ipi = 0;
	sl_cpu_enter(s, cpu, INTR_IPI);
	if ((pending & SL_IPI_PREEMPT) && s->ops->preempt)
		s->ops->preempt(&s->pol, cpu);
	sl_cpu_leave(s, cpu, INTR_IPI);
}
