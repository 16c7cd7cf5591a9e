/* SPDX-License-Identifier: BSD-2-Clause
 *
 * ULE 7.0 to 8.0: priorities, CPU time counted at hard ticks, constant slices, and how
 * other CPUs are told (ule-history.md 2 - 4).
 * Invariant: as in later eras the formula never writes pri; a window (ticks, ftick,
 * ltick) is rescaled only when it is not empty. */
#include "policies/ule_7.h"

enum {
	NICE_FIRST = 20,
	USE_LEVELS = 23,  /* steps of CPU use: 180 .. 203 */
	STALE_TENTHS = 10 /* a window untouched for hz/10 ticks is stale */
};

/* Of the two classes of terminals the label means the common, slow one. */
const struct ule_layout ule_layout_7 = {
	.name = "interactive 128-159 with real-time, batch 160-223",
	.ithd_last = 63,
	.rt_first = 128,
	.kern_first = 64,
	.interact_first = 128,
	.interact_len = 31,
	.batch_first = 160,
	.batch_last = 223,
	.idle_first = 224,
	.wprio = {
		[SL_WPRIO_PSWP] = 64, [SL_WPRIO_PVM] = 68, [SL_WPRIO_PINOD] = 72,
		[SL_WPRIO_PRIBIO] = 76, [SL_WPRIO_PVFS] = 80, [SL_WPRIO_PZERO] = 84,
		[SL_WPRIO_PSOCK] = 88, [SL_WPRIO_PWAIT] = 92, [SL_WPRIO_PLOCK] = 100,
		[SL_WPRIO_PPAUSE] = 104, [SL_WPRIO_PI_REALTIME] = 0, [SL_WPRIO_PI_AV] = 4,
		[SL_WPRIO_PI_NET] = 16, [SL_WPRIO_PI_DISK] = 20, [SL_WPRIO_PI_TTY] = 24,
		[SL_WPRIO_PI_DULL] = 32, [SL_WPRIO_PI_SOFT] = 36,
	},
};

/* --- Formula (2, C18) --- */

static uint8_t interactive_7(const struct ule *u, int32_t score)
{
	const struct ule_layout *l = &u->layout;

	return (uint8_t)(l->interact_first + l->interact_len / u->interact * score);
}

/* Not clipped: a hog reaches the last step only in windows that USE_LEVELS divides. */
static uint8_t batch_7(const struct ule *u, const struct ule_thread *ts, int32_t nice)
{
	int32_t pri = u->layout.batch_first + NICE_FIRST + nice;
	int32_t total = ts->ltick - ts->ftick;

	if (total < u->hz)
		total = u->hz;
	return (uint8_t)(pri + (ts->ticks >> 10) / ((total + USE_LEVELS - 1) / USE_LEVELS));
}

const struct ule_formula ule_formula_70 = { "23 levels; nice not in the score", interactive_7,
					    batch_7, true };
const struct ule_formula ule_formula_73 = { "23 levels", interactive_7, batch_7, false };

/* --- Window of CPU use (C19) --- */

/* A young thread's history is stretched to the whole window. */
static void rescale(const struct ule *u, struct ule_thread *ts, int32_t now)
{
	if (ts->ticks == 0)
		return;
	if (now - ts->ltick < u->hz / STALE_TENTHS && ts->ltick - ts->ftick < u->tmax)
		return;
	if (ts->ltick > now - u->targ)
		ts->ticks = ts->ticks / (now - ts->ftick) * u->targ;
	else
		ts->ticks = 0;
	ts->ltick = now;
	ts->ftick = now - u->targ;
}

static void update_7(const struct ule *u, struct ule_thread *ts, int32_t now, bool running)
{
	if (!running)
		rescale(u, ts, now);
}

static void chosen_7(const struct ule *u, struct ule_thread *ts, int32_t now)
{
	(void)u, (void)ts, (void)now;
}

static void chosen_8(const struct ule *u, struct ule_thread *ts, int32_t now)
{
	(void)u;
	ts->ltick = now;
}

/* The mark is set first, so that a long wait is not seen as one. */
static void dequeued_7(struct sl_pol *p, struct sl_thread *td)
{
	struct ule_thread *ts = ule_thread_of(td);

	ts->ltick = p->ticks;
	rescale(ule_of(p), ts, p->ticks);
	ule_priority(p, td);
}

/* Counted again on another CPU within the same tick (D14). */
static void hard_70(const struct ule *u, struct ule_thread *ts, int32_t now)
{
	ts->ticks += 1 << 10;
	ts->ltick = now;
	if (ts->ftick + u->tmax < ts->ltick)
		rescale(u, ts, now);
}

static void hard_73(const struct ule *u, struct ule_thread *ts, int32_t now)
{
	if (ts->counted == now)
		return;
	ts->counted = now;
	hard_70(u, ts, now);
}

static void hard_8(const struct ule *u, struct ule_thread *ts, int32_t now)
{
	if (ts->ltick != now)
		hard_70(u, ts, now);
}

const struct ule_pct ule_pct_70 = { .name = "hard ticks, maybe twice; renewed when dequeued",
				    .update = update_7,
				    .chosen = chosen_7,
				    .hard = hard_70,
				    .dequeued = dequeued_7 };
const struct ule_pct ule_pct_73 = { .name = "hard ticks, once; renewed when dequeued",
				    .update = update_7,
				    .chosen = chosen_7,
				    .hard = hard_73,
				    .dequeued = dequeued_7 };
const struct ule_pct ule_pct_8 = { .name = "hard ticks but the one of the choice",
				   .update = update_7,
				   .chosen = chosen_8,
				   .hard = hard_8 };

/* --- Slices (2, C21) --- */

static void slices_constant(struct ule *u)
{
	for (int32_t load = 0; load < ULE_SLICES; load++)
		u->slice_for[load] = u->slice;
}

const struct ule_slices ule_slices_70 = { .name = "constant, time-share only, renewed when queued",
					  .set = slices_constant,
					  .renewed_queued = true,
					  .timeshare_only = true };
const struct ule_slices ule_slices_73 = { .name = "constant, renewed when queued",
					  .set = slices_constant,
					  .renewed_queued = true };
const struct ule_slices ule_slices_8 = { .name = "constant",
					 .set = slices_constant,
					 .every_tick = true };

const struct ule_lowpri ule_lowpri_7 = { "improves until the next switch", false };

/* --- Sleep (C1) --- */

/* Kept until the return to user mode, so the waker goes ahead of all user threads. */
static void sleep_7(struct sl_pol *p, struct sl_thread *td, enum sl_wprio prio)
{
	if (prio != SL_WPRIO_NONE)
		ule_prio(p, td, ule_of(p)->layout.wprio[prio]);
}

const struct ule_boost ule_boost_7 = { "what the sleeper asks for", sleep_7 };

static bool preempted_7(unsigned td_flags, unsigned sw)
{
	(void)td_flags;
	return (sw & SL_SW_PREEMPT) != 0;
}

const struct ule_requeue ule_requeue_7 = { "head after a preemption", preempted_7 };

/* --- Telling another CPU (2, C13) --- */

static bool worth_an_ipi(const struct ule *u, int32_t pri, int32_t running)
{
	int32_t interact_last = u->layout.batch_first - 1;

	if (pri > running)
		return false;
	if (running > u->layout.idle_first)
		return true;
	if (pri < interact_last && running > interact_last)
		return true;
	return pri <= u->preempt_thresh;
}

static void tell_7(struct sl_pol *p, uint32_t cpu, const struct sl_thread *td, uint8_t old_low)
{
	const struct ule *u = ule_of(p);
	uint8_t running = p->cpu[cpu].cur->pri;

	(void)old_low;
	if (!worth_an_ipi(u, td->pri, running)) {
		sl_why(p, SL_WHY_PREEMPT_NO, td, td->pri, running, u->preempt_thresh);
		return;
	}
	sl_why(p, SL_WHY_PREEMPT_REMOTE, td, td->pri, running, u->preempt_thresh);
	sl_pol_ipi(p, cpu, SL_IPI_PREEMPT);
}

const struct ule_notify ule_notify_7 = { "compares with the running thread, equal will do",
					 tell_7 };

/* No test at all: whatever runs is switched out, and mostly chosen again. */
static void take_7(struct sl_pol *p, uint32_t cpu)
{
	p->cpu[cpu].cur->flags |= SL_TDF_OWEPREEMPT;
}

const struct ule_ipi ule_ipi_7 = { "always switches", take_7, false };
