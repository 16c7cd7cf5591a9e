/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Invariant: the table is sorted by name (tested), names are unique. */
#include "policies/registry.h"

#include <string.h>

static const struct sl_policy *const policies[] = {
	&sl_policy_4bsd, &sl_policy_fifo, &sl_policy_lottery,  &sl_policy_mlfq,
	&sl_policy_rr,	 &sl_policy_ule,  &sl_policy_ule_1ppq,
};

uint32_t sl_policy_count(void)
{
	return SL_ARRAY_LEN(policies);
}

const struct sl_policy *sl_policy_at(uint32_t i)
{
	SL_ASSERT(i < SL_ARRAY_LEN(policies));
	return policies[i];
}

const struct sl_policy *sl_policy_find(const char *name)
{
	for (uint32_t i = 0; i < SL_ARRAY_LEN(policies); i++)
		if (strcmp(policies[i]->name, name) == 0)
			return policies[i];
	return NULL;
}

const struct sl_era *sl_policy_era(const struct sl_policy *policy, const char *name)
{
	if (name == NULL)
		name = policy->default_era;
	for (uint32_t i = 0; i < policy->n_eras && name != NULL; i++)
		if (strcmp(policy->eras[i].name, name) == 0)
			return &policy->eras[i];
	return NULL;
}
