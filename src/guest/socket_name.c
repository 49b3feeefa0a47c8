/* Socket addresses: from and to the guest's struct sockaddr. */
#include "guest/socket.h"

#define INTERNET 18 /* address, port */
#define MAPPED 12   /* bytes before an IPv4 address in an IPv6 one */

static const uint8_t mapped[MAPPED] = {[10] = 0xff, [11] = 0xff};
static const uint8_t loopback6[16] = {[15] = 1};
static const uint8_t nothing[16];

uint16_t name_port(const struct socket_name *name)
{
	return (uint16_t)(name->bytes[16] << 8 | name->bytes[17]);
}

void name_set_port(struct socket_name *name, uint16_t port)
{
	name->bytes[16] = (uint8_t)(port >> 8);
	name->bytes[17] = (uint8_t)port;
}

static bool is_v4(const struct socket_name *name)
{
	return !memcmp(name->bytes, mapped, MAPPED);
}

bool name_is_any(const struct socket_name *name)
{
	return !memcmp(name->bytes, nothing, 16) || (is_v4(name) && !memcmp(name->bytes + MAPPED, nothing, 4));
}

bool name_is_local(const struct socket_name *name)
{
	return name_is_any(name) || (is_v4(name) ? name->bytes[MAPPED] == 127 : !memcmp(name->bytes, loopback6, 16));
}

void name_set_loopback(struct socket_name *name, enum socket_family family)
{
	static const uint8_t four[4] = {127, 0, 0, 1};

	name->size = INTERNET;
	memcpy(name->bytes, family == FAMILY_INET ? mapped : loopback6, MAPPED);
	memcpy(name->bytes + MAPPED, family == FAMILY_INET ? four : loopback6 + MAPPED, 4);
}

static int64_t read_unix(const uint8_t *raw, uint64_t size, struct socket_name *name)
{
	name->size = (unsigned)size - 2;
	memcpy(name->bytes, raw + 2, name->size);
	if (name->size && raw[2]) /* a path ends at its zero */
		name->size = (unsigned)strnlen((const char *)name->bytes, name->size);
	return 0;
}

static int64_t read_internet(const struct socket *s, const uint8_t *raw, uint64_t size, struct socket_name *name)
{
	bool four = get16(raw) == FAMILY_INET;

	if (size < (four ? 16 : 28))
		return -GUEST_EINVAL;
	name->size = INTERNET;
	if (four) {
		memcpy(name->bytes, mapped, MAPPED);
		memcpy(name->bytes + MAPPED, raw + 4, 4);
	} else {
		memcpy(name->bytes, raw + 8, 16);
	}
	memcpy(name->bytes + 16, raw + 2, 2);
	return 0;
}

int64_t name_read(struct guest *g, const struct socket *s, uint64_t address, uint64_t size, struct socket_name *name)
{
	uint8_t raw[128] = {0};

	*name = (struct socket_name){0};
	if (size < 2 || size > sizeof(raw))
		return -GUEST_EINVAL;
	if (!user_read(g, raw, address, size))
		return -GUEST_EFAULT;
	if (get16(raw) != s->family)
		return s->family == FAMILY_UNIX ? -GUEST_EINVAL : -GUEST_EAFNOSUPPORT;
	if (s->family != FAMILY_UNIX)
		return read_internet(s, raw, size, name);
	return size > 2 + NAME_MAX_BYTES ? -GUEST_EINVAL : read_unix(raw, size, name);
}

static uint32_t lay_out(const struct socket *s, const struct socket_name *name, uint8_t *raw)
{
	put16(raw, (uint16_t)s->family);
	if (s->family == FAMILY_UNIX) {
		bool path = name->size && name->bytes[0];

		memcpy(raw + 2, name->bytes, name->size);
		return 2 + name->size + path;
	}
	memcpy(raw + 2, name->bytes + 16, 2);
	if (s->family == FAMILY_INET)
		memcpy(raw + 4, name->bytes + MAPPED, 4);
	else
		memcpy(raw + 8, name->bytes, 16);
	return s->family == FAMILY_INET ? 16 : 28;
}

int64_t name_write(struct guest *g, const struct socket *s, const struct socket_name *name, uint64_t address,
		   uint64_t size_at)
{
	uint8_t raw[2 + NAME_MAX_BYTES + 1] = {0};
	uint32_t size, room;

	if (!address)
		return 0;
	if (!user_get32(g, size_at, &room))
		return -GUEST_EFAULT;
	if ((int32_t)room < 0)
		return -GUEST_EINVAL;
	size = lay_out(s, name, raw);
	if (!user_write(g, address, raw, room < size ? room : size) || !user_put32(g, size_at, size))
		return -GUEST_EFAULT;
	return 0;
}
