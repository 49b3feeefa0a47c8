/* Turns, for the threads of all processes alike: one thread runs until it waits or its turn ends, then the next in
 * order of creation. Everything that decides
 * is part of the simulated state, so the interleaving is the same in every run.
 *
 * When all wait, simulated time jumps to the earliest deadline; when there is none, the guest would hang for ever and
 * is ended with a message. */
#include "guest/process.h"

#include <stdlib.h>

struct riscv_hart *thread_registers(struct guest *g, struct thread *t)
{
	return t == g->current ? &g->hart : &t->saved;
}

int64_t thread_block(struct guest *g, enum wait_kind kind, uint64_t deadline, bool restartable)
{
	struct wait *wait = &g->current->wait;

	wait->kind = kind;
	wait->deadline = deadline;
	wait->again = false;
	wait->timed_out = false;
	wait->interrupted = false;
	wait->restartable = restartable;
	return CALL_BLOCKED;
}

void thread_wake(struct guest *g, struct thread *t, int64_t result)
{
	t->wait.kind = WAIT_NONE;
	thread_registers(g, t)->r[10] = (uint64_t)result;
}

void threads_retry(struct guest *g)
{
	for (struct thread *t = g->threads; t; t = t->next)
		if (t->wait.kind == WAIT_RETRY)
			t->wait.again = true;
}

static bool runnable(const struct thread *t)
{
	return (t->wait.kind == WAIT_NONE || (t->wait.kind == WAIT_RETRY && t->wait.again)) && !t->process->stopped;
}

static void expire(struct guest *g)
{
	uint64_t now = clock_now(g);

	timers_fire(g);
	for (struct thread *t = g->threads; t; t = t->next) {
		if (t->wait.kind == WAIT_NONE || t->wait.kind >= WAIT_CHILD || t->wait.deadline > now)
			continue;
		if (t->wait.kind == WAIT_RETRY) {
			t->wait.again = t->wait.timed_out = true;
		} else {
			thread_wake(g, t, t->wait.kind == WAIT_FUTEX ? -GUEST_ETIMEDOUT : 0);
		}
	}
}

static struct thread *next_runnable(struct guest *g)
{
	struct thread *t = g->current;

	do {
		t = t->next ? t->next : g->threads;
		if (runnable(t))
			return t;
	} while (t != g->current);
	return NULL;
}

static void switch_to(struct guest *g, struct thread *t)
{
	struct thread *old = g->current;
	uint64_t instret = g->hart.instret;

	if (t == old)
		return;
	if (old->wait.kind != WAIT_EXITED)
		rseq_abort(g, old);
	old->saved = g->hart;
	g->hart = t->saved;
	g->hart.instret = instret;
	g->hart.reservation = ~0ull;
	g->current = t;
	if (t->process != g->process)
		process_enter(g, t->process);
	if (old->wait.kind == WAIT_EXITED)
		thread_forget(g, old);
}

/* A stopped process's deadlines make nobody go on. */
static bool jump_to_deadline(struct guest *g)
{
	uint64_t next = timers_next(g), now = clock_now(g);

	for (struct thread *t = g->threads; t; t = t->next)
		if (t->wait.kind != WAIT_NONE && t->wait.kind < WAIT_CHILD && t->wait.deadline < next &&
		    !t->process->stopped)
			next = t->wait.deadline;
	if (next == NO_DEADLINE)
		return false;
	if (next > now)
		g->clock_skip += next - now;
	return true;
}

/* A signal ends the wait only if there is still nothing that does. */
static void retry_call(struct guest *g)
{
	struct thread *t = g->current;
	const bool interrupted = t->wait.interrupted;
	int64_t result;

	t->wait.again = false;
	t->wait.retrying = true;
	result = syscall_dispatch(g, t->wait.number, t->wait.args);
	t->wait.retrying = false;
	if (result == CALL_BLOCKED && interrupted) {
		t->wait.kind = WAIT_NONE;
		t->wait.interrupted = true;
	}
	if (result == CALL_BLOCKED)
		return;
	t->wait.timed_out = t->wait.interrupted = false;
	thread_wake(g, t, result);
}

static void report_deadlock(struct guest *g)
{
	struct signal_info info = {.number = GUEST_SIGKILL, .cause = SIGNAL_DEADLOCK};

	guest_kill(g, &info, NULL);
}

/* A timer whose signal is ignored goes off for ever and wakes nobody: the user's wish to stop ends the wait. */
static void stop_waiting(struct guest *g)
{
	if (g->current->wait.kind >= WAIT_CHILD)
		return;
	if (g->current->wait.kind != WAIT_NONE)
		thread_wake(g, g->current, -GUEST_EINTR);
	g->process->stopped = 0;
}

void schedule(struct guest *g, bool yield)
{
	while (g->state == GUEST_RUNNING) {
		struct thread *next;

		if (!yield && runnable(g->current) && g->current->wait.kind == WAIT_NONE) {
			if (g->current->wait.interrupted || signal_pending(g, g->current))
				signals_deliver(g);
			if (g->current->wait.kind == WAIT_NONE && runnable(g->current))
				return;
		}
		expire(g);
		next = next_runnable(g);
		if (!next) {
			if (!jump_to_deadline(g))
				report_deadlock(g);
			else if (guest_stopping(g))
				stop_waiting(g);
			continue;
		}
		switch_to(g, next);
		yield = false;
		if (next->wait.kind == WAIT_RETRY)
			retry_call(g);
	}
}
