/* System V semaphores: sets under a key, and semctl. What is done with them: semaphore_operations.c. */
#include "guest/calls.h"
#include "guest/ipc.h"
#include "guest/semaphores.h"

#include <stdlib.h>

enum {
	GETPID = 11,
	GETVAL = 12,
	GETALL = 13,
	GETNCNT = 14,
	GETZCNT = 15,
	SETVAL = 16,
	SETALL = 17,
	SET_SIZE_MAX = 32000,
};

static uint64_t set_bytes(uint32_t count)
{
	return sizeof(struct semaphore_set) + count * sizeof(struct semaphore);
}

static void drop_set(struct guest *g, struct semaphore_set **link)
{
	struct semaphore_set *s = *link;

	*link = s->next;
	while (s->undos)
		semaphore_drop_undo(g, s, &s->undos);
	guest_uncharge(g, set_bytes(s->count));
	free(s);
}

void semaphores_destroy(struct guest *g)
{
	while (g->semaphore_sets)
		drop_set(g, &g->semaphore_sets);
}

struct semaphore_set **semaphore_set_link(struct guest *g, uint64_t id)
{
	struct semaphore_set **link = &g->semaphore_sets;

	while (*link && (*link)->id != (int32_t)id)
		link = &(*link)->next;
	return link;
}

static int64_t make(struct guest *g, int32_t key, uint64_t count, uint32_t mode)
{
	struct semaphore_set *s;
	size_t sets = 0;

	for (s = g->semaphore_sets; s; s = s->next)
		sets++;
	if (!count)
		return -GUEST_EINVAL;
	if (sets == IPC_OBJECTS_MAX)
		return -GUEST_ENOSPC;
	if (!guest_charge(g, set_bytes((uint32_t)count)))
		return -GUEST_ENOMEM;
	s = calloc(1, set_bytes((uint32_t)count));
	if (!s) {
		guest_uncharge(g, set_bytes((uint32_t)count));
		return -GUEST_ENOMEM;
	}
	s->key = key;
	s->id = g->next_semaphore_set++;
	s->mode = mode;
	s->count = (uint32_t)count;
	s->changed_at = ipc_now(g);
	s->next = g->semaphore_sets;
	g->semaphore_sets = s;
	return s->id;
}

int64_t sys_semget(struct guest *g, const uint64_t *args)
{
	int32_t key = (int32_t)args[0], count = (int32_t)args[1];
	struct semaphore_set *s = g->semaphore_sets;

	if (count < 0 || count > SET_SIZE_MAX)
		return -GUEST_EINVAL;
	while (s && s->key != key)
		s = s->next;

	const int64_t choice = ipc_choose(key, s, args[2]);
	if (choice <= 0)
		return choice ? choice : make(g, key, (uint64_t)count, args[2] & 0777);
	return (uint32_t)count > s->count ? -GUEST_EINVAL : s->id;
}

/* A value that is set makes what would be undone there void. */
static void set_value(struct guest *g, struct semaphore_set *s, uint32_t number, int32_t value)
{
	for (struct undo *u = s->undos; u; u = u->next)
		u->adjust[number] = 0;
	s->semaphores[number] = (struct semaphore){value, g->process->pid};
	s->changed_at = ipc_now(g);
	threads_retry(g);
}

static int64_t get_all(struct guest *g, const struct semaphore_set *s, uint64_t to)
{
	for (uint32_t i = 0; i < s->count; i++) {
		uint16_t value = (uint16_t)s->semaphores[i].value;

		if (!user_write(g, to + 2ull * i, &value, sizeof(value)))
			return -GUEST_EFAULT;
	}
	return 0;
}

static int64_t set_all(struct guest *g, struct semaphore_set *s, uint64_t from)
{
	uint16_t values[SET_SIZE_MAX];

	if (!user_read(g, values, from, s->count * sizeof(*values)))
		return -GUEST_EFAULT;
	for (uint32_t i = 0; i < s->count; i++)
		if (values[i] > SEMAPHORE_MAX)
			return -GUEST_ERANGE;
	for (uint32_t i = 0; i < s->count; i++)
		set_value(g, s, i, values[i]);
	return 0;
}

static int64_t of_one(struct guest *g, struct semaphore_set *s, uint64_t number, uint64_t command, int32_t value)
{
	if (number >= s->count)
		return -GUEST_EINVAL;
	if (!(s->mode & (command == SETVAL ? IPC_WRITE : IPC_READ)))
		return -GUEST_EACCES;
	switch (command) {
	case GETVAL:
		return s->semaphores[number].value;
	case GETPID:
		return s->semaphores[number].pid;
	case GETNCNT:
	case GETZCNT:
		return semaphore_waiting(g, s, number, command == GETZCNT);
	default:
		if (value < 0 || value > SEMAPHORE_MAX)
			return -GUEST_ERANGE;
		set_value(g, s, (uint32_t)number, value);
		return 0;
	}
}

static int64_t of_all(struct guest *g, struct semaphore_set *s, uint64_t command, uint64_t address)
{
	if (!(s->mode & (command == SETALL ? IPC_WRITE : IPC_READ)))
		return -GUEST_EACCES;
	return command == SETALL ? set_all(g, s, address) : get_all(g, s, address);
}

/* As struct semid64_ds of riscv64. */
static int64_t write_status(struct guest *g, const struct semaphore_set *s, uint64_t to)
{
	struct {
		struct ipc_owner owner;
		uint64_t operated_at, changed_at, count, unused[2];
	} status = {ipc_owner(s->key, s->mode), s->operated_at, s->changed_at, s->count, {0}};

	_Static_assert(sizeof(status) == 88, "as Linux has it");
	if (!(s->mode & IPC_READ))
		return -GUEST_EACCES;
	return user_write(g, to, &status, sizeof(status)) ? 0 : -GUEST_EFAULT;
}

static int64_t set_mode(struct guest *g, struct semaphore_set *s, uint64_t from)
{
	uint32_t mode;

	if (!user_get32(g, from + IPC_MODE_AT, &mode))
		return -GUEST_EFAULT;
	s->mode = mode & 0777;
	s->changed_at = ipc_now(g);
	return 0;
}

int64_t sys_semctl(struct guest *g, const uint64_t *args)
{
	struct semaphore_set **link = semaphore_set_link(g, args[0]);
	uint64_t command = (uint32_t)args[2];

	if (!*link)
		return -GUEST_EINVAL;
	switch (command) {
	case IPC_RMID:
		drop_set(g, link);
		threads_retry(g);
		return 0;
	case IPC_SET:
		return set_mode(g, *link, args[3]);
	case IPC_STAT:
		return write_status(g, *link, args[3]);
	case GETALL:
	case SETALL:
		return of_all(g, *link, command, args[3]);
	case GETVAL:
	case GETPID:
	case GETNCNT:
	case GETZCNT:
	case SETVAL:
		return of_one(g, *link, (uint32_t)args[1], command, (int32_t)args[3]);
	default:
		return -GUEST_EINVAL;
	}
}
