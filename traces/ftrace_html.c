/* SPDX-License-Identifier: BSD-2-Clause
 *
 * ftrace text in wrappers: systrace HTML, old (a JavaScript string) and new (a
 * <script class="trace-data"> block), and the systemTraceEvents string of Chrome JSON.
 * Invariant: memory is one chunk and one line, whatever the file holds. */
#include "traces/import_format.h"

#include <string.h>

/* ---- HTML ---- */

static bool ends_with(const struct sl_line *line, const char *tail)
{
	size_t n = strlen(tail);

	return line->len >= n && memcmp(line->s + line->len - n, tail, n) == 0;
}

/* Undoes \" and \\ of a JavaScript string. Returns the new length. */
static size_t unescape_js(const char *s, size_t len, char *out)
{
	size_t n = 0;

	for (size_t i = 0; i < len; i++) {
		if (s[i] == '\\' && i + 1 < len && (s[i + 1] == '\\' || s[i + 1] == '"'))
			i++;
		out[n++] = s[i];
	}
	return n;
}

static bool html_read(struct sl_import_ctx *ctx, GError **err)
{
	char *text = g_malloc(SL_LINE_MAX);
	bool in_string = false;
	struct sl_line line;

	(void)err;
	while (sl_reader_next(ctx->in, &line)) {
		struct sl_line inner = line;

		ctx->report->lines = line.number;
		if (!in_string) {
			in_string = ends_with(&line, "linuxPerfData = \"\\");
		} else {
			in_string = !sl_find_bytes(line.s, line.len, "</script>");
			/* Each line ends in \n\ and the last in \n"; */
			if (ends_with(&line, "\\n\\"))
				inner.len -= 3;
			inner.len = unescape_js(inner.s, inner.len, text);
			inner.s = text;
		}
		/* Outside of traces nothing looks like an event. */
		sl_ftrace_line(ctx, &inner);
	}
	g_free(text);
	return true;
}

static int html_probe(const char *head, size_t len)
{
	size_t i = 0;

	while (i < len && g_ascii_isspace(head[i]))
		i++;
	if (len - i >= 9 && g_ascii_strncasecmp(head + i, "<!DOCTYPE", 9) == 0)
		return 95;
	return len - i >= 5 && g_ascii_strncasecmp(head + i, "<html", 5) == 0 ? 95 : 0;
}

const struct sl_import_format sl_format_html = {
	.name = "systrace-html",
	.summary = "systrace HTML with ftrace text inside",
	.probe = html_probe,
	.read = html_read,
};

/* ---- Chrome JSON ---- */

#define KEY "\"systemTraceEvents\""

enum json_state { JSON_KEY, JSON_COLON, JSON_QUOTE, JSON_TEXT, JSON_ESCAPE, JSON_HEX };

struct json {
	struct sl_import_ctx *ctx;
	enum json_state state;
	size_t matched; /* bytes of KEY */
	unsigned digits, code;
	uint64_t lines;
	size_t len;
	bool found, cut;
	char text[SL_LINE_MAX];
};

static void json_line(struct json *j, bool open)
{
	struct sl_line line = { j->text, j->len, ++j->lines, j->cut, open };

	j->ctx->report->lines = j->lines;
	sl_ftrace_line(j->ctx, &line);
	j->len = 0;
	j->cut = false;
}

static void json_text(struct json *j, char c)
{
	if (c == '\n')
		json_line(j, false);
	else if (j->len < sizeof(j->text))
		j->text[j->len++] = c;
	else
		j->cut = true;
}

static void json_escape(struct json *j, char c)
{
	j->state = JSON_TEXT;
	switch (c) {
	case 'n':
		json_text(j, '\n');
		break;
	case 't':
		json_text(j, '\t');
		break;
	case 'u':
		j->state = JSON_HEX;
		j->digits = j->code = 0;
		break;
	case 'r':
	case 'b':
	case 'f':
		break;
	default: /* \" \\ \/ */
		json_text(j, c);
		break;
	}
}

static void json_hex(struct json *j, char c)
{
	int digit = g_ascii_xdigit_value(c);

	if (digit < 0) {
		j->state = JSON_TEXT;
		return;
	}
	j->code = j->code << 4 | (unsigned)digit;
	if (++j->digits < 4)
		return;
	j->state = JSON_TEXT;
	/* Thread names outside ASCII only need to stay distinct. */
	json_text(j, j->code < 0x80 ? (char)j->code : '?');
}

static void json_byte(struct json *j, char c)
{
	switch (j->state) {
	case JSON_KEY:
		/* No proper prefix of KEY is also a suffix of one but its quote. */
		if (c != KEY[j->matched])
			j->matched = c == KEY[0];
		else if (++j->matched == strlen(KEY))
			j->state = JSON_COLON;
		break;
	case JSON_COLON:
	case JSON_QUOTE:
		if (g_ascii_isspace(c))
			break;
		if (c == ':' && j->state == JSON_COLON) {
			j->state = JSON_QUOTE;
		} else if (c == '"' && j->state == JSON_QUOTE) {
			j->state = JSON_TEXT;
			j->found = true;
		} else {
			j->state = JSON_KEY;
			j->matched = c == KEY[0];
		}
		break;
	case JSON_TEXT:
		if (c == '\\') {
			j->state = JSON_ESCAPE;
		} else if (c == '"') {
			json_line(j, false);
			j->state = JSON_KEY;
			j->matched = 0;
		} else {
			json_text(j, c);
		}
		break;
	case JSON_ESCAPE:
		json_escape(j, c);
		break;
	case JSON_HEX:
		json_hex(j, c);
		break;
	}
}

static bool chrome_read(struct sl_import_ctx *ctx, GError **err)
{
	struct json *j = g_new0(struct json, 1);
	char *chunk = g_malloc(SL_LINE_MAX);
	bool found;
	size_t n;

	j->ctx = ctx;
	while ((n = sl_reader_read(ctx->in, chunk, SL_LINE_MAX)) > 0)
		for (size_t i = 0; i < n; i++)
			json_byte(j, chunk[i]);
	if (j->state == JSON_TEXT) {
		ctx->report->truncated = true;
		json_line(j, true);
	}
	found = j->found;
	g_free(chunk);
	g_free(j);
	if (!found)
		g_set_error(
			err, SL_IMPORT_ERROR, SL_IMPORT_ERROR_EMPTY,
			"%s:1:1: this Chrome JSON holds spans of work but no scheduling; expected "
			"a systemTraceEvents string",
			ctx->name);
	return found;
}

static int chrome_probe(const char *head, size_t len)
{
	size_t i = 0;

	while (i < len && g_ascii_isspace(head[i]))
		i++;
	if (i == len || (head[i] != '{' && head[i] != '['))
		return 0;
	if (sl_find_bytes(head, len, KEY) || sl_find_bytes(head, len, "\"traceEvents\""))
		return 95;
	/* The bare array of trace_event. */
	return head[i] == '[' && sl_find_bytes(head, len, "\"ph\"") ? 80 : 0;
}

const struct sl_import_format sl_format_chrome = {
	.name = "chrome-json",
	.summary = "Chrome JSON with systemTraceEvents",
	.probe = chrome_probe,
	.read = chrome_read,
};
