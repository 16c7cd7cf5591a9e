/* SPDX-License-Identifier: BSD-2-Clause
 *
 * 4BSD of 7.0, partly inferred: 7.3 without its quantum, which is still the beat of
 * 2005. An owed preemption puts the victim back at the head, so the CPU that serves
 * the beat is not rotated by it. */
#include "policies/eras/4bsd_layout.h"

const struct bsd_era bsd_era_7_0 = {
	BSD_LAYOUT_160,
	.new_lastcpu = 0,
	.beat_pri = 52,
	.fork_copies_pri = true,
	.hands_resched = true,
	.newest_first = true,
	.quantum = &bsd_quantum_beat,
	.grouping = &bsd_grouping_none,
	.enqueue = bsd_enqueue_tests_first,
	.requeue_head = bsd_head_if_preempted,
	.preempts_direct = bsd_direct_outside_critical,
	.choose_global = bsd_choose_near,
	.choose_local = bsd_choose_near,
	.sleep_takes_prio = bsd_sleep_prio_any,
	.ithread_wake = bsd_ithread_wake_plain,
	.set_upri = bsd_set_upri_flag,
	.lend_upri = bsd_lend_upri_flag,
	.rtprio_applies = bsd_rtprio_self,
	.load_period = bsd_load_period_ticks,
};
