/* SPDX-License-Identifier: BSD-2-Clause
 *
 * What an era of 4BSD is made of, in words, for `show policy`.
 * Invariant: every mechanism that an era names has its words here (tests/policies). */
#include "policies/4bsd.h"

typedef void (*mechanism)(void);

struct words {
	mechanism fn;
	const char *text;
};

static const struct words words[] = {
	{ (mechanism)bsd_enqueue_tests_first, "preemption is tested, then the thread queued" },
	{ (mechanism)bsd_enqueue_queue_first, "the thread is queued, then preemption tested" },
	{ (mechanism)bsd_head_if_direct, "head after a direct preemption" },
	{ (mechanism)bsd_head_if_preempted, "head after a preemption" },
	{ (mechanism)bsd_head_unless_slice_end, "head unless the slice has ended" },
	{ (mechanism)bsd_head_if_direct_or_untyped,
	  "head after a direct preemption or a switch without a reason" },
	{ (mechanism)bsd_head_if_preempted_in_slice, "head after a preemption within the slice" },
	{ (mechanism)bsd_direct_interrupts_too, "at once, from interrupts too" },
	{ (mechanism)bsd_direct_outside_critical, "at once outside critical sections, else owed" },
	{ (mechanism)bsd_choose_first, "the first of the best list" },
	{ (mechanism)bsd_choose_near,
	  "of the best list's first runq_fuzz, one that last ran here, else the first" },
	{ (mechanism)bsd_sleep_prio_any, "every thread takes its sleep's priority" },
	{ (mechanism)bsd_sleep_prio_timeshare, "time-share threads take their sleep's priority" },
	{ (mechanism)bsd_ithread_wake_plain, "woken as any thread" },
	{ (mechanism)bsd_ithread_wake_hook, "woken at its own priority, however deep it sank" },
	{ (mechanism)bsd_set_upri_plain, "its own, whatever is lent" },
	{ (mechanism)bsd_set_upri_flag, "the lent one while it is better, by a flag" },
	{ (mechanism)bsd_set_upri_min, "the lent one while it is better, by number" },
	{ (mechanism)bsd_lend_upri_flag, "marks the thread as borrowing" },
	{ (mechanism)bsd_lend_upri_min, "the better of both numbers" },
	{ (mechanism)bsd_rtprio_self, "active at once on oneself" },
	{ (mechanism)bsd_rtprio_9,
	  "active at once on oneself, real-time threads, and at the old priority" },
	{ (mechanism)bsd_rtprio_class, "active at once outside time-share" },
	{ (mechanism)bsd_load_period_ticks, "4 to 6 s, drawn in ticks" },
	{ (mechanism)bsd_load_period_us, "4 to 6 s, drawn in us" },
};

/* NULL for a mechanism without words. */
static const char *in_words(mechanism fn)
{
	if (!fn)
		return "none";
	for (size_t i = 0; i < SL_ARRAY_LEN(words); i++)
		if (words[i].fn == fn)
			return words[i].text;
	return NULL;
}

static const char *quantum_in_words(const struct bsd_quantum *quantum)
{
	if (quantum == &bsd_quantum_beat)
		return "a global beat ends all at once";
	if (quantum == &bsd_quantum_switchticks)
		return "counted from the CPU's last switch";
	if (quantum == &bsd_quantum_slice)
		return "a slice per thread";
	return quantum == &bsd_quantum_slice_demote ? "a slice per thread; interrupt threads sink"
						    : NULL;
}

size_t bsd_parts(const struct sl_era *era, struct sl_part *out, size_t n)
{
	const struct bsd_era *e = era->data;
	const struct sl_part parts[] = {
		{ "priorities per list", NULL, e->ppq },
		{ "best time-share priority", NULL, e->ts_min },
		{ "best idle priority", NULL, e->idle_min },
		{ "slice of a new thread", NULL, e->new_slice },
		{ "quantum", quantum_in_words(e->quantum), 0 },
		{ "groups", e->grouping == &bsd_grouping_none ? "none" : "run slots per ksegrp",
		  0 },
		{ "newest thread first", NULL, e->newest_first },
		{ "child has active priority", NULL, e->fork_copies_pri },
		{ "enqueue", in_words((mechanism)e->enqueue), 0 },
		{ "requeue", in_words((mechanism)e->requeue_head), 0 },
		{ "direct preemption", in_words((mechanism)e->preempts_direct), 0 },
		{ "preemptor asks for switch", NULL, e->hands_resched },
		{ "choice, common queue", in_words((mechanism)e->choose_global), 0 },
		{ "choice, queue of a CPU", in_words((mechanism)e->choose_local), 0 },
		{ "idle bit falls voluntarily", NULL, e->idle_bit_voluntary },
		{ "yield waits for the AST", NULL, e->yields_in_ast },
		{ "sleep priority", in_words((mechanism)e->sleep_takes_prio), 0 },
		{ "interrupt threads", in_words((mechanism)e->ithread_wake), 0 },
		{ "user priority", in_words((mechanism)e->set_upri), 0 },
		{ "lent user priority", in_words((mechanism)e->lend_upri), 0 },
		{ "rtprio", in_words((mechanism)e->rtprio_applies), 0 },
		{ "load average's period", in_words((mechanism)e->load_period), 0 },
	};

	for (size_t i = 0; i < n && i < SL_ARRAY_LEN(parts); i++)
		out[i] = parts[i];
	return SL_ARRAY_LEN(parts);
}
