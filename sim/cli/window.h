/* SPDX-License-Identifier: BSD-2-Clause
 *
 * --from and --to of the verbs that show a stretch of a run. */
#ifndef SL_CLI_WINDOW_H
#define SL_CLI_WINDOW_H

#include <glib.h>
#include <stdbool.h>

#include "sim/base/base.h"

/* Reads both times, where given (NULL: not); *begin and *end keep what they hold else. Refuses a
 * stretch that ends before it begins. */
bool sl_window_parse(const char *from, const char *to, sl_time *begin, sl_time *end,
		     GError **error);

/* Refuses a stretch that begins after the end of the run, `now`: nothing would be shown, and
 * nobody told. */
bool sl_window_reached(const char *from, sl_time begin, sl_time now, GError **error);

#endif
