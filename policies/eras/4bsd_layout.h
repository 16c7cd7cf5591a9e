/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The priority spaces that eras of 4BSD share, as initialisers for struct bsd_era.
 * A sleep priority is the bottom of the kernel range plus a fixed offset. */
#ifndef SL_POLICIES_ERAS_4BSD_LAYOUT_H
#define SL_POLICIES_ERAS_4BSD_LAYOUT_H

#include "policies/4bsd.h"

/* Kernel sleep priorities from `kern` up, `step` apart. */
/* clang-format off */
#define BSD_KERNEL_PRIOS(kern, step)                                                               \
	[SL_WPRIO_PSWP] = (kern), [SL_WPRIO_PVM] = (kern) + (step),                                \
	[SL_WPRIO_PINOD] = (kern) + 2 * (step), [SL_WPRIO_PRIBIO] = (kern) + 3 * (step),           \
	[SL_WPRIO_PVFS] = (kern) + 4 * (step), [SL_WPRIO_PZERO] = (kern) + 5 * (step),             \
	[SL_WPRIO_PSOCK] = (kern) + 6 * (step), [SL_WPRIO_PWAIT] = (kern) + 7 * (step)

#define BSD_HARDWARE_PRIOS(pri)                                                                    \
	[SL_WPRIO_PI_REALTIME] = (pri), [SL_WPRIO_PI_AV] = (pri), [SL_WPRIO_PI_NET] = (pri),       \
	[SL_WPRIO_PI_DISK] = (pri), [SL_WPRIO_PI_TTY] = (pri), [SL_WPRIO_PI_DULL] = (pri)

/* 2005 .. 8.x: kernel better than real-time. PCONFIG stands between PWAIT and PLOCK;
 * of the two classes of terminals the label means the common, slow one. */
#define BSD_LAYOUT_160                                                                             \
	.ppq = 4, .ithd_max = 63, .rt_min = 128, .rt_max = 159, .ts_min = 160, .ts_max = 223,      \
	.idle_min = 224,                                                                           \
	.wprio = {                                                                                 \
		BSD_KERNEL_PRIOS(64, 4),                                                           \
		[SL_WPRIO_PLOCK] = 100, [SL_WPRIO_PPAUSE] = 104,                                   \
		[SL_WPRIO_PI_REALTIME] = 0, [SL_WPRIO_PI_AV] = 4, [SL_WPRIO_PI_NET] = 16,          \
		[SL_WPRIO_PI_DISK] = 20, [SL_WPRIO_PI_TTY] = 24, [SL_WPRIO_PI_DULL] = 32,          \
		[SL_WPRIO_PI_SOFT] = 36,                                                           \
	}

/* 9.0 .. 13: real-time better than kernel. */
#define BSD_LAYOUT_120                                                                             \
	.ppq = 4, .ithd_max = 47, .rt_min = 48, .rt_max = 79, .ts_min = 120, .ts_max = 223,        \
	.idle_min = 224,                                                                           \
	.wprio = {                                                                                 \
		BSD_KERNEL_PRIOS(80, 4),                                                           \
		[SL_WPRIO_PLOCK] = 112, [SL_WPRIO_PPAUSE] = 116,                                   \
		[SL_WPRIO_PI_REALTIME] = 0, [SL_WPRIO_PI_AV] = 4, [SL_WPRIO_PI_NET] = 8,           \
		[SL_WPRIO_PI_DISK] = 12, [SL_WPRIO_PI_TTY] = 16, [SL_WPRIO_PI_DULL] = 20,          \
		[SL_WPRIO_PI_SOFT] = 24,                                                           \
	}

/* 14. */
#define BSD_LAYOUT_88                                                                              \
	.ppq = 4, .ithd_max = 15, .rt_min = 16, .rt_max = 47, .ts_min = 88, .ts_max = 223,         \
	.idle_min = 224,                                                                           \
	.wprio = {                                                                                 \
		BSD_KERNEL_PRIOS(48, 4), [SL_WPRIO_PLOCK] = 80, [SL_WPRIO_PPAUSE] = 84,            \
		BSD_HARDWARE_PRIOS(4), [SL_WPRIO_PI_SOFT] = 8,                                     \
	}

/* 15: one priority per list, so steps of one do. */
#define BSD_LAYOUT_56                                                                              \
	.ppq = 1, .ithd_max = 7, .rt_min = 8, .rt_max = 39, .ts_min = 56, .ts_max = 223,           \
	.idle_min = 224,                                                                           \
	.wprio = {                                                                                 \
		BSD_KERNEL_PRIOS(40, 1), [SL_WPRIO_PLOCK] = 48, [SL_WPRIO_PPAUSE] = 49,            \
		BSD_HARDWARE_PRIOS(1), [SL_WPRIO_PI_SOFT] = 2,                                     \
	}
/* clang-format on */

#endif
