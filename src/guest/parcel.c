/* What goes beside a message's bytes: open files (SCM_RIGHTS) and who sent it (SCM_CREDENTIALS). Only UNIX sockets have
 * it; the others ignore what they are given, as in Linux.
 *
 * Sockets that lie in each other's queues, and are open nowhere else, stay until the end of the run (Linux collects
 * them). As many files may be on their way as a process may have open. */
#include "guest/socket.h"

#include <stdlib.h>

#define HEADER 16      /* length, level, type */
#define PARCEL_MAX 253 /* files of one message, as in Linux */
#define CONTROL_MAX 20480
enum { LEVEL_SOCKET = 1, RIGHTS = 1, CREDENTIALS = 2, CREDENTIALS_SIZE = 12 };

static void unlink_parcel(struct parcel *p)
{
	if (!p->link)
		return;
	*p->link = p->next;
	if (p->next)
		p->next->link = p->link;
	p->link = NULL;
}

static size_t parcel_bytes(unsigned count)
{
	return sizeof(struct parcel) + count * sizeof(struct open_file *);
}

static struct parcel *parcel_new(struct guest *g)
{
	struct parcel *p = guest_charge(g, parcel_bytes(PARCEL_MAX)) ? malloc(parcel_bytes(PARCEL_MAX)) : NULL;

	if (!p)
		return NULL;
	*p = (struct parcel){.link = &g->parcels, .next = g->parcels};
	if (p->next)
		p->next->link = &p->next;
	g->parcels = p;
	return p;
}

void parcel_drop(struct guest *g, struct parcel *p)
{
	if (!p)
		return;
	while (p->count) {
		g->files_on_their_way--;
		file_release(g, p->files[--p->count]);
	}
	unlink_parcel(p);
	guest_uncharge(g, parcel_bytes(PARCEL_MAX));
	free(p);
}

/* What is left lies in queues of sockets that lie in parcels: the last file may take its parcel along. */
void parcels_destroy(struct guest *g)
{
	while (g->parcels) {
		struct parcel *p = g->parcels;
		struct open_file *f = p->count ? p->files[--p->count] : NULL;

		if (!p->count)
			unlink_parcel(p);
		if (f)
			file_release(g, f);
	}
}

struct open_file **parcel_file(struct guest *g, size_t number)
{
	for (struct parcel *p = g->parcels; p; p = p->next) {
		if (number < p->count)
			return &p->files[number];
		number -= p->count;
	}
	return NULL;
}

/* --- sending --- */

static int64_t add_files(struct guest *g, struct parcel *p, uint64_t address, uint64_t count)
{
	if (count > PARCEL_MAX - p->count)
		return -GUEST_EINVAL;
	for (uint64_t i = 0; i < count; i++) {
		struct open_file *f;
		uint32_t fd;

		if (!user_get32(g, address + 4 * i, &fd))
			return -GUEST_EFAULT;
		f = descriptor_file(g, fd);
		if (!f || (f->flags & GUEST_O_PATH))
			return -GUEST_EBADF;
		if (g->files_on_their_way == GUEST_FILES)
			return -GUEST_ETOOMANYREFS;
		g->files_on_their_way++;
		file_retain(f);
		p->files[p->count++] = f;
	}
	return 0;
}

/* A process may say who it is, and nobody else. */
static int64_t check_credentials(struct guest *g, uint64_t address, uint64_t size)
{
	uint32_t raw[3];

	if (size != CREDENTIALS_SIZE)
		return -GUEST_EINVAL;
	if (!user_read(g, raw, address, sizeof(raw)))
		return -GUEST_EFAULT;
	return raw[0] == (uint32_t)g->process->pid && raw[1] == GUEST_UID && raw[2] == GUEST_UID ? 0 : -GUEST_EPERM;
}

static int64_t read_item(struct guest *g, struct parcel **p, uint64_t address, uint64_t size, uint32_t type)
{
	if (type == CREDENTIALS)
		return check_credentials(g, address, size);
	if (type != RIGHTS)
		return -GUEST_EINVAL;
	if (!*p)
		*p = parcel_new(g);
	return *p ? add_files(g, *p, address, size / 4) : -GUEST_ENOMEM;
}

int64_t parcel_read(struct guest *g, const struct socket *s, uint64_t address, uint64_t size, struct parcel **parcel)
{
	uint64_t length, step;
	int64_t result = 0;
	uint32_t kind[2]; /* level, type */

	if (size > CONTROL_MAX)
		return -GUEST_ENOBUFS;
	for (uint64_t at = 0; at + HEADER <= size && !result && s->family == FAMILY_UNIX; at += step) {
		if (!user_get64(g, address + at, &length) || !user_read(g, kind, address + at + 8, sizeof(kind)))
			return -GUEST_EFAULT;
		if (length < HEADER || length > size - at)
			return -GUEST_EINVAL;
		step = (length + 7) & ~7ull;
		if (kind[0] == LEVEL_SOCKET)
			result = read_item(g, parcel, address + at + HEADER, length - HEADER, kind[1]);
	}
	if (result || (*parcel && !(*parcel)->count)) {
		parcel_drop(g, *parcel);
		*parcel = NULL;
	}
	return result;
}

/* --- receiving --- */

struct control {
	uint64_t address, room, used;
};

/* One item of what is left of the room; what does not fit is cut off. */
static int64_t put_item(struct guest *g, struct control *to, uint32_t type, const void *data, uint64_t size)
{
	uint8_t raw[HEADER + 4 * PARCEL_MAX + 8] = {0};
	uint64_t left = to->room - to->used, all = HEADER + size, step = (all + 7) & ~7ull;
	int64_t cut = all > left ? MESSAGE_CONTROL_CUT : 0;

	if (left < HEADER)
		return MESSAGE_CONTROL_CUT;
	put64(raw, cut ? left : all);
	put32(raw + 8, LEVEL_SOCKET);
	put32(raw + 12, type);
	memcpy(raw + HEADER, data, size);
	if (!user_write(g, to->address + to->used, raw, cut ? left : all))
		return -GUEST_EFAULT;
	to->used += step < left ? step : left;
	return cut;
}

static int64_t put_files(struct guest *g, struct control *to, const struct parcel *p, bool close_on_exec)
{
	uint64_t left = to->room - to->used, room = left > HEADER ? (left - HEADER) / 4 : 0;
	uint32_t fds[PARCEL_MAX];
	unsigned count = 0;
	int64_t result;

	while (count < p->count && count < room) {
		int64_t fd = descriptor_add(g, p->files[count], 0, close_on_exec);

		if (fd < 0)
			break;
		file_retain(p->files[count]);
		fds[count++] = (uint32_t)fd;
	}
	result = count ? put_item(g, to, RIGHTS, fds, 4 * count) : 0;
	return result ? result : count < p->count ? MESSAGE_CONTROL_CUT : 0;
}

int64_t parcel_write(struct guest *g, const struct socket *s, const struct taken *t, uint64_t address, uint64_t room,
		     unsigned flags, uint64_t *used)
{
	struct control to = {.address = address, .room = address ? room : 0};
	const uint32_t owner[3] = {(uint32_t)t->pid, GUEST_UID, GUEST_UID};
	int64_t result = 0, files;

	if (s->wants_owners && s->family == FAMILY_UNIX)
		result = put_item(g, &to, CREDENTIALS, owner, sizeof(owner));
	if (t->parcel && result >= 0) {
		files = put_files(g, &to, t->parcel, flags & MESSAGE_CLOSE_ON_EXEC);
		result = files < 0 ? files : result | files;
	}
	*used = to.used;
	return result;
}
