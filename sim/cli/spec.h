/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The small languages of the command line: POLICY, durations, numbers.
 * TOPO, WORKLOAD, COSTS and CPU sets are read by their loaders. Every error says what was expected
 * and the nearest valid name. */
#ifndef SL_SPEC_H
#define SL_SPEC_H

#include <glib.h>

#include "sim/core/sim.h"

/* A policy as asked for: name[@era][:tunable=value,...] or ./module.so[...]. */
struct sl_policy_spec {
	char *text; /* as typed */
	const struct sl_policy *ops;
	const struct sl_era *era;  /* NULL: the policy has no eras */
	struct sl_machine machine; /* the era's, with kern.hz and kern.stathz replaced */
	bool machine_changed;
	struct sl_override *override;
	uint32_t n_overrides;
};

/* NULL with an error. Modules stay loaded to the end of the process. */
struct sl_policy_spec *sl_policy_spec_new(const char *text, GError **error);
void sl_policy_spec_free(struct sl_policy_spec *spec); /* NULL is fine */
/* "ule@2017": name and era, without tunables. Freed by the caller. */
char *sl_policy_spec_title(const struct sl_policy_spec *spec);
/* The operations that run: the era's own, else the policy's. */
const struct sl_policy *sl_policy_spec_ops(const struct sl_policy_spec *spec);
/* The machine of the era, before kern.hz and kern.stathz. */
const struct sl_machine *sl_policy_spec_era_machine(const struct sl_policy_spec *spec);

/* "10ms", "1.5s", "0s": digits, optional fraction, unit ns us ms s min h. */
bool sl_spec_duration(const char *text, sl_time *ns, GError **error);
/* Each name of the list of name[=value] once, but for `repeatable` (NULL: none). For lists whose
 * names have been checked: quadratic in the number of different ones. */
bool sl_spec_once(char *const *pairs, const char *repeatable, GError **error);
/* A whole number in [least, most]; `what` names it in the message. */
bool sl_spec_number(const char *what, const char *text, uint64_t least, uint64_t most,
		    uint64_t *value, GError **error);
/* A real number > least; a trailing '%' is allowed when `percent`. */
bool sl_spec_real(const char *what, const char *text, double least, bool percent, double *value,
		  GError **error);
#endif
