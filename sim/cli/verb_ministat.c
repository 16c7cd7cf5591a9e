/* SPDX-License-Identifier: BSD-2-Clause
 *
 * schedlab ministat, and the program when it is called ministat. */
#include "sim/cli/verbs.h"

#include <stdio.h>

#include "stats/ministat.h"

int sl_verb_ministat(const struct sl_cli *cli, int argc, char **argv)
{
	(void)cli;
	/* argv[0], the verb or the path of a link called ministat, is in messages as getopt(3) has
	 * it. */
	return sl_ministat_main(argc, argv, stdout, stderr);
}
