/* SPDX-License-Identifier: BSD-2-Clause
 *
 * CPU lists as people write them: "0,2,4-7". A set restricts a run; it never makes
 * another topology. */
#ifndef SL_CPUSET_H
#define SL_CPUSET_H

#include <glib.h>

#include "sim/base/base.h"

/* Parses numbers and ranges, separated by commas, spaces allowed around each, into
 * SL_BITS_WORDS(ncpus) words (cleared first). Refuses an empty list, a CPU not below
 * ncpus, a range that runs backwards, and a CPU named twice; the message starts with
 * "cpuset:1:col: ". On failure the words are unspecified. O(length + ncpus). */
bool sl_cpuset_parse(const char *list, uint32_t ncpus, uint64_t *words, GError **error);

/* The inverse, with ranges for runs of two and more ("0-1,4"); "" for the empty set.
 * Free with g_free(). */
char *sl_cpuset_print(const uint64_t *words, uint32_t ncpus);

/* What is wrong with a list. */
struct sl_cpuset_fault {
	size_t offset; /* byte in the list */
	char why[96];  /* what, and what was expected */
};

/* As sl_cpuset_parse() on len bytes, for lists inside other files. */
bool sl_cpuset_scan(const char *list, size_t len, uint32_t ncpus, uint64_t *words,
		    struct sl_cpuset_fault *fault);

#endif
