/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Invariant: no file reaches the dynamic loader before it has passed sl_elf_check(), and nothing
 * of a module is called before its table has passed sl_policy_refuse(), but for the function that
 * hands the table out and what the module itself runs when it is loaded. */
#include "sim/cli/module.h"

#include <gmodule.h>
#include <string.h>

#include "sim/cli/cli.h"
#include "sim/cli/elf.h"

typedef const struct sl_policy *(*module_entry)(void);

static const struct sl_policy *refuse(const char *path, const char *why, GError **error)
{
	g_set_error(error, SL_CLI_ERROR, 0, "%s: refused: %s", path, why);
	return NULL;
}

static const struct sl_policy *refuse_abi(const char *path, uint32_t abi, GError **error)
{
	g_set_error(error, SL_CLI_ERROR, 0,
		    "%s: refused: it was built for version %" G_GUINT32_FORMAT
		    " of the policy ABI (SL_POLICY_ABI), but this program has version "
		    "%" G_GUINT32_FORMAT "; build it again with this program's headers",
		    path, abi, (uint32_t)SL_POLICY_ABI);
	return NULL;
}

/* The loader takes a name without a slash for a library of the system. */
static GModule *open_module(const char *path)
{
	char *local = strchr(path, G_DIR_SEPARATOR) ? NULL : g_strconcat("./", path, NULL);
	GModule *module = g_module_open(local ? local : path, G_MODULE_BIND_LOCAL);

	g_free(local);
	return module;
}

const struct sl_policy *sl_module_load(const char *path, GError **error)
{
	const struct sl_policy *ops;
	module_entry entry;
	GModule *module;
	gpointer symbol;
	const char *why;

	if (!sl_elf_check(path, error))
		return NULL;
	module = open_module(path);
	if (!module) {
		g_set_error(error, SL_CLI_ERROR, 0, "%s: not a loadable module: %s", path,
			    g_module_error());
		return NULL;
	}
	/* What it returns is used to the end: leave it loaded even when refused. */
	g_module_make_resident(module);
	if (!g_module_symbol(module, "sl_policy_module", &symbol) || !symbol)
		return refuse(path, "it does not export sl_policy_module()", error);
	/* ISO C has no cast from object to function pointer; POSIX promises the copy. */
	memcpy(&entry, &symbol, sizeof(entry));
	ops = entry();
	if (!ops)
		return refuse(path, "sl_policy_module() returned nothing", error);
	if (ops->abi != SL_POLICY_ABI)
		return refuse_abi(path, ops->abi, error);
	why = sl_policy_refuse(ops);
	return why ? refuse(path, why, error) : ops;
}

char *sl_module_search(const char *name)
{
	const char *path = g_getenv("SCHEDLAB_POLICY_PATH");
	char **folders = g_strsplit(path && *path ? path : SL_POLICY_DIR, ":", -1);
	char *file = g_strconcat(name, ".so", NULL), *found = NULL;

	for (char **f = folders; *f && !found; f++) {
		char *full = g_build_filename(**f ? *f : ".", file, NULL);

		if (g_file_test(full, G_FILE_TEST_IS_REGULAR))
			found = full;
		else
			g_free(full);
	}
	g_free(file);
	g_strfreev(folders);
	return found;
}
