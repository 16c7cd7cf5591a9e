/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Puts events in time order: stable, a CPU's own lines never swapped, with a window of
 * fixed size for ordinary files and a full sort for those written newest first or CPU by
 * CPU (KTR, DTrace). */
#ifndef SL_IMPORT_ORDER_H
#define SL_IMPORT_ORDER_H

#include <stdbool.h>
#include <stdint.h>

#include "traces/import_event.h"

struct sl_order;

struct sl_order_counts {
	uint64_t swapped;   /* events moved before earlier lines of other CPUs */
	uint64_t backwards; /* stamps of one CPU that ran backwards: raised to the last one */
	uint64_t leapt;	    /* one stamp a second or more ahead of its CPU's others: lowered */
	uint64_t late;	    /* too late for the window: raised to the time already reached */
	uint64_t first_line, first_at; /* of the first whose stamp was changed; line 0: none */
	bool reversed;		       /* the file runs from the newest event to the oldest */
};

typedef void (*sl_order_sink)(void *ctx, struct sl_event *ev);

/* `whole`: keep all events and sort them at the end. */
struct sl_order *sl_order_new(bool whole, sl_order_sink sink, void *ctx);
void sl_order_free(struct sl_order *o); /* NULL is fine */

/* Room for the next event; fill it, then commit. Valid until the commit. O(1) for
 * ordered input. */
struct sl_event *sl_order_slot(struct sl_order *o);
void sl_order_commit(struct sl_order *o);

/* Passes on all that is left. */
void sl_order_flush(struct sl_order *o);

const struct sl_order_counts *sl_order_counts(const struct sl_order *o);

#endif
