/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Invariant: an entry, once filled, never changes: ids are not used twice in a run. */
#include "sim/cli/names.h"

#include <string.h>

#include "sim/cli/cli.h"

void sl_names_init(struct sl_names *names)
{
	names->sim = NULL;
	names->by_tid = g_ptr_array_new_with_free_func(g_free);
}

void sl_names_clear(struct sl_names *names)
{
	g_ptr_array_unref(names->by_tid);
}

const char *sl_names_get(struct sl_names *names, uint32_t tid)
{
	char buffer[256];

	if (tid == SL_REC_IDLE)
		return "idle";
	if (tid >= names->by_tid->len)
		g_ptr_array_set_size(names->by_tid, (gint)(tid + 1 + tid / 2));
	if (!names->by_tid->pdata[tid])
		names->by_tid->pdata[tid] =
			g_strdup(sl_sim_thread_name(names->sim, tid, buffer, sizeof(buffer)));
	return names->by_tid->pdata[tid];
}

bool sl_names_match(const char *wanted, const char *name)
{
	size_t n = strlen(wanted);
	const char *rest = name + n;

	if (strncmp(name, wanted, n) != 0)
		return false;
	return !*rest || (*rest == '-' && rest[1] && !rest[1 + strspn(rest + 1, "0123456789")]);
}

char *sl_names_hint(const struct sl_names *names, const char *wanted)
{
	GPtrArray *known = g_ptr_array_new();
	char *hint;

	for (guint i = 0; i < names->by_tid->len; i++)
		if (names->by_tid->pdata[i])
			g_ptr_array_add(known, names->by_tid->pdata[i]);
	hint = sl_cli_did_you_mean(wanted, (const char *const *)known->pdata, known->len);
	g_ptr_array_unref(known);
	return hint;
}
