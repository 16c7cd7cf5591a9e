/* SPDX-License-Identifier: BSD-2-Clause
 *
 * What `run` prints about one simulation, for people and as JSON. Both carry what it
 * takes to run it again: version, command line, seed, digests, tunables in force. */
#ifndef SL_REPORT_H
#define SL_REPORT_H

#include "sim/cli/setup.h"
#include "sim/core/observe.h"

struct sl_report {
	const struct sl_cli *cli;
	const struct sl_setup *setup;
	struct sl_sim *sim;
	enum sl_end end;
	const struct sl_observed *observed; /* NULL: nobody looked */
};

void sl_report_text(const struct sl_report *report);
/* The part of it that says what the observer found. */
void sl_report_check_text(const struct sl_report *report);
/* One object with "schema": "schedlab-run/1". */
void sl_report_json(const struct sl_report *report);

#endif
