/* A guest saved and restored: docs/explanation/checkpoint.md. */
#include "guest/archive.h"
#include "guest/ipc.h"
#include "guest/memory_map.h"
#include "guest/memory_tree.h"
#include "guest/path.h"
#include "riscv/vector.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

/* --- all but the pages --- */

static void argv_archive(struct space *s, struct archive *a)
{
	uint64_t count = s->argc;

	archive_count(a, &count, a->loading ? a->from.left : UINT64_MAX);
	if (a->loading && !(s->argv = calloc(count + 1, sizeof(*s->argv))))
		archive_no_memory(a);
	for (size_t i = 0; i < count && s->argv; i++) {
		archive_text(a, &s->argv[i]);
		if (a->loading && s->argv[i])
			s->argc = i + 1;
	}
	if (s->argc != count)
		archive_fail(a, "it has arguments without text");
}

static void auxv_archive(struct space *s, struct archive *a)
{
	uint64_t size = s->auxv_size;

	archive_count(a, &size, a->loading ? 1 << 16 : UINT64_MAX);
	if (a->loading && !(s->auxv = malloc(size + 1)))
		archive_no_memory(a);
	s->auxv_size = size;
	if (s->auxv)
		archive_raw(a, s->auxv, size);
}

static void space_archive(struct space *s, struct archive *a)
{
	archive_text(a, &s->program_path);
	argv_archive(s, a);
	auxv_archive(s, a);
	ARCHIVE(a, s->sigreturn_address);
	ARCHIVE(a, s->argument_start);
	ARCHIVE(a, s->argument_end);
	ARCHIVE(a, s->environment_end);
	if (!s->program_path)
		archive_fail(a, "it has no program");
}

static void process_archive(struct guest *g, struct archive *a)
{
	struct process *p = g->process;

	ARCHIVE(a, g->isa.extensions);
	ARCHIVE(a, g->isa.vlen);
	if ((g->isa.extensions & RISCV_EXT_V) &&
	    (g->isa.vlen < RISCV_VLEN_LEAST || g->isa.vlen > RISCV_VLEN_MOST || (g->isa.vlen & (g->isa.vlen - 1))))
		archive_fail(a, "its vector registers have a length that there is not");
	ARCHIVE(a, p->group);
	ARCHIVE(a, p->session);
	archive_text(a, &p->cwd);
	if (!p->cwd)
		archive_fail(a, "it has no current directory");
	ARCHIVE(a, g->memory_limit);
	ARCHIVE(a, g->clock_skip);
	ARCHIVE(a, g->random_state);
	ARCHIVE(a, g->next_port);
	space_archive(g->space, a);
	archive_raw(a, g->complained, sizeof(g->complained));
	archive_flag(a, &g->complained_process);
}

/* Behind all the rest, and only where there is one: so a checkpoint of before there was can be read. */
static void nice_archive(struct guest *g, struct archive *a)
{
	if (a->failed || (a->loading ? !a->from.left : !g->process->nice))
		return;
	ARCHIVE(a, g->process->nice);
	if (g->process->nice < 0 || g->process->nice > 19)
		archive_fail(a, "its nice value is none");
}

/* What names lead to must be known before files are opened; mappings before what is in them. */
static void rest_archive(struct guest *g, struct archive *a)
{
	static void (*const parts[])(struct guest *, struct archive *) = {
		process_archive, map_archive,	threads_archive, tree_archive,
		inodes_archive,	 files_archive, objects_archive,
	};
	uint64_t used = g->memory_used;

	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++)
		if (!a->failed && !a->from.failed)
			parts[i](g, a);
	ARCHIVE(a, used);
	if (a->loading)
		g->memory_used = used;
	nice_archive(g, a);
}

bool guest_save(struct guest *g, struct bytes *to, struct error *err)
{
	struct archive a = {.to = to};

	if (g->state != GUEST_RUNNING)
		return error_set(err, ERROR_INTERNAL, "a program that has ended cannot be saved");
	if (g->sockets)
		archive_fail(&a, "the program has sockets with names, which cannot be saved yet");
	if (ipc_count(g, IPC_SEGMENTS))
		archive_fail(&a, "the program has System V shared memory, which cannot be saved yet");
	if (ipc_count(g, IPC_SEMAPHORES))
		archive_fail(&a, "the program has System V semaphores, which cannot be saved yet");
	if (ipc_count(g, IPC_QUEUES))
		archive_fail(&a, "the program has System V message queues, which cannot be saved yet");
	if (g->process_count > 1 || g->next_space > 1)
		archive_fail(&a, "the program has made processes, which cannot be saved yet");
	names_archive(g, &a);
	rest_archive(g, &a);
	return archive_good(&a, err);
}

/* The directory that was the root is another one on this host. */
static bool move_root(struct guest *g, const char *sysroot, struct error *err)
{
	char *real = realpath(sysroot, NULL);

	if (!real)
		return error_set(err, ERROR_USAGE, "sysroot: %s: there is no such directory", sysroot);
	for (size_t i = 0; i < g->names.count; i++) {
		struct mount *m = &g->names.mounts[i];

		if (*m->guest)
			continue;
		free(m->host);
		m->host = real;
		return true;
	}
	free(real);
	return error_set(err, ERROR_USAGE, "--sysroot: the checkpoint was taken without one");
}

static bool restore(struct guest *g, const void *state, size_t size, const struct guest_options *how, struct error *err)
{
	struct archive a = {.loading = true, .from = {.at = state, .left = size}};

	g->memory_limit = GUEST_MEMORY_DEFAULT; /* until its own is known */
	TRY(guest_first_process(g, err));
	free(g->process->cwd); /* the archive's */
	g->process->cwd = NULL;
	names_archive(g, &a);
	TRY(archive_good(&a, err));
	if (how->sysroot && *how->sysroot)
		TRY(move_root(g, how->sysroot, err));
	rest_archive(g, &a);
	riscv_code_extend(g->code, g->isa.extensions);
	if (archive_good(&a, err) && a.from.left)
		archive_fail(&a, "something stands behind its end");
	TRY(archive_good(&a, err));
	program_note(g, g->process, g->space->program_path);
	return true;
}

struct guest *guest_restore(const void *state, size_t size, const struct guest_options *how, struct error *err)
{
	struct guest *g = calloc(1, sizeof(*g));

	if (!g) {
		error_set(err, ERROR_SYSTEM, "out of memory");
		return NULL;
	}
	g->strace = how->strace;
	g->one_process = how->one_process;
	g->stack_size = how->stack_size;
	g->shared = -1;
	g->interrupted = how->interrupted;
	if (restore(g, state, size, how, err))
		return g;
	guest_destroy(g);
	return NULL;
}

/* --- pages --- */

/* The host's page table: an entry for each page of the guest. What is in neither memory nor swap is zero. */
static bool is_touched(uint64_t entry)
{
	return entry >> 62 & 3;
}

static bool is_zero(const uint8_t *page)
{
	const uint64_t *words = (const uint64_t *)(const void *)page;

	for (size_t i = 0; i < GUEST_PAGE_SIZE / sizeof(*words); i++)
		if (words[i])
			return false;
	return true;
}

static void visit_region(const struct guest *g, const struct region *r, int table, page_visitor *visit, void *context)
{
	enum { ENTRIES = 512 };
	uint64_t entries[ENTRIES], page = r->start >> GUEST_PAGE_BITS, end = r->end >> GUEST_PAGE_BITS;

	while (page < end) {
		uint64_t count = end - page < ENTRIES ? end - page : ENTRIES;
		uintptr_t host = (uintptr_t)g->memory.base + (page << GUEST_PAGE_BITS);
		size_t wanted = count * sizeof(*entries);
		bool known = table >= 0 &&
			     pread(table, entries, wanted, (off_t)(host >> GUEST_PAGE_BITS) * 8) == (ssize_t)wanted;

		for (uint64_t i = 0; i < count; i++) {
			const uint8_t *bytes = address_space_host(&g->memory, (page + i) << GUEST_PAGE_BITS);

			if ((!known || is_touched(entries[i])) && !is_zero(bytes))
				visit(context, page + i, bytes);
		}
		page += count;
	}
}

void guest_visit_pages(const struct guest *g, page_visitor *visit, void *context)
{
	int table = sysconf(_SC_PAGESIZE) == GUEST_PAGE_SIZE ? open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC) : -1;

	for (const struct region *r = region_from(g, 0); r; r = region_from(g, r->end))
		visit_region(g, r, table, visit, context);
	if (table >= 0)
		close(table);
}

bool guest_put_page(struct guest *g, uint64_t page, const uint8_t *bytes)
{
	if (page >= ADDRESS_SPACE_LIMIT >> GUEST_PAGE_BITS || !(g->memory.perm[page] & PAGE_MAPPED))
		return false;
	memcpy(address_space_host(&g->memory, page << GUEST_PAGE_BITS), bytes, GUEST_PAGE_SIZE);
	return true;
}
