/* What System V's shared memory, semaphores and message queues share: flags, commands, who an object belongs to.
 * An object is found by its number, which is never given twice, so a call that waited knows that its object was
 * removed. */
#ifndef CULPRIT_GUEST_IPC_H
#define CULPRIT_GUEST_IPC_H

#include "guest/process.h"

#define IPC_OBJECTS_MAX 4096 /* of each kind */

enum {
	IPC_PRIVATE = 0,
	IPC_CREAT = 01000,
	IPC_EXCL = 02000,
	IPC_NOWAIT = 04000,
	IPC_RMID = 0,
	IPC_SET = 1,
	IPC_STAT = 2,
	IPC_READ = 0400, /* of the owner, who every process is */
	IPC_WRITE = 0200,
};

/* As struct ipc64_perm of riscv64, which each object's status begins with. */
struct ipc_owner {
	int32_t key;
	uint32_t uid, gid, creator_uid, creator_gid, mode, sequence, pad;
	uint64_t unused[2];
};
#define IPC_MODE_AT 20

static inline struct ipc_owner ipc_owner(int32_t key, uint32_t mode)
{
	return (struct ipc_owner){.key = key,
				  .uid = GUEST_UID,
				  .gid = GUEST_UID,
				  .creator_uid = GUEST_UID,
				  .creator_gid = GUEST_UID,
				  .mode = mode};
}

static inline uint64_t ipc_now(const struct guest *g)
{
	return clock_realtime(g) / 1000000000;
}

/* What a get call does with its key: 1 = it takes the object that is there, 0 = it makes one, else a negated errno. */
static inline int64_t ipc_choose(int32_t key, bool there, uint64_t flags)
{
	if (key == IPC_PRIVATE)
		return 0;
	if (!there)
		return flags & IPC_CREAT ? 0 : -GUEST_ENOENT;
	return (flags & IPC_CREAT) && (flags & IPC_EXCL) ? -GUEST_EEXIST : 1;
}

/* system_v.c, semaphores.c, messages.c: at the end; what the process asked to have undone when it ends */
void segments_destroy(struct guest *g);
void semaphores_destroy(struct guest *g);
void semaphores_undo(struct guest *g, const struct process *p);
void messages_destroy(struct guest *g);

#endif
