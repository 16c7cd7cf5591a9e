/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The hardware as the loaders describe it, and the tree of CPU groups that a
 * kernel builds from it. Both are frozen once built and may be shared by any
 * number of simulations.
 * Invariant: CPU ids are 0 .. ncpus-1; domains nest (thread in core in L2 in L3
 * in package); a domain id is unique on the whole machine. */
#ifndef SL_TOPO_H
#define SL_TOPO_H

#include "sim/base/base.h"

#define SL_TOPO_MAX_CPUS 8192

/* One CPU (hardware thread). Ids are machine-wide and dense from 0. */
struct sl_topo_cpu {
	uint16_t package;
	uint16_t node;		 /* NUMA node */
	uint16_t core;		 /* CPUs with equal core are hardware threads of one core */
	uint16_t thread;	 /* index within its core */
	uint16_t l1, l2, l3;	 /* cache domains; SL_TOPO_NONE: no such cache */
	uint16_t speed_permille; /* 1000 = the machine's nominal speed */
};

#define SL_TOPO_NONE UINT16_MAX

struct sl_topo {
	const char *name;
	const char *summary; /* one line; may be NULL */
	uint32_t ncpus;
	bool uniprocessor;   /* a UP kernel: SMP code is not compiled in */
	bool caches_unknown; /* the kernel sees no topology: flat tree */
	const struct sl_topo_cpu *cpu;
};

/* Levels of cpu_group as the kernel names them. */
enum sl_cg_level { SL_CG_NONE = 0, SL_CG_L1 = 1, SL_CG_L2 = 2, SL_CG_L3 = 3 };

enum sl_cg_flag {
	SL_CG_HTT = 1,
	SL_CG_SMT = 2,
	SL_CG_THREAD = SL_CG_HTT | SL_CG_SMT, /* "has a THREAD flag" = any of these */
	SL_CG_NODE = 4,
};

/* A node of the scheduler's tree (kernel: struct cpu_group). */
struct sl_cpu_group {
	const struct sl_cpu_group *parent; /* NULL at the root */
	const struct sl_cpu_group *child;  /* array of nchildren, ascending CPU order */
	const uint64_t *mask;		   /* CPUs of the group, SL_BITS_WORDS(ncpus) words */
	uint32_t count;			   /* CPUs in mask */
	uint32_t nchildren;
	uint32_t first, last; /* lowest and highest CPU in mask */
	uint8_t level;	      /* enum sl_cg_level */
	uint8_t flags;	      /* enum sl_cg_flag */
	uint32_t id;	      /* position in sl_cpu_tree.group */
};

/* How a kernel era builds the tree (spec: ule.md 15, oracle-rules.md U7, U10). */
enum sl_cg_rule {
	SL_CG_RULE_CACHE,	    /* 11.x: cache tree, root kept even with one child */
	SL_CG_RULE_CACHE_COLLAPSED, /* 12+: as above, single-child root levels removed */
	SL_CG_RULE_UNIFORM,	    /* 10.x: package as L2, core as L1, two levels at most */
	SL_CG_RULE_UNIFORM_8,	    /* 8.0: root, packages (L2), SMT cores (L1, HTT) */
	SL_CG_RULE_SMT_PAIRS,	    /* 2005..7.x: one group per SMT core, else per CPU */
	SL_CG_RULE_FLAT,	    /* root only */
};

struct sl_cpu_tree {
	const struct sl_cpu_group *top;
	const struct sl_cpu_group *group;	/* all groups, breadth first; [0] is top */
	const struct sl_cpu_group *const *leaf; /* per CPU: the smallest group that holds it */
	uint32_t ngroups;
	uint32_t mask_words;
};

/* Builds the tree of t by rule; NULL only when memory is short. The tree owns its
 * memory and refers to nothing of t. Cost O(ncpus * levels). */
struct sl_cpu_tree *sl_cpu_tree_new(const struct sl_topo *t, enum sl_cg_rule rule);
void sl_cpu_tree_free(struct sl_cpu_tree *tree); /* NULL is fine */

/* Nearest thing two CPUs share, nearest first. */
enum sl_shared {
	SL_SHARED_CPU,	/* a == b */
	SL_SHARED_CORE, /* hardware threads of one core, or one L1 */
	SL_SHARED_L2,
	SL_SHARED_L3,
	SL_SHARED_PACKAGE, /* same package, no common cache */
	SL_SHARED_NODE,
	SL_SHARED_NOTHING,
	SL_SHARED_COUNT
};
enum sl_shared sl_topo_shared(const struct sl_topo *t, uint32_t a, uint32_t b);

#endif
