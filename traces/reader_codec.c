/* SPDX-License-Identifier: BSD-2-Clause
 *
 * gzip, xz and zstd for the reader.
 * Invariant: a pump either consumes input, produces output or says END or ERROR, so
 * a caller that feeds and drains always ends. */
#include "traces/reader_codec.h"

#include <glib.h>
#include <string.h>
#include <zlib.h>
#ifdef SL_HAVE_LZMA
#include <lzma.h>
#endif
#ifdef SL_HAVE_ZSTD
#include <zstd.h>
#endif

/* Memory one xz stream may ask for; xz -9 needs 65 MiB. */
#define XZ_MEMORY_LIMIT ((uint64_t)512 << 20)

static void *inflate_open(int window_bits)
{
	z_stream *z = g_new0(z_stream, 1);

	if (inflateInit2(z, window_bits) != Z_OK) {
		g_free(z);
		return NULL;
	}
	return z;
}

static void *gz_open(void)
{
	return inflate_open(15 + 16);
}
static void *zlib_open(void)
{
	return inflate_open(15);
}

static enum sl_pump_state gz_pump(void *state, struct sl_pump *p)
{
	z_stream *z = state;
	int rc;

	z->next_in = (Bytef *)(uintptr_t)p->in; /* zlib's API predates const */
	z->avail_in = (uInt)MIN(p->in_len, G_MAXUINT);
	z->next_out = p->out;
	z->avail_out = (uInt)MIN(p->out_len, G_MAXUINT);
	rc = inflate(z, Z_NO_FLUSH);
	p->in_len -= (size_t)(z->next_in - p->in);
	p->in = z->next_in;
	p->out_len -= (size_t)(z->next_out - p->out);
	p->out = z->next_out;
	if (rc == Z_STREAM_END)
		return inflateReset(z) == Z_OK ? SL_PUMP_END : SL_PUMP_ERROR;
	return rc == Z_OK || rc == Z_BUF_ERROR ? SL_PUMP_MORE : SL_PUMP_ERROR;
}

static void gz_close(void *state)
{
	inflateEnd(state);
	g_free(state);
}

#ifdef SL_HAVE_LZMA
static void *xz_open(void)
{
	lzma_stream *z = g_new(lzma_stream, 1);

	*z = (lzma_stream)LZMA_STREAM_INIT;
	if (lzma_stream_decoder(z, XZ_MEMORY_LIMIT, LZMA_CONCATENATED) != LZMA_OK) {
		g_free(z);
		return NULL;
	}
	return z;
}

static enum sl_pump_state xz_pump(void *state, struct sl_pump *p)
{
	lzma_stream *z = state;
	lzma_ret rc;

	z->next_in = p->in;
	z->avail_in = p->in_len;
	z->next_out = p->out;
	z->avail_out = p->out_len;
	/* No input left to give: with LZMA_CONCATENATED only LZMA_FINISH ends the file. */
	rc = lzma_code(z, p->in_len ? LZMA_RUN : LZMA_FINISH);
	p->in = z->next_in;
	p->in_len = z->avail_in;
	p->out = z->next_out;
	p->out_len = z->avail_out;
	if (rc == LZMA_STREAM_END)
		return SL_PUMP_END;
	return rc == LZMA_OK || rc == LZMA_BUF_ERROR ? SL_PUMP_MORE : SL_PUMP_ERROR;
}

static void xz_close(void *state)
{
	lzma_end(state);
	g_free(state);
}
#endif

#ifdef SL_HAVE_ZSTD
static void *zst_open(void)
{
	return ZSTD_createDStream();
}

static enum sl_pump_state zst_pump(void *state, struct sl_pump *p)
{
	ZSTD_inBuffer in = { p->in, p->in_len, 0 };
	ZSTD_outBuffer out = { p->out, p->out_len, 0 };
	size_t rc = ZSTD_decompressStream(state, &out, &in);

	p->in += in.pos;
	p->in_len -= in.pos;
	p->out += out.pos;
	p->out_len -= out.pos;
	if (ZSTD_isError(rc))
		return SL_PUMP_ERROR;
	return rc == 0 ? SL_PUMP_END : SL_PUMP_MORE;
}

static void zst_close(void *state)
{
	ZSTD_freeDStream(state);
}
#endif

static const struct sl_codec codecs[] = {
	{ .name = "gzip",
	  .package = "zlib",
	  .magic = { 0x1f, 0x8b },
	  .magic_len = 2,
	  .open = gz_open,
	  .pump = gz_pump,
	  .close = gz_close },
	{ .name = "xz",
	  .package = "liblzma",
	  .magic = { 0xfd, '7', 'z', 'X', 'Z', 0 },
	  .magic_len = 6,
#ifdef SL_HAVE_LZMA
	  .open = xz_open,
	  .pump = xz_pump,
	  .close = xz_close
#endif
	},
	{ .name = "zstd",
	  .package = "libzstd",
	  .magic = { 0x28, 0xb5, 0x2f, 0xfd },
	  .magic_len = 4,
#ifdef SL_HAVE_ZSTD
	  .open = zst_open,
	  .pump = zst_pump,
	  .close = zst_close
#endif
	},
};

static const struct sl_codec zlib_codec = {
	.name = "zlib", .package = "zlib", .open = zlib_open, .pump = gz_pump, .close = gz_close
};

const struct sl_codec *sl_codec_find(const uint8_t *head, size_t len)
{
	for (size_t i = 0; i < G_N_ELEMENTS(codecs); i++)
		if (len >= codecs[i].magic_len &&
		    memcmp(head, codecs[i].magic, codecs[i].magic_len) == 0)
			return &codecs[i];
	return NULL;
}

const struct sl_codec *sl_codec_zlib(void)
{
	return &zlib_codec;
}
