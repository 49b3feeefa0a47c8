/* Operations on System V semaphores. Those of one call are done all or none. If one would have to wait, they are all
 * done by the call that makes it possible. Of several that wait, those that change nothing come first, then who came
 * first. What a process asked to have undone (SEM_UNDO) is kept with the set, and
 * done when the process ends. */
#include "guest/calls.h"
#include "guest/semaphores.h"

#include <stdlib.h>

enum { SEM_UNDO = 010000 };

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

static struct undo *undo_of(const struct semaphore_set *s, int pid)
{
	struct undo *u = s->undos;

	while (u && u->pid != pid)
		u = u->next;
	return u;
}

static struct undo *make_undo(struct guest *g, struct semaphore_set *s)
{
	struct undo *u = undo_of(s, g->process->pid);

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
static int64_t operate(struct semaphore_set *s, const struct ipc_operation *o, struct undo *u)
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

static void take_back(struct semaphore_set *s, const struct ipc_operation *o, struct undo *u)
{
	s->semaphores[o->number].value -= o->change;
	if (u && (o->flags & SEM_UNDO))
		u->adjust[o->number] = (int16_t)(u->adjust[o->number] + o->change);
}

/* All or none, for that process; *at: the one that could not be done. */
static int64_t operate_all(struct guest *g, struct semaphore_set *s, const struct ipc_operation *ops, size_t count,
			   int pid, size_t *at)
{
	struct undo *u = undo_of(s, pid);
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
		s->semaphores[ops[i].number].pid = pid;
	s->operated_at = ipc_now(g);
	return 0;
}

static bool alters(const struct ipc_operation *ops, size_t count)
{
	while (count && !ops[count - 1].change)
		count--;
	return count != 0;
}

/* The first that need not wait any more, of those that alter something or of the others; NULL: none. */
static struct ipc_waiter *serve_one(struct guest *g, struct semaphore_set *s, bool altering)
{
	for (struct ipc_waiter *w = s->object.waiters; w; w = w->next) {
		int64_t result;

		if (alters(w->operations, w->count) != altering)
			continue;
		result = operate_all(g, s, w->operations, w->count, w->thread->process->pid, &w->blocking);
		if (result == -GUEST_EAGAIN)
			continue;
		ipc_wait_ends(w, result);
		return w;
	}
	return NULL;
}

void semaphores_update(struct guest *g, struct semaphore_set *s)
{
	while (s->object.waiters && !guest_stopping(g) && (serve_one(g, s, false) || serve_one(g, s, true)))
		;
}

/* Which of the set's semaphores there are, and whether the mode allows it. */
static int64_t check_operations(const struct semaphore_set *s, const struct ipc_operation *ops, size_t count,
				bool *undoes)
{
	bool changes = false;

	for (size_t i = 0; i < count; i++) {
		if (ops[i].number >= s->count)
			return -GUEST_EFBIG;
		changes |= ops[i].change != 0;
		*undoes |= (ops[i].flags & SEM_UNDO) && ops[i].change;
	}
	return s->object.mode & (changes ? IPC_WRITE : IPC_READ) ? 0 : -GUEST_EACCES;
}

/* Operation `at` has to wait, and all others with it. */
static int64_t wait_for(struct guest *g, struct semaphore_set *s, const struct ipc_operation *ops, size_t count,
			size_t at, uint64_t deadline)
{
	struct ipc_waiter *w;

	if ((ops[at].flags & IPC_NOWAIT) || deadline <= clock_now(g))
		return -GUEST_EAGAIN;
	w = ipc_wait(g, &s->object, count);
	if (!w)
		return -GUEST_ENOMEM;
	memcpy(w->operations, ops, count * sizeof(*ops));
	w->blocking = at;
	return thread_block(g, WAIT_RETRY, deadline, false);
}

static int64_t semaphore_operations(struct guest *g, const uint64_t *args, uint64_t deadline)
{
	struct ipc_operation ops[SEMAPHORE_OPERATIONS_MAX];
	struct semaphore_set *s = (struct semaphore_set *)ipc_find(g, IPC_SEMAPHORES, args[0]);
	size_t count = args[2], at;
	bool undoes = false;
	int64_t result;

	if (ipc_resume(g, &result))
		return result;
	if (!args[2] || (int32_t)args[0] < 0)
		return -GUEST_EINVAL;
	if (args[2] > SEMAPHORE_OPERATIONS_MAX)
		return -GUEST_E2BIG;
	if (!user_read(g, ops, args[1], count * sizeof(*ops)))
		return -GUEST_EFAULT;
	if (!s)
		return -GUEST_EINVAL;
	result = check_operations(s, ops, count, &undoes);
	if (result)
		return result;
	if (undoes && !make_undo(g, s))
		return -GUEST_ENOMEM;
	result = operate_all(g, s, ops, count, g->process->pid, &at);
	if (result == -GUEST_EAGAIN)
		return wait_for(g, s, ops, count, at, deadline);
	if (!result && alters(ops, count))
		semaphores_update(g, s);
	return result;
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

/* What the process asked for; false: it has asked for nothing in this set. */
static bool undo(struct guest *g, struct semaphore_set *s, const struct process *p)
{
	struct undo **link = &s->undos;

	while (*link && (*link)->pid != p->pid)
		link = &(*link)->next;
	if (!*link)
		return false;
	for (uint32_t i = 0; i < s->count; i++) {
		struct semaphore *m = &s->semaphores[i];
		int32_t value = m->value + (*link)->adjust[i];

		if (!(*link)->adjust[i])
			continue;
		m->value = value < 0 ? 0 : value > SEMAPHORE_MAX ? SEMAPHORE_MAX : value;
		m->pid = p->pid;
	}
	semaphore_drop_undo(g, s, link);
	return true;
}

void semaphores_undo(struct guest *g, const struct process *p)
{
	struct ipc_object *o = ipc_from(g, IPC_SEMAPHORES, 0);

	for (; o; o = ipc_from(g, IPC_SEMAPHORES, ipc_place(o) + 1))
		if (undo(g, (struct semaphore_set *)o, p))
			semaphores_update(g, (struct semaphore_set *)o);
}

int64_t semaphore_waiting(const struct semaphore_set *s, uint64_t number, bool for_zero)
{
	int64_t count = 0;

	for (const struct ipc_waiter *w = s->object.waiters; w; w = w->next) {
		const struct ipc_operation *o = &w->operations[w->blocking];

		count += o->number == number && !o->change == for_zero;
	}
	return count;
}
