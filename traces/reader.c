/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The streaming reader.
 * Invariant: text[pos, end) are decompressed bytes nobody has taken; the buffer is
 * larger than SL_LINE_MAX plus one refill, so a whole line or a cut one always fits. */
#define _POSIX_C_SOURCE 200809L

#include "traces/reader.h"

#include <errno.h>
#include <fcntl.h>
#include <gio/gio.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "traces/reader_codec.h"

/* Equal, so that text read ahead can become compressed input (atrace -z). */
#define RAW_SIZE  (128u << 10)
#define TEXT_SIZE RAW_SIZE

struct sl_reader {
	char *name;
	int fd; /* -1: memory */
	bool own_fd;
	const uint8_t *mem;
	size_t mem_len;
	uint8_t *raw; /* compressed input; unused for plain files */
	size_t raw_pos, raw_end;
	bool raw_eof;
	const struct sl_codec *codec;
	void *codec_state;
	bool in_stream;	  /* bytes of the current compressed stream have been fed */
	uint64_t streams; /* complete compressed streams so far */
	bool truncated;
	char *text;
	char *cut; /* start of an overlong line */
	size_t pos, end;
	bool eof;
	uint64_t lines, taken;
	GError *error;
};

/* Raw bytes from the file or from memory; 0 at the end or on error. */
static size_t raw_read(struct sl_reader *r, void *out, size_t want)
{
	ssize_t n;

	if (r->fd < 0) {
		size_t len = MIN(want, r->mem_len);

		if (len)
			memcpy(out, r->mem, len);
		r->mem += len;
		r->mem_len -= len;
		return len;
	}
	do {
		n = read(r->fd, out, want);
	} while (n < 0 && errno == EINTR);
	if (n < 0) {
		int saved = errno;

		if (!r->error)
			g_set_error(&r->error, G_IO_ERROR, g_io_error_from_errno(saved), "%s: %s",
				    r->name, g_strerror(saved));
		return 0;
	}
	return (size_t)n;
}

static void refill_raw(struct sl_reader *r)
{
	if (r->raw_pos < r->raw_end || r->raw_eof)
		return;
	r->raw_pos = 0;
	r->raw_end = raw_read(r, r->raw, RAW_SIZE);
	r->raw_eof = r->raw_end == 0;
}

static void fail_codec(struct sl_reader *r)
{
	g_set_error(&r->error, G_IO_ERROR, G_IO_ERROR_INVALID_DATA,
		    "%s: the %s data are damaged after %" G_GUINT64_FORMAT
		    " bytes of text; expected a complete file",
		    r->name, r->codec->name, r->taken + (r->end - r->pos));
	r->eof = true;
}

/* Decompresses into text[end ..); sets eof. */
static void refill_codec(struct sl_reader *r)
{
	while (!r->eof) {
		struct sl_pump p;
		enum sl_pump_state state;
		uint8_t *out = (uint8_t *)r->text + r->end;
		size_t made;
		bool fresh;

		refill_raw(r);
		/* Between streams the end of the file is a proper end. */
		if (r->raw_eof && !r->in_stream) {
			r->eof = true;
			return;
		}
		p = (struct sl_pump){ r->raw + r->raw_pos, r->raw_end - r->raw_pos, out,
				      TEXT_SIZE - r->end };
		fresh = !r->in_stream && r->streams > 0;
		r->in_stream = true;
		state = r->codec->pump(r->codec_state, &p);
		r->raw_pos = r->raw_end - p.in_len;
		made = TEXT_SIZE - r->end - p.out_len;
		r->end += made;
		if (state == SL_PUMP_ERROR) {
			/* Garbage behind a complete stream is passed over, as gzip(1) does. */
			if (fresh)
				r->eof = r->truncated = true;
			else
				fail_codec(r);
			return;
		}
		if (state == SL_PUMP_END) {
			r->in_stream = false;
			r->streams++;
		}
		if (state == SL_PUMP_MORE && made == 0 && r->raw_eof) {
			r->truncated = true;
			r->eof = true;
		}
		if (made)
			return;
	}
}

/* Makes room and reads on; at least one byte more unless eof. */
static void refill(struct sl_reader *r)
{
	if (r->pos > 0) {
		memmove(r->text, r->text + r->pos, r->end - r->pos);
		r->end -= r->pos;
		r->pos = 0;
	}
	if (r->eof || r->end == TEXT_SIZE)
		return;
	if (r->codec) {
		refill_codec(r);
		return;
	}
	size_t n;

	/* Bytes that were read ahead to find the codec come first. */
	if (r->raw_pos < r->raw_end) {
		n = MIN(r->raw_end - r->raw_pos, TEXT_SIZE - r->end);
		memcpy(r->text + r->end, r->raw + r->raw_pos, n);
		r->raw_pos += n;
	} else {
		n = raw_read(r, r->text + r->end, TEXT_SIZE - r->end);
	}
	r->end += n;
	r->eof = n == 0;
}

static bool start(struct sl_reader *r, GError **err)
{
	const struct sl_codec *codec;

	r->raw = g_malloc(RAW_SIZE);
	r->text = g_malloc(TEXT_SIZE);
	/* A pipe may hand over one byte at a time. */
	while (r->raw_end < 6) {
		size_t n = raw_read(r, r->raw + r->raw_end, RAW_SIZE - r->raw_end);

		if (n == 0)
			break;
		r->raw_end += n;
	}
	if (r->error) {
		g_propagate_error(err, g_steal_pointer(&r->error));
		return false;
	}
	codec = sl_codec_find(r->raw, r->raw_end);
	if (!codec)
		return true;
	if (!codec->open) {
		g_set_error(err, G_IO_ERROR, G_IO_ERROR_NOT_SUPPORTED,
			    "%s: %s-compressed, which this build cannot read; expected plain text "
			    "or gzip (build with %s)",
			    r->name, codec->name, codec->package);
		return false;
	}
	r->codec = codec;
	r->codec_state = codec->open();
	if (!r->codec_state)
		g_set_error(err, G_IO_ERROR, G_IO_ERROR_FAILED, "%s: no memory to decompress",
			    r->name);
	return r->codec_state != NULL;
}

static struct sl_reader *reader_new(const char *name)
{
	struct sl_reader *r = g_new0(struct sl_reader, 1);

	r->name = g_strdup(name);
	r->fd = -1;
	return r;
}

struct sl_reader *sl_reader_open(const char *path, GError **err)
{
	bool is_stdin = strcmp(path, "-") == 0;
	struct sl_reader *r = reader_new(is_stdin ? "<stdin>" : path);

	r->fd = is_stdin ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
	r->own_fd = !is_stdin;
	if (r->fd < 0) {
		int saved = errno;

		g_set_error(err, G_IO_ERROR, g_io_error_from_errno(saved), "%s: %s", path,
			    g_strerror(saved));
		sl_reader_free(r);
		return NULL;
	}
	if (!start(r, err)) {
		sl_reader_free(r);
		return NULL;
	}
	return r;
}

struct sl_reader *sl_reader_open_fd(int fd, const char *name, GError **err)
{
	struct sl_reader *r = reader_new(name);

	r->fd = fd;
	r->own_fd = true;
	if (start(r, err))
		return r;
	sl_reader_free(r);
	return NULL;
}

struct sl_reader *sl_reader_open_mem(const void *data, size_t len, const char *name, GError **err)
{
	struct sl_reader *r = reader_new(name);

	r->mem = data;
	r->mem_len = len;
	if (!start(r, err)) {
		sl_reader_free(r);
		return NULL;
	}
	return r;
}

void sl_reader_free(struct sl_reader *r)
{
	if (!r)
		return;
	if (r->codec_state)
		r->codec->close(r->codec_state);
	if (r->own_fd && r->fd >= 0)
		close(r->fd);
	g_clear_error(&r->error);
	g_free(r->raw);
	g_free(r->text);
	g_free(r->cut);
	g_free(r->name);
	g_free(r);
}

/* Skips to behind the next newline. */
static void skip_rest(struct sl_reader *r)
{
	for (;;) {
		char *nl = memchr(r->text + r->pos, '\n', r->end - r->pos);

		if (nl) {
			r->taken += (uint64_t)(nl + 1 - (r->text + r->pos));
			r->pos = (size_t)(nl + 1 - r->text);
			return;
		}
		r->taken += r->end - r->pos;
		r->pos = r->end;
		if (r->eof)
			return;
		refill(r);
	}
}

/* A line of more than SL_LINE_MAX bytes: its start is kept aside, the rest skipped. */
static void cut_line(struct sl_reader *r, struct sl_line *line)
{
	if (!r->cut)
		r->cut = g_malloc(SL_LINE_MAX);
	memcpy(r->cut, r->text + r->pos, SL_LINE_MAX);
	skip_rest(r);
	line->s = r->cut;
	line->len = SL_LINE_MAX;
	line->cut = true;
}

bool sl_reader_next(struct sl_reader *r, struct sl_line *line)
{
	size_t seen = 0;

	line->cut = line->open = false;
	for (;;) {
		char *at = r->text + r->pos;
		char *nl = memchr(at + seen, '\n', r->end - r->pos - seen);
		size_t len;

		if (!nl) {
			seen = r->end - r->pos;
			if (seen >= SL_LINE_MAX) {
				line->number = ++r->lines;
				cut_line(r, line);
				return true;
			}
			if (!r->eof) {
				refill(r);
				continue;
			}
			if (seen == 0)
				return false;
			line->open = true;
			nl = at + seen;
		}
		len = (size_t)(nl - at);
		r->pos += len + !line->open;
		r->taken += len + !line->open;
		line->number = ++r->lines;
		line->s = at;
		line->len = len > 0 && at[len - 1] == '\r' ? len - 1 : len;
		return true;
	}
}

const char *sl_reader_peek(struct sl_reader *r, size_t want, size_t *got)
{
	want = MIN(want, (size_t)SL_LINE_MAX);
	while (r->end - r->pos < want && !r->eof)
		refill(r);
	*got = MIN(want, r->end - r->pos);
	return r->text + r->pos;
}

void sl_reader_stop(struct sl_reader *r)
{
	r->pos = r->end;
	r->eof = true;
}

size_t sl_reader_read(struct sl_reader *r, char *out, size_t want)
{
	size_t n;

	while (r->pos == r->end && !r->eof)
		refill(r);
	n = MIN(want, r->end - r->pos);
	memcpy(out, r->text + r->pos, n);
	r->pos += n;
	r->taken += n;
	return n;
}

/* Copies what r holds and what it will hold to fd. */
static bool spool(struct sl_reader *r, int fd)
{
	do {
		while (r->pos < r->end) {
			ssize_t n = write(fd, r->text + r->pos, r->end - r->pos);

			if (n < 0 && errno != EINTR)
				return false;
			r->pos += n > 0 ? (size_t)n : 0;
		}
		refill(r);
	} while (r->pos < r->end || !r->eof);
	return !r->error;
}

int sl_reader_whole(struct sl_reader *r, GError **err)
{
	struct stat info;
	char *path = NULL;
	int fd;

	if (r->fd >= 0 && !r->codec && fstat(r->fd, &info) == 0 && S_ISREG(info.st_mode)) {
		fd = dup(r->fd);
		if (fd >= 0 && lseek(fd, 0, SEEK_SET) == 0)
			return fd;
		if (fd >= 0)
			close(fd);
	}
	fd = g_file_open_tmp("schedlab-XXXXXX", &path, err);
	if (fd < 0)
		return -1;
	g_unlink(path);
	g_free(path);
	if (spool(r, fd) && lseek(fd, 0, SEEK_SET) == 0)
		return fd;
	if (r->error)
		g_propagate_error(err, g_error_copy(r->error));
	else
		g_set_error(err, G_IO_ERROR, G_IO_ERROR_FAILED,
			    "%s: cannot be copied to a temporary file", r->name);
	close(fd);
	return -1;
}

bool sl_reader_push_zlib(struct sl_reader *r)
{
	if (r->codec || r->raw_pos < r->raw_end)
		return false;
	r->raw_pos = 0;
	r->raw_end = r->end - r->pos;
	memcpy(r->raw, r->text + r->pos, r->raw_end);
	r->pos = r->end = 0;
	r->eof = false;
	r->codec = sl_codec_zlib();
	r->codec_state = r->codec->open();
	return r->codec_state != NULL;
}

const GError *sl_reader_error(const struct sl_reader *r)
{
	return r->error;
}
bool sl_reader_truncated(const struct sl_reader *r)
{
	return r->truncated;
}
const char *sl_reader_name(const struct sl_reader *r)
{
	return r->name;
}
uint64_t sl_reader_bytes(const struct sl_reader *r)
{
	return r->taken;
}
