/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Invariant: a stretch that is accepted holds at least one instant of the run. */
#include "sim/cli/window.h"

#include "sim/cli/cli.h"
#include "sim/cli/spec.h"

bool sl_window_parse(const char *from, const char *to, sl_time *begin, sl_time *end, GError **error)
{
	if (from && !sl_spec_duration(from, begin, error))
		return false;
	if (to && !sl_spec_duration(to, end, error))
		return false;
	if (from && to && *begin > *end) {
		g_set_error(error, SL_CLI_ERROR, 0, "--from %s: expected a time up to --to %s",
			    from, to);
		return false;
	}
	return true;
}

bool sl_window_reached(const char *from, sl_time begin, sl_time now, GError **error)
{
	if (begin <= now)
		return true;
	g_set_error(error, SL_CLI_ERROR, 0,
		    "--from %s: the run ended at %" G_GUINT64_FORMAT
		    ".%06u ms; expected a time up to that",
		    from, (guint64)(now / SL_NS_PER_MS), (unsigned)(now % SL_NS_PER_MS));
	return false;
}
