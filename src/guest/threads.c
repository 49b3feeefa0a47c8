/* Threads: clone, exit, and what the kernel keeps for each. Other processes cannot be made. */
#include "guest/calls.h"
#include "guest/process.h"

#include <stdlib.h>

enum {
	CLONE_VM_FLAG = 0x100,
	CLONE_FILES_FLAG = 0x400,
	CLONE_SIGHAND_FLAG = 0x800,
	CLONE_THREAD_FLAG = 0x10000,
	CLONE_SETTLS_FLAG = 0x80000,
	CLONE_PARENT_SETTID_FLAG = 0x100000,
	CLONE_CHILD_CLEARTID_FLAG = 0x200000,
	CLONE_CHILD_SETTID_FLAG = 0x1000000
};
#define THREADS_MAX 4096

struct thread *thread_create(struct guest *g)
{
	struct thread *t = calloc(1, sizeof(*t)), **end = &g->threads;

	if (!t)
		return NULL;
	while (*end)
		end = &(*end)->next;
	*end = t;
	t->tid = g->next_tid++;
	t->wait.deadline = NO_DEADLINE;
	t->saved.reservation = ~0ull;
	g->thread_count++;
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
		free(t);
	}
}

/* The struct stays until the scheduler has left it; then it is unlinked. */
void thread_exit(struct guest *g, int status)
{
	struct thread *t = g->current;
	uint64_t clear = t->clear_tid;

	if (g->thread_count == 1) {
		guest_terminate(g, status);
		return;
	}
	futex_release_robust(g, t);
	if (clear && user_put32(g, clear, 0))
		futex_wake(g, clear, 1, ~0u);
	t->wait.kind = WAIT_EXITED;
	g->thread_count--;
}

static int64_t refuse_process(struct guest *g)
{
	if (!g->complained_process)
		guest_complain(g, "the guest wants to start a process; only threads are simulated");
	g->complained_process = true;
	return -GUEST_ENOSYS;
}

static int64_t clone_thread(struct guest *g, uint64_t flags, uint64_t sp, uint64_t parent_tid, uint64_t child_tid,
			    uint64_t tls)
{
	const uint64_t needed = CLONE_VM_FLAG | CLONE_SIGHAND_FLAG | CLONE_THREAD_FLAG;
	struct thread *t;

	if ((flags & needed) != needed)
		return refuse_process(g);
	if (g->thread_count >= THREADS_MAX)
		return -GUEST_EAGAIN;
	t = thread_create(g);
	if (!t)
		return -GUEST_ENOMEM;
	t->saved = g->hart;
	t->saved.r[10] = 0;
	if (sp)
		t->saved.r[2] = sp;
	if (flags & CLONE_SETTLS_FLAG)
		t->saved.r[4] = tls;
	t->mask = g->current->mask;
	memcpy(t->name, g->current->name, sizeof(t->name));
	if (flags & CLONE_PARENT_SETTID_FLAG)
		user_put32(g, parent_tid, (uint32_t)t->tid);
	if (flags & CLONE_CHILD_SETTID_FLAG)
		user_put32(g, child_tid, (uint32_t)t->tid);
	if (flags & CLONE_CHILD_CLEARTID_FLAG)
		t->clear_tid = child_tid;
	return t->tid;
}

int64_t sys_clone(struct guest *g, const uint64_t *args)
{
	return clone_thread(g, args[0], args[1], args[2], args[4], args[3]);
}

int64_t sys_clone3(struct guest *g, const uint64_t *args)
{
	uint64_t c[8]; /* flags, pidfd, child_tid, parent_tid, exit_signal, stack, stack_size, tls */

	if (args[1] < sizeof(c))
		return -GUEST_EINVAL;
	if (!user_read(g, c, args[0], sizeof(c)))
		return -GUEST_EFAULT;
	return clone_thread(g, c[0], c[5] ? c[5] + c[6] : 0, c[3], c[2], c[7]);
}

int64_t sys_exit(struct guest *g, const uint64_t *args)
{
	thread_exit(g, (int)args[0] & 255);
	return CALL_NO_RESULT;
}

int64_t sys_exit_group(struct guest *g, const uint64_t *args)
{
	guest_terminate(g, (int)args[0] & 255);
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
