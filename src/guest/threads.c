/* Threads: their making and end, and what the kernel keeps for each. */
#include "guest/calls.h"
#include "guest/ipc.h"
#include "riscv/vector.h"

#include <stdlib.h>

struct thread *thread_create(struct guest *g, struct process *p)
{
	struct thread *t = calloc(1, sizeof(*t)), **end = &g->threads;

	if (!t)
		return NULL;
	if (g->isa.extensions & RISCV_EXT_V) {
		t->saved.vector = t->vector = riscv_vector_create(g->isa.vlen);
		if (!t->vector) {
			free(t);
			return NULL;
		}
		t->vector->half = g->isa.extensions & RISCV_EXT_ZVFH;
	}
	while (*end)
		end = &(*end)->next;
	*end = t;
	t->process = p;
	t->tid = g->next_tid++;
	t->wait.deadline = NO_DEADLINE;
	t->saved.reservation = ~0ull;
	g->thread_count++;
	p->thread_count++;
	return t;
}

struct thread *thread_find(struct guest *g, int tid)
{
	for (struct thread *t = g->threads; t; t = t->next)
		if (t->tid == tid && t->wait.kind != WAIT_EXITED)
			return t;
	return NULL;
}

void threads_destroy(struct guest *g)
{
	while (g->threads) {
		struct thread *t = g->threads;

		g->threads = t->next;
		ipc_forget(g, t);
		free(t->vector);
		free(t);
	}
}

/* The struct stays until the scheduler has left it; then it is unlinked. */
void thread_exit(struct guest *g, int status)
{
	struct thread *t = g->current;
	uint64_t clear = t->clear_tid;

	if (t->process->thread_count == 1) {
		process_exit(g, wait_status_of_exit(status));
		return;
	}
	futex_release_robust(g, t);
	if (clear && user_put32(g, clear, 0))
		futex_wake(g, clear, 1, ~0u);
	t->wait.kind = WAIT_EXITED;
	g->thread_count--;
	t->process->thread_count--;
}

void thread_forget(struct guest *g, struct thread *gone)
{
	struct thread **link = &g->threads;

	while (*link != gone)
		link = &(*link)->next;
	*link = gone->next;
	for (struct process *p = g->processes; p; p = p->next)
		if (p->waiting == gone)
			p->waiting = NULL;
	ipc_forget(g, gone);
	free(gone->vector);
	free(gone);
}

void threads_end_others(struct guest *g)
{
	struct thread *next;

	for (struct thread *t = g->threads; t; t = next) {
		next = t->next;
		if (t == g->current || t->process != g->process)
			continue;
		if (t->wait.kind != WAIT_EXITED) {
			futex_release_robust(g, t);
			g->thread_count--;
			g->process->thread_count--;
		}
		thread_forget(g, t);
	}
}

void thread_name(struct thread *t, const char *path)
{
	const char *slash = strrchr(path, '/');

	snprintf(t->name, sizeof(t->name), "%.15s", slash ? slash + 1 : path);
}

int64_t sys_exit(struct guest *g, const uint64_t *args)
{
	thread_exit(g, (int)args[0] & 255);
	return CALL_NO_RESULT;
}

int64_t sys_exit_group(struct guest *g, const uint64_t *args)
{
	process_exit(g, wait_status_of_exit((int)args[0] & 255));
	return CALL_NO_RESULT;
}

int64_t sys_set_tid_address(struct guest *g, const uint64_t *args)
{
	g->current->clear_tid = args[0];
	return g->current->tid;
}

int64_t sys_set_robust_list(struct guest *g, const uint64_t *args)
{
	if (args[1] != 24)
		return -GUEST_EINVAL;
	g->current->robust_list = args[0];
	return 0;
}

int64_t sys_get_robust_list(struct guest *g, const uint64_t *args)
{
	struct thread *t = args[0] ? thread_find(g, (int)args[0]) : g->current;

	if (!t)
		return -GUEST_ESRCH;
	return user_put64(g, args[1], t->robust_list) && user_put64(g, args[2], 24) ? 0 : -GUEST_EFAULT;
}

/* Restartable sequences: one CPU, so only preemption and signals matter. */
enum { RSEQ_CS = 8, RSEQ_NODE = 20, RSEQ_CID = 24 };

void rseq_publish(struct guest *g, struct thread *t)
{
	uint32_t cpu[2] = {0, 0};

	user_write(g, t->rseq, cpu, sizeof(cpu));
	user_write(g, t->rseq + RSEQ_NODE, cpu, sizeof(cpu));
}

void rseq_abort(struct guest *g, struct thread *t)
{
	uint64_t section, raw[4];

	if (!t->rseq || !user_get64(g, t->rseq + RSEQ_CS, &section) || !section ||
	    !user_read(g, raw, section, sizeof(raw)))
		return;
	user_put64(g, t->rseq + RSEQ_CS, 0);
	if (thread_registers(g, t)->pc - raw[1] < raw[2])
		thread_registers(g, t)->pc = raw[3];
}

int64_t sys_rseq(struct guest *g, const uint64_t *args)
{
	struct thread *t = g->current;

	if (args[2] & 1) {
		if (t->rseq != args[0])
			return -GUEST_EINVAL;
		t->rseq = 0;
		return 0;
	}
	if (t->rseq)
		return t->rseq == args[0] ? -GUEST_EBUSY : -GUEST_EINVAL;
	if ((args[0] & 31) || args[1] < 32)
		return -GUEST_EINVAL;
	if (user_span(g, args[0], 32, PAGE_WRITE) != 32)
		return -GUEST_EFAULT;
	t->rseq = args[0];
	rseq_publish(g, t);
	return 0;
}
