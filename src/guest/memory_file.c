/* Files that live in the simulator: synthesised texts (a snapshot taken at open), and the devices. */
#include "guest/archive.h"
#include "guest/calls.h"
#include "guest/memory_tree.h"

#include <stdlib.h>

int64_t memory_read(struct guest *g, struct open_file *f, void *to, uint64_t size, uint64_t offset)
{
	const struct memory_file *m = f->state;

	if (offset >= m->size || !size)
		return 0;
	if (size > m->size - offset)
		size = m->size - offset;
	memcpy(to, m->bytes + offset, size);
	return (int64_t)size;
}

int64_t memory_resize(struct guest *g, struct memory_file *m, uint64_t size)
{
	if (size > MEMORY_FILE_MAX)
		return -GUEST_EFBIG;
	if (m->common) { /* mapped whole: as much as it may grow */
		if (size > m->room && !guest_charge(g, size - m->room))
			return -GUEST_ENOSPC;
		m->room = size > m->room ? size : m->room;
	} else if (size > m->room) {
		uint64_t room = size + size / 2 + 4096;
		uint8_t *bytes;

		if (!guest_charge(g, room - m->room))
			return -GUEST_ENOSPC;
		bytes = realloc(m->bytes, room);
		if (!bytes) {
			guest_uncharge(g, room - m->room);
			return -GUEST_ENOSPC;
		}
		m->bytes = bytes;
		m->room = room;
	}
	if (size > m->size)
		memset(m->bytes + m->size, 0, size - m->size);
	m->size = size;
	return 0;
}

int64_t memory_write(struct guest *g, struct open_file *f, const void *from, uint64_t size, uint64_t offset)
{
	struct memory_file *m = f->state;

	if (!size)
		return 0;
	if (offset > MEMORY_FILE_MAX || size > MEMORY_FILE_MAX)
		return -GUEST_EFBIG;
	if (offset + size > m->size) {
		int64_t result = memory_resize(g, m, offset + size);

		if (result)
			return result;
	}
	memcpy(m->bytes + offset, from, size);
	return (int64_t)size;
}

static int64_t memory_truncate(struct guest *g, struct open_file *f, uint64_t size)
{
	return memory_resize(g, f->state, size);
}

int64_t memory_size(struct open_file *f)
{
	const struct memory_file *m = f->state;

	return (int64_t)m->size;
}

static int64_t memory_status(struct guest *g, struct open_file *f, struct file_status *status)
{
	const struct memory_file *m = f->state;

	*status = (struct file_status){
		.device = 2, .inode = 1, .mode = S_IFREG | 0444, .links = 1, .modified = clock_realtime(g)};
	if (file_writable(f)) {
		status->mode = S_IFREG | 0600;
		status->size = m->size;
	}
	return 0;
}

void memory_drop(struct guest *g, struct memory_file *m)
{
	guest_uncharge(g, m->room);
	if (m->common)
		memory_unmap(g, m);
	else
		free(m->bytes);
}

static void memory_release(struct guest *g, struct open_file *f)
{
	struct memory_file *m = f->state;

	memory_drop(g, m);
	free(m);
}

static const struct file_ops memory_ops = {
	.seekable = true,
	.read = memory_read,
	.write = memory_write,
	.size = memory_size,
	.truncate = memory_truncate,
	.common = memory_common,
	.status = memory_status,
	.release = memory_release,
};

void memory_archive(struct memory_file *m, struct archive *a)
{
	uint64_t room = m->room;

	ARCHIVE(a, m->size);
	archive_count(a, &room, MEMORY_FILE_MAX + MEMORY_FILE_MAX / 2 + 4096);
	bool fits = !a->loading || (m->size <= room && m->size <= a->from.left);
	if (!fits || (a->loading && room && !(m->bytes = calloc(1, room)))) {
		(void)(fits ? archive_no_memory(a)
			    : archive_fail(a, "it has a file in memory that is larger than it can be"));
		m->size = 0;
		return;
	}
	m->room = room;
	archive_raw(a, m->bytes, m->size);
}

static void memory_file_archive(struct guest *g, struct open_file *f, const struct file_list *list, struct archive *a)
{
	struct memory_file *m = a->loading ? calloc(1, sizeof(*m)) : f->state;

	if (!m) {
		archive_no_memory(a);
		return;
	}
	memory_archive(m, a);
	if (a->failed && a->loading)
		free(m);
	else
		f->state = m;
}

const struct file_kind memory_kind = {"a file in memory", &memory_ops, memory_file_archive};

struct open_file *memory_file_open(struct guest *g, const char *path, char *text, size_t size, unsigned flags)
{
	struct memory_file *m = guest_charge(g, size) ? calloc(1, sizeof(*m)) : NULL;
	struct open_file *f = m ? file_new(&memory_ops, flags, -1, path) : NULL;

	if (!f) {
		if (m)
			guest_uncharge(g, size);
		free(m);
		free(text);
		return NULL;
	}
	m->bytes = (uint8_t *)text;
	m->size = m->room = size;
	f->state = m;
	return f;
}

static int64_t device_status(struct guest *g, struct open_file *f, struct file_status *status)
{
	*status = (struct file_status){.device = 2, .inode = 1, .mode = S_IFCHR | 0666, .links = 1};
	status->rdev = f->ops == &null_ops ? 0x103 : f->ops == &zero_ops ? 0x105 : f->ops == &full_ops ? 0x107 : 0x109;
	return 0;
}

static int64_t null_read(struct guest *g, struct open_file *f, void *to, uint64_t size, uint64_t offset)
{
	return 0;
}

static int64_t null_write(struct guest *g, struct open_file *f, const void *from, uint64_t size, uint64_t offset)
{
	return (int64_t)size;
}

static int64_t full_write(struct guest *g, struct open_file *f, const void *from, uint64_t size, uint64_t offset)
{
	return -GUEST_ENOSPC;
}

static int64_t zero_read(struct guest *g, struct open_file *f, void *to, uint64_t size, uint64_t offset)
{
	memset(to, 0, size);
	return (int64_t)size;
}

static int64_t random_read(struct guest *g, struct open_file *f, void *to, uint64_t size, uint64_t offset)
{
	if (size > RANDOM_MAX)
		size = RANDOM_MAX;
	random_fill(g, to, size);
	return (int64_t)size;
}

static int64_t device_seek(struct guest *g, struct open_file *f, int64_t offset, int whence)
{
	return 0;
}

const struct file_ops null_ops = {.read = null_read, .write = null_write, .seek = device_seek, .status = device_status};
const struct file_ops zero_ops = {.read = zero_read, .write = null_write, .seek = device_seek, .status = device_status};
const struct file_ops full_ops = {.read = zero_read, .write = full_write, .seek = device_seek, .status = device_status};
const struct file_ops random_ops = {
	.read = random_read, .write = null_write, .seek = device_seek, .status = device_status};
