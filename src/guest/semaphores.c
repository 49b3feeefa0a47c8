/* System V semaphores: sets under a key, and semctl. What is done with them: semaphore_operations.c. */
#include "guest/calls.h"
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
	SEM_STAT = 18,
	SEM_INFO = 19,
	SEM_STAT_ANY = 20,
	SET_SIZE_MAX = 32000,
};

static uint64_t set_bytes(uint32_t count)
{
	return sizeof(struct semaphore_set) + count * sizeof(struct semaphore);
}

static void drop_set(struct guest *g, struct semaphore_set *s)
{
	ipc_remove(g, IPC_SEMAPHORES, &s->object);
	while (s->undos)
		semaphore_drop_undo(g, s, &s->undos);
	guest_uncharge(g, set_bytes(s->count));
	free(s);
}

static struct semaphore_set *next_set(const struct guest *g, size_t place)
{
	return (struct semaphore_set *)ipc_from(g, IPC_SEMAPHORES, place);
}

void semaphores_destroy(struct guest *g)
{
	for (struct semaphore_set *s; (s = next_set(g, 0));)
		drop_set(g, s);
	free(g->ipc[IPC_SEMAPHORES]);
	g->ipc[IPC_SEMAPHORES] = NULL;
}

static int64_t make(struct guest *g, int32_t key, uint64_t count, uint32_t mode)
{
	const uint64_t bytes = set_bytes((uint32_t)count);
	struct semaphore_set *s;
	int64_t result;

	if (!count)
		return -GUEST_EINVAL;
	if (!guest_charge(g, bytes))
		return -GUEST_ENOMEM;
	s = calloc(1, bytes);
	if (s) {
		s->object.key = key;
		s->object.mode = mode;
		s->count = (uint32_t)count;
		s->changed_at = ipc_now(g);
	}
	result = s ? ipc_add(g, IPC_SEMAPHORES, &s->object) : -GUEST_ENOMEM;
	if (!result)
		return s->object.id;
	guest_uncharge(g, bytes);
	free(s);
	return result;
}

int64_t sys_semget(struct guest *g, const uint64_t *args)
{
	int32_t key = (int32_t)args[0], count = (int32_t)args[1];
	const struct semaphore_set *s;

	if (count < 0 || count > SET_SIZE_MAX)
		return -GUEST_EINVAL;
	s = (struct semaphore_set *)ipc_with_key(g, IPC_SEMAPHORES, key);

	const int64_t choice = ipc_choose(key, s, args[2]);
	if (choice <= 0)
		return choice ? choice : make(g, key, (uint64_t)count, args[2] & 0777);
	return (uint32_t)count > s->count ? -GUEST_EINVAL : s->object.id;
}

/* A value that is set makes what would be undone there void. */
static void set_value(struct guest *g, struct semaphore_set *s, uint32_t number, int32_t value)
{
	for (struct undo *u = s->undos; u; u = u->next)
		u->adjust[number] = 0;
	s->semaphores[number] = (struct semaphore){value, g->process->pid};
	s->changed_at = ipc_now(g);
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
	semaphores_update(g, s);
	return 0;
}

static int64_t of_one(struct guest *g, struct semaphore_set *s, uint64_t number, uint64_t command, int32_t value)
{
	if (number >= s->count)
		return -GUEST_EINVAL;
	if (!(s->object.mode & (command == SETVAL ? IPC_WRITE : IPC_READ)))
		return -GUEST_EACCES;
	switch (command) {
	case GETVAL:
		return s->semaphores[number].value;
	case GETPID:
		return s->semaphores[number].pid;
	case GETNCNT:
	case GETZCNT:
		return semaphore_waiting(s, number, command == GETZCNT);
	default:
		if (value < 0 || value > SEMAPHORE_MAX)
			return -GUEST_ERANGE;
		set_value(g, s, (uint32_t)number, value);
		semaphores_update(g, s);
		return 0;
	}
}

static int64_t of_all(struct guest *g, struct semaphore_set *s, uint64_t command, uint64_t address)
{
	if (!(s->object.mode & (command == SETALL ? IPC_WRITE : IPC_READ)))
		return -GUEST_EACCES;
	return command == SETALL ? set_all(g, s, address) : get_all(g, s, address);
}

/* As struct semid64_ds of riscv64. */
static int64_t write_status(struct guest *g, const struct ipc_object *o, uint64_t to)
{
	const struct semaphore_set *s = (const struct semaphore_set *)o;
	struct {
		struct ipc_owner owner;
		uint64_t operated_at, changed_at, count, unused[2];
	} status = {ipc_owner(&s->object), s->operated_at, s->changed_at, s->count, {0}};

	_Static_assert(sizeof(status) == 88, "as Linux has it");
	return user_write(g, to, &status, sizeof(status)) ? 0 : -GUEST_EFAULT;
}

/* As struct seminfo: what there may be, and of SEM_INFO what there is. */
static int64_t write_info(struct guest *g, bool used, uint64_t to)
{
	enum { MAP, SETS, ALL, UNDOS, SET_SIZE, OPERATIONS, UNDO_ENTRIES, SIZE, VALUE, ADJUST, FIELDS };
	int32_t info[FIELDS] = {
		[MAP] = IPC_OBJECTS_MAX * SET_SIZE_MAX,
		[SETS] = IPC_OBJECTS_MAX,
		[ALL] = IPC_OBJECTS_MAX * SET_SIZE_MAX,
		[UNDOS] = IPC_OBJECTS_MAX * SET_SIZE_MAX,
		[SET_SIZE] = SET_SIZE_MAX,
		[OPERATIONS] = SEMAPHORE_OPERATIONS_MAX,
		[UNDO_ENTRIES] = SEMAPHORE_OPERATIONS_MAX,
		[SIZE] = 20,
		[VALUE] = SEMAPHORE_MAX,
		[ADJUST] = SEMAPHORE_MAX,
	};

	if (used) {
		info[SIZE] = (int32_t)ipc_count(g, IPC_SEMAPHORES);
		info[ADJUST] = 0;
		for (const struct semaphore_set *s = next_set(g, 0); s; s = next_set(g, ipc_place(&s->object) + 1))
			info[ADJUST] += (int32_t)s->count;
	}
	return user_write(g, to, info, sizeof(info)) ? ipc_highest(g, IPC_SEMAPHORES) : -GUEST_EFAULT;
}

void text_semaphores(struct guest *g, FILE *out)
{
	fputs("       key      semid perms      nsems   uid   gid  cuid  cgid      otime      ctime\n", out);
	for (const struct semaphore_set *s = next_set(g, 0); s; s = next_set(g, ipc_place(&s->object) + 1))
		fprintf(out, "%10d %10d  %4o %10u %5u %5u %5u %5u %10lu %10lu\n", s->object.key, s->object.id,
			s->object.mode, s->count, GUEST_UID, GUEST_UID, GUEST_UID, GUEST_UID,
			(unsigned long)s->operated_at, (unsigned long)s->changed_at);
}

static int64_t set_mode(struct guest *g, struct semaphore_set *s, uint64_t from)
{
	uint32_t mode;

	if (!user_get32(g, from + IPC_MODE_AT, &mode))
		return -GUEST_EFAULT;
	s->object.mode = mode & 0777;
	s->changed_at = ipc_now(g);
	return 0;
}

static int64_t of_set(struct guest *g, struct semaphore_set *s, uint64_t command, const uint64_t *args)
{
	switch (command) {
	case IPC_RMID:
		drop_set(g, s);
		return 0;
	case IPC_SET:
		return set_mode(g, s, args[3]);
	case IPC_STAT:
		return s->object.mode & IPC_READ ? write_status(g, &s->object, args[3]) : -GUEST_EACCES;
	case GETALL:
	case SETALL:
		return of_all(g, s, command, args[3]);
	case GETVAL:
	case GETPID:
	case GETNCNT:
	case GETZCNT:
	case SETVAL:
		return of_one(g, s, (uint32_t)args[1], command, (int32_t)args[3]);
	default:
		return -GUEST_EINVAL;
	}
}

int64_t sys_semctl(struct guest *g, const uint64_t *args)
{
	uint64_t command = (uint32_t)args[2];
	struct semaphore_set *s;

	if (command == IPC_INFO || command == SEM_INFO)
		return write_info(g, command == SEM_INFO, args[3]);
	if (command == SEM_STAT || command == SEM_STAT_ANY)
		return ipc_status_at(g, IPC_SEMAPHORES, args[0], command == SEM_STAT_ANY, args[3], write_status);
	s = (struct semaphore_set *)ipc_find(g, IPC_SEMAPHORES, args[0]);
	return s ? of_set(g, s, command, args) : -GUEST_EINVAL;
}
