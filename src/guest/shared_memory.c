/* Memory that several mappings have, of one process or of several: ranges of one host file without a name, which each
 * address space maps. The file is sparse, and ranges are never given twice, so that only bytes touched take memory. */
#include "guest/memory_map.h"
#include "guest/memory_tree.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define SHARED_SIZE (1ull << 60)

static int shared_file(void)
{
	int host = memfd_create("culprit", MFD_CLOEXEC);

	if (host >= 0 && ftruncate(host, (off_t)SHARED_SIZE)) {
		close(host);
		host = -1;
	}
	return host;
}

struct common *common_create(struct guest *g, uint64_t size)
{
	struct common *c;

	if (g->shared < 0)
		g->shared = shared_file();
	if (g->shared < 0 || size > SHARED_SIZE - g->shared_end)
		return NULL;
	c = calloc(1, sizeof(*c));
	if (!c)
		return NULL;
	*c = (struct common){
		.link = &g->commons, .next = g->commons, .references = 1, .offset = g->shared_end, .size = size};
	if (c->next)
		c->next->link = &c->next;
	g->commons = c;
	g->shared_end += size;
	return c;
}

struct common *common_retain(struct common *c)
{
	c->references++;
	return c;
}

void common_release(struct guest *g, struct common *c)
{
	if (--c->references)
		return;
	*c->link = c->next;
	if (c->next)
		c->next->link = c->link;
	fallocate(g->shared, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)c->offset, (off_t)c->size);
	free(c->saved);
	free(c);
}

/* --- files in memory --- */

static uint8_t *map_common(const struct guest *g, const struct common *c)
{
	void *at = mmap(NULL, c->size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, g->shared, (off_t)c->offset);

	return at == MAP_FAILED ? NULL : at;
}

struct common *memory_common(struct guest *g, struct open_file *f)
{
	struct memory_file *m = f->state;
	struct common *c;
	uint8_t *bytes;

	if (m->common)
		return common_retain(m->common);
	c = common_create(g, MEMORY_FILE_MAX);
	if (!c)
		return NULL;
	bytes = map_common(g, c);
	if (!bytes) {
		common_release(g, c);
		return NULL;
	}
	if (m->size)
		memcpy(bytes, m->bytes, m->size);
	free(m->bytes);
	m->bytes = bytes;
	m->common = c;
	c->file = m;
	return common_retain(c);
}

void memory_unmap(struct guest *g, struct memory_file *m)
{
	munmap(m->bytes, m->common->size);
	m->common->file = NULL;
	common_release(g, m->common);
}

/* A program in memory, as a host file without a name. */
int memory_host_copy(const struct memory_file *m)
{
	int host = memfd_create("culprit", MFD_CLOEXEC);

	for (uint64_t done = 0; host >= 0 && done < m->size;) {
		ssize_t put = write(host, m->bytes + done, m->size - done);

		if (put > 0) {
			done += (uint64_t)put;
		} else if (errno != EINTR) {
			close(host);
			host = -1;
		}
	}
	return host;
}

/* --- the simulator forks: each side has its own --- */

/* What a process of the simulator would share with its children is copied into its own memory first. */
bool common_save(struct guest *g)
{
	for (struct common *c = g->commons; c; c = c->next) {
		off_t end = (off_t)(c->offset + c->size), at = (off_t)c->offset, last = at;

		while ((at = lseek(g->shared, at, SEEK_DATA)) >= 0 && at < end) {
			at = lseek(g->shared, at, SEEK_HOLE);
			last = at < 0 || at > end ? end : at;
			if (last == end)
				break;
		}
		free(c->saved);
		c->saved_size = (uint64_t)last - c->offset;
		c->saved = malloc(c->saved_size + 1);
		if (!c->saved || pread(g->shared, c->saved, c->saved_size, (off_t)c->offset) < 0)
			return false;
	}
	errno = 0;
	return true;
}

static bool write_all(int host, const char *bytes, uint64_t size, uint64_t at)
{
	while (size) {
		ssize_t put = pwrite(host, bytes, size, (off_t)at);

		if (put <= 0)
			return false;
		bytes += put;
		size -= (uint64_t)put;
		at += (uint64_t)put;
	}
	return true;
}

static bool map_again(struct guest *g, const struct space *s)
{
	struct address_space memory = s->memory;

	for (const struct region *r = region_tree_from(s->map.regions, 0); r;
	     r = region_tree_from(s->map.regions, r->end))
		if (r->common && !address_space_share(&memory, r->start, r->end - r->start, g->shared,
						      r->common->offset + r->common_at))
			return false;
	return true;
}

/* In the child: a file of its own with what was there, mapped wherever the old one was. */
bool common_isolate(struct guest *g)
{
	if (!g->commons)
		return true;
	close(g->shared);
	g->shared = shared_file(); /* the other one is the parent's; nothing here names it any more */
	if (g->shared < 0)
		return false;
	for (struct common *c = g->commons; c; c = c->next) {
		if (c->saved && !write_all(g->shared, c->saved, c->saved_size, c->offset))
			return false;
		if (!c->file)
			continue;
		munmap(c->file->bytes, c->size);
		c->file->bytes = map_common(g, c);
		if (!c->file->bytes)
			return false;
	}
	for (const struct process *p = g->processes; p; p = p->next)
		if (p->space && !map_again(g, p->space))
			return false;
	return true;
}
