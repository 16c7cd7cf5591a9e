/* SPDX-License-Identifier: BSD-2-Clause
 *
 * rt-app's JSON, with extensions, to a workload. Inside traces/: users call
 * sl_workload_load(). */
#ifndef SL_RTAPP_H
#define SL_RTAPP_H

#include "traces/json.h"
#include "traces/workload_build.h"
#include "traces/workload_expr.h"
#include "traces/workload_load.h"

/* Compiles a parsed document. params: "a=1,b=2" or NULL. digest: of the text.
 * findings: lint's findings go there when not NULL. */
struct sl_workload *sl_rtapp_compile(struct sl_json_doc *doc, const char *params,
				     const struct sl_workload_opts *opts, uint64_t digest,
				     GPtrArray *warnings, GPtrArray *findings, GError **error);

/* What is shared while one document is compiled. */
struct sl_rtapp {
	struct sl_json_doc *doc;
	struct sl_workload_opts opts;
	GPtrArray *warnings;
	GPtrArray *findings; /* NULL unless linting */
	GError **error;
	struct sl_build *b;
	const struct sl_scope *globals;
	GPtrArray *scopes;		 /* owns every struct sl_scope */
	GHashTable *task_index;		 /* name -> index + 1 */
	GHashTable *said;		 /* warnings given once a file */
	GArray *op_at;			 /* const struct sl_json *, one an operation */
	GArray *uses;			 /* struct sl_rtapp_use: for lint */
	GArray *parties;		 /* uint32_t per barrier */
	GHashTable *declared;		 /* barriers with a declared count (index + 1) */
	GArray *forked;			 /* uint8_t per task: enum sl_rtapp_fork bits */
	GArray *items;			 /* struct sl_rtapp_item per task */
	GHashTable *processes;		 /* name -> group + 1 */
	const struct sl_json *resources; /* of the root, or NULL */
	const char *default_policy;
	uint8_t level_user[32]; /* rtprio level -> an rt-app priority that became it; 0: none */
	bool pi;
	uint64_t mem_buffer;
	const char *io_device;
	sl_time duration;
	uint64_t draw_seed; /* global.same_work */
	uint16_t jitter_permille;
	uint32_t mask_words;
	uint32_t turns; /* of foreach and for so far */
};

enum sl_rtapp_fork { SL_RTAPP_FORKED = 1, SL_RTAPP_NEWPROC = 2 };

/* A task after foreach: which node, with which variables. */
struct sl_rtapp_item {
	struct sl_json *node;
	const struct sl_scope *scope;
	uint32_t turn; /* of foreach: keys are reported in the first */
};

/* One use of a named thing by an event, kept for lint. */
struct sl_rtapp_use {
	const struct sl_json *at;
	uint8_t kind; /* enum sl_op_kind */
	uint32_t obj;
	uint32_t task;
};

/* The task being compiled. */
struct sl_rtapp_task {
	struct sl_rtapp *rt;
	uint32_t index;
	const struct sl_scope *scope;
	uint8_t wprio;	   /* of its sleeps */
	uint32_t depth;	   /* of open loops */
	bool first_turn;   /* not a later turn of `for`: barriers count once */
	uint32_t n_events; /* of the current phase */
	const char *policy;
};

/* rtapp_value.c: readers of values. FALSE: *rt->error is set. */
bool sl_rtapp_int(struct sl_rtapp *rt, const struct sl_scope *scope, const struct sl_json *v,
		  const char *what, int64_t least, int64_t most, int64_t *out);
bool sl_rtapp_time(struct sl_rtapp *rt, const struct sl_scope *scope, const struct sl_json *v,
		   uint64_t *ns);
bool sl_rtapp_quantity(struct sl_rtapp *rt, const struct sl_scope *scope, const struct sl_json *v,
		       struct sl_quantity *out);
/* A length (or, with count, a number) that may be an object {"dist": ...}. */
bool sl_rtapp_dist(struct sl_rtapp *rt, const struct sl_scope *scope, const struct sl_json *v,
		   bool count, struct sl_dist *out);
char *sl_rtapp_name(struct sl_rtapp *rt, const struct sl_scope *scope, const struct sl_json *v,
		    const char *what);
char *sl_rtapp_expand(struct sl_rtapp *rt, const struct sl_scope *scope, const struct sl_json *at,
		      bool at_key, const char *text);
/* A CPU list: [0, 1], "0-3,8" or a number. *mask is its index. */
bool sl_rtapp_cpus(struct sl_rtapp *rt, const struct sl_scope *scope, const struct sl_json *v,
		   uint32_t *mask);
bool sl_rtapp_task_ref(struct sl_rtapp *rt, const struct sl_scope *scope, const struct sl_json *v,
		       uint32_t *task);
bool sl_rtapp_bool(struct sl_rtapp *rt, const struct sl_json *v, bool *out);
/* Calls fn for every combination of the object's variables, the first outermost. */
bool sl_rtapp_foreach(struct sl_rtapp *rt, const struct sl_scope *scope, const struct sl_json *vars,
		      bool (*fn)(struct sl_rtapp *, const struct sl_scope *, void *), void *arg);
const struct sl_scope *sl_rtapp_bind(struct sl_rtapp *rt, const struct sl_scope *outer,
				     const char *name, struct sl_quantity value);
/* enum sl_wprio of a label such as PSOCK. */
bool sl_rtapp_wprio(struct sl_rtapp *rt, const struct sl_json *v, uint8_t *out);
/* A warning given once per document and topic. */
void sl_rtapp_warn_once(struct sl_rtapp *rt, const char *topic, const struct sl_json *at,
			bool at_key, const char *format, ...) G_GNUC_PRINTF(5, 6);
/* Last member of that name: later properties of a task win. */
const struct sl_json *sl_rtapp_prop(const struct sl_json *obj, const char *key);
/* FALSE and an error when obj is no object or names a key twice. */
bool sl_rtapp_object(struct sl_rtapp *rt, const struct sl_json *obj, const char *what);
/* Warns of keys outside `known` (NULL-terminated), which are ignored. */
void sl_rtapp_unknown_key(struct sl_rtapp *rt, const struct sl_json *member, const char *where,
			  const char *const *known);

/* rtapp_resource.c: the root's `resources`. */
bool sl_rtapp_resources(struct sl_rtapp *rt);

/* rtapp_event.c */
gboolean sl_rtapp_is_event(const char *key);
const char *const *sl_rtapp_event_names(void);
bool sl_rtapp_event(struct sl_rtapp_task *task, struct sl_json *v);
/* Emits an operation and remembers where it came from. */
struct sl_op *sl_rtapp_emit(struct sl_rtapp_task *task, const struct sl_json *at,
			    enum sl_op_kind kind);

/* rtapp_task.c */
bool sl_rtapp_declare(struct sl_rtapp *rt, const struct sl_rtapp_item *item);
bool sl_rtapp_program(struct sl_rtapp *rt, uint32_t task);
void sl_rtapp_prepare(struct sl_rtapp *rt, struct sl_json *task);
/* Class, level and nice of a policy name and rt-app priority. */
bool sl_rtapp_policy(struct sl_rtapp *rt, const struct sl_json *at, const char *policy,
		     const int64_t *priority, uint8_t *pri_class, uint8_t *level, int8_t *nice);

/* rtapp_legacy.c: tasks and phases written with exec and lock_order (before v1.0). */
bool sl_rtapp_is_legacy(const struct sl_json *phase);
bool sl_rtapp_legacy(struct sl_rtapp_task *task, const struct sl_json *phase);

/* rtapp_lint.c */
void sl_rtapp_lint(struct sl_rtapp *rt, const struct sl_workload *w);

/* rtapp_lint_lock.c */
void sl_rtapp_lint_locks(struct sl_rtapp *rt, const struct sl_workload *w);

#endif
