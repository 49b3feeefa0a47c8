/* A System V message queue. */
#ifndef CULPRIT_GUEST_MESSAGES_H
#define CULPRIT_GUEST_MESSAGES_H

#include "guest/ipc.h"

enum { MESSAGE_MAX = 8192, QUEUE_BYTES_MAX = 16384 };

struct message {
	struct message *next;
	int64_t type;
	uint64_t size;
	uint8_t bytes[];
};

struct message_queue {
	struct ipc_object object;      /* first */
	struct message *first, **last; /* last: where the next one goes */
	int32_t sender, receiver;
	uint64_t sent_at, received_at, changed_at; /* seconds */
	uint64_t bytes, count, limit;
};

/* messages.c */
void queue_drop(struct guest *g, struct message_queue *q);
struct message_queue *queue_from(const struct guest *g, size_t place); /* as ipc_from */
void queue_let_send(struct guest *g, struct message_queue *q);	       /* there may be room again */

#endif
