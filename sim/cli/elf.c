/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Invariant: nothing is read outside the bytes that were mapped, and every sum of two numbers of
 * the file is compared before it is made. Offsets are those of the System V ABI (gabi 4.1, chapters
 * 4 and 5), in the word size of this program: what the other one has is refused first. */
#define _XOPEN_SOURCE 700

#include "sim/cli/elf.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "sim/cli/cli.h"

enum { WIDE = sizeof(void *) == 8, IDENT = 16, SHARED = 3, LOAD = 1, DYNAMIC = 2, NO_BITS = 8 };

/* Where the fields stand in the header and in the rows of its two tables. */
enum {
	AT_CLASS = 4,
	AT_ORDER = 5,
	AT_TYPE = 16,
	AT_PHOFF = WIDE ? 32 : 28,
	AT_SHOFF = WIDE ? 40 : 32,
	AT_PHENTSIZE = WIDE ? 54 : 42,
	AT_PHNUM = WIDE ? 56 : 44,
	AT_SHENTSIZE = WIDE ? 58 : 46,
	AT_SHNUM = WIDE ? 60 : 48,
	HEADER = WIDE ? 64 : 52,

	PH_TYPE = 0,
	PH_OFFSET = WIDE ? 8 : 4,
	PH_FILESZ = WIDE ? 32 : 16,
	PH_MEMSZ = WIDE ? 40 : 20,
	PH_ROW = WIDE ? 56 : 32,

	SH_TYPE = 4,
	SH_OFFSET = WIDE ? 24 : 16,
	SH_SIZE = WIDE ? 32 : 20,
	SH_ROW = WIDE ? 64 : 40,
};

/* Whether this system's modules are ELF files. */
#ifdef __ELF__
enum { ELF_MODULES = true };
#else
enum { ELF_MODULES = false };
#endif

struct elf {
	const char *path;
	const unsigned char *bytes;
	uint64_t size;
};

static bool refuse(const char *path, GError **error, const char *format, ...) G_GNUC_PRINTF(3, 4);

static bool refuse(const char *path, GError **error, const char *format, ...)
{
	va_list args;
	char *why;

	va_start(args, format);
	why = g_strdup_vprintf(format, args);
	va_end(args);
	g_set_error(error, SL_CLI_ERROR, 0, "%s: not a loadable module: %s", path, why);
	g_free(why);
	return false;
}

static uint16_t half(const unsigned char *at)
{
	uint16_t value;

	memcpy(&value, at, sizeof(value));
	return value;
}

static uint32_t word(const unsigned char *at)
{
	uint32_t value;

	memcpy(&value, at, sizeof(value));
	return value;
}

/* An address, offset or size. */
static uint64_t wide(const unsigned char *at)
{
	uint64_t value;

	if (!WIDE)
		return word(at);
	memcpy(&value, at, sizeof(value));
	return value;
}

static bool inside(const struct elf *e, uint64_t offset, uint64_t size)
{
	return offset <= e->size && size <= e->size - offset;
}

static bool cut(const struct elf *e, const char *what, uint64_t offset, uint64_t size,
		GError **error)
{
	return refuse(e->path, error,
		      "it was cut off or damaged: it has %" G_GUINT64_FORMAT
		      " bytes, but its %s takes %" G_GUINT64_FORMAT " from %" G_GUINT64_FORMAT
		      " on; build or copy it again",
		      (guint64)e->size, what, (guint64)size, (guint64)offset);
}

/* The loader compares the machine itself, and knows its names. */
static bool check_header(const struct elf *e, GError **error)
{
	const unsigned char *b = e->bytes;
	const int class = WIDE ? 2 : 1, order = G_BYTE_ORDER == G_LITTLE_ENDIAN ? 1 : 2;

	if (e->size < IDENT || memcmp(b, "\177ELF", 4) != 0)
		return refuse(e->path, error, "it is no ELF file; expected a shared object (.so)");
	if (b[AT_CLASS] != class)
		return refuse(e->path, error, "it is an ELF file of class %d; expected %d, %d bits",
			      b[AT_CLASS], class, WIDE ? 64 : 32);
	if (b[AT_ORDER] != order)
		return refuse(e->path, error,
			      "it is an ELF file of byte order %d; expected %d, the %s one",
			      b[AT_ORDER], order, order == 1 ? "little" : "big");
	if (e->size < HEADER)
		return cut(e, "header", 0, HEADER, error);
	if (half(b + AT_TYPE) != SHARED)
		return refuse(e->path, error,
			      "it is an ELF file of type %d; expected %d, a shared object "
			      "(cc -shared -fPIC)",
			      half(b + AT_TYPE), SHARED);
	return true;
}

static bool check_segments(const struct elf *e, GError **error)
{
	const unsigned char *b = e->bytes, *row;
	uint64_t at = wide(b + AT_PHOFF), n = half(b + AT_PHNUM);
	bool dynamic = false, load = false;

	if (n == 0 || half(b + AT_PHENTSIZE) != PH_ROW)
		return refuse(e->path, error, "it has no program headers of %d bytes each", PH_ROW);
	if (!inside(e, at, n * PH_ROW))
		return cut(e, "table of program headers", at, n * PH_ROW, error);
	for (row = b + at; n > 0; n--, row += PH_ROW) {
		uint64_t offset = wide(row + PH_OFFSET), size = wide(row + PH_FILESZ);

		load |= word(row + PH_TYPE) == LOAD;
		dynamic |= word(row + PH_TYPE) == DYNAMIC;
		if (!inside(e, offset, size))
			return cut(e, "segment", offset, size, error);
		if (word(row + PH_TYPE) == LOAD && wide(row + PH_MEMSZ) < size)
			return refuse(e->path, error,
				      "it is damaged: a segment is larger than its memory");
	}
	if (load && dynamic)
		return true;
	return refuse(e->path, error, "it has nothing to load; expected a linked shared object");
}

/* A file without section headers is fine; the loader does not need them. */
static bool check_sections(const struct elf *e, GError **error)
{
	const unsigned char *b = e->bytes, *row;
	uint64_t at = wide(b + AT_SHOFF), n = half(b + AT_SHNUM);

	if (at == 0 || n == 0)
		return true;
	if (half(b + AT_SHENTSIZE) != SH_ROW)
		return refuse(e->path, error, "its section headers are not of %d bytes", SH_ROW);
	if (!inside(e, at, n * SH_ROW))
		return cut(e, "table of sections", at, n * SH_ROW, error);
	for (row = b + at; n > 0; n--, row += SH_ROW)
		if (word(row + SH_TYPE) != NO_BITS && word(row + SH_TYPE) != 0 &&
		    !inside(e, wide(row + SH_OFFSET), wide(row + SH_SIZE)))
			return cut(e, "section", wide(row + SH_OFFSET), wide(row + SH_SIZE), error);
	return true;
}

/* What stands at the path, without opening it: a pipe would wait for a writer. */
static bool check_kind(const char *path, GError **error)
{
	struct stat st;
	const char *what;

	if (stat(path, &st) != 0) {
		g_set_error(error, SL_CLI_ERROR, 0, "%s: no such policy module: %s", path,
			    g_strerror(errno));
		return false;
	}
	if (S_ISREG(st.st_mode))
		return st.st_size > 0 ||
		       refuse(path, error, "the file is empty; expected a shared object (.so)");
	what = S_ISDIR(st.st_mode)    ? "a folder"
	       : S_ISFIFO(st.st_mode) ? "a pipe"
	       : S_ISSOCK(st.st_mode) ? "a socket"
				      : "a device";
	return refuse(path, error, "it is %s; expected a shared object (.so)", what);
}

bool sl_elf_check(const char *path, GError **error)
{
	struct elf e = { .path = path };
	GError *why = NULL;
	GMappedFile *file;
	bool ok;

	if (!check_kind(path, error))
		return false;
	file = g_mapped_file_new(path, FALSE, &why);
	if (!file) {
		refuse(path, error, "%s", why->message);
		g_error_free(why);
		return false;
	}
	e.bytes = (const unsigned char *)g_mapped_file_get_contents(file);
	e.size = g_mapped_file_get_length(file);
	ok = !ELF_MODULES ||
	     (check_header(&e, error) && check_segments(&e, error) && check_sections(&e, error));
	g_mapped_file_unref(file);
	return ok;
}
