/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Invariant: `used` <= sizeof(buffer); bytes before it are not yet in the file. After a
 * failure (`failed` is the errno) nothing more is written. */
#define _XOPEN_SOURCE 700

#include "sim/cli/out.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sim/cli/cli.h"

struct sl_out {
	char *path;		  /* as the user calls it */
	char *target, *temporary; /* NULL when writing in place */
	int fd, failed;
	size_t used;
	char buffer[1 << 16];
};

bool sl_out_in_place(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && !S_ISREG(st.st_mode);
}

bool sl_out_is_stdout(const char *path)
{
	struct stat a, b;

	if (strcmp(path, "-") == 0)
		return true;
	if (stat(path, &a) != 0 || fstat(STDOUT_FILENO, &b) != 0)
		return false;
	/* /dev/null and the like take all that comes. */
	if (S_ISCHR(b.st_mode) && !isatty(STDOUT_FILENO))
		return false;
	return a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

char *sl_out_target(const char *path)
{
	char *real = realpath(path, NULL), *folder, *name, *target;

	if (real) {
		target = g_strdup(real);
		free(real);
		return target;
	}
	folder = g_path_get_dirname(path);
	real = realpath(folder, NULL);
	name = g_path_get_basename(path);
	target = real ? g_build_filename(real, name, NULL) : g_strdup(path);
	free(real);
	g_free(name);
	g_free(folder);
	return target;
}

struct sl_out *sl_out_open(const char *path, GError **error)
{
	struct sl_out *o = g_new(struct sl_out, 1);

	o->path = g_strdup(sl_out_is_stdout(path) ? "-" : path);
	o->target = o->temporary = NULL;
	o->failed = 0;
	o->used = 0;
	if (strcmp(o->path, "-") == 0) {
		fflush(stdout);
		o->fd = STDOUT_FILENO;
		return o;
	}
	if (sl_out_in_place(path)) {
		o->fd = open(path, O_WRONLY | O_CLOEXEC);
	} else {
		o->target = sl_out_target(path);
		o->temporary = g_strconcat(o->target, ".partial-XXXXXX", NULL);
		o->fd = g_mkstemp_full(o->temporary, O_WRONLY | O_CLOEXEC, 0666);
	}
	if (o->fd < 0) {
		g_set_error(error, SL_CLI_ERROR, 0, "%s: cannot be written: %s", path,
			    g_strerror(errno));
		g_clear_pointer(&o->temporary, g_free);
		sl_out_abandon(o);
		return NULL;
	}
	return o;
}

static void drain(struct sl_out *o)
{
	size_t at = 0;

	while (at < o->used && !o->failed) {
		ssize_t n = write(o->fd, o->buffer + at, o->used - at);

		if (n > 0)
			at += (size_t)n;
		else if (n < 0 && errno != EINTR)
			o->failed = errno;
	}
	o->used = 0;
}

void sl_out_write(struct sl_out *o, const char *bytes, size_t n)
{
	while (n > 0) {
		size_t room = sizeof(o->buffer) - o->used;
		size_t part = n < room ? n : room;

		memcpy(o->buffer + o->used, bytes, part);
		o->used += part;
		bytes += part;
		n -= part;
		if (o->used == sizeof(o->buffer))
			drain(o);
	}
}

void sl_out_text(struct sl_out *o, const char *text)
{
	sl_out_write(o, text, strlen(text));
}

void sl_out_char(struct sl_out *o, char c)
{
	o->buffer[o->used++] = c;
	if (o->used == sizeof(o->buffer))
		drain(o);
}

void sl_out_u64(struct sl_out *o, uint64_t value)
{
	char digits[20];
	size_t at = sizeof(digits);

	do {
		digits[--at] = (char)('0' + value % 10);
		value /= 10;
	} while (value);
	sl_out_write(o, digits + at, sizeof(digits) - at);
}

void sl_out_i64(struct sl_out *o, int64_t value)
{
	if (value < 0)
		sl_out_char(o, '-');
	sl_out_u64(o, value < 0 ? 0 - (uint64_t)value : (uint64_t)value);
}

void sl_out_field(struct sl_out *o, const char *text)
{
	if (!strpbrk(text, ",\"\r\n")) {
		sl_out_text(o, text);
		return;
	}
	sl_out_char(o, '"');
	for (; *text; text++) {
		if (*text == '"')
			sl_out_char(o, '"');
		sl_out_char(o, *text);
	}
	sl_out_char(o, '"');
}

void sl_out_printf(struct sl_out *o, const char *format, ...)
{
	va_list args;
	char *text;

	va_start(args, format);
	text = g_strdup_vprintf(format, args);
	va_end(args);
	sl_out_text(o, text);
	g_free(text);
}

bool sl_out_close(struct sl_out *o, GError **error)
{
	bool ok;

	drain(o);
	if (o->fd != STDOUT_FILENO) {
		if (close(o->fd) != 0 && !o->failed)
			o->failed = errno;
		o->fd = -1;
	}
	if (!o->failed && o->temporary) {
		if (rename(o->temporary, o->target) != 0)
			o->failed = errno;
		else
			g_clear_pointer(&o->temporary, g_free);
	}
	ok = !o->failed;
	if (!ok)
		g_set_error(error, SL_CLI_ERROR, 0, "%s: cannot be written: %s",
			    strcmp(o->path, "-") == 0 ? "standard output" : o->path,
			    g_strerror(o->failed));
	sl_out_abandon(o);
	return ok;
}

bool sl_out_close_partial(struct sl_out *o, GError **error)
{
	if (o->temporary) {
		char *name = g_strconcat(o->target, ".partial", NULL);

		g_free(o->target);
		o->target = name;
	}
	return sl_out_close(o, error);
}

void sl_out_abandon(struct sl_out *o)
{
	if (!o)
		return;
	if (o->fd >= 0 && o->fd != STDOUT_FILENO)
		close(o->fd);
	if (o->temporary) {
		unlink(o->temporary);
		g_free(o->temporary);
	}
	g_free(o->target);
	g_free(o->path);
	g_free(o);
}
