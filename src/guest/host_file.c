/* Regular files of the host, read and written at offsets of our own. What differs between hosts in a file's status
 * (inode numbers, owners, access times, blocks) is replaced by values that follow from the run alone. */
#include "guest/archive.h"
#include "guest/files.h"
#include "guest/host_path.h"
#include "guest/path.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#define SECOND 1000000000ull
#define PIECE (64ull << 20)

static size_t inode_slot(const struct guest *g, uint64_t device, uint64_t number)
{
	size_t slot = (number * 0x9e3779b97f4a7c15ull ^ device) >> 20 & (g->inode_slots - 1);

	for (; g->inode_index[slot]; slot = (slot + 1) & (g->inode_slots - 1)) {
		const struct inode *inode = &g->inodes[g->inode_index[slot] - 1];

		if (inode->number == number && inode->device == device)
			break;
	}
	return slot;
}

static bool inode_grow(struct guest *g)
{
	size_t room = g->inode_room ? g->inode_room * 2 : 256;

	if (!guest_charge(g, (room - g->inode_room) * (sizeof(struct inode) + 2 * sizeof(uint32_t))))
		return false;
	struct inode *inodes = realloc(g->inodes, room * sizeof(*inodes));
	uint32_t *index = calloc(2 * room, sizeof(*index));

	if (inodes)
		g->inodes = inodes;
	if (!inodes || !index) {
		free(index);
		return false;
	}
	free(g->inode_index);
	g->inode_index = index;
	g->inode_slots = 2 * room;
	g->inode_room = room;
	for (size_t i = 0; i < g->inode_count; i++)
		index[inode_slot(g, inodes[i].device, inodes[i].number)] = (uint32_t)i + 1;
	return true;
}

/* A later entry for the same host inode takes the place of the earlier one in the index. */
static struct inode *inode_add(struct guest *g, const struct inode *inode)
{
	if (g->inode_count == g->inode_room && !inode_grow(g))
		return NULL;
	g->inodes[g->inode_count] = *inode;
	g->inode_index[inode_slot(g, inode->device, inode->number)] = (uint32_t)++g->inode_count;
	return &g->inodes[g->inode_count - 1];
}

static struct inode *inode_known(struct guest *g, uint64_t device, uint64_t number)
{
	size_t slot;

	if (!g->inode_count)
		return NULL;
	slot = inode_slot(g, device, number);
	return g->inode_index[slot] ? &g->inodes[g->inode_index[slot] - 1] : NULL;
}

static struct inode *inode_of(struct guest *g, uint64_t device, uint64_t number)
{
	struct inode new = {.device = device, .number = number, .written = NO_DEADLINE};
	struct inode *known = inode_known(g, device, number);

	if (known)
		return known;
	new.shown = g->next_inode++ + 2;
	return inode_add(g, &new);
}

uint64_t inode_of_host(struct guest *g, uint64_t device, uint64_t number)
{
	struct inode *inode = inode_of(g, device, number);

	return inode ? inode->shown : 1;
}

void inode_forget_written(struct guest *g, uint64_t device, uint64_t number)
{
	struct inode *inode = inode_known(g, device, number);

	if (inode)
		inode->written = NO_DEADLINE;
}

/* The entry stays, and is nobody's. */
void inode_forget(struct guest *g, uint64_t device, uint64_t number)
{
	struct inode *inode = inode_known(g, device, number);

	if (inode)
		inode->device = inode->number = 0;
}

bool inode_alias(struct guest *g, const struct stat *original, const struct stat *copy)
{
	struct inode *known = inode_known(g, original->st_dev, original->st_ino), alias;

	if (!known)
		return true;
	alias = *known;
	alias.device = copy->st_dev;
	alias.number = copy->st_ino;
	return inode_add(g, &alias) != NULL;
}

/* Nothing that the guest cannot write is newer than its clock, whenever it came onto the host: build systems take a
 * file of the future for one that changes. What lies below a writable directory keeps its order in time. */
static uint64_t modified_on_host(const struct stat *st, bool may_change)
{
	const uint64_t start = GUEST_EPOCH * SECOND;
	int64_t seconds = st->st_mtim.tv_sec;

	if (!may_change && seconds >= (int64_t)GUEST_EPOCH)
		return start;
	return (uint64_t)seconds * SECOND + (uint64_t)st->st_mtim.tv_nsec;
}

void status_of_host(struct guest *g, const struct stat *st, bool may_change, struct file_status *status)
{
	const struct inode *inode = inode_of(g, st->st_dev, st->st_ino);
	bool directory = S_ISDIR(st->st_mode);
	unsigned owner = may_change ? GUEST_UID : 0;

	*status = (struct file_status){
		.device = 1,
		.inode = inode ? inode->shown : 1,
		.size = directory ? 4096 : (uint64_t)st->st_size,
		.mode = st->st_mode,
		.links = directory ? 1 : (uint32_t)st->st_nlink, /* 1: the number of subdirectories is not told */
		.uid = owner,
		.gid = owner,
		.modified = modified_on_host(st, may_change),
	};
	status->blocks = (status->size + 511) / 512;
	if (inode && inode->written != NO_DEADLINE)
		status->modified = inode->written;
}

/* Between two of these the user is asked whether to go on. */
static size_t piece_of(uint64_t size)
{
	return size < PIECE ? size : PIECE;
}

static int64_t host_read(struct guest *g, struct open_file *f, void *to, uint64_t size, uint64_t offset)
{
	uint8_t *at = to;
	uint64_t done = 0;

	while (done < size && !guest_stopping(g)) {
		ssize_t got = pread(f->host, at + done, piece_of(size - done), (off_t)(offset + done));

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0 && !done)
			return -guest_errno_of_host(errno);
		if (got <= 0)
			break;
		done += (uint64_t)got;
	}
	return (int64_t)done;
}

static void host_written(struct guest *g, struct open_file *f)
{
	struct stat st;
	struct inode *inode;

	if (fstat(f->host, &st))
		return;
	inode = inode_of(g, st.st_dev, st.st_ino);
	if (inode)
		inode->written = clock_realtime(g);
}

static int64_t host_write(struct guest *g, struct open_file *f, const void *from, uint64_t size, uint64_t offset)
{
	const uint8_t *at = from;
	uint64_t done = 0;

	while (done < size && !guest_stopping(g)) {
		ssize_t put = pwrite(f->host, at + done, piece_of(size - done), (off_t)(offset + done));

		if (put < 0 && errno == EINTR)
			continue;
		if (put < 0 && !done)
			return -guest_errno_of_host(errno);
		if (put <= 0)
			break;
		done += (uint64_t)put;
	}
	host_written(g, f);
	return (int64_t)done;
}

static int64_t host_size(struct open_file *f)
{
	struct stat st;

	return fstat(f->host, &st) ? -guest_errno_of_host(errno) : (int64_t)st.st_size;
}

static int64_t host_truncate(struct guest *g, struct open_file *f, uint64_t size)
{
	if (ftruncate(f->host, (off_t)size))
		return -guest_errno_of_host(errno);
	host_written(g, f);
	return 0;
}

static int64_t host_status(struct guest *g, struct open_file *f, struct file_status *status)
{
	struct stat st;

	if (fstat(f->host, &st))
		return -guest_errno_of_host(errno);
	status_of_host(g, &st, f->may_change, status);
	return 0;
}

const struct file_ops host_file_ops = {
	.seekable = true,
	.read = host_read,
	.write = host_write,
	.size = host_size,
	.truncate = host_truncate,
	.status = host_status,
};

/* --- for checkpoints --- */

void inodes_archive(struct guest *g, struct archive *a)
{
	const bool loading = a->loading;
	uint64_t count = g->inode_count, next = g->next_inode;

	ARCHIVE(a, next);
	archive_count(a, &count, 1 << 24);
	for (size_t i = 0; i < count && !a->failed && !a->from.failed; i++) {
		struct inode inode = {0};

		if (!loading)
			inode = g->inodes[i];
		ARCHIVE(a, inode.device);
		ARCHIVE(a, inode.number);
		ARCHIVE(a, inode.shown);
		ARCHIVE(a, inode.written);
		if (loading && !inode_add(g, &inode)) {
			archive_no_memory(a);
			break;
		}
	}
	g->next_inode = next;
}

/* Of the first 16 MiB: FNV-1a. */
static uint64_t content_sum(int host)
{
	enum { MOST = 16 << 20, BLOCK = 1 << 16 };
	uint8_t *block = malloc(BLOCK);
	uint64_t sum = 0xcbf29ce484222325ull;
	ssize_t got = 1;

	for (off_t at = 0; block && at < MOST && got > 0; at += got) {
		got = pread(host, block, BLOCK, at);
		for (ssize_t i = 0; i < got; i++)
			sum = (sum ^ block[i]) * 0x100000001b3ull;
	}
	free(block);
	return sum;
}

/* The same file again, wherever it is on this host. */
static bool host_reopen(struct guest *g, struct open_file *f)
{
	struct place place;

	if (!f->path || path_walk(g, (uint64_t)GUEST_AT_FDCWD, f->path, true, &place) || place.kind != PLACE_HOST ||
	    g->host_files >= GUEST_FILES)
		return false;
	f->host = host_open(place.host, O_RDONLY | O_NONBLOCK, 0);
	g->host_files += f->host >= 0;
	return f->host >= 0;
}

static void host_archive(struct guest *g, struct open_file *f, const struct file_list *list, struct archive *a)
{
	uint64_t size = 0, sum = 0;
	int64_t there;

	if (file_writable(f)) {
		archive_fail(a, "%s is open for writing", f->path ? f->path : "a file");
		return;
	}
	if (!a->loading) {
		size = (uint64_t)host_size(f);
		sum = content_sum(f->host);
	}
	ARCHIVE(a, size);
	ARCHIVE(a, sum);
	if (!a->loading)
		return;
	if (!host_reopen(g, f)) {
		archive_fail(a, "%s, which the program has open, is not there", f->path ? f->path : "a file");
		return;
	}
	there = host_size(f);
	if (there < 0 || (uint64_t)there != size || content_sum(f->host) != sum)
		archive_fail(a, "%s is not what it was when the checkpoint was taken", f->path);
}

const struct file_kind host_file_kind = {"a file", &host_file_ops, host_archive};
