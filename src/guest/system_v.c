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
	SHM_LOCK = 11,
	SHM_UNLOCK = 12,
	SHM_STAT = 13,
	SHM_INFO = 14,
	SHM_STAT_ANY = 15,
	PROT_READ_WRITE = 3,
};

struct segment {
	struct ipc_object object; /* first */
	struct open_file *file;
	int32_t creator, last;
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

static void drop(struct guest *g, struct segment *s)
{
	ipc_remove(g, IPC_SEGMENTS, &s->object);
	file_release(g, s->file);
	guest_uncharge(g, sizeof(*s));
	free(s);
}

static struct segment *next_segment(const struct guest *g, size_t place)
{
	return (struct segment *)ipc_from(g, IPC_SEGMENTS, place);
}

static void sweep(struct guest *g)
{
	struct segment *next;

	for (struct segment *s = next_segment(g, 0); s; s = next) {
		next = next_segment(g, ipc_place(&s->object) + 1);
		if (s->removed && !attachments(s))
			drop(g, s);
	}
}

void segments_destroy(struct guest *g)
{
	for (struct segment *s; (s = next_segment(g, 0));)
		drop(g, s);
	free(g->ipc[IPC_SEGMENTS]);
	g->ipc[IPC_SEGMENTS] = NULL;
}

static struct segment *segment_of(struct guest *g, uint64_t id)
{
	return (struct segment *)ipc_find(g, IPC_SEGMENTS, id);
}

static int64_t make(struct guest *g, int32_t key, uint64_t size, uint32_t mode)
{
	char path[24];
	struct segment *s;
	int64_t result;

	if (!size || size > MEMORY_FILE_MAX)
		return -GUEST_EINVAL;
	s = guest_charge(g, sizeof(*s)) ? calloc(1, sizeof(*s)) : NULL;
	if (!s)
		return -GUEST_ENOMEM;
	snprintf(path, sizeof(path), "/SYSV%08x", (unsigned)key);
	s->file = memory_file_open(g, path, NULL, 0, GUEST_O_RDWR);
	s->object.key = key;
	s->object.mode = mode;
	s->size = size;
	s->creator = g->process->pid;
	s->changed_at = ipc_now(g);
	result = !s->file || memory_resize(g, s->file->state, size) ? -GUEST_ENOMEM
								    : ipc_add(g, IPC_SEGMENTS, &s->object);
	if (!result)
		return s->object.id;
	if (s->file)
		file_release(g, s->file);
	guest_uncharge(g, sizeof(*s));
	free(s);
	return result;
}

/* The key of one that was removed is free. */
int64_t sys_shmget(struct guest *g, const uint64_t *args)
{
	int32_t key = (int32_t)args[0];
	const struct segment *s;

	sweep(g);
	s = (struct segment *)ipc_with_key(g, IPC_SEGMENTS, key);

	const int64_t choice = ipc_choose(key, s, args[2]);
	if (choice <= 0)
		return choice ? choice : make(g, key, args[1], args[2] & 0777);
	return args[1] > s->size ? -GUEST_EINVAL : s->object.id;
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
	struct segment *s = next_segment(g, 0);

	while (s && (!r || !r->common || common_of(s) != r->common))
		s = next_segment(g, ipc_place(&s->object) + 1);
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
static int64_t write_status(struct guest *g, const struct ipc_object *o, uint64_t to)
{
	const struct segment *s = (const struct segment *)o;
	struct {
		struct ipc_owner owner;
		uint64_t size, attached_at, detached_at, changed_at;
		int32_t creator, last;
		uint64_t attachments, more[2];
	} status = {
		.owner = ipc_owner(&s->object),
		.size = s->size,
		.attached_at = s->attached_at,
		.detached_at = s->detached_at,
		.changed_at = s->changed_at,
		.creator = s->creator,
		.last = s->last,
		.attachments = attachments(s),
	};

	_Static_assert(sizeof(status) == 112, "as Linux has it");
	return user_write(g, to, &status, sizeof(status)) ? 0 : -GUEST_EFAULT;
}

/* As struct shminfo64: what there may be. */
static int64_t write_limits(struct guest *g, uint64_t to)
{
	const uint64_t limits[9] = {MEMORY_FILE_MAX, 1, IPC_OBJECTS_MAX, IPC_OBJECTS_MAX,
				    g->memory_limit / GUEST_PAGE_SIZE};

	return user_write(g, to, limits, sizeof(limits)) ? ipc_highest(g, IPC_SEGMENTS) : -GUEST_EFAULT;
}

static uint64_t pages_of(const struct segment *s)
{
	return page_up(s->size) / GUEST_PAGE_SIZE;
}

/* As struct shm_info: what there is. Of resident pages all are told. */
static int64_t write_used(struct guest *g, uint64_t to)
{
	uint64_t used[6] = {ipc_count(g, IPC_SEGMENTS)};

	for (const struct segment *s = next_segment(g, 0); s; s = next_segment(g, ipc_place(&s->object) + 1))
		used[1] += pages_of(s);
	used[2] = used[1];
	return user_write(g, to, used, sizeof(used)) ? ipc_highest(g, IPC_SEGMENTS) : -GUEST_EFAULT;
}

void text_segments(struct guest *g, FILE *out)
{
	fputs("       key      shmid perms                  size  cpid  lpid nattch   uid   gid  cuid  cgid      atime"
	      "      dtime      ctime                   rss                  swap\n",
	      out);
	sweep(g);
	for (const struct segment *s = next_segment(g, 0); s; s = next_segment(g, ipc_place(&s->object) + 1)) {
		fprintf(out, "%10d %10d  %4o %21lu %5d %5d  %5lu %5u %5u %5u %5u ", s->object.key, s->object.id,
			s->object.mode, (unsigned long)s->size, s->creator, s->last, (unsigned long)attachments(s),
			GUEST_UID, GUEST_UID, GUEST_UID, GUEST_UID);
		fprintf(out, "%10lu %10lu %10lu %21lu %21lu\n", (unsigned long)s->attached_at,
			(unsigned long)s->detached_at, (unsigned long)s->changed_at,
			(unsigned long)(pages_of(s) * GUEST_PAGE_SIZE), 0ul);
	}
}

static int64_t set_mode(struct guest *g, struct segment *s, uint64_t from)
{
	uint32_t mode;

	if (!user_read(g, &mode, from + IPC_MODE_AT, sizeof(mode)))
		return -GUEST_EFAULT;
	s->object.mode = (s->object.mode & SHM_DEST) | (mode & 0777);
	s->changed_at = ipc_now(g);
	return 0;
}

/* Attached still, it has no key any more. */
static int64_t remove_segment(struct guest *g, struct segment *s)
{
	s->removed = true;
	s->object.key = IPC_PRIVATE;
	s->object.mode |= SHM_DEST;
	sweep(g);
	return 0;
}

int64_t sys_shmctl(struct guest *g, const uint64_t *args)
{
	struct segment *s;

	sweep(g);
	if (args[1] == IPC_INFO)
		return write_limits(g, args[2]);
	if (args[1] == SHM_INFO)
		return write_used(g, args[2]);
	if (args[1] == SHM_STAT || args[1] == SHM_STAT_ANY)
		return ipc_status_at(g, IPC_SEGMENTS, args[0], args[1] == SHM_STAT_ANY, args[2], write_status);
	s = segment_of(g, args[0]);
	if (!s)
		return -GUEST_EINVAL;
	switch (args[1]) {
	case IPC_RMID:
		return remove_segment(g, s);
	case IPC_STAT:
		return s->object.mode & IPC_READ ? write_status(g, &s->object, args[2]) : -GUEST_EACCES;
	case IPC_SET:
		return set_mode(g, s, args[2]);
	case SHM_LOCK:
	case SHM_UNLOCK:
		return 0;
	default:
		return -GUEST_EINVAL;
	}
}
