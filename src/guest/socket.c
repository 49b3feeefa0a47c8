/* What a socket is: a queue of what it received, and a peer into whose queue it sends. A stream's packets are read as
 * one run of bytes. */
#include "guest/socket.h"

#include <stdlib.h>

#define QUEUE_MAX 212992 /* bytes, as Linux has it by default */
#define DATAGRAM_MAX 65507

struct socket *socket_new(struct guest *g, enum socket_family family, enum socket_type type)
{
	struct socket *s = guest_charge(g, sizeof(*s)) ? calloc(1, sizeof(*s)) : NULL;

	if (!s)
		return NULL;
	s->family = family;
	s->type = type;
	s->owner = g->process->pid;
	s->end = &s->first;
	s->accept_end = &s->accept_first;
	return s;
}

static void unname(struct guest *g, struct socket *s)
{
	struct socket **link = &g->sockets;

	if (!s->named)
		return;
	while (*link != s)
		link = &(*link)->next;
	*link = s->next;
}

static void drop_first(struct guest *g, struct socket *s)
{
	struct packet *p = s->first;

	s->queued -= p->size;
	s->first = p->next;
	parcel_drop(g, p->parcel);
	if (!s->first)
		s->end = &s->first;
	guest_uncharge(g, sizeof(*p) + p->size);
	free(p);
}

void socket_destroy(struct guest *g, struct socket *s)
{
	unname(g, s);
	if (s->peer) {
		s->peer->peer = NULL;
		s->peer->changes++;
	}
	while (s->first)
		drop_first(g, s);
	while (s->accept_first) {
		struct socket *waiting = s->accept_first;

		s->accept_first = waiting->next;
		socket_destroy(g, waiting);
	}
	guest_uncharge(g, sizeof(*s));
	free(s);
	threads_retry(g);
}

void socket_join(struct socket *a, struct socket *b)
{
	a->peer = b;
	b->peer = a;
	a->connected = b->connected = true;
	a->peer_owner = b->owner;
	b->peer_owner = a->owner;
	a->changes++;
	b->changes++;
}

static bool same_name(const struct socket *s, const struct socket *like, const struct socket_name *name)
{
	if (s->type != like->type)
		return false;
	if (like->family == FAMILY_UNIX)
		return s->family == FAMILY_UNIX && s->name.size == name->size &&
		       !memcmp(s->name.bytes, name->bytes, name->size);
	if (s->family == FAMILY_UNIX || name_port(&s->name) != name_port(name))
		return false;
	if (s->family != like->family && (s->family == FAMILY_INET || s->only6))
		return false;
	return name_is_any(&s->name) || name_is_any(name) || !memcmp(s->name.bytes, name->bytes, 16);
}

/* A stream's name is found only where somebody listens. */
struct socket *socket_find(struct guest *g, const struct socket *like, const struct socket_name *name)
{
	struct socket *found = NULL;

	for (struct socket *s = g->sockets; s; s = s->next)
		if (same_name(s, like, name) && (!found || s->listening))
			found = s;
	return found;
}

static struct socket *receiver(struct guest *g, struct socket *s, const struct socket_name *to)
{
	if (!to && s->type == TYPE_DATAGRAM && s->connected && !s->peer)
		to = &s->peer_name;
	return to ? socket_find(g, s, to) : s->peer;
}

int64_t socket_put(struct guest *g, struct socket *s, const uint8_t *from, uint64_t size, const struct socket_name *to,
		   struct parcel **parcel)
{
	struct socket *peer = receiver(g, s, to);
	bool whole = s->type != TYPE_STREAM;
	struct packet *p;

	if (s->no_more_out)
		return -GUEST_EPIPE;
	if (!peer || peer->no_more_in) {
		if (s->type == TYPE_DATAGRAM)
			return s->family == FAMILY_UNIX ? -GUEST_ECONNREFUSED : (int64_t)size;
		return s->connected ? -GUEST_EPIPE : -GUEST_ENOTCONN;
	}
	if (whole && size > (s->family == FAMILY_UNIX ? QUEUE_MAX : DATAGRAM_MAX))
		return -GUEST_EMSGSIZE;
	if (peer->queued >= QUEUE_MAX || (whole && peer->queued && peer->queued + size > QUEUE_MAX))
		return -GUEST_EAGAIN;
	if (size > QUEUE_MAX - peer->queued)
		size = QUEUE_MAX - peer->queued;
	if (!size && !whole)
		return 0;
	p = guest_charge(g, sizeof(*p) + size) ? malloc(sizeof(*p) + size) : NULL;
	if (!p)
		return -GUEST_ENOMEM;
	*p = (struct packet){.from = s->name, .pid = g->process->pid, .parcel = *parcel, .size = size};
	*parcel = NULL;
	memcpy(p->bytes, from, size);
	*peer->end = p;
	peer->end = &p->next;
	peer->queued += size;
	peer->changes++;
	threads_retry(g);
	return (int64_t)size;
}

static bool at_end(const struct socket *s)
{
	return s->no_more_in || (s->connected && s->type != TYPE_DATAGRAM && (!s->peer || s->peer->no_more_out));
}

/* A read ends behind a packet that has a parcel, and where the sender changes if the receiver asks who it is. */
static uint64_t take_stream(struct guest *g, struct socket *s, uint8_t *to, uint64_t size, bool peek, struct taken *t)
{
	uint64_t done = 0;

	t->pid = s->first->pid;
	for (struct packet *p = s->first, *next; p && done < size && !t->parcel; p = next) {
		uint64_t step = p->size - p->taken;

		if (s->wants_owners && p->pid != t->pid)
			break;
		if (step > size - done)
			step = size - done;
		next = p->next;
		memcpy(to + done, p->bytes + p->taken, step);
		done += step;
		t->parcel = p->parcel;
		if (peek)
			continue;
		p->parcel = NULL;
		p->taken += step;
		if (p->taken == p->size)
			drop_first(g, s);
	}
	return done;
}

static uint64_t take_packet(struct guest *g, struct socket *s, uint8_t *to, uint64_t size, bool peek, struct taken *t)
{
	struct packet *p = s->first;
	uint64_t done = size < p->size ? size : p->size;

	*t = (struct taken){.from = p->from, .pid = p->pid, .whole = p->size, .parcel = p->parcel};
	memcpy(to, p->bytes, done);
	if (!peek) {
		p->parcel = NULL;
		drop_first(g, s);
	}
	return done;
}

static uint64_t available(const struct socket *s)
{
	return s->first ? s->queued - s->first->taken : 0;
}

/* With MSG_WAITALL: is there more to come that this read could still take? */
static bool waits(const struct socket *s, uint64_t size)
{
	for (const struct packet *p = s->first; p; p = p->next)
		if (p->parcel)
			return false;
	return available(s) < size && s->queued < QUEUE_MAX && !at_end(s);
}

int64_t socket_take(struct guest *g, struct socket *s, uint8_t *to, uint64_t size, unsigned flags, struct taken *t)
{
	uint64_t done;

	*t = (struct taken){.from = s->peer_name};
	if (s->type == TYPE_STREAM && !s->connected)
		return s->listening ? -GUEST_EINVAL : -GUEST_ENOTCONN;
	if (!s->first)
		return at_end(s) ? 0 : -GUEST_EAGAIN;
	if (s->type == TYPE_STREAM) {
		if ((flags & MESSAGE_WAITALL) && waits(s, size))
			return -GUEST_EAGAIN;
		done = take_stream(g, s, to, size, flags & MESSAGE_PEEK, t);
	} else {
		done = take_packet(g, s, to, size, flags & MESSAGE_PEEK, t);
	}
	if (s->peer)
		s->peer->changes++;
	threads_retry(g);
	return (int64_t)done;
}

static int64_t socket_read(struct guest *g, struct open_file *f, void *to, uint64_t size, uint64_t offset)
{
	struct taken t;
	int64_t done = socket_take(g, f->state, to, size, 0, &t);

	parcel_drop(g, t.parcel);
	return done;
}

static int64_t socket_write(struct guest *g, struct open_file *f, const void *from, uint64_t size, uint64_t offset)
{
	struct parcel *none = NULL;

	return socket_put(g, f->state, from, size, NULL, &none);
}

static uint64_t socket_available(const struct open_file *f)
{
	const struct socket *s = f->state;

	return s->type == TYPE_STREAM || !s->first ? available(s) : s->first->size;
}

static unsigned socket_poll(struct guest *g, struct open_file *f)
{
	enum { HANG_UP_IN = 0x2000 };
	const struct socket *s = f->state;
	unsigned ready = 0;

	if (s->listening)
		return s->accept_first ? READY_IN : 0;
	if (s->type == TYPE_DATAGRAM)
		return (s->first ? READY_IN : 0) | (s->peer && s->peer->queued >= QUEUE_MAX ? 0 : READY_OUT);
	if (!s->connected)
		return READY_OUT | READY_HUP;
	if (s->first || at_end(s))
		ready |= READY_IN;
	if (at_end(s))
		ready |= HANG_UP_IN;
	if (!s->peer || s->peer->queued < QUEUE_MAX)
		ready |= READY_OUT;
	if (!s->peer || (at_end(s) && s->no_more_out))
		ready |= READY_HUP;
	return ready;
}

static int64_t socket_status(struct guest *g, struct open_file *f, struct file_status *status)
{
	nameless_status(g, f, status);
	status->mode = S_IFSOCK | 0777;
	return 0;
}

static void socket_release(struct guest *g, struct open_file *f)
{
	socket_destroy(g, f->state);
}

const struct file_ops socket_ops = {
	.read = socket_read,
	.write = socket_write,
	.available = socket_available,
	.poll = socket_poll,
	.status = socket_status,
	.release = socket_release,
	.name = "socket:[1]",
};
