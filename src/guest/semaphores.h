/* A set of System V semaphores. */
#ifndef CULPRIT_GUEST_SEMAPHORES_H
#define CULPRIT_GUEST_SEMAPHORES_H

#include "guest/process.h"

#define SEMAPHORE_MAX 32767

/* What a process asked to have undone when it ends. */
struct undo {
	struct undo *next;
	int pid;
	int16_t adjust[]; /* one of each semaphore */
};

struct semaphore {
	int32_t value, pid; /* pid: of the last operation */
};

struct semaphore_set {
	struct semaphore_set *next;
	struct undo *undos;
	int32_t key, id;
	uint32_t mode, count;
	uint64_t operated_at, changed_at; /* seconds */
	struct semaphore semaphores[];
};

/* What leads to the set of that number; to NULL: there is none. */
struct semaphore_set **semaphore_set_link(struct guest *g, uint64_t id);
void semaphore_drop_undo(struct guest *g, struct semaphore_set *s, struct undo **link);
/* Calls that wait for this semaphore to be larger, or to be zero. */
int64_t semaphore_waiting(const struct guest *g, const struct semaphore_set *s, uint64_t number, bool for_zero);

#endif
