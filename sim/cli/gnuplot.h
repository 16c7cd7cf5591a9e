/* SPDX-License-Identifier: BSD-2-Clause
 *
 * gnuplot(1), which need not be there: scripts and their data stand for themselves. */
#ifndef SL_GNUPLOT_H
#define SL_GNUPLOT_H

#include "sim/cli/cli.h"

/* Terminal that belongs to a file's ending, "svg", "png", "pdf", "dumb" (.txt), "sixel"; "" for a
 * script (.gp); NULL for any other. */
const char *sl_gnuplot_format(const char *path);

/* Whether gnuplot is in the PATH. */
bool sl_gnuplot_is_here(void);

/* Runs dir/script with its folder as the current one; script sets its output from `format`.
 * Without gnuplot says so, which is no failure. */
bool sl_gnuplot_run(const struct sl_cli *cli, const char *dir, const char *script,
		    const char *format, GError **error);

/* A text for a gnuplot string, with its double quotes; freed by the caller. */
char *sl_gnuplot_quote(const char *text);

#endif
