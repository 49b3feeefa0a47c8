/* System V message queues. A message waits in its queue, charged to the guest, until one that asks for its type
 * takes it. */
#include "guest/calls.h"
#include "guest/ipc.h"

#include <stdlib.h>

enum {
	MSG_NOERROR = 010000,
	MSG_EXCEPT = 020000,
	MSG_COPY = 040000,
	MESSAGE_MAX = 8192,
	QUEUE_BYTES_MAX = 16384,
};

struct message {
	struct message *next;
	int64_t type;
	uint64_t size;
	uint8_t bytes[];
};

struct message_queue {
	struct message_queue *next;
	struct message *first, **last; /* last: where the next one goes */
	int32_t key, id, sender, receiver;
	uint32_t mode;
	uint64_t sent_at, received_at, changed_at; /* seconds */
	uint64_t bytes, count, limit;
};

/* With what the host's allocator adds: most of a small one. */
static uint64_t message_cost(uint64_t size)
{
	return sizeof(struct message) + 16 + size;
}

static void drop_message(struct guest *g, struct message *m)
{
	guest_uncharge(g, message_cost(m->size));
	free(m);
}

static void drop_queue(struct guest *g, struct message_queue **link)
{
	struct message_queue *q = *link;

	*link = q->next;
	while (q->first) {
		struct message *m = q->first;

		q->first = m->next;
		drop_message(g, m);
	}
	guest_uncharge(g, sizeof(*q));
	free(q);
}

void messages_destroy(struct guest *g)
{
	while (g->message_queues)
		drop_queue(g, &g->message_queues);
}

static struct message_queue **link_of(struct guest *g, uint64_t id)
{
	struct message_queue **link = &g->message_queues;

	while (*link && (*link)->id != (int32_t)id)
		link = &(*link)->next;
	return link;
}

static int64_t make(struct guest *g, int32_t key, uint32_t mode)
{
	struct message_queue *q;
	size_t count = 0;

	for (q = g->message_queues; q; q = q->next)
		count++;
	if (count == IPC_OBJECTS_MAX)
		return -GUEST_ENOSPC;
	if (!guest_charge(g, sizeof(*q)))
		return -GUEST_ENOMEM;
	q = calloc(1, sizeof(*q));
	if (!q) {
		guest_uncharge(g, sizeof(*q));
		return -GUEST_ENOMEM;
	}
	q->last = &q->first;
	q->key = key;
	q->id = g->next_message_queue++;
	q->mode = mode;
	q->limit = QUEUE_BYTES_MAX;
	q->changed_at = ipc_now(g);
	q->next = g->message_queues;
	g->message_queues = q;
	return q->id;
}

int64_t sys_msgget(struct guest *g, const uint64_t *args)
{
	int32_t key = (int32_t)args[0];
	struct message_queue *q = g->message_queues;

	while (q && q->key != key)
		q = q->next;

	const int64_t choice = ipc_choose(key, q, args[1]);
	if (choice <= 0)
		return choice ? choice : make(g, key, args[1] & 0777);
	return q->id;
}

/* The queue that a call names, if the mode lets it: 0, or a negated errno. */
static int64_t find(struct guest *g, uint64_t id, uint32_t need, struct message_queue **queue)
{
	*queue = *link_of(g, id);
	if (!*queue)
		return g->current->wait.retrying ? -GUEST_EIDRM : -GUEST_EINVAL;
	return (*queue)->mode & need ? 0 : -GUEST_EACCES;
}

/* --- sending --- */

static int64_t message_new(struct guest *g, uint64_t address, uint64_t size, struct message **message)
{
	struct message *m = NULL;

	if (guest_charge(g, message_cost(size)) && !(m = malloc(sizeof(*m) + size)))
		guest_uncharge(g, message_cost(size));
	*message = m;
	if (!m)
		return -GUEST_ENOMEM;
	m->next = NULL;
	m->size = size;
	if (user_read(g, m->bytes, address + 8, size) && user_read(g, &m->type, address, sizeof(m->type)))
		return 0;
	drop_message(g, m);
	return -GUEST_EFAULT;
}

static void put(struct guest *g, struct message_queue *q, struct message *m)
{
	*q->last = m;
	q->last = &m->next;
	q->bytes += m->size;
	q->count++;
	q->sender = g->process->pid;
	q->sent_at = ipc_now(g);
	threads_retry(g);
}

int64_t sys_msgsnd(struct guest *g, const uint64_t *args)
{
	struct message_queue *q;
	struct message *m;
	uint64_t type;
	int64_t result;

	if (!user_get64(g, args[1], &type))
		return -GUEST_EFAULT;
	if ((int32_t)args[0] < 0 || args[2] > MESSAGE_MAX || (int64_t)type < 1)
		return -GUEST_EINVAL;
	result = message_new(g, args[1], args[2], &m);
	if (result)
		return result;
	result = find(g, args[0], IPC_WRITE, &q);
	if (!result && q->bytes + m->size <= q->limit && q->count < q->limit) {
		put(g, q, m);
		return 0;
	}
	drop_message(g, m);
	if (result)
		return result;
	return args[3] & IPC_NOWAIT ? -GUEST_EAGAIN : thread_block(g, WAIT_RETRY, NO_DEADLINE, false);
}

/* --- receiving --- */

/* Type 0: the first; negative: the first of the lowest type up to its magnitude; else the first of that type, or of any
 * other. */
static struct message **choose(struct message_queue *q, int64_t type, bool except)
{
	int64_t limit = type == INT64_MIN ? INT64_MAX : -type;
	struct message **best = NULL;

	for (struct message **at = &q->first; *at; at = &(*at)->next) {
		if (!type || (type > 0 && ((*at)->type == type) != except))
			return at;
		if (type < 0 && (*at)->type <= limit && (!best || (*at)->type < (*best)->type))
			best = at;
	}
	return best;
}

static void take(struct guest *g, struct message_queue *q, struct message **at)
{
	struct message *m = *at;

	*at = m->next;
	if (q->last == &m->next)
		q->last = at;
	q->bytes -= m->size;
	q->count--;
	q->receiver = g->process->pid;
	q->received_at = ipc_now(g);
	threads_retry(g);
}

int64_t sys_msgrcv(struct guest *g, const uint64_t *args)
{
	struct message_queue *q;
	struct message **at, *m;
	uint64_t size;
	int64_t result;

	if ((int32_t)args[0] < 0 || (int64_t)args[2] < 0)
		return -GUEST_EINVAL;
	if (args[4] & MSG_COPY)
		return -GUEST_ENOSYS;
	result = find(g, args[0], IPC_READ, &q);
	if (result)
		return result;
	at = choose(q, (int64_t)args[3], args[4] & MSG_EXCEPT);
	if (!at)
		return args[4] & IPC_NOWAIT ? -GUEST_ENOMSG : thread_block(g, WAIT_RETRY, NO_DEADLINE, false);
	m = *at;
	if (m->size > args[2] && !(args[4] & MSG_NOERROR))
		return -GUEST_E2BIG;
	size = m->size < args[2] ? m->size : args[2];
	take(g, q, at);
	if (!user_write(g, args[1], &m->type, sizeof(m->type)) || !user_write(g, args[1] + 8, m->bytes, size))
		result = -GUEST_EFAULT;
	drop_message(g, m);
	return result ? result : (int64_t)size;
}

/* --- msgctl --- */

/* As struct msqid64_ds of riscv64. */
static int64_t write_status(struct guest *g, const struct message_queue *q, uint64_t to)
{
	struct {
		struct ipc_owner owner;
		uint64_t sent_at, received_at, changed_at, bytes, count, limit;
		int32_t sender, receiver;
		uint64_t unused[2];
	} status = {.owner = ipc_owner(q->key, q->mode),
		    .sent_at = q->sent_at,
		    .received_at = q->received_at,
		    .changed_at = q->changed_at,
		    .bytes = q->bytes,
		    .count = q->count,
		    .limit = q->limit,
		    .sender = q->sender,
		    .receiver = q->receiver};

	_Static_assert(sizeof(status) == 120, "as Linux has it");
	if (!(q->mode & IPC_READ))
		return -GUEST_EACCES;
	return user_write(g, to, &status, sizeof(status)) ? 0 : -GUEST_EFAULT;
}

#define LIMIT_AT 88 /* in that structure */

static int64_t set(struct guest *g, struct message_queue *q, uint64_t from)
{
	uint64_t limit;
	uint32_t mode;

	if (!user_get32(g, from + IPC_MODE_AT, &mode) || !user_get64(g, from + LIMIT_AT, &limit))
		return -GUEST_EFAULT;
	if (limit > QUEUE_BYTES_MAX)
		return -GUEST_EPERM;
	q->limit = limit;
	q->mode = mode & 0777;
	q->changed_at = ipc_now(g);
	threads_retry(g);
	return 0;
}

int64_t sys_msgctl(struct guest *g, const uint64_t *args)
{
	struct message_queue **link = link_of(g, args[0]);

	if (!*link)
		return -GUEST_EINVAL;
	switch ((uint32_t)args[1]) {
	case IPC_RMID:
		drop_queue(g, link);
		threads_retry(g);
		return 0;
	case IPC_SET:
		return set(g, *link, args[2]);
	case IPC_STAT:
		return write_status(g, *link, args[2]);
	default:
		return -GUEST_EINVAL;
	}
}
