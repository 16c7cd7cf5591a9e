/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Grows the flat arrays of a struct sl_workload and freezes them. Resources are made
 * on first use, by name, in order of first use. */
#ifndef SL_WORKLOAD_BUILD_H
#define SL_WORKLOAD_BUILD_H

#include "sim/core/workload.h"

#include <glib.h>

struct sl_build;

enum sl_resource {
	SL_RES_MUTEX,
	SL_RES_COND,
	SL_RES_TIMER,
	SL_RES_SEM,
	SL_RES_BARRIER,
	SL_RES_CHANNEL,
	SL_RES_DISK,
	SL_RES_COUNT
};

struct sl_build *sl_build_new(void);
void sl_build_free(struct sl_build *b); /* NULL is fine; after freeze, too */

/* Index of the resource of that kind and name, created with defaults when new. */
uint32_t sl_build_resource(struct sl_build *b, enum sl_resource kind, const char *name);
uint32_t sl_build_count(const struct sl_build *b, enum sl_resource kind);
const char *sl_build_resource_name(const struct sl_build *b, enum sl_resource kind, uint32_t index);

/* Writable descriptions; valid until the next resource of that kind is made. */
struct sl_mutex_spec *sl_build_mutex(struct sl_build *b, uint32_t index);
struct sl_sem_spec *sl_build_sem(struct sl_build *b, uint32_t index);
struct sl_barrier_spec *sl_build_barrier(struct sl_build *b, uint32_t index);
struct sl_channel_spec *sl_build_channel(struct sl_build *b, uint32_t index);
struct sl_disk_spec *sl_build_disk(struct sl_build *b, uint32_t index);

/* Appends a task with defaults (name copied) and returns its index. Its program is
 * what is emitted between sl_build_begin() and sl_build_end(). */
uint32_t sl_build_task(struct sl_build *b, const char *name);
struct sl_task *sl_build_task_at(struct sl_build *b, uint32_t index);
uint32_t sl_build_tasks(const struct sl_build *b);
void sl_build_begin(struct sl_build *b, uint32_t task);
void sl_build_end(struct sl_build *b);

/* Appends an operation with no object, target or length and returns it; valid until
 * the next one. */
struct sl_op *sl_build_op(struct sl_build *b, enum sl_op_kind kind);
uint32_t sl_build_here(const struct sl_build *b); /* ops of the program so far */
struct sl_op *sl_build_op_at(struct sl_build *b, uint32_t relative);
/* LOOP and its ENDLOOP; returns the LOOP's relative index, to be passed to end_loop. */
uint32_t sl_build_loop(struct sl_build *b, struct sl_dist count);
void sl_build_end_loop(struct sl_build *b, uint32_t loop);

/* Index of the mask with these `words` words, each set stored once. */
uint32_t sl_build_mask(struct sl_build *b, const uint64_t *set, uint32_t words);

/* A distribution from n + 1 ascending quantiles, each table stored once; a table of
 * equal values becomes a constant. */
struct sl_dist sl_build_dist(struct sl_build *b, const uint64_t *quantile, uint32_t n,
			     uint64_t mean);
struct sl_dist sl_build_constant(uint64_t value);

/* Moves everything into a workload (free with sl_workload_free()); the builder is
 * empty afterwards. mask_words: at least what the masks need. */
struct sl_workload *sl_build_freeze(struct sl_build *b, const char *name, uint32_t mask_words,
				    sl_time duration, uint64_t digest);

/* Frees a workload made by sl_build_freeze(); NULL is fine. */
void sl_workload_free(struct sl_workload *w);

#endif
