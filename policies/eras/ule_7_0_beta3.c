/* SPDX-License-Identifier: BSD-2-Clause
 *
 * 7.0-BETA3, November 2007: a best guess between its neighbours (ule-history.md 3.3).
 * Invariant: data only; every part is defined in policies/ule_7*.c. */
#include "policies/ule_7.h"

const struct ule_era ule_era_7_0_beta3 = {
	.nqs = 64,
	.ppq = 4,
	.cpu_ids = 32,
	.preempt_thresh = 64,
	.defaults = ule_73_defaults,
	.layout = &ule_layout_7,
	.pct = &ule_pct_70,
	.formula = &ule_formula_70,
	.slices = &ule_slices_70,
	.lowpri = &ule_lowpri_7,
	.boost = &ule_boost_7,
	.queue = &ule_queue_three,
	.steal = &ule_steal_never_first,
	.search = &ule_search_71,
	.affine = &ule_affine_7,
	.place = &ule_place_73,
	.notify = &ule_notify_7,
	.ipi = &ule_ipi_7,
	.requeue = &ule_requeue_7,
	.balancer = &ule_balancer_71,
	.idle = &ule_idle_71,
	.ithread = &ule_ithread_10,
};
