/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Invariant: the resource is reached through its generated accessor, so a static
 * library cannot lose it, and nothing is registered globally by hand. */
#include "topologies/embedded.h"

#include <gio/gio.h>
#include <string.h>

#define DATA "/schedlab/topologies/data/"

/* Generated from topologies.gresource.xml. */
GResource *topologies_get_resource(void);

GBytes *sl_embedded(const char *name, const char *suffix)
{
	g_autofree char *path = g_strconcat(DATA, name, suffix, NULL);

	if (*name == '\0' || strchr(name, '/') != NULL)
		return NULL;
	return g_resource_lookup_data(topologies_get_resource(), path, G_RESOURCE_LOOKUP_FLAGS_NONE,
				      NULL);
}

static int ascending(gconstpointer a, gconstpointer b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

char **sl_embedded_names(const char *suffix)
{
	g_auto(GStrv) all = g_resource_enumerate_children(topologies_get_resource(), DATA,
							  G_RESOURCE_LOOKUP_FLAGS_NONE, NULL);
	GPtrArray *names = g_ptr_array_new();

	for (size_t i = 0; all != NULL && all[i] != NULL; i++)
		if (g_str_has_suffix(all[i], suffix))
			g_ptr_array_add(names, g_strndup(all[i], strlen(all[i]) - strlen(suffix)));
	g_ptr_array_sort(names, ascending);
	g_ptr_array_add(names, NULL);
	return (char **)g_ptr_array_free(names, FALSE);
}
