/* SPDX-License-Identifier: BSD-2-Clause
 *
 * 4BSD of 7.3 and 8.0: the quantum counts from the last switch on the CPU, so
 * frequent interrupt threads keep it from ever ending; runq_fuzz covers both queues
 * (8.0: the machine's only). */
#include "policies/eras/4bsd_layout.h"

const struct bsd_era bsd_era_7_3 = {
	BSD_LAYOUT_160,
	.new_lastcpu = 0,
	.fork_copies_pri = true,
	.hands_resched = true,
	.newest_first = true,
	.quantum = &bsd_quantum_switchticks,
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
