/* Operations on System V semaphores. Those of one call are done all or none. If one would have to wait, the call is
 * made again whenever something has changed. What a process asked to have undone (SEM_UNDO) is kept with the set, and
 * done when the process ends. */
#include "guest/calls.h"
#include "guest/ipc.h"
#include "guest/semaphores.h"

#include <stdlib.h>

enum {
	SEM_UNDO = 010000,
	OPERATIONS_MAX = 500,
	SYS_SEMTIMEDOP = 192,
	SYS_SEMOP = 193,
};

struct operation {
	uint16_t number;
	int16_t change;
	uint16_t flags;
};

static uint64_t undo_bytes(const struct semaphore_set *s)
{
	return sizeof(struct undo) + s->count * sizeof(int16_t);
}

void semaphore_drop_undo(struct guest *g, struct semaphore_set *s, struct undo **link)
{
	struct undo *u = *link;

	*link = u->next;
	guest_uncharge(g, undo_bytes(s));
	free(u);
}

static struct undo *undo_of(struct guest *g, struct semaphore_set *s)
{
	struct undo *u = s->undos;

	while (u && u->pid != g->process->pid)
		u = u->next;
	if (u || !guest_charge(g, undo_bytes(s)))
		return u;
	u = calloc(1, undo_bytes(s));
	if (!u) {
		guest_uncharge(g, undo_bytes(s));
		return NULL;
	}
	u->pid = g->process->pid;
	u->next = s->undos;
	s->undos = u;
	return u;
}

/* One operation. 0; -EAGAIN: it would have to wait; another negated errno. */
static int64_t operate(struct semaphore_set *s, const struct operation *o, struct undo *u)
{
	struct semaphore *m = &s->semaphores[o->number];
	int32_t value = m->value + o->change;

	if ((!o->change && m->value) || value < 0)
		return -GUEST_EAGAIN;
	if (value > SEMAPHORE_MAX)
		return -GUEST_ERANGE;
	if (u && (o->flags & SEM_UNDO)) {
		int32_t adjust = u->adjust[o->number] - o->change;

		if (adjust < -SEMAPHORE_MAX - 1 || adjust > SEMAPHORE_MAX)
			return -GUEST_ERANGE;
		u->adjust[o->number] = (int16_t)adjust;
	}
	m->value = value;
	return 0;
}

static void take_back(struct semaphore_set *s, const struct operation *o, struct undo *u)
{
	s->semaphores[o->number].value -= o->change;
	if (u && (o->flags & SEM_UNDO))
		u->adjust[o->number] = (int16_t)(u->adjust[o->number] + o->change);
}

/* All or none; *at: the one that could not be done. */
static int64_t operate_all(struct guest *g, struct semaphore_set *s, const struct operation *ops, size_t count,
			   struct undo *u, size_t *at)
{
	int64_t result = 0;

	for (*at = 0; *at < count; ++*at) {
		result = operate(s, &ops[*at], u);
		if (result)
			break;
	}
	for (size_t i = *at; result && i--;)
		take_back(s, &ops[i], u);
	if (result)
		return result;
	for (size_t i = 0; i < count; i++)
		s->semaphores[ops[i].number].pid = g->process->pid;
	s->operated_at = ipc_now(g);
	threads_retry(g);
	return 0;
}

/* Which of the set's semaphores there are, and whether the mode allows it. */
static int64_t check_operations(const struct semaphore_set *s, const struct operation *ops, size_t count, bool *undoes)
{
	bool changes = false;

	for (size_t i = 0; i < count; i++) {
		if (ops[i].number >= s->count)
			return -GUEST_EFBIG;
		changes |= ops[i].change != 0;
		*undoes |= (ops[i].flags & SEM_UNDO) && ops[i].change;
	}
	return s->mode & (changes ? IPC_WRITE : IPC_READ) ? 0 : -GUEST_EACCES;
}

/* For GETNCNT and GETZCNT: which semaphore the call waits for, and that it shall be zero. */
static int64_t wait_for(struct guest *g, const struct operation *o, uint64_t deadline)
{
	struct thread *t = g->current;

	if (o->flags & IPC_NOWAIT)
		return -GUEST_EAGAIN;
	if (t->wait.timed_out || deadline <= clock_now(g))
		return -GUEST_EAGAIN;
	thread_block(g, WAIT_RETRY, deadline, false);
	t->wait.address = o->number;
	t->wait.bitset = !o->change;
	return CALL_BLOCKED;
}

static int64_t semaphore_operations(struct guest *g, const uint64_t *args, uint64_t deadline)
{
	struct operation ops[OPERATIONS_MAX];
	struct semaphore_set *s = *semaphore_set_link(g, args[0]);
	size_t count = args[2], at;
	bool undoes = false;
	struct undo *u = NULL;
	int64_t result;

	if (!args[2] || (int32_t)args[0] < 0)
		return -GUEST_EINVAL;
	if (args[2] > OPERATIONS_MAX)
		return -GUEST_E2BIG;
	if (!user_read(g, ops, args[1], count * sizeof(*ops)))
		return -GUEST_EFAULT;
	if (!s)
		return g->current->wait.retrying ? -GUEST_EIDRM : -GUEST_EINVAL;
	result = check_operations(s, ops, count, &undoes);
	if (result)
		return result;
	if (undoes && !(u = undo_of(g, s)))
		return -GUEST_ENOMEM;
	result = operate_all(g, s, ops, count, u, &at);
	return result == -GUEST_EAGAIN ? wait_for(g, &ops[at], deadline) : result;
}

int64_t sys_semop(struct guest *g, const uint64_t *args)
{
	return semaphore_operations(g, args, NO_DEADLINE);
}

int64_t sys_semtimedop(struct guest *g, const uint64_t *args)
{
	uint64_t deadline = NO_DEADLINE, length;

	if (g->current->wait.retrying) {
		deadline = g->current->wait.deadline;
	} else if (args[3]) {
		if (!user_get_time(g, args[3], &length))
			return -GUEST_EFAULT;
		if (length == NO_DEADLINE)
			return -GUEST_EINVAL;
		deadline = deadline_after(g, length);
	}
	return semaphore_operations(g, args, deadline);
}

void semaphores_undo(struct guest *g, const struct process *p)
{
	for (struct semaphore_set *s = g->semaphore_sets; s; s = s->next) {
		struct undo **link = &s->undos;

		while (*link && (*link)->pid != p->pid)
			link = &(*link)->next;
		if (!*link)
			continue;
		for (uint32_t i = 0; i < s->count; i++) {
			struct semaphore *m = &s->semaphores[i];
			int32_t value = m->value + (*link)->adjust[i];

			if (!(*link)->adjust[i])
				continue;
			m->value = value < 0 ? 0 : value > SEMAPHORE_MAX ? SEMAPHORE_MAX : value;
			m->pid = p->pid;
		}
		semaphore_drop_undo(g, s, link);
	}
	threads_retry(g);
}

int64_t semaphore_waiting(const struct guest *g, const struct semaphore_set *s, uint64_t number, bool for_zero)
{
	int64_t count = 0;

	for (const struct thread *t = g->threads; t; t = t->next)
		count += t->wait.kind == WAIT_RETRY &&
			 (t->wait.number == SYS_SEMOP || t->wait.number == SYS_SEMTIMEDOP) &&
			 (int32_t)t->wait.args[0] == s->id && t->wait.address == number && t->wait.bitset == for_zero;
	return count;
}
