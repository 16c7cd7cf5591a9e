/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Invariant: a workload that passes refers to nothing outside its arrays, nests loops
 * properly and at most LOOP_DEPTH_MAX deep, and has no long loop whose turns can neither take
 * time nor block. */
#include "sim/core/workload.h"

#define LOOP_DEPTH_MAX	8
#define EMPTY_TURNS_MAX ((uint64_t)1000000)

/* What an operation's obj and dist must be. */
enum obj_kind {
	OBJ_NONE,
	OBJ_MUTEX,
	OBJ_COND,
	OBJ_TIMER,
	OBJ_SEM,
	OBJ_BARRIER,
	OBJ_CHANNEL,
	OBJ_DISK,
	OBJ_MASK, /* or SL_NONE: all CPUs */
	OBJ_EDGE,
	OBJ_KIND_COUNT
};

enum rule_flag {
	RULE_TIME = 1 << 0,   /* takes time when its length is not 0 */
	RULE_BLOCKS = 1 << 1, /* may block */
	RULE_TASK = 1 << 2,   /* target: a task or SL_NONE */
	RULE_FORKS = 1 << 3,  /* target: a task */
	RULE_MUTEX = 1 << 4,  /* target: a mutex or SL_NONE */
};

static const struct {
	uint8_t obj, flags;
} rules[SL_OP_KIND_COUNT] = {
	[SL_OP_RUN] = { OBJ_NONE, RULE_TIME },
	[SL_OP_KRUN] = { OBJ_NONE, RULE_TIME },
	[SL_OP_RUNTIME] = { OBJ_NONE, RULE_TIME },
	[SL_OP_SLEEP] = { OBJ_NONE, RULE_TIME },
	[SL_OP_UNTIL] = { OBJ_NONE, 0 },
	[SL_OP_TIMER] = { OBJ_TIMER, RULE_TIME },
	[SL_OP_YIELD] = { OBJ_NONE, 0 },
	[SL_OP_LOCK] = { OBJ_MUTEX, RULE_BLOCKS },
	[SL_OP_UNLOCK] = { OBJ_MUTEX, 0 },
	[SL_OP_COND_WAIT] = { OBJ_COND, RULE_BLOCKS | RULE_MUTEX },
	[SL_OP_COND_SIGNAL] = { OBJ_COND, 0 },
	[SL_OP_COND_BROAD] = { OBJ_COND, 0 },
	[SL_OP_COND_SYNC] = { OBJ_COND, RULE_BLOCKS | RULE_MUTEX },
	[SL_OP_BARRIER] = { OBJ_BARRIER, RULE_BLOCKS },
	[SL_OP_SEM_WAIT] = { OBJ_SEM, RULE_BLOCKS },
	[SL_OP_SEM_POST] = { OBJ_SEM, 0 },
	[SL_OP_SEND] = { OBJ_CHANNEL, RULE_BLOCKS },
	[SL_OP_RECV] = { OBJ_CHANNEL, RULE_BLOCKS },
	[SL_OP_DISK] = { OBJ_DISK, RULE_TIME },
	[SL_OP_READ] = { OBJ_DISK, RULE_TIME },
	[SL_OP_FORK] = { OBJ_NONE, RULE_FORKS },
	[SL_OP_EXEC] = { OBJ_NONE, RULE_TIME },
	[SL_OP_WAIT_CHILD] = { OBJ_NONE, RULE_BLOCKS },
	[SL_OP_EXIT] = { OBJ_NONE, RULE_BLOCKS },
	[SL_OP_SETNICE] = { OBJ_NONE, RULE_TASK },
	[SL_OP_SETCLASS] = { OBJ_NONE, RULE_TASK },
	[SL_OP_SETMASK] = { OBJ_MASK, RULE_TASK },
	[SL_OP_BIND] = { OBJ_NONE, 0 },
	[SL_OP_PIN] = { OBJ_NONE, 0 },
	[SL_OP_MARK] = { OBJ_NONE, 0 },
	[SL_OP_LOOP] = { OBJ_NONE, 0 },
	[SL_OP_ENDLOOP] = { OBJ_NONE, 0 },
	[SL_OP_EDGE_WAIT] = { OBJ_EDGE, RULE_BLOCKS },
	[SL_OP_EDGE_WAKE] = { OBJ_EDGE, 0 },
};

/* Open loops of the program being checked. */
struct nest {
	uint32_t at[LOOP_DEPTH_MAX];
	uint64_t turns[LOOP_DEPTH_MAX];
	bool useful[LOOP_DEPTH_MAX]; /* the body can take time or block */
	uint32_t depth;
};

static const char *check_dist(const struct sl_workload *w, const struct sl_dist *d)
{
	if (d->n == 0)
		return NULL;
	if (d->n >= w->n_quantiles || d->first > w->n_quantiles - 1 - d->n)
		return "quantile table out of bounds";
	for (uint32_t i = 0; i < d->n; i++)
		if (w->quantile[d->first + i] > w->quantile[d->first + i + 1])
			return "quantile table not ascending";
	return NULL;
}

static uint64_t dist_most(const struct sl_workload *w, const struct sl_dist *d)
{
	return d->n == 0 ? d->value : w->quantile[d->first + d->n];
}

static uint32_t obj_count(const struct sl_workload *w, uint8_t kind)
{
	const uint32_t count[OBJ_KIND_COUNT] = {
		[OBJ_MUTEX] = w->n_mutexes,    [OBJ_COND] = w->n_conds,
		[OBJ_TIMER] = w->n_timers,     [OBJ_SEM] = w->n_sems,
		[OBJ_BARRIER] = w->n_barriers, [OBJ_CHANNEL] = w->n_channels,
		[OBJ_DISK] = w->n_disks,       [OBJ_MASK] = w->n_masks,
		[OBJ_EDGE] = w->n_edges,
	};

	return count[kind];
}

static const char *check_class(const struct sl_op *op)
{
	if (op->value != SL_CLASS_REALTIME && op->value != SL_CLASS_TIMESHARE &&
	    op->value != SL_CLASS_IDLE && op->value != SL_CLASS_FIFO)
		return "unknown scheduling class";
	if (op->value2 < 0 || op->value2 > 31)
		return "class level beyond 0 to 31";
	return NULL;
}

static const char *check_values(const struct sl_op *op)
{
	switch (op->kind) {
	case SL_OP_SETNICE:
		return op->value < -20 || op->value > 20 ? "nice beyond -20 to 20" : NULL;
	case SL_OP_SETCLASS:
		return check_class(op);
	case SL_OP_PIN:
		return op->value != 1 && op->value != -1 ? "pin by other than 1 or -1" : NULL;
	case SL_OP_BIND:
		return op->value < -1 ? "negative CPU" : NULL;
	default:
		return NULL;
	}
}

static const char *check_op(const struct sl_workload *w, const struct sl_op *op)
{
	uint8_t obj, flags;
	const char *why;

	if (op->kind >= SL_OP_KIND_COUNT)
		return "unknown operation";
	obj = rules[op->kind].obj;
	flags = rules[op->kind].flags;
	if (op->wprio >= SL_WPRIO_COUNT)
		return "unknown sleep priority";
	if (obj != OBJ_NONE && op->obj >= obj_count(w, obj) &&
	    !(obj == OBJ_MASK && op->obj == SL_NONE))
		return "object out of bounds";
	if ((flags & RULE_FORKS) && op->target >= w->n_tasks)
		return "fork of an unknown task";
	if ((flags & RULE_TASK) && op->target != SL_NONE && op->target >= w->n_tasks)
		return "unknown target task";
	if ((flags & RULE_MUTEX) && op->target != SL_NONE && op->target >= w->n_mutexes)
		return "unknown mutex";
	if (op->kind == SL_OP_FORK && (op->flags & SL_OPF_TEMPLATE_ONCE) &&
	    !w->task[op->target].template_once)
		return "fork of a template that has no id of its own";
	why = check_dist(w, &op->dist);
	return why ? why : check_values(op);
}

/* Whether executing it can let time pass or hand the CPU over for good. */
static bool is_useful(const struct sl_workload *w, const struct sl_op *op)
{
	uint8_t flags = rules[op->kind].flags;

	return (flags & RULE_BLOCKS) || ((flags & RULE_TIME) && dist_most(w, &op->dist) > 0);
}

static const char *close_loop(struct nest *nest, const struct sl_op *op)
{
	uint32_t d;
	bool useful;

	if (nest->depth == 0)
		return "end of a loop that was not begun";
	d = --nest->depth;
	if (op->target != nest->at[d])
		return "loops cross";
	useful = nest->useful[d];
	if (!useful && nest->turns[d] > EMPTY_TURNS_MAX)
		return "endless loop in which no time can pass";
	if (nest->depth == 0)
		return NULL;
	if (useful)
		nest->useful[d - 1] = true;
	else if (__builtin_mul_overflow(nest->turns[d - 1], nest->turns[d], &nest->turns[d - 1]))
		nest->turns[d - 1] = UINT64_MAX;
	return NULL;
}

/* Loops of one program; *at is the operation looked at. */
static const char *check_nesting(const struct sl_workload *w, const struct sl_task *t, uint32_t *at)
{
	struct nest nest = { .depth = 0 };
	const char *why;

	for (uint32_t i = 0; i < t->n_ops; i++) {
		const struct sl_op *op = &w->op[t->first_op + i];

		*at = t->first_op + i;
		if (op->kind == SL_OP_LOOP) {
			if (nest.depth == LOOP_DEPTH_MAX)
				return "loops nested deeper than 8";
			nest.at[nest.depth] = i;
			nest.turns[nest.depth] = dist_most(w, &op->dist);
			nest.useful[nest.depth++] = false;
		} else if (op->kind == SL_OP_ENDLOOP) {
			why = close_loop(&nest, op);
			if (why)
				return why;
		} else if (nest.depth > 0 && is_useful(w, op)) {
			nest.useful[nest.depth - 1] = true;
		}
	}
	return nest.depth == 0 ? NULL : "loop without end";
}

static const char *check_task(const struct sl_workload *w, const struct sl_task *t)
{
	if (!t->name)
		return "task without a name";
	if (t->first_op > w->n_ops || t->n_ops > w->n_ops - t->first_op)
		return "program out of bounds";
	if (t->mask != SL_NONE && t->mask >= w->n_masks)
		return "mask out of bounds";
	if (t->nice < -20 || t->nice > 20)
		return "nice beyond -20 to 20";
	if (t->level > 31)
		return "class level beyond 0 to 31";
	if (t->ithread >= SL_WPRIO_COUNT)
		return "unknown interrupt priority";
	if (t->irq_cpu < 0 || t->bind_cpu < -1)
		return "negative CPU";
	if (t->template_once && t->instances > 0)
		return "template with instances";
	return NULL;
}

static const char *check_masks(const struct sl_workload *w)
{
	for (uint32_t m = 0; m < w->n_masks; m++) {
		uint64_t any = 0;

		for (uint32_t i = 0; i < w->mask_words; i++)
			any |= w->mask[(size_t)m * w->mask_words + i];
		if (any == 0)
			return "empty CPU mask";
	}
	return NULL;
}

static const char *check_resources(const struct sl_workload *w)
{
	for (uint32_t i = 0; i < w->n_barriers; i++)
		if (w->barrier[i].parties == 0)
			return "barrier without parties";
	for (uint32_t i = 0; i < w->n_channels; i++)
		if (w->channel[i].capacity == 0)
			return "channel without capacity";
	for (uint32_t i = 0; i < w->n_disks; i++)
		if (w->disk[i].servers == 0 || w->disk[i].cold_permille > 1000 ||
		    w->disk[i].warm_permille > 1000)
			return "disk without servers, or a share beyond 1000 permille";
	for (uint32_t i = 0; i < w->n_mutexes; i++)
		if (w->mutex[i].kind > SL_MUTEX_KERNEL)
			return "unknown kind of mutex";
	return NULL;
}

const char *sl_workload_check(const struct sl_workload *w, uint32_t *where, bool *is_task)
{
	const char *why;

	*is_task = false;
	for (*where = 0; *where < w->n_ops; ++*where) {
		why = check_op(w, &w->op[*where]);
		if (why)
			return why;
	}
	for (uint32_t t = 0; t < w->n_tasks; t++) {
		*where = t;
		*is_task = true;
		why = check_task(w, &w->task[t]);
		if (why)
			return why;
		*is_task = false;
		why = check_nesting(w, &w->task[t], where);
		if (why)
			return why;
	}
	*where = 0;
	*is_task = true;
	why = check_masks(w);
	return why ? why : check_resources(w);
}

uint64_t sl_dist_draw(const struct sl_workload *w, const struct sl_dist *d, uint64_t bits)
{
	const uint64_t *q;
	sl_u128 position;
	uint64_t fraction;

	if (d->n == 0)
		return d->value;
	position = (sl_u128)bits * d->n;
	q = &w->quantile[d->first + (uint32_t)(position >> 64)];
	fraction = (uint64_t)position;
	return q[0] + (uint64_t)(((sl_u128)(q[1] - q[0]) * fraction) >> 64);
}
