/* Locks on files: flock's belong to an open file, fcntl's to a process, fcntl's of open files (OFD) to those again.
 * flock's and fcntl's do not see each other, as in Linux. A call that waits looks again when a lock goes; who waits for
 * whom in a circle is not found out (Linux says EDEADLK to the last one): then nobody goes on, and the run ends. */
#include "guest/files.h"

#include <stdlib.h>

#define LOCKS_MAX 4096 /* looking for a conflict takes time in proportion */
#define FOR_EVER INT64_MAX

enum lock_kind { LOCK_OF_FLOCK, LOCK_OF_PROCESS, LOCK_OF_FILE };

struct lock {
	struct lock *next;
	enum lock_kind kind;
	uint64_t device, inode;
	const struct open_file *file; /* not held */
	int pid;
	bool exclusive;
	int64_t start, end; /* the last byte */
};

static bool identify(struct guest *g, struct open_file *f, struct lock *l)
{
	struct file_status status;

	if ((!f->ops->seekable && !f->ops->directory) || f->ops->status(g, f, &status))
		return false;
	l->device = status.device;
	l->inode = status.inode;
	l->file = f;
	l->pid = g->process->pid;
	return true;
}

static bool overlap(const struct lock *a, const struct lock *b)
{
	return a->device == b->device && a->inode == b->inode &&
	       (a->kind == LOCK_OF_FLOCK) == (b->kind == LOCK_OF_FLOCK) && a->start <= b->end && b->start <= a->end;
}

static bool same_owner(const struct lock *a, const struct lock *b)
{
	return a->kind == b->kind && (a->kind == LOCK_OF_PROCESS ? a->pid == b->pid : a->file == b->file);
}

/* The first in the file that stands in the way. */
static const struct lock *conflict(const struct guest *g, const struct lock *l)
{
	const struct lock *first = NULL;

	for (const struct lock *other = g->file_locks; other; other = other->next)
		if (overlap(other, l) && !same_owner(other, l) && (other->exclusive || l->exclusive) &&
		    (!first || other->start < first->start))
			first = other;
	return first;
}

static bool add(struct guest *g, const struct lock *l)
{
	struct lock *new = g->file_lock_count < LOCKS_MAX ? malloc(sizeof(*new)) : NULL;

	if (!new)
		return false;
	*new = *l;
	new->next = g->file_locks;
	g->file_locks = new;
	g->file_lock_count++;
	return true;
}

static void drop(struct guest *g, struct lock **link)
{
	struct lock *l = *link;

	*link = l->next;
	g->file_lock_count--;
	free(l);
	threads_retry(g);
}

/* The owner's other locks leave the range: what sticks out of it on both sides becomes two. */
static bool clear(struct guest *g, const struct lock *l)
{
	for (struct lock **link = &g->file_locks, *old; (old = *link);) {
		struct lock behind = *old;

		if (!overlap(old, l) || !same_owner(old, l)) {
			link = &old->next;
			continue;
		}
		if (old->end > l->end && old->start < l->start) {
			behind.start = l->end + 1;
			if (!add(g, &behind))
				return false;
		}
		if (old->start < l->start)
			old->end = l->start - 1;
		else if (old->end > l->end)
			old->start = l->end + 1;
		if (old->start >= l->start && old->end <= l->end) {
			drop(g, link);
			continue;
		}
		threads_retry(g);
		link = &old->next;
	}
	return true;
}

static int64_t take(struct guest *g, const struct lock *l, bool waits)
{
	if (conflict(g, l))
		return waits ? thread_block(g, WAIT_RETRY, NO_DEADLINE, true) : -GUEST_EAGAIN;
	return clear(g, l) && add(g, l) ? 0 : -GUEST_ENOLCK;
}

int64_t lock_whole(struct guest *g, struct open_file *f, unsigned operation)
{
	enum { SHARED = 1, EXCLUSIVE = 2, AT_ONCE = 4, UNLOCK = 8 };
	struct lock l = {.kind = LOCK_OF_FLOCK, .end = FOR_EVER, .exclusive = operation & EXCLUSIVE};
	unsigned what = operation & ~(unsigned)AT_ONCE;

	if (what != SHARED && what != EXCLUSIVE && what != UNLOCK)
		return -GUEST_EINVAL;
	if (!identify(g, f, &l))
		return 0; /* nobody else's */
	if (what == UNLOCK)
		return clear(g, &l) ? 0 : -GUEST_ENOLCK;
	if (conflict(g, &l))
		clear(g, &l); /* to change from shared to exclusive, it is given up first */
	return take(g, &l, !(operation & AT_ONCE));
}

/* struct flock: type, whence, start, length, process. */
#define RECORD 32
enum { RECORD_START = 8, RECORD_LENGTH = 16, RECORD_PID = 24 };
enum { READ_LOCK, WRITE_LOCK, NO_LOCK };

static int64_t read_record(struct open_file *f, const uint8_t *raw, struct lock *l)
{
	unsigned whence = get16(raw + 2);
	int64_t length = (int64_t)get64(raw + RECORD_LENGTH), base;

	if (whence > 2 || get16(raw) > NO_LOCK || (l->kind == LOCK_OF_FILE && get32(raw + RECORD_PID)))
		return -GUEST_EINVAL;
	base = whence == 1 ? (int64_t)f->offset : whence == 2 ? f->ops->size(f) : 0;
	if (__builtin_add_overflow(base, (int64_t)get64(raw + RECORD_START), &l->start))
		return -GUEST_EOVERFLOW;
	if (length < 0 ? __builtin_add_overflow(l->start, length, &base)
		       : __builtin_add_overflow(l->start, length ? length - 1 : 0, &base))
		return -GUEST_EOVERFLOW;
	l->end = length < 0 ? l->start - 1 : length ? base : FOR_EVER;
	l->start = length < 0 ? base : l->start;
	l->exclusive = get16(raw) == WRITE_LOCK;
	return l->start < 0 ? -GUEST_EINVAL : 0;
}

static int64_t tell(struct guest *g, uint64_t address, uint8_t *raw, const struct lock *l)
{
	put16(raw, NO_LOCK);
	if (l) {
		put16(raw, l->exclusive ? WRITE_LOCK : READ_LOCK);
		put16(raw + 2, 0);
		put64(raw + RECORD_START, (uint64_t)l->start);
		put64(raw + RECORD_LENGTH, l->end == FOR_EVER ? 0 : (uint64_t)(l->end - l->start) + 1);
		put32(raw + RECORD_PID, l->kind == LOCK_OF_FILE ? UINT32_MAX : (uint32_t)l->pid);
	}
	return user_write(g, address, raw, RECORD) ? 0 : -GUEST_EFAULT;
}

int64_t lock_record(struct guest *g, struct open_file *f, uint64_t address, enum lock_call call, bool of_file)
{
	struct lock l = {.kind = of_file ? LOCK_OF_FILE : LOCK_OF_PROCESS};
	uint8_t raw[RECORD];
	int64_t result;

	if (!user_read(g, raw, address, sizeof(raw)))
		return -GUEST_EFAULT;
	if (!identify(g, f, &l) || f->ops->directory)
		return call == LOCK_GET ? tell(g, address, raw, NULL) : 0;
	result = read_record(f, raw, &l);
	if (result)
		return result;
	if (call == LOCK_GET)
		return get16(raw) == NO_LOCK ? -GUEST_EINVAL : tell(g, address, raw, conflict(g, &l));
	if (get16(raw) == NO_LOCK)
		return clear(g, &l) ? 0 : -GUEST_ENOLCK;
	if (!(l.exclusive ? file_writable(f) : file_readable(f)))
		return -GUEST_EBADF;
	return take(g, &l, call == LOCK_WAIT);
}

/* --- the ends of locks --- */

void locks_close(struct guest *g, const struct process *p, struct open_file *f)
{
	struct lock l = {.kind = LOCK_OF_PROCESS, .end = FOR_EVER};

	if (!g->file_locks || !identify(g, f, &l))
		return;
	l.pid = p->pid;
	clear(g, &l);
}

void locks_forget(struct guest *g, const struct open_file *f)
{
	for (struct lock **link = &g->file_locks; *link;) {
		if ((*link)->file == f && (*link)->kind != LOCK_OF_PROCESS)
			drop(g, link);
		else
			link = &(*link)->next;
	}
}

void locks_move(struct guest *g, const struct open_file *from, const struct open_file *to)
{
	for (struct lock *l = g->file_locks; l; l = l->next)
		if (l->file == from)
			l->file = to;
}

void locks_destroy(struct guest *g)
{
	while (g->file_locks)
		drop(g, &g->file_locks);
}
