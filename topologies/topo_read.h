/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The readers behind sl_topo_load(), one per format. Each fills b and returns true, or
 * returns false with an error; none frees b. b->in is the text they read. */
#ifndef SL_TOPO_READ_H
#define SL_TOPO_READ_H

#include "topologies/topo_build.h"

/* Spelled on the command line: PxCxT, flat:N, up, words. */
bool topo_read_words(struct topo_build *b, GError **error);
/* True when the spelling is one of topo_read_words(), right or wrong. */
bool topo_is_words(const char *spec);
/* The counts part of words ("pkg:2 core:4", "2x4x1") at an offset of b->in. */
bool topo_read_shape(struct topo_build *b, size_t offset, size_t len, GError **error);

/* FreeBSD's kern.sched.topology_spec. text: from "<groups" on; the rest of the file
 * is blanked by the caller. */
bool topo_read_freebsd(struct topo_build *b, GError **error);
/* hwloc's XML export, versions 1 and 2. */
bool topo_read_hwloc(struct topo_build *b, GError **error);
/* Output of lscpu -p. */
bool topo_read_lscpu(struct topo_build *b, GError **error);
/* A .topo key file. */
bool topo_read_keyfile(struct topo_build *b, GError **error);

/* This computer, as hwloc's XML; NULL when hwloc is absent or fails. */
char *topo_host_xml(size_t *len);
/* CPUs of this computer, at least 1. */
uint32_t topo_host_cpus(void);

/* Runs a GMarkup parser over b->in; errors carry file, line and column. */
bool topo_markup(struct topo_build *b, const GMarkupParser *parser, void *user, GError **error);
/* Sets an error at the parser's position. */
void topo_markup_fail(GMarkupParseContext *context, const struct sl_input *in, GError **error,
		      const char *format, ...) G_GNUC_PRINTF(4, 5);
/* Whether each attribute is given once, which GMarkup does not look at; else an error. */
bool topo_markup_once(GMarkupParseContext *context, const struct sl_input *in, const char **names,
		      GError **error);
/* An attribute's value or NULL. */
const char *topo_markup_attr(const char **names, const char **values, const char *name);

#endif
