/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Intrusive circular doubly linked list.
 * Invariant: a link that is in no list is idle (points at nothing), so that a
 * second insertion is an assertion and not a corrupted list. */
#ifndef SL_LINK_H
#define SL_LINK_H

#include "sim/base/base.h"

struct sl_link {
	struct sl_link *next, *prev;
};

/* A list head: an sl_link that points at itself when the list is empty. */
static inline void sl_list_init(struct sl_link *head)
{
	head->next = head->prev = head;
}

static inline bool sl_list_empty(const struct sl_link *head)
{
	return head->next == head;
}

/* True when l (zeroed or removed) is in no list. */
static inline bool sl_link_idle(const struct sl_link *l)
{
	return l->next == NULL;
}

/* Inserts l in front of `at`; with at = head this appends. O(1). */
static inline void sl_link_put_before(struct sl_link *at, struct sl_link *l)
{
	SL_ASSERT(sl_link_idle(l));
	l->next = at;
	l->prev = at->prev;
	at->prev->next = l;
	at->prev = l;
}

static inline void sl_list_append(struct sl_link *head, struct sl_link *l)
{
	sl_link_put_before(head, l);
}

static inline void sl_list_prepend(struct sl_link *head, struct sl_link *l)
{
	sl_link_put_before(head->next, l);
}

/* Takes l out of its list and marks it idle. O(1). */
static inline void sl_link_remove(struct sl_link *l)
{
	SL_ASSERT(!sl_link_idle(l));
	l->prev->next = l->next;
	l->next->prev = l->prev;
	l->next = l->prev = NULL;
}

#endif
