/* SPDX-License-Identifier: BSD-2-Clause
 *
 * What a burst still takes. A thread's remaining work is spent in the order delay (no
 * work: idle exit), sysrem (kernel overhead), rem (the program's burst); all of it at
 * the CPU's speed, which changes when a hardware-thread sibling starts or stops.
 * On the ideal machine every cost is zero and the speed is SPEED_ONE, and all
 * arithmetic is exact.
 * Invariant: seg_start <= now; work before seg_start is booked, work after is not. */
#include "sim/core/engine.h"

/* Work done in dt at a speed, rounded down. */
static sl_time work_done(const struct ecpu *c, sl_time dt)
{
	if (c->speed == SPEED_ONE)
		return dt;
	return (sl_time)(((sl_u128)dt * c->speed) / SPEED_ONE);
}

/* Time that work takes at a speed, rounded up: a burst never ends early. */
static sl_time time_for(const struct ecpu *c, sl_time work)
{
	if (c->speed == SPEED_ONE || work == 0)
		return work;
	if (work < (sl_time)1 << 46) /* fits 64 bits: a much cheaper division */
		return (work * SPEED_ONE + c->speed - 1) / c->speed;
	return (sl_time)(((sl_u128)work * SPEED_ONE + c->speed - 1) / c->speed);
}

static sl_time spend(sl_time *from, sl_time *work)
{
	sl_time part = *work < *from ? *work : *from;

	*from -= part;
	*work -= part;
	return part;
}

void sl_cost_account(struct sl_sim *s, uint32_t cpu)
{
	struct ecpu *c = &s->ecpu[cpu];
	struct ethread *t = running(s, cpu);
	sl_time dt = s->pol.now - c->seg_start, work, sys, rest;

	if (dt == 0)
		return;
	c->seg_start = s->pol.now;
	c->busy_ns += dt;
	c->run_sum += dt;
	work = work_done(c, dt);
	/* CPU time is what a clock sees: kernel overhead by its share, the burst the rest. */
	rest = work;
	spend(&t->delay, &rest);
	sys = spend(&t->sysrem, &rest);
	if (rest > t->rem)
		rest = t->rem;
	t->rem -= rest;
	sys = time_for(c, sys);
	if (sys > dt)
		sys = dt;
	if (t->kernel_mode)
		sys = dt;
	t->sys_ns += sys;
	t->user_ns += dt - sys;
}

void sl_cost_arm(struct sl_sim *s, uint32_t cpu)
{
	struct ecpu *c = &s->ecpu[cpu];
	struct ethread *t = running(s, cpu);
	sl_time left = sl_time_add(t->delay + t->sysrem, t->rem);

	sl_slots_set(&s->bursts, cpu, sl_time_add(c->seg_start, time_for(c, left)));
}

/* Cost of refilling what the thread lost since it last ran: everything that lies beyond
 * the nearest shared cache, or the part foreign threads evicted from its own CPU
 * (proportional to their run time, after Thiebaut and Stone 1987; docs/model.md). */
static sl_time refill(const struct sl_sim *s, uint32_t cpu, const struct ethread *in)
{
	const struct sl_costs *k = &s->costs;
	uint64_t kib = s->w->task[in->task].footprint_kib;
	enum sl_shared near;
	uint64_t foreign;

	if (kib == 0)
		kib = k->footprint_kib;
	if (in->warm_cpu < 0)
		return kib * k->refill_ns_per_kib[SL_SHARED_NOTHING];
	near = sl_topo_shared(s->topo, (uint32_t)in->warm_cpu, cpu);
	if (near != SL_SHARED_CPU)
		return kib * k->refill_ns_per_kib[near];
	if (k->evict_us == 0)
		return 0;
	foreign = (s->ecpu[cpu].run_sum - in->warm_mark) / SL_NS_PER_US;
	if (foreign > k->evict_us)
		foreign = k->evict_us;
	return kib * k->refill_ns_per_kib[SL_SHARED_L3] * foreign / k->evict_us;
}

void sl_cost_switched(struct sl_sim *s, uint32_t cpu, struct ethread *out, struct ethread *in)
{
	if (!s->timed)
		return;
	if (!sl_thread_is_idle(&out->td)) {
		out->warm_cpu = (int32_t)cpu;
		out->warm_mark = s->ecpu[cpu].run_sum;
	} else {
		in->delay = s->costs.idle_exit_ns;
	}
	in->sysrem += s->costs.switch_ns;
	in->rem += refill(s, cpu, in);
	in->warm_cpu = (int32_t)cpu;
	in->warm_mark = s->ecpu[cpu].run_sum;
}

static uint32_t busy_siblings(const struct sl_sim *s, uint32_t cpu)
{
	const struct ecpu *c = &s->ecpu[cpu];
	uint32_t n = 0;

	for (uint32_t i = 0; i < c->core_n; i++) {
		uint32_t other = s->core_list[c->core_first + i];

		if (other != cpu && !sl_thread_is_idle(s->pol.cpu[other].cur))
			n++;
	}
	return n;
}

static void set_speed(struct sl_sim *s, uint32_t cpu)
{
	struct ecpu *c = &s->ecpu[cpu];
	uint32_t n = busy_siblings(s, cpu), permille;

	if (n >= SL_ARRAY_LEN(s->costs.smt_permille))
		n = SL_ARRAY_LEN(s->costs.smt_permille) - 1;
	permille = s->costs.smt_permille[n] ? s->costs.smt_permille[n] : 1000;
	c->speed = (uint32_t)((uint64_t)c->base_speed * permille / 1000);
	if (c->speed == 0)
		c->speed = 1;
}

void sl_cost_siblings(struct sl_sim *s, uint32_t cpu)
{
	const struct ecpu *c = &s->ecpu[cpu];

	if (!s->timed)
		return;
	for (uint32_t i = 0; i < c->core_n; i++) {
		uint32_t other = s->core_list[c->core_first + i];
		bool busy = !sl_thread_is_idle(s->pol.cpu[other].cur);

		if (busy && other != cpu) {
			sl_cost_account(s, other);
			set_speed(s, other);
			sl_cost_arm(s, other);
		} else {
			set_speed(s, other);
		}
	}
}

/* One speed factor per run: the sum of twelve uniforms is close enough to a normal
 * deviate (Irwin-Hall), and needs integers only. */
static uint32_t run_speed(const struct sl_sim *s, uint32_t permille)
{
	int64_t z = -6 * 65536, speed;

	for (uint64_t i = 0; i < 12; i++)
		z += (int64_t)(sl_rng_draw(s->seed, SL_RNG_COST, 0, i) >> 48);
	speed = (int64_t)SPEED_ONE * permille / 1000;
	speed += speed * s->costs.noise_permille / 1000 * z / 65536;
	return speed < 1 ? 1 : (uint32_t)speed;
}

void sl_cost_init(struct sl_sim *s)
{
	const struct sl_costs *k = &s->costs;
	bool timed = k->switch_ns || k->idle_exit_ns || k->footprint_kib || k->noise_permille;

	for (uint32_t i = 0; i < SL_ARRAY_LEN(k->smt_permille); i++)
		timed |= k->smt_permille[i] != 0 && k->smt_permille[i] != 1000;
	for (uint32_t i = 0; i < SL_SHARED_COUNT; i++)
		timed |= k->refill_ns_per_kib[i] != 0;
	for (uint32_t c = 0; c < s->pol.ncpus; c++) {
		uint32_t permille = s->topo->cpu[c].speed_permille;

		s->ecpu[c].base_speed = run_speed(s, permille ? permille : 1000);
		s->ecpu[c].speed = s->ecpu[c].base_speed;
		timed |= s->ecpu[c].base_speed != SPEED_ONE;
	}
	s->timed = timed;
	for (uint32_t c = 0; c < s->pol.ncpus && timed; c++)
		set_speed(s, c);
}
