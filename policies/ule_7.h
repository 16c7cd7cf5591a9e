/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The parts of which the eras 7.0 to 8.0 of ULE are made, besides those of
 * policies/ule.h. Section numbers are those of the fact sheet "ule-history.md";
 * D1 .. D15 are the rows of its section 3.1, C1 .. C27 its corrections. */
#ifndef SL_POLICIES_ULE_7_H
#define SL_POLICIES_ULE_7_H

#include "policies/ule.h"

/* The number is the first release that has the part: 70 = September 2007, 71 = the
 * betas of 7.0. */
/* policies/ule_7.c */
extern const struct ule_layout ule_layout_7;
extern const struct ule_formula ule_formula_70, ule_formula_73;
extern const struct ule_pct ule_pct_70, ule_pct_73, ule_pct_8;
extern const struct ule_slices ule_slices_70, ule_slices_73, ule_slices_8;
extern const struct ule_lowpri ule_lowpri_7;
extern const struct ule_boost ule_boost_7;
extern const struct ule_requeue ule_requeue_7;
extern const struct ule_notify ule_notify_7;
extern const struct ule_ipi ule_ipi_7;
/* policies/ule_7_place.c */
extern const struct ule_affine ule_affine_7;
extern const struct ule_place ule_place_70, ule_place_73;
/* policies/ule_7_idle.c */
extern const struct ule_search ule_search_70, ule_search_71;
extern const struct ule_idle ule_idle_70, ule_idle_71;
/* Moves one thread from `from` or, if it has nothing to give, from the first of its siblings
 * that has, highest number first; one attempt each. NULL: none moved. */
struct sl_thread *ule_7_move_one(struct sl_pol *p, uint32_t from, uint32_t to, uint8_t *old_low);
/* policies/ule_7_balance.c */
extern const struct ule_balancer ule_balancer_70, ule_balancer_71;
/* policies/ule_8.c */
extern const struct ule_search ule_search_8;
extern const struct ule_place ule_place_8;
extern const struct ule_idle ule_idle_8;
extern const struct ule_balancer ule_balancer_8;

/* policies/ule_7_tune.c */
#define ULE_7_N_TUNABLES 11
#define ULE_8_N_TUNABLES 12
extern const struct sl_tunable ule_70_tunables[], ule_7_tunables[], ule_8_tunables[];
void ule_70_defaults(struct sl_pol *p);
void ule_71_defaults(struct sl_pol *p);
void ule_73_defaults(struct sl_pol *p);
void ule_8_defaults(struct sl_pol *p);

/* The eras, policies/eras/ule_7_*.c and ule_8_0.c. */
extern const struct ule_era ule_era_7_0_sep, ule_era_7_0_beta1, ule_era_7_0_beta1_alt,
	ule_era_7_0_beta3, ule_era_7_3, ule_era_8_0;

#endif
