/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Whether a file can be given to the dynamic loader. The loader maps what the file's headers
 * promise and touches it: a file that was cut off kills the process with SIGBUS. */
#ifndef SL_ELF_H
#define SL_ELF_H

#include <glib.h>

#include "sim/base/base.h"

/* Checks the shared object at `path` against its own headers: it is a regular file, an ELF of this
 * program's word size, byte order, machine and type, and as long as its tables and segments say.
 * False with an error "path: what, and what was expected". Reads the headers only. Where modules
 * are no ELF files only what can be said of any file is checked. */
bool sl_elf_check(const char *path, GError **error);

#endif
