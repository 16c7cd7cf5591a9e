/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The forms of `schedlab sweep report`. Each is given the table filled for one metric
 * after the other, and writes to stdout or, plots and pages, to files. */
#ifndef SL_VERB_SWEEP_REPORT_H
#define SL_VERB_SWEEP_REPORT_H

#include "sim/cli/verb_sweep_table.h"

/* Version of the CSV and JSON forms; a field may be added without a new one. */
#define SL_SWEEP_REPORT_SCHEMA "schedlab-sweep-report/1"

/* A table per block, cells down, policies across. */
void sl_sweep_print_text(const struct sl_sweep_table *t, bool markdown);
/* A line per cell and metric; the first call prints the heading. */
void sl_sweep_print_csv(const struct sl_sweep_table *t, bool heading);
/* Objects of an array, for the caller's brackets. */
void sl_sweep_print_json(const struct sl_sweep_table *t, bool first);
/* Appends the blocks' geometric means of the metric, objects of an array. */
void sl_sweep_json_geomeans(const struct sl_sweep_table *t, GString *to);
/* ministat's block for every group. */
void sl_sweep_print_ministat(const struct sl_sweep_table *t);

/* Data and gnuplot scripts in a folder for each block and metric; their SVGs when gnuplot is here.
 */
bool sl_sweep_write_plots(const struct sl_cli *cli, const struct sl_sweep_table *t, const char *dir,
			  GError **error);
/* The same for what one run shows and no metric does: the tail of the latencies from wake-up to
 * run, and who waited where. The first run that counts of the first cells of each block is made
 * once more, at least those of one group; what is left out is said. */
bool sl_sweep_write_watched(const struct sl_cli *cli, const struct sl_sweep_table *t,
			    struct sl_store *store, const char *dir, GError **error);
/* Adds the tables, pictures and commands of a metric to a page. */
void sl_sweep_add_html(const struct sl_sweep_table *t, GString *page);

#endif
