/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Policies from shared objects. A module exports one symbol,
 *   const struct sl_policy *sl_policy_module(void);
 * and is refused with a reason when it does not fit this program. */
#ifndef SL_MODULE_H
#define SL_MODULE_H

#include <glib.h>

#include "sim/core/policy.h"

/* Loads the module at `path` for good. NULL with an error "path: reason". */
const struct sl_policy *sl_module_load(const char *path, GError **error);

/* The file name.so in the folders of $SCHEDLAB_POLICY_PATH (separated by ':'), else in
 * the installed policy folder; NULL when there is none. Freed by the caller. */
char *sl_module_search(const char *name);

#endif
