/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Messages quote what they complain about, and that may be a number of a million digits or
 * an escape sequence for the terminal. */
#ifndef SL_SHORTEN_H
#define SL_SHORTEN_H

#include <stddef.h>

/* A word or quoted text of more bytes keeps SL_SHORT_HEAD of them and the last SL_SHORT_TAIL. */
#define SL_SHORT_LIMIT 160
#define SL_SHORT_HEAD  80
#define SL_SHORT_TAIL  40
/* The same for a whole message. */
#define SL_SHORT_MESSAGE 4096

/* `text` fit for a terminal: long words cut as "abc[...1000 bytes...]xyz", bytes that are neither
 * printable nor UTF-8 as \x1b; line ends and tabs stay. Freed by the caller. Linear in the length.
 */
char *sl_shorten(const char *text);

#endif
