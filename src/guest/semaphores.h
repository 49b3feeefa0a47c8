/* A set of System V semaphores. */
#ifndef CULPRIT_GUEST_SEMAPHORES_H
#define CULPRIT_GUEST_SEMAPHORES_H

#include "guest/ipc.h"

#define SEMAPHORE_MAX 32767
#define SEMAPHORE_OPERATIONS_MAX 500 /* of one call */

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
	struct ipc_object object; /* first */
	struct undo *undos;
	uint32_t count;
	uint64_t operated_at, changed_at; /* seconds */
	struct semaphore semaphores[];
};

/* Values have changed: what can be done now for calls that wait is done. */
void semaphores_update(struct guest *g, struct semaphore_set *s);
void semaphore_drop_undo(struct guest *g, struct semaphore_set *s, struct undo **link);
/* Calls that wait for this semaphore to be larger, or to be zero. */
int64_t semaphore_waiting(const struct semaphore_set *s, uint64_t number, bool for_zero);

#endif
