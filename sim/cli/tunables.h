/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Tunables by their sysctl names: assigned, read back, listed. Besides the policy's
 * table, every policy has kern.hz and kern.stathz of the machine around it. */
#ifndef SL_TUNABLES_H
#define SL_TUNABLES_H

#include "sim/cli/spec.h"

/* Adds "name=value" to the spec, which has room for it. A tunable whose unit is a time
 * also takes a value with another unit of time, when that is a whole number of its own. */
bool sl_tunable_assign(struct sl_policy_spec *spec, const char *pair, GError **error);

/* The value in force in a running simulation. */
int64_t sl_tunable_read(const struct sl_pol *p, const struct sl_tunable *t);

struct sl_tunable_view {
	const char *name, *unit, *help;
	int64_t least, most, value;
	bool read_only, changed; /* changed: by the user */
};

/* Calls f for every tunable of `spec` with the value in force, kern.hz and kern.stathz
 * first. `running` is a simulation made from the spec; NULL: a small one is made for the
 * purpose. False with an error when that cannot be started. */
bool sl_tunables_each(const struct sl_policy_spec *spec, struct sl_sim *running,
		      void (*f)(const struct sl_tunable_view *view, void *ctx), void *ctx,
		      GError **error);

#endif
