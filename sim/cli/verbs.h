/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The verbs. Each takes argv with the verb as argv[0] and returns an exit code. */
#ifndef SL_VERBS_H
#define SL_VERBS_H

#include "sim/cli/cli.h"

int sl_verb_run(const struct sl_cli *cli, int argc, char **argv);
int sl_verb_compare(const struct sl_cli *cli, int argc, char **argv);
int sl_verb_ministat(const struct sl_cli *cli, int argc, char **argv);
int sl_verb_import(const struct sl_cli *cli, int argc, char **argv);
int sl_verb_list(const struct sl_cli *cli, int argc, char **argv);
int sl_verb_show(const struct sl_cli *cli, int argc, char **argv);
int sl_verb_explain(const struct sl_cli *cli, int argc, char **argv);
int sl_verb_lint(const struct sl_cli *cli, int argc, char **argv);
int sl_verb_timehist(const struct sl_cli *cli, int argc, char **argv);
int sl_verb_latency(const struct sl_cli *cli, int argc, char **argv);
int sl_verb_export(const struct sl_cli *cli, int argc, char **argv);
int sl_verb_record(const struct sl_cli *cli, int argc, char **argv);
int sl_verb_map(const struct sl_cli *cli, int argc, char **argv);
int sl_verb_sweep(const struct sl_cli *cli, int argc, char **argv);

#endif
