/* SPDX-License-Identifier: BSD-2-Clause
 *
 * What every part of schedlab may use: the time type, assertions, container_of.
 * libc only; no allocation, no I/O but the last words of a failed assertion. */
#ifndef SL_BASE_H
#define SL_BASE_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Simulated time in nanoseconds since the start of the run. */
typedef uint64_t sl_time;

#define SL_TIME_MAX  UINT64_MAX
#define SL_NS_PER_US ((sl_time)1000)
#define SL_NS_PER_MS ((sl_time)1000000)
#define SL_NS_PER_S  ((sl_time)1000000000)

/* Prints what and where to stderr and aborts: a bug of ours, never bad input. */
_Noreturn void sl_panic(const char *what, const char *file, int line);

/* Stays on in release builds. */
#define SL_ASSERT(cond)                                                                            \
	do {                                                                                       \
		if (!(cond))                                                                       \
			sl_panic(#cond, __FILE__, __LINE__);                                       \
	} while (0)

/* A function that hardly ever runs: never inlined, so that its callers save no registers for it. */
#define SL_COLD		__attribute__((cold, noinline))

#define SL_ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))

/* The object of type `type` whose member `member` is *ptr. */
#define SL_OF(ptr, type, member) ((type *)(void *)((char *)(ptr)-offsetof(type, member)))

/* a + b, clamped at SL_TIME_MAX. */
static inline sl_time sl_time_add(sl_time a, sl_time b)
{
	return b > SL_TIME_MAX - a ? SL_TIME_MAX : a + b;
}

#endif
