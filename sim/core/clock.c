/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Clocks: stat ticks, what a halted CPU misses, and the policy's timers.
 * Stat tick k = 1, 2, ... is due at floor(k * 1e9 / stathz) on every CPU (plus the
 * CPU's phase when phases are drawn). A CPU that runs a thread takes each when due;
 * all CPUs without a phase take it in one pass, in ascending order.
 * Invariant: last_k of a CPU never passes the number of ticks due by now. */
#include "sim/core/engine.h"

static sl_time tick_time(const struct sl_sim *s, uint64_t k)
{
	return k * SL_NS_PER_S / s->m.stathz;
}

/* Number of stat ticks due at or before `now`: the largest k with
 * floor(k * 1e9 / stathz) <= now. */
static uint64_t ticks_due(const struct sl_sim *s, const struct ecpu *c, sl_time now)
{
	if (now < c->phase)
		return 0;
	return ((now - c->phase + 1) * s->m.stathz - 1) / SL_NS_PER_S;
}

static sl_time next_stat(const struct sl_sim *s, const struct ecpu *c)
{
	return tick_time(s, c->last_k + 1) + c->phase;
}

/* The wake of a CPU is wake_at; its entry in the heap may be earlier. A CPU goes idle and
 * busy far more often than its wake comes, so what it forgoes stays in the heap until it
 * is met there. */
static void set_wake(struct sl_sim *s, uint32_t cpu, sl_time at)
{
	s->ecpu[cpu].wake_at = at;
	if (sl_slots_at(&s->wakes, cpu) > at)
		sl_slots_set(&s->wakes, cpu, at);
}

static void clear_wake(struct sl_sim *s, uint32_t cpu)
{
	s->ecpu[cpu].wake_at = SL_TIME_MAX;
}

static sl_time apic_period(const struct sl_sim *s)
{
	return SL_NS_PER_S / (2 * s->m.hz);
}

void sl_clock_init(struct sl_sim *s)
{
	sl_time period = SL_NS_PER_S / s->m.stathz;

	for (uint32_t c = 0; c < s->pol.ncpus && s->tick_phase; c++)
		s->ecpu[c].phase = sl_rng_scale(sl_rng_draw(s->seed, SL_RNG_TICK, c, 0), period);
	for (uint32_t id = 0; id <= TIMER_IDS; id++)
		s->timer_at[id] = SL_TIME_MAX;
	sl_clock_set_timer(s, SAMPLE_TIMER, s->sample ? SL_NS_PER_S : SL_TIME_MAX);
	s->tick_k = 1;
	s->tick_at = s->m.clock == SL_CLOCK_APIC ? apic_period(s) : tick_time(s, 1);
}

/* Common ticks are due only while somebody runs; the APIC timer never stops. */
static bool common_ticks(const struct sl_sim *s)
{
	return s->m.clock == SL_CLOCK_APIC || (s->n_busy > 0 && !s->tick_phase);
}

sl_time sl_clock_next(const struct sl_sim *s)
{
	sl_time next = sl_slots_first(&s->wakes);

	return common_ticks(s) && s->tick_at < next ? s->tick_at : next;
}

void sl_clock_set_timer(struct sl_sim *s, uint32_t id, sl_time at)
{
	s->timer_at[id] = at;
	s->timer_next = SL_TIME_MAX;
	for (uint32_t i = 0; i <= TIMER_IDS; i++)
		if (s->timer_at[i] < s->timer_next)
			s->timer_next = s->timer_at[i];
}

/* Steals the cost of a clock interrupt from the running burst. Its end is not moved here:
 * when it comes, the burst is found to be longer and goes on. */
static void charge_tick(struct sl_sim *s, struct ethread *t)
{
	t->sysrem += s->costs.tick_ns;
}

/* One stat tick of a busy CPU: the hottest path of a long run. */
static void busy_tick(struct sl_sim *s, uint32_t cpu)
{
	struct sl_cpu *v = &s->pol.cpu[cpu];
	struct sl_thread *td = v->cur;

	s->self = cpu;
	s->ecpu[cpu].last_k++;
	s->ecpu[cpu].ticks++;
	v->intr_nesting++;
	v->critnest++;
	if (s->ops->clock)
		s->ops->clock(&s->pol, cpu, td, 1);
	v->critnest--;
	v->intr_nesting--;
	charge_tick(s, ethread_of(td));
	if (td->flags & (SL_TDF_NEEDRESCHED | SL_TDF_OWEPREEMPT)) {
		v->intr_nesting++;
		v->critnest++;
		sl_cpu_leave(s, cpu, INTR_TIMER);
	}
}

/* A clock interrupt that ends a halt. In the busy halt clocks run on, so at most one
 * tick is due; otherwise entering the interrupt replays what was missed. */
static void idle_wake(struct sl_sim *s, uint32_t cpu)
{
	struct ecpu *c = &s->ecpu[cpu];
	bool stat = c->halt_busy && next_stat(s, c) <= s->pol.now;

	sl_cpu_enter(s, cpu, INTR_TIMER);
	if (stat) {
		c->last_k++;
		if (s->ops->clock)
			s->ops->clock(&s->pol, cpu, s->pol.cpu[cpu].idle, 1);
	}
	sl_cpu_leave(s, cpu, INTR_TIMER);
}

/* Interrupt n of the local APIC timer on one CPU (oracle-rules.md U10): hard tick when n
 * is even, stat tick when floor(n * stathz / (2 hz)) steps. */
static void apic_interrupt(struct sl_sim *s, uint32_t cpu, uint64_t n)
{
	struct sl_cpu *v = &s->pol.cpu[cpu];
	uint64_t base = 2u * s->m.hz;

	sl_cpu_enter(s, cpu, INTR_TIMER);
	if (n % 2 == 0 && s->ops->hardclock)
		s->ops->hardclock(&s->pol, cpu, v->cur);
	if (n * s->m.stathz / base > (n - 1) * s->m.stathz / base) {
		s->ecpu[cpu].last_k++;
		if (!sl_thread_is_idle(v->cur))
			s->ecpu[cpu].ticks++;
		if (s->ops->clock)
			s->ops->clock(&s->pol, cpu, v->cur, 1);
	}
	if (!sl_thread_is_idle(v->cur))
		charge_tick(s, ethread_of(v->cur));
	sl_cpu_leave(s, cpu, INTR_TIMER);
}

static void apic_pass(struct sl_sim *s)
{
	uint64_t n = s->tick_k++;

	s->tick_at = s->tick_k * SL_NS_PER_S / (2u * s->m.hz);
	for (uint32_t cpu = 0; cpu < s->pol.ncpus && !s->ended; cpu++)
		apic_interrupt(s, cpu, n);
}

/* Moves the clock wakes that are due from the heap into s->due. */
static void collect_due(struct sl_sim *s)
{
	while (sl_slots_first(&s->wakes) <= s->pol.now) {
		uint32_t cpu = sl_slots_first_id(&s->wakes);
		sl_time at = s->ecpu[cpu].wake_at;

		sl_slots_clear(&s->wakes, cpu);
		if (at == s->pol.now)
			sl_bit_set(s->due, cpu);
		else if (at != SL_TIME_MAX)
			sl_slots_set(&s->wakes, cpu, at);
	}
}

void sl_clock_pass(struct sl_sim *s)
{
	uint32_t words = s->pol.mask_words;
	sl_time now = s->pol.now;
	bool tick = common_ticks(s) && s->tick_at == now;
	uint64_t k = s->tick_k;

	if (s->m.clock == SL_CLOCK_APIC) {
		apic_pass(s);
		return;
	}
	for (uint32_t w = 0; w < words; w++)
		s->due[w] = 0;
	collect_due(s);
	if (tick) {
		s->tick_k++;
		s->tick_at = tick_time(s, s->tick_k);
	}
	for (uint32_t cpu = 0; cpu < s->pol.ncpus && !s->ended; cpu++) {
		uint64_t rest = s->due[cpu / 64] | (tick ? s->busy[cpu / 64] : 0);

		rest >>= cpu % 64;
		if (rest == 0) {
			cpu |= 63;
			continue;
		}
		cpu += (uint32_t)__builtin_ctzll(rest);
		if (s->pol.cpu[cpu].halted) {
			if (sl_bit_test(s->due, cpu))
				idle_wake(s, cpu);
		} else if (!sl_thread_is_idle(s->pol.cpu[cpu].cur)) {
			if (s->tick_phase && sl_bit_test(s->due, cpu)) {
				busy_tick(s, cpu);
				if (sl_bit_test(s->busy, cpu))
					set_wake(s, cpu, next_stat(s, &s->ecpu[cpu]));
			} else if (tick && s->ecpu[cpu].last_k < k) {
				busy_tick(s, cpu);
			}
		}
	}
}

/* State of every live thread for the once-a-second log, in id order. */
static void emit_samples(struct sl_sim *s)
{
	struct sl_pol *p = &s->pol;
	int64_t (*metric)(const struct sl_pol *, const struct sl_thread *, enum sl_metric) =
		s->ops->metric;

	if (!metric)
		return;
	for (uint32_t i = 0; i < s->n_static; i++) {
		const struct sl_thread *td = &s->by_id[i]->td;
		uint64_t ldavg, nrun;

		if (td->state == SL_TS_NEW || td->state == SL_TS_DEAD)
			continue;
		ldavg = (uint64_t)metric(p, NULL, SL_METRIC_LDAVG0);
		nrun = (uint64_t)metric(p, NULL, SL_METRIC_NRUN);
		sl_sim_emit(s, (struct sl_rec){ .at = p->now,
						.kind = SL_REC_SAMPLE,
						.pri = td->pri,
						.cpu = td->user_pri,
						.a = td->id,
						.b = (uint32_t)metric(p, td, SL_METRIC_ESTCPU),
						.c = (uint32_t)metric(p, td, SL_METRIC_SLPTIME),
						.aux = ldavg << 32 | nrun });
	}
}

/* A policy timer runs like a kernel thread that takes no time: only a flag it sets on
 * CPU 0 makes that CPU act. */
static void run_timer(struct sl_sim *s, uint32_t id)
{
	struct sl_cpu *v = &s->pol.cpu[0];
	uint16_t asked = SL_TDF_OWEPREEMPT;

	s->self = 0;
	v->critnest++;
	s->ops->timer(&s->pol, id);
	if (!sl_thread_is_idle(v->cur))
		asked |= SL_TDF_NEEDRESCHED;
	if (v->cur->flags & asked) {
		v->intr_nesting++;
		sl_clock_unhalt(s, 0);
		sl_cpu_leave(s, 0, INTR_TIMER);
	} else {
		v->critnest--;
	}
}

void sl_clock_timers(struct sl_sim *s)
{
	for (uint32_t id = 0; id <= TIMER_IDS && !s->ended; id++) {
		if (s->timer_at[id] != s->pol.now)
			continue;
		sl_clock_set_timer(s, id, SL_TIME_MAX);
		if (id == SAMPLE_TIMER) {
			emit_samples(s);
			sl_clock_set_timer(s, id, s->pol.now + SL_NS_PER_S);
		} else if (s->ops->timer) {
			run_timer(s, id);
		}
	}
}

void sl_clock_halt(struct sl_sim *s, uint32_t cpu, bool busy)
{
	struct ecpu *c = &s->ecpu[cpu];
	sl_time ms = SL_NS_PER_S / s->m.hz, hard = s->pol.now / ms;

	s->pol.cpu[cpu].halted = true;
	c->halt_busy = busy;
	if (s->m.clock == SL_CLOCK_APIC)
		return;
	if (busy) {
		sl_time stat = next_stat(s, c), next = (hard + 1) * ms;

		set_wake(s, cpu, stat < next ? stat : next);
	} else if (s->m.idle_clock_wake) {
		set_wake(s, cpu, (hard + s->m.hz / 2) * ms);
	}
}

void sl_clock_unhalt(struct sl_sim *s, uint32_t cpu)
{
	if (!s->pol.cpu[cpu].halted)
		return;
	s->pol.cpu[cpu].halted = false;
	clear_wake(s, cpu);
}

void sl_clock_replay(struct sl_sim *s, uint32_t cpu)
{
	struct ecpu *c = &s->ecpu[cpu];
	uint64_t due, missed;

	if (s->m.clock == SL_CLOCK_APIC || c->halt_busy)
		return;
	due = ticks_due(s, c, s->pol.now);
	if (due <= c->last_k)
		return;
	missed = due - c->last_k;
	c->last_k = due;
	if (!s->m.replay_ticks || !s->ops->clock)
		return;
	if (s->m.tick_count) {
		s->ops->clock(&s->pol, cpu, s->pol.cpu[cpu].idle, (uint32_t)missed);
		return;
	}
	for (uint64_t i = 0; i < missed; i++)
		s->ops->clock(&s->pol, cpu, s->pol.cpu[cpu].idle, 1);
}

void sl_clock_became_busy(struct sl_sim *s, uint32_t cpu)
{
	struct ecpu *c = &s->ecpu[cpu];

	sl_bit_set(s->busy, cpu);
	if (s->m.clock == SL_CLOCK_APIC) {
		s->n_busy++;
		return;
	}
	/* Only a CPU that never replays can be behind here. */
	if (ticks_due(s, c, s->pol.now) > c->last_k)
		c->last_k = ticks_due(s, c, s->pol.now);
	if (s->n_busy++ == 0 && !s->tick_phase && s->tick_at <= s->pol.now) {
		s->tick_k = ticks_due(s, c, s->pol.now) + 1;
		s->tick_at = tick_time(s, s->tick_k);
	}
	if (s->tick_phase)
		set_wake(s, cpu, next_stat(s, c));
}

void sl_clock_became_idle(struct sl_sim *s, uint32_t cpu)
{
	sl_bit_clear(s->busy, cpu);
	s->n_busy--;
	if (s->tick_phase)
		clear_wake(s, cpu);
}
