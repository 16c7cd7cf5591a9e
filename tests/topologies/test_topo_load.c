/* SPDX-License-Identifier: BSD-2-Clause
 *
 * Every reader on good and on bad input. Refusals are compared with the whole message:
 * place, fault and expectation are part of the contract with users. */
#include "topologies/topo_load.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "sim/base/bits.h"
#include "topologies/input.h"
#include "topologies/topo_read.h"

static struct sl_topo *load(const char *spec)
{
	g_autoptr(GError) error = NULL;
	struct sl_topo *t = sl_topo_load(spec, &error);

	if (t == NULL)
		fail_msg("%s: %s", spec, error->message);
	return t;
}

static struct sl_topo *parse(const char *text)
{
	g_autoptr(GError) error = NULL;
	struct sl_topo *t = sl_topo_parse("f", text, strlen(text), &error);

	if (t == NULL)
		fail_msg("%s", error->message);
	return t;
}

static void refuse_spec(const char *spec, const char *want)
{
	g_autoptr(GError) error = NULL;

	assert_null(sl_topo_load(spec, &error));
	assert_non_null(error);
	assert_string_equal(error->message, want);
}

static void refuse_text(const char *text, const char *want)
{
	g_autoptr(GError) error = NULL;

	assert_null(sl_topo_parse("f", text, strlen(text), &error));
	assert_non_null(error);
	assert_string_equal(error->message, want);
}

/* As refuse_text() for XML, "f:line: ...": columns are GMarkup's and vary with GLib. */
static void refuse_xml(const char *text, const char *want)
{
	g_autoptr(GError) error = NULL;
	g_autoptr(GString) got = g_string_new(NULL);
	char *rest = NULL;
	guint64 line, col;

	assert_null(sl_topo_parse("f", text, strlen(text), &error));
	assert_non_null(error);
	assert_true(g_str_has_prefix(error->message, "f:"));
	line = g_ascii_strtoull(error->message + 2, &rest, 10);
	assert_int_equal(*rest, ':');
	col = g_ascii_strtoull(rest + 1, &rest, 10);
	assert_true(col > 0);
	g_string_printf(got, "f:%u%s", (unsigned)line, rest);
	assert_string_equal(got->str, want);
}

/* "p n l3 l2 l1 core.thread", - for no cache. */
static void expect_cpu(const struct sl_topo *t, uint32_t i, const char *want)
{
	const struct sl_topo_cpu *c = &t->cpu[i];
	const uint16_t cache[] = { c->l3, c->l2, c->l1 };
	g_autoptr(GString) got = g_string_new(NULL);

	g_string_printf(got, "%u %u", c->package, c->node);
	for (size_t k = 0; k < G_N_ELEMENTS(cache); k++) {
		if (cache[k] == SL_TOPO_NONE)
			g_string_append(got, " -");
		else
			g_string_append_printf(got, " %u", cache[k]);
	}
	g_string_append_printf(got, " %u.%u", c->core, c->thread);
	assert_string_equal(got->str, want);
}

static void crosses(void **state)
{
	struct sl_topo *t = load("2x3x2");

	(void)state;
	assert_string_equal(t->name, "2x3x2");
	assert_int_equal(t->ncpus, 12);
	assert_false(t->uniprocessor);
	assert_false(t->caches_unknown);
	expect_cpu(t, 0, "0 0 0 0 0 0.0");
	expect_cpu(t, 5, "0 0 0 2 2 2.1");
	expect_cpu(t, 6, "1 0 1 3 3 3.0");
	assert_string_equal(sl_topo_costs(t), "default");
	sl_topo_free(t);

	/* One core per package: the old Xeon, without L3. */
	t = load("2x1x2");
	expect_cpu(t, 3, "1 0 - 1 1 1.1");
	sl_topo_free(t);
}

static void flat_and_up(void **state)
{
	struct sl_topo *t = load("flat:4");

	(void)state;
	assert_int_equal(t->ncpus, 4);
	assert_true(t->caches_unknown);
	assert_false(t->uniprocessor);
	expect_cpu(t, 3, "0 0 - - - 3.0");
	sl_topo_free(t);
	t = load("up");
	assert_int_equal(t->ncpus, 1);
	assert_true(t->uniprocessor);
	sl_topo_free(t);
	t = sl_topo_spell("up", NULL);
	assert_true(t->uniprocessor);
	sl_topo_free(t);
}

static void words(void **state)
{
	struct sl_topo *t = load("pkg:1 l3:4 core:3 smt:2");

	(void)state;
	assert_int_equal(t->ncpus, 24);
	expect_cpu(t, 23, "0 0 3 11 11 11.1");
	sl_topo_free(t);
	t = load("pkg:1 l2:2 core:2 smt:1");
	expect_cpu(t, 3, "0 0 - 1 3 3.0");
	sl_topo_free(t);
	t = load("pkg:2 numa:2 core:2");
	expect_cpu(t, 7, "1 3 - 7 7 7.0");
	sl_topo_free(t);
	/* hwloc's own spelling of an export. */
	t = load("Package:2 [NUMANode(memory=4GB)] L3Cache:1(size=16777216) L2Cache:2(size=262144) "
		 "L1dCache:1(size=32768) L1iCache:1(size=32768) Core:1 PU:2");
	assert_int_equal(t->ncpus, 8);
	expect_cpu(t, 7, "1 1 1 3 3 3.1");
	sl_topo_free(t);
}

static void bad_words(void **state)
{
	(void)state;
	refuse_spec("0x2x2", "topology:1:1: 0 packages; expected 1 to 8192");
	refuse_spec("1x0x2", "topology:1:3: 0 cores; expected 1 to 8192");
	refuse_spec("1x6", "topology:1:4: expected x and the number of threads, as in 1x6x2 "
			   "(packages x cores x threads)");
	refuse_spec("2x4x3x2", "topology:1:6: 'x' is not understood; expected three numbers; with "
			       "more levels name them, as in pkg:1 l3:4 core:3 smt:2");
	refuse_spec("64x64x4", "topology:1:1: more than 8192 CPUs; expected 1 to 8192");
	refuse_spec("99999999999999999999x1x1",
		    "topology:1:1: 99999999999999999999 packages; expected 1 to 8192");
	refuse_spec("flat:0", "topology:1:6: 0 CPUs; expected 1 to 8192");
	refuse_spec("flat:", "topology:1:6: expected the number of CPUs");
	refuse_spec("flat:4x", "topology:1:7: 'x' is not understood; expected flat:N");
	refuse_spec(
		"pkg:1 cors:4",
		"topology:1:7: unknown level 'cors' (did you mean 'core'?); expected pkg, node, "
		"die, l3, l2, l1, core or smt");
	refuse_spec("pkg:1 cache:2 core:2", "topology:1:7: unknown level 'cache'; expected pkg, "
					    "node, die, l3, l2, l1, core or smt");
	refuse_spec("2 3 4", "topology:1:1: a count without a level; expected level:count with "
			     "pkg, node, die, l3, l2, l1, core or smt");
	refuse_spec("core:2 pkg:2", "topology:1:8: this level is out of place; expected each level "
				    "once, in the order pkg and node, die, l3, l2, l1, core, smt");
	refuse_spec("core:2 core:2",
		    "topology:1:8: this level is out of place; expected each level "
		    "once, in the order pkg and node, die, l3, l2, l1, core, smt");
	refuse_spec("pkg:2 smt:2", "topology:1:12: no cores; expected core:N before smt:N");
	refuse_spec("pkg:2 core:0", "topology:1:12: 0 of these; expected 1 to 8192");
	refuse_spec("core:2(indexes=1,0)", "topology:1:8: unknown attribute; expected size= or "
					   "memory= (both without effect here)");
	refuse_spec("core:2(size=1", "topology:1:8: expected ) after the attributes");
	refuse_spec("pkg:2core:2", "topology:1:6: expected a space between levels");
}

static void names(void **state)
{
	static const struct {
		const char *name;
		uint32_t ncpus;
		const char *last;
	} machine[] = {
		{ "e5-2420", 12, "0 0 0 5 5 5.1" },	 { "e5-2420-noht", 6, "0 0 0 5 5 5.0" },
		{ "x7560", 64, "3 3 3 31 31 31.1" },	 { "q6600", 4, "0 0 - 1 3 3.0" },
		{ "p4-xeon-htt", 4, "1 0 - 1 1 1.1" },	 { "p4-xeon", 2, "1 0 - 1 1 1.0" },
		{ "i7-3770", 8, "0 0 0 3 3 3.1" },	 { "ryzen-3900x", 24, "0 0 3 11 11 11.1" },
		{ "xeon-2x10", 40, "1 1 1 19 19 19.1" },
	};
	g_autoptr(GPtrArray) list = sl_topo_list();

	(void)state;
	for (size_t i = 0; i < G_N_ELEMENTS(machine); i++) {
		struct sl_topo *t = load(machine[i].name);

		assert_string_equal(t->name, machine[i].name);
		assert_int_equal(t->ncpus, machine[i].ncpus);
		expect_cpu(t, t->ncpus - 1, machine[i].last);
		assert_string_not_equal(sl_topo_costs(t), "default");
		sl_topo_free(t);
	}
	assert_true(list->len > G_N_ELEMENTS(machine));
	for (guint i = 0; i < list->len; i++) {
		const struct sl_named *n = g_ptr_array_index(list, i);

		assert_true(i == 0 ||
			    strcmp(((struct sl_named *)g_ptr_array_index(list, i - 1))->name,
				   n->name) < 0);
		assert_true(strlen(n->summary) > 10);
	}
	refuse_spec("e5-2402",
		    "topology:1:1: no machine and no file 'e5-2402' (did you mean 'e5-2420'?); "
		    "expected PxCxT as in 1x6x2, flat:N, up, host, named levels as in pkg:1 core:4 "
		    "smt:2, a file, or a name (list topologies)");
	refuse_spec("./no-such-file", "./no-such-file: No such file or directory");
}

static void host(void **state)
{
	struct sl_topo *t = load("host");

	(void)state;
	assert_true(t->ncpus >= 1 && t->ncpus <= SL_TOPO_MAX_CPUS);
	assert_true(topo_host_cpus() >= 1);
	sl_topo_free(t);
}

/* A small Ryzen: two L3 of two pairs each, as FreeBSD 13 prints it. */
#define GROUP(level, cache, count, mask, list)                                                     \
	"<group level=\"" level "\" cache-level=\"" cache "\"><cpu count=\"" count                 \
	"\" mask=\"" mask "\">" list "</cpu>"
#define SMT                                                                                        \
	"<flags><flag name=\"THREAD\">THREAD group</flag><flag name=\"SMT\">SMT "                  \
	"group</flag></flags>"
#define PAIR(mask, list) GROUP("3", "2", "2", mask, list) SMT "</group>"
#define QUAD(mask, list, a, b)                                                                     \
	GROUP("2", "3", "4", mask, list) "<children>" a b "</children></group>"
#define RYZEN                                                                                      \
	"<groups>" GROUP("1", "0", "8", "ff,0,0,0", "0, 1, 2, 3, 4, 5, 6, 7") "<children>\n" QUAD( \
		"f,0,0,0", "0, 1, 2, 3", PAIR("3,0,0,0", "0, 1"), PAIR("c,0,0,0", "2, 3"))         \
		QUAD("f0,0,0,0", "4, 5, 6, 7", PAIR("30,0,0,0", "4, 5"),                           \
		     PAIR("c0,0,0,0", "6, 7")) "</children></group></groups>"

static void expect_ryzen(const char *text)
{
	struct sl_topo *t = parse(text);

	assert_int_equal(t->ncpus, 8);
	assert_false(t->caches_unknown);
	expect_cpu(t, 0, "0 0 0 0 0 0.0");
	expect_cpu(t, 3, "0 0 0 1 1 1.1");
	expect_cpu(t, 4, "0 0 1 2 2 2.0");
	sl_topo_free(t);
}

static void freebsd(void **state)
{
	(void)state;
	expect_ryzen(RYZEN);
	expect_ryzen("kern.sched.topology_spec: " RYZEN "\n");
	expect_ryzen("```\n$ sysctl -n kern.sched.topology_spec\n\t" RYZEN "\n```\nthanks!\n");
	expect_ryzen("\xef\xbb\xbf<?xml version=\"1.0\"?>\r\n" RYZEN "\r\n");
}

static void freebsd_variants(void **state)
{
	struct sl_topo *t = parse("<groups><group level=\"1\" cache-level=\"1\"></group></groups>");

	(void)state;
	assert_true(t->uniprocessor);
	assert_int_equal(t->ncpus, 1);
	sl_topo_free(t);
	/* Flat. */
	t = parse("<groups>" GROUP("1", "0", "2", "3", "0, 1") "</group></groups>");
	assert_true(t->caches_unknown);
	assert_false(t->uniprocessor);
	sl_topo_free(t);
	/* A 32-bit kernel's mask: CPU 33 in the second word of 32 bits. */
	t = parse("<groups>" GROUP("1", "3", "2", "1,2", "0, 33") "</group></groups>");
	assert_int_equal(t->ncpus, 2);
	assert_string_equal(t->summary, "FreeBSD topology_spec (CPU ids renumbered, were 0,33)");
	sl_topo_free(t);
	/* NUMA nodes are packages too. */
	t = parse("<groups>" GROUP("1", "0", "2", "3", "0, 1") "<children>" GROUP(
		"2", "3", "1", "1", "0") "<flags><flag name=\"NODE\">NUMA "
					 "node</flag></flags></group>" GROUP(
						 "2", "3", "1", "2", "1") "<flags><flag "
									  "name=\"NODE\"/></flags>"
									  "</group></children></"
									  "group></groups>");
	expect_cpu(t, 1, "1 1 1 - - 1.0");
	sl_topo_free(t);
}

static void bad_freebsd(void **state)
{
	(void)state;
	refuse_xml("<groups></groups>", "f:1: <groups> is empty; expected <group>");
	refuse_xml("<groups>" GROUP("1", "0", "2", "7", "0, 1") "</group></groups>",
		   "f:1: the mask has CPU 2 and the list of CPUs does not; expected them to agree");
	refuse_xml("<groups>" GROUP("1", "0", "2", "1", "0, 1") "</group></groups>",
		   "f:1: the mask lacks CPU 1 and the list of CPUs has it; expected them to agree");
	refuse_xml("<groups>" GROUP("1", "0", "3", "3", "0, 1") "</group></groups>",
		   "f:1: count=\"3\" but 2 CPUs are listed; expected them to agree");
	refuse_xml("<groups>" GROUP("1", "0", "2", "z", "0, 1") "</group></groups>",
		   "f:1: mask=\"z\" is no mask; expected hexadecimal words separated by commas, "
		   "for CPUs below 8192");
	refuse_xml("<groups>" GROUP("1", "0", "2", "3", "0, 0") "</group></groups>",
		   "f:1: list of CPUs: CPU 0 is named twice");
	refuse_xml("<groups>" GROUP("1", "0", "0", "0", "") "</group></groups>",
		   "f:1: list of CPUs: expected a CPU number such as 3 or a range 4-7");
	refuse_xml("<groups>" GROUP("1", "4", "1", "1", "0") "</group></groups>",
		   "f:1: <group> with cache-level=\"4\"; expected a number from 0 to 3");
	refuse_xml("<groups><group level=\"1\"/></groups>",
		   "f:1: <group> with cache-level=\"\"; expected a number from 0 to 3");
	refuse_xml("<groups>\n" GROUP("1", "0", "2", "3", "0, 1") "<children>\n" GROUP(
			   "2", "3", "1", "4", "2") "</group></children></group></groups>",
		   "f:3: CPU 2 is not in the group around this one; expected groups to nest");
	refuse_xml("<groups>" GROUP("1", "0", "2", "3", "0, 1") "<children>\n" GROUP(
			   "2", "3", "1", "1",
			   "0") "</group>\n" GROUP("2", "3", "2", "3",
						   "0, 1") "</group></children></group></groups>",
		   "f:3: CPU 0 is in two groups side by side; expected it in one");
	refuse_xml("<groups>" GROUP("1", "2", "2", "3", "0, 1") "<children>\n" GROUP(
			   "2", "3", "1", "1", "0") "</group></children></group></groups>",
		   "f:2: a group of cache-level 3 inside one of cache-level 2; expected a "
		   "smaller level");
	refuse_xml("<groups>" GROUP("1", "0", "2", "3", "0, 1") "<children>\n" GROUP(
			   "2", "0", "1", "1", "0") "</group></children></group></groups>",
		   "f:2: an inner group that says nothing; expected a cache-level or a flag");
	refuse_xml("<groups>" GROUP("1", "0", "1", "1", "0") "<flags><flag name=\"HT\">x</flag>"
							     "</flags></group></groups>",
		   "f:1: unknown flag 'HT'; expected HTT, THREAD, SMT or NODE");
	refuse_xml("<groups>" GROUP("2", "0", "1", "1", "0") "</group></groups>",
		   "f:1: a group of level 2 at depth 1; expected level=\"1\"");
	refuse_xml("<groups>" GROUP("1", "0", "2", "3", "0, 1") "<children>\n" GROUP(
			   "1", "2", "1", "1", "0") "</group></children></group></groups>",
		   "f:2: a group of level 1 at depth 2; expected level=\"2\"");
	refuse_xml("<groups>\n<group level=\"1\" level=\"2\" cache-level=\"0\"></group></groups>",
		   "f:2: attribute level is given twice; expected it once");
	refuse_xml("<groups><cpu>0</cpu></groups>",
		   "f:1: <cpu> is out of place; expected groups > group > cpu, flags > flag, "
		   "children > group");
}

/* Messages of GMarkup differ between versions: only the place is ours there. */
static void truncated_freebsd(void **state)
{
	static const char text[] = RYZEN;

	(void)state;
	for (size_t n = 1; n < sizeof(text) - 1; n++) {
		g_autoptr(GError) error = NULL;
		struct sl_topo *t = sl_topo_parse("f", text, n, &error);

		assert_null(t);
		assert_non_null(error);
		assert_true(g_str_has_prefix(error->message, "f:"));
	}
}

#define LSCPU                                                                                      \
	"# The following is the parsable format, which can be fed to other\n"                      \
	"# programs. Each different item in every column has an unique ID\n"                       \
	"# starting usually from zero.\n"                                                          \
	"# CPU,Core,Socket,Node,,L1d,L1i,L2,L3\n"

static void lscpu(void **state)
{
	struct sl_topo *t = parse(LSCPU "0,0,0,0,,0,0,0,0\n1,1,0,0,,1,1,1,0\n2,0,0,0,,0,0,0,0\n"
					"3,1,0,0,,1,1,1,0\n");

	(void)state;
	assert_int_equal(t->ncpus, 4);
	expect_cpu(t, 0, "0 0 0 0 0 0.0");
	expect_cpu(t, 2, "0 0 0 0 0 0.1");
	expect_cpu(t, 3, "0 0 0 1 1 1.1");
	sl_topo_free(t);
	/* No caches asked for, no NUMA: private to cores. CPU 0 offline: ids move up. */
	t = parse("# CPU,Core,Socket,Node,Online\n0,-,-,-,N\n1,5,9,,Y\n2,5,9,,Y\n");
	assert_int_equal(t->ncpus, 2);
	expect_cpu(t, 1, "0 0 - 0 0 0.1");
	assert_string_equal(t->summary, "lscpu -p (CPU ids renumbered, were 1-2)");
	sl_topo_free(t);
	/* Caches joined by colons, as -p=CPU,CACHE has them. */
	t = parse("# CPU,L1d:L1i:L2:L3\n0,0:0:0:0\n1,1:1:0:0\n");
	expect_cpu(t, 1, "0 0 0 0 1 1.0");
	sl_topo_free(t);
	/* Without a header: the default columns. */
	t = parse("0,0,0,0,,0,0,0,0\n1,1,1,1,,1,1,1,1\n");
	expect_cpu(t, 1, "1 1 1 1 1 1.0");
	sl_topo_free(t);
}

/* Two kinds of cores, each with CPUs a few per mille apart. */
static void speeds(void **state)
{
	struct sl_topo *t = parse("# CPU,CORE,SOCKET,NODE,MAXMHZ\n0,0,0,,5000.0000\n"
				  "1,1,0,,4990.0000\n2,2,0,,2500.0000\n3,3,0,,2490.5000\n");

	(void)state;
	assert_int_equal(t->cpu[0].speed_permille, 1000);
	assert_int_equal(t->cpu[1].speed_permille, 1000);
	assert_int_equal(t->cpu[2].speed_permille, 500);
	assert_int_equal(t->cpu[3].speed_permille, 500);
	sl_topo_free(t);
}

static void bad_lscpu(void **state)
{
	(void)state;
	refuse_text("0,0,0\n", "f:1:1: 3 fields; expected 9 as in the header");
	refuse_text("# Core,Socket\n0,0\n",
		    "f:1:1: no CPU column in the header; expected columns as in # "
		    "CPU,Core,Socket,Node,,L1d,L1i,L2,L3");
	refuse_text("# CPU,Core\n0,0\n0,1\n",
		    "f:3:1: CPU 0 is listed twice, first on line 2; expected each CPU once");
	refuse_text("# CPU,Core\n0,zero\n", "f:2:3: 'zero' in column Core; expected a number");
	refuse_text("# CPU,Core\n0,0\n-,1\n", "f:3:1: no CPU number; expected one");
	/* Firmware lies: a core across two sockets. */
	refuse_text(
		"# CPU,Core,Socket\n0,0,0\n1,0,1\n",
		"f:3:1: CPU 1 shares the core of CPU 0 but not its package; expected every core "
		"inside one package");
	refuse_text(
		"# CPU,Core,L2,L3\n0,0,0,0\n1,1,0,1\n",
		"f:3:1: CPU 1 shares the L2 of CPU 0 but not its L3; expected every L2 inside one "
		"L3");
	refuse_text(
		"# CPU,Core,Socket,Node\n0,0,0,0\n1,1,0,1\n2,2,1,1\n",
		"f:4:1: CPU 2 shares the NUMA node of CPU 1 but not its package; expected every "
		"NUMA node inside one package");
	refuse_text("# CPU,Online\n0,N\n", "f:1:1: no CPU; expected 1 to 8192");
}

static void too_many(void **state)
{
	g_autoptr(GString) text = g_string_new("# CPU,Core\n");

	(void)state;
	for (int i = 0; i < SL_TOPO_MAX_CPUS; i++)
		g_string_append_printf(text, "%d,%d\n", i, i / 2);
	sl_topo_free(parse(text->str));
	for (int i = SL_TOPO_MAX_CPUS; i < 3 * SL_TOPO_MAX_CPUS; i++)
		g_string_append_printf(text, "%d,%d\n", i, i / 2);
	refuse_text(text->str, "f:24577:1: too many CPUs; expected 1 to 8192");
}

#define OBJECT(type, more) "<object type=\"" type "\" " more ">"
#define PU(n)		   "<object type=\"PU\" os_index=\"" n "\"/>"

static void hwloc_xml(void **state)
{
	/* Version 2: the node stands beside the caches; siblings are 0 with 2. */
	struct sl_topo *t = parse(
		"<?xml version=\"1.0\"?>\n<!DOCTYPE topology SYSTEM \"hwloc2.dtd\">\n"
		"<topology version=\"2.0\">" OBJECT("Machine", "os_index=\"0\"") OBJECT("Package",
											"")
			OBJECT("NUMANode", "cpuset=\"0x0000000f\"") "</object>" OBJECT(
				"L3Cache", "cache_size=\"8388608\"") OBJECT("L2Cache", "")
				OBJECT("L1Cache", "") OBJECT("Core", "") PU("0")
					PU("2") "</object></object></object>" OBJECT("L2Cache", "")
						OBJECT("L1Cache", "") OBJECT("Core", "") PU("1")
							PU("3") "</object></object></object></"
								"object></object></object>"
								"</topology>");

	(void)state;
	assert_int_equal(t->ncpus, 4);
	expect_cpu(t, 2, "0 0 0 0 0 0.1");
	expect_cpu(t, 3, "0 0 0 1 1 1.1");
	sl_topo_free(t);
	/* Version 1: NUMANode around Socket, caches with a depth; uneven packages. */
	t = parse("<topology>" OBJECT("Machine", "") OBJECT("NUMANode", "cpuset=\"0x1\"") OBJECT(
		"Socket", "") OBJECT("Cache", "depth=\"2\"") OBJECT("Core", "")
			  PU("0") "</object></object></object></object>" OBJECT("NUMANode",
										"cpuset=\"0x6\"")
				  OBJECT("Socket", "") OBJECT("Cache", "depth=\"2\"") OBJECT(
					  "Core", "") PU("1") "</object>" OBJECT("Core", "")
					  PU("2") "</object></object></object></object></object>"
						  "</topology>");
	expect_cpu(t, 0, "0 0 - 0 - 0.0");
	expect_cpu(t, 2, "1 1 - 1 - 2.0");
	sl_topo_free(t);
}

static void bad_hwloc(void **state)
{
	(void)state;
	refuse_xml("<html></html>", "f:1: <html>; expected <topology> or <groups>");
	refuse_xml("<topology></topology>", "f:1: no PU object; expected one per CPU");
	refuse_xml("<topology><object type=\"PU\"/></topology>",
		   "f:1: PU with os_index=\"\"; expected a number from 0 to 8191");
	refuse_xml("<topology><object/></topology>", "f:1: <object> without type");
	refuse_xml("<topology>" PU("1") "\n" PU("1") "</topology>",
		   "f:2: CPU 1 is listed twice, first on line 1; expected each CPU once");
	refuse_xml("<topology><object type=\"NUMANode\" cpuset=\"0xq\"/></topology>",
		   "f:1: cpuset=\"0xq\" is no CPU set; expected hexadecimal words for CPUs below "
		   "8192");
}

static void keyfile(void **state)
{
	struct sl_topo *t = parse("# two big cores, one cluster of two small ones\n"
				  "[topology]\nname = hybrid\nsummary=P and E cores\n"
				  "cpus = 4\ncore=0;1;2;3\nl1=0;1;2;3\nl2=0;1;2-3\nl3=0-3\n"
				  "speed=0-1:1000;2-3:600\ncosts=zen2\n");

	(void)state;
	assert_string_equal(t->name, "hybrid");
	assert_string_equal(t->summary, "P and E cores");
	assert_string_equal(sl_topo_costs(t), "zen2");
	expect_cpu(t, 1, "0 0 0 1 1 1.0");
	expect_cpu(t, 3, "0 0 0 2 3 3.0");
	assert_int_equal(t->cpu[2].speed_permille, 600);
	sl_topo_free(t);
	/* A shape, with one level laid out otherwise. */
	t = parse("[topology]\nshape=2x2x1\nnode=0-1;2-3\n");
	assert_string_equal(t->name, "f");
	expect_cpu(t, 3, "1 1 1 3 3 3.0");
	sl_topo_free(t);
}

static void bad_keyfile(void **state)
{
	(void)state;
	refuse_text("[topolgy]\n", "f:1:1: group [topolgy]; expected [topology]");
	refuse_text(
		"[topology]\nshap=1x1x1\n",
		"f:2:1: unknown key 'shap' (did you mean 'shape'?); expected one of name, summary, "
		"costs, shape, cpus, package, node, l3, l2, l1, core, speed, uniprocessor, caches");
	refuse_text("[topology]\nname=x\n", "f:1:1: expected either shape= (as in shape=1x6x2) or "
					    "cpus= (a number)");
	refuse_text("[topology]\nshape=1x2x2\nshape=1x2x2\n",
		    "f:3:1: a key is given twice; expected it once");
	refuse_text("[topology]\nshape\n",
		    "f:2:1: expected key=value, [topology] or a comment (#)");
	refuse_text("[topology]\n shape = 1x0x2\n", "f:2:12: 0 cores; expected 1 to 8192");
	refuse_text("[topology]\nname=a\x1b[2J\ncpus=1\n",
		    "f:2:7: name with control character 0x1b; expected text");
	refuse_text("[topology]\ncpus=0\n", "f:2:6: cpus=0; expected 1 to 8192");
	refuse_text("[topology]\ncpus=4\nl3=0-1;1-3\n",
		    "f:3:8: CPU 1 is in two sets of l3; expected it in one");
	refuse_text("[topology]\ncpus=4\nl3=0-4\n", "f:3:4: no CPU 4; expected 0 to 3");
	refuse_text(
		"[topology]\ncpus=4\nl2=0-2;3\nl3=0-1;2-3\n",
		"f:3:4: CPU 2 shares the L2 of CPU 0 but not its L3; expected every L2 inside one "
		"L3");
	refuse_text("[topology]\ncpus=2\nspeed=0-1\n",
		    "f:3:7: expected CPUs:permille with 1 to 10000, as in 0-3:1000");
	refuse_text("[topology]\ncpus=2\nuniprocessor=yes\n",
		    "f:1:1: a uniprocessor kernel with 2 CPUs; expected one");
	refuse_text("[topology]\ncpus=2\ncaches=maybe\n",
		    "f:3:8: caches=maybe; expected unknown or known");
}

static void not_text(void **state)
{
	g_autoptr(GError) error = NULL;

	(void)state;
	assert_null(sl_topo_parse("f", "[topology]\n\xff", 12, &error));
	assert_string_equal(error->message,
			    "f:2:1: byte 0xff is not part of any text; expected UTF-8");
	g_clear_error(&error);
	assert_null(sl_topo_parse("f", "0,0\0", 4, &error));
	assert_string_equal(error->message,
			    "f:1:4: byte 0x00 is not part of any text; expected UTF-8");
	refuse_text("", "f:1:1: no topology; expected FreeBSD's topology_spec (<groups>), hwloc's "
			"XML (<topology>), lscpu -p (lines such as 0,0,0,0) or a .topo file "
			"([topology])");
	refuse_text("\n# c\nhello\n",
		    "f:3:1: no topology; expected FreeBSD's topology_spec (<groups>), hwloc's XML "
		    "(<topology>), lscpu -p (lines such as 0,0,0,0) or a .topo file ([topology])");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(crosses),     cmocka_unit_test(flat_and_up),
		cmocka_unit_test(words),       cmocka_unit_test(bad_words),
		cmocka_unit_test(names),       cmocka_unit_test(host),
		cmocka_unit_test(freebsd),     cmocka_unit_test(freebsd_variants),
		cmocka_unit_test(bad_freebsd), cmocka_unit_test(truncated_freebsd),
		cmocka_unit_test(lscpu),       cmocka_unit_test(speeds),
		cmocka_unit_test(bad_lscpu),   cmocka_unit_test(too_many),
		cmocka_unit_test(hwloc_xml),   cmocka_unit_test(bad_hwloc),
		cmocka_unit_test(keyfile),     cmocka_unit_test(bad_keyfile),
		cmocka_unit_test(not_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
