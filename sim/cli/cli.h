/* SPDX-License-Identifier: BSD-2-Clause
 *
 * What all verbs of the command line share: the verb table's row, exit codes, how
 * errors reach the user. stdout is data, stderr is talk. */
#ifndef SL_CLI_H
#define SL_CLI_H

#include <glib.h>

#include "sim/base/base.h"

/* Exit codes; documented in schedlab(1). */
enum sl_exit {
	SL_EXIT_OK = 0,
	SL_EXIT_DIFFERENT = 1,	   /* a comparison beyond --threshold */
	SL_EXIT_INPUT = 2,	   /* bad input, an unknown name, a result that cannot be written */
	SL_EXIT_USAGE = 3,	   /* unknown option or verb */
	SL_EXIT_FAULT = 4,	   /* simulated invariant broken, deadlock or stall */
	SL_EXIT_PARTIAL = 5,	   /* a result that is not complete */
	SL_EXIT_INTERRUPTED = 130, /* SIGINT; partial results were written */
};

struct sl_cli {
	const char *command_line; /* as typed, quoted for a shell */
	const struct sl_verb *verb;
	GPtrArray *scratch; /* memory of the command line's parts, freed at the end */
};

struct sl_verb {
	const char *name;
	const char *arguments; /* for the usage line */
	const char *summary;   /* one line */
	bool own_output;       /* flushes stdout and judges the outcome itself */
	/* argv[0] is the verb. Returns an exit code. */
	int (*run)(const struct sl_cli *cli, int argc, char **argv);
};

#define SL_CLI_ERROR sl_cli_error_quark()
GQuark sl_cli_error_quark(void);

/* All verbs, the last with name NULL. */
extern const struct sl_verb sl_verbs[];

/* The program: finds the verb and runs it. */
int sl_cli_main(int argc, char **argv);

/* Parses the verb's options, leaving the other arguments in argv. Returns true, or false
 * after it has said what is wrong (exit SL_EXIT_USAGE). The n_groups entry tables end with
 * { NULL }; all are shown in --help, which prints and ends the program. An option with a value
 * that is given twice ends the program too (SL_EXIT_INPUT), unless its entry gathers an array. */
bool sl_cli_parse(const struct sl_cli *cli, int *argc, char ***argv,
		  const GOptionEntry *const *groups, uint32_t n_groups);

/* Prints "schedlab VERB: message" to stderr, frees the error, returns the exit code. */
int sl_cli_fail(const struct sl_cli *cli, GError *error, enum sl_exit code);
/* The same for a sentence; SL_EXIT_USAGE adds where to find help. */
int sl_cli_complain(const struct sl_cli *cli, enum sl_exit code, const char *format, ...)
	G_GNUC_PRINTF(3, 4);

/* The same for why there is no simulation; the code tells an interrupt from bad input. */
int sl_cli_no_sim(const struct sl_cli *cli, const char *why);

/* A note on stderr; cli NULL: from the program before it has a verb. Long words are shortened
 * (sim/cli/shorten.h), here and in all that is said through the above. */
void sl_cli_note(const struct sl_cli *cli, const char *format, ...) G_GNUC_PRINTF(2, 3);

/* From here on SIGINT and SIGTERM set the flag this returns; one that comes two seconds after the
 * first or later kills. */
const _Atomic bool *sl_cli_catch_signals(void);

/* Flushes stdout (error code: errno); true, or false with an error when what was printed could not
 * be written (disk full, closed pipe). */
bool sl_cli_flush(GError **error);
/* Flushes stdout. Returns `code`, or SL_EXIT_INPUT after saying why nobody will read what was
 * printed; a closed pipe is not talked about. */
int sl_cli_finish(const struct sl_cli *cli, int code);

/* " (did you mean "x"?)" for the nearest of n names, or "". Freed by the caller. */
char *sl_cli_did_you_mean(const char *word, const char *const *names, uint32_t n);

#endif
