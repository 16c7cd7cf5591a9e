/* SPDX-License-Identifier: BSD-2-Clause
 *
 * GMarkup with this project's error messages.
 * Invariant: an error leaves with file, line and column exactly once. */
#include "topologies/topo_read.h"

#include <string.h>

/* GMarkup starts its own messages with "Error on line N char N: "; callbacks' errors
 * come through unchanged. */
static void adopt(const struct sl_input *in, GMarkupParseContext *context, GError *own,
		  GError **error)
{
	const char *text = own->message;
	int line, col;

	if (own->domain == SL_TOPO_ERROR) {
		g_propagate_error(error, own);
		return;
	}
	if (g_str_has_prefix(text, "Error on line ") && strchr(text, ':') != NULL)
		text = strchr(text, ':') + 1;
	while (*text == ' ')
		text++;
	g_markup_parse_context_get_position(context, &line, &col);
	sl_input_fail(in, (uint32_t)line, (uint32_t)col, error, "not well-formed XML: %s", text);
	g_error_free(own);
}

bool topo_markup(struct topo_build *b, const GMarkupParser *parser, void *user, GError **error)
{
	g_autoptr(GMarkupParseContext) context = g_markup_parse_context_new(
		parser, G_MARKUP_TREAT_CDATA_AS_TEXT | G_MARKUP_IGNORE_QUALIFIED, user, NULL);
	GError *own = NULL;

	if (g_markup_parse_context_parse(context, b->in->text, (gssize)b->in->len, &own) &&
	    g_markup_parse_context_end_parse(context, &own))
		return true;
	adopt(b->in, context, own, error);
	return false;
}

void topo_markup_fail(GMarkupParseContext *context, const struct sl_input *in, GError **error,
		      const char *format, ...)
{
	va_list args;
	g_autofree char *message = NULL;
	int line, col;

	va_start(args, format);
	message = g_strdup_vprintf(format, args);
	va_end(args);
	g_markup_parse_context_get_position(context, &line, &col);
	sl_input_fail(in, (uint32_t)line, (uint32_t)col, error, "%s", message);
}

bool topo_markup_once(GMarkupParseContext *context, const struct sl_input *in, const char **names,
		      GError **error)
{
	for (size_t i = 0; names[i] != NULL; i++)
		if (topo_markup_attr(names + i + 1, names + i + 1, names[i]) != NULL) {
			topo_markup_fail(context, in, error,
					 "attribute %s is given twice; expected it once", names[i]);
			return false;
		}
	return true;
}

const char *topo_markup_attr(const char **names, const char **values, const char *name)
{
	for (size_t i = 0; names[i] != NULL; i++)
		if (strcmp(names[i], name) == 0)
			return values[i];
	return NULL;
}
