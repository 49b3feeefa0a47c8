/* execve: another program in the process's place. It is loaded into a new address space; only when that has succeeded
 * does the old one go. */
#include "guest/calls.h"
#include "guest/files.h"
#include "guest/load.h"
#include "guest/memory_map.h"
#include "guest/path.h"
#include "riscv/vector.h"

#include <stdlib.h>

#define WORDS_BYTES_MAX (2u << 20) /* arguments and environment together, as Linux for a stack of 8 MiB */
#define WORD_MAX (128u << 10)

struct words {
	char **list; /* NULL-terminated */
	size_t count, room;
};

static void words_free(struct words *w)
{
	for (size_t i = 0; i < w->count; i++)
		free(w->list[i]);
	free(w->list);
}

static int64_t words_add(struct words *w, const char *text)
{
	if (w->count + 1 >= w->room) {
		size_t room = 2 * w->room + 16;
		char **list = realloc(w->list, room * sizeof(*list));

		if (!list)
			return -GUEST_ENOMEM;
		w->list = list;
		w->room = room;
	}
	w->list[w->count] = text ? strdup(text) : NULL;
	if (text && !w->list[w->count])
		return -GUEST_ENOMEM;
	w->count += text != NULL;
	return 0;
}

static int64_t words_read(struct guest *g, uint64_t address, struct words *w, uint64_t *bytes, char *buffer)
{
	int64_t result = 0;

	for (uint64_t pointer; address && !result; address += sizeof(pointer)) {
		if (!user_get64(g, address, &pointer))
			return -GUEST_EFAULT;
		if (!pointer)
			break;
		result = user_string(g, pointer, buffer, WORD_MAX);
		if (result)
			return result == -GUEST_ENAMETOOLONG ? -GUEST_E2BIG : result;
		*bytes += strlen(buffer) + 1 + sizeof(pointer);
		if (*bytes > WORDS_BYTES_MAX)
			return -GUEST_E2BIG;
		result = words_add(w, buffer);
	}
	return result ? result : words_add(w, NULL);
}

/* --- the new address space --- */

static int64_t error_of_load(const struct guest *g, const struct error *err)
{
	if (g->load_failure)
		return -g->load_failure;
	return err->code == ERROR_NOT_RUNNABLE ? -GUEST_ENOEXEC : -GUEST_ENOMEM;
}

static int64_t load(struct guest *g, const struct place *place, const struct guest_options *options)
{
	struct loaded_program program;
	struct error err = {0};

	g->load_failure = 0;
	if (load_place(g, place, options, &program, &err) && stack_create(g, options, &program, &err))
		return 0;
	return error_of_load(g, &err);
}

/* The registers as a new program finds them. */
static void clear_registers(struct guest *g)
{
	uint64_t instret = g->hart.instret;

	memset(&g->hart, 0, sizeof(g->hart));
	g->hart.vector = g->current->vector;
	g->hart.instret = instret;
	g->hart.reservation = ~0ull;
}

static void close_on_exec(struct guest *g, struct process *p)
{
	for (size_t fd = 0; fd < p->file_room; fd++) {
		struct open_file *f = p->files[fd].file;

		if (!f || !p->files[fd].close_on_exec)
			continue;
		p->files[fd].file = NULL;
		descriptor_release(g, p, f);
	}
}

static void forget_program(struct guest *g, struct process *p, struct thread *t)
{
	for (int n = 1; n <= GUEST_SIGNALS; n++)
		if (p->actions[n].handler > 1)
			p->actions[n] = (struct signal_action){0};
	for (size_t i = 3; i < GUEST_TIMERS; i++) { /* interval timers go on */
		g->armed_timers -= p->timers[i].armed;
		p->timers[i] = (struct timer){0};
	}
	close_on_exec(g, p);
	t->tid = p->pid;
	t->alt_stack = t->alt_size = t->clear_tid = t->robust_list = t->rseq = 0;
	t->wait = (struct wait){.deadline = NO_DEADLINE};
}

/* The old program's end, in its own memory. */
static void leave_program(struct guest *g, struct thread *t)
{
	threads_end_others(g);
	futex_release_robust(g, t);
	if (t->clear_tid && g->space->references > 1 && user_put32(g, t->clear_tid, 0))
		futex_wake(g, t->clear_tid, 1, ~0u);
}

static int64_t execute(struct guest *g, const struct place *place, const struct guest_options *options)
{
	struct riscv_hart before = g->hart;
	struct process *p = g->process;
	struct space *old = g->space, *new = space_create(g, NULL);
	struct thread *t = g->current;
	int64_t result;

	if (!new)
		return g->space_count >= GUEST_SPACES ? -GUEST_EAGAIN : -GUEST_ENOMEM;
	space_enter(g, new);
	clear_registers(g);
	result = load(g, place, options);
	if (result) {
		g->hart = before;
		space_enter(g, old);
		space_release(g, new);
		return result;
	}
	space_enter(g, old);
	leave_program(g, t);
	p->space = new;
	space_enter(g, new);
	process_leave_space(g, p, old);
	forget_program(g, p, t);
	p->executed = true;
	if (t->vector)
		riscv_vector_reset(t->vector);
	thread_name(t, g->space->program_path);
	program_note(g, p, g->space->program_path);
	p->begins = true;
	return CALL_NO_RESULT;
}

/* --- the calls --- */

static int64_t refuse(struct guest *g, const char *path)
{
	if (!g->complained_process)
		guest_complain(g, "the guest wants to execute %.400s in its place; this command simulates one program",
			       path);
	g->complained_process = true;
	return -GUEST_EACCES;
}

static int64_t check_place(const struct place *place)
{
	if (place->kind == PLACE_NOTHING)
		return -GUEST_ENOENT;
	if (!is_program(place) || !(place->mode & 0111))
		return -GUEST_EACCES;
	return 0;
}

static int64_t execute_with(struct guest *g, const struct place *place, const uint64_t *vectors)
{
	struct words argv = {0}, envp = {0};
	char *buffer = malloc(WORD_MAX);
	uint64_t bytes = 0;
	int64_t result = buffer ? words_read(g, vectors[0], &argv, &bytes, buffer) : -GUEST_ENOMEM;

	if (!result)
		result = words_read(g, vectors[1], &envp, &bytes, buffer);
	if (!result && !argv.count)
		result = words_add(&argv, "");
	if (!result && argv.count)
		argv.list[argv.count] = NULL;
	free(buffer);
	if (!result)
		result = execute(
			g, place,
			&(struct guest_options){.argv = argv.list, .envp = envp.list, .stack_size = g->stack_size});
	words_free(&argv);
	words_free(&envp);
	return result;
}

static int64_t execute_at(struct guest *g, uint64_t dirfd, uint64_t path, const uint64_t *vectors, bool follow)
{
	struct place *place = malloc(sizeof(*place));
	int64_t result = place ? path_walk_user(g, dirfd, path, follow, place) : -GUEST_ENOMEM;

	if (!result)
		result = check_place(place);
	if (!result)
		result = g->one_process ? refuse(g, place->guest) : execute_with(g, place, vectors);
	free(place);
	return result;
}

int64_t sys_execve(struct guest *g, const uint64_t *args)
{
	return execute_at(g, (uint64_t)GUEST_AT_FDCWD, args[0], args + 1, true);
}

/* An empty path: the open file itself, by the name that it was opened by. */
int64_t sys_execveat(struct guest *g, const uint64_t *args)
{
	struct open_file *f = descriptor_file(g, args[0]);
	struct place place;
	char first;
	int64_t result;

	if (!(args[4] & GUEST_AT_EMPTY_PATH) || !user_read(g, &first, args[1], 1) || first)
		return execute_at(g, args[0], args[1], args + 2, !(args[4] & GUEST_AT_SYMLINK_NOFOLLOW));
	if (!f)
		return -GUEST_EBADF;
	if (!f->path)
		return -GUEST_EACCES;
	result = path_walk(g, (uint64_t)GUEST_AT_FDCWD, f->path, true, &place);
	if (!result)
		result = check_place(&place);
	return result ? result : execute_with(g, &place, args + 2);
}
