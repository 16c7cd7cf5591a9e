/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Invariant: whatever bytes a file holds, a message about it is one line of
 * printable UTF-8. */
#include "topologies/input.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "sim/base/nearest.h"

G_DEFINE_QUARK(sl - topo - error, sl_topo_error)

static char *printable(const char *message)
{
	char *valid = g_utf8_make_valid(message, -1);

	for (char *c = valid; *c != '\0'; c++)
		if (g_ascii_iscntrl(*c))
			*c = ' ';
	return valid;
}

static void G_GNUC_PRINTF(5, 0) fail(const struct sl_input *in, uint32_t line, uint32_t col,
				     GError **error, const char *format, va_list args)
{
	g_autofree char *raw = g_strdup_vprintf(format, args);
	g_autofree char *message = printable(raw);
	g_autofree char *name = printable(in->name);

	g_set_error(error, SL_TOPO_ERROR, SL_TOPO_ERROR_INPUT, "%s:%u:%u: %s", name, line, col,
		    message);
}

void sl_input_fail(const struct sl_input *in, uint32_t line, uint32_t col, GError **error,
		   const char *format, ...)
{
	va_list args;

	va_start(args, format);
	fail(in, line, col, error, format, args);
	va_end(args);
}

void sl_input_fail_at(const struct sl_input *in, size_t offset, GError **error, const char *format,
		      ...)
{
	uint32_t line, col;
	va_list args;

	sl_input_where(in, offset, &line, &col);
	va_start(args, format);
	fail(in, line, col, error, format, args);
	va_end(args);
}

void sl_input_where(const struct sl_input *in, size_t offset, uint32_t *line, uint32_t *col)
{
	*line = *col = 1;
	for (size_t i = 0; i < offset && i < in->len; i++) {
		if (in->text[i] == '\n') {
			++*line;
			*col = 1;
		} else {
			++*col;
		}
	}
}

bool sl_input_check_text(const struct sl_input *in, GError **error)
{
	const char *end;

	if (g_utf8_validate(in->text, (gssize)in->len, &end))
		return true;
	sl_input_fail_at(in, (size_t)(end - in->text), error,
			 "byte 0x%02x is not part of any text; expected UTF-8",
			 (unsigned char)*end);
	return false;
}

char *sl_input_read(const char *path, size_t *len, GError **error)
{
	bool is_stdin = strcmp(path, "-") == 0;
	FILE *file = is_stdin ? stdin : fopen(path, "rb");
	g_autoptr(GByteArray) bytes = g_byte_array_new();
	guint8 part[16384];
	size_t n;
	int code = errno;

	if (file == NULL) {
		g_set_error(error, SL_TOPO_ERROR, SL_TOPO_ERROR_READ, "%s: %s", path,
			    g_strerror(code));
		return NULL;
	}
	errno = 0;
	while ((n = fread(part, 1, sizeof(part), file)) > 0 && bytes->len <= SL_INPUT_MOST)
		g_byte_array_append(bytes, part, (guint)n);
	code = ferror(file) ? (errno != 0 ? errno : EIO) : 0;
	if (!is_stdin)
		fclose(file);
	if (code != 0 || bytes->len > SL_INPUT_MOST) {
		g_set_error(error, SL_TOPO_ERROR, SL_TOPO_ERROR_READ, "%s: %s", path,
			    code != 0 ? g_strerror(code) : "larger than 32 MiB");
		return NULL;
	}
	*len = bytes->len;
	g_byte_array_append(bytes, (const guint8 *)"", 1);
	return (char *)g_byte_array_free(g_steal_pointer(&bytes), FALSE);
}

char *sl_did_you_mean(const char *word, const char *const *names, size_t n)
{
	const char *near = sl_nearest(word, names, n);

	return near != NULL ? g_strdup_printf(" (did you mean '%s'?)", near) : g_strdup("");
}

static void named_free(void *p)
{
	struct sl_named *named = p;

	g_free(named->name);
	g_free(named->summary);
	g_free(named);
}

GPtrArray *sl_named_array_new(void)
{
	return g_ptr_array_new_with_free_func(named_free);
}

void sl_named_array_add(GPtrArray *array, const char *name, const char *summary)
{
	struct sl_named *named = g_new(struct sl_named, 1);

	named->name = g_strdup(name);
	named->summary = g_strdup(summary != NULL ? summary : "");
	g_ptr_array_add(array, named);
}
