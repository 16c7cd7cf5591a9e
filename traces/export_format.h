/* SPDX-License-Identifier: BSD-2-Clause
 *
 * A writer of one format, behind export.c: it gets events with names and numbers, in time
 * order, and never sees a record. */
#ifndef SL_EXPORT_FORMAT_H
#define SL_EXPORT_FORMAT_H

#include <glib.h>
#include <stdbool.h>
#include <stdio.h>

#include "sim/base/base.h"

#define SL_EXPORT_NAME 16

/* A thread as others see it: number 0 is the idle task of the CPU at hand. */
struct sl_xthread {
	uint32_t pid;
	int16_t prio;		   /* Linux: 100 .. 139, 120 = nice 0 */
	bool part;		   /* a thread beside the first of its process */
	char name[SL_EXPORT_NAME]; /* no blanks, no '=', '"', '(' or ')' */
};

enum sl_xkind {
	SL_X_SWITCH, /* a: leaves in `state`, b: runs */
	SL_X_WAKE,   /* a: woken by `cur`, or by an interrupt; target: its CPU */
	SL_X_START,  /* a: new; b: its parent, pid 0 none */
	SL_X_EXIT,   /* a */
	SL_X_EDGE,   /* a: wakes too early to be waited for, or does not wait: see `edge` */
};

enum sl_xstate { SL_XS_RUNNABLE, SL_XS_PREEMPTED, SL_XS_SLEEP, SL_XS_BLOCKED, SL_XS_DEAD };

struct sl_xevent {
	sl_time at;
	enum sl_xkind kind;
	enum sl_xstate state;
	const char *wprio; /* priority of the sleep that begins, NULL none: see import_text.h */
	uint32_t cpu, target;
	bool interrupt;
	uint32_t edge; /* EDGE: its number, the same for both halves */
	bool edge_wait;
	struct sl_xthread cur, a, b; /* cur: runs on cpu */
	/* After the event: threads that run or want to, those that only want to (the length
	 * of all run queues), and how often a thread was switched in elsewhere than last. */
	uint32_t runnable, waiting;
	uint64_t migrations;
};

struct sl_xwriter {
	FILE *out;
	void *state; /* the format's own */
};

struct sl_export_format {
	const char *name, *summary;
	void (*begin)(struct sl_xwriter *w);
	void (*event)(struct sl_xwriter *w, const struct sl_xevent *ev);
	void (*end)(struct sl_xwriter *w, sl_time end); /* frees state */
};

extern const struct sl_export_format sl_export_ftrace;
extern const struct sl_export_format sl_export_perf;
extern const struct sl_export_format sl_export_ktr;
extern const struct sl_export_format sl_export_chrome;
extern const struct sl_export_format sl_export_perfetto;
extern const struct sl_export_format sl_export_tracedat;

#endif
