/* SPDX-License-Identifier: BSD-2-Clause
 *
 * One scheduler event of a recording, whatever the format it was read from. Readers
 * fill it, the replay builder consumes it. */
#ifndef SL_IMPORT_EVENT_H
#define SL_IMPORT_EVENT_H

#include <stdint.h>

/* Longest thread name kept, with its NUL (Linux 16, FreeBSD 20). */
#define SL_COMM_MAX	 20

#define SL_TID_IDLE	 0
#define SL_TID_UNKNOWN	 (-1)
#define SL_TID_MAX	 INT32_MAX
#define SL_TRACE_CPU_MAX 65535u

enum sl_ev_kind {
	SL_EV_NONE,	  /* a line that is no scheduler event */
	SL_EV_SWITCH,	  /* tid: prev, state; tid2: next */
	SL_EV_WAKING,	  /* tid: woken by cur */
	SL_EV_WAKEUP,	  /* tid: now runnable; cur may be a bystander */
	SL_EV_WAKEUP_NEW, /* tid: new thread, runnable */
	SL_EV_FORK,	  /* tid: parent, tid2: child */
	SL_EV_EXEC,	  /* tid: who, tid2: its tid before; comm: base name of the program */
	SL_EV_EXIT,	  /* tid; value: 1 when a non-last thread of its process */
	SL_EV_RUNTIME,	  /* tid; value: ns of CPU since the last such event or switch-in */
	SL_EV_LOST,	  /* value: number of events lost on cpu, 0 unknown */
	SL_EV_SEEN,	  /* nothing but "cur runs on cpu": keeps the chain check sharp */
	SL_EV_WPRIO,	  /* tid: has just begun a wait; value: enum sl_wprio of it, or
			   * SL_WPRIO_COUNT. A note about an event, not counted as one */
	SL_EV_EDGE,	  /* cur: half of a wake-up that came before its wait; value: number of
			   * the edge; tid2: 1 the wait, 0 the wake-up; state: enum sl_wprio of
			   * the wait. Only in our own exports, not counted as an event */
	SL_EV_KIND_COUNT
};

/* State a thread leaves its CPU with. */
enum sl_ev_state {
	SL_EVS_RUNNABLE, /* R, R+ */
	SL_EVS_SLEEP,	 /* S and every other interruptible or unnamed wait */
	SL_EVS_DISK,	 /* D: uninterruptible */
	SL_EVS_IDLE,	 /* I: an idle kernel thread */
	SL_EVS_PARKED,
	SL_EVS_DEAD, /* X, Z, x */
	SL_EVS_SPIN, /* KTR: on CPU but waiting for a lock */
	SL_EVS_STATE_COUNT
};

/* Context in which an event fired. */
enum sl_ev_ctx {
	SL_CTX_UNKNOWN,
	SL_CTX_TASK,
	SL_CTX_SOFT, /* soft interrupt: perhaps on behalf of the current thread */
	SL_CTX_IRQ,  /* hard interrupt or NMI: the current thread is a bystander */
};

struct sl_event {
	uint64_t at; /* ns, the trace's own clock */
	uint8_t kind, state, ctx;
	uint8_t raw_state; /* letter or low bits as printed, for the shifted-letter kernels */
	uint32_t cpu;
	int32_t cur;  /* thread the line says is running; SL_TID_UNKNOWN */
	int32_t tgid; /* its process; SL_TID_UNKNOWN */
	int32_t tid, tid2;
	int16_t prio, prio2; /* Linux kernel priority; -1 unknown */
	int16_t target_cpu;  /* wake-ups: queued there; -1 unknown */
	uint32_t line;	     /* it was read from; 0 unknown, UINT32_MAX that or later */
	uint64_t value;
	char comm[SL_COMM_MAX];	 /* of tid; "" unknown */
	char comm2[SL_COMM_MAX]; /* of tid2 */
};

#endif
