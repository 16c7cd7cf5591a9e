/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Decompression behind one small interface: a table of codecs, chosen by the first
 * bytes of a file. */
#ifndef SL_READER_CODEC_H
#define SL_READER_CODEC_H

#include <stddef.h>
#include <stdint.h>

/* Bytes to consume and room to fill; both are advanced by a pump. */
struct sl_pump {
	const uint8_t *in;
	size_t in_len;
	uint8_t *out;
	size_t out_len;
};

enum sl_pump_state {
	SL_PUMP_MORE,  /* feed more input or make room */
	SL_PUMP_END,   /* end of a stream; another may follow */
	SL_PUMP_ERROR, /* the bytes are not what the codec writes */
};

struct sl_codec {
	const char *name;
	const char *package; /* what to build with when `open` is NULL */
	uint8_t magic[6];
	size_t magic_len;
	void *(*open)(void); /* NULL: not built in. Returns NULL when out of memory */
	enum sl_pump_state (*pump)(void *state, struct sl_pump *p);
	void (*close)(void *state);
};

/* The codec whose magic number starts `head`, or NULL for plain bytes. */
const struct sl_codec *sl_codec_find(const uint8_t *head, size_t len);

/* The zlib stream inside an atrace capture (two-byte header, no magic number). */
const struct sl_codec *sl_codec_zlib(void);

#endif
