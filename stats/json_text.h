/* SPDX-License-Identifier: BSD-2-Clause
 *
 * JSON's atoms, appended to text under construction (RFC 8259). */
#ifndef SL_STATS_JSON_TEXT_H
#define SL_STATS_JSON_TEXT_H

#include <glib.h>

/* In quotes; quotes, backslashes and control bytes are escaped, and what is not UTF-8 becomes
 * the replacement character. */
void sl_json_append_string(GString *out, const char *s);

/* With 17 digits, whatever the locale; a number that is not finite becomes `none`. */
void sl_json_append_number(GString *out, double x, const char *none);

#endif
