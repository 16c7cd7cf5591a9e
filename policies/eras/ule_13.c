/* SPDX-License-Identifier: BSD-2-Clause
 *
 * FreeBSD 13.1 and later (ule.md 22.2, era C13). Against ule_12.c: CPU search of
 * 2021, thread-lock protocol of 2019 with its treatment of the preempt IPI.
 * Invariant: data only; every part is defined beside its siblings in policies/ule_*.c. */
#include "policies/ule.h"

const struct ule_era ule_era_13 = {
	.nqs = 64,
	.ppq = 4,
	.cpu_ids = 256,
	.preempt_thresh = 80,
	.static_boost = 152,
	.pct_on_reselect = true,
	.layout = &ule_layout_10,
	.pct = &ule_pct_11,
	.formula = &ule_formula_13,
	.slices = &ule_slices_10,
	.lowpri = &ule_lowpri_8,
	.boost = &ule_boost_8,
	.queue = &ule_queue_three,
	.steal = &ule_steal_true_first,
	.search = &ule_search_13,
	.affine = &ule_affine_10,
	.place = &ule_place_13,
	.notify = &ule_notify_10,
	.ipi = &ule_ipi_13,
	.requeue = &ule_requeue_preempt,
	.balancer = &ule_balancer_13,
	.idle = &ule_idle_13,
	.ithread = &ule_ithread_10,
};
