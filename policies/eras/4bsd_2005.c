/* SPDX-License-Identifier: BSD-2-Clause
 *
 * 4BSD of 2005 (5.x late, 6.x): thread groups with run slots share usage and user
 * priority; the quantum is a beat of the whole machine; hardware interrupts preempt
 * directly; an owed preemption sends the victim to the tail; runq_fuzz never finds
 * anything, because the search looks at the head each time. */
#include "policies/eras/4bsd_layout.h"

const struct bsd_era bsd_era_2005 = {
	BSD_LAYOUT_160,
	.new_lastcpu = 0,
	.beat_pri = 52,
	.fork_copies_pri = true,
	.hands_resched = true,
	.newest_first = true,
	.idle_bit_voluntary = true,
	.yields_in_ast = true,
	.quantum = &bsd_quantum_beat,
	.grouping = &bsd_grouping_ksegrp,
	.enqueue = bsd_enqueue_tests_first,
	.requeue_head = bsd_head_if_direct,
	.preempts_direct = bsd_direct_interrupts_too,
	.choose_global = bsd_choose_first,
	.choose_local = bsd_choose_first,
	.sleep_takes_prio = bsd_sleep_prio_any,
	.ithread_wake = bsd_ithread_wake_plain,
	.set_upri = bsd_set_upri_plain,
	.lend_upri = bsd_lend_upri_flag,
	.rtprio_applies = bsd_rtprio_self,
	.load_period = bsd_load_period_ticks,
};
