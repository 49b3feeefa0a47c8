/* What System V's shared memory, semaphores and message queues share: flags, commands, tables of objects, who they
 * belong to, and who waits for them.
 *
 * An object's number is its place in the table, and above that how often the places have been gone round, as in Linux:
 * so it is found at once, and one that was removed is not taken for another. A call that waits is known to the object,
 * in order of arrival. Who makes the wait end does the rest of the call in the waiting one's place, so nobody comes in
 * between. */
#ifndef CULPRIT_GUEST_IPC_H
#define CULPRIT_GUEST_IPC_H

#include "guest/process.h"

#include <stdio.h>

#define IPC_OBJECTS_MAX 4096 /* of each kind */

enum ipc_kind { IPC_SEGMENTS, IPC_SEMAPHORES, IPC_QUEUES };

enum {
	IPC_PRIVATE = 0,
	IPC_CREAT = 01000,
	IPC_EXCL = 02000,
	IPC_NOWAIT = 04000,
	IPC_RMID = 0,
	IPC_SET = 1,
	IPC_STAT = 2,
	IPC_INFO = 3,
	IPC_READ = 0400, /* of the owner, who every process is */
	IPC_WRITE = 0200,
};

/* Every object begins with it. */
struct ipc_object {
	int32_t key, id;
	uint32_t mode;
	struct ipc_waiter *waiters; /* in order of arrival */
};

struct ipc_table {
	struct ipc_object *places[IPC_OBJECTS_MAX];
	uint32_t count, round;
	int32_t last; /* place that was given last */
};

struct ipc_operation { /* of a semaphore */
	uint16_t number;
	int16_t change;
	uint16_t flags;
};

struct ipc_waiter {
	struct ipc_waiter *next;
	struct ipc_object *object; /* NULL: the wait has ended, with `result` */
	struct thread *thread;
	int64_t result;
	bool anew;		 /* it has ended, and the call is made anew */
	struct message *message; /* to be sent; or that was received */
	uint64_t bytes;		 /* charged */
	size_t count, blocking;	 /* operations; the one that cannot be done */
	struct ipc_operation operations[];
};

/* As struct ipc64_perm of riscv64, which each object's status begins with. */
struct ipc_owner {
	int32_t key;
	uint32_t uid, gid, creator_uid, creator_gid, mode, sequence, pad;
	uint64_t unused[2];
};
#define IPC_MODE_AT 20

static inline struct ipc_owner ipc_owner(const struct ipc_object *o)
{
	return (struct ipc_owner){.key = o->key,
				  .uid = GUEST_UID,
				  .gid = GUEST_UID,
				  .creator_uid = GUEST_UID,
				  .creator_gid = GUEST_UID,
				  .mode = o->mode,
				  .sequence = (uint32_t)o->id >> 15};
}

static inline uint64_t ipc_now(const struct guest *g)
{
	return clock_realtime(g) / 1000000000;
}

/* --- ipc.c: the tables --- */

/* With a number; 0, or a negated errno. */
int64_t ipc_add(struct guest *g, enum ipc_kind kind, struct ipc_object *o);
/* Calls that wait for it end with EIDRM. */
void ipc_remove(struct guest *g, enum ipc_kind kind, struct ipc_object *o);
struct ipc_object *ipc_find(const struct guest *g, enum ipc_kind kind, uint64_t id);
struct ipc_object *ipc_with_key(const struct guest *g, enum ipc_kind kind, int32_t key);
/* The first at that place or behind it, or NULL; the place itself, whatever the number's upper part. */
struct ipc_object *ipc_from(const struct guest *g, enum ipc_kind kind, size_t place);
struct ipc_object *ipc_at(const struct guest *g, enum ipc_kind kind, uint64_t place);
/* What `write` tells of the object at this place, whatever its number; which is returned. */
typedef int64_t ipc_status_writer(struct guest *g, const struct ipc_object *o, uint64_t to);
int64_t ipc_status_at(struct guest *g, enum ipc_kind kind, uint64_t place, bool whatever_mode, uint64_t to,
		      ipc_status_writer *write);
size_t ipc_place(const struct ipc_object *o);
uint64_t ipc_count(const struct guest *g, enum ipc_kind kind);
int64_t ipc_highest(const struct guest *g, enum ipc_kind kind); /* place that has one; 0 when there is none, too */
/* What a get call does with its key: 1 = it takes the object that is there, 0 = it makes one, else a negated errno. */
int64_t ipc_choose(int32_t key, bool there, uint64_t flags);

/* --- ipc.c: waiting --- */

/* The running thread's call waits for the object. NULL: no memory. */
struct ipc_waiter *ipc_wait(struct guest *g, struct ipc_object *o, size_t operations);
void ipc_wait_ends(struct ipc_waiter *w, int64_t result);
/* The running thread's call is made again. True: *result is what it returns, or it goes on waiting. */
bool ipc_resume(struct guest *g, int64_t *result);
void ipc_forget(struct guest *g, struct thread *t); /* it waits no more */

/* system_v.c, semaphores.c, messages.c: at the end; what a process asked to have undone when it ends; /proc/sysvipc */
void segments_destroy(struct guest *g);
void semaphores_destroy(struct guest *g);
void semaphores_undo(struct guest *g, const struct process *p);
void messages_destroy(struct guest *g);
void message_drop(struct guest *g, struct message *m);
void text_segments(struct guest *g, FILE *out);
void text_semaphores(struct guest *g, FILE *out);
void text_messages(struct guest *g, FILE *out);

#endif
