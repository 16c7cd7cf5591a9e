/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Reads POLICY: name[@era][:tunable=value,...], where name is one of the registry or a
 * shared object. Invariant: a spec that was returned has passed sl_policy_refuse() and
 * all its overrides are within their bounds. */
#include "sim/cli/spec.h"

#include <string.h>

#include "policies/registry.h"
#include "sim/cli/cli.h"
#include "sim/cli/module.h"
#include "sim/cli/tunables.h"

static bool looks_like_module(const char *name)
{
	return strchr(name, G_DIR_SEPARATOR) || g_str_has_suffix(name, ".so");
}

static void unknown_policy(const char *name, GError **error)
{
	GPtrArray *names = g_ptr_array_new();
	char *hint;

	for (uint32_t i = 0; i < sl_policy_count(); i++)
		g_ptr_array_add(names, (void *)(uintptr_t)sl_policy_at(i)->name);
	g_ptr_array_add(names, (void *)(uintptr_t) "ule-1ppq");
	hint = sl_cli_did_you_mean(name, (const char *const *)names->pdata, names->len);
	g_set_error(error, SL_CLI_ERROR, 0,
		    "unknown policy \"%s\"%s; \"schedlab list policies\" names them all, a module "
		    "is given by its path (./mypol.so)",
		    name, hint);
	g_free(hint);
	g_ptr_array_unref(names);
}

static bool set_era(struct sl_policy_spec *spec, const char *name, GError **error)
{
	const struct sl_policy *ops = spec->ops;
	GPtrArray *names;
	char *hint, *all;

	spec->era = sl_policy_era(ops, name);
	if (spec->era)
		return true;
	if (ops->n_eras == 0) {
		g_set_error(error, SL_CLI_ERROR, 0, "policy %s has no eras, but \"@%s\" was given",
			    ops->name, name);
		return false;
	}
	names = g_ptr_array_new();
	for (uint32_t i = 0; i < ops->n_eras; i++)
		g_ptr_array_add(names, (void *)(uintptr_t)ops->eras[i].name);
	hint = sl_cli_did_you_mean(name, (const char *const *)names->pdata, names->len);
	g_ptr_array_add(names, NULL);
	all = g_strjoinv(" ", (char **)names->pdata);
	g_set_error(error, SL_CLI_ERROR, 0, "policy %s has no era \"%s\"%s; its eras: %s",
		    ops->name, name, hint, all);
	g_free(all);
	g_free(hint);
	g_ptr_array_unref(names);
	return false;
}

/* Finds the policy called `name`. */
static bool set_policy(struct sl_policy_spec *spec, const char *name, GError **error)
{
	const char *path = NULL;
	char *found = NULL;
	bool ok = true;

	if (looks_like_module(name))
		path = name;
	else if (!(spec->ops = sl_policy_find(name)))
		path = found = sl_module_search(name);
	if (path) {
		spec->ops = sl_module_load(path, error);
		ok = spec->ops != NULL;
	} else if (!spec->ops) {
		unknown_policy(name, error);
		ok = false;
	}
	g_free(found);
	return ok;
}

const struct sl_policy *sl_policy_spec_ops(const struct sl_policy_spec *spec)
{
	return spec->era && spec->era->ops ? spec->era->ops : spec->ops;
}

const struct sl_machine *sl_policy_spec_era_machine(const struct sl_policy_spec *spec)
{
	if (spec->era && spec->era->machine)
		return spec->era->machine;
	return sl_policy_spec_ops(spec)->machine;
}

static bool set_tunables(struct sl_policy_spec *spec, const char *list, GError **error)
{
	char **pairs = g_strsplit(list, ",", -1);
	bool ok = *list || sl_tunable_assign(spec, list, error); /* the latter says what is wrong */

	spec->override = g_new0(struct sl_override, g_strv_length(pairs) + 1);
	for (char **p = pairs; *p && ok; p++)
		ok = sl_tunable_assign(spec, *p, error);
	ok = ok && sl_spec_once(pairs, NULL, error);
	g_strfreev(pairs);
	return ok;
}

struct sl_policy_spec *sl_policy_spec_new(const char *text, GError **error)
{
	struct sl_policy_spec *spec = g_new0(struct sl_policy_spec, 1);
	/* A module's path may hold ':' or '@': its suffix ends the name. */
	const char *suffix = strstr(text, ".so");
	const char *from = suffix && (!suffix[3] || strchr(":@", suffix[3])) ? suffix + 3 : text;
	size_t name_len = (size_t)(from - text) + strcspn(from, "@:");
	const char *at = text + name_len;
	char *name = g_strndup(text, name_len);
	bool ok = set_policy(spec, name, error);

	spec->text = g_strdup(text);
	g_free(name);
	if (ok && *at == '@') {
		size_t len = strcspn(at + 1, ":");
		char *era = g_strndup(at + 1, len);

		ok = set_era(spec, era, error);
		g_free(era);
		at += 1 + len;
	} else if (ok && spec->ops->n_eras) {
		ok = set_era(spec, spec->ops->default_era, error);
	}
	if (ok)
		spec->machine = *sl_policy_spec_era_machine(spec);
	if (ok && *at == ':')
		ok = set_tunables(spec, at + 1, error);
	if (ok)
		return spec;
	sl_policy_spec_free(spec);
	return NULL;
}

void sl_policy_spec_free(struct sl_policy_spec *spec)
{
	if (!spec)
		return;
	g_free(spec->override);
	g_free(spec->text);
	g_free(spec);
}

char *sl_policy_spec_title(const struct sl_policy_spec *spec)
{
	if (!spec->era)
		return g_strdup(spec->ops->name);
	return g_strconcat(spec->ops->name, "@", spec->era->name, NULL);
}
