/* SPDX-License-Identifier: BSD-2-Clause
 *
 * trace-cmd's own file, trace.dat, through libtracecmd and libtraceevent where they are
 * installed. The libraries trust their input, so they run in a child that hands over
 * events through a pipe: a damaged file costs the child, never the program.
 * Invariant: what the parent takes from the pipe is checked as any other input is. */
#define _POSIX_C_SOURCE 200809L

#include "traces/import_format.h"

#include <string.h>

static const char magic[] = "\x17\x08\x44tracing";

static int tracedat_probe(const char *head, size_t len)
{
	return len >= sizeof(magic) - 1 && memcmp(head, magic, sizeof(magic) - 1) == 0 ? 100 : 0;
}

#ifdef SL_HAVE_TRACECMD

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <trace-cmd.h>
#include <unistd.h>

#ifdef __has_feature
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) ||                         \
	__has_feature(memory_sanitizer)
#define SL_SHADOW_MEMORY 1
#endif
#endif

/* A child that says nothing for so long hangs. */
#define SILENCE_MS   60000
#define BATCH	     512u
#define STATES_MAX   32u
#define EVENT_ID_MAX 65536
/* Events of one instant that are put in order. */
#define HELD_MAX 65536u
/* Address space for the libraries beside two views of the file: what a damaged size asks for
 * fails in the child. */
#define CHILD_SPACE (1u << 30)
/* So far beyond its end a file that is cut off can be continued with zeros. */
#define PAD_MAX (INT64_C(1) << 36)
#define PAD_MIN (INT64_C(1) << 20)

enum child_exit { CHILD_OK, CHILD_CANNOT_OPEN };

/* ---- in the child ---- */

/* Where an event keeps what. */
struct layout {
	bool known, wanted;
	uint8_t kind;
	struct tep_format_field *comm, *pid, *prio, *comm2, *pid2, *prio2, *value, *success;
	struct tep_format_field *order; /* in our own exports: what came first in an instant */
};

/* An event that waits for the others of its instant. */
struct held {
	uint32_t order, n;
	struct sl_event ev;
};

struct child {
	FILE *out;
	struct layout *layout; /* [EVENT_ID_MAX], by event number */
	/* Meaning of the state numbers seen; kernels differ, their print formats tell. */
	struct {
		unsigned long long number;
		uint8_t state, raw;
	} states[STATES_MAX];
	unsigned n_states;
	uint64_t records, events;
	struct held *held; /* [HELD_MAX] */
	uint32_t n_held;
};

static const struct {
	const char *event;
	uint8_t kind;
	const char *comm, *pid, *prio, *comm2, *pid2, *prio2, *value;
} layouts[] = {
	{ "sched_switch", SL_EV_SWITCH, "prev_comm", "prev_pid", "prev_prio", "next_comm",
	  "next_pid", "next_prio", "prev_state" },
	{ "sched_waking", SL_EV_WAKING, "comm", "pid", "prio", NULL, NULL, NULL, "target_cpu" },
	{ "sched_wakeup", SL_EV_WAKEUP, "comm", "pid", "prio", NULL, NULL, NULL, "target_cpu" },
	{ "sched_wakeup_new", SL_EV_WAKEUP_NEW, "comm", "pid", "prio", NULL, NULL, NULL,
	  "target_cpu" },
	{ "sched_process_fork", SL_EV_FORK, "parent_comm", "parent_pid", NULL, "child_comm",
	  "child_pid", NULL, NULL },
	{ "sched_process_exec", SL_EV_EXEC, "filename", "pid", NULL, NULL, "old_pid", NULL, NULL },
	{ "sched_process_exit", SL_EV_EXIT, "comm", "pid", "prio", NULL, NULL, NULL, "group_dead" },
	{ "sched_stat_runtime", SL_EV_RUNTIME, "comm", "pid", NULL, NULL, NULL, NULL, "runtime" },
	{ "sched_blocked_reason", SL_EV_WPRIO, NULL, "pid", NULL, "caller", NULL, NULL, NULL },
	{ "sched_edge", SL_EV_EDGE, NULL, NULL, NULL, "caller", "wait", NULL, "edge" },
};

static struct tep_format_field *field(struct tep_event *event, const char *name)
{
	return name ? tep_find_field(event, name) : NULL;
}

static void find_layout(struct layout *l, struct tep_event *event)
{
	l->known = true;
	if (strcmp(event->system, "sched") != 0 || strncmp(event->name, "sched_", 6) != 0)
		return;
	l->wanted = true;
	l->kind = SL_EV_SEEN;
	for (size_t i = 0; i < G_N_ELEMENTS(layouts); i++) {
		if (strcmp(event->name, layouts[i].event) != 0)
			continue;
		l->kind = layouts[i].kind;
		l->comm = field(event, layouts[i].comm);
		l->pid = field(event, layouts[i].pid);
		l->prio = field(event, layouts[i].prio);
		l->comm2 = field(event, layouts[i].comm2);
		l->pid2 = field(event, layouts[i].pid2);
		l->prio2 = field(event, layouts[i].prio2);
		l->value = field(event, layouts[i].value);
		l->success = field(event, "success");
		l->order = field(event, "sl_order");
	}
}

static long long number(struct tep_format_field *f, const struct tep_record *rec, long long absent)
{
	unsigned long long n;

	if (!f || f->offset + f->size > rec->size || tep_read_number_field(f, rec->data, &n) != 0)
		return absent;
	return (long long)n;
}

/* A string inside the record, or behind it where a number says. */
static const char *text(struct tep_format_field *f, const struct tep_record *rec, size_t *len)
{
	const char *data = rec->data, *end;
	size_t at, size;

	*len = 0;
	if (!f || !(f->flags & TEP_FIELD_IS_STRING))
		return "";
	at = (size_t)f->offset;
	size = (size_t)f->size;
	if (f->flags & TEP_FIELD_IS_DYNAMIC) {
		unsigned long long place = (unsigned long long)number(f, rec, 0);

		at = place & 0xffff;
		if (f->flags & TEP_FIELD_IS_RELATIVE)
			at += (size_t)(f->offset + f->size);
		size = place >> 16 & 0xffff;
	}
	if (at > (size_t)rec->size || size > (size_t)rec->size - at)
		return "";
	end = memchr(data + at, '\0', size);
	*len = end ? (size_t)(end - (data + at)) : size;
	return data + at;
}

static void copy_text(char out[SL_COMM_MAX], struct tep_format_field *f,
		      const struct tep_record *rec)
{
	size_t len;
	const char *s = text(f, rec, &len);

	sl_comm_copy(out, s, len);
}

/* The letters this kernel prints for a state number. */
static void letters_of(struct tep_handle *tep, struct tep_record *rec, unsigned long long n,
		       uint8_t *state, uint8_t *raw)
{
	static const char key[] = "prev_state=";
	struct trace_seq seq;
	const char *at;
	char digits[24];

	trace_seq_init(&seq);
	tep_print_event(tep, &seq, rec, "%s", TEP_PRINT_INFO);
	trace_seq_terminate(&seq);
	at = strstr(seq.buffer, key);
	if (!at) {
		/* A format that cannot be printed: the number itself. */
		g_snprintf(digits, sizeof(digits), "%llu", n);
		at = digits;
	} else {
		/* The last one: the names come before and behind it. */
		for (const char *next; (next = strstr(at + 1, key));)
			at = next;
		at += sizeof(key) - 1;
	}
	struct sl_scan s = { at, at + strlen(at) };

	*state = sl_state_parse(&s, raw);
	trace_seq_destroy(&seq);
}

static void state_of(struct child *c, struct tep_handle *tep, struct tep_record *rec,
		     struct sl_event *ev, unsigned long long n)
{
	for (unsigned i = 0; i < c->n_states; i++) {
		if (c->states[i].number == n) {
			ev->state = c->states[i].state;
			ev->raw_state = c->states[i].raw;
			return;
		}
	}
	letters_of(tep, rec, n, &ev->state, &ev->raw_state);
	if (c->n_states == STATES_MAX)
		return;
	c->states[c->n_states].number = n;
	c->states[c->n_states].state = ev->state;
	c->states[c->n_states++].raw = ev->raw_state;
}

static int16_t prio_of(struct tep_format_field *f, const struct tep_record *rec)
{
	long long n = number(f, rec, -1);

	return n >= -1 && n <= 140 ? (int16_t)n : -1;
}

static int32_t tid_of(struct tep_format_field *f, const struct tep_record *rec)
{
	long long n = number(f, rec, SL_TID_UNKNOWN);

	return n >= 0 && n <= SL_TID_MAX ? (int32_t)n : SL_TID_UNKNOWN;
}

static uint8_t ctx_of(int flags)
{
	if (flags & TRACE_FLAG_HARDIRQ)
		return SL_CTX_IRQ;
	return flags & TRACE_FLAG_SOFTIRQ ? SL_CTX_SOFT : SL_CTX_TASK;
}

static void put(struct child *c, const struct sl_event *ev)
{
	/* Nobody listens any more: the parent has given up. */
	if (fwrite(ev, sizeof(*ev), 1, c->out) != 1)
		_exit(CHILD_OK);
}

static int by_order(const void *a, const void *b)
{
	const struct held *x = a, *y = b;

	if (x->order != y->order)
		return x->order < y->order ? -1 : 1;
	return x->n < y->n ? -1 : x->n > y->n;
}

static void release(struct child *c)
{
	qsort(c->held, c->n_held, sizeof(c->held[0]), by_order);
	for (uint32_t i = 0; i < c->n_held; i++)
		put(c, &c->held[i].ev);
	c->n_held = 0;
}

/* Our own exports say in which order the events of an instant came; buffers kept CPU by CPU
 * do not. */
static void put_ordered(struct child *c, const struct sl_event *ev, uint32_t order)
{
	if (c->n_held == HELD_MAX || (c->n_held && c->held[0].ev.at != ev->at))
		release(c);
	c->held[c->n_held] = (struct held){ order, c->n_held, *ev };
	c->n_held++;
}

/* What only some events have. */
static void fill_kind(struct child *c, struct tep_handle *tep, struct tep_record *rec,
		      const struct layout *l, struct sl_event *ev)
{
	const char *base;
	size_t len;

	switch (ev->kind) {
	case SL_EV_SWITCH:
		state_of(c, tep, rec, ev, (unsigned long long)number(l->value, rec, 0));
		break;
	case SL_EV_WAKING:
	case SL_EV_WAKEUP:
	case SL_EV_WAKEUP_NEW:
		ev->target_cpu = (int16_t)CLAMP(number(l->value, rec, -1), -1, INT16_MAX);
		if (number(l->success, rec, 1) == 0)
			ev->kind = SL_EV_SEEN;
		break;
	case SL_EV_EXEC:
		base = text(l->comm, rec, &len);
		for (size_t i = len; i-- > 0;) {
			if (base[i] == '/') {
				base += i + 1;
				len -= i + 1;
				break;
			}
		}
		sl_comm_copy(ev->comm, base, MIN(len, 15));
		break;
	case SL_EV_EXIT:
		ev->value = number(l->value, rec, 1) == 0;
		break;
	case SL_EV_WPRIO:
		base = text(l->comm2, rec, &len);
		ev->value = sl_wprio_of(base, len);
		break;
	case SL_EV_EDGE:
		base = text(l->comm2, rec, &len);
		ev->state = (uint8_t)sl_wprio_of(base, len);
		ev->value = (uint64_t)MAX(number(l->value, rec, 0), 0);
		break;
	default:
		ev->value = (uint64_t)MAX(number(l->value, rec, 0), 0);
		break;
	}
}

static int take_record(struct tracecmd_input *handle, struct tep_record *rec, int cpu, void *ctx)
{
	struct tep_handle *tep = tracecmd_get_tep(handle);
	struct sl_event ev = { .at = rec->ts, .cpu = (uint32_t)cpu, .kind = SL_EV_LOST };
	struct child *c = ctx;
	int id = tep_data_type(tep, rec);
	struct layout *l;

	c->records++;
	ev.cur = ev.tgid = ev.tid = ev.tid2 = SL_TID_UNKNOWN;
	ev.prio = ev.prio2 = ev.target_cpu = -1;
	if (rec->missed_events) {
		release(c);
		ev.value = rec->missed_events > 0 ? (uint64_t)rec->missed_events : 0;
		put(c, &ev);
		ev.value = 0;
	}
	if (id < 0 || id >= EVENT_ID_MAX)
		return 0;
	l = &c->layout[id];
	if (!l->known) {
		struct tep_event *event = tep_find_event(tep, id);

		if (!event)
			return 0;
		find_layout(l, event);
	}
	if (!l->wanted)
		return 0;
	ev.kind = l->kind;
	ev.cur = tep_data_pid(tep, rec);
	ev.ctx = ctx_of(tep_data_flags(tep, rec));
	ev.tid = tid_of(l->pid, rec);
	ev.tid2 = tid_of(l->pid2, rec);
	ev.prio = prio_of(l->prio, rec);
	ev.prio2 = prio_of(l->prio2, rec);
	copy_text(ev.comm, l->comm, rec);
	copy_text(ev.comm2, l->comm2, rec);
	fill_kind(c, tep, rec, l, &ev);
	c->events += ev.kind != SL_EV_WPRIO && ev.kind != SL_EV_EDGE;
	if (l->order) {
		put_ordered(c, &ev, (uint32_t)number(l->order, rec, 0));
		return 0;
	}
	release(c);
	put(c, &ev);
	return 0;
}

/* Room for the libraries of a child that reads a file of `size` bytes. */
static void limit_space(off_t size)
{
/* A sanitizer's shadow memory takes more than any limit. */
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) && !defined(SL_SHADOW_MEMORY)
	struct rlimit limit;

	if (getrlimit(RLIMIT_AS, &limit) != 0)
		return;
	limit.rlim_cur = MIN(limit.rlim_max, CHILD_SPACE + 2 * (rlim_t)size);
	(void)setrlimit(RLIMIT_AS, &limit);
#else
	(void)size;
#endif
}

/* Reads the trace at fd, the main buffer or else the instances' buffers. */
static enum child_exit run_child(int fd, off_t size, int out)
{
	struct child c = { .out = fdopen(out, "wb") };
	struct sl_event end = { .kind = SL_EV_NONE };
	struct tracecmd_input *handle;
	int quiet = open("/dev/null", O_WRONLY);

	limit_space(size);
	if (quiet >= 0)
		dup2(quiet, STDERR_FILENO);
	tracecmd_set_loglevel(TEP_LOG_NONE);
	tep_set_loglevel(TEP_LOG_NONE);
	handle = tracecmd_open_fd(fd, TRACECMD_FL_LOAD_NO_PLUGINS);
	c.layout = calloc(EVENT_ID_MAX, sizeof(*c.layout));
	c.held = calloc(HELD_MAX, sizeof(*c.held));
	if (!handle || !c.out || !c.layout || !c.held)
		return CHILD_CANNOT_OPEN;
	tracecmd_iterate_events(handle, NULL, 0, take_record, &c);
	for (int i = 0; c.events == 0 && i < tracecmd_buffer_instances(handle); i++) {
		struct tracecmd_input *h = tracecmd_buffer_instance_handle(handle, i);

		if (h)
			tracecmd_iterate_events(h, NULL, 0, take_record, &c);
	}
	release(&c);
	end.value = c.records;
	put(&c, &end);
	return fclose(c.out) == 0 ? CHILD_OK : CHILD_CANNOT_OPEN;
}

/* ---- in the parent ---- */

struct parent {
	struct sl_import_ctx *ctx;
	bool ended; /* the child has come to the end of the file */
};

static void take_event(struct parent *p, const struct sl_event *from)
{
	struct sl_event *ev;

	if (from->kind == SL_EV_NONE) {
		p->ctx->report->lines = from->value;
		p->ended = true;
		return;
	}
	if (from->cpu > SL_TRACE_CPU_MAX || from->at > INT64_MAX)
		return;
	/* Until the end tells how many records there are. */
	p->ctx->report->lines++;
	ev = sl_import_slot(p->ctx);
	*ev = *from;
	sl_import_commit(p->ctx, ev);
}

/* All that comes through the pipe. False when the child falls silent. */
static bool drain(struct parent *p, int fd)
{
	struct sl_event batch[BATCH];
	char *bytes = (char *)batch;
	size_t have = 0;

	for (;;) {
		struct pollfd wait = { .fd = fd, .events = POLLIN };
		int ready = poll(&wait, 1, SILENCE_MS);
		ssize_t n;

		if (ready < 0 && errno == EINTR)
			continue;
		if (ready <= 0)
			return false;
		n = read(fd, bytes + have, sizeof(batch) - have);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return true;
		have += (size_t)n;
		for (size_t i = 0; i < have / sizeof(batch[0]); i++)
			take_event(p, &batch[i]);
		memmove(bytes, bytes + have - have % sizeof(batch[0]), have % sizeof(batch[0]));
		have %= sizeof(batch[0]);
	}
}

static bool fail(const struct sl_import_ctx *ctx, GError **err, const char *what)
{
	g_set_error(err, SL_IMPORT_ERROR, SL_IMPORT_ERROR_FORMAT,
		    "%s:1:1: %s; expected a complete trace.dat (does trace-cmd report -i %s "
		    "read it?)",
		    ctx->name, what, ctx->name);
	return false;
}

/* Feeds the events of `file`, of which `size` bytes are there, as far as a child comes with it;
 * what prevents that, or NULL. */
static const char *read_in_child(struct parent *p, int file, off_t size)
{
	int ends[2], status = 0;
	bool spoke;
	pid_t pid;

	if (pipe(ends) != 0)
		return "no pipe to read it through";
	pid = fork();
	if (pid == 0) {
		close(ends[0]);
		_exit(run_child(file, size, ends[1]));
	}
	close(ends[1]);
	if (pid < 0) {
		close(ends[0]);
		return "no process to read it in";
	}
	spoke = drain(p, ends[0]);
	close(ends[0]);
	if (!spoke)
		kill(pid, SIGKILL);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return NULL;
}

/* libtracecmd refuses a file that ends before the last page it speaks of. A copy with zeros in
 * the place of what is missing, which are empty pages, or -1. Only version 6 says before its
 * pages where they are; of later ones the end is the most important part. */
static int continue_with_zeros(int file)
{
	char bytes[16384], *path = NULL;
	off_t at = 0;
	ssize_t n;
	int fd;

	if (pread(file, bytes, sizeof(magic) + 1, 0) != (ssize_t)sizeof(magic) + 1 ||
	    memcmp(bytes + sizeof(magic) - 1, "6", 2) != 0)
		return -1;
	fd = g_file_open_tmp("schedlab-XXXXXX", &path, NULL);
	if (fd < 0)
		return -1;
	g_unlink(path);
	g_free(path);
	while ((n = pread(file, bytes, sizeof(bytes), at)) > 0 && write(fd, bytes, (size_t)n) == n)
		at += n;
	for (gint64 pad = PAD_MAX; n == 0 && pad >= PAD_MIN; pad /= 4)
		if (ftruncate(fd, at + pad) == 0 && lseek(fd, 0, SEEK_SET) == 0)
			return fd;
	close(fd);
	return -1;
}

static bool tracedat_read(struct sl_import_ctx *ctx, GError **err)
{
	struct parent p = { .ctx = ctx };
	int file = sl_reader_whole(ctx->in, err), longer = -1;
	const char *fault;
	struct stat info;
	bool cut = false;

	if (file < 0)
		return false;
	if (fstat(file, &info) != 0)
		info.st_size = 0;
	fault = read_in_child(&p, file, info.st_size);
	if (!fault && !p.ended && ctx->report->events == 0)
		longer = continue_with_zeros(file);
	close(file);
	if (longer >= 0) {
		cut = true;
		fault = read_in_child(&p, longer, info.st_size);
		close(longer);
	}
	if (!fault && !p.ended && ctx->report->events == 0)
		fault = "libtracecmd cannot read this";
	if (fault)
		return fail(ctx, err, fault);
	ctx->report->truncated |= cut || !p.ended;
	return true;
}

#else

static bool tracedat_read(struct sl_import_ctx *ctx, GError **err)
{
	g_set_error(err, SL_IMPORT_ERROR, SL_IMPORT_ERROR_FORMAT,
		    "%s:1:1: this is trace-cmd's own file, which this build cannot read; expected "
		    "its text (trace-cmd report -t -l -N -i %s), or a schedlab built where "
		    "libtracecmd-dev and libtraceevent-dev are installed",
		    ctx->name, ctx->name);
	return false;
}

#endif

const struct sl_import_format sl_format_tracedat = {
	.name = "trace.dat",
	.summary = "trace-cmd's own file",
	.probe = tracedat_probe,
	.read = tracedat_read,
};
