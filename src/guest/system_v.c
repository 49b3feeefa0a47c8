/* System V shared memory: segments are files in memory that an attachment maps, under a key instead of a path. A
 * segment that was removed goes with its last attachment; that is seen at the next of these calls. */
#include "guest/calls.h"
#include "guest/ipc.h"
#include "guest/memory_map.h"
#include "guest/memory_tree.h"

#include <stdlib.h>

enum {
	SHM_RDONLY = 010000,
	SHM_RND = 020000,
	SHM_REMAP = 040000,
	SHM_DEST = 01000,
	PROT_READ_WRITE = 3,
};

struct segment {
	struct segment *next;
	struct open_file *file;
	int32_t key, id, creator, last;
	uint32_t mode;
	uint64_t size, attached_at, detached_at, changed_at; /* times: seconds */
	bool removed;
};

static struct common *common_of(const struct segment *s)
{
	const struct memory_file *m = s->file->state;

	return m->common;
}

static uint64_t attachments(const struct segment *s)
{
	return common_of(s) ? common_of(s)->references - 1 : 0;
}

static void drop(struct guest *g, struct segment **link)
{
	struct segment *s = *link;

	*link = s->next;
	file_release(g, s->file);
	guest_uncharge(g, sizeof(*s));
	free(s);
}

static void sweep(struct guest *g)
{
	for (struct segment **link = &g->segments; *link;)
		if ((*link)->removed && !attachments(*link))
			drop(g, link);
		else
			link = &(*link)->next;
}

void segments_destroy(struct guest *g)
{
	while (g->segments)
		drop(g, &g->segments);
}

static struct segment *segment_of(struct guest *g, uint64_t id)
{
	struct segment *s = g->segments;

	while (s && s->id != (int32_t)id)
		s = s->next;
	return s;
}

static int64_t make(struct guest *g, int32_t key, uint64_t size, uint32_t mode)
{
	char path[24];
	struct segment *s;
	size_t count = 0;

	for (s = g->segments; s; s = s->next)
		count++;
	if (!size || size > MEMORY_FILE_MAX)
		return -GUEST_EINVAL;
	if (count == IPC_OBJECTS_MAX)
		return -GUEST_ENOSPC;
	s = guest_charge(g, sizeof(*s)) ? calloc(1, sizeof(*s)) : NULL;
	if (!s)
		return -GUEST_ENOMEM;
	snprintf(path, sizeof(path), "/SYSV%08x", (unsigned)key);
	s->file = memory_file_open(g, path, NULL, 0, GUEST_O_RDWR);
	if (!s->file || memory_resize(g, s->file->state, size)) {
		if (s->file)
			file_release(g, s->file);
		guest_uncharge(g, sizeof(*s));
		free(s);
		return -GUEST_ENOMEM;
	}
	s->key = key;
	s->id = g->next_segment++;
	s->size = size;
	s->mode = mode;
	s->creator = g->process->pid;
	s->changed_at = ipc_now(g);
	s->next = g->segments;
	g->segments = s;
	return s->id;
}

int64_t sys_shmget(struct guest *g, const uint64_t *args)
{
	int32_t key = (int32_t)args[0];
	struct segment *s = g->segments;

	sweep(g);
	while (s && (s->removed || s->key != key))
		s = s->next;

	const int64_t choice = ipc_choose(key, s, args[2]);
	if (choice <= 0)
		return choice ? choice : make(g, key, args[1], args[2] & 0777);
	return args[1] > s->size ? -GUEST_EINVAL : s->id;
}

int64_t sys_shmat(struct guest *g, const uint64_t *args)
{
	struct segment *s = segment_of(g, args[0]);
	uint64_t address = args[1], flags = GUEST_MAP_SHARED;
	int64_t result;

	if (!s || (!address && (args[2] & SHM_REMAP)))
		return -GUEST_EINVAL;
	if (address && (args[2] & SHM_RND))
		address = page_down(address);
	if (address & (GUEST_PAGE_SIZE - 1))
		return -GUEST_EINVAL;
	if (address)
		flags |= args[2] & SHM_REMAP ? GUEST_MAP_FIXED : GUEST_MAP_FIXED_NOREPLACE;
	result = guest_mmap(g, address, page_up(s->size), args[2] & SHM_RDONLY ? GUEST_PROT_READ : PROT_READ_WRITE,
			    flags, s->file, 0);
	if (result < 0)
		return result == -GUEST_EEXIST ? -GUEST_EINVAL : result;
	s->attached_at = ipc_now(g);
	s->last = g->process->pid;
	return result;
}

int64_t sys_shmdt(struct guest *g, const uint64_t *args)
{
	struct region *r = region_at(g, args[0]);
	struct segment *s = g->segments;

	while (s && (!r || !r->common || common_of(s) != r->common))
		s = s->next;
	if (!s || r->start != args[0] || r->common_at)
		return -GUEST_EINVAL;
	if (!region_unmap(g, args[0], args[0] + page_up(s->size)))
		return -GUEST_ENOMEM;
	s->detached_at = ipc_now(g);
	s->last = g->process->pid;
	sweep(g);
	return 0;
}

/* As struct shmid_ds of riscv64. */
static bool write_status(struct guest *g, const struct segment *s, uint64_t to)
{
	struct {
		struct ipc_owner owner;
		uint64_t size, attached_at, detached_at, changed_at;
		int32_t creator, last;
		uint64_t attachments, more[2];
	} status = {
		.owner = ipc_owner(s->removed ? IPC_PRIVATE : s->key, s->mode | (s->removed ? SHM_DEST : 0)),
		.size = s->size,
		.attached_at = s->attached_at,
		.detached_at = s->detached_at,
		.changed_at = s->changed_at,
		.creator = s->creator,
		.last = s->last,
		.attachments = attachments(s),
	};

	_Static_assert(sizeof(status) == 112, "as Linux has it");
	return user_write(g, to, &status, sizeof(status));
}

int64_t sys_shmctl(struct guest *g, const uint64_t *args)
{
	struct segment *s;

	sweep(g);
	s = segment_of(g, args[0]);
	if (!s)
		return -GUEST_EINVAL;
	switch (args[1]) {
	case IPC_RMID:
		s->removed = true;
		sweep(g);
		return 0;
	case IPC_STAT:
		return write_status(g, s, args[2]) ? 0 : -GUEST_EFAULT;
	case IPC_SET: {
		uint32_t mode;

		if (!user_read(g, &mode, args[2] + IPC_MODE_AT, sizeof(mode)))
			return -GUEST_EFAULT;
		s->mode = mode & 0777;
		s->changed_at = ipc_now(g);
		return 0;
	}
	default:
		return -GUEST_EINVAL;
	}
}
