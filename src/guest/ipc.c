/* Tables of System V objects, and the calls that wait for one. */
#include "guest/ipc.h"

#include <stdlib.h>

#define PLACE_BITS 15
#define ROUNDS 65536
#define CYCLE_LEAST 64 /* places are used in turn, at least so many */

/* --- tables --- */

static int32_t free_place(const struct ipc_table *t)
{
	uint32_t cycle = t->count * 3 / 2 > CYCLE_LEAST ? t->count * 3 / 2 : CYCLE_LEAST;

	if (cycle > IPC_OBJECTS_MAX)
		cycle = IPC_OBJECTS_MAX;
	for (uint32_t i = 1; i <= cycle; i++) {
		uint32_t place = ((uint32_t)t->last + i) % cycle;

		if (!t->places[place])
			return (int32_t)place;
	}
	return -1;
}

int64_t ipc_add(struct guest *g, enum ipc_kind kind, struct ipc_object *o)
{
	struct ipc_table *t = g->ipc[kind];
	int32_t place;

	if (!t) {
		t = g->ipc[kind] = calloc(1, sizeof(*t));
		if (!t)
			return -GUEST_ENOMEM;
		t->last = -1;
	}
	place = free_place(t);
	if (place < 0)
		return -GUEST_ENOSPC;
	t->round = (t->round + (place <= t->last)) % ROUNDS;
	t->last = place;
	t->places[place] = o;
	t->count++;
	o->id = (int32_t)(t->round << PLACE_BITS) + place;
	return 0;
}

void ipc_remove(struct guest *g, enum ipc_kind kind, struct ipc_object *o)
{
	struct ipc_table *t = g->ipc[kind];

	while (o->waiters)
		ipc_wait_ends(o->waiters, -GUEST_EIDRM);
	t->places[ipc_place(o)] = NULL;
	t->count--;
}

size_t ipc_place(const struct ipc_object *o)
{
	return (uint32_t)o->id & ((1u << PLACE_BITS) - 1);
}

struct ipc_object *ipc_at(const struct guest *g, enum ipc_kind kind, uint64_t id)
{
	size_t place = (uint32_t)id & ((1u << PLACE_BITS) - 1);

	return g->ipc[kind] && (int32_t)id >= 0 && place < IPC_OBJECTS_MAX ? g->ipc[kind]->places[place] : NULL;
}

int64_t ipc_status_at(struct guest *g, enum ipc_kind kind, uint64_t place, bool whatever_mode, uint64_t to,
		      ipc_status_writer *write)
{
	const struct ipc_object *o = ipc_at(g, kind, place);
	int64_t result;

	if (!o)
		return -GUEST_EINVAL;
	if (!whatever_mode && !(o->mode & IPC_READ))
		return -GUEST_EACCES;
	result = write(g, o, to);
	return result ? result : o->id;
}

struct ipc_object *ipc_find(const struct guest *g, enum ipc_kind kind, uint64_t id)
{
	struct ipc_object *o = ipc_at(g, kind, id);

	return o && o->id == (int32_t)id ? o : NULL;
}

struct ipc_object *ipc_from(const struct guest *g, enum ipc_kind kind, size_t place)
{
	for (; g->ipc[kind] && place < IPC_OBJECTS_MAX; place++)
		if (g->ipc[kind]->places[place])
			return g->ipc[kind]->places[place];
	return NULL;
}

struct ipc_object *ipc_with_key(const struct guest *g, enum ipc_kind kind, int32_t key)
{
	struct ipc_object *o = ipc_from(g, kind, 0);

	while (o && o->key != key)
		o = ipc_from(g, kind, ipc_place(o) + 1);
	return key == IPC_PRIVATE ? NULL : o;
}

uint64_t ipc_count(const struct guest *g, enum ipc_kind kind)
{
	return g->ipc[kind] ? g->ipc[kind]->count : 0;
}

int64_t ipc_highest(const struct guest *g, enum ipc_kind kind)
{
	for (int64_t place = IPC_OBJECTS_MAX; g->ipc[kind] && place-- > 0;)
		if (g->ipc[kind]->places[place])
			return place;
	return 0;
}

int64_t ipc_choose(int32_t key, bool there, uint64_t flags)
{
	if (key == IPC_PRIVATE)
		return 0;
	if (!there)
		return flags & IPC_CREAT ? 0 : -GUEST_ENOENT;
	return (flags & IPC_CREAT) && (flags & IPC_EXCL) ? -GUEST_EEXIST : 1;
}

/* --- waiting --- */

struct ipc_waiter *ipc_wait(struct guest *g, struct ipc_object *o, size_t operations)
{
	uint64_t bytes = sizeof(struct ipc_waiter) + operations * sizeof(struct ipc_operation);
	struct ipc_waiter *w, **end = &o->waiters;

	if (!guest_charge(g, bytes))
		return NULL;
	w = calloc(1, bytes);
	if (!w) {
		guest_uncharge(g, bytes);
		return NULL;
	}
	w->object = o;
	w->thread = g->current;
	w->bytes = bytes;
	w->count = operations;
	while (*end)
		end = &(*end)->next;
	*end = w;
	g->current->wait.waiter = w;
	return w;
}

static void leave(struct ipc_waiter *w)
{
	struct ipc_waiter **link = w->object ? &w->object->waiters : NULL;

	if (!link)
		return;
	while (*link != w)
		link = &(*link)->next;
	*link = w->next;
	w->object = NULL;
}

void ipc_wait_ends(struct ipc_waiter *w, int64_t result)
{
	leave(w);
	w->result = result;
	w->thread->wait.again = true;
}

void ipc_forget(struct guest *g, struct thread *t)
{
	struct ipc_waiter *w = t->wait.waiter;

	if (!w)
		return;
	t->wait.waiter = NULL;
	leave(w);
	if (w->message)
		message_drop(g, w->message);
	guest_uncharge(g, w->bytes);
	free(w);
}

bool ipc_resume(struct guest *g, int64_t *result)
{
	struct wait *wait = &g->current->wait;
	const struct ipc_waiter *w = wait->waiter;
	bool anew;

	if (!w)
		return false;
	if (!w->object)
		*result = w->result;
	else if (wait->timed_out)
		*result = -GUEST_EAGAIN;
	else {
		const bool interrupted = wait->interrupted;

		*result = thread_block(g, WAIT_RETRY, wait->deadline, false);
		if (!interrupted)
			return true;
	}
	anew = !w->object && w->anew;
	ipc_forget(g, g->current);
	return !anew;
}
