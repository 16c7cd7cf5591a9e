/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Invariant: a key names one place, however its path was spelled. */
#include "sim/cli/claims.h"

#include <string.h>

#include "sim/cli/cli.h"
#include "sim/cli/out.h"

#define STDOUT "-"

GHashTable *sl_claims_new(void)
{
	return g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
}

static char *key_of(const char *path)
{
	if (sl_out_is_stdout(path))
		return g_strdup(STDOUT);
	return sl_out_in_place(path) ? NULL : sl_out_target(path);
}

bool sl_claims_add(GHashTable *claims, const char *path, const char *who, GError **error)
{
	char *key = key_of(path);
	const char *other = key ? g_hash_table_lookup(claims, key) : NULL;

	if (!key)
		return true;
	if (!other) {
		g_hash_table_insert(claims, key, g_strdup(who));
		return true;
	}
	g_set_error(error, SL_CLI_ERROR, 0,
		    "%s: named twice, by %s and by %s; expected a file of its own for each",
		    strcmp(key, STDOUT) == 0 ? "standard output" : path, other, who);
	g_free(key);
	return false;
}

const char *sl_claims_stdout(GHashTable *claims)
{
	return g_hash_table_lookup(claims, STDOUT);
}
