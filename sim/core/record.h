/* SPDX-License-Identifier: BSD-2-Clause
 *
 * What a simulation says while it runs: 32-byte records in batches, formatted by
 * whoever reads them. The digest of a run is a hash of these bytes, but for SL_REC_WHY,
 * SL_REC_SAMPLE and SL_REC_EDGE: it does not depend on who listens, and what nobody waited
 * for is no event. */
#ifndef SL_RECORD_H
#define SL_RECORD_H

#include "sim/base/base.h"

/* "tid": sl_thread.id. The idle thread of a CPU has tid SL_REC_IDLE. Append only. */
enum sl_rec_kind {
	SL_REC_SWITCH = 1, /* cpu; a: prev tid, b: next tid, pri: next's; aux: sw flags << 8 |
			    * prev's enum sl_tstate after the switch */
	SL_REC_WAKE,	   /* cpu: where the wake-up runs; a: tid, b: waker tid or SL_REC_IDLE
			    * (interrupt); aux: CPU it was queued on */
	SL_REC_START,	   /* a: tid, b: parent tid or SL_REC_IDLE; aux: task << 32 | instance */
	SL_REC_EXIT,	   /* a: tid */
	SL_REC_MARK,	   /* a: tid; aux: marks so far */
	SL_REC_WHY,	   /* pri: enum sl_why; a: tid; inputs a, b, c of sl_why() in b, c
			    * (as uint32_t) and aux (as uint64_t) */
	/* 7 was a change of priority; SL_REC_WHY with SL_WHY_PRIORITY says it. */
	SL_REC_SAMPLE = 8, /* state at a full second, threads in id order; a: tid, pri: pri,
			    * cpu: user_pri, b: estcpu, c: slptime, aux: ldavg0 << 32 | nrun */
	SL_REC_SLEEP,	   /* cpu; a: tid; b: enum sl_op_kind that sleeps; c: enum
			    * sl_wprio it sleeps with */
	SL_REC_NICE,	   /* a: tid, aux: nice */
	SL_REC_EDGE = 12,  /* half of a recorded wake-up that came before the wait for it, so
			    * that nobody slept. cpu; a: tid; b: SL_OP_EDGE_WAKE or
			    * SL_OP_EDGE_WAIT; c: enum sl_wprio of the wait; aux: the edge */
	/* 11 was a migration: a thread migrates when a switch gives it another CPU than its
	 * last switch did; SL_WHY_STEAL and SL_WHY_BALANCE say why. */
};

#define SL_REC_IDLE UINT32_MAX

struct sl_rec {
	sl_time at;
	uint8_t kind;
	uint8_t pri;
	uint16_t cpu;
	uint32_t a;
	uint32_t b;
	uint32_t c;
	uint64_t aux;
};
static_assert(sizeof(struct sl_rec) == 32, "records are hashed and written verbatim");

/* Gets batches in order; the array is valid during the call only. */
struct sl_sink {
	void (*take)(void *ctx, const struct sl_rec *rec, uint32_t n);
	void *ctx;
};

#endif
