/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Building a simulation, its main loop, and the services a policy may call.
 * The order of events is decided in next_event() alone: earliest time; at one time
 * clocks (all CPUs, ascending), policy timers, time-outs and starts (by thread id),
 * burst ends (by CPU), IPIs (by CPU). One event is served, then all is looked at again.
 * Invariant: time moves only in sl_sim_run(), and never back. */
#include "sim/core/engine.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum event { EV_NONE, EV_CLOCK, EV_TIMER, EV_TIMEOUT, EV_BURST, EV_IPI };

void sl_sim_fail(struct sl_sim *s, enum sl_end end, const char *fmt, ...)
{
	va_list ap;

	if (s->ended)
		return;
	s->ended = true;
	s->end = end;
	va_start(ap, fmt);
	vsnprintf(s->fault, sizeof s->fault, fmt, ap);
	va_end(ap);
}

/* Decisions and samples are emitted for whoever asked; the digest must not tell. The words
 * of a record are mixed side by side, so that only one multiplication a record waits for
 * the record before. */
static uint64_t digest(uint64_t h, const struct sl_rec *rec)
{
	uint64_t head = rec->kind | (uint64_t)rec->pri << 8 | (uint64_t)rec->cpu << 16 |
			(uint64_t)rec->a << 32;
	uint64_t threads = rec->b | (uint64_t)rec->c << 32;
	uint64_t mixed;

	if (rec->kind == SL_REC_WHY || rec->kind == SL_REC_SAMPLE || rec->kind == SL_REC_EDGE)
		return h;
	mixed = rec->at * 0x9e3779b97f4a7c15u + head * 0xbf58476d1ce4e5b9u +
		threads * 0x94d049bb133111ebu + rec->aux * 0xd6e8feb86659fd93u;
	h = (h ^ mixed ^ mixed >> 32) * 0x9e3779b97f4a7c15u;
	return h ^ h >> 29;
}

static void flush(struct sl_sim *s)
{
	for (uint32_t i = 0; i < s->n_batch; i++)
		s->digest = digest(s->digest, &s->batch[i]);
	for (uint32_t i = 0; i < s->n_sinks; i++)
		s->sinks[i].take(s->sinks[i].ctx, s->batch, s->n_batch);
	s->n_batch = 0;
}

void sl_sim_emit(struct sl_sim *s, struct sl_rec rec)
{
	s->batch[s->n_batch++] = rec;
	if (s->n_batch == BATCH)
		flush(s);
}

void sl_sim_waste(struct sl_sim *s)
{
	uint32_t idle = s->n_usable > s->n_busy ? s->n_usable - s->n_busy : 0;
	uint32_t both = idle < s->n_queued ? idle : s->n_queued;

	s->total.wasted_ns += both * (s->pol.now - s->waste_mark);
	s->waste_mark = s->pol.now;
}

/* Building. */

static void *zeroed(struct sl_sim *s, size_t n, size_t size)
{
	s->memory += n * size;
	return calloc(n ? n : 1, size ? size : 1);
}

static bool build_masks(struct sl_sim *s, const struct sl_sim_args *a)
{
	uint32_t words = s->pol.mask_words, n = s->w->n_masks;
	uint32_t shorter = s->w->mask_words < words ? s->w->mask_words : words;

	s->full_mask = zeroed(s, words, 8);
	s->usable = zeroed(s, words, 8);
	s->busy = zeroed(s, words, 8);
	s->due = zeroed(s, words, 8);
	s->task_mask = zeroed(s, (size_t)n * words, 8);
	if (!s->full_mask || !s->usable || !s->busy || !s->due || !s->task_mask)
		return false;
	sl_bits_fill(s->full_mask, 0, s->pol.ncpus);
	for (uint32_t w = 0; w < words; w++)
		s->usable[w] = s->full_mask[w] & (a->cpuset ? a->cpuset[w] : ~(uint64_t)0);
	for (uint32_t i = 0; i < n; i++)
		for (uint32_t w = 0; w < shorter; w++)
			s->task_mask[(size_t)i * words + w] =
				s->w->mask[(size_t)i * s->w->mask_words + w] & s->usable[w];
	s->n_usable = sl_bits_count(s->usable, words);
	return true;
}

static bool build_cores(struct sl_sim *s)
{
	uint32_t n = s->pol.ncpus, at = 0;
	uint32_t *count = calloc(n + 1u, sizeof *count);

	s->core_list = zeroed(s, n, sizeof *s->core_list);
	if (!count || !s->core_list) {
		free(count);
		return false;
	}
	for (uint32_t c = 0; c < n; c++)
		count[s->topo->cpu[c].core % n]++;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t size = count[i];

		count[i] = at;
		at += size;
	}
	for (uint32_t c = 0; c < n; c++)
		s->core_list[count[s->topo->cpu[c].core % n]++] = c;
	for (uint32_t c = 0, first = 0; c < n; c = first) {
		uint32_t core = s->topo->cpu[s->core_list[c]].core;

		while (first < n && s->topo->cpu[s->core_list[first]].core == core)
			first++;
		for (uint32_t i = c; i < first; i++) {
			s->ecpu[s->core_list[i]].core_first = c;
			s->ecpu[s->core_list[i]].core_n = (uint16_t)(first - c);
		}
	}
	free(count);
	return true;
}

/* CPU and instance bytes of the policy, each CPU's on cache lines of its own: an odd number
 * of lines, so that the same field of all CPUs does not fall into one set of the cache. */
static bool build_policy_state(struct sl_sim *s)
{
	size_t inst = (s->ops->instance_size + 127) & ~(size_t)63;
	size_t each = ((s->ops->cpu_size + 63) & ~(size_t)63) | 64;
	unsigned char *p = zeroed(s, 1, inst + each * s->pol.ncpus + 64);

	s->policy_state = p;
	if (!p)
		return false;
	p += 64 - ((uintptr_t)p & 63);
	s->pol.priv = p;
	for (uint32_t c = 0; c < s->pol.ncpus; c++)
		s->pol.cpu[c].priv = p + inst + each * c;
	return true;
}

static bool build(struct sl_sim *s, const struct sl_sim_args *a)
{
	uint32_t n = s->pol.ncpus;

	s->pol.cpu = zeroed(s, n, sizeof *s->pol.cpu);
	s->ecpu = zeroed(s, n, sizeof *s->ecpu);
	s->idle = zeroed(s, n, sizeof(struct ethread *));
	s->tree = sl_cpu_tree_new(s->topo, s->m.groups);
	if (!s->pol.cpu || !s->ecpu || !s->idle || !s->tree || !build_masks(s, a) ||
	    !build_cores(s) || !sl_slots_init(&s->bursts, n) || !sl_slots_init(&s->wakes, n) ||
	    !sl_slots_init(&s->ipis, n) || !build_policy_state(s) || !sl_sync_init(s) ||
	    !sl_life_init(s))
		return false;
	s->pol.tree = s->tree;
	s->pol.allproc = &s->allproc;
	sl_cost_init(s);
	sl_clock_init(s);
	return true;
}

static void view(struct sl_sim *s, const struct sl_sim_args *a)
{
	s->pol.ncpus = a->topo->ncpus;
	s->pol.mask_words = SL_BITS_WORDS(a->topo->ncpus);
	s->pol.hz = s->m.hz;
	s->pol.stathz = s->m.stathz;
	s->pol.smp = !a->topo->uniprocessor;
	s->pol.explain = a->explain;
	s->pol.ops = s->ops;
	s->pol.era = a->era ? a->era->data : NULL;
	s->pol.sim = s;
}

/* A sentence when the arguments contradict each other. */
static const char *refuse(const struct sl_sim_args *a, const struct sl_machine *m)
{
	uint32_t where;
	bool is_task;
	const char *why = sl_policy_refuse(a->era && a->era->ops ? a->era->ops : a->policy);

	if (why)
		return why;
	if (!m || m->hz == 0 || m->stathz == 0 || m->hz > 1000000 || m->stathz > 1000000)
		return "kern.hz and kern.stathz must be 1 to 1000000";
	if (a->topo->ncpus == 0 || a->topo->ncpus > SL_TOPO_MAX_CPUS)
		return "the topology must have 1 to 8192 CPUs";
	return sl_workload_check(a->workload, &where, &is_task);
}

static const char *refuse_masks(const struct sl_sim *s)
{
	if (s->n_usable == 0)
		return "the cpuset holds no CPU of this topology";
	for (uint32_t i = 0; i < s->w->n_masks; i++)
		if (sl_bits_empty(s->task_mask + (size_t)i * s->pol.mask_words, s->pol.mask_words))
			return "a CPU mask of the workload holds no usable CPU of this topology";
	for (uint32_t i = 0; i < s->w->n_tasks; i++) {
		const struct sl_task *t = &s->w->task[i];

		if (t->bind_cpu >= (int32_t)s->pol.ncpus ||
		    (t->ithread && (uint32_t)t->irq_cpu >= s->pol.ncpus))
			return "a task names a CPU that this topology does not have";
	}
	for (uint32_t i = 0; i < s->w->n_ops; i++)
		if (s->w->op[i].kind == SL_OP_BIND && s->w->op[i].value >= (int32_t)s->pol.ncpus)
			return "a bind names a CPU that this topology does not have";
	return NULL;
}

static void apply_overrides(struct sl_sim *s, const struct sl_sim_args *a)
{
	for (uint32_t i = 0; i < a->n_overrides; i++) {
		const struct sl_tunable *t = a->override[i].tunable;

		if (t->set)
			t->set(&s->pol, a->override[i].value);
		else
			*(int32_t *)(void *)((char *)s->pol.priv + t->offset) =
				(int32_t)a->override[i].value;
	}
}

struct sl_sim *sl_sim_new(const struct sl_sim_args *a, char *err, size_t err_len)
{
	const struct sl_policy *ops = a->era && a->era->ops ? a->era->ops : a->policy;
	const struct sl_machine *m = a->machine			 ? a->machine
				     : a->era && a->era->machine ? a->era->machine
								 : ops->machine;
	const char *why = refuse(a, m);
	struct sl_sim *s;

	if (why) {
		snprintf(err, err_len, "%s", why);
		return NULL;
	}
	s = calloc(1, sizeof *s);
	if (!s) {
		snprintf(err, err_len, "out of memory");
		return NULL;
	}
	s->ops = ops;
	s->m = *m;
	s->w = a->workload;
	s->topo = a->topo;
	s->seed = s->pol.seed = a->seed;
	s->until = a->until ? a->until : a->workload->duration;
	s->bounded = s->until != 0;
	s->cold_cache = a->cold_cache;
	s->sample = a->sample;
	s->tick_phase = a->tick_phase;
	s->sinks = a->sinks;
	s->n_sinks = a->n_sinks;
	s->stop = a->stop;
	s->give_up = a->give_up ? a->give_up : (sl_time)1 << 62;
	s->digest = 0x73636865646c6162u;
	s->memory = sizeof *s;
	if (a->costs)
		s->costs = *a->costs;
	view(s, a);
	if (!build(s, a) || (a->check && !sl_check_wrap(s)))
		why = s->stop && *s->stop ? "interrupted before it began" : "out of memory";
	else
		why = refuse_masks(s);
	if (why) {
		snprintf(err, err_len, "%s", why);
		sl_sim_free(s);
		return NULL;
	}
	s->next_hard = SL_NS_PER_S / s->m.hz;
	s->ops->init(&s->pol);
	apply_overrides(s, a);
	if (s->ops->setup)
		s->ops->setup(&s->pol);
	return s;
}

void sl_sim_free(struct sl_sim *s)
{
	if (!s)
		return;
	sl_life_fini(s);
	sl_sync_fini(s);
	sl_check_free(s);
	sl_evheap_fini(&s->timeouts);
	sl_slots_fini(&s->bursts);
	sl_slots_fini(&s->wakes);
	sl_slots_fini(&s->ipis);
	sl_cpu_tree_free(s->tree);
	free(s->policy_state);
	free(s->pol.cpu);
	free(s->ecpu);
	free(s->idle);
	free(s->core_list);
	free(s->full_mask);
	free(s->usable);
	free(s->busy);
	free(s->due);
	free(s->task_mask);
	free(s);
}

/* The loop. */

static enum event next_event(const struct sl_sim *s, sl_time *at)
{
	enum event first = EV_CLOCK;
	sl_time t = sl_clock_next(s), other;

	if (s->timer_next < t) {
		t = s->timer_next;
		first = EV_TIMER;
	}
	other = sl_evheap_first(&s->timeouts);
	if (other < t) {
		t = other;
		first = EV_TIMEOUT;
	}
	other = sl_slots_first(&s->bursts);
	if (other < t) {
		t = other;
		first = EV_BURST;
	}
	other = sl_slots_first(&s->ipis);
	if (other < t) {
		t = other;
		first = EV_IPI;
	}
	*at = t;
	return t == SL_TIME_MAX ? EV_NONE : first;
}

/* Nothing but clocks is left, though threads are: nobody will ever wake them. */
static bool hopeless(const struct sl_sim *s)
{
	return s->timeouts.n == 0 && s->n_busy == 0 && sl_slots_empty(&s->bursts) &&
	       sl_slots_empty(&s->ipis) && s->n_queued == 0;
}

static void advance(struct sl_sim *s, sl_time at)
{
	if (at == s->pol.now) {
		if (++s->instant_events > 100000 + 64 * (uint64_t)s->next_id)
			sl_sim_fail(s, SL_END_STALL,
				    "time does not advance past %llu ns: threads keep waking each "
				    "other without using time",
				    (unsigned long long)at);
		return;
	}
	SL_ASSERT(at > s->pol.now);
	s->instant_events = 0;
	s->pol.now = at;
	if (at >= s->next_hard) {
		uint64_t ticks =
			at / SL_NS_PER_S * s->m.hz + at % SL_NS_PER_S * s->m.hz / SL_NS_PER_S;

		s->pol.ticks = (int32_t)ticks;
		s->next_hard = ((ticks + 1) * SL_NS_PER_S + s->m.hz - 1) / s->m.hz;
	}
}

static void timeout_event(struct sl_sim *s)
{
	sl_life_timeout(s, sl_evheap_pop(&s->timeouts));
}

static void serve(struct sl_sim *s, enum event e)
{
	switch (e) {
	case EV_NONE:
		break;
	case EV_CLOCK:
		sl_clock_pass(s);
		break;
	case EV_TIMER:
		sl_clock_timers(s);
		break;
	case EV_TIMEOUT:
		timeout_event(s);
		break;
	case EV_BURST:
		sl_prog_burst_end(s, sl_slots_first_id(&s->bursts));
		break;
	case EV_IPI:
		sl_cpu_ipis(s);
		break;
	}
}

static void boot(struct sl_sim *s)
{
	sl_life_boot(s);
	for (uint32_t c = 0; c < s->pol.ncpus && !s->ended; c++) {
		if (s->m.boot_idle_pass)
			sl_cpu_settle(s, c);
		else
			sl_clock_halt(s, c, false);
	}
}

/* A wait that the end cuts off counts as far as it went. */
static void end_wait(const struct sl_sim *s, struct ethread *t)
{
	if (t->td.state != SL_TS_RUNQ)
		return;
	t->wait_ns += s->pol.now - t->runnable_since;
	t->runnable_since = s->pol.now;
}

static void finish(struct sl_sim *s, sl_time at)
{
	if (at != SL_TIME_MAX && at > s->pol.now)
		s->pol.now = at;
	sl_sim_waste(s);
	for (uint32_t c = 0; c < s->pol.ncpus; c++) {
		if (sl_thread_is_idle(s->pol.cpu[c].cur)) {
			s->total.idle_ns += s->pol.now - s->ecpu[c].idle_since;
			s->ecpu[c].idle_since = s->pol.now;
		} else {
			sl_cost_account(s, c);
		}
	}
	for (uint32_t i = 0; i < s->threads.used; i++)
		end_wait(s, ethread_at(s, i));
	flush(s);
}

static bool stopped(struct sl_sim *s)
{
	if (s->stop && s->total.events % STOP_LOOK == 0 &&
	    atomic_load_explicit(s->stop, memory_order_relaxed)) {
		s->end = SL_END_STOPPED;
		return true;
	}
	return false;
}

enum sl_end sl_sim_run(struct sl_sim *s)
{
	sl_time at = 0;

	s->end = SL_END_DONE;
	boot(s);
	while (!s->ended && !stopped(s)) {
		enum event e = next_event(s, &at);

		if (s->living == 0) {
			at = s->pol.now;
			break;
		}
		if (s->bounded && at >= s->until) {
			at = s->until;
			s->end = SL_END_UNTIL;
			break;
		}
		if (hopeless(s)) {
			sl_result_deadlock(s);
			if (s->ended)
				break;
		}
		if (e == EV_NONE || (!s->bounded && at > s->give_up)) {
			sl_sim_fail(s, SL_END_STALL, "nothing bounds this run: give it an end");
			break;
		}
		advance(s, at);
		s->total.events++;
		serve(s, e);
	}
	if (s->ended)
		at = s->pol.now;
	finish(s, s->end == SL_END_UNTIL ? s->until : s->pol.now);
	return s->end;
}

const char *sl_sim_fault(const struct sl_sim *s)
{
	return s->fault;
}

struct sl_pol *sl_sim_pol(struct sl_sim *s)
{
	return &s->pol;
}

/* Services. */

uint32_t sl_pol_self(const struct sl_pol *p)
{
	return p->sim->self;
}

void sl_pol_queued(struct sl_pol *p, struct sl_thread *td)
{
	struct sl_sim *s = p->sim;

	if (td->state != SL_TS_CAN_RUN && td->state != SL_TS_RUNNING) {
		sl_sim_fail(s, SL_END_CHECK, "policy %s queues thread %u, which is not runnable",
			    p->ops->name, td->id);
		return;
	}
	sl_sim_waste(s);
	if (td->state == SL_TS_RUNNING)
		ethread_of(td)->runnable_since = s->pol.now;
	td->state = SL_TS_RUNQ;
	s->n_queued++;
}

void sl_pol_dequeued(struct sl_pol *p, struct sl_thread *td)
{
	struct sl_sim *s = p->sim;

	if (td->state != SL_TS_RUNQ) {
		sl_sim_fail(s, SL_END_CHECK, "policy %s dequeues thread %u, which is not queued",
			    p->ops->name, td->id);
		return;
	}
	sl_sim_waste(s);
	td->state = SL_TS_CAN_RUN;
	s->n_queued--;
}

void sl_pol_ipi(struct sl_pol *p, uint32_t cpu, enum sl_ipi kind)
{
	struct sl_sim *s = p->sim;

	SL_ASSERT(cpu < p->ncpus);
	if (s->ecpu[cpu].ipi == 0)
		sl_slots_set(&s->ipis, cpu, sl_time_add(p->now, s->costs.ipi_ns));
	s->ecpu[cpu].ipi |= (uint8_t)kind;
}

void sl_pol_arm(struct sl_pol *p, uint32_t id, sl_time at)
{
	SL_ASSERT(id < TIMER_IDS);
	SL_ASSERT(at > p->now || p->now == 0);
	sl_clock_set_timer(p->sim, id, at);
}

void sl_pol_switch_to(struct sl_pol *p, struct sl_thread *next)
{
	struct sl_sim *s = p->sim;
	struct ethread *out = running(s, s->self);

	/* The preempted context goes on behind its kernel entry. */
	if (!sl_thread_is_idle(&out->td) && out->td.pri_class != SL_CLASS_ITHD)
		out->resume = RESUME_SYSCALL;
	sl_cpu_switch(s, s->self, SL_SW_INVOL | SL_SW_PREEMPT | SL_SW_PREEMPTED, next);
}

void sl_pol_why(struct sl_pol *p, enum sl_why why, const struct sl_thread *td, int64_t a, int64_t b,
		int64_t c)
{
	sl_sim_emit(p->sim, (struct sl_rec){ .at = p->now,
					     .kind = SL_REC_WHY,
					     .pri = (uint8_t)why,
					     .cpu = (uint16_t)p->sim->self,
					     .a = td ? rec_tid(td) : SL_REC_IDLE,
					     .b = (uint32_t)a,
					     .c = (uint32_t)b,
					     .aux = (uint64_t)c });
}

static const char *refuse_tunables(const struct sl_policy *ops)
{
	for (uint32_t i = 0; i < ops->n_tunables; i++) {
		const struct sl_tunable *t = &ops->tunables[i];

		if (!t->name || !t->help)
			return "a tunable has no name or help";
		if (t->least > t->most)
			return "a tunable's bounds leave no value";
		if ((!t->get || (!t->set && !t->read_only)) &&
		    (t->offset > ops->instance_size ||
		     ops->instance_size - t->offset < sizeof(int32_t)))
			return "a tunable lies outside the policy's instance";
	}
	return NULL;
}

static const char *refuse_eras(const struct sl_policy *ops)
{
	bool found = false;

	for (uint32_t i = 0; i < ops->n_eras; i++) {
		const struct sl_era *e = &ops->eras[i];
		const struct sl_policy *own = e->ops ? e->ops : ops;

		if (!e->name || !e->summary)
			return "an era has no name or summary";
		if (!e->machine && !own->machine)
			return "an era names no machine rules";
		found |= ops->default_era && strcmp(e->name, ops->default_era) == 0;
	}
	return ops->n_eras && !found ? "the default era is none of the policy's eras" : NULL;
}

const char *sl_policy_refuse(const struct sl_policy *ops)
{
	const char *why;

	if (!ops)
		return "the module gives no policy";
	if (ops->abi != SL_POLICY_ABI)
		return "the policy was built for another ABI version";
	if (!ops->name || !ops->summary || !ops->name[0])
		return "the policy has no name or summary";
	if (!ops->init || !ops->add || !ops->rem || !ops->sswitch)
		return "the policy lacks one of the required operations init, add, rem, sswitch";
	if (!ops->machine && !ops->eras)
		return "the policy names no machine rules";
	if ((ops->n_tunables && !ops->tunables) || (ops->n_eras && !ops->eras))
		return "the policy's tables do not match their sizes";
	why = refuse_tunables(ops);
	return why ? why : refuse_eras(ops);
}
