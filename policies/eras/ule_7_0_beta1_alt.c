/* SPDX-License-Identifier: BSD-2-Clause
 *
 * 7.0-BETA1 as if idle CPUs still stole as in September, to see how much hangs on that
 * (ule-history.md 3.3).
 * Invariant: data only; every part is defined in policies/ule_7*.c. */
#include "policies/ule_7.h"

const struct ule_era ule_era_7_0_beta1_alt = {
	.nqs = 64,
	.ppq = 4,
	.cpu_ids = 32,
	.preempt_thresh = 64,
	.yield_drops = true,
	.defaults = ule_70_defaults,
	.layout = &ule_layout_7,
	.pct = &ule_pct_70,
	.formula = &ule_formula_70,
	.slices = &ule_slices_70,
	.lowpri = &ule_lowpri_7,
	.boost = &ule_boost_7,
	.queue = &ule_queue_three,
	.steal = &ule_steal_never_first,
	.search = &ule_search_70,
	.affine = &ule_affine_7,
	.place = &ule_place_70,
	.notify = &ule_notify_7,
	.ipi = &ule_ipi_7,
	.requeue = &ule_requeue_7,
	.balancer = &ule_balancer_71,
	.idle = &ule_idle_70,
	.ithread = &ule_ithread_10,
};
