/* memfd_create: files in memory that are in no directory, and the seals that fcntl puts on them, as Linux 6.12 has
 * them. A seal says what nobody may do to the file any more; none can be taken off. */
#include "guest/archive.h"
#include "guest/calls.h"
#include "guest/memory_map.h"
#include "guest/memory_tree.h"

#include <stdlib.h>

enum seal {
	SEAL_SEAL = 1, /* more seals; on every file that was not made for them */
	SEAL_SHRINK = 2,
	SEAL_GROW = 4,
	SEAL_WRITE = 8,
	SEAL_FUTURE_WRITE = 16, /* but by mappings that there are */
	SEAL_EXEC = 32,		/* changing whether it can be executed */
	SEALS = 63,
	NO_WRITING = SEAL_WRITE | SEAL_FUTURE_WRITE
};

/* It begins as the file does, so that what reads and maps files in memory does so with this one. */
struct memfd {
	struct memory_file file;
	uint32_t mode;
	unsigned seals;
};

static const struct file_ops memfd_ops;

static struct memfd *memfd_of(const struct open_file *f)
{
	return f->ops == &memfd_ops ? f->state : NULL;
}

/* Linux writes page by page: what lies in pages that the size has, goes; the one that it ends in does not. */
static int64_t memfd_write(struct guest *g, struct open_file *f, const void *from, uint64_t size, uint64_t offset)
{
	const struct memfd *m = f->state;
	uint64_t end = page_down(m->file.size);

	if (size && (m->seals & NO_WRITING))
		return -GUEST_EPERM;
	if ((m->seals & SEAL_GROW) && size && (offset > m->file.size || size > m->file.size - offset)) {
		if (offset >= end)
			return -GUEST_EPERM;
		size = end - offset;
	}
	return memory_write(g, f, from, size, offset);
}

static int64_t memfd_truncate(struct guest *g, struct open_file *f, uint64_t size)
{
	struct memfd *m = f->state;

	if ((size < m->file.size && (m->seals & SEAL_SHRINK)) || (size > m->file.size && (m->seals & SEAL_GROW)))
		return -GUEST_EPERM;
	return memory_resize(g, &m->file, size);
}

static int64_t memfd_status(struct guest *g, struct open_file *f, struct file_status *status)
{
	const struct memfd *m = f->state;

	*status = (struct file_status){.device = 2,
				       .inode = 1,
				       .mode = S_IFREG | m->mode,
				       .links = 1,
				       .size = m->file.size,
				       .modified = clock_realtime(g)};
	return 0;
}

static void memfd_release(struct guest *g, struct open_file *f)
{
	memory_drop(g, f->state);
	free(f->state);
}

static const struct file_ops memfd_ops = {
	.seekable = true,
	.read = memory_read,
	.write = memfd_write,
	.size = memory_size,
	.truncate = memfd_truncate,
	.common = memory_common,
	.status = memfd_status,
	.release = memfd_release,
};

int64_t sys_memfd_create(struct guest *g, const uint64_t *args)
{
	enum { CLOEXEC = 1, ALLOW_SEALING = 2, HUGE_PAGES = 4, NOEXEC_SEAL = 8, EXEC = 16, FLAGS = 31 };
	char name[250 + 8] = "/memfd:";
	unsigned flags = (unsigned)args[1];
	bool fixed = flags & NOEXEC_SEAL, sealable = flags & (ALLOW_SEALING | NOEXEC_SEAL);
	int64_t fd;

	if ((!(flags & HUGE_PAGES) && (flags & ~(unsigned)FLAGS)) || (fixed && (flags & EXEC)))
		return -GUEST_EINVAL;
	if (flags & HUGE_PAGES)
		return -GUEST_ENOSYS; /* as a kernel without them */
	fd = user_string(g, args[0], name + 7, sizeof(name) - 7);
	if (fd)
		return fd == -GUEST_ENAMETOOLONG ? -GUEST_EINVAL : fd;

	struct memfd *m = calloc(1, sizeof(*m));
	struct open_file *f = m ? file_new(&memfd_ops, GUEST_O_RDWR, -1, name) : NULL;

	if (!f) {
		free(m);
		return -GUEST_ENOMEM;
	}
	m->mode = fixed ? 0666 : 0777;
	m->seals = (fixed ? SEAL_EXEC : 0) | (sealable ? 0 : SEAL_SEAL);
	f->state = m;
	fd = descriptor_add(g, f, 0, flags & CLOEXEC);
	if (fd < 0)
		file_release(g, f);
	return fd;
}

/* --- seals --- */

int64_t memfd_seals(const struct open_file *f)
{
	const struct memfd *m = memfd_of(f);

	return m ? (int64_t)m->seals : -GUEST_EINVAL;
}

/* Some process has a shared mapping that may be written, now or after mprotect. */
static bool has_writers(const struct guest *g, const struct common *c)
{
	for (const struct process *p = g->processes; c && p; p = p->next) {
		if (process_ended(p))
			continue;
		for (const struct region *r = region_tree_from(p->space->map.regions, 0); r;
		     r = region_tree_from(p->space->map.regions, r->end))
			if (r->common == c && !r->sealed)
				return true;
	}
	return false;
}

int64_t memfd_seal(struct guest *g, struct open_file *f, uint64_t seals)
{
	struct memfd *m = memfd_of(f);

	if (!file_writable(f))
		return -GUEST_EPERM;
	if (!m || (seals & ~(uint64_t)SEALS))
		return -GUEST_EINVAL;
	if (m->seals & SEAL_SEAL)
		return -GUEST_EPERM;
	if ((seals & SEAL_WRITE) && !(m->seals & SEAL_WRITE) && has_writers(g, m->file.common))
		return -GUEST_EBUSY;
	m->seals |= (unsigned)seals;
	if ((seals & SEAL_EXEC) && (m->mode & 0111)) /* a program that stays one does not change either */
		m->seals |= SEAL_SHRINK | SEAL_GROW | NO_WRITING;
	return 0;
}

bool memfd_forbids_writing(const struct open_file *f)
{
	const struct memfd *m = memfd_of(f);

	return m && (m->seals & NO_WRITING);
}

/* --- for checkpoints --- */

static void memfd_archive(struct guest *g, struct open_file *f, const struct file_list *list, struct archive *a)
{
	const bool loading = a->loading;
	struct memfd *m = loading ? calloc(1, sizeof(*m)) : f->state;

	if (!m) {
		archive_no_memory(a);
		return;
	}
	ARCHIVE(a, m->mode);
	ARCHIVE(a, m->seals);
	if (m->seals > SEALS || m->mode > 0777)
		archive_fail(a, "it has a file in memory with seals that there are not");
	memory_archive(&m->file, a);
	if (a->failed && loading) {
		free(m->file.bytes);
		free(m);
	} else {
		f->state = m;
	}
}

const struct file_kind memfd_kind = {"a file in memory", &memfd_ops, memfd_archive};
