/* clone in all its forms: a thread, a process with a copy of the memory, or one that has its parent's until it executes
 * another program (vfork, posix_spawn). */
#include "guest/calls.h"
#include "guest/files.h"
#include "guest/memory_map.h"
#include "riscv/vector.h"

#include <stdlib.h>

enum {
	CLONE_VM_FLAG = 0x100,
	CLONE_SIGHAND_FLAG = 0x800,
	CLONE_PIDFD_FLAG = 0x1000,
	CLONE_VFORK_FLAG = 0x4000,
	CLONE_PARENT_FLAG = 0x8000,
	CLONE_THREAD_FLAG = 0x10000,
	CLONE_SETTLS_FLAG = 0x80000,
	CLONE_PARENT_SETTID_FLAG = 0x100000,
	CLONE_CHILD_CLEARTID_FLAG = 0x200000,
	CLONE_CHILD_SETTID_FLAG = 0x1000000,
	CLONE_NAMESPACES = 0x7e020080, /* NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET, NEWTIME */
};
#define CLONE_CLEAR_SIGHAND_FLAG (1ull << 32)
#define THREADS_MAX 4096

struct clone {
	uint64_t flags, pidfd, child_tid, parent_tid, exit_signal, stack, stack_size, tls;
};

static struct thread *clone_thread(struct guest *g, struct process *p, const struct clone *c)
{
	struct thread *t = thread_create(g, p), *from = g->current;

	if (!t)
		return NULL;
	t->saved = g->hart;
	t->saved.vector = t->vector;
	if (t->vector)
		riscv_vector_copy(t->vector, g->hart.vector);
	t->saved.r[10] = 0;
	if (c->stack)
		t->saved.r[2] = c->stack + c->stack_size;
	if (c->flags & CLONE_SETTLS_FLAG)
		t->saved.r[4] = c->tls;
	t->mask = from->mask;
	memcpy(t->name, from->name, sizeof(t->name));
	if (c->flags & CLONE_CHILD_CLEARTID_FLAG)
		t->clear_tid = c->child_tid;
	return t;
}

static int64_t new_thread(struct guest *g, const struct clone *c)
{
	struct thread *t = clone_thread(g, g->process, c);

	if (!t)
		return -GUEST_ENOMEM;
	if (c->flags & CLONE_PARENT_SETTID_FLAG)
		user_put32(g, c->parent_tid, (uint32_t)t->tid);
	if (c->flags & CLONE_CHILD_SETTID_FLAG)
		user_put32(g, c->child_tid, (uint32_t)t->tid);
	return t->tid;
}

/* --- processes --- */

static void inherit(struct process *child, const struct process *parent)
{
	for (size_t fd = 0; fd < parent->file_room; fd++) {
		child->files[fd] = parent->files[fd];
		if (child->files[fd].file)
			file_retain(child->files[fd].file);
	}
	child->umask = parent->umask;
	child->nice = parent->nice;
	child->group = parent->group;
	child->session = parent->session;
	child->terminal = parent->terminal;
	memcpy(child->actions, parent->actions, sizeof(child->actions));
}

static void forget_handlers(struct process *p)
{
	for (int n = 1; n <= GUEST_SIGNALS; n++)
		if (p->actions[n].handler > 1)
			p->actions[n] = (struct signal_action){0};
}

/* What a copy of a thread has that a new thread has not: its memory has these structures, too. */
static void inherit_thread(struct thread *t, const struct thread *from, bool copy)
{
	if (!copy)
		return;
	t->alt_stack = from->alt_stack;
	t->alt_size = from->alt_size;
	t->alt_flags = from->alt_flags;
	t->rseq = from->rseq;
}

static struct process *new_process(struct guest *g, const struct clone *c, struct thread **thread)
{
	bool copy = !(c->flags & CLONE_VM_FLAG);
	struct process *p = process_create(g, g->process);

	if (!p)
		return NULL;
	if (copy)
		p->space = space_copy(g, g->space);
	else
		p->space = g->space;
	g->space->references += !copy;
	*thread = p->space ? clone_thread(g, p, c) : NULL;
	if (!*thread) {
		if (p->space)
			space_release(g, p->space);
		p->space = NULL;
		process_reap(g, p);
		return NULL;
	}
	inherit(p, g->process);
	program_note_copy(g, p, g->process);
	inherit_thread(*thread, g->current, copy);
	if (c->flags & CLONE_CLEAR_SIGHAND_FLAG)
		forget_handlers(p);
	p->parent = c->flags & CLONE_PARENT_FLAG ? g->process->parent : g->process->pid;
	p->exit_signal = (int)c->exit_signal;
	return p;
}

/* Into the child's memory, which is not the running one. */
static void put_child_tid(struct process *p, uint64_t address, uint32_t tid)
{
	address_space_write(&p->space->memory, address, &tid, sizeof(tid));
}

/* The host has addresses for so many spaces at a time: some may soon be free. */
static int64_t wait_for_space(struct guest *g)
{
	const struct wait *wait = &g->current->wait;
	const uint64_t patience = 10000000; /* simulated nanoseconds */

	if (wait->timed_out)
		return -GUEST_EAGAIN;
	return thread_block(g, WAIT_RETRY, wait->retrying ? wait->deadline : deadline_after(g, patience), true);
}

static int64_t start_process(struct guest *g, const struct clone *c)
{
	struct thread *t;
	struct process *p;
	int64_t fd = 0;

	if (g->process_count >= GUEST_PROCESSES)
		return -GUEST_EAGAIN;
	if (!(c->flags & CLONE_VM_FLAG) && g->space_count >= GUEST_SPACES)
		return wait_for_space(g);
	p = new_process(g, c, &t);
	if (!p)
		return -GUEST_ENOMEM;
	if (c->flags & CLONE_CHILD_SETTID_FLAG)
		put_child_tid(p, c->child_tid, (uint32_t)t->tid);
	if (c->flags & CLONE_PARENT_SETTID_FLAG)
		user_put32(g, c->parent_tid, (uint32_t)t->tid);
	if (c->flags & CLONE_PIDFD_FLAG) {
		fd = pidfd_new(g, p->pid, 0);
		user_put32(g, c->pidfd, (uint32_t)fd);
	}
	if (!(c->flags & CLONE_VFORK_FLAG))
		return p->pid;
	p->waiting = g->current;
	return thread_block(g, WAIT_CHILD, NO_DEADLINE, false);
}

static int64_t refuse_process(struct guest *g)
{
	if (!g->complained_process)
		guest_complain(g, "the guest wants to start a process; this command simulates only one");
	g->complained_process = true;
	return -GUEST_ENOSYS;
}

static int64_t clone(struct guest *g, const struct clone *c)
{
	const uint64_t needed = CLONE_VM_FLAG | CLONE_SIGHAND_FLAG;

	if ((c->flags & CLONE_NAMESPACES) || c->exit_signal > GUEST_SIGNALS)
		return c->flags & CLONE_NAMESPACES ? -GUEST_EPERM : -GUEST_EINVAL;
	if (g->thread_count >= THREADS_MAX)
		return -GUEST_EAGAIN;
	if (c->flags & CLONE_THREAD_FLAG)
		return (c->flags & needed) == needed ? new_thread(g, c) : -GUEST_EINVAL;
	return g->one_process ? refuse_process(g) : start_process(g, c);
}

int64_t sys_clone(struct guest *g, const uint64_t *args)
{
	const struct clone c = {.flags = args[0] & 0xffffff00,
				.exit_signal = args[0] & 0xff,
				.stack = args[1],
				.parent_tid = args[2],
				.pidfd = args[2],
				.tls = args[3],
				.child_tid = args[4]};

	return clone(g, &c);
}

int64_t sys_clone3(struct guest *g, const uint64_t *args)
{
	struct clone c;

	_Static_assert(sizeof(c) == 64, "as struct clone_args begins");
	if (args[1] < sizeof(c))
		return -GUEST_EINVAL;
	if (!user_read(g, &c, args[0], sizeof(c)))
		return -GUEST_EFAULT;
	return clone(g, &c);
}
