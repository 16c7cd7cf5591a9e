/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Decisions in words. */
#ifndef SL_WHY_TEXT_H
#define SL_WHY_TEXT_H

#include <glib.h>

#include "sim/core/policy.h"

/* Short name of a reason, for logs: "steal". */
const char *sl_why_name(enum sl_why why);
/* Appends the sentence with the three inputs filled in. */
void sl_why_sentence(GString *to, enum sl_why why, int64_t a, int64_t b, int64_t c);

#endif
