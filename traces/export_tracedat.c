/* SPDX-License-Identifier: BSD-2-Clause
 *
 * trace-cmd's own file, version 6, for KernelShark and trace-cmd report. Written from
 * trace-cmd.dat.v6(5): a head with the formats of the events, then each CPU's pages as the
 * kernel's ring buffer has them.
 * Each CPU has its own pages, so a field sl_order says what came first in a nanosecond.
 * Invariant: the last page of a CPU has `used` bytes of events and its head does not say so
 * yet; all pages before it are complete. Little-endian whatever writes it. */
#include "traces/export_format.h"

#include <string.h>

#define PAGE	  4096u
#define PAGE_HEAD 16u
#define COMM	  16u
#define DELTA_MAX (UINT64_C(1) << 27)
/* Bytes in front of the events' data: length in words and time since the event before. */
#define EVENT_HEAD  4u
#define TIME_EXTEND 30u
#define IRQS_OFF    0x01
#define HARDIRQ	    0x08

enum dat_event {
	DAT_SWITCH = 1,
	DAT_WAKING,
	DAT_WAKEUP,
	DAT_WAKEUP_NEW,
	DAT_FORK,
	DAT_EXIT,
	DAT_REASON,
	DAT_EDGE,
	DAT_END,
};

struct dat_cpu {
	GByteArray *pages;
	uint32_t used;
	uint64_t last; /* time of the last event */
};

struct dat_out {
	GPtrArray *cpus;
	GHashTable *names; /* number -> name, as they come */
	GArray *pids;	   /* of uint32_t: the numbers in the order of their coming */
	uint32_t order;	   /* events so far */
};

/* Data of one event. */
struct dat_rec {
	uint8_t b[112];
	unsigned n;
};

/* ---- what the events look like ---- */

/* Fields behind the common ones, "[16]" for a name and else an int, and how trace-cmd
 * prints them. */
#define WAKE_FIELDS "comm[16] pid prio target_cpu"
#define WAKE_PRINT                                                                                 \
	"\"comm=%s pid=%d prio=%d target_cpu=%03d\", REC->comm, "                                  \
	"REC->pid, REC->prio, REC->target_cpu"

static const struct {
	const char *name, *fields, *print;
} events[] = {
	[DAT_SWITCH] = { "sched_switch",
			 "prev_comm[16] prev_pid prev_prio prev_state next_comm[16] next_pid "
			 "next_prio",
			 "\"prev_comm=%s prev_pid=%d prev_prio=%d prev_state=%s%s ==> "
			 "next_comm=%s next_pid=%d next_prio=%d\", REC->prev_comm, REC->prev_pid, "
			 "REC->prev_prio, (REC->prev_state & 0xff) ? "
			 "__print_flags(REC->prev_state & 0xff, \"|\", { 1, \"S\" }, { 2, \"D\" }, "
			 "{ 16, \"X\" }, { 32, \"Z\" }) : \"R\", REC->prev_state & 0x100 ? \"+\" : "
			 "\"\", REC->next_comm, REC->next_pid, REC->next_prio" },
	[DAT_WAKING] = { "sched_waking", WAKE_FIELDS, WAKE_PRINT },
	[DAT_WAKEUP] = { "sched_wakeup", WAKE_FIELDS, WAKE_PRINT },
	[DAT_WAKEUP_NEW] = { "sched_wakeup_new", WAKE_FIELDS, WAKE_PRINT },
	[DAT_FORK] = { "sched_process_fork", "parent_comm[16] parent_pid child_comm[16] child_pid",
		       "\"comm=%s pid=%d child_comm=%s child_pid=%d\", REC->parent_comm, "
		       "REC->parent_pid, REC->child_comm, REC->child_pid" },
	[DAT_EXIT] = { "sched_process_exit", "comm[16] pid prio",
		       "\"comm=%s pid=%d prio=%d\", REC->comm, REC->pid, REC->prio" },
	[DAT_REASON] = { "sched_blocked_reason", "pid io_wait caller[16]",
			 "\"pid=%d iowait=%d caller=%s\", REC->pid, REC->io_wait, REC->caller" },
	[DAT_EDGE] = { "sched_edge", "edge wait caller[16]",
		       "\"edge=%d wait=%d caller=%s\", REC->edge, REC->wait, REC->caller" },
};

static const char common_fields[] =
	"format:\n"
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
	"\tfield:unsigned int sl_order;\toffset:8;\tsize:4;\tsigned:0;\n";
#define FIELDS_AT 12u

static const char page_format[] = "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
				  "\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;\n"
				  "\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n"
				  "\tfield: char data;\toffset:16;\tsize:4080;\tsigned:0;\n";
static const char event_format[] = "# compressed entry header\n"
				   "\ttype_len    :    5 bits\n"
				   "\ttime_delta  :   27 bits\n"
				   "\tarray       :   32 bits\n\n"
				   "\tpadding     : type == 29\n"
				   "\ttime_extend : type == 30\n"
				   "\ttime_stamp : type == 31\n"
				   "\tdata max type_len  == 28\n";

/* Linux 4.14 and later; a process stays until its parent has seen it (32), a thread does not. */
static const uint32_t states[] = { [SL_XS_RUNNABLE] = 0,
				   [SL_XS_PREEMPTED] = 256,
				   [SL_XS_SLEEP] = 1,
				   [SL_XS_BLOCKED] = 2,
				   [SL_XS_DEAD] = 16 };

/* ---- bytes ---- */

static void set_le(uint8_t *at, uint64_t n, unsigned bytes)
{
	for (unsigned i = 0; i < bytes; i++)
		at[i] = (uint8_t)(n >> 8 * i);
}

static void put_le(GByteArray *out, uint64_t n, unsigned bytes)
{
	uint8_t b[8];

	set_le(b, n, bytes);
	g_byte_array_append(out, b, bytes);
}

static void put_text(GByteArray *out, const char *s)
{
	g_byte_array_append(out, (const guint8 *)s, (guint)strlen(s));
}

static void rec_int(struct dat_rec *r, uint32_t n)
{
	set_le(r->b + r->n, n, 4);
	r->n += 4;
}

static void rec_comm(struct dat_rec *r, const char *name)
{
	memset(r->b + r->n, 0, COMM);
	memcpy(r->b + r->n, name, MIN(strlen(name), (size_t)COMM - 1));
	r->n += COMM;
}

/* ---- pages ---- */

static struct dat_cpu *cpu_of(struct dat_out *d, uint32_t cpu)
{
	while (d->cpus->len <= cpu) {
		struct dat_cpu *fresh = g_new0(struct dat_cpu, 1);

		fresh->pages = g_byte_array_new();
		g_ptr_array_add(d->cpus, fresh);
	}
	return g_ptr_array_index(d->cpus, cpu);
}

/* The last page says how many bytes of events it holds. */
static void close_page(struct dat_cpu *c)
{
	if (c->pages->len)
		set_le(c->pages->data + c->pages->len - PAGE + 8, c->used, 8);
}

static void open_page(struct dat_cpu *c, uint64_t at)
{
	guint before = c->pages->len;

	close_page(c);
	g_byte_array_set_size(c->pages, before + PAGE);
	memset(c->pages->data + before, 0, PAGE);
	set_le(c->pages->data + before, at, 8);
	c->used = 0;
	c->last = at;
}

static void page_put(struct dat_cpu *c, uint32_t head, uint32_t word, const uint8_t *data,
		     unsigned len)
{
	uint8_t *at = c->pages->data + c->pages->len - PAGE + PAGE_HEAD + c->used;

	set_le(at, head, EVENT_HEAD);
	if (data)
		memcpy(at + EVENT_HEAD, data, len);
	else
		set_le(at + EVENT_HEAD, word, 4);
	c->used += EVENT_HEAD + (data ? len : 4);
}

static void add(struct dat_out *d, const struct sl_xevent *ev, const struct dat_rec *r)
{
	struct dat_cpu *c = cpu_of(d, ev->cpu);
	uint64_t delta = ev->at - c->last;

	if (c->pages->len == 0 || c->used + 2 * EVENT_HEAD + 4 + r->n > PAGE - PAGE_HEAD) {
		open_page(c, ev->at);
		delta = 0;
	}
	if (delta >= DELTA_MAX) {
		page_put(c, TIME_EXTEND | (uint32_t)(delta % DELTA_MAX) << 5,
			 (uint32_t)(delta / DELTA_MAX), NULL, 0);
		delta = 0;
	}
	page_put(c, r->n / 4 | (uint32_t)delta << 5, 0, r->b, r->n);
	c->last = ev->at;
}

/* ---- events ---- */

static void know(struct dat_out *d, const struct sl_xthread *t)
{
	if (t->pid == 0 || g_hash_table_contains(d->names, GUINT_TO_POINTER(t->pid)))
		return;
	g_hash_table_insert(d->names, GUINT_TO_POINTER(t->pid), g_strdup(t->name));
	g_array_append_val(d->pids, t->pid);
}

static struct dat_rec start(struct dat_out *d, enum dat_event event, const struct sl_xthread *cur,
			    uint8_t flags)
{
	struct dat_rec r = { .n = FIELDS_AT };

	set_le(r.b, event, 2);
	r.b[2] = flags;
	set_le(r.b + 4, cur->pid, 4);
	set_le(r.b + 8, d->order++, 4);
	return r;
}

static void put_wake(struct dat_out *d, const struct sl_xevent *ev, enum dat_event event)
{
	struct dat_rec r = start(d, event, &ev->cur, ev->interrupt ? IRQS_OFF | HARDIRQ : IRQS_OFF);

	rec_comm(&r, ev->a.name);
	rec_int(&r, ev->a.pid);
	rec_int(&r, (uint32_t)ev->a.prio);
	rec_int(&r, ev->target);
	add(d, ev, &r);
}

static void put_switch(struct dat_out *d, const struct sl_xevent *ev)
{
	bool is_process = ev->state == SL_XS_DEAD && !ev->a.part;
	struct dat_rec r = start(d, DAT_SWITCH, &ev->a, IRQS_OFF);

	rec_comm(&r, ev->a.name);
	rec_int(&r, ev->a.pid);
	rec_int(&r, (uint32_t)ev->a.prio);
	rec_int(&r, is_process ? 32 : states[ev->state]);
	rec_comm(&r, ev->b.name);
	rec_int(&r, ev->b.pid);
	rec_int(&r, (uint32_t)ev->b.prio);
	add(d, ev, &r);
	if (!ev->wprio)
		return;
	r = start(d, DAT_REASON, &ev->b, IRQS_OFF);
	rec_int(&r, ev->a.pid);
	rec_int(&r, strcmp(ev->wprio, "PRIBIO") == 0);
	rec_comm(&r, ev->wprio);
	add(d, ev, &r);
}

static void put_fork(struct dat_out *d, const struct sl_xevent *ev)
{
	struct dat_rec r = start(d, DAT_FORK, &ev->b, 0);

	rec_comm(&r, ev->b.name);
	rec_int(&r, ev->b.pid);
	rec_comm(&r, ev->a.name);
	rec_int(&r, ev->a.pid);
	add(d, ev, &r);
}

static void put_exit(struct dat_out *d, const struct sl_xevent *ev)
{
	struct dat_rec r = start(d, DAT_EXIT, &ev->a, 0);

	rec_comm(&r, ev->a.name);
	rec_int(&r, ev->a.pid);
	rec_int(&r, (uint32_t)ev->a.prio);
	add(d, ev, &r);
}

static void put_edge(struct dat_out *d, const struct sl_xevent *ev)
{
	struct dat_rec r = start(d, DAT_EDGE, &ev->a, 0);

	rec_int(&r, ev->edge);
	rec_int(&r, ev->edge_wait);
	rec_comm(&r, ev->wprio ? ev->wprio : "-");
	add(d, ev, &r);
}

static void dat_begin(struct sl_xwriter *w)
{
	struct dat_out *d = g_new(struct dat_out, 1);

	d->cpus = g_ptr_array_new();
	d->names = g_hash_table_new_full(NULL, NULL, NULL, g_free);
	d->pids = g_array_new(FALSE, FALSE, sizeof(uint32_t));
	d->order = 0;
	w->state = d;
}

static void dat_event(struct sl_xwriter *w, const struct sl_xevent *ev)
{
	struct dat_out *d = w->state;

	know(d, &ev->a);
	switch (ev->kind) {
	case SL_X_SWITCH:
		know(d, &ev->b);
		put_switch(d, ev);
		break;
	case SL_X_WAKE:
		put_wake(d, ev, DAT_WAKING);
		put_wake(d, ev, DAT_WAKEUP);
		break;
	case SL_X_START:
		if (!ev->interrupt)
			put_fork(d, ev);
		put_wake(d, ev, DAT_WAKEUP_NEW);
		break;
	case SL_X_EXIT:
		put_exit(d, ev);
		break;
	case SL_X_EDGE:
		put_edge(d, ev);
		break;
	}
}

/* ---- the file ---- */

static void put_section(GByteArray *out, const char *name, const char *text)
{
	g_byte_array_append(out, (const guint8 *)name, (guint)strlen(name) + 1);
	put_le(out, strlen(text), 8);
	put_text(out, text);
}

/* The text of an event's format file. */
static GString *format_of(unsigned id)
{
	GString *text = g_string_new(NULL);
	char **fields = g_strsplit(events[id].fields, " ", -1);
	unsigned at = FIELDS_AT;

	g_string_append_printf(text, "name: %s\nID: %u\n%s", events[id].name, id, common_fields);
	for (char **f = fields; *f; f++) {
		bool is_name = g_str_has_suffix(*f, "]");
		unsigned size = is_name ? COMM : 4;

		g_string_append_printf(text, "\tfield:%s %s;\toffset:%u;\tsize:%u;\tsigned:%d;\n",
				       is_name ? "char" : "int", *f, at, size, !is_name);
		at += size;
	}
	g_string_append_printf(text, "\nprint fmt: %s\n", events[id].print);
	g_strfreev(fields);
	return text;
}

static void put_formats(GByteArray *out)
{
	put_le(out, 0, 4); /* events of ftrace's own */
	put_le(out, 1, 4); /* one system */
	g_byte_array_append(out, (const guint8 *)"sched", 6);
	put_le(out, DAT_END - 1, 4);
	for (unsigned id = 1; id < DAT_END; id++) {
		GString *text = format_of(id);

		put_le(out, text->len, 8);
		put_text(out, text->str);
		g_string_free(text, TRUE);
	}
}

static void put_names(GByteArray *out, const struct dat_out *d)
{
	GString *text = g_string_new(NULL);

	for (guint i = 0; i < d->pids->len; i++) {
		uint32_t pid = g_array_index(d->pids, uint32_t, i);

		g_string_append_printf(
			text, "%u %s\n", pid,
			(const char *)g_hash_table_lookup(d->names, GUINT_TO_POINTER(pid)));
	}
	put_le(out, text->len, 8);
	put_text(out, text->str);
	g_string_free(text, TRUE);
}

static GByteArray *make_head(struct dat_out *d)
{
	GByteArray *out = g_byte_array_new();
	uint64_t at;

	put_text(out, "\x17\x08\x44tracing6");
	/* End of the version, little-endian, 8-byte longs. */
	g_byte_array_append(out, (const guint8 *)"\0\0\x08", 3);
	put_le(out, PAGE, 4);
	put_section(out, "header_page", page_format);
	put_section(out, "header_event", event_format);
	put_formats(out);
	put_le(out, 0, 4); /* kernel symbols */
	put_le(out, 0, 4); /* printk formats */
	put_names(out, d);
	put_le(out, d->cpus->len, 4);
	g_byte_array_append(out, (const guint8 *)"options  \0\0\0", 12);
	g_byte_array_append(out, (const guint8 *)"flyrecord", 10);
	at = (out->len + d->cpus->len * 16 + PAGE - 1) / PAGE * PAGE;
	for (guint i = 0; i < d->cpus->len; i++) {
		const struct dat_cpu *c = g_ptr_array_index(d->cpus, i);

		put_le(out, at, 8);
		put_le(out, c->pages->len, 8);
		at += c->pages->len;
	}
	while (out->len % PAGE)
		put_le(out, 0, 1);
	return out;
}

static void dat_end(struct sl_xwriter *w, sl_time end)
{
	struct dat_out *d = w->state;
	GByteArray *head;

	(void)end;
	cpu_of(d, 0);
	head = make_head(d);
	fwrite(head->data, 1, head->len, w->out);
	g_byte_array_free(head, TRUE);
	for (guint i = 0; i < d->cpus->len; i++) {
		struct dat_cpu *c = g_ptr_array_index(d->cpus, i);

		close_page(c);
		if (c->pages->len)
			fwrite(c->pages->data, 1, c->pages->len, w->out);
		g_byte_array_free(c->pages, TRUE);
		g_free(c);
	}
	g_ptr_array_free(d->cpus, TRUE);
	g_hash_table_destroy(d->names);
	g_array_free(d->pids, TRUE);
	g_free(d);
}

const struct sl_export_format sl_export_tracedat = {
	.name = "trace.dat",
	.summary = "trace-cmd's own file, for KernelShark and trace-cmd report",
	.begin = dat_begin,
	.event = dat_event,
	.end = dat_end,
};
