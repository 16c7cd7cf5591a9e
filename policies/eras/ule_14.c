/* SPDX-License-Identifier: BSD-2-Clause
 *
 * FreeBSD 14 (ule.md 22.3, era C14). Against ule_13.c: priority ranges and formula
 * of 2022, remote notification by lowpri, slices of interrupt threads.
 * Invariant: data only; every part is defined beside its siblings in policies/ule_*.c. */
#include "policies/ule.h"

const struct ule_era ule_era_14 = {
	.nqs = 64,
	.ppq = 4,
	.cpu_ids = 256,
	.preempt_thresh = 48,
	.static_boost = 136,
	.pct_on_reselect = true,
	.layout = &ule_layout_14,
	.pct = &ule_pct_11,
	.formula = &ule_formula_14,
	.slices = &ule_slices_10,
	.lowpri = &ule_lowpri_8,
	.boost = &ule_boost_8,
	.queue = &ule_queue_three,
	.steal = &ule_steal_true_first,
	.search = &ule_search_13,
	.affine = &ule_affine_10,
	.place = &ule_place_13,
	.notify = &ule_notify_14,
	.ipi = &ule_ipi_13,
	.requeue = &ule_requeue_preempt,
	.balancer = &ule_balancer_14,
	.idle = &ule_idle_13,
	.ithread = &ule_ithread_14,
};
