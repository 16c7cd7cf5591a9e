/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Interactivity, the %CPU window, the priority formula (ule.md 2, 6, 7, 8).
 * Invariant: runtime + slptime stays below the cap srmax after every change; the
 * formula writes base_user_pri and user_pri and never pri. Widths are the kernel's:
 * history in 32 bits unsigned, window in 32 bits signed. */
#include "policies/ule.h"

enum {
	SCORE_HALF = 50,
	SCORE_MAX = 100,
	NICE_FIRST = 20, /* batch priority of nice 0 and no CPU use: that far up */
};

/* Sleep priorities in steps of `step` from `first`; interrupt threads by name. */
#define SLEEP_PRIOS(first, step)                                                                   \
	[SL_WPRIO_PSWP] = (first), [SL_WPRIO_PVM] = (first) + 1 * (step),                          \
	[SL_WPRIO_PINOD] = (first) + 2 * (step), [SL_WPRIO_PRIBIO] = (first) + 3 * (step),         \
	[SL_WPRIO_PVFS] = (first) + 4 * (step), [SL_WPRIO_PZERO] = (first) + 5 * (step),           \
	[SL_WPRIO_PSOCK] = (first) + 6 * (step), [SL_WPRIO_PWAIT] = (first) + 7 * (step),          \
	[SL_WPRIO_PLOCK] = (first) + 8 * (step), [SL_WPRIO_PPAUSE] = (first) + 9 * (step)
#define ITHREAD_PRIOS(rt, av, net, disk, tty, dull, soft)                                          \
	[SL_WPRIO_PI_REALTIME] = (rt), [SL_WPRIO_PI_AV] = (av), [SL_WPRIO_PI_NET] = (net),         \
	[SL_WPRIO_PI_DISK] = (disk), [SL_WPRIO_PI_TTY] = (tty), [SL_WPRIO_PI_DULL] = (dull),       \
	[SL_WPRIO_PI_SOFT] = (soft)

const struct ule_layout ule_layout_10 = {
	.name = "interactive 120-151, batch 152-223",
	.ithd_last = 47,
	.rt_first = 48,
	.kern_first = 80,
	.interact_first = 120,
	.interact_len = 32,
	.batch_first = 152,
	.batch_last = 223,
	.idle_first = 224,
	.wprio = { SLEEP_PRIOS(80, 4), ITHREAD_PRIOS(0, 4, 8, 12, 16, 20, 24) },
};

const struct ule_layout ule_layout_14 = {
	.name = "interactive 88-135, batch 136-223",
	.ithd_last = 15,
	.rt_first = 16,
	.kern_first = 48,
	.interact_first = 88,
	.interact_len = 48,
	.batch_first = 136,
	.batch_last = 223,
	.idle_first = 224,
	.wprio = { SLEEP_PRIOS(48, 4), ITHREAD_PRIOS(0, 4, 4, 4, 4, 4, 8) },
};

const struct ule_layout ule_layout_15 = {
	.name = "interactive 56-114, batch 115-223",
	.ithd_last = 7,
	.rt_first = 8,
	.kern_first = 40,
	.interact_first = 56,
	.interact_len = 59,
	.batch_first = 115,
	.batch_last = 223,
	.idle_first = 224,
	.wprio = { SLEEP_PRIOS(40, 1), ITHREAD_PRIOS(0, 1, 1, 1, 1, 1, 2) },
};

int32_t ule_score(uint32_t run, uint32_t slp, int32_t thresh)
{
	uint32_t div;

	/* Most threads of a busy machine end here: no division. */
	if (thresh <= SCORE_HALF && run >= slp)
		return SCORE_HALF;
	if (run > slp) {
		div = run / SCORE_HALF;
		return SCORE_MAX - (int32_t)(slp / (div > 0 ? div : 1));
	}
	if (slp > run) {
		div = slp / SCORE_HALF;
		return (int32_t)(run / (div > 0 ? div : 1));
	}
	return run != 0 ? SCORE_HALF : 0;
}

void ule_cap_history(const struct ule *u, struct ule_thread *ts)
{
	uint32_t sum = ts->runtime + ts->slptime;

	if (sum < u->srmax)
		return;
	if (sum > u->srmax * 2) {
		/* One very long stay overrules whatever was before. */
		bool ran = ts->runtime > ts->slptime;

		ts->runtime = ran ? u->srmax : 1;
		ts->slptime = ran ? 1 : u->srmax;
	} else if (sum > u->srmax / 5 * 6) {
		ts->runtime /= 2;
		ts->slptime /= 2;
	} else {
		ts->runtime = ts->runtime / 5 * 4;
		ts->slptime = ts->slptime / 5 * 4;
	}
}

void ule_fork_history(const struct ule *u, struct ule_thread *ts)
{
	uint32_t sum = ts->runtime + ts->slptime;

	if (sum > u->srfork) {
		uint32_t ratio = sum / u->srfork;

		ts->runtime /= ratio;
		ts->slptime /= ratio;
	}
}

static void slices_shared(struct ule *u)
{
	for (int32_t load = 0; load < ULE_SLICES; load++) {
		int32_t others = load - 1;

		if (others >= 6)
			u->slice_for[load] = u->slice_min;
		else
			u->slice_for[load] = others <= 1 ? u->slice : u->slice / others;
	}
}

const struct ule_slices ule_slices_10 = {
	.name = "shared among the threads of the CPU",
	.set = slices_shared,
	.every_tick = true,
};

/* --- %CPU window --- */

/* Both kernels rescale alike: divide first, the remainder is lost. */
static inline void pct_rescale(const struct ule *u, struct ule_thread *ts, int32_t now)
{
	ts->ticks = ts->ticks / (ts->ltick - ts->ftick) * (ts->ltick - (now - u->targ));
	ts->ftick = now - u->targ;
}

static void pct_update_10(const struct ule *u, struct ule_thread *ts, int32_t now, bool running)
{
	if (now - ts->ltick >= u->targ) {
		ts->ticks = 0;
		ts->ftick = now - u->targ;
	} else if (now - ts->ftick >= u->tmax) {
		pct_rescale(u, ts, now);
	}
	if (running)
		ts->ticks += (now - ts->ltick) * 1024;
	ts->ltick = now;
}

static void pct_update_11(const struct ule *u, struct ule_thread *ts, int32_t now, bool running)
{
	if ((uint32_t)now - (uint32_t)ts->ltick >= (uint32_t)u->targ) {
		ts->ticks = 0;
		ts->ftick = now - u->targ;
	} else if (now - ts->ftick >= u->tmax) {
		pct_rescale(u, ts, now);
	}
	if (running)
		ts->ticks += (now - ts->ltick) * 1024;
	ts->ltick = now;
}

static void pct_update_15(const struct ule *u, struct ule_thread *ts, int32_t now, bool running)
{
	uint32_t span = (uint32_t)now - (uint32_t)ts->ltick;

	if (span >= (uint32_t)u->targ) {
		ts->ticks = running ? u->targ << 10 : 0;
		ts->ftick = now - u->targ;
		ts->ltick = now;
		return;
	}
	if (now - ts->ftick >= u->tmax) {
		int32_t len = ts->ltick - ts->ftick;

		ts->ticks = ts->ticks / (len > 0 ? len : 1) * (u->targ - (int32_t)span);
		ts->ftick = now - u->targ;
	}
	if (running)
		ts->ticks += (int32_t)(span << 10);
	ts->ltick = now;
}

const struct ule_pct ule_pct_10 = { .name = "gap test signed", .update = pct_update_10 };
const struct ule_pct ule_pct_11 = { .name = "gap test unsigned", .update = pct_update_11 };
const struct ule_pct ule_pct_15 = { .name = "a long run fills the window",
				    .update = pct_update_15 };

/* --- Priority formula --- */

static uint8_t interactive_quotient_first(const struct ule *u, int32_t score)
{
	const struct ule_layout *l = &u->layout;

	return (uint8_t)(l->interact_first + l->interact_len / u->interact * score);
}

static uint8_t interactive_product_first(const struct ule *u, int32_t score)
{
	const struct ule_layout *l = &u->layout;

	return (uint8_t)(l->interact_first + l->interact_len * score / u->interact);
}

/* CPU use in `levels` steps, truncating; the window counts as at least one second. */
static inline uint8_t batch_truncating(const struct ule *u, const struct ule_thread *ts,
				       int32_t nice, int32_t levels)
{
	int32_t pri = u->layout.batch_first + NICE_FIRST + nice;

	if (ts->ticks != 0) {
		int32_t total = ts->ltick - ts->ftick;
		int32_t use;

		if (total < u->hz)
			total = u->hz;
		use = (ts->ticks >> 10) / ((total + levels - 1) / levels);
		pri += use < levels - 1 ? use : levels - 1;
	}
	return (uint8_t)pri;
}

static uint8_t batch_10(const struct ule *u, const struct ule_thread *ts, int32_t nice)
{
	return batch_truncating(u, ts, nice, 32);
}

static uint8_t batch_14(const struct ule *u, const struct ule_thread *ts, int32_t nice)
{
	return batch_truncating(u, ts, nice, 48);
}

/* Rounds, takes the window as it is, and weighs a nice level as 5/4 of a priority. */
static uint8_t batch_15(const struct ule *u, const struct ule_thread *ts, int32_t nice)
{
	const struct ule_layout *l = &u->layout;
	uint64_t len = ts->ltick > ts->ftick ? (uint64_t)(ts->ltick - ts->ftick) : 1;
	uint64_t use = (uint64_t)(l->interact_len - 1) * (uint64_t)ts->ticks;

	use = ((use + len / 2) / len + 512) >> 10;
	return (uint8_t)(l->batch_first + (int32_t)use + (nice + 20) * 5 / 4);
}

const struct ule_formula ule_formula_10 = { "quotient first; 32 levels", interactive_quotient_first,
					    batch_10, false };
const struct ule_formula ule_formula_13 = { "product first; 32 levels", interactive_product_first,
					    batch_10, false };
const struct ule_formula ule_formula_14 = { "product first; 48 levels", interactive_product_first,
					    batch_14, false };
const struct ule_formula ule_formula_15 = { "product first; 59 levels, rounding, nice x 5/4",
					    interactive_product_first, batch_15, false };

/* Gives td its user priority by the formula; returns the score it comes from. */
static inline int32_t set_priority(const struct ule *u, struct sl_thread *td)
{
	const struct ule_thread *ts = ule_thread_of(td);
	const struct ule_formula *formula = &u->formula;
	int32_t nice = td->proc->nice;
	int32_t score = ule_score(ts->runtime, ts->slptime, u->interact);
	uint8_t pri;

	if (!formula->score_without_nice)
		score += nice;
	if (score < 0)
		score = 0;
	if (score < u->interact)
		pri = formula->interactive(u, score);
	else
		pri = formula->batch(u, ts, nice);
	td->base_user_pri = pri;
	if (td->lend_user_pri > pri)
		td->user_pri = pri;
	return score;
}

SL_COLD static void set_priority_explained(struct sl_pol *p, struct sl_thread *td)
{
	struct ule *u = ule_of(p);
	struct ule_thread *ts = ule_thread_of(td);
	uint8_t old = td->base_user_pri;
	int32_t score = set_priority(u, td);

	if (td->base_user_pri != old)
		sl_why(p, SL_WHY_PRIORITY, td, old, td->base_user_pri, score);
	if ((ts->score < u->interact) != (score < u->interact))
		sl_why(p, score < u->interact ? SL_WHY_INTERACTIVE : SL_WHY_BATCH, td, ts->score,
		       score, u->interact);
	ts->score = (uint8_t)(score < UINT8_MAX ? score : UINT8_MAX);
}

void ule_priority(struct sl_pol *p, struct sl_thread *td)
{
	if (!ule_is_timeshare(td))
		return;
	if (sl_explains(p))
		set_priority_explained(p, td);
	else
		set_priority(ule_of(p), td);
}
