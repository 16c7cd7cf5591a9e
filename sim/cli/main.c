/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The program schedlab. Everything is in the library, so that tests can call it. */
#include "sim/cli/cli.h"

int main(int argc, char **argv)
{
	return sl_cli_main(argc, argv);
}
