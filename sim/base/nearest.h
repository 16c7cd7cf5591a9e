/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The valid name a user probably meant, for error messages. */
#ifndef SL_NEAREST_H
#define SL_NEAREST_H

#include "sim/base/base.h"

/* The one of n names nearest to `word`, or NULL when none is near: edit distance
 * (insert, delete, replace, swap of neighbours; ASCII case ignored) of at most a third
 * of the word's length, at least 1. Ties: the first in the array. A word that
 * starts a longer name (three letters at least) counts as near to it when nothing is nearer. NULL
 * entries and words over 63 bytes match nothing. O(n * length^2), no allocation. */
const char *sl_nearest(const char *word, const char *const *names, size_t n);

#endif
