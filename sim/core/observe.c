/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Who runs where and who waits, rebuilt from records.
 * Invariant: `idle_seen` of a waiting thread is the number of idle CPUs it may use; its gap
 * is open exactly while that is above 0. A gap's length counts from sl_observe_opts.from. */
#include "sim/core/observe.h"

#include <stdlib.h>

enum wstate { W_NONE, W_WAITS, W_RUNS, W_SLEEPS };

struct watched {
	const uint64_t *mask; /* NULL: left out */
	sl_time since;	      /* in this state */
	sl_time started, ended;
	sl_time ran, waited; /* within from .. end */
	sl_time gap_open;
	sl_time arrived; /* on last_cpu */
	uint32_t task, idle_seen, gap_cpu, gap_tid;
	int32_t last_cpu, before_cpu;
	uint8_t state, gap_event;
	bool slept, in_gap;
	uint32_t next, prev; /* among waiting threads; SL_NONE: none */
};

struct sl_observer {
	struct sl_observe_opts opts;
	struct sl_observed out;
	uint32_t ncpus, words;
	uint64_t *masks; /* every mask cut to the usable CPUs; the last one: all of them */
	uint64_t *idle;	 /* idle usable CPUs */
	uint32_t n_idle;
	bool *left_out;	     /* [n_tasks] */
	sl_time *idle_since; /* by CPU, while idle */
	struct watched *th;  /* by thread id */
	uint32_t n_th, cap_th;
	uint32_t waiting; /* first of the list of waiting threads that are judged */
	uint32_t in_gap;  /* threads in a gap */
	sl_time waste_mark;
	uint8_t event;	/* enum sl_gap_event: what the record at hand does to gaps, */
	uint32_t other; /* and the other thread in it */
};

static sl_time later(sl_time a, sl_time b)
{
	return a > b ? a : b;
}

/* The part of since..now that counts. */
static sl_time counted(const struct sl_observer *o, sl_time since, sl_time now)
{
	since = later(since, o->opts.from);
	return now > since ? now - since : 0;
}

/* Books wasted CPU time; before n_idle or in_gap changes. */
static void book_waste(struct sl_observer *o, sl_time now)
{
	sl_time both = o->n_idle < o->in_gap ? o->n_idle : o->in_gap;

	o->out.wasted += both * counted(o, o->waste_mark, now);
	o->waste_mark = now;
}

/* Gaps. */

static void list_gap(struct sl_observed *out, const struct sl_gap *gap)
{
	uint32_t at = out->n_worst;

	while (at > 0 &&
	       out->worst[at - 1].closed - out->worst[at - 1].opened < gap->closed - gap->opened)
		at--;
	if (at == SL_OBSERVE_GAPS)
		return;
	if (out->n_worst < SL_OBSERVE_GAPS)
		out->n_worst++;
	for (uint32_t i = out->n_worst - 1; i > at; i--)
		out->worst[i] = out->worst[i - 1];
	out->worst[at] = *gap;
}

static uint32_t bucket_of(sl_time length)
{
	uint32_t b = 63u - (uint32_t)__builtin_clzll(length);

	return b < SL_OBSERVE_BUCKETS ? b : SL_OBSERVE_BUCKETS - 1;
}

static void open_gap(struct sl_observer *o, struct watched *t, uint32_t cpu, sl_time now)
{
	book_waste(o, now);
	t->in_gap = true;
	t->gap_open = now;
	t->gap_cpu = cpu;
	t->gap_event = o->event;
	t->gap_tid = o->other;
	if (o->event == SL_GAP_CPU_IDLE && o->other == (uint32_t)(t - o->th)) {
		t->gap_event = SL_GAP_PUT_BACK;
		t->gap_tid = SL_REC_IDLE;
	}
	o->in_gap++;
}

static void close_gap(struct sl_observer *o, struct watched *t, int32_t ran_on, sl_time now)
{
	struct sl_gap gap = { .opened = later(t->gap_open, o->opts.from),
			      .closed = now,
			      .tid = (uint32_t)(t - o->th),
			      .idle_cpu = t->gap_cpu,
			      .ran_on = ran_on,
			      .opening = t->gap_event,
			      .opening_tid = t->gap_tid,
			      .closing = o->event,
			      .closing_tid = o->other };
	sl_time length = counted(o, t->gap_open, now);

	book_waste(o, now);
	t->in_gap = false;
	o->in_gap--;
	if (length == 0)
		return;
	o->out.gaps++;
	o->out.gap_sum += length;
	o->out.gap_length[bucket_of(length)]++;
	if (length > o->opts.grace) {
		o->out.long_gaps++;
		list_gap(&o->out, &gap);
	}
}

/* States of a thread. */

static uint32_t idle_for(const struct sl_observer *o, const struct watched *t, uint32_t *first)
{
	uint32_t n = 0;

	*first = SL_NONE;
	for (uint32_t w = 0; w < o->words; w++) {
		uint64_t both = t->mask[w] & o->idle[w];

		if (both && *first == SL_NONE)
			*first = w * 64 + (uint32_t)__builtin_ctzll(both);
		n += (uint32_t)__builtin_popcountll(both);
	}
	return n;
}

static void begin_wait(struct sl_observer *o, struct watched *t, sl_time now)
{
	uint32_t first, tid = (uint32_t)(t - o->th);

	if (!t->mask)
		return;
	t->next = o->waiting;
	t->prev = SL_NONE;
	if (o->waiting != SL_NONE)
		o->th[o->waiting].prev = tid;
	o->waiting = tid;
	t->idle_seen = idle_for(o, t, &first);
	if (t->idle_seen > 0)
		open_gap(o, t, first, now);
}

static void end_wait(struct sl_observer *o, struct watched *t, int32_t ran_on, sl_time now)
{
	if (!t->mask)
		return;
	if (t->in_gap)
		close_gap(o, t, ran_on, now);
	if (t->prev != SL_NONE)
		o->th[t->prev].next = t->next;
	else
		o->waiting = t->next;
	if (t->next != SL_NONE)
		o->th[t->next].prev = t->prev;
}

static void enter(struct sl_observer *o, struct watched *t, enum wstate state, int32_t cpu,
		  sl_time now)
{
	sl_time time = counted(o, t->since, now);

	if (t->state == W_RUNS)
		t->ran += time;
	else if (t->state == W_WAITS)
		t->waited += time;
	if (t->state == W_WAITS)
		end_wait(o, t, cpu, now);
	t->state = (uint8_t)state;
	t->since = now;
	if (state == W_WAITS)
		begin_wait(o, t, now);
}

/* CPUs. */

static void turn_idle(struct sl_observer *o, uint32_t cpu, sl_time now)
{
	const uint64_t *usable = o->masks + (size_t)o->opts.workload->n_masks * o->words;

	o->idle_since[cpu] = now;
	if (!sl_bit_test(usable, cpu))
		return;
	book_waste(o, now);
	sl_bit_set(o->idle, cpu);
	o->n_idle++;
	for (uint32_t i = o->waiting; i != SL_NONE; i = o->th[i].next) {
		struct watched *t = &o->th[i];

		if (sl_bit_test(t->mask, cpu) && t->idle_seen++ == 0)
			open_gap(o, t, cpu, now);
	}
}

static void turn_busy(struct sl_observer *o, uint32_t cpu, sl_time now)
{
	if (!sl_bit_test(o->idle, cpu))
		return;
	book_waste(o, now);
	sl_bit_clear(o->idle, cpu);
	o->n_idle--;
	for (uint32_t i = o->waiting; i != SL_NONE; i = o->th[i].next) {
		struct watched *t = &o->th[i];

		if (sl_bit_test(t->mask, cpu) && --t->idle_seen == 0)
			close_gap(o, t, -1, now);
	}
}

/* Records. */

/* What happens to gaps from here on happens by this. */
static void caused_by(struct sl_observer *o, enum sl_gap_event event, uint32_t other)
{
	o->event = (uint8_t)event;
	o->other = other;
}

static struct watched *thread_at(struct sl_observer *o, uint32_t tid)
{
	if (tid >= o->cap_th) {
		uint32_t cap = o->cap_th ? o->cap_th : 64;
		struct watched *grown;

		while (cap <= tid)
			cap *= 2;
		grown = realloc(o->th, cap * sizeof *grown);
		if (!grown) {
			o->out.no_memory = true;
			return NULL;
		}
		o->th = grown;
		o->cap_th = cap;
	}
	while (o->n_th <= tid)
		o->th[o->n_th++] = (struct watched){ .last_cpu = -1,
						     .before_cpu = -1,
						     .ended = SL_TIME_MAX,
						     .next = SL_NONE,
						     .prev = SL_NONE };
	return &o->th[tid];
}

/* A child of a task without a mask of its own has its parent's. */
static const uint64_t *mask_at_start(const struct sl_observer *o, uint32_t task, uint32_t parent)
{
	const struct sl_workload *w = o->opts.workload;
	uint32_t mask = w->task[task].mask;

	if (o->left_out[task])
		return NULL;
	if (mask != SL_NONE)
		return o->masks + (size_t)mask * o->words;
	if (parent != SL_REC_IDLE && parent < o->n_th)
		return o->th[parent].mask;
	return o->masks + (size_t)w->n_masks * o->words;
}

static void on_start(struct sl_observer *o, const struct sl_rec *r)
{
	struct watched *t = thread_at(o, r->a);

	if (!t)
		return;
	t->task = (uint32_t)(r->aux >> 32);
	t->started = r->at;
	t->mask = mask_at_start(o, t->task, r->b);
	if (t->mask)
		o->out.judged++;
	else
		o->out.left_out++;
	caused_by(o, SL_GAP_STARTED, r->b);
	if (o->opts.workload->task[t->task].ithread)
		enter(o, t, W_SLEEPS, -1, r->at);
	else
		enter(o, t, W_WAITS, -1, r->at);
}

static void judge_move(struct sl_observer *o, struct watched *t, uint32_t cpu, sl_time now)
{
	uint32_t home = (uint32_t)t->last_cpu;

	o->out.migrations++;
	if (t->mask && sl_bit_test(t->mask, home) && sl_bit_test(o->idle, home) &&
	    o->idle_since[home] < now)
		o->out.home_idle++;
	if (t->mask && t->before_cpu == (int32_t)cpu && now - t->arrived < o->opts.grace)
		o->out.back_again++;
}

/* cpu is given to t. Where it was idle it still counts as idle here: the thread that gets
 * it closes its gap by running. */
static void dispatch(struct sl_observer *o, struct watched *t, uint32_t cpu, sl_time now)
{
	caused_by(o, SL_GAP_RUNS, SL_REC_IDLE);
	enter(o, t, W_RUNS, (int32_t)cpu, now);
	if (t->last_cpu == (int32_t)cpu)
		return;
	if (t->last_cpu >= 0)
		judge_move(o, t, cpu, now);
	t->before_cpu = t->last_cpu;
	t->last_cpu = (int32_t)cpu;
	t->arrived = now;
}

static void on_switch(struct sl_observer *o, const struct sl_rec *r)
{
	enum sl_tstate left = (enum sl_tstate)(r->aux & 0xff);
	struct watched *t;

	if (r->cpu >= o->ncpus)
		return;
	if (r->a != SL_REC_IDLE && (t = thread_at(o, r->a)) != NULL) {
		bool runnable = left == SL_TS_RUNQ || left == SL_TS_CAN_RUN;

		caused_by(o, SL_GAP_PUT_BACK, r->b);
		enter(o, t, runnable ? W_WAITS : W_SLEEPS, -1, r->at);
		t->slept |= !runnable && left != SL_TS_DEAD;
		if (left == SL_TS_DEAD)
			t->ended = r->at;
	}
	if (r->b != SL_REC_IDLE && (t = thread_at(o, r->b)) != NULL)
		dispatch(o, t, r->cpu, r->at);
	if (r->a == SL_REC_IDLE && r->b != SL_REC_IDLE) {
		caused_by(o, SL_GAP_TAKEN, r->b);
		turn_busy(o, r->cpu, r->at);
	} else if (r->a != SL_REC_IDLE && r->b == SL_REC_IDLE) {
		caused_by(o, SL_GAP_CPU_IDLE, r->a);
		turn_idle(o, r->cpu, r->at);
	}
}

/* The record of a wake-up follows the dispatch it may have led to. */
static void on_wake(struct sl_observer *o, const struct sl_rec *r)
{
	struct watched *t = thread_at(o, r->a);

	caused_by(o, SL_GAP_WOKEN, r->b);
	if (t && t->state == W_SLEEPS)
		enter(o, t, W_WAITS, -1, r->at);
}

static void take(void *ctx, const struct sl_rec *rec, uint32_t n)
{
	struct sl_observer *o = ctx;

	for (uint32_t i = 0; i < n && !o->out.no_memory; i++) {
		if (rec[i].kind == SL_REC_SWITCH)
			on_switch(o, &rec[i]);
		else if (rec[i].kind == SL_REC_WAKE)
			on_wake(o, &rec[i]);
		else if (rec[i].kind == SL_REC_START)
			on_start(o, &rec[i]);
	}
}

/* Shares of equal hogs. */

static uint32_t permille(sl_time part, sl_time whole)
{
	return whole ? (uint32_t)((part * 1000 + whole / 2) / whole) : 0;
}

static void add_hog(struct sl_hogs *h, uint64_t sum[2], uint32_t run, uint32_t wait, sl_time there)
{
	if (h->n == 0) {
		h->run_min = h->run_max = run;
		h->wait_min = h->wait_max = wait;
		h->window = there;
	}
	h->n++;
	sum[0] += run;
	sum[1] += wait;
	h->run_min = run < h->run_min ? run : h->run_min;
	h->run_max = run > h->run_max ? run : h->run_max;
	h->wait_min = wait < h->wait_min ? wait : h->wait_min;
	h->wait_max = wait > h->wait_max ? wait : h->wait_max;
	h->window = there < h->window ? there : h->window;
}

static void judge_task(struct sl_observer *o, uint32_t task, sl_time end)
{
	struct sl_hogs h = { .task = task };
	uint64_t sum[2] = { 0, 0 };

	for (uint32_t i = 0; i < o->n_th; i++) {
		const struct watched *t = &o->th[i];
		sl_time there = counted(o, t->started, t->ended < end ? t->ended : end);

		if (t->state == W_NONE || t->task != task || !t->mask || t->slept || there == 0)
			continue;
		add_hog(&h, sum, permille(t->ran, there), permille(t->waited, there), there);
	}
	if (h.n < 2)
		return;
	h.run_mean = (uint32_t)(sum[0] / h.n);
	h.wait_mean = (uint32_t)(sum[1] / h.n);
	if (!o->out.has_hogs || h.run_max - h.run_min > o->out.hogs.run_max - o->out.hogs.run_min) {
		o->out.has_hogs = true;
		o->out.hogs = h;
	}
}

const struct sl_observed *sl_observer_finish(struct sl_observer *o, sl_time end)
{
	const struct sl_workload *w = o->opts.workload;

	book_waste(o, end);
	caused_by(o, SL_GAP_OVER, SL_REC_IDLE);
	for (uint32_t i = 0; i < o->n_th; i++) {
		struct watched *t = &o->th[i];

		if (t->state == W_RUNS || t->state == W_WAITS)
			enter(o, t, W_SLEEPS, -1, end);
	}
	for (uint32_t task = 0; task < w->n_tasks; task++)
		if (w->task[task].instances >= 2)
			judge_task(o, task, end);
	return &o->out;
}

/* Building. */

/* Tasks whose threads' freedom may change as they run. */
static void find_left_out(struct sl_observer *o)
{
	const struct sl_workload *w = o->opts.workload;

	for (uint32_t i = 0; i < w->n_tasks; i++) {
		const struct sl_task *task = &w->task[i];

		if (task->bind_cpu >= 0 || task->pin || task->ithread)
			o->left_out[i] = true;
		for (uint32_t k = 0; k < task->n_ops; k++) {
			const struct sl_op *op = &w->op[task->first_op + k];

			if (op->kind == SL_OP_BIND || op->kind == SL_OP_PIN)
				o->left_out[i] = true;
			else if (op->kind == SL_OP_SETMASK)
				o->left_out[op->target == SL_NONE ? i : op->target] = true;
		}
	}
}

static void find_masks(struct sl_observer *o)
{
	const struct sl_workload *w = o->opts.workload;
	uint64_t *usable = o->masks + (size_t)w->n_masks * o->words;

	sl_bits_fill(usable, 0, o->ncpus);
	for (uint32_t k = 0; k < o->words && o->opts.cpuset; k++)
		usable[k] &= o->opts.cpuset[k];
	for (uint32_t m = 0; m < w->n_masks; m++)
		for (uint32_t k = 0; k < o->words && k < w->mask_words; k++)
			o->masks[(size_t)m * o->words + k] =
				w->mask[(size_t)m * w->mask_words + k] & usable[k];
	for (uint32_t k = 0; k < o->words; k++)
		o->idle[k] = usable[k];
	o->n_idle = sl_bits_count(usable, o->words);
}

struct sl_observer *sl_observer_new(const struct sl_observe_opts *opts)
{
	struct sl_observer *o = calloc(1, sizeof *o);

	if (!o)
		return NULL;
	o->opts = *opts;
	if (o->opts.grace == 0)
		o->opts.grace = SL_OBSERVE_GRACE;
	o->out.grace = o->opts.grace;
	o->ncpus = opts->topo->ncpus;
	o->words = SL_BITS_WORDS(o->ncpus);
	o->waiting = SL_NONE;
	o->masks = calloc((size_t)(opts->workload->n_masks + 1) * o->words, sizeof *o->masks);
	o->idle = calloc(o->words, sizeof *o->idle);
	o->left_out = calloc(opts->workload->n_tasks + 1u, sizeof *o->left_out);
	o->idle_since = calloc(o->ncpus, sizeof *o->idle_since);
	if (!o->masks || !o->idle || !o->left_out || !o->idle_since) {
		sl_observer_free(o);
		return NULL;
	}
	find_left_out(o);
	find_masks(o);
	return o;
}

void sl_observer_free(struct sl_observer *o)
{
	if (!o)
		return;
	free(o->masks);
	free(o->idle);
	free(o->left_out);
	free(o->idle_since);
	free(o->th);
	free(o);
}

struct sl_sink sl_observer_sink(struct sl_observer *o)
{
	return (struct sl_sink){ take, o };
}
