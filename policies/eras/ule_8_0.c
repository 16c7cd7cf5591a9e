/* SPDX-License-Identifier: BSD-2-Clause
 *
 * FreeBSD 8.0, November 2009 (ule-history.md S80): the first tree of CPU groups.
 * Invariant: data only; every part is defined in policies/ule_7*.c. */
#include "policies/ule_7.h"

const struct ule_era ule_era_8_0 = {
	.nqs = 64,
	.ppq = 4,
	.cpu_ids = 32,
	.preempt_thresh = 64,
	.static_boost = 160,
	.pct_on_reselect = true,
	.defaults = ule_8_defaults,
	.layout = &ule_layout_7,
	.pct = &ule_pct_8,
	.formula = &ule_formula_73,
	.slices = &ule_slices_8,
	.lowpri = &ule_lowpri_8,
	.boost = &ule_boost_8,
	.queue = &ule_queue_three,
	.steal = &ule_steal_never_first,
	.search = &ule_search_8,
	.affine = &ule_affine_10,
	.place = &ule_place_8,
	.notify = &ule_notify_10,
	.ipi = &ule_ipi_10,
	.requeue = &ule_requeue_7,
	.balancer = &ule_balancer_8,
	.idle = &ule_idle_8,
	.ithread = &ule_ithread_10,
};
