/* SPDX-License-Identifier: BSD-2-Clause
 *
 * FreeBSD KTR text: one record of a line, in the old (5.x to 7.x) or the new (KTRGRAPH)
 * grammar. */
#ifndef SL_KTR_H
#define SL_KTR_H

#include <stdbool.h>
#include <stdint.h>

#include "traces/import_event.h"
#include "traces/reader.h"

enum ktr_kind {
	KTR_NONE, /* a line that says nothing about threads on CPUs */
	KTR_OUT,  /* thread leaves its CPU in `state` */
	KTR_IN,	  /* thread runs */
	KTR_ADD,  /* thread becomes runnable; by: who did it */
	KTR_FORK, /* thread is new, made by `by`; only in our own exports */
	KTR_EDGE, /* see SL_EV_EDGE */
	KTR_STAT, /* statistics clock tick at `hz` */
};

struct ktr_record {
	uint64_t at; /* clock ticks, or ns where the file has no index */
	uint64_t line;
	uint32_t cpu;
	uint8_t kind, state;
	bool ns;
	uint32_t hz;
	/* A thread's identity: its number (new grammar) or its address (old). */
	uint64_t thread, by;
	char comm[SL_COMM_MAX];
	int16_t prio;
	uint8_t wprio; /* OUT: priority of the sleep (wmesg); SL_WPRIO_COUNT unknown */
	uint64_t edge; /* EDGE */
	bool wait;     /* EDGE: the wait, else the wake-up */
	bool graph;    /* new grammar */
	bool process;  /* OUT: its whole process ends */
};

/* True when the line is a KTR line; kind NONE when it carries nothing of use. */
bool ktr_parse(const struct sl_line *line, struct ktr_record *out);

#endif
