/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The program of a thread: what each operation does. A thread in user mode runs a
 * burst; at its end the following operations are executed at once, up to the next
 * one that takes time or blocks. All operations but RUN, loops and MARK are kernel
 * entries of length 0, followed by userret and the AST.
 * Invariant: pc points at the next operation to execute; `loaded` says that a burst has
 * been fetched and not finished. Boundaries between run operations are no events. */
#include "sim/core/engine.h"

enum { MAX_STEPS = 1000000 };
#define RUNTIME_STEP (32 * SL_NS_PER_US)

/* What executing one operation led to. */
enum step {
	STEP_USER,   /* no kernel entry: go on at once */
	STEP_KERNEL, /* a kernel entry that did not block */
	STEP_BURST,  /* a burst has been loaded */
	STEP_GONE,   /* the thread sleeps, yields or has ended: the CPU has switched */
};

struct ctx {
	struct sl_sim *s;
	struct ethread *t;
	const struct sl_op *op;
	uint32_t cpu;
};

/* A length varied by the run: a sum of four uniforms has unit variance when scaled by
 * sqrt(3), and stays within 3.5 deviations (integers only: 3547 / 2048). */
static uint64_t jittered(const struct sl_sim *s, const struct ethread *t, uint64_t length)
{
	uint64_t bits = sl_rng_draw(s->seed, SL_RNG_JITTER, t->entity, t->draws);
	int64_t z = -2 * 65536;

	for (unsigned i = 0; i < 4; i++)
		z += (int64_t)(bits >> (16 * i) & 0xffff);
	z = z * 3547 / 2048;
	return length + (uint64_t)((__extension__(__int128) length * s->w->jitter_permille * z) /
				   (1000 * 65536));
}

uint64_t sl_prog_draw(struct sl_sim *s, struct ethread *t, enum sl_purpose purpose,
		      const struct sl_dist *d)
{
	uint64_t seed = s->w->draw_seed ? s->w->draw_seed : s->seed, length;

	if (d->n == 0)
		return d->value;
	length = sl_dist_draw(s->w, d, sl_rng_draw(seed, purpose, t->entity, t->draws++));
	if (s->w->jitter_permille == 0 || purpose == SL_RNG_LOOP)
		return length;
	return jittered(s, t, length);
}

static void skip_loop(struct sl_sim *s, struct ethread *t)
{
	uint32_t open = 1;

	while (open > 0) {
		uint8_t kind = op_at(s, t, t->pc++)->kind;

		open += kind == SL_OP_LOOP;
		open -= kind == SL_OP_ENDLOOP;
	}
}

/* Executes loop operations at pc. */
static void step_loops(struct sl_sim *s, struct ethread *t)
{
	uint32_t n = s->w->task[t->task].n_ops, guard = 0;

	while (t->pc < n && guard++ < MAX_STEPS) {
		const struct sl_op *op = op_at(s, t, t->pc);

		if (op->kind == SL_OP_LOOP) {
			uint64_t turns = sl_prog_draw(s, t, SL_RNG_LOOP, &op->dist);

			t->pc++;
			if (turns == 0)
				skip_loop(s, t);
			else
				t->loop[t->depth++] = turns;
		} else if (op->kind == SL_OP_ENDLOOP) {
			uint64_t *left = &t->loop[t->depth - 1];

			if (*left != UINT64_MAX)
				--*left;
			if (*left > 0) {
				t->pc = op->target + 1;
			} else {
				t->depth--;
				t->pc++;
			}
		} else {
			return;
		}
	}
	if (guard >= MAX_STEPS)
		sl_sim_fail(s, SL_END_STALL, "thread %u loops without doing anything", t->td.id);
}

/* RUNTIME: another step of work unless enough wall time has passed. */
static bool load_runtime(struct sl_sim *s, struct ethread *t, const struct sl_op *op)
{
	if (t->runtime_until == 0)
		t->runtime_until =
			sl_time_add(s->pol.now, sl_prog_draw(s, t, SL_RNG_BURST, &op->dist));
	if (s->pol.now < t->runtime_until) {
		t->rem += RUNTIME_STEP;
		return true;
	}
	t->runtime_until = 0;
	t->pc++;
	return false;
}

void sl_prog_load_burst(struct sl_sim *s, struct ethread *t)
{
	uint32_t n = s->w->task[t->task].n_ops;

	t->loaded = true;
	step_loops(s, t);
	while (t->pc < n) {
		const struct sl_op *op = op_at(s, t, t->pc);

		if (op->kind == SL_OP_RUNTIME) {
			/* Its clock starts when the work before it is done. */
			if ((t->rem > 0 && t->runtime_until == 0) || load_runtime(s, t, op))
				return;
			continue;
		}
		if (op->kind != SL_OP_RUN)
			return;
		t->rem = sl_time_add(t->rem, sl_prog_draw(s, t, SL_RNG_BURST, &op->dist));
		t->pc++;
	}
}

static enum step op_run(struct ctx *c)
{
	(void)c;
	return STEP_BURST;
}

static enum step op_krun(struct ctx *c)
{
	c->t->kernel_mode = true;
	c->t->loaded = true;
	c->t->rem = sl_time_add(c->t->rem, sl_prog_draw(c->s, c->t, SL_RNG_BURST, &c->op->dist));
	c->t->resume = RESUME_KERNEL;
	return STEP_BURST;
}

static void go_to_sleep(struct ctx *c, sl_time until)
{
	c->t->resume = RESUME_SYSCALL;
	sl_sync_sleep(c->s, c->cpu, c->t, NULL, c->op->kind, SL_NONE, c->op->wprio, until);
}

static enum step op_sleep(struct ctx *c)
{
	sl_time ns = sl_prog_draw(c->s, c->t, SL_RNG_SLEEP, &c->op->dist);

	if (ns == 0 && c->s->m.user_semaphores)
		return STEP_USER;
	go_to_sleep(c, sl_time_add(c->s->pol.now, ns));
	return STEP_GONE;
}

static enum step op_until(struct ctx *c)
{
	if (c->op->dist.value <= c->s->pol.now)
		return STEP_KERNEL;
	go_to_sleep(c, c->op->dist.value);
	return STEP_GONE;
}

/* rt-app's timer: the next release is one period after the last; a late relative timer
 * starts over from now, an absolute one keeps its grid. */
static enum step op_timer(struct ctx *c)
{
	sl_time *base = c->op->flags & SL_OPF_TIMER_UNIQUE ? &c->t->timers[c->op->obj]
							   : &c->s->timer_base[c->op->obj];
	sl_time now = c->s->pol.now;

	if (*base == SL_TIME_MAX)
		*base = c->s->w->task[c->t->task].delay;
	*base = sl_time_add(*base, sl_prog_draw(c->s, c->t, SL_RNG_SLEEP, &c->op->dist));
	if (*base > now) {
		go_to_sleep(c, *base);
		return STEP_GONE;
	}
	if (!(c->op->flags & SL_OPF_TIMER_ABSOLUTE))
		*base = now;
	return STEP_KERNEL;
}

static enum step op_yield(struct ctx *c)
{
	c->t->resume = RESUME_SYSCALL;
	if (c->s->ops->relinquish && !c->s->ops->relinquish(&c->s->pol, &c->t->td))
		return STEP_KERNEL;
	sl_cpu_switch(c->s, c->cpu, SL_SW_VOL | SL_SW_RELINQUISH, NULL);
	return STEP_GONE;
}

static enum step op_lock(struct ctx *c)
{
	c->t->resume = RESUME_SYSCALL;
	return sl_sync_lock(c->s, c->cpu, c->t, c->op->obj) ? STEP_KERNEL : STEP_GONE;
}

static enum step op_unlock(struct ctx *c)
{
	sl_sync_unlock(c->s, c->t, c->op->obj);
	return STEP_KERNEL;
}

static enum step op_cond_wait(struct ctx *c)
{
	struct ethread *t = c->t;

	/* Whom it wakes by letting go must not preempt it before it sleeps. */
	c->s->pol.cpu[c->cpu].blocking = true;
	if (c->op->target != SL_NONE) {
		sl_sync_unlock(c->s, t, c->op->target);
		t->pending = PENDING_MUTEX;
	}
	t->resume = RESUME_SYSCALL;
	sl_sync_sleep(c->s, c->cpu, t, &c->s->cond[c->op->obj].waiters, c->op->kind, c->op->obj,
		      c->op->wprio, SL_TIME_MAX);
	return STEP_GONE;
}

static enum step op_cond_signal(struct ctx *c)
{
	sl_sync_cond_wake(c->s, c->op->obj, c->op->kind == SL_OP_COND_BROAD);
	return STEP_KERNEL;
}

static enum step op_cond_sync(struct ctx *c)
{
	c->s->pol.cpu[c->cpu].blocking = true;
	sl_sync_cond_wake(c->s, c->op->obj, false);
	return op_cond_wait(c);
}

static enum step op_barrier(struct ctx *c)
{
	c->t->resume = RESUME_SYSCALL;
	return sl_sync_barrier(c->s, c->cpu, c->t, c->op) ? STEP_KERNEL : STEP_GONE;
}

static enum step op_sem_wait(struct ctx *c)
{
	c->t->resume = RESUME_SYSCALL;
	if (!sl_sync_sem_wait(c->s, c->cpu, c->t, c->op))
		return STEP_GONE;
	return c->s->m.user_semaphores ? STEP_USER : STEP_KERNEL;
}

static enum step op_sem_post(struct ctx *c)
{
	bool woke = sl_sync_sem_post(c->s, c->op);

	return woke || !c->s->m.user_semaphores ? STEP_KERNEL : STEP_USER;
}

static enum step op_send(struct ctx *c)
{
	c->t->left = sl_prog_draw(c->s, c->t, SL_RNG_BURST, &c->op->dist);
	c->t->resume = RESUME_SYSCALL;
	return sl_sync_send(c->s, c->cpu, c->t, c->op) ? STEP_KERNEL : STEP_GONE;
}

static enum step op_recv(struct ctx *c)
{
	c->t->left = sl_prog_draw(c->s, c->t, SL_RNG_BURST, &c->op->dist);
	c->t->resume = RESUME_SYSCALL;
	return sl_sync_recv(c->s, c->cpu, c->t, c->op) ? STEP_KERNEL : STEP_GONE;
}

static enum step op_disk(struct ctx *c)
{
	struct sl_sim *s = c->s;
	const struct sl_disk_spec *disk = &s->w->disk[c->op->obj];
	uint32_t miss = s->cold_cache ? disk->cold_permille : disk->warm_permille;
	sl_time service;

	if (c->op->kind == SL_OP_READ) {
		uint64_t bits = sl_rng_draw(s->seed, SL_RNG_DISK, c->t->entity, c->t->draws++);

		if (sl_rng_scale(bits, 1000) >= miss)
			return STEP_KERNEL;
	}
	service = sl_prog_draw(s, c->t, SL_RNG_DISK, &c->op->dist);
	go_to_sleep(c, sl_sync_disk(s, c->op->obj, service));
	return STEP_GONE;
}

static enum step op_fork(struct ctx *c)
{
	uint64_t n = sl_prog_draw(c->s, c->t, SL_RNG_LOOP, &c->op->dist);

	if (n == 0 && c->op->dist.n == 0)
		n = 1;
	for (uint64_t i = 0; i < n && !c->s->ended; i++)
		sl_life_fork(c->s, c->t, c->op);
	return STEP_KERNEL;
}

static enum step op_exec(struct ctx *c)
{
	c->t->warm_cpu = -1;
	if (c->op->dist.n == 0 && c->op->dist.value == 0)
		return STEP_KERNEL;
	return op_krun(c);
}

/* True when nothing is left to wait for. */
static bool reap(struct ethread *t, bool all)
{
	struct eproc *proc = (struct eproc *)(void *)t->td.proc;

	if (all) {
		proc->zombies = 0;
		return sl_list_empty(&proc->children);
	}
	if (proc->zombies > 0) {
		proc->zombies--;
		return true;
	}
	return sl_list_empty(&proc->children);
}

static bool wait_child(struct sl_sim *s, uint32_t cpu, struct ethread *t, const struct sl_op *op)
{
	struct eproc *proc = (struct eproc *)(void *)t->td.proc;

	if (reap(t, op->flags & SL_OPF_WAIT_ALL))
		return true;
	t->pending = PENDING_CHILD;
	t->resume = RESUME_SYSCALL;
	sl_sync_sleep(s, cpu, t, &proc->waiters, op->kind, SL_NONE, op->wprio, SL_TIME_MAX);
	return false;
}

static enum step op_wait_child(struct ctx *c)
{
	return wait_child(c->s, c->cpu, c->t, c->op) ? STEP_KERNEL : STEP_GONE;
}

static enum step op_exit(struct ctx *c)
{
	sl_life_exit(c->s, c->cpu, c->t);
	return STEP_GONE;
}

static enum step op_setnice(struct ctx *c)
{
	struct ethread *t = sl_life_target(c->s, c->t, c->op);
	int8_t nice = (int8_t)c->op->value;

	if (!t)
		return STEP_KERNEL;
	if (c->s->ops->nice)
		c->s->ops->nice(&c->s->pol, t->td.proc, nice);
	else
		t->td.proc->nice = nice;
	sl_sim_emit(c->s, (struct sl_rec){ .at = c->s->pol.now,
					   .kind = SL_REC_NICE,
					   .cpu = (uint16_t)c->cpu,
					   .a = t->td.id,
					   .aux = (uint64_t)(int64_t)nice });
	return STEP_KERNEL;
}

static enum step op_setclass(struct ctx *c)
{
	struct ethread *t = sl_life_target(c->s, c->t, c->op);

	if (!t || c->s->w->task[t->task].ithread)
		return STEP_KERNEL;
	if (c->s->ops->rtprio)
		c->s->ops->rtprio(&c->s->pol, &t->td, (uint8_t)c->op->value,
				  (uint8_t)c->op->value2);
	else
		t->td.pri_class = (uint8_t)c->op->value;
	return STEP_KERNEL;
}

static enum step op_setmask(struct ctx *c)
{
	struct ethread *t = sl_life_target(c->s, c->t, c->op);

	if (t)
		sl_life_set_mask(c->s, t, c->op->obj);
	return STEP_KERNEL;
}

static enum step op_bind(struct ctx *c)
{
	c->t->resume = RESUME_SYSCALL;
	if (c->op->value < 0) {
		if (c->s->ops->unbind)
			c->s->ops->unbind(&c->s->pol, &c->t->td);
	} else if (c->s->ops->bind &&
		   c->s->ops->bind(&c->s->pol, &c->t->td, (uint32_t)c->op->value)) {
		sl_cpu_switch(c->s, c->cpu, SL_SW_VOL | SL_SW_NONE, NULL);
		return STEP_GONE;
	}
	return STEP_KERNEL;
}

static enum step op_pin(struct ctx *c)
{
	if (c->op->value > 0)
		c->t->td.pinned++;
	else if (c->t->td.pinned > 0)
		c->t->td.pinned--;
	return STEP_KERNEL;
}

static enum step op_mark(struct ctx *c)
{
	c->s->total.marks++;
	sl_sim_emit(c->s, (struct sl_rec){ .at = c->s->pol.now,
					   .kind = SL_REC_MARK,
					   .cpu = (uint16_t)c->cpu,
					   .a = c->t->td.id,
					   .aux = c->s->total.marks });
	return STEP_USER;
}

static enum step op_edge_wait(struct ctx *c)
{
	c->t->resume = RESUME_SYSCALL;
	return sl_sync_edge_wait(c->s, c->cpu, c->t, c->op) ? STEP_USER : STEP_GONE;
}

static enum step op_edge_wake(struct ctx *c)
{
	sl_sync_edge_wake(c->s, c->cpu, c->t, c->op);
	return STEP_KERNEL;
}

static enum step (*const op_table[SL_OP_KIND_COUNT])(struct ctx *c) = {
	[SL_OP_RUN] = op_run,
	[SL_OP_KRUN] = op_krun,
	[SL_OP_RUNTIME] = op_run,
	[SL_OP_SLEEP] = op_sleep,
	[SL_OP_UNTIL] = op_until,
	[SL_OP_TIMER] = op_timer,
	[SL_OP_YIELD] = op_yield,
	[SL_OP_LOCK] = op_lock,
	[SL_OP_UNLOCK] = op_unlock,
	[SL_OP_COND_WAIT] = op_cond_wait,
	[SL_OP_COND_SIGNAL] = op_cond_signal,
	[SL_OP_COND_BROAD] = op_cond_signal,
	[SL_OP_COND_SYNC] = op_cond_sync,
	[SL_OP_BARRIER] = op_barrier,
	[SL_OP_SEM_WAIT] = op_sem_wait,
	[SL_OP_SEM_POST] = op_sem_post,
	[SL_OP_SEND] = op_send,
	[SL_OP_RECV] = op_recv,
	[SL_OP_DISK] = op_disk,
	[SL_OP_READ] = op_disk,
	[SL_OP_FORK] = op_fork,
	[SL_OP_EXEC] = op_exec,
	[SL_OP_WAIT_CHILD] = op_wait_child,
	[SL_OP_EXIT] = op_exit,
	[SL_OP_SETNICE] = op_setnice,
	[SL_OP_SETCLASS] = op_setclass,
	[SL_OP_SETMASK] = op_setmask,
	[SL_OP_BIND] = op_bind,
	[SL_OP_PIN] = op_pin,
	[SL_OP_MARK] = op_mark,
	[SL_OP_EDGE_WAIT] = op_edge_wait,
	[SL_OP_EDGE_WAKE] = op_edge_wake,
};

/* Runs advance pc when they are loaded. */
static bool advances_itself(uint8_t kind)
{
	return kind == SL_OP_RUN || kind == SL_OP_RUNTIME;
}

bool sl_prog_finish(struct sl_sim *s, uint32_t cpu, struct ethread *t)
{
	enum pending pending = t->pending;
	const struct sl_op *op = op_at(s, t, t->pc - 1);

	t->pending = PENDING_NONE;
	switch (pending) {
	case PENDING_NONE:
		return true;
	case PENDING_MUTEX:
		return sl_sync_lock(s, cpu, t, op->target);
	case PENDING_SEND:
		return sl_sync_send(s, cpu, t, op);
	case PENDING_RECV:
		return sl_sync_recv(s, cpu, t, op);
	case PENDING_CHILD:
		return wait_child(s, cpu, t, op);
	}
	sl_panic("unknown pending operation", __FILE__, __LINE__);
}

/* End of a kernel entry in thread context: an owed preemption acts before userret. */
static void leave_kernel(struct ctx *c)
{
	struct ethread *t = c->t;

	if (t->td.pri_class != SL_CLASS_ITHD) {
		t->resume = RESUME_SYSCALL;
		t->sysrem += c->s->costs.syscall_ns;
	}
	if ((t->td.flags & SL_TDF_OWEPREEMPT) && c->s->pol.cpu[c->cpu].critnest == 0)
		sl_cpu_switch(c->s, c->cpu, SL_SW_INVOL | SL_SW_PREEMPT | SL_SW_OWEPREEMPT, NULL);
}

/* Executes the operation at pc; true when the next one follows at once. */
static bool step(struct sl_sim *s, uint32_t cpu, struct ethread *t, bool in_kernel)
{
	struct ctx c = { .s = s, .t = t, .cpu = cpu };
	bool ithread = t->td.pri_class == SL_CLASS_ITHD;

	step_loops(s, t);
	if (s->ended)
		return false;
	if (t->pc >= s->w->task[t->task].n_ops) {
		sl_life_exit(s, cpu, t);
		return false;
	}
	c.op = op_at(s, t, t->pc);
	if (!advances_itself(c.op->kind))
		t->pc++;
	else if (in_kernel && !ithread)
		t->resume = RESUME_SYSCALL;
	switch (op_table[c.op->kind](&c)) {
	case STEP_USER:
		return s->pol.cpu[cpu].cur == &t->td;
	case STEP_KERNEL:
		leave_kernel(&c);
		return ithread && s->pol.cpu[cpu].cur == &t->td;
	case STEP_BURST:
	case STEP_GONE:
		return false;
	}
	sl_panic("unknown step", __FILE__, __LINE__);
}

void sl_prog_execute(struct sl_sim *s, uint32_t cpu, struct ethread *t, bool in_kernel)
{
	uint32_t guard = 0;

	while (step(s, cpu, t, in_kernel) && !s->ended)
		if (++guard > MAX_STEPS)
			sl_sim_fail(s, SL_END_STALL,
				    "thread %u executes operations for ever "
				    "without using time",
				    t->td.id);
}

bool sl_prog_takes_time(struct sl_sim *s, struct ethread *t)
{
	uint8_t kind;

	step_loops(s, t);
	if (t->pc >= s->w->task[t->task].n_ops)
		return false;
	kind = op_at(s, t, t->pc)->kind;
	return kind == SL_OP_RUN || kind == SL_OP_RUNTIME;
}

void sl_prog_burst_end(struct sl_sim *s, uint32_t cpu)
{
	struct ethread *t = running(s, cpu);
	bool in_kernel = t->kernel_mode;

	s->self = cpu;
	sl_cost_account(s, cpu);
	if (t->delay + t->sysrem + t->rem > 0) {
		sl_cost_arm(s, cpu); /* lengthened meanwhile */
		return;
	}
	sl_slots_clear(&s->bursts, cpu);
	t->bursts++;
	t->loaded = false;
	t->kernel_mode = t->td.pri_class == SL_CLASS_ITHD;
	sl_prog_execute(s, cpu, t, in_kernel);
	sl_cpu_settle(s, cpu);
}
