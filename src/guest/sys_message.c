/* Sending and receiving messages. A message is gathered into a buffer of ours first; a call that waits gathers it again
 * and goes on behind what it has sent. Descriptors are not passed: there is no other process to pass them to. */
#include "guest/calls.h"
#include "guest/socket.h"

#include <stdlib.h>

#define MESSAGE_MAX (4ull << 20) /* bytes of one call; a stream's caller goes on with the rest */
#define PIECES_MAX 1024

struct message {
	uint64_t pieces[PIECES_MAX][2]; /* address, size */
	size_t count;
	uint64_t size; /* together */
	uint64_t name, name_size;
};

static int64_t add_piece(struct message *m, uint64_t address, uint64_t size)
{
	if ((int64_t)size < 0)
		return -GUEST_EINVAL;
	if (size > MESSAGE_MAX - m->size)
		size = MESSAGE_MAX - m->size;
	m->pieces[m->count][0] = address;
	m->pieces[m->count++][1] = size;
	m->size += size;
	return 0;
}

/* struct msghdr: name, its size, pieces, their number, control, its size, flags. */
static int64_t read_header(struct guest *g, uint64_t address, struct message *m)
{
	uint64_t raw[7], piece[2];
	int64_t result = 0;

	if (!user_read(g, raw, address, sizeof(raw)))
		return -GUEST_EFAULT;
	if (raw[3] > PIECES_MAX)
		return -GUEST_EMSGSIZE;
	m->name = raw[0];
	m->name_size = raw[0] ? (uint32_t)raw[1] : 0;
	for (uint64_t i = 0; i < raw[3] && !result; i++)
		result = user_read(g, piece, raw[2] + 16 * i, sizeof(piece)) ? add_piece(m, piece[0], piece[1])
									     : -GUEST_EFAULT;
	return result;
}

static bool move_pieces(struct guest *g, const struct message *m, uint8_t *bytes, uint64_t size, bool gather)
{
	for (size_t i = 0; i < m->count && size; i++) {
		uint64_t step = m->pieces[i][1] < size ? m->pieces[i][1] : size;

		if (gather ? !user_read(g, bytes, m->pieces[i][0], step) : !user_write(g, m->pieces[i][0], bytes, step))
			return false;
		bytes += step;
		size -= step;
	}
	return true;
}

static bool may_wait(struct guest *g, uint64_t fd, unsigned flags)
{
	return !(flags & MESSAGE_DONTWAIT) && !(descriptor_file(g, fd)->flags & GUEST_O_NONBLOCK);
}

static int64_t send_bytes(struct guest *g, uint64_t fd, struct socket *s, const struct message *m, const uint8_t *bytes,
			  unsigned flags)
{
	uint64_t *progress = &g->current->wait.progress;
	struct socket_name to;
	int64_t result = m->name_size ? name_read(g, s, m->name, m->name_size, &to) : 0;

	if (result)
		return result;
	if (m->name_size && s->type != TYPE_DATAGRAM)
		return s->connected ? -GUEST_EISCONN : -GUEST_EOPNOTSUPP;
	if (!m->name_size && !s->connected)
		return s->type == TYPE_DATAGRAM	  ? -GUEST_EDESTADDRREQ
		       : s->family == FAMILY_UNIX ? -GUEST_ENOTCONN
						  : -GUEST_EPIPE;
	socket_name_yourself(g, s);
	result = socket_put(g, s, bytes + *progress, m->size - *progress, m->name_size ? &to : NULL);
	if (result == -GUEST_EPIPE && !(flags & MESSAGE_NOSIGNAL)) {
		struct signal_info broken = {
			.number = GUEST_SIGPIPE, .pid = g->process->pid, .uid = GUEST_UID, .cause = SIGNAL_BROKEN_PIPE};

		signal_send(g, g->current, &broken);
	}
	if (result > 0)
		*progress += (uint64_t)result;
	if (!may_wait(g, fd, flags) || (result < 0 && result != -GUEST_EAGAIN) || *progress == m->size)
		return *progress ? (int64_t)*progress : result;
	return thread_block(g, WAIT_RETRY, NO_DEADLINE, true);
}

static int64_t send_message(struct guest *g, uint64_t fd, const struct message *m, unsigned flags)
{
	int64_t result;
	struct socket *s = socket_of(g, fd, &result);
	uint8_t *bytes;

	if (!s)
		return result;
	bytes = malloc(m->size + 1);
	if (!bytes)
		return -GUEST_ENOMEM;
	result = move_pieces(g, m, bytes, m->size, true) ? send_bytes(g, fd, s, m, bytes, flags) : -GUEST_EFAULT;
	free(bytes);
	return result;
}

/* A datagram that cannot be written to the guest is lost, what came in a stream is not, as in Linux. `name_size_at`:
 * where its size stands. */
static int64_t receive_message(struct guest *g, uint64_t fd, const struct message *m, unsigned flags,
			       uint64_t name_size_at, uint64_t flags_at)
{
	int64_t result;
	struct socket *s = socket_of(g, fd, &result);
	struct socket_name from;
	uint64_t whole;
	uint8_t *bytes;
	unsigned keep;

	if (!s)
		return result;
	bytes = malloc(m->size + 1);
	if (!bytes)
		return -GUEST_ENOMEM;
	keep = s->type == TYPE_STREAM ? MESSAGE_PEEK : 0;
	result = socket_take(g, s, bytes, m->size, flags | keep, &from, &whole);
	if (result > 0 && !move_pieces(g, m, bytes, (uint64_t)result, false))
		result = -GUEST_EFAULT;
	else if (result > 0 && keep && !(flags & MESSAGE_PEEK))
		socket_take(g, s, bytes, (uint64_t)result, flags, &from, &whole);
	free(bytes);
	if (result == -GUEST_EAGAIN && may_wait(g, fd, flags))
		return thread_block(g, WAIT_RETRY, NO_DEADLINE, true);
	if (result < 0)
		return result;
	if (m->name && name_size_at && name_write(g, s, &from, m->name, name_size_at))
		return -GUEST_EFAULT;
	if (flags_at && !user_put32(g, flags_at, whole > m->size ? MESSAGE_TRUNC : 0))
		return -GUEST_EFAULT;
	return (flags & MESSAGE_TRUNC) && whole ? (int64_t)whole : result;
}

int64_t sys_sendto(struct guest *g, const uint64_t *args)
{
	struct message m = {.name = args[4], .name_size = args[4] ? (uint32_t)args[5] : 0};
	int64_t result = add_piece(&m, args[1], args[2]);

	return result ? result : send_message(g, args[0], &m, (unsigned)args[3]);
}

int64_t sys_sendmsg(struct guest *g, const uint64_t *args)
{
	struct message m = {.count = 0};
	int64_t result = read_header(g, args[1], &m);

	return result ? result : send_message(g, args[0], &m, (unsigned)args[2]);
}

int64_t sys_recvfrom(struct guest *g, const uint64_t *args)
{
	struct message m = {.name = args[4]};
	int64_t result = add_piece(&m, args[1], args[2]);

	return result ? result : receive_message(g, args[0], &m, (unsigned)args[3], args[5], 0);
}

int64_t sys_recvmsg(struct guest *g, const uint64_t *args)
{
	enum { NAME_SIZE = 8, CONTROL_SIZE = 40, FLAGS = 48 };
	struct message m = {.count = 0};
	int64_t result = read_header(g, args[1], &m);

	if (!result)
		result = receive_message(g, args[0], &m, (unsigned)args[2], args[1] + NAME_SIZE, args[1] + FLAGS);
	if (result >= 0 && !user_put64(g, args[1] + CONTROL_SIZE, 0))
		return -GUEST_EFAULT;
	return result;
}
