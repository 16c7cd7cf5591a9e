/* SPDX-License-Identifier: BSD-2-Clause
 *
 * FreeBSD 12.0 and 12.1 (ule.md 22.1, era C12). Against ule_2017.c: the balancer
 * works and notifies, a CPU tries to steal before it goes idle.
 * Invariant: data only; every part is defined beside its siblings in policies/ule_*.c. */
#include "policies/ule.h"

const struct ule_era ule_era_12 = {
	.nqs = 64,
	.ppq = 4,
	.cpu_ids = 256,
	.preempt_thresh = 80,
	.static_boost = 152,
	.pct_on_reselect = false,
	.layout = &ule_layout_10,
	.pct = &ule_pct_11,
	.formula = &ule_formula_10,
	.slices = &ule_slices_10,
	.lowpri = &ule_lowpri_8,
	.boost = &ule_boost_8,
	.queue = &ule_queue_three,
	.steal = &ule_steal_last_seen,
	.search = &ule_search_11,
	.affine = &ule_affine_10,
	.place = &ule_place_10,
	.notify = &ule_notify_10,
	.ipi = &ule_ipi_10,
	.requeue = &ule_requeue_preempt,
	.balancer = &ule_balancer_12,
	.idle = &ule_idle_12,
	.ithread = &ule_ithread_10,
};
