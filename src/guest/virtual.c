/* The synthesised files of /proc, /sys and /dev: what a machine with one RV64GC core would show, so that a run does not
 * depend on the host's. One row each in virtual.def. */
#include "guest/path.h"

#include "base/memory_stream.h"
#include "guest/files.h"
#include "guest/ipc.h"
#include "guest/memory_map.h"
#include "guest/terminal.h"

#include <stdlib.h>

#define SECOND 1000000000ull

static void text_self(struct guest *g, FILE *out)
{
	fprintf(out, "%d", g->process->pid);
}
static void text_thread_self(struct guest *g, FILE *out)
{
	fprintf(out, "%d/task/%d", g->process->pid, g->current->tid);
}
static void text_loadavg(struct guest *g, FILE *out)
{
	fprintf(out, "0.00 0.00 0.00 1/%zu %d\n", g->process_count, g->next_tid - 1);
}
static void text_auxv(struct guest *g, FILE *out)
{
	fwrite(g->space->auxv, 1, g->space->auxv_size, out);
}
/* While the program is still being found (it may be a script that names a file of /proc) there is no path and no
 * thread to tell of. */
static void text_exe(struct guest *g, FILE *out)
{
	if (g->space->program_path)
		fputs(g->space->program_path, out);
}
static bool is_told(const struct guest *g, const struct thread *t)
{
	return t->process == g->process && (!g->told || t->tid == g->told);
}
static int told_number(const struct guest *g)
{
	return g->told ? g->told : g->process->pid;
}
static const char *told_name(const struct guest *g)
{
	for (const struct thread *t = g->threads; t; t = t->next)
		if (is_told(g, t))
			return t->name;
	return "";
}
static void text_cwd(struct guest *g, FILE *out)
{
	fputs(*g->process->cwd ? g->process->cwd : "/", out);
}
static void text_comm(struct guest *g, FILE *out)
{
	fprintf(out, "%s\n", told_name(g));
}

static void text_cpuinfo(struct guest *g, FILE *out)
{
	char isa[512];

	riscv_isa_string(&g->isa, isa, sizeof(isa));
	fprintf(out,
		"processor\t: 0\nhart\t\t: 0\nisa\t\t: %s\nmmu\t\t: sv39\nmvendorid\t: 0x0\nmarchid\t\t: 0x0\n"
		"mimpid\t\t: 0x0\nhart isa\t: %s\n\n",
		isa, isa);
}

static void text_meminfo(struct guest *g, FILE *out)
{
	unsigned long total = g->memory_limit >> 10, left = (g->memory_limit - g->memory_used) >> 10;

	fprintf(out,
		"MemTotal:       %8lu kB\nMemFree:        %8lu kB\nMemAvailable:   %8lu kB\nBuffers:               0 "
		"kB\n"
		"Cached:                0 kB\nSwapTotal:             0 kB\nSwapFree:              0 kB\n",
		total, left, left);
}

static void text_stat(struct guest *g, FILE *out)
{
	unsigned long ticks = g->hart.instret / (SECOND / GUEST_HZ);

	fprintf(out, "cpu  %lu 0 0 0 0 0 0 0 0 0\ncpu0 %lu 0 0 0 0 0 0 0 0 0\nbtime %llu\n", ticks, ticks, GUEST_EPOCH);
}

static void text_shared_pages(struct guest *g, FILE *out)
{
	fprintf(out, "%lu\n", (unsigned long)(g->memory_limit / GUEST_PAGE_SIZE));
}

static void text_uptime(struct guest *g, FILE *out)
{
	uint64_t now = clock_now(g) + 1000 * SECOND;

	fprintf(out, "%lu.%02lu 0.00\n", (unsigned long)(now / SECOND), (unsigned long)(now % SECOND / (SECOND / 100)));
}

static void text_strings(struct guest *g, FILE *out, uint64_t start, uint64_t end)
{
	if (end > start && user_span(g, start, end - start, PAGE_READ) == end - start)
		fwrite(address_space_host(&g->memory, start), 1, end - start, out);
}

static void text_cmdline(struct guest *g, FILE *out)
{
	text_strings(g, out, g->space->argument_start, g->space->argument_end);
}

static void text_environ(struct guest *g, FILE *out)
{
	text_strings(g, out, g->space->argument_end, g->space->environment_end);
}

static uint64_t mapped_bytes(const struct guest *g)
{
	uint64_t total = 0;

	for (const struct region *r = region_from(g, 0); r; r = region_from(g, r->end))
		total += r->end - r->start;
	return total;
}

static const char *region_label(const struct guest *g, const struct region *r)
{
	if (r->path)
		return r->path;
	return r->start >= g->space->map.brk_start && r->end <= page_up(g->space->map.brk) ? "[heap]" : "";
}

static void text_maps(struct guest *g, FILE *out)
{
	for (const struct region *r = region_from(g, 0); r; r = region_from(g, r->end)) {
		const char *label = region_label(g, r);
		int width = fprintf(out, "%lx-%lx %c%c%c%c %08lx 00:00 %d", r->start, r->end,
				    r->perm & PAGE_READ ? 'r' : '-', r->perm & PAGE_WRITE ? 'w' : '-',
				    r->perm & PAGE_EXEC ? 'x' : '-', r->shared ? 's' : 'p',
				    *label == '/' ? r->offset : 0, *label == '/');

		if (*label)
			fprintf(out, "%*s%s", width < 73 ? 73 - width : 1, "", label);
		fputc('\n', out);
	}
}

/* As its first letter: it runs or could, waits, or is stopped. */
static const char *process_state(const struct guest *g)
{
	if (g->process->stopped)
		return "T (stopped)";
	for (const struct thread *t = g->threads; t; t = t->next)
		if (is_told(g, t) && t->wait.kind == WAIT_NONE)
			return "R (running)";
	return "S (sleeping)";
}

static void text_pid_stat(struct guest *g, FILE *out)
{
	const struct process *p = g->process;
	unsigned long ticks = process_ran(g, p) / (SECOND / GUEST_HZ);

	fprintf(out, "%d (%s) %c %d %d %d %d %d ", told_number(g), told_name(g), *process_state(g), p->parent, p->group,
		p->session, (int)terminal_device(p), p->terminal ? p->terminal->group : -1);
	fprintf(out, "4194304 0 0 0 0 %lu 0 0 0 %d %d %zu 0 100000 %lu 2048 18446744073709551615", ticks, 20 + p->nice,
		p->nice, p->thread_count, mapped_bytes(g));
	fprintf(out, " 0 0 %lu 0 0 0 0 0 0 0 0 0 17 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n", g->space->map.stack_end);
}

static void text_statm(struct guest *g, FILE *out)
{
	fprintf(out, "%lu 2048 512 256 0 1024 0\n", (unsigned long)(mapped_bytes(g) / GUEST_PAGE_SIZE));
}

static void text_status(struct guest *g, FILE *out)
{
	fprintf(out,
		"Name:\t%s\nUmask:\t%04o\nState:\t%s\nTgid:\t%d\nPid:\t%d\nPPid:\t%d\nTracerPid:\t0\n"
		"Uid:\t%d\t%d\t%d\t%d\nGid:\t%d\t%d\t%d\t%d\nVmSize:\t%8lu kB\nVmRSS:\t    8192 kB\nThreads:\t%zu\n"
		"Cpus_allowed:\t1\nCpus_allowed_list:\t0\n",
		told_name(g), g->process->umask, process_state(g), g->process->pid, told_number(g), g->process->parent,
		GUEST_UID, GUEST_UID, GUEST_UID, GUEST_UID, GUEST_UID, GUEST_UID, GUEST_UID, GUEST_UID,
		mapped_bytes(g) >> 10, g->process->thread_count);
}

static const struct virtual_node nodes[] = {
#define VIRTUAL(at, what, words, generate, ops) \
	{.path = at, .kind = VIRTUAL_##what, .fixed = words, .text = generate, .device = ops},
#include "guest/virtual.def"
#undef VIRTUAL
};
static const struct virtual_node between = {.path = "", .kind = VIRTUAL_DIRECTORY};

static bool lies_below(const char *path, const char *directory)
{
	size_t length = strlen(directory);

	return !strncmp(path, directory, length) && path[length] == '/';
}

/* Whose directory of /proc a path lies in: 0 where it is none of a process's, or of a thread's. */
struct owner {
	int pid, tid;
};

/* "/proc/1000/maps" and "/proc/1000/task/1001/maps" as the table has them, "/proc/PID/maps". */
static const char *table_path(const char *path, char *buffer, struct owner *owner)
{
	char *rest;

	*owner = (struct owner){0};
	if (strncmp(path, "/proc/", 6) || path[6] < '1' || path[6] > '9' || strlen(path) >= GUEST_PATH_MAX)
		return path;
	owner->pid = (int)strtoul(path + 6, &rest, 10);
	if (!strncmp(rest, "/task/", 6) && rest[6] >= '1' && rest[6] <= '9') {
		owner->tid = (int)strtoul(rest + 6, &rest, 10);
		if (lies_below(rest, "/task") || !strcmp(rest, "/task"))
			return path;
	}
	if (*rest && *rest != '/')
		return path;
	snprintf(buffer, GUEST_PATH_MAX, "/proc/PID%s", rest);
	return buffer;
}

static bool is_alive(const struct guest *g, const struct owner *o)
{
	const struct process *p = process_find(g, o->pid);
	const struct thread *t = g->threads;

	while (o->tid && t && (t->tid != o->tid || t->process != p || t->wait.kind == WAIT_EXITED))
		t = t->next;
	return p && !process_ended(p) && (!o->tid || t);
}

const struct virtual_node *virtual_find(const struct guest *g, const char *path)
{
	struct owner owner = {0};
	char buffer[GUEST_PATH_MAX];

	if (!virtual_covers(path))
		return NULL;
	path = terminal_named(g, path) ? "/dev/pts/N" : table_path(path, buffer, &owner);
	if (owner.pid && !is_alive(g, &owner))
		return NULL;
	for (size_t i = 0; i < sizeof(nodes) / sizeof(*nodes); i++) {
		if (!strcmp(nodes[i].path, path))
			return &nodes[i];
		if (lies_below(nodes[i].path, path))
			return &between;
	}
	return NULL;
}

const struct virtual_node *virtual_spare(const char *path)
{
	for (size_t i = 0; !virtual_covers(path) && *path && i < sizeof(nodes) / sizeof(*nodes); i++) {
		if (!strcmp(nodes[i].path, path))
			return &nodes[i];
		if (lies_below(nodes[i].path, path))
			return &between;
	}
	return NULL;
}

/* The index-th row below the directory: its name in the directory. Length 0: not below. NULL: no more rows. */
const struct virtual_node *virtual_child(const char *directory, size_t index, const char **name, size_t *length)
{
	char buffer[GUEST_PATH_MAX];
	struct owner owner;

	if (index >= sizeof(nodes) / sizeof(*nodes))
		return NULL;
	*length = 0;
	if (!virtual_covers(directory))
		return &nodes[index];
	directory = table_path(directory, buffer, &owner);
	if (lies_below(nodes[index].path, directory)) {
		*name = nodes[index].path + strlen(directory) + 1;
		*length = strcspn(*name, "/");
		if ((*length == 3 && !memcmp(*name, "PID", 3)) || (*length == 1 && **name == 'N') ||
		    (owner.tid && !strcmp(*name, "task")))
			*length = 0; /* whose numbers they are is the lister's business */
	}
	return &nodes[index];
}

bool virtual_covers(const char *path)
{
	static const char *const tops[] = {"/proc", "/sys", "/dev"};

	for (size_t i = 0; i < sizeof(tops) / sizeof(*tops); i++)
		if (!strcmp(path, tops[i]) || lies_below(path, tops[i]))
			return true;
	return false;
}

/* Of the process itself: what others have open is not told. */
bool virtual_lists_descriptors(const struct guest *g, const char *path)
{
	char buffer[GUEST_PATH_MAX];
	struct owner owner;

	return !strcmp(table_path(path, buffer, &owner), "/proc/PID/fd") && owner.pid == g->process->pid;
}

int virtual_lists_threads(const char *path)
{
	char buffer[GUEST_PATH_MAX];
	struct owner owner;

	return !strcmp(table_path(path, buffer, &owner), "/proc/PID/task") ? owner.pid : 0;
}

bool virtual_descriptor(const struct guest *g, const char *path, uint64_t *fd)
{
	static const char directory[] = "/proc/PID/fd/";
	const size_t length = sizeof(directory) - 1;
	char buffer[GUEST_PATH_MAX], *end;
	struct owner owner;

	path = table_path(path, buffer, &owner);
	if (owner.pid != g->process->pid || strncmp(path, directory, length) || path[length] < '0' ||
	    path[length] > '9')
		return false;
	*fd = strtoul(path + length, &end, 10);
	return !*end;
}

/* As the process sees it that the path is about. */
static void write_text(struct guest *g, const struct virtual_node *node, const char *path, FILE *out)
{
	struct process *before = g->process, *p;
	char buffer[GUEST_PATH_MAX];
	struct owner owner;

	table_path(path, buffer, &owner);
	p = owner.pid && owner.pid != before->pid ? process_find(g, owner.pid) : NULL;
	if (p)
		process_enter(g, p);
	g->told = owner.tid;
	node->text(g, out);
	g->told = 0;
	if (p)
		process_enter(g, before);
}

char *virtual_text(struct guest *g, const struct virtual_node *node, const char *path, size_t *size)
{
	struct memory_stream out;

	if (!memory_stream_open(&out))
		return NULL;
	if (node->fixed)
		fputs(node->fixed, out.file);
	else
		write_text(g, node, path, out.file);
	char *text = memory_stream_close(&out);
	*size = out.size;
	return text;
}
