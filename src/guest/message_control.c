/* msgctl, and what is told of message queues. */
#include "guest/calls.h"
#include "guest/messages.h"

/* As struct msqid64_ds of riscv64. */
static int64_t write_status(struct guest *g, const struct ipc_object *o, uint64_t to)
{
	const struct message_queue *q = (const struct message_queue *)o;
	struct {
		struct ipc_owner owner;
		uint64_t sent_at, received_at, changed_at, bytes, count, limit;
		int32_t sender, receiver;
		uint64_t unused[2];
	} status = {.owner = ipc_owner(&q->object),
		    .sent_at = q->sent_at,
		    .received_at = q->received_at,
		    .changed_at = q->changed_at,
		    .bytes = q->bytes,
		    .count = q->count,
		    .limit = q->limit,
		    .sender = q->sender,
		    .receiver = q->receiver};

	_Static_assert(sizeof(status) == 120, "as Linux has it");
	return user_write(g, to, &status, sizeof(status)) ? 0 : -GUEST_EFAULT;
}

/* As struct msginfo: what there may be, and of MSG_INFO what there is. */
static int64_t write_info(struct guest *g, bool used, uint64_t to)
{
	enum { POOL, MAP, MESSAGE, QUEUE, QUEUES, SEGMENT, ALL, SEGMENTS, FIELDS };
	int32_t info[FIELDS] = {
		[POOL] = IPC_OBJECTS_MAX * (QUEUE_BYTES_MAX / 1024),
		[MAP] = QUEUE_BYTES_MAX,
		[MESSAGE] = MESSAGE_MAX,
		[QUEUE] = QUEUE_BYTES_MAX,
		[QUEUES] = IPC_OBJECTS_MAX,
		[SEGMENT] = 16,
		[ALL] = QUEUE_BYTES_MAX,
		[SEGMENTS] = 0xffff,
	};

	if (used) {
		info[POOL] = (int32_t)ipc_count(g, IPC_QUEUES);
		info[MAP] = info[ALL] = 0;
		for (const struct message_queue *q = queue_from(g, 0); q;
		     q = queue_from(g, ipc_place(&q->object) + 1)) {
			info[MAP] += (int32_t)q->count;
			info[ALL] += (int32_t)q->bytes;
		}
	}
	return user_write(g, to, info, sizeof(info)) ? ipc_highest(g, IPC_QUEUES) : -GUEST_EFAULT;
}

void text_messages(struct guest *g, FILE *out)
{
	fputs("       key      msqid perms      cbytes       qnum lspid lrpid   uid   gid  cuid  cgid      stime"
	      "      rtime      ctime\n",
	      out);
	for (const struct message_queue *q = queue_from(g, 0); q; q = queue_from(g, ipc_place(&q->object) + 1))
		fprintf(out, "%10d %10d  %4o  %10lu %10lu %5d %5d %5u %5u %5u %5u %10lu %10lu %10lu\n", q->object.key,
			q->object.id, q->object.mode, (unsigned long)q->bytes, (unsigned long)q->count, q->sender,
			q->receiver, GUEST_UID, GUEST_UID, GUEST_UID, GUEST_UID, (unsigned long)q->sent_at,
			(unsigned long)q->received_at, (unsigned long)q->changed_at);
}

#define LIMIT_AT 88 /* in struct msqid64_ds */

/* Who waits to receive may not be allowed to any more. */
static int64_t set(struct guest *g, struct message_queue *q, uint64_t from)
{
	struct ipc_waiter *next;
	uint64_t limit;
	uint32_t mode;

	if (!user_get32(g, from + IPC_MODE_AT, &mode) || !user_get64(g, from + LIMIT_AT, &limit))
		return -GUEST_EFAULT;
	if (limit > QUEUE_BYTES_MAX)
		return -GUEST_EPERM;
	q->limit = limit;
	q->object.mode = mode & 0777;
	q->changed_at = ipc_now(g);
	for (struct ipc_waiter *w = q->object.waiters; w; w = next) {
		next = w->next;
		if (w->message)
			continue;
		w->anew = true;
		ipc_wait_ends(w, 0);
	}
	queue_let_send(g, q);
	return 0;
}

int64_t sys_msgctl(struct guest *g, const uint64_t *args)
{
	enum { MSG_STAT = 11, MSG_INFO = 12, MSG_STAT_ANY = 13 };
	const uint64_t command = (uint32_t)args[1];
	struct message_queue *q;

	if (command == IPC_INFO || command == MSG_INFO)
		return write_info(g, command == MSG_INFO, args[2]);
	if (command == MSG_STAT || command == MSG_STAT_ANY)
		return ipc_status_at(g, IPC_QUEUES, args[0], command == MSG_STAT_ANY, args[2], write_status);
	q = (struct message_queue *)ipc_find(g, IPC_QUEUES, args[0]);
	if (!q)
		return -GUEST_EINVAL;
	switch (command) {
	case IPC_RMID:
		queue_drop(g, q);
		return 0;
	case IPC_SET:
		return set(g, q, args[2]);
	case IPC_STAT:
		return q->object.mode & IPC_READ ? write_status(g, &q->object, args[2]) : -GUEST_EACCES;
	default:
		return -GUEST_EINVAL;
	}
}
