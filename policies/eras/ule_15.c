/* SPDX-License-Identifier: BSD-2-Clause
 *
 * FreeBSD 15 (ule.md 23, era D). Against ule_14.c: the run queue rework of June
 * 2025 with 256 lists, its priority formula and %CPU window.
 * Invariant: data only; every part is defined beside its siblings in policies/ule_*.c. */
#include "policies/ule.h"

const struct ule_era ule_era_15 = {
	.nqs = 256,
	.ppq = 1,
	.cpu_ids = 256,
	.preempt_thresh = 40,
	.static_boost = 115,
	.pct_on_reselect = true,
	.layout = &ule_layout_15,
	.pct = &ule_pct_15,
	.formula = &ule_formula_15,
	.slices = &ule_slices_10,
	.lowpri = &ule_lowpri_8,
	.boost = &ule_boost_8,
	.queue = &ule_queue_one,
	.steal = &ule_steal_plain,
	.search = &ule_search_13,
	.affine = &ule_affine_15,
	.place = &ule_place_13,
	.notify = &ule_notify_14,
	.ipi = &ule_ipi_13,
	.requeue = &ule_requeue_preempt,
	.balancer = &ule_balancer_14,
	.idle = &ule_idle_13,
	.ithread = &ule_ithread_14,
};
