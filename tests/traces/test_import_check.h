/* SPDX-License-Identifier: BSD-2-Clause
 *
 * What must hold for every imported workload, checked without the engine: edges pair up,
 * children are forked once, and a machine with endless CPUs runs every program to its end
 * (so programs, edges and forks form no cycle). */
#ifndef SL_TEST_IMPORT_CHECK_H
#define SL_TEST_IMPORT_CHECK_H

#include <glib.h>
#include <stdlib.h>

#include "sim/core/workload.h"

struct import_check {
	const struct sl_workload *w;
	uint32_t *at; /* next operation of each task */
	uint8_t *started;
	uint32_t *waker, *wakee; /* task of each edge's WAKE and WAIT, SL_NONE */
	uint8_t *woken;
	const char *fault;
};

static inline void import_check_pairs(struct import_check *c)
{
	const struct sl_workload *w = c->w;
	uint32_t *forked = g_new0(uint32_t, w->n_tasks);

	for (uint32_t i = 0; i < w->n_edges; i++)
		c->waker[i] = c->wakee[i] = SL_NONE;
	for (uint32_t i = 0; i < w->n_tasks; i++) {
		for (uint32_t k = 0; k < w->task[i].n_ops; k++) {
			const struct sl_op *op = &w->op[w->task[i].first_op + k];
			uint32_t *end = op->kind == SL_OP_EDGE_WAIT   ? c->wakee
					: op->kind == SL_OP_EDGE_WAKE ? c->waker
								      : NULL;

			if (end && end[op->obj] != SL_NONE)
				c->fault = "an edge is used twice";
			if (end)
				end[op->obj] = i;
			if (op->kind == SL_OP_FORK && forked[op->target]++)
				c->fault = "a child is forked twice";
			if (op->kind == SL_OP_EXIT && k + 1 < w->task[i].n_ops)
				c->fault = "operations behind the exit";
		}
	}
	for (uint32_t i = 0; i < w->n_edges; i++)
		if (c->waker[i] == SL_NONE || c->wakee[i] == SL_NONE || c->waker[i] == c->wakee[i])
			c->fault = "an edge without two ends in two programs";
	for (uint32_t i = 0; i < w->n_tasks; i++)
		if (forked[i] != w->task[i].template_once)
			c->fault = "a child nobody forks, or a forked thread that starts alone";
	g_free(forked);
}

/* Runs one task until it blocks or ends; whether it moved. */
static inline bool import_check_step(struct import_check *c, uint32_t i)
{
	const struct sl_task *t = &c->w->task[i];
	bool moved = false;

	while (c->started[i] && c->at[i] < t->n_ops) {
		const struct sl_op *op = &c->w->op[t->first_op + c->at[i]];

		if (op->kind == SL_OP_EDGE_WAIT && !c->woken[op->obj])
			break;
		if (op->kind == SL_OP_EDGE_WAKE)
			c->woken[op->obj] = 1;
		if (op->kind == SL_OP_FORK)
			c->started[op->target] = 1;
		c->at[i]++;
		moved = true;
	}
	return moved;
}

/* NULL when the workload is sound, else what is wrong. */
static inline const char *import_check(const struct sl_workload *w)
{
	struct import_check c = { .w = w };
	bool moved = true;

	c.at = g_new0(uint32_t, w->n_tasks);
	c.started = g_new0(uint8_t, w->n_tasks);
	c.waker = g_new(uint32_t, w->n_edges + 1);
	c.wakee = g_new(uint32_t, w->n_edges + 1);
	c.woken = g_new0(uint8_t, w->n_edges + 1);
	import_check_pairs(&c);
	for (uint32_t i = 0; i < w->n_tasks; i++)
		c.started[i] = w->task[i].instances > 0;
	while (moved && !c.fault) {
		moved = false;
		for (uint32_t i = 0; i < w->n_tasks; i++)
			moved |= import_check_step(&c, i);
	}
	for (uint32_t i = 0; i < w->n_tasks && !c.fault; i++)
		if (c.at[i] < w->task[i].n_ops)
			c.fault = "a program that never ends";
	g_free(c.at);
	g_free(c.started);
	g_free(c.waker);
	g_free(c.wakee);
	g_free(c.woken);
	return c.fault;
}

/* Sum of a task's RUNs. */
static inline uint64_t import_check_run(const struct sl_workload *w, uint32_t task)
{
	uint64_t sum = 0;

	for (uint32_t k = 0; k < w->task[task].n_ops; k++) {
		const struct sl_op *op = &w->op[w->task[task].first_op + k];

		if (op->kind == SL_OP_RUN)
			sum += op->dist.value;
	}
	return sum;
}

#endif
