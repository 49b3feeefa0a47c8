/* The calls on sockets. */
#include "guest/calls.h"
#include "guest/memory_tree.h"
#include "guest/path.h"
#include "guest/socket.h"
#include "guest/watches.h"

#include <stdlib.h>

enum { NONBLOCK = GUEST_O_NONBLOCK, CLOEXEC = GUEST_O_CLOEXEC, TYPE_MASK = 15 };
#define FIRST_PORT 32768

struct socket *socket_of(struct guest *g, uint64_t fd, int64_t *result)
{
	struct open_file *f = descriptor_file(g, fd);

	*result = f ? -GUEST_ENOTSOCK : -GUEST_EBADF;
	return f && f->ops == &socket_ops ? f->state : NULL;
}

static int64_t check_kind(uint64_t family, uint64_t type, uint64_t protocol)
{
	enum { TCP = 6, UDP = 17 };
	uint64_t kind = type & TYPE_MASK;

	if (family != FAMILY_UNIX && family != FAMILY_INET && family != FAMILY_INET6)
		return -GUEST_EAFNOSUPPORT;
	if (kind == TYPE_STREAM)
		return !protocol || (family != FAMILY_UNIX && protocol == TCP) ? 0 : -GUEST_EPROTONOSUPPORT;
	if (kind == TYPE_DATAGRAM)
		return !protocol || (family != FAMILY_UNIX && protocol == UDP) ? 0 : -GUEST_EPROTONOSUPPORT;
	if (kind == TYPE_PACKETS && family == FAMILY_UNIX)
		return 0;
	return kind == 3 ? -GUEST_EPERM : -GUEST_EPROTONOSUPPORT; /* raw ones are root's */
}

static int64_t descriptor_of(struct guest *g, struct socket *s, uint64_t type)
{
	int64_t fd = descriptor_new(g, &socket_ops, GUEST_O_RDWR | (type & NONBLOCK), s, type & CLOEXEC);

	if (fd < 0)
		socket_destroy(g, s);
	else
		descriptor_file(g, (uint64_t)fd)->changes = &s->changes;
	return fd;
}

int64_t sys_socket(struct guest *g, const uint64_t *args)
{
	int64_t result = check_kind((uint32_t)args[0], args[1], (uint32_t)args[2]);
	struct socket *s;

	if (result)
		return result;
	s = socket_new(g, (enum socket_family)args[0], args[1] & TYPE_MASK);
	return s ? descriptor_of(g, s, args[1]) : -GUEST_ENOMEM;
}

int64_t sys_socketpair(struct guest *g, const uint64_t *args)
{
	struct socket *pair[2];
	int64_t fds[2], result = check_kind((uint32_t)args[0], args[1], (uint32_t)args[2]);
	uint32_t numbers[2];

	if (result)
		return result;
	if (args[0] != FAMILY_UNIX)
		return -GUEST_EOPNOTSUPP;
	for (int i = 0; i < 2; i++) {
		pair[i] = socket_new(g, FAMILY_UNIX, args[1] & TYPE_MASK);
		fds[i] = pair[i] ? descriptor_of(g, pair[i], args[1]) : -GUEST_ENOMEM;
		if (fds[i] < 0) {
			if (i)
				sys_close(g, (uint64_t *)&fds[0]);
			return fds[i];
		}
		numbers[i] = (uint32_t)fds[i];
	}
	socket_join(pair[0], pair[1]);
	if (user_write(g, args[3], numbers, sizeof(numbers)))
		return 0;
	sys_close(g, (uint64_t *)&fds[0]);
	sys_close(g, (uint64_t *)&fds[1]);
	return -GUEST_EFAULT;
}

static void set_name(struct guest *g, struct socket *s, const struct socket_name *name)
{
	s->name = *name;
	if (s->named)
		return;
	s->named = true;
	s->next = g->sockets;
	g->sockets = s;
}

/* A port that nobody has. */
static void choose_port(struct guest *g, const struct socket *s, struct socket_name *name)
{
	do
		name_set_port(name, (uint16_t)(FIRST_PORT + g->next_port++ % (65536 - FIRST_PORT)));
	while (socket_find(g, s, name));
}

/* The name is a path in one of the directories in memory: there a file stands for the socket, as in Linux. Elsewhere
 * the path is a name only. */
static bool path_in_memory(struct guest *g, const struct socket *s, const struct socket_name *name, struct place *place)
{
	char path[NAME_MAX_BYTES + 1] = {0};

	memcpy(path, name->bytes, name->size);
	return s->family == FAMILY_UNIX && *path && !path_walk(g, (uint64_t)GUEST_AT_FDCWD, path, true, place) &&
	       (place->kind == PLACE_MEMORY || (place->kind == PLACE_NOTHING && place->parent));
}

static int64_t make_file(struct guest *g, struct socket *s, const struct place *place)
{
	struct node *node;
	int64_t result = tree_make(g, place->parent, place->guest, S_IFSOCK | (0777 & ~g->process->umask), NULL, &node);

	s->inode = result ? 0 : node->inode;
	if (!result && g->watches)
		watch_made(g, place->guest, S_IFSOCK);
	return result;
}

int64_t sys_bind(struct guest *g, const uint64_t *args)
{
	struct socket_name name;
	struct place place;
	int64_t result;
	struct socket *s = socket_of(g, args[0], &result);

	if (!s)
		return result;
	result = name_read(g, s, args[1], (uint32_t)args[2], &name);
	if (result)
		return result;
	if (s->named)
		return -GUEST_EINVAL;
	if (s->family != FAMILY_UNIX && !name_is_local(&name))
		return -GUEST_EADDRNOTAVAIL;
	if (path_in_memory(g, s, &name, &place))
		result = place.kind == PLACE_MEMORY ? -GUEST_EADDRINUSE : make_file(g, s, &place);
	else if (s->family != FAMILY_UNIX && !name_port(&name))
		choose_port(g, s, &name);
	else if (socket_find(g, s, &name))
		result = -GUEST_EADDRINUSE;
	if (result)
		return result;
	set_name(g, s, &name);
	return 0;
}

void socket_name_yourself(struct guest *g, struct socket *s)
{
	struct socket_name name = {0};

	if (s->family == FAMILY_UNIX || s->named)
		return;
	name_set_loopback(&name, s->family);
	choose_port(g, s, &name);
	set_name(g, s, &name);
}

int64_t sys_listen(struct guest *g, const uint64_t *args)
{
	int64_t result;
	struct socket *s = socket_of(g, args[0], &result);

	if (!s)
		return result;
	if (s->type == TYPE_DATAGRAM)
		return -GUEST_EOPNOTSUPP;
	if (s->connected || (s->family == FAMILY_UNIX && !s->named))
		return -GUEST_EINVAL;
	socket_name_yourself(g, s);
	s->listening = true;
	s->owner = g->process->pid;
	s->backlog = (uint32_t)args[1] < 4096 ? (uint32_t)args[1] + 1 : 4096;
	return 0;
}

static int64_t connect_stream(struct guest *g, struct socket *s, const struct socket_name *name)
{
	struct socket *server = socket_find(g, s, name), *end;
	struct place place;
	bool memory = path_in_memory(g, s, name, &place);

	if (s->connected)
		return -GUEST_EISCONN;
	if (s->listening)
		return -GUEST_EINVAL;
	if (memory && server && place.kind == PLACE_MEMORY && server->inode != place.file->inode)
		server = NULL; /* its file was unlinked: another one's has the name */
	if (memory ? place.kind == PLACE_NOTHING : !server && s->family == FAMILY_UNIX && name->size && name->bytes[0])
		return -GUEST_ENOENT;
	if (!server || !server->listening)
		return -GUEST_ECONNREFUSED;
	if (server->waiting >= server->backlog)
		return -GUEST_EAGAIN;
	end = socket_new(g, server->family, server->type);
	if (!end)
		return -GUEST_ENOMEM;
	socket_name_yourself(g, s);
	end->name = s->family == FAMILY_UNIX ? server->name : *name;
	end->peer_name = s->name;
	end->owner = server->owner;
	s->owner = g->process->pid;
	s->peer_name = *name;
	socket_join(s, end);
	*server->accept_end = end;
	server->accept_end = &end->next;
	server->waiting++;
	server->changes++;
	threads_retry(g);
	return 0;
}

int64_t sys_connect(struct guest *g, const uint64_t *args)
{
	struct open_file *f = descriptor_file(g, args[0]);
	struct socket_name name;
	int64_t result;
	struct socket *s = socket_of(g, args[0], &result);

	if (!s)
		return result;
	result = name_read(g, s, args[1], (uint32_t)args[2], &name);
	if (result)
		return result;
	if (s->family != FAMILY_UNIX && !name_is_local(&name))
		return -GUEST_ENETUNREACH;
	if (s->family != FAMILY_UNIX && name_is_any(&name)) {
		uint16_t port = name_port(&name);

		name_set_loopback(&name, s->family);
		name_set_port(&name, port);
	}
	if (s->type != TYPE_DATAGRAM) {
		result = connect_stream(g, s, &name);
		if (result == -GUEST_EAGAIN && !(f->flags & GUEST_O_NONBLOCK))
			return thread_block(g, WAIT_RETRY, NO_DEADLINE, true);
		return result;
	}
	socket_name_yourself(g, s);
	s->peer_name = name;
	s->connected = true;
	return 0;
}

int64_t sys_accept4(struct guest *g, const uint64_t *args)
{
	struct open_file *f = descriptor_file(g, args[0]);
	int64_t result, fd;
	struct socket *s = socket_of(g, args[0], &result), *end;

	if (!s)
		return result;
	if (!s->listening)
		return -GUEST_EINVAL;
	if (!s->accept_first)
		return f->flags & GUEST_O_NONBLOCK ? -GUEST_EAGAIN : thread_block(g, WAIT_RETRY, NO_DEADLINE, true);
	end = s->accept_first;
	s->accept_first = end->next;
	if (!s->accept_first)
		s->accept_end = &s->accept_first;
	end->next = NULL;
	s->waiting--;
	threads_retry(g);
	fd = descriptor_of(g, end, args[3]);
	if (fd < 0)
		return fd;
	result = name_write(g, end, &end->peer_name, args[1], args[2]);
	if (result)
		sys_close(g, (uint64_t *)&fd);
	return result ? result : fd;
}

int64_t sys_accept(struct guest *g, const uint64_t *args)
{
	const uint64_t full[4] = {args[0], args[1], args[2], 0};

	return sys_accept4(g, full);
}

int64_t sys_getsockname(struct guest *g, const uint64_t *args)
{
	int64_t result;
	struct socket *s = socket_of(g, args[0], &result);

	return s ? name_write(g, s, &s->name, args[1], args[2]) : result;
}

int64_t sys_getpeername(struct guest *g, const uint64_t *args)
{
	int64_t result;
	struct socket *s = socket_of(g, args[0], &result);

	if (!s)
		return result;
	return s->connected ? name_write(g, s, &s->peer_name, args[1], args[2]) : -GUEST_ENOTCONN;
}

int64_t sys_shutdown(struct guest *g, const uint64_t *args)
{
	int64_t result;
	struct socket *s = socket_of(g, args[0], &result);

	if (!s)
		return result;
	if (!s->connected)
		return -GUEST_ENOTCONN;
	if ((uint32_t)args[1] > 2)
		return -GUEST_EINVAL;
	s->no_more_in |= args[1] != 1;
	s->no_more_out |= args[1] != 0;
	s->changes++;
	if (s->peer)
		s->peer->changes++;
	threads_retry(g);
	return 0;
}
