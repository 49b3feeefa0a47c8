/* System V message queues. A message waits in its queue, charged to the guest, until one that asks for its type
 * takes it; or goes at once to one that waits for it. */
#include "guest/calls.h"
#include "guest/messages.h"

#include <stdlib.h>

enum {
	MSG_NOERROR = 010000,
	MSG_EXCEPT = 020000,
	MSG_COPY = 040000,
};

/* With what the host's allocator adds: most of a small one. */
static uint64_t message_cost(uint64_t size)
{
	return sizeof(struct message) + 16 + size;
}

void message_drop(struct guest *g, struct message *m)
{
	guest_uncharge(g, message_cost(m->size));
	free(m);
}

void queue_drop(struct guest *g, struct message_queue *q)
{
	ipc_remove(g, IPC_QUEUES, &q->object);
	while (q->first) {
		struct message *m = q->first;

		q->first = m->next;
		message_drop(g, m);
	}
	guest_uncharge(g, sizeof(*q));
	free(q);
}

struct message_queue *queue_from(const struct guest *g, size_t place)
{
	return (struct message_queue *)ipc_from(g, IPC_QUEUES, place);
}

void messages_destroy(struct guest *g)
{
	for (struct message_queue *q; (q = queue_from(g, 0));)
		queue_drop(g, q);
	free(g->ipc[IPC_QUEUES]);
	g->ipc[IPC_QUEUES] = NULL;
}

static int64_t make(struct guest *g, int32_t key, uint32_t mode)
{
	struct message_queue *q = guest_charge(g, sizeof(*q)) ? calloc(1, sizeof(*q)) : NULL;
	int64_t result;

	if (!q)
		return -GUEST_ENOMEM;
	q->last = &q->first;
	q->object.key = key;
	q->object.mode = mode;
	q->limit = QUEUE_BYTES_MAX;
	q->changed_at = ipc_now(g);
	result = ipc_add(g, IPC_QUEUES, &q->object);
	if (!result)
		return q->object.id;
	guest_uncharge(g, sizeof(*q));
	free(q);
	return result;
}

int64_t sys_msgget(struct guest *g, const uint64_t *args)
{
	int32_t key = (int32_t)args[0];
	const struct ipc_object *o = ipc_with_key(g, IPC_QUEUES, key);
	const int64_t choice = ipc_choose(key, o, args[1]);

	if (choice <= 0)
		return choice ? choice : make(g, key, args[1] & 0777);
	return o->id;
}

/* The queue that a call names, if the mode lets it: 0, or a negated errno. */
static int64_t find(struct guest *g, uint64_t id, uint32_t need, struct message_queue **queue)
{
	*queue = (struct message_queue *)ipc_find(g, IPC_QUEUES, id);
	if (!*queue)
		return -GUEST_EINVAL;
	return (*queue)->object.mode & need ? 0 : -GUEST_EACCES;
}

/* --- who waits to receive --- */

/* Type 0: any; negative: up to its magnitude; else that type, or any other. */
static bool wants(const struct message *m, int64_t type, bool except)
{
	if (type < 0)
		return m->type <= (type == INT64_MIN ? INT64_MAX : -type);
	return !type || (m->type == type) != except;
}

/* The first that waits for such a message has it; one whose buffer is too small has an error instead. */
static bool hand_over(struct guest *g, struct message_queue *q, struct message *m)
{
	struct ipc_waiter *next;

	for (struct ipc_waiter *w = q->object.waiters; w; w = next) {
		const uint64_t *args = w->thread->wait.args; /* of msgrcv */

		next = w->next;
		if (w->message || !wants(m, (int64_t)args[3], args[4] & MSG_EXCEPT))
			continue;
		if (m->size > args[2] && !(args[4] & MSG_NOERROR)) {
			ipc_wait_ends(w, -GUEST_E2BIG);
			continue;
		}
		q->receiver = w->thread->process->pid;
		q->received_at = ipc_now(g);
		ipc_wait_ends(w, 0);
		w->message = m;
		return true;
	}
	return false;
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
	message_drop(g, m);
	return -GUEST_EFAULT;
}

static bool has_room(const struct message_queue *q, const struct message *m)
{
	return q->bytes + m->size <= q->limit && q->count < q->limit;
}

/* Into the queue, or to the first that waits for such a one. */
static void put(struct guest *g, struct message_queue *q, struct message *m, int sender)
{
	q->sender = sender;
	q->sent_at = ipc_now(g);
	if (hand_over(g, q, m))
		return;
	*q->last = m;
	q->last = &m->next;
	q->bytes += m->size;
	q->count++;
}

static bool sends(const struct ipc_waiter *w)
{
	return w->message != NULL;
}

/* There may be room again: who waits to send does, in order of arrival, as far as it fits. */
void queue_let_send(struct guest *g, struct message_queue *q)
{
	struct ipc_waiter *next;

	for (struct ipc_waiter *w = q->object.waiters; w; w = next) {
		struct message *m = w->message;

		next = w->next;
		if (!sends(w) || !has_room(q, m))
			continue;
		w->message = NULL;
		ipc_wait_ends(w, 0);
		put(g, q, m, w->thread->process->pid);
		next = q->object.waiters; /* one that waits to receive may have gone */
	}
}

static int64_t wait_to_send(struct guest *g, struct message_queue *q, struct message *m)
{
	struct ipc_waiter *w = ipc_wait(g, &q->object, 0);

	if (!w) {
		message_drop(g, m);
		return -GUEST_ENOMEM;
	}
	w->message = m;
	return thread_block(g, WAIT_RETRY, NO_DEADLINE, false);
}

int64_t sys_msgsnd(struct guest *g, const uint64_t *args)
{
	struct message_queue *q;
	struct message *m;
	uint64_t type;
	int64_t result;

	if (ipc_resume(g, &result))
		return result;
	if (!user_get64(g, args[1], &type))
		return -GUEST_EFAULT;
	if ((int32_t)args[0] < 0 || args[2] > MESSAGE_MAX || (int64_t)type < 1)
		return -GUEST_EINVAL;
	result = message_new(g, args[1], args[2], &m);
	if (result)
		return result;
	result = find(g, args[0], IPC_WRITE, &q);
	if (!result && has_room(q, m)) {
		put(g, q, m, g->process->pid);
		return 0;
	}
	if (!result && !(args[3] & IPC_NOWAIT))
		return wait_to_send(g, q, m);
	message_drop(g, m);
	return result ? result : -GUEST_EAGAIN;
}

/* --- receiving --- */

/* The first that is wanted; of those up to a type, of the lowest. */
static struct message **choose(struct message_queue *q, int64_t type, bool except)
{
	struct message **best = NULL;

	for (struct message **at = &q->first; *at; at = &(*at)->next) {
		if (!wants(*at, type, except))
			continue;
		if (type >= 0)
			return at;
		if (!best || (*at)->type < (*best)->type)
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
}

static int64_t give(struct guest *g, const struct message *m, const uint64_t *args)
{
	uint64_t size = m->size < args[2] ? m->size : args[2];

	if (!user_write(g, args[1], &m->type, sizeof(m->type)) || !user_write(g, args[1] + 8, m->bytes, size))
		return -GUEST_EFAULT;
	return (int64_t)size;
}

/* The message at that place of the queue stays in it. */
static int64_t copy(struct guest *g, const struct message_queue *q, const uint64_t *args)
{
	const struct message *m = q->first;

	for (int64_t at = (int64_t)args[3]; m && at; at--)
		m = m->next;
	if (!m)
		return -GUEST_ENOMSG;
	if (m->size > args[2])
		return args[4] & MSG_NOERROR ? -GUEST_EINVAL : -GUEST_E2BIG;
	return give(g, m, args);
}

/* It has been waited for, and the sender has handed it over. */
static int64_t received(struct guest *g, const uint64_t *args)
{
	struct ipc_waiter *w = g->current->wait.waiter;
	int64_t result = give(g, w->message, args);

	ipc_forget(g, g->current); /* and the message */
	return result;
}

static int64_t receive(struct guest *g, struct message_queue *q, const uint64_t *args)
{
	struct message **at = choose(q, (int64_t)args[3], args[4] & MSG_EXCEPT), *m;
	int64_t result;

	if (!at && (args[4] & IPC_NOWAIT))
		return -GUEST_ENOMSG;
	if (!at)
		return ipc_wait(g, &q->object, 0) ? thread_block(g, WAIT_RETRY, NO_DEADLINE, false) : -GUEST_ENOMEM;
	m = *at;
	if (m->size > args[2] && !(args[4] & MSG_NOERROR))
		return -GUEST_E2BIG;
	take(g, q, at);
	queue_let_send(g, q);
	result = give(g, m, args);
	message_drop(g, m);
	return result;
}

int64_t sys_msgrcv(struct guest *g, const uint64_t *args)
{
	const struct ipc_waiter *w = g->current->wait.waiter;
	struct message_queue *q;
	int64_t result;

	if (w && !w->object && w->message)
		return received(g, args);
	if (ipc_resume(g, &result))
		return result;
	if ((int32_t)args[0] < 0 || (int64_t)args[2] < 0)
		return -GUEST_EINVAL;
	if ((args[4] & MSG_COPY) && ((args[4] & MSG_EXCEPT) || !(args[4] & IPC_NOWAIT)))
		return -GUEST_EINVAL;
	result = find(g, args[0], IPC_READ, &q);
	if (result)
		return result;
	return args[4] & MSG_COPY ? copy(g, q, args) : receive(g, q, args);
}
