/* SPDX-License-Identifier: BSD-2-Clause
 *
 * run --check-fatal RULE[=LIMIT],...: which findings of the observer fail the run. What the
 * checker finds is a fault always; what the observer finds (sim/core/observe.h) may be a
 * policy's design, so it is one only when asked. */
#ifndef SL_CHECK_FATAL_H
#define SL_CHECK_FATAL_H

#include "sim/cli/cli.h"
#include "sim/cli/report.h"

enum sl_fatal_rule {
	SL_FATAL_CONSERVATION, /* a wait beside an idle CPU longer than the limit, ns */
	SL_FATAL_HOGS,	       /* shares of equal hogs further apart than the limit, permille */
	SL_FATAL_MIGRATIONS,   /* more useless migrations than the limit */
	SL_FATAL_RULES,
};

struct sl_fatal {
	bool on[SL_FATAL_RULES];
	uint64_t limit[SL_FATAL_RULES];
};

/* Parses "conservation,hogs=5%,migrations=100" or "all". */
bool sl_fatal_parse(struct sl_fatal *fatal, const char *text, GError **error);
/* The grace time the observer must judge by: the limit of conservation; 0: its default. */
sl_time sl_fatal_grace(const struct sl_fatal *fatal);
/* Says on stderr what each broken rule asked for found, one line each. How many are broken. */
uint32_t sl_fatal_judge(const struct sl_fatal *fatal, const struct sl_report *report);
/* "by its wake-up by vi-2" and the like, of either end of a gap; written to buf, returned. */
const char *sl_gap_event_text(struct sl_sim *sim, enum sl_gap_event event, uint32_t other,
			      const struct sl_gap *gap, char *buf, size_t len);

#endif
