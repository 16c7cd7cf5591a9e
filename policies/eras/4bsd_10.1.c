/* SPDX-License-Identifier: BSD-2-Clause
 *
 * 4BSD of 10.1: as 9, but the test for a yield also catches AST and owed preemption. */
#include "policies/eras/4bsd_layout.h"

const struct bsd_era bsd_era_10_1 = {
	BSD_LAYOUT_120,
	.new_slice = 1,
	.new_lastcpu = 0,
	.newest_first = true,
	.quantum = &bsd_quantum_slice,
	.grouping = &bsd_grouping_none,
	.enqueue = bsd_enqueue_tests_first,
	.requeue_head = bsd_head_if_direct_or_untyped,
	.preempts_direct = bsd_direct_outside_critical,
	.choose_global = bsd_choose_near,
	.choose_local = bsd_choose_first,
	.sleep_takes_prio = bsd_sleep_prio_timeshare,
	.ithread_wake = bsd_ithread_wake_plain,
	.set_upri = bsd_set_upri_min,
	.lend_upri = bsd_lend_upri_min,
	.rtprio_applies = bsd_rtprio_9,
	.load_period = bsd_load_period_us,
};
