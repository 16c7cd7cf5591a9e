/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Key files (GKeyFile) with complaints that name line and column. */
#ifndef SL_TOPO_KEYFILE_H
#define SL_TOPO_KEYFILE_H

#include "topologies/input.h"

/* What may stand in a file: one group and its keys. */
struct sl_key_schema {
	const char *group;
	const char *const *key;
	size_t n_keys;
};

/* Parses in->text; refuses malformed lines, groups and keys that are not in the
 * schema (with the nearest name), keys given twice, and text that is not UTF-8. Free
 * with g_key_file_unref(). */
GKeyFile *sl_keyfile_parse(const struct sl_input *in, const struct sl_key_schema *schema,
			   GError **error);

/* Offset in in->text where the value of a key begins, leading blanks skipped; *len its
 * length without trailing blanks. The key must exist. */
size_t sl_keyfile_value(const struct sl_input *in, const char *key, size_t *len);

#endif
