/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The policies that are built in. Tables are const and live for ever. */
#ifndef SL_POLICIES_REGISTRY_H
#define SL_POLICIES_REGISTRY_H

#include "sim/core/policy.h"

extern const struct sl_policy sl_policy_4bsd, sl_policy_fifo, sl_policy_lottery, sl_policy_mlfq,
	sl_policy_rr, sl_policy_ule, sl_policy_ule_1ppq;

/* Built-in policies in alphabetical order: i < sl_policy_count(). */
uint32_t sl_policy_count(void);
const struct sl_policy *sl_policy_at(uint32_t i);

/* Policy of that name (without era), NULL when there is none. */
const struct sl_policy *sl_policy_find(const char *name);

/* Era of that name; with name NULL the default era. NULL: the policy has no such era, or
 * has no eras and none was asked for. */
const struct sl_era *sl_policy_era(const struct sl_policy *policy, const char *name);

#endif
