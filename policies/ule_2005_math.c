/* SPDX-License-Identifier: BSD-2-Clause
 *
 * ULE of 2005: interactivity, priority, slices (ule-history.md 1.3 - 1.5, C5, C15).
 * Invariant: the formula writes base_user_pri and user_pri and never pri. */
#include "policies/ule_2005.h"

enum {
	SCORE_HALF = 50,
	SCORE_MAX = 100,
	SHARE_LEN = U05_SHARE_LAST - U05_SHARE_FIRST + 1,
	NICE_SPAN = 19, /* relative nice values up to this get slices in proportion */
};

int32_t u05_score(uint32_t run, uint32_t slp)
{
	uint32_t div;

	if (run > slp) {
		div = run / SCORE_HALF;
		return SCORE_MAX - (int32_t)(slp / (div > 0 ? div : 1));
	}
	if (slp > run) {
		div = slp / SCORE_HALF;
		return (int32_t)(run / (div > 0 ? div : 1));
	}
	return 0;
}

static int32_t score_of(const struct sl_thread *td)
{
	return u05_score(u05_thread_of(td)->runtime, u05_thread_of(td)->slptime);
}

bool u05_interactive(const struct sl_thread *td)
{
	return score_of(td) < U05_THRESH;
}

void u05_cap_history(const struct u05 *u, struct u05_thread *ts)
{
	uint32_t sum = ts->runtime + ts->slptime;

	if (sum < u->cap)
		return;
	if (sum > u->cap / 5 * 6) {
		ts->runtime /= 2;
		ts->slptime /= 2;
	} else {
		ts->runtime = ts->runtime / 5 * 4;
		ts->slptime = ts->slptime / 5 * 4;
	}
}

void u05_fork_history(const struct u05 *u, struct u05_thread *ts)
{
	uint32_t sum = ts->runtime + ts->slptime;

	if (sum > u->fork_cap) {
		ts->runtime /= sum / u->fork_cap;
		ts->slptime /= sum / u->fork_cap;
	}
}

/* One very long sleep overrules whatever was before. */
void u05_credit_sleep(const struct u05 *u, struct u05_thread *ts, uint32_t ticks)
{
	if (ticks >= u->cap >> 10) {
		ts->slptime = u->cap;
		ts->runtime = 1;
		return;
	}
	ts->slptime += ticks << 10;
	u05_cap_history(u, ts);
}

void u05_priority(struct sl_thread *td)
{
	int32_t pri;

	if (!u05_is_timeshare(td))
		return;
	pri = U05_SHARE_FIRST + score_of(td) * SHARE_LEN / SCORE_MAX + td->proc->nice;
	if (pri < U05_SHARE_FIRST)
		pri = U05_SHARE_FIRST;
	if (pri > U05_SHARE_LAST)
		pri = U05_SHARE_LAST;
	td->base_user_pri = (uint8_t)pri;
	if (td->lend_user_pri > pri)
		td->user_pri = (uint8_t)pri;
}

static int32_t least_nice(const struct u05_cpu *q)
{
	for (int32_t i = 0; i < U05_NICES; i++)
		if (q->nice[i] > 0)
			return i - 20;
	return 20;
}

/* The range counts both ends, so at 19 the slice is one less than the least. */
void u05_new_slice(const struct u05 *u, const struct u05_cpu *q, struct sl_thread *td)
{
	struct u05_thread *ts = u05_thread_of(td);
	int32_t relative = td->proc->nice - least_nice(q);

	if (td->flags & SL_TDF_BORROWING)
		ts->slice = u->slice_min;
	else if (u05_interactive(td) || q->timeshare == 0 || relative <= 0)
		ts->slice = u->slice_max;
	else if (relative <= NICE_SPAN)
		ts->slice = u->slice_max - relative * (u->slice_max - u->slice_min + 1) / NICE_SPAN;
	else
		ts->slice = u->slice_min;
}
