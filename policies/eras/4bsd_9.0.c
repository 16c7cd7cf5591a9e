/* SPDX-License-Identifier: BSD-2-Clause
 *
 * 4BSD of January 2011 (9.0): the priority space of 9.x with the rules of 7.3. */
#include "policies/eras/4bsd_layout.h"

const struct bsd_era bsd_era_9_0 = {
	BSD_LAYOUT_120,
	.new_lastcpu = 0,
	.hands_resched = true,
	.newest_first = true,
	.quantum = &bsd_quantum_switchticks,
	.grouping = &bsd_grouping_none,
	.enqueue = bsd_enqueue_tests_first,
	.requeue_head = bsd_head_if_preempted,
	.preempts_direct = bsd_direct_outside_critical,
	.choose_global = bsd_choose_near,
	.choose_local = bsd_choose_first,
	.sleep_takes_prio = bsd_sleep_prio_any,
	.ithread_wake = bsd_ithread_wake_plain,
	.set_upri = bsd_set_upri_min,
	.lend_upri = bsd_lend_upri_min,
	.rtprio_applies = bsd_rtprio_self,
	.load_period = bsd_load_period_ticks,
};
