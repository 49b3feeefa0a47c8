/* Options of sockets: those that a program may see the effect of are kept, the others are taken and read as zero. */
#include "guest/calls.h"
#include "guest/socket.h"

enum { LEVEL_SOCKET = 1, LEVEL_IPV6 = 41, ONLY6 = 26, PASS_CREDENTIALS = 16 };

int64_t sys_setsockopt(struct guest *g, const uint64_t *args)
{
	int64_t result;
	struct socket *s = socket_of(g, args[0], &result);
	uint32_t value = 0;

	if (!s)
		return result;
	if (args[4] >= 4 && !user_get32(g, args[3], &value))
		return -GUEST_EFAULT;
	if (args[1] == LEVEL_IPV6 && args[2] == ONLY6)
		s->only6 = value != 0;
	if (args[1] == LEVEL_SOCKET && args[2] == PASS_CREDENTIALS)
		s->wants_owners = value != 0;
	return 0;
}

static uint32_t option_value(const struct socket *s, uint64_t level, uint64_t option)
{
	enum {
		LEVEL_TCP = 6,
		SEGMENT = 2,
		TYPE = 3,
		SEND_ROOM = 7,
		RECEIVE_ROOM = 8,
		LISTENS = 30,
		PROTOCOL = 38,
		DOMAIN = 39
	};

	if (level == LEVEL_TCP && option == SEGMENT) /* as over Linux's loopback interface */
		return s->connected ? 65483 : 536;
	if (level != LEVEL_SOCKET)
		return level == LEVEL_IPV6 && option == ONLY6 ? s->only6 : 0;
	switch (option) {
	case TYPE:
		return s->type;
	case SEND_ROOM:
	case RECEIVE_ROOM:
		return 212992;
	case LISTENS:
		return s->listening;
	case PASS_CREDENTIALS:
		return s->wants_owners;
	case PROTOCOL:
		return s->family == FAMILY_UNIX ? 0 : s->type == TYPE_STREAM ? 6 : 17;
	case DOMAIN:
		return s->family;
	default:
		return 0;
	}
}

int64_t sys_getsockopt(struct guest *g, const uint64_t *args)
{
	enum { LEVEL_IP = 0, IP_OPTIONS = 4, PEER_CREDENTIALS = 17 };
	int64_t result;
	struct socket *s = socket_of(g, args[0], &result);
	uint32_t room, value[3] = {0}, size = 4;

	if (!s)
		return result;
	if (!user_get32(g, args[4], &room))
		return -GUEST_EFAULT;
	if (args[1] == LEVEL_SOCKET && args[2] == PEER_CREDENTIALS) {
		bool known = s->family == FAMILY_UNIX && s->peer_owner;

		value[0] = known ? (uint32_t)s->peer_owner : 0;
		value[1] = value[2] = known ? GUEST_UID : UINT32_MAX;
		size = sizeof(value);
	} else if (args[1] == LEVEL_IP && args[2] == IP_OPTIONS) { /* the packets have none: sshd refuses any */
		size = 0;
	} else {
		value[0] = option_value(s, args[1], args[2]);
	}
	size = room < size ? room : size;
	return user_write(g, args[3], value, size) && user_put32(g, args[4], size) ? 0 : -GUEST_EFAULT;
}
