/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Who writes where: no two outputs of one command may go to one place. */
#ifndef SL_CLAIMS_H
#define SL_CLAIMS_H

#include <glib.h>

#include "sim/base/base.h"

/* Makes an empty set, freed with g_hash_table_unref(). */
GHashTable *sl_claims_new(void);

/* `who`, an option as typed, writes to `path` ("-": standard output, which /dev/stdout and the file
 * stdout was redirected to are as well). False with an error that names both when another one
 * writes there. Other devices and pipes may be shared: there is nothing to replace. */
bool sl_claims_add(GHashTable *claims, const char *path, const char *who, GError **error);

/* Who has standard output, or NULL. */
const char *sl_claims_stdout(GHashTable *claims);

#endif
