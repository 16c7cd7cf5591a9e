/* SPDX-License-Identifier: BSD-2-Clause
 *
 * usage: bench_noise [MB [seed]]
 * Feeds noise to ministat's number reader, and what numbers it finds to ministat's block: blocks of
 * 1 byte to 64 KiB, each in memory of its own, so that a sanitizer sees a byte too far. Prints
 * what came of each kind. The fuzz targets look for what noise does not find; this is for
 * volume: 1 GB in a build with SL_SANITIZE shows that nothing crashes or hangs. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <glib.h>

#include "sim/base/base.h"
#include "sim/base/rng.h"
#include "stats/ministat.h"
#include "stats/reader.h"

/* What a kind of noise is made of: its bytes are drawn from the letters, or, with none, from all
 * 256; a newline comes once in `line` letters on average. */
struct noise {
	const char *name, *letters;
	unsigned line;
};

static const struct noise kinds[] = {
	{ "any bytes", NULL, 256 },
	{ "digits and blanks", "0123456789 \t", 12 },
	{ "digits and points", "0123456789.", 8 },
	{ "words of numbers", "0123456789+-.eExXpPnNaAiIfFtTyY()#,;", 6 },
	{ "control bytes", "05\r\f\v\t#\x1a\xff", 16 },
	{ "long lines", "0123456789 ", 20000 },
};

struct tally {
	uint64_t bytes, blocks, refused, values, plots;
};

struct dice {
	uint64_t seed, n;
};

static uint64_t roll(struct dice *d)
{
	return sl_rng_draw(d->seed, SL_RNG_BOOT, 0, d->n++);
}

/* Eight letters a draw. */
static void fill(char *text, size_t size, const struct noise *kind, struct dice *d)
{
	const size_t letters = kind->letters ? strlen(kind->letters) : 256;

	for (size_t i = 0; i < size;) {
		uint64_t bits = roll(d);

		for (int k = 0; k < 8 && i < size; k++, bits >>= 8) {
			size_t at = ((bits & 0xff) * letters) >> 8;

			text[i++] = kind->letters ? kind->letters[at] : (char)at;
		}
	}
	for (size_t i = roll(d) % kind->line; i < size; i += 1 + roll(d) % (2 * kind->line))
		text[i] = '\n';
}

static void one_block(const struct noise *kind, struct dice *d, struct tally *t)
{
	static const char *const delims[] = { " \t", ",", " ;.", "-1", "\n", "#" };
	const uint64_t how = roll(d);
	const struct sl_reader_options opt = {
		.column = 1 + (how & 7 ? 0 : (unsigned)(how >> 8) % 4),
		.delims = delims[how & 24 ? 0 : (how >> 16) % SL_ARRAY_LEN(delims)],
		.cut = (how >> 24) % 4 == 0 ? 8191 : 0,
	};
	const size_t size = 1 + roll(d) % (size_t)(1 << (1 + roll(d) % 16));
	struct sl_numbers got = { .n = 0 };
	char *text = malloc(size), *block;

	if (!text)
		abort();
	fill(text, size, kind, d);
	t->refused += sl_read_text(&got, text, size, &opt) != SL_READ_OK;
	free(text);
	t->bytes += size;
	t->blocks++;
	t->values += got.n;
	if (got.n >= 3) {
		const struct sl_sample set = { "noise", got.v, got.n };
		const struct sl_ministat_options look = { .level = SL_LEVEL_95, .width = 74 };

		block = sl_ministat_text(&set, 1, &look);
		t->plots += strchr(block, '|') != NULL;
		g_free(block);
	}
	sl_numbers_clear(&got);
}

int main(int argc, char **argv)
{
	const uint64_t mb = argc > 1 ? strtoull(argv[1], NULL, 10) : 60;
	struct dice d = { .seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 1 };
	uint64_t all = 0;

	for (size_t i = 0; i < SL_ARRAY_LEN(kinds); i++) {
		const clock_t start = clock();
		struct tally t = { 0 };

		while (t.bytes < mb * 1000000 / SL_ARRAY_LEN(kinds))
			one_block(&kinds[i], &d, &t);
		printf("%-18s %6.1f MB in %8" PRIu64 " blocks: %9" PRIu64 " values, %8" PRIu64
		       " blocks refused, %7" PRIu64 " plots; %5.1f s\n",
		       kinds[i].name, (double)t.bytes / 1e6, t.blocks, t.values, t.refused, t.plots,
		       (double)(clock() - start) / CLOCKS_PER_SEC);
		all += t.bytes;
	}
	printf("%.1f MB of noise, no fault\n", (double)all / 1e6);
	return 0;
}
