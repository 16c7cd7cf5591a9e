/* SPDX-License-Identifier: BSD-2-Clause
 *
 * cmocka with the headers it needs, in the order it needs them. */
#ifndef TESTS_SL_TEST_H
#define TESTS_SL_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* What main() returns after `failed` tests when some were skipped: ctest shows it as Skipped. */
static inline int sl_test_exit(int failed, int skipped)
{
	return failed == 0 && skipped ? 77 : failed;
}

#endif
