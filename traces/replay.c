/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Pass 1 of the replay builder: what every thread did, from the events.
 * Invariant: cur of a CPU is the one RUNNING thread whose cpu is that CPU; a thread that is
 * not RUNNING is on no CPU. An event that contradicts this is a lost switch and is healed
 * by the rules of rp_put_on() before the event itself is looked at. */
#include "traces/replay.h"

#include <string.h>

#include "traces/import_text.h"

struct sl_replay *sl_replay_new(const struct sl_import_opts *opts, struct sl_import_report *report)
{
	struct sl_replay *b = g_new0(struct sl_replay, 1);

	b->opts = opts;
	b->report = report;
	b->chosen = RP_NONE;
	b->halves = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, g_free);
	return b;
}

void sl_replay_free(struct sl_replay *b)
{
	if (!b)
		return;
	for (uint32_t i = 0; i < b->n_threads; i++)
		g_free(b->threads[i].ops);
	g_hash_table_destroy(b->halves);
	g_free(b->threads);
	g_free(b->pids);
	g_free(b->cpus);
	g_free(b);
}

/* ---- operations of a thread ---- */

struct rp_op *rp_push(struct rp_thread *t, struct rp_op op)
{
	if (t->n_ops == t->cap_ops) {
		t->cap_ops = t->cap_ops ? t->cap_ops * 2 : 4;
		t->ops = g_renew(struct rp_op, t->ops, t->cap_ops);
	}
	t->ops[t->n_ops] = op;
	return &t->ops[t->n_ops++];
}

void rp_flush_run(struct rp_thread *t)
{
	if (t->run == 0)
		return;
	rp_push(t, rp_make(RP_RUN, t->run, 0));
	t->run = 0;
}

/* A running thread has used its CPU until `at`. */
void rp_charge(struct rp_thread *t, uint64_t at)
{
	if (t->status != RP_RUNNING || at <= t->on)
		return;
	t->run += at - t->on;
	t->cpu_ns += at - t->on;
	t->on = at;
}

void rp_block(struct rp_thread *t, uint64_t since, unsigned flags)
{
	rp_flush_run(t);
	t->block = t->n_ops;
	t->status = RP_BLOCKED;
	t->off = since;
	rp_push(t, rp_make(RP_BLOCK | flags, 0, since));
}

void rp_repair(struct sl_replay *b, uint64_t *count, const char *what)
{
	(*count)++;
	if (b->opts->strict && !b->fault) {
		b->fault = what;
		b->fault_at = b->now;
		b->fault_line = b->line;
	}
}

/* ---- tables ---- */

static uint32_t pid_hash(int32_t pid, uint32_t cap)
{
	return ((uint32_t)pid * 2654435769u) >> 7 & (cap - 1);
}

static struct rp_pid *pid_slot(struct rp_pid *pids, uint32_t cap, int32_t pid)
{
	uint32_t i = pid_hash(pid, cap);

	while (pids[i].pid >= 0 && pids[i].pid != pid)
		i = (i + 1) & (cap - 1);
	return &pids[i];
}

static void pids_grow(struct sl_replay *b)
{
	uint32_t cap = b->cap_pids ? b->cap_pids * 2 : 256;
	struct rp_pid *pids = g_new(struct rp_pid, cap);

	for (uint32_t i = 0; i < cap; i++)
		pids[i].pid = -1;
	for (uint32_t i = 0; i < b->cap_pids; i++)
		if (b->pids[i].pid >= 0)
			*pid_slot(pids, cap, b->pids[i].pid) = b->pids[i];
	g_free(b->pids);
	b->pids = pids;
	b->cap_pids = cap;
}

static struct rp_pid *pid_find(struct sl_replay *b, int32_t pid)
{
	if (b->n_pids * 2 >= b->cap_pids)
		pids_grow(b);
	return pid_slot(b->pids, b->cap_pids, pid);
}

static void pid_bind(struct sl_replay *b, int32_t pid, uint32_t thread)
{
	struct rp_pid *slot = pid_find(b, pid);

	b->n_pids += slot->pid < 0;
	*slot = (struct rp_pid){ pid, thread };
}

/* RP_NONE when there are too many. */
static uint32_t thread_new(struct sl_replay *b, int32_t pid)
{
	struct rp_thread *t;

	if (b->n_threads == (b->opts->threads_max ? b->opts->threads_max : SL_IMPORT_THREADS_MAX)) {
		b->full = true;
		return RP_NONE;
	}
	if (b->n_threads == b->cap_threads) {
		b->cap_threads = b->cap_threads ? b->cap_threads * 2 : 64;
		b->threads = g_renew(struct rp_thread, b->threads, b->cap_threads);
	}
	t = &b->threads[b->n_threads];
	*t = (struct rp_thread){ .pid = pid,
				 .tgid = SL_TID_UNKNOWN,
				 .parent = RP_NONE,
				 .heal_run = RP_NONE,
				 .heal_sleep = RP_NONE,
				 .wake_thread = RP_NONE,
				 .cpu = RP_NONE,
				 .prio = -1,
				 .elsewhere = b->opts->cpus != NULL,
				 .first_prio = -1,
				 .born = b->now,
				 .off = b->t0,
				 .died = UINT64_MAX };
	pid_bind(b, pid, b->n_threads);
	return b->n_threads++;
}

/* The thread of a number; RP_IDLE for 0, RP_NONE when unknown. */
static uint32_t thread_get(struct sl_replay *b, int32_t pid)
{
	struct rp_pid *slot;

	if (pid <= 0)
		return pid == SL_TID_IDLE ? RP_IDLE : RP_NONE;
	slot = pid_find(b, pid);
	return slot->pid >= 0 ? slot->thread : thread_new(b, pid);
}

static struct rp_cpu *cpu_get(struct sl_replay *b, uint32_t cpu)
{
	if (cpu >= b->n_cpus) {
		b->cpus = g_renew(struct rp_cpu, b->cpus, cpu + 1);
		for (uint32_t i = b->n_cpus; i <= cpu; i++)
			b->cpus[i] = (struct rp_cpu){ .cur = RP_NONE };
		b->n_cpus = cpu + 1;
	}
	return &b->cpus[cpu];
}

static void set_name(struct rp_thread *t, const char *name)
{
	/* "<...>" is ftrace's word for a name it has lost. */
	if (name[0] == '\0' || memcmp(t->name, name, SL_COMM_MAX) == 0 ||
	    strcmp(name, "<...>") == 0)
		return;
	/* A number's first name that says kernel keeps saying so (kworker/u8:1-events). */
	t->kernel |= rp_is_kernel_name(name);
	t->was_recorder |= strcmp(name, "perf-exec") == 0;
	memcpy(t->name, name, SL_COMM_MAX);
}

static void set_prio(struct rp_thread *t, int16_t prio)
{
	if (prio < 0 || prio == t->prio)
		return;
	if (t->first_prio < 0) {
		t->first_prio = prio;
	} else if (prio >= 100 && prio < 140 && t->prio >= 100) {
		/* Only a change of nice: real-time boosts come and go by inheritance. */
		rp_flush_run(t);
		rp_push(t, rp_make(RP_PRIO, (uint64_t)prio, 0));
	}
	t->prio = prio;
}

/* ---- on and off a CPU ---- */

static void leave_cpu(struct sl_replay *b, struct rp_thread *t, uint64_t at)
{
	rp_charge(t, at);
	t->off = at;
	t->heal_run = t->heal_sleep = RP_NONE;
	t->stat_from = 0;
	b->cpus[t->cpu].cur = RP_NONE;
}

/* A switch-out nobody recorded: off at the last sign of life of its CPU. */
static void lose_cpu(struct sl_replay *b, struct rp_thread *t)
{
	leave_cpu(b, t, b->cpus[t->cpu].last);
	rp_wake_cancel(b, t);
	t->status = RP_LIMBO;
}

static void idle_ends(struct rp_cpu *cpu, uint64_t at)
{
	cpu->busy_since = at;
	cpu->was_idle = true;
}

/* When a thread never seen before, or one whose wake-up was not seen, became runnable, at
 * the earliest: a CPU that idled since would have taken it. */
static uint64_t runnable_since(const struct sl_replay *b, const struct rp_cpu *cpu,
			       const struct rp_thread *t)
{
	uint64_t since = t->off > b->t0 ? t->off : b->t0;

	return cpu->was_idle && cpu->busy_since > since ? cpu->busy_since : since;
}

/* Takes t from whatever it did to RUNNABLE at `at`, where it is seen to run. */
static void make_runnable(struct sl_replay *b, const struct rp_cpu *cpu, struct rp_thread *t,
			  uint64_t at)
{
	switch (t->status) {
	case RP_NEW: {
		uint64_t since = runnable_since(b, cpu, t);

		if (since > b->t0) {
			rp_block(t, b->t0, RPF_START);
			rp_wake_unseen(b, t, since);
		}
		break;
	}
	case RP_BLOCKED:
		rp_wake_unseen(b, t, at);
		break;
	case RP_DEAD:
		rp_repair(b, &b->report->revived, "a thread that had exited runs again");
		t->exiting = false;
		t->died = UINT64_MAX;
		if (t->n_ops && rp_kind(t->ops[t->n_ops - 1]) == RP_EXIT)
			t->n_ops--;
		break;
	default:
		break;
	}
	t->status = RP_RUNNABLE;
}

static void enter_cpu(const struct sl_replay *b, struct rp_cpu *cpu, uint32_t c,
		      struct rp_thread *t, uint32_t i, uint64_t at)
{
	const struct sl_import_opts *o = b->opts;

	if (t->elsewhere && c / 64u < o->cpu_words && (o->cpus[c / 64u] >> (c % 64u) & 1))
		t->elsewhere = false;
	t->status = RP_RUNNING;
	t->on = t->turn = at;
	t->cpu = c;
	t->wake = RP_WAKE_NONE;
	cpu->cur = i;
}

/* The time a lost switch-in happened has become known: [heal_lo, heal_hi] holds it. */
static void heal_time(struct rp_thread *t, uint64_t at)
{
	struct rp_op *run = &t->ops[t->heal_run];
	uint64_t on = CLAMP(at, t->heal_lo, t->heal_hi);
	uint64_t ns = t->heal_hi - on;

	t->cpu_ns += ns - rp_ns(*run);
	rp_set_ns(run, ns);
	if (t->heal_sleep != RP_NONE) {
		struct rp_op *sleep = &t->ops[t->heal_sleep];
		uint64_t off = sleep->arg - rp_ns(*sleep);

		sleep->arg = on;
		rp_set_ns(sleep, on > off ? on - off : 0);
	}
	t->heal_run = t->heal_sleep = RP_NONE;
}

/* Thread i is seen to run on CPU c at ev->at, but nobody recorded that it was switched in.
 * On at the last sign of life of the CPU or its wake-up, whichever is later; a thread whose
 * wake-up is missing as well, only now. Its own sched_stat_runtime gives the true time. */
static void put_on(struct sl_replay *b, uint32_t c, uint32_t i, const struct sl_event *ev,
		   bool from_idle)
{
	struct rp_cpu *cpu = &b->cpus[c];
	struct rp_thread *t = &b->threads[i];
	uint64_t at = ev->at, lo, on;
	bool blocked;

	if (t->status == RP_RUNNING)
		lose_cpu(b, t);
	lo = MAX(cpu->seen ? cpu->last : b->t0, MAX(t->off, t->woken));
	blocked = t->status == RP_BLOCKED;
	on = blocked ? at : lo;
	if (from_idle)
		idle_ends(cpu, on);
	make_runnable(b, cpu, t, at);
	t->heal_sleep = blocked ? t->block : RP_NONE;
	rp_flush_run(t);
	t->heal_run = t->n_ops;
	t->heal_lo = lo;
	t->heal_hi = MAX(at, lo);
	rp_push(t, rp_make(RP_RUN, t->heal_hi - MIN(on, t->heal_hi), 0));
	t->cpu_ns += rp_ns(t->ops[t->heal_run]);
	enter_cpu(b, cpu, c, t, i, t->heal_hi);
	if (t->stat_from)
		heal_time(t, t->stat_from);
}

/* The line says `cur` runs on CPU c: is that what the switches say? */
static void check_chain(struct sl_replay *b, uint32_t c, uint32_t cur, const struct sl_event *ev)
{
	struct rp_cpu *cpu = cpu_get(b, c);
	bool from_idle;

	if (cpu->cur == cur || cur == RP_NONE) {
		if (cpu->cur != RP_NONE)
			cpu->seen = true;
		cpu->last = MAX(cpu->last, ev->at);
		return;
	}
	if (cpu->seen)
		rp_repair(b, &b->report->healed, "a switch is missing from a CPU's chain");
	from_idle = cpu->cur == RP_IDLE;
	if (cpu->cur < RP_IDLE)
		lose_cpu(b, &b->threads[cpu->cur]);
	if (cur == RP_IDLE)
		cpu->cur = RP_IDLE;
	else
		put_on(b, c, cur, ev, from_idle);
	cpu = &b->cpus[c];
	cpu->seen = true;
	cpu->last = MAX(cpu->last, ev->at);
}

/* ---- events ---- */

static void count_latency(struct sl_replay *b, uint64_t ns)
{
	unsigned octave;

	if (ns == 0)
		return;
	octave = 63 - (unsigned)__builtin_clzll(ns);
	/* Sixteen equal steps between two powers of two. */
	b->latency[octave * 16 +
		   (octave >= 4 ? ns >> (octave - 4) & 15 : ns << (4 - octave) & 15)]++;
	b->report->wake_samples++;
}

/* Whoever gives way so soon without waiting for anything, and again, looks whether something
 * has come: sched_yield() in a loop. */
#define SPIN_NS	 50000u
#define SPIN_ROW 4u

static void note_spin(struct sl_replay *b, struct rp_thread *t, uint8_t state, uint64_t ran)
{
	/* Whom a wake-up drives off has not given way. */
	if ((state != SL_EVS_RUNNABLE && state != SL_EVS_SPIN) || ran >= SPIN_NS ||
	    b->cpus[t->cpu].woken >= t->turn) {
		t->spins = 0;
		return;
	}
	t->spins += t->spins < SPIN_ROW;
	b->report->spins += t->spins == SPIN_ROW;
}

static void switch_out(struct sl_replay *b, uint32_t i, const struct sl_event *ev)
{
	struct rp_thread *t = &b->threads[i];
	uint8_t state = ev->state;

	if (b->report->shifted_states)
		state = sl_state_unshift(state, ev->raw_state);
	note_spin(b, t, state, ev->at - t->turn);
	leave_cpu(b, t, ev->at);
	switch (state) {
	case SL_EVS_RUNNABLE:
	case SL_EVS_SPIN:
		t->status = RP_RUNNABLE;
		rp_wake_cancel(b, t);
		break;
	case SL_EVS_DEAD:
		rp_flush_run(t);
		rp_push(t, rp_make(RP_EXIT, 0, 0));
		t->status = RP_DEAD;
		t->died = ev->at;
		/* X: nobody waits for it, as for every thread but a process's first. */
		t->part_thread |= ev->raw_state == 'X' && !t->execed;
		rp_wake_cancel(b, t);
		break;
	case SL_EVS_IDLE:
	case SL_EVS_PARKED:
		t->kernel = true;
		rp_block(t, ev->at, 0);
		rp_wake_at_block(b, i);
		break;
	default:
		rp_block(t, ev->at, state == SL_EVS_DISK ? RPF_DISK : 0);
		rp_wake_at_block(b, i);
		break;
	}
}

static void switch_in(struct sl_replay *b, uint32_t c, uint32_t i, const struct sl_event *ev,
		      bool from_idle)
{
	struct rp_cpu *cpu = &b->cpus[c];
	struct rp_thread *t = &b->threads[i];

	if (t->status == RP_RUNNING) {
		rp_repair(b, &b->report->healed, "a thread is switched in on two CPUs");
		lose_cpu(b, t);
	}
	if (from_idle && t->status == RP_RUNNABLE && t->woken > t->off && ev->at > t->woken)
		count_latency(b, ev->at - t->woken);
	make_runnable(b, cpu, t, ev->at);
	enter_cpu(b, cpu, c, t, i, ev->at);
}

static void on_switch(struct sl_replay *b, const struct sl_event *ev)
{
	uint32_t prev = thread_get(b, ev->tid), next = thread_get(b, ev->tid2);
	uint32_t c = ev->cpu;
	bool from_idle = prev == RP_IDLE;

	b->report->switches++;
	if (prev < RP_IDLE) {
		set_name(&b->threads[prev], ev->comm);
		set_prio(&b->threads[prev], ev->prio);
	}
	check_chain(b, c, prev, ev);
	if (prev < RP_IDLE)
		switch_out(b, prev, ev);
	else if (from_idle)
		idle_ends(&b->cpus[c], ev->at);
	b->cpus[c].cur = RP_NONE;
	if (next == RP_IDLE) {
		b->cpus[c].cur = RP_IDLE;
	} else if (next < RP_IDLE) {
		switch_in(b, c, next, ev, from_idle);
		set_name(&b->threads[next], ev->comm2);
		set_prio(&b->threads[next], ev->prio2);
	}
}

/* A new thread takes the number; whoever had it is gone. RP_NONE when there are too many. */
static uint32_t fork_thread(struct sl_replay *b, int32_t pid, uint32_t parent, uint64_t at)
{
	struct rp_pid *slot = pid_find(b, pid);
	struct rp_thread *t;
	uint32_t i;

	if (slot->pid >= 0) {
		struct rp_thread *old = &b->threads[slot->thread];

		if (old->status == RP_RUNNING)
			lose_cpu(b, old);
		if (old->died == UINT64_MAX)
			old->died = at;
		b->report->reused_pids += old->n_ops > 0;
		rp_wake_cancel(b, old);
		old->status = RP_DEAD;
	}
	i = thread_new(b, pid);
	if (i == RP_NONE)
		return RP_NONE;
	t = &b->threads[i];
	t->status = RP_RUNNABLE;
	t->off = t->woken = at;
	t->by_fork = true;
	if (parent < RP_IDLE) {
		struct rp_thread *p = &b->threads[parent];

		t->parent = parent;
		t->ran = p->ran;
		t->kernel = p->kernel || strcmp(p->name, "kthreadd") == 0;
		t->prio = t->first_prio = p->prio;
		memcpy(t->name, p->name, SL_COMM_MAX);
		rp_charge(p, at);
		rp_flush_run(p);
		rp_push(p, rp_make(RP_FORK, 0, i));
	}
	return i;
}

static void on_fork(struct sl_replay *b, const struct sl_event *ev)
{
	uint32_t parent = thread_get(b, ev->tid), child;

	b->report->forks++;
	if (ev->tid2 <= 0)
		return;
	child = fork_thread(b, ev->tid2, parent, ev->at);
	if (child == RP_NONE)
		return;
	set_name(&b->threads[child], ev->comm2);
}

static void on_wakeup_new(struct sl_replay *b, const struct sl_event *ev, uint32_t cur)
{
	struct rp_pid *slot;
	struct rp_thread *t;

	if (ev->tid <= 0)
		return;
	slot = pid_find(b, ev->tid);
	if (slot->pid < 0 || b->threads[slot->thread].status == RP_DEAD) {
		/* In an interrupt the current thread is no parent. */
		if (fork_thread(b, ev->tid, ev->ctx == SL_CTX_IRQ ? RP_NONE : cur, ev->at) ==
		    RP_NONE)
			return;
		slot = pid_find(b, ev->tid);
	}
	t = &b->threads[slot->thread];
	set_name(t, ev->comm);
	if (t->by_fork && t->status == RP_RUNNABLE && t->cpu_ns == 0)
		t->off = t->woken = ev->at;
}

/* Marks the place of a possible start in the program of every thread alive. */
static void cut_here(struct sl_replay *b, uint32_t root, uint64_t at)
{
	for (uint32_t i = 0; i < b->n_threads; i++) {
		struct rp_thread *t = &b->threads[i];

		if (t->status == RP_DEAD)
			continue;
		rp_charge(t, at);
		rp_flush_run(t);
		if (t->status == RP_BLOCKED)
			rp_push(t, rp_make(RP_CUT | RPF_OPEN, root, at - t->off));
		else
			rp_push(t, rp_make(RP_CUT, root, 0));
	}
}

static void add_root(struct sl_replay *b, uint32_t i, const char *name, uint64_t at, bool sure)
{
	struct rp_root *r;

	/* With a window the start is known already. */
	if (b->n_roots == RP_ROOTS_MAX || (b->opts->from && i < RP_IDLE))
		return;
	r = &b->root[b->n_roots];
	r->thread = i;
	r->at = at;
	r->sure = sure;
	memcpy(r->name, name, SL_COMM_MAX);
	if (i < RP_IDLE)
		b->threads[i].ran = b->n_roots + 1;
	cut_here(b, b->n_roots, at);
	b->n_roots++;
}

static void on_exec(struct sl_replay *b, const struct sl_event *ev)
{
	uint32_t i = thread_get(b, ev->tid2 > 0 ? ev->tid2 : ev->tid);
	const struct sl_import_opts *o = b->opts;
	struct rp_thread *t;
	bool sure, asked;

	b->report->execs++;
	if (i >= RP_IDLE)
		return;
	if (ev->tid != ev->tid2 && ev->tid2 > 0 && ev->tid > 0) {
		/* A thread that was not its process's leader took the leader's number. */
		b->threads[i].pid = ev->tid;
		pid_bind(b, ev->tid, i);
	}
	t = &b->threads[i];
	sure = t->was_recorder ||
	       (t->parent != RP_NONE && rp_is_recorder_name(b->threads[t->parent].name));
	asked = o->command && strcmp(ev->comm, o->command) == 0;
	if ((t->ran == 0 && !t->kernel) || (asked && !(t->ran && b->root[t->ran - 1].sure)))
		add_root(b, i, ev->comm, ev->at, o->command ? asked : sure);
	t = &b->threads[i];
	t->execed = true;
	set_name(t, ev->comm);
}

static void on_runtime(struct sl_replay *b, const struct sl_event *ev)
{
	uint32_t i = thread_get(b, ev->tid);
	struct rp_thread *t;

	b->report->runtimes++;
	b->report->runtime_sum += ev->value;
	if (i >= RP_IDLE || ev->value > ev->at)
		return;
	t = &b->threads[i];
	set_name(t, ev->comm);
	if (t->status == RP_RUNNING && t->heal_run != RP_NONE)
		heal_time(t, ev->at - ev->value);
	else if (t->status != RP_RUNNING && t->stat_from == 0)
		t->stat_from = ev->at - ev->value;
}

static void on_exit(struct sl_replay *b, const struct sl_event *ev)
{
	uint32_t i = thread_get(b, ev->tid);

	b->report->exits++;
	if (i < RP_IDLE) {
		b->threads[i].exiting = true;
		b->threads[i].part_thread |= ev->value != 0;
	}
}

static void on_wprio(struct sl_replay *b, const struct sl_event *ev)
{
	uint32_t i = thread_get(b, ev->tid);
	struct rp_thread *t;
	unsigned kind;

	if (i >= RP_IDLE || ev->value >= SL_WPRIO_COUNT)
		return;
	t = &b->threads[i];
	if (t->status != RP_BLOCKED && t->status != RP_RUNNABLE)
		return;
	if (t->block >= t->n_ops)
		return;
	kind = rp_kind(t->ops[t->block]);
	if (kind == RP_BLOCK || kind == RP_SLEEP || kind == RP_WAIT)
		t->ops[t->block].head =
			(t->ops[t->block].head & ~(uint64_t)RPF_WPRIO) | (ev->value + 1) << 8;
}

/* Both halves become operations, as if the wait had been one. */
static void on_edge(struct sl_replay *b, const struct sl_event *ev, uint32_t cur)
{
	gint64 number = (gint64)ev->value;
	struct rp_thread *t;
	struct rp_half *half;
	uint64_t flags;

	if (cur >= RP_IDLE)
		return;
	t = &b->threads[cur];
	rp_charge(t, ev->at);
	rp_flush_run(t);
	half = g_hash_table_lookup(b->halves, &number);
	if (!ev->tid2 && !half) {
		half = g_new(struct rp_half, 1);
		*half = (struct rp_half){ b->n_edges++, cur, t->n_ops };
		rp_push(t, rp_make(RP_NOP, 0, 0));
		g_hash_table_insert(b->halves, g_memdup2(&number, sizeof(number)), half);
	} else if (ev->tid2 && half && half->waker != cur) {
		flags = ev->state < SL_WPRIO_COUNT ? (uint64_t)(ev->state + 1) << 8 : 0;
		b->threads[half->waker].ops[half->op] =
			rp_make(RP_WAKE, 0, (uint64_t)half->edge << 32 | cur);
		rp_push(t, rp_make(RP_WAIT | (unsigned)flags, 0,
				   (uint64_t)half->edge << 32 | half->waker));
		g_hash_table_remove(b->halves, &number);
	}
}

static void on_lost(struct sl_replay *b, const struct sl_event *ev)
{
	struct rp_cpu *cpu = cpu_get(b, ev->cpu);

	rp_repair(b, &b->report->lost_marks, "events are lost");
	b->report->lost_events += ev->value;
	/* What ran here is uncertain from the last line on; the next line says what runs. */
	if (cpu->cur < RP_IDLE)
		lose_cpu(b, &b->threads[cpu->cur]);
	cpu->cur = RP_NONE;
}

void sl_replay_note_state(struct sl_replay *b, const struct sl_event *ev)
{
	/* An idle thread is always runnable: another letter is one too high. */
	if (ev->kind == SL_EV_SWITCH && ev->tid == SL_TID_IDLE && ev->state != SL_EVS_RUNNABLE)
		b->report->shifted_states = true;
}

/* Part of the trace only. */
static bool in_window(struct sl_replay *b, uint64_t at)
{
	const struct sl_import_opts *o = b->opts;

	if (o->to && at - b->t0 > o->to) {
		b->ended = true;
		return false;
	}
	if (o->from && !b->window_cut && at - b->t0 >= o->from) {
		static const char no_name[SL_COMM_MAX] = "";

		b->window_cut = true;
		add_root(b, RP_NONE, no_name, at, true);
	}
	return true;
}

void sl_replay_feed(struct sl_replay *b, struct sl_event *ev)
{
	uint32_t cur;

	if (!b->started) {
		b->started = true;
		b->t0 = ev->at;
	}
	if (b->ended || !in_window(b, ev->at))
		return;
	b->now = ev->at;
	b->line = ev->line;
	b->report->span = ev->at - b->t0;
	if (ev->kind == SL_EV_SWITCH) {
		if (ev->tid >= 0 && ev->tid2 >= 0)
			on_switch(b, ev);
		return;
	}
	if (ev->kind == SL_EV_LOST) {
		on_lost(b, ev);
		return;
	}
	cur = thread_get(b, ev->cur);
	if (cur < RP_IDLE && ev->tgid > 0)
		b->threads[cur].tgid = ev->tgid;
	check_chain(b, ev->cpu, cur, ev);
	switch (ev->kind) {
	case SL_EV_WAKING:
	case SL_EV_WAKEUP: {
		uint32_t w = thread_get(b, ev->tid);

		if (w >= RP_IDLE)
			break;
		set_name(&b->threads[w], ev->comm);
		set_prio(&b->threads[w], ev->prio);
		rp_wake_done(b, w, ev, cur);
		cpu_get(b, ev->cpu)->woken = ev->at;
		if (ev->target_cpu >= 0 && (uint32_t)ev->target_cpu < b->n_cpus)
			b->cpus[ev->target_cpu].woken = ev->at;
		break;
	}
	case SL_EV_WAKEUP_NEW:
		on_wakeup_new(b, ev, cur);
		break;
	case SL_EV_FORK:
		on_fork(b, ev);
		break;
	case SL_EV_EXEC:
		on_exec(b, ev);
		break;
	case SL_EV_EXIT:
		on_exit(b, ev);
		break;
	case SL_EV_RUNTIME:
		on_runtime(b, ev);
		break;
	case SL_EV_WPRIO:
		on_wprio(b, ev);
		break;
	case SL_EV_EDGE:
		on_edge(b, ev, cur);
		break;
	default:
		break;
	}
}
