/* Threads, signals and timers, for checkpoints. */
#include "guest/archive.h"
#include "riscv/vector.h"

#include <stdlib.h>

static void hart_archive(struct archive *a, struct riscv_hart *h)
{
	for (size_t i = 0; i < RISCV_REGISTERS; i++)
		ARCHIVE(a, h->r[i]);
	ARCHIVE(a, h->pc);
	ARCHIVE(a, h->fflags);
	ARCHIVE(a, h->frm);
	ARCHIVE(a, h->reservation);
	ARCHIVE(a, h->reservation_value);
	ARCHIVE(a, h->instret);
	h->r[0] = 0;
}

/* Nothing, where the program may not use vectors. */
static void vector_archive(struct archive *a, struct riscv_vector *v)
{
	if (!v)
		return;
	uint64_t vl = v->vl, vtype = v->vtype;

	ARCHIVE(a, vl);
	ARCHIVE(a, vtype);
	if (a->loading)
		riscv_vector_configure(v, vl, vtype);
	ARCHIVE(a, v->vstart);
	ARCHIVE(a, v->vxrm);
	ARCHIVE(a, v->vxsat);
	archive_raw(a, v->bytes, (size_t)32 * v->vlenb);
	if (v->vl != vl || v->vtype != vtype || v->vstart >= 8ull * v->vlenb || v->vxrm > 3 || v->vxsat > 1)
		archive_fail(a, "its vector registers are set to what they cannot be");
}

static void info_archive(struct archive *a, struct signal_info *i)
{
	ARCHIVE(a, i->number);
	ARCHIVE(a, i->code);
	ARCHIVE(a, i->address);
	ARCHIVE(a, i->pid);
	ARCHIVE(a, i->uid);
	ARCHIVE(a, i->value);
	ARCHIVE(a, i->cause);
	ARCHIVE(a, i->stop);
	if (i->number < 0 || i->number > GUEST_SIGNALS || i->cause > SIGNAL_BAD_FRAME || i->stop > RISCV_STOP_FENCE_I)
		archive_fail(a, "it has a signal that there is not");
}

static void pending_archive(struct archive *a, struct pending_signals *p)
{
	ARCHIVE(a, p->set);
	for (size_t i = 0; i <= GUEST_SIGNALS; i++)
		if (i && p->set >> (i - 1) & 1)
			info_archive(a, &p->info[i]);
}

static void wait_archive(struct archive *a, struct wait *w)
{
	ARCHIVE(a, w->kind);
	archive_flag(a, &w->again);
	archive_flag(a, &w->retrying);
	archive_flag(a, &w->timed_out);
	archive_flag(a, &w->interrupted);
	archive_flag(a, &w->restartable);
	ARCHIVE(a, w->deadline);
	ARCHIVE(a, w->address);
	ARCHIVE(a, w->bitset);
	ARCHIVE(a, w->order);
	ARCHIVE(a, w->progress);
	ARCHIVE(a, w->number);
	for (size_t i = 0; i < 6; i++)
		ARCHIVE(a, w->args[i]);
	if (w->kind > WAIT_EXITED)
		archive_fail(a, "it has a thread that waits for what there is not");
}

static void thread_archive(struct archive *a, struct thread *t)
{
	hart_archive(a, &t->saved);
	vector_archive(a, t->vector);
	ARCHIVE(a, t->tid);
	ARCHIVE(a, t->mask);
	ARCHIVE(a, t->mask_after);
	archive_flag(a, &t->mask_replaced);
	pending_archive(a, &t->pending);
	ARCHIVE(a, t->alt_stack);
	ARCHIVE(a, t->alt_size);
	ARCHIVE(a, t->alt_flags);
	ARCHIVE(a, t->clear_tid);
	ARCHIVE(a, t->robust_list);
	ARCHIVE(a, t->rseq);
	wait_archive(a, &t->wait);
	archive_raw(a, t->name, sizeof(t->name));
	t->name[sizeof(t->name) - 1] = 0;
}

static void threads_list(struct guest *g, struct archive *a)
{
	enum { MOST = 1 << 16 };
	uint64_t count = 0, current = 0, at = 0;

	for (const struct thread *t = g->threads; t; t = t->next) {
		if (t == g->current)
			current = count;
		count++;
	}
	archive_count(a, &count, MOST);
	ARCHIVE(a, current);
	while (a->loading && at++ < count)
		if (!thread_create(g, g->process))
			archive_no_memory(a);
	at = 0;
	for (struct thread *t = g->threads; t && !a->failed; t = t->next) {
		thread_archive(a, t);
		if (at++ == current)
			g->current = t;
	}
	if (!g->current || g->current->wait.kind != WAIT_NONE)
		archive_fail(a, "none of its threads runs");
	else
		g->hart.vector = g->current->vector;
}

static void timer_archive(struct archive *a, struct timer *t)
{
	archive_flag(a, &t->used);
	archive_flag(a, &t->armed);
	ARCHIVE(a, t->signal);
	archive_flag(a, &t->thread_directed);
	ARCHIVE(a, t->tid);
	ARCHIVE(a, t->value);
	ARCHIVE(a, t->deadline);
	ARCHIVE(a, t->interval);
	archive_flag(a, &t->is_itimer);
	ARCHIVE(a, t->clock);
	if (t->signal < 0 || t->signal > GUEST_SIGNALS)
		archive_fail(a, "it has a timer without a signal");
}

/* Timers that are files are refused as files. */
static void timers_archive(struct guest *g, struct archive *a)
{
	uint64_t armed = 0;

	for (size_t i = 0; i < GUEST_TIMERS; i++) {
		timer_archive(a, &g->process->timers[i]);
		armed += g->process->timers[i].armed;
	}
	if (a->loading)
		g->armed_timers = armed;
}

void threads_archive(struct guest *g, struct archive *a)
{
	uint64_t running = 0;

	hart_archive(a, &g->hart);
	threads_list(g, a);
	for (const struct thread *t = g->threads; t; t = t->next)
		running += t->wait.kind != WAIT_EXITED;
	g->thread_count = g->process->thread_count = running;
	ARCHIVE(a, g->next_tid);
	ARCHIVE(a, g->wait_order);
	for (size_t i = 0; i <= GUEST_SIGNALS; i++) {
		ARCHIVE(a, g->process->actions[i].handler);
		ARCHIVE(a, g->process->actions[i].flags);
		ARCHIVE(a, g->process->actions[i].mask);
	}
	pending_archive(a, &g->process->pending);
	timers_archive(g, a);
}
