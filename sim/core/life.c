/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Threads and processes: from creation to end. Thread slots never move and are reused
 * once a dynamic thread has ended; static threads keep theirs for the results.
 * Invariant: a thread is in its process' list from creation to its end; a process is
 * freed when it has no thread and no child left. */
#include "sim/core/engine.h"

#include <stdlib.h>
#include <string.h>

/* A workload that forks without end is a fault, not a reason to use up the memory. */
enum { THREADS_MAX = 4000000 };

static bool add_chunk(struct sl_sim *s)
{
	struct ethreads *a = &s->threads;

	if (a->n_chunks == a->cap_chunks) {
		uint32_t cap = a->cap_chunks ? 2 * a->cap_chunks : 16;
		unsigned char **grown = realloc(a->chunk, cap * sizeof *grown);

		if (!grown)
			return false;
		a->chunk = grown;
		a->cap_chunks = cap;
	}
	a->chunk[a->n_chunks] = calloc(CHUNK_SLOTS, a->stride);
	if (!a->chunk[a->n_chunks])
		return false;
	a->n_chunks++;
	s->memory += CHUNK_SLOTS * a->stride;
	return true;
}

static struct ethread *take_slot(struct sl_sim *s)
{
	struct ethreads *a = &s->threads;
	struct ethread *t;
	uint32_t slot;

	if (a->n_free > 0) {
		slot = a->free_slot[--a->n_free];
		t = ethread_at(s, slot);
		memset(t, 0, a->stride);
	} else {
		if (a->used == a->n_chunks << CHUNK_SHIFT && !add_chunk(s))
			return NULL;
		slot = a->used++;
		t = ethread_at(s, slot);
	}
	t->slot = slot;
	return t;
}

static bool give_slot(struct sl_sim *s, struct ethread *t)
{
	struct ethreads *a = &s->threads;

	free(t->timers);
	t->timers = NULL;
	if (a->n_free == a->cap_free) {
		uint32_t cap = a->cap_free ? 2 * a->cap_free : 64;
		uint32_t *grown = realloc(a->free_slot, cap * sizeof *grown);

		if (!grown)
			return false;
		a->free_slot = grown;
		a->cap_free = cap;
	}
	a->free_slot[a->n_free++] = t->slot;
	return true;
}

static struct eproc *new_proc(struct sl_sim *s, struct eproc *parent, int8_t nice)
{
	struct eproc *proc = s->free_proc;

	if (proc) {
		s->free_proc = proc->next_free;
		memset(proc, 0, sizeof *proc);
	} else {
		proc = calloc(1, sizeof *proc);
		if (!proc)
			return NULL;
		s->memory += sizeof *proc;
	}
	proc->p.nice = nice;
	proc->group = SL_NONE;
	sl_list_init(&proc->p.threads);
	sl_list_init(&proc->children);
	sl_list_init(&proc->waiters);
	proc->parent = parent;
	if (parent)
		sl_list_append(&parent->children, &proc->in_parent);
	return proc;
}

/* A process without threads: its children become orphans. */
static void end_proc(struct sl_sim *s, struct eproc *proc)
{
	while (!sl_list_empty(&proc->children)) {
		struct eproc *child = SL_OF(proc->children.next, struct eproc, in_parent);

		sl_link_remove(&child->in_parent);
		child->parent = NULL;
	}
	if (!sl_link_idle(&proc->in_parent))
		sl_link_remove(&proc->in_parent);
	if (!sl_link_idle(&proc->p.all))
		sl_link_remove(&proc->p.all);
	if (proc->group != SL_NONE)
		s->group[proc->group] = NULL;
	proc->next_free = s->free_proc;
	s->free_proc = proc;
}

static void free_procs(struct sl_sim *s)
{
	while (s->free_proc) {
		struct eproc *next = s->free_proc->next_free;

		free(s->free_proc);
		s->free_proc = next;
	}
}

static const uint64_t *mask_of(const struct sl_sim *s, uint32_t mask)
{
	return mask == SL_NONE ? s->usable : s->task_mask + (size_t)mask * s->pol.mask_words;
}

static bool give_timers(struct sl_sim *s, struct ethread *t)
{
	uint32_t n = s->w->n_timers;

	t->timers = n ? malloc(n * sizeof *t->timers) : NULL;
	for (uint32_t i = 0; i < n && t->timers; i++)
		t->timers[i] = SL_TIME_MAX;
	return n == 0 || t->timers;
}

/* Remembers which task an id belongs to, for names in logs. */
static bool note_id(struct sl_sim *s, uint32_t id, uint32_t task)
{
	if (id >= s->cap_task_of) {
		uint32_t cap = s->cap_task_of ? 2 * s->cap_task_of : 256;
		uint32_t *grown = realloc(s->task_of, cap * sizeof *grown);

		if (!grown)
			return false;
		s->task_of = grown;
		s->cap_task_of = cap;
	}
	s->task_of[id] = task;
	return true;
}

static struct ethread *new_thread(struct sl_sim *s, uint32_t task, uint32_t instance)
{
	struct ethread *t = take_slot(s);
	const struct sl_task *spec = &s->w->task[task];

	if (!t || !give_timers(s, t) || !note_id(s, s->next_id, task))
		return NULL;
	t->td.priv = (unsigned char *)t + ((sizeof *t + 15) & ~(size_t)15);
	t->td.mask = mask_of(s, spec->mask);
	t->td.oncpu = -1;
	t->td.lend_user_pri = 255;
	t->td.pri_class = spec->pri_class ? spec->pri_class : SL_CLASS_TIMESHARE;
	t->td.state = SL_TS_NEW;
	t->td.id = s->next_id++;
	t->task = task;
	t->instance = instance;
	t->background = spec->background;
	t->ran_on = -1;
	t->warm_cpu = -1;
	t->started = t->ended = SL_TIME_MAX;
	t->waits_for = SL_OP_KIND_COUNT;
	t->entity = t->td.id;
	sl_list_init(&t->owned);
	return t;
}

static void join_proc(struct ethread *t, struct eproc *proc)
{
	t->td.proc = &proc->p;
	sl_list_append(&proc->p.threads, &t->td.in_proc);
	proc->living++;
}

static bool add_idle_thread(struct sl_sim *s, uint32_t cpu)
{
	struct ethread *t = take_slot(s);
	struct sl_cpu *v = &s->pol.cpu[cpu];

	if (!t)
		return false;
	t->td.priv = (unsigned char *)t + ((sizeof *t + 15) & ~(size_t)15);
	t->td.mask = s->full_mask;
	t->td.id = SL_REC_IDLE - cpu;
	t->td.cpu = t->td.oncpu = (int32_t)cpu;
	t->td.flags = SL_TDF_IDLETD | SL_TDF_NOLOAD;
	t->td.pri = t->td.base_pri = t->td.user_pri = t->td.base_user_pri = 255;
	t->td.lend_user_pri = 255;
	t->td.pri_class = SL_CLASS_IDLE;
	t->td.state = SL_TS_RUNNING;
	t->task = SL_NONE;
	join_proc(t, s->idle_proc);
	v->cur = v->idle = &t->td;
	s->idle[cpu] = t;
	return true;
}

/* Threads that exist from the start: instances of tasks, and templates with an id of
 * their own. */
static bool add_static(struct sl_sim *s, uint32_t task)
{
	const struct sl_task *spec = &s->w->task[task];
	uint32_t n = spec->template_once ? 1 : spec->instances;

	for (uint32_t i = 0; i < n; i++) {
		struct ethread *t = new_thread(s, task, i);

		if (!t || (i % STOP_LOOK == 0 && s->stop &&
			   atomic_load_explicit(s->stop, memory_order_relaxed)))
			return false;
		s->by_id[t->td.id] = t;
		if (i == 0)
			s->first[task] = t;
		if (spec->template_once)
			continue;
		if (!spec->background && !spec->ithread)
			s->living++;
		if (!sl_evheap_push(&s->timeouts, sl_ev_of(spec->delay, t->td.id, t->slot)))
			return false;
	}
	return true;
}

static bool count_static(struct sl_sim *s)
{
	uint64_t n = 0;

	for (uint32_t i = 0; i < s->w->n_tasks; i++)
		n += s->w->task[i].template_once ? 1 : s->w->task[i].instances;
	if (n > UINT32_MAX / 2)
		return false;
	s->n_static = (uint32_t)n;
	s->by_id = calloc(n + 1, sizeof *s->by_id);
	s->first = calloc(s->w->n_tasks + 1, sizeof *s->first);
	s->group = calloc(s->w->n_tasks + 1, sizeof *s->group);
	return s->by_id && s->first && s->group;
}

/* Static threads with the same group share a process, while it lives. */
static struct eproc *proc_for_static(struct sl_sim *s, struct ethread *t)
{
	const struct sl_task *spec = &s->w->task[t->task];
	uint32_t group = spec->proc_group;
	struct eproc *proc;

	if (group != SL_NONE && s->group[group])
		return s->group[group];
	proc = new_proc(s, NULL, spec->nice);
	if (proc && group != SL_NONE) {
		proc->group = group;
		s->group[group] = proc;
	}
	return proc;
}

bool sl_life_init(struct sl_sim *s)
{
	s->threads.stride = ((sizeof(struct ethread) + 15) & ~(size_t)15) +
			    ((s->ops->thread_size + 63) & ~(size_t)63);
	s->threads.stride = (s->threads.stride + 63) & ~(size_t)63;
	sl_list_init(&s->allproc);
	s->idle_proc = new_proc(s, NULL, 0);
	if (!s->idle_proc || !count_static(s))
		return false;
	for (uint32_t c = 0; c < s->pol.ncpus; c++)
		if (!add_idle_thread(s, c))
			return false;
	for (uint32_t i = 0; i < s->w->n_tasks; i++)
		if (!add_static(s, i))
			return false;
	return true;
}

void sl_life_fini(struct sl_sim *s)
{
	for (uint32_t i = 0; i < s->threads.used; i++) {
		struct ethread *t = ethread_at(s, i);

		if (t->td.proc && !sl_link_idle(&t->td.in_proc)) {
			struct eproc *proc = (struct eproc *)(void *)t->td.proc;

			sl_link_remove(&t->td.in_proc);
			if (sl_list_empty(&proc->p.threads))
				end_proc(s, proc);
		}
		free(t->timers);
	}
	free_procs(s);
	for (uint32_t i = 0; i < s->threads.n_chunks; i++)
		free(s->threads.chunk[i]);
	free(s->threads.chunk);
	free(s->threads.free_slot);
	free(s->by_id);
	free(s->first);
	free(s->group);
	free(s->task_of);
}

static void emit_start(struct sl_sim *s, const struct ethread *t, uint32_t parent)
{
	sl_sim_emit(s, (struct sl_rec){ .at = s->pol.now,
					.kind = SL_REC_START,
					.cpu = (uint16_t)s->self,
					.a = t->td.id,
					.b = parent,
					.aux = (uint64_t)t->task << 32 | t->instance });
}

/* A thread whose start is due: a process without a past, made on CPU 0 in an interrupt. */
static void start_static(struct sl_sim *s, struct ethread *t)
{
	struct eproc *proc = proc_for_static(s, t);
	bool first = proc && sl_list_empty(&proc->p.threads);
	const struct sl_task *spec = &s->w->task[t->task];

	if (!proc) {
		sl_sim_fail(s, SL_END_NOMEM, "out of memory");
		return;
	}
	join_proc(t, proc);
	if (first)
		sl_list_prepend(&s->allproc, &proc->p.all);
	t->started = t->runnable_since = s->pol.now;
	t->resume = RESUME_FIRST;
	t->td.state = SL_TS_CAN_RUN;
	emit_start(s, t, SL_REC_IDLE);
	if (s->ops->fork)
		s->ops->fork(&s->pol, NULL, &t->td);
	if (spec->pri_class > 0 && spec->pri_class != SL_CLASS_TIMESHARE && s->ops->rtprio)
		s->ops->rtprio(&s->pol, &t->td, spec->pri_class, spec->level);
	t->fresh_wake = true;
	s->ops->add(&s->pol, &t->td, SL_SRQ_BORING);
}

/* Interrupt threads exist, waiting, before anything runs. */
static void start_ithread(struct sl_sim *s, struct ethread *t)
{
	struct eproc *proc = new_proc(s, NULL, 0);

	if (!proc) {
		sl_sim_fail(s, SL_END_NOMEM, "out of memory");
		return;
	}
	join_proc(t, proc);
	sl_list_prepend(&s->allproc, &proc->p.all);
	t->started = 0;
	t->kernel_mode = true;
	t->resume = RESUME_FIRST;
	t->td.pri_class = SL_CLASS_ITHD;
	t->td.state = SL_TS_IWAIT;
	emit_start(s, t, SL_REC_IDLE);
	if (s->ops->fork)
		s->ops->fork(&s->pol, NULL, &t->td);
	if (s->ops->ithread)
		s->ops->ithread(&s->pol, &t->td, s->w->task[t->task].ithread);
}

void sl_life_boot(struct sl_sim *s)
{
	for (uint32_t i = 0; i < s->n_static; i++)
		if (s->w->task[s->by_id[i]->task].ithread)
			start_ithread(s, s->by_id[i]);
}

static uint32_t irq_cpu(const struct sl_sim *s, const struct ethread *t)
{
	const struct sl_task *spec = &s->w->task[t->task];

	if (spec->ithread)
		return (uint32_t)spec->irq_cpu;
	return t->td.state == SL_TS_NEW ? 0 : t->sleep_cpu;
}

void sl_life_timeout(struct sl_sim *s, struct sl_ev ev)
{
	struct ethread *t = ethread_at(s, sl_ev_slot(ev));
	uint32_t cpu = irq_cpu(s, t);

	sl_cpu_enter(s, cpu, INTR_TIMER);
	switch (t->td.state) {
	case SL_TS_NEW:
		start_static(s, t);
		break;
	case SL_TS_SLEEP:
		sl_sync_wake(s, t, SL_WPRIO_NONE, SL_SRQ_BORING);
		break;
	case SL_TS_IWAIT:
		sl_sync_wake(s, t, SL_WPRIO_NONE, SL_SRQ_INTR);
		break;
	default:
		break; /* an interrupt that finds its thread still busy */
	}
	sl_cpu_leave(s, cpu, INTR_TIMER);
}

/* What a child takes over from its parent before the policy sees it. */
static void inherit(struct ethread *child, const struct ethread *parent)
{
	child->td.pri = parent->td.pri;
	child->td.base_pri = parent->td.base_pri;
	child->td.user_pri = parent->td.user_pri;
	child->td.base_user_pri = parent->td.base_user_pri;
	child->td.pri_class = parent->td.pri_class;
	child->td.mask = parent->td.mask;
	child->td.cpu = parent->td.cpu;
}

static struct ethread *forked(struct sl_sim *s, struct ethread *t, const struct sl_op *op)
{
	struct ethread *child = s->first[op->target];
	uint32_t ordinal = t->n_children++;

	if (s->w->task[op->target].template_once) {
		if (child->once_forked)
			return NULL;
		child->once_forked = true;
	} else {
		child = new_thread(s, op->target, ordinal);
		if (!child) {
			sl_sim_fail(s, SL_END_NOMEM, "out of memory");
			return NULL;
		}
	}
	/* Who it is depends on its ancestry only, not on when it was scheduled. */
	child->entity = sl_rng_mix(t->entity ^ sl_rng_mix(ordinal + 1));
	return child;
}

void sl_life_fork(struct sl_sim *s, struct ethread *t, const struct sl_op *op)
{
	struct ethread *child = forked(s, t, op);
	struct eproc *mine = (struct eproc *)(void *)t->td.proc, *proc = mine;
	bool thread = (op->flags & SL_OPF_FORK_THREAD) != 0;

	if (!child)
		return;
	if (s->living >= THREADS_MAX) {
		sl_sim_fail(s, SL_END_STALL,
			    "%u threads live at once: the workload forks without end", s->living);
		return;
	}
	inherit(child, t);
	if (!thread) {
		proc = new_proc(s, mine, mine->p.nice);
		if (!proc) {
			sl_sim_fail(s, SL_END_NOMEM, "out of memory");
			return;
		}
		sl_list_prepend(&s->allproc, &proc->p.all);
	}
	join_proc(child, proc);
	child->started = child->runnable_since = s->pol.now;
	child->resume = RESUME_FIRST;
	child->td.state = SL_TS_CAN_RUN;
	child->fresh_wake = true;
	if (!child->background)
		s->living++;
	s->total.forks++;
	emit_start(s, child, t->td.id);
	if (thread && s->ops->fork_thread)
		s->ops->fork_thread(&s->pol, &t->td, &child->td);
	else if (s->ops->fork)
		s->ops->fork(&s->pol, &t->td, &child->td);
	s->ops->add(&s->pol, &child->td, SL_SRQ_BORING);
}

/* The parent hears of a dead child before the exit is charged to it. */
static void tell_parent(struct sl_sim *s, struct eproc *parent)
{
	parent->zombies++;
	if (!sl_list_empty(&parent->waiters))
		sl_sync_wake(s, SL_OF(parent->waiters.next, struct ethread, wait), SL_WPRIO_NONE,
			     SL_SRQ_BORING);
}

static void charge_exit(struct sl_sim *s, struct ethread *t, struct eproc *proc)
{
	struct sl_thread *heir = NULL;

	sl_link_remove(&t->td.in_proc);
	proc->living--;
	if (proc->living > 0) {
		heir = sl_proc_first(&proc->p);
		if (s->ops->exit_thread)
			s->ops->exit_thread(&s->pol, heir, &t->td);
		else if (s->ops->exit)
			s->ops->exit(&s->pol, heir, &t->td);
		return;
	}
	if (proc->parent) {
		struct eproc *parent = proc->parent;

		heir = sl_proc_first(&parent->p);
		sl_link_remove(&proc->in_parent);
		tell_parent(s, parent);
	}
	if (s->ops->exit)
		s->ops->exit(&s->pol, heir, &t->td);
}

static void finish_thread(struct sl_sim *s, struct ethread *t)
{
	t->ended = s->pol.now;
	s->total.exits++;
	s->total.user_ns += t->user_ns;
	s->total.sys_ns += t->sys_ns;
	s->total.wait_ns += t->wait_ns;
	if (!t->background && !s->w->task[t->task].ithread) {
		s->living--;
		s->total.real_ns = s->pol.now;
	}
}

void sl_life_exit(struct sl_sim *s, uint32_t cpu, struct ethread *t)
{
	struct eproc *proc = (struct eproc *)(void *)t->td.proc;
	bool last = proc->living == 1;

	if (!sl_list_empty(&t->owned)) {
		sl_result_program(
			s, t, "ends while it holds mutex",
			s->w->mutex[SL_OF(t->owned.next, struct emutex, in_owner) - s->mutex].name);
		return;
	}
	sl_sim_emit(s, (struct sl_rec){ .at = s->pol.now,
					.kind = SL_REC_EXIT,
					.cpu = (uint16_t)cpu,
					.a = t->td.id });
	/* From here on it is leaving: a parent it wakes must not preempt it half dead. */
	s->pol.cpu[cpu].blocking = true;
	charge_exit(s, t, proc);
	finish_thread(s, t);
	t->td.state = SL_TS_DEAD;
	sl_cpu_switch(s, cpu, SL_SW_VOL | SL_SW_EXIT, NULL);
	if (last)
		end_proc(s, proc);
	if (t->td.id >= s->n_static && !give_slot(s, t))
		sl_sim_fail(s, SL_END_NOMEM, "out of memory");
}

void sl_life_set_mask(struct sl_sim *s, struct ethread *t, uint32_t mask)
{
	t->td.mask = mask_of(s, mask);
	if (s->ops->affinity)
		s->ops->affinity(&s->pol, &t->td);
}

/* The thread an operation is about: itself, or the task's first; NULL when that has not
 * started or has ended. */
struct ethread *sl_life_target(struct sl_sim *s, struct ethread *self, const struct sl_op *op)
{
	struct ethread *t;

	if (op->target == SL_NONE)
		return self;
	t = s->first[op->target];
	return !t || t->td.state == SL_TS_NEW || t->td.state == SL_TS_DEAD ? NULL : t;
}
