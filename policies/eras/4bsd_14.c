/* SPDX-License-Identifier: BSD-2-Clause
 *
 * 4BSD of late 14: interrupt threads sink by a list when a slice ends, and are woken
 * through the hook, which restores them. */
#include "policies/eras/4bsd_layout.h"

const struct bsd_era bsd_era_14 = {
	BSD_LAYOUT_88,
	.new_slice = 1,
	.new_lastcpu = BSD_CPU_NONE,
	.quantum = &bsd_quantum_slice_demote,
	.grouping = &bsd_grouping_none,
	.enqueue = bsd_enqueue_queue_first,
	.requeue_head = bsd_head_if_preempted_in_slice,
	.choose_global = bsd_choose_near,
	.choose_local = bsd_choose_first,
	.sleep_takes_prio = bsd_sleep_prio_timeshare,
	.ithread_wake = bsd_ithread_wake_hook,
	.set_upri = bsd_set_upri_min,
	.lend_upri = bsd_lend_upri_min,
	.rtprio_applies = bsd_rtprio_class,
	.load_period = bsd_load_period_us,
};
