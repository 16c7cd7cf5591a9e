/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Our own compact, versioned form of an imported trace (.slr): gzip-compressed text, one
 * operation a line. docs/schedlab-recording.5 is its description. */
#ifndef SL_RECORDING_H
#define SL_RECORDING_H

#include <glib.h>
#include <stdbool.h>
#include <stdio.h>

#include "sim/core/workload.h"

#define SL_RECORDING_VERSION 3

/* Writes w ("-": standard output). Only what imports are made of can be written: constant
 * RUN, SLEEP, UNTIL, edges, single FORKs, SETNICE, EXIT; of a ninja log also a semaphore and
 * the wait for all children. Anything else is an error. The bytes depend on w alone; the
 * version is the lowest that has what w needs. */
bool sl_recording_save(const struct sl_workload *w, const char *path, GError **err);

/* The text inside, uncompressed, for reading and diff(1). */
bool sl_recording_print(const struct sl_workload *w, FILE *out, GError **err);

#endif
