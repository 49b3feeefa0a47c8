/* Sending and receiving messages. A message is gathered into a buffer of ours first; a call that waits gathers it again
 * and goes on behind what it has sent. */
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
	uint64_t control, control_size;
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
	m->control = raw[4];
	m->control_size = raw[5];
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
			  struct parcel **parcel, unsigned flags)
{
	uint64_t *progress = &g->current->wait.progress;
	struct socket_name to;
	int64_t result = m->name_size ? name_read(g, s, m->name, m->name_size, &to) : 0;

	if (result)
		return result;
	if (m->name_size && s->type != TYPE_DATAGRAM)
		return s->connected ? -GUEST_EISCONN : -GUEST_EOPNOTSUPP;
	if (m->name_size && s->family != FAMILY_UNIX && !name_is_local(&to))
		return -GUEST_ENETUNREACH;
	if (!m->name_size && !s->connected)
		return s->type == TYPE_DATAGRAM	  ? -GUEST_EDESTADDRREQ
		       : s->family == FAMILY_UNIX ? -GUEST_ENOTCONN
						  : -GUEST_EPIPE;
	socket_name_yourself(g, s);
	result = socket_put(g, s, bytes + *progress, m->size - *progress, m->name_size ? &to : NULL, parcel);
	if (result == -GUEST_EPIPE && !*progress && !(flags & MESSAGE_NOSIGNAL))
		signal_broken_pipe(g);
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
	struct parcel *parcel = NULL;
	uint8_t *bytes;

	if (!s)
		return result;
	result = g->current->wait.progress ? 0 : parcel_read(g, s, m->control, m->control_size, &parcel);
	if (result)
		return result;
	bytes = malloc(m->size + 1);
	if (!bytes)
		result = -GUEST_ENOMEM;
	else if (!move_pieces(g, m, bytes, m->size, true))
		result = -GUEST_EFAULT;
	else
		result = send_bytes(g, fd, s, m, bytes, &parcel, flags);
	free(bytes);
	parcel_drop(g, parcel);
	return result;
}

/* Into the guest's memory. A datagram that cannot be written there is lost, what came in a stream is not, as in
 * Linux. */
static int64_t take_message(struct guest *g, struct socket *s, const struct message *m, unsigned flags, struct taken *t)
{
	uint8_t *bytes = malloc(m->size + 1);
	unsigned keep = s->type == TYPE_STREAM ? MESSAGE_PEEK : 0;
	int64_t result;

	*t = (struct taken){.whole = 0};
	if (!bytes)
		return -GUEST_ENOMEM;
	result = socket_take(g, s, bytes, m->size, flags | keep, t);
	if (result > 0 && !move_pieces(g, m, bytes, (uint64_t)result, false)) {
		if (!((flags | keep) & MESSAGE_PEEK))
			parcel_drop(g, t->parcel);
		result = -GUEST_EFAULT;
	} else if (result > 0 && keep && !(flags & MESSAGE_PEEK)) {
		socket_take(g, s, bytes, (uint64_t)result, flags, t);
	}
	free(bytes);
	return result;
}

/* What the caller learns beside the bytes: sender, and for recvmsg the control bytes and flags of its header. */
static int64_t tell_about(struct guest *g, const struct socket *s, const struct message *m, unsigned flags,
			  const struct taken *t, uint64_t name_size_at, uint64_t header)
{
	enum { CONTROL_SIZE = 40, FLAGS = 48 };
	uint64_t used;
	int64_t told;

	if (m->name && name_size_at && name_write(g, s, &t->from, m->name, name_size_at))
		return -GUEST_EFAULT;
	if (!header)
		return 0;
	told = parcel_write(g, s, t, m->control, m->control_size, flags, &used);
	if (told < 0)
		return told;
	told |= (flags & MESSAGE_CLOSE_ON_EXEC) | (t->whole > m->size ? MESSAGE_TRUNC : 0);
	return user_put32(g, header + FLAGS, (uint32_t)told) && user_put64(g, header + CONTROL_SIZE, used)
		       ? 0
		       : -GUEST_EFAULT;
}

/* `name_size_at`: where its size stands; `header`: the msghdr, or 0. */
static int64_t receive_message(struct guest *g, uint64_t fd, const struct message *m, unsigned flags,
			       uint64_t name_size_at, uint64_t header)
{
	int64_t result, told;
	struct socket *s = socket_of(g, fd, &result);
	struct taken t;

	if (!s)
		return result;
	result = take_message(g, s, m, flags, &t);
	if (result < 0)
		return result;
	told = tell_about(g, s, m, flags, &t, name_size_at, header);
	if (!(flags & MESSAGE_PEEK))
		parcel_drop(g, t.parcel);
	return told ? told : (flags & MESSAGE_TRUNC) && t.whole ? (int64_t)t.whole : result;
}

/* The call waits where there is nothing and it may. */
static int64_t received(struct guest *g, uint64_t fd, unsigned flags, int64_t result)
{
	return result == -GUEST_EAGAIN && may_wait(g, fd, flags) ? thread_block(g, WAIT_RETRY, NO_DEADLINE, true)
								 : result;
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

	if (!result)
		result = receive_message(g, args[0], &m, (unsigned)args[3], args[5], 0);
	return received(g, args[0], (unsigned)args[3], result);
}

static int64_t receive_at(struct guest *g, uint64_t fd, uint64_t header, unsigned flags)
{
	enum { NAME_SIZE = 8 };
	struct message m = {.count = 0};
	int64_t result = read_header(g, header, &m);

	return result ? result : receive_message(g, fd, &m, flags, header + NAME_SIZE, header);
}

int64_t sys_recvmsg(struct guest *g, const uint64_t *args)
{
	return received(g, args[0], (unsigned)args[2], receive_at(g, args[0], args[1], (unsigned)args[2]));
}

/* --- several at once: a vector of msghdr, each followed by how many bytes went --- */

enum { ITEM_SIZE = 64, ITEM_COUNT = 56, ITEMS_MAX = 1024 };

/* A message behind the first does not wait: the caller sends the rest again. */
int64_t sys_sendmmsg(struct guest *g, const uint64_t *args)
{
	uint64_t count = (uint32_t)args[2] < ITEMS_MAX ? (uint32_t)args[2] : ITEMS_MAX, i;
	int64_t result = 0;

	for (i = 0; i < count && !guest_stopping(g); i++) {
		const uint64_t item = args[1] + ITEM_SIZE * i;
		const uint64_t one[3] = {args[0], item, args[3] | (i ? MESSAGE_DONTWAIT : 0)};

		result = sys_sendmsg(g, one);
		if (result < 0)
			break;
		g->current->wait.progress = 0;
		if (!user_put32(g, item + ITEM_COUNT, (uint32_t)result))
			return i ? (int64_t)i : -GUEST_EFAULT;
	}
	return i ? (int64_t)i : result;
}

/* wait.progress counts the messages. In Linux the time is looked at only when one has come; here it ends the wait. */
int64_t sys_recvmmsg(struct guest *g, const uint64_t *args)
{
	uint64_t count = (uint32_t)args[2] < ITEMS_MAX ? (uint32_t)args[2] : ITEMS_MAX, deadline;
	uint64_t *done = &g->current->wait.progress;
	unsigned flags = (unsigned)args[3] & ~(unsigned)MESSAGE_WAIT_FOR_ONE;
	int64_t result = wait_deadline(g, args[4], &deadline);

	while (*done < count && !result && !guest_stopping(g)) {
		const uint64_t item = args[1] + ITEM_SIZE * *done;

		result = receive_at(g, args[0], item, flags);
		if (result < 0)
			break;
		result = user_put32(g, item + ITEM_COUNT, (uint32_t)result) ? 0 : -GUEST_EFAULT;
		*done += !result;
		if (args[3] & MESSAGE_WAIT_FOR_ONE)
			flags |= MESSAGE_DONTWAIT;
	}
	if (result == -GUEST_EAGAIN && may_wait(g, args[0], flags) && !g->current->wait.timed_out &&
	    deadline > clock_now(g))
		return thread_block(g, WAIT_RETRY, deadline, true);
	return *done ? (int64_t)*done : result;
}
