/* Finding the program (as execvp does), its `#!` interpreter and its ELF interpreter, and mapping them.
 *
 * Addresses are fixed: position-independent programs at two thirds of the address space as Linux without
 * randomisation does, interpreters and libraries below the stack going down. */
#include "guest/load.h"

#include "guest/host_path.h"
#include "guest/memory_map.h"
#include "guest/memory_tree.h"
#include "guest/path.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#define PROGRAM_BASE ((ADDRESS_SPACE_LIMIT / 3 * 2) & ~0xfffull) /* as Linux: two thirds up */
#define SCRIPTS_MAX 4
#define DEFAULT_PATH "/usr/local/bin:/usr/bin:/bin:/usr/local/games:/usr/games"

static const char *environment_path(const struct guest_options *options)
{
	const char *const *env = options->envp ? (const char *const *)options->envp : default_environment();

	for (; *env; env++)
		if (!strncmp(*env, "PATH=", 5))
			return *env + 5;
	return DEFAULT_PATH;
}

bool is_program(const struct place *place)
{
	return (place->kind == PLACE_HOST || place->kind == PLACE_MEMORY) && S_ISREG(place->mode);
}

/* Each directory of PATH in turn; the default ones afterwards, as a user's PATH may not know the sysroot's. */
static bool find_in_path(struct guest *g, const char *name, const char *path, struct place *place)
{
	while (*path) {
		size_t length = strcspn(path, ":");
		char full[GUEST_PATH_MAX];
		int size = snprintf(full, sizeof(full), "%.*s/%s", (int)length, path, name);

		if (length && size > 0 && (size_t)size < sizeof(full) &&
		    !path_walk(g, (uint64_t)GUEST_AT_FDCWD, full, true, place) && is_program(place) &&
		    (place->mode & 0111))
			return true;
		path += length + (path[length] == ':');
	}
	return false;
}

/* A program named by a host path that the name space does not show: it, and nothing beside it, becomes readable.
 * Below the sysroot it is the sysroot's file. */
static bool find_on_host(struct guest *g, const char *name, const char *sysroot, struct place *place, struct error *err)
{
	char *real = realpath(name, NULL), *root = sysroot && *sysroot ? realpath(sysroot, NULL) : NULL;
	size_t length = root ? strlen(root) : 0;
	bool done = false;

	if (real && root && !strncmp(real, root, length) && real[length] == '/')
		done = !path_walk(g, (uint64_t)GUEST_AT_FDCWD, real + length, true, place) && is_program(place);
	else if (real)
		done = names_allow(g, real, false, err) && !path_walk(g, (uint64_t)GUEST_AT_FDCWD, real, true, place) &&
		       is_program(place);
	free(real);
	free(root);
	return done;
}

static bool find_program(struct guest *g, const struct guest_options *options, struct place *place, struct error *err)
{
	const char *name = options->program;
	struct stat st;

	if (!*name)
		return error_set(err, ERROR_NOT_FOUND, "empty program name");
	if (!strchr(name, '/')) {
		if (find_in_path(g, name, environment_path(options), place) ||
		    find_in_path(g, name, DEFAULT_PATH, place))
			return true;
		return error_set(err, ERROR_NOT_FOUND, "%s: program not found", name);
	}
	if (!path_walk(g, (uint64_t)GUEST_AT_FDCWD, name, true, place) && is_program(place))
		return true;
	if (find_on_host(g, name, options->sysroot, place, err))
		return true;
	if (place->kind != PLACE_NOTHING && S_ISDIR(place->mode))
		return error_set(err, ERROR_NOT_RUNNABLE, "%s: is a directory", name);
	if (!stat(name, &st) && !S_ISREG(st.st_mode))
		return error_set(err, ERROR_NOT_RUNNABLE, "%s: not a regular file", name);
	return error_set(err, ERROR_NOT_FOUND, "%s: no such program", name);
}

static bool open_place(const struct place *place, int *fd, struct error *err)
{
	if (!(place->mode & 0111))
		return error_set(err, ERROR_NOT_RUNNABLE, "%s: not executable (permission bits %03o)", place->guest,
				 place->mode & 0777);
	*fd = place->kind == PLACE_MEMORY ? memory_host_copy(&place->file->file)
					  : host_open(place->host, O_RDONLY | O_NOCTTY | O_NONBLOCK, 0);
	if (*fd < 0)
		return error_set(err, ERROR_NOT_RUNNABLE, "%s: %s", place->guest, strerror(errno));
	return true;
}

/* Put `count` strings in the place of argv[0]. */
static bool replace_argv0(struct guest *g, const char *const *with, size_t count, struct error *err)
{
	char **argv = calloc(g->space->argc + count + 1, sizeof(*argv));
	size_t rest = g->space->argc ? g->space->argc - 1 : 0;

	if (!argv)
		return error_set(err, ERROR_SYSTEM, "out of memory");
	for (size_t i = 0; i < count; i++) {
		if ((argv[i] = strdup(with[i])))
			continue;
		while (i)
			free(argv[--i]);
		free(argv);
		return error_set(err, ERROR_SYSTEM, "out of memory");
	}
	for (size_t i = 0; i < rest; i++)
		argv[count + i] = g->space->argv[i + 1];
	if (g->space->argc)
		free(g->space->argv[0]);
	free(g->space->argv);
	g->space->argv = argv;
	g->space->argc = count + rest;
	return true;
}

/* `#!interpreter [argument]`: the line's interpreter runs with the script's path as its next argument. */
static bool take_script(struct guest *g, const char *line, struct place *place, struct error *err)
{
	char text[256], script[GUEST_PATH_MAX], *interpreter, *argument, *end;
	const char *with[3];
	size_t count = 0;

	snprintf(text, sizeof(text), "%s", line + 2);
	text[strcspn(text, "\n")] = 0;
	strcpy(script, place->guest);
	interpreter = text + strspn(text, " \t");
	end = interpreter + strcspn(interpreter, " \t");
	argument = end + strspn(end, " \t");
	for (char *last = argument + strlen(argument); last > argument && (last[-1] == ' ' || last[-1] == '\t');)
		*--last = 0;
	*end = 0;
	if (!*interpreter)
		return error_set(err, ERROR_NOT_RUNNABLE, "%s: script without an interpreter after #!", script);
	if (path_walk(g, (uint64_t)GUEST_AT_FDCWD, interpreter, true, place) || !is_program(place)) {
		g->load_failure = GUEST_ENOENT;
		return error_set(err, ERROR_NOT_RUNNABLE, "%s: script interpreter %s not found", script, interpreter);
	}
	with[count++] = interpreter;
	if (*argument && argument != end)
		with[count++] = argument;
	with[count++] = script;
	return replace_argv0(g, with, count, err);
}

static bool open_program(struct guest *g, struct place *place, int *fd, struct error *err)
{
	for (int depth = 0;; depth++) {
		char line[257] = {0};

		TRY(open_place(place, fd, err));
		if (pread(*fd, line, sizeof(line) - 1, 0) < 2 || memcmp(line, "#!", 2))
			return true;
		close(*fd);
		*fd = -1;
		if (depth == SCRIPTS_MAX)
			return error_set(err, ERROR_NOT_RUNNABLE, "%s: scripts nested too deeply", place->guest);
		TRY(take_script(g, line, place, err));
	}
}

static bool read_bytes(struct guest *g, int fd, uint64_t address, uint64_t size, uint64_t offset)
{
	uint8_t *to = address_space_host(&g->memory, address);

	for (uint64_t done = 0; done < size;) {
		ssize_t got = pread(fd, to + done, size - done, (off_t)(offset + done));

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return false;
		done += (uint64_t)got;
	}
	return true;
}

/* Two segments may share a page: the second then adds its permissions to it instead of mapping it afresh. */
static bool map_pages(struct guest *g, const struct elf_segment *s, uint64_t bias, const struct place *place)
{
	uint64_t start = page_down(bias + s->address), end = page_up(bias + s->address + s->memory_size);
	struct region *shared = region_at(g, start);
	struct region region;

	if (shared) {
		unsigned perm = shared->perm | s->perm;

		if (!region_protect(g, start, start + GUEST_PAGE_SIZE, perm))
			return false;
		start += GUEST_PAGE_SIZE;
		if (start >= end)
			return true;
	}
	region = (struct region){.start = start,
				 .end = end,
				 .perm = s->perm,
				 .path = strdup(place->guest),
				 .fleeting = place->kind == PLACE_MEMORY,
				 .offset = page_down(s->offset) + (start - page_down(bias + s->address))};
	if (region.path && region_map(g, &region))
		return true;
	free(region.path);
	return false;
}

static bool map_segment(struct guest *g, int fd, const struct elf_segment *s, uint64_t bias, const struct place *place)
{
	uint64_t before = s->address & (GUEST_PAGE_SIZE - 1);
	bool fresh = !region_at(g, page_down(bias + s->address));

	if (!map_pages(g, s, bias, place))
		return false;
	if (!fresh)
		before = 0;
	return read_bytes(g, fd, bias + s->address - before, s->file_size ? s->file_size + before : 0,
			  s->offset - before);
}

static uint64_t text_of(const struct elf_image *image)
{
	for (size_t i = 0; i < image->segment_count; i++)
		if (image->segments[i].perm & PAGE_EXEC)
			return image->segments[i].address;
	return image->low;
}

static bool map_image(struct guest *g, int fd, const struct elf_image *image, uint64_t bias, const struct place *place,
		      struct error *err)
{
	for (size_t i = 0; i < image->segment_count; i++)
		if (!map_segment(g, fd, &image->segments[i], bias, place))
			return error_set(err, ERROR_NOT_RUNNABLE, "%s: a segment cannot be loaded", place->guest);
	if (!object_add(g, place->host, place->guest, bias + image->low, bias + image->high, bias,
			bias + text_of(image)))
		return error_set(err, ERROR_SYSTEM, "out of memory");
	return true;
}

static uint64_t align_up(uint64_t value, uint64_t alignment)
{
	return (value + alignment - 1) & ~(alignment - 1);
}

static bool load_interpreter(struct guest *g, const char *name, const char *program, struct loaded_program *loaded,
			     struct error *err)
{
	struct elf_image *image = malloc(sizeof(*image));
	struct place place;
	uint64_t base;
	bool done;
	int fd = -1;

	if (!image)
		return error_set(err, ERROR_SYSTEM, "out of memory");
	done = !path_walk(g, (uint64_t)GUEST_AT_FDCWD, name, true, &place) && is_program(&place);
	if (!done) {
		g->load_failure = GUEST_ENOENT;
		error_set(err, ERROR_NOT_RUNNABLE,
			  "%s: its interpreter %s is not there; a dynamically linked program needs --sysroot", program,
			  name);
	}
	done = done && open_place(&place, &fd, err);
	if (done && !elf_read(fd, image, err))
		done = error_context(err, "%s: interpreter %s", program, name);
	if (done && (!image->position_independent || image->interpreter[0]))
		done = error_set(err, ERROR_NOT_RUNNABLE, "%s: %s is no program interpreter", program, name);
	if (done) {
		base = region_find_free(g, image->high - image->low + image->alignment);
		done = base || error_set(err, ERROR_NOT_RUNNABLE, "%s: no room for %s", program, name);
		base = align_up(base, image->alignment) - image->low;
		done = done && map_image(g, fd, image, base, &place, err);
		loaded->interpreter_base = base;
		loaded->start = base + image->entry;
	}
	if (fd >= 0)
		close(fd);
	free(image);
	return done;
}

static bool reserve_stack(struct guest *g, const struct guest_options *options, bool executable, struct error *err)
{
	uint64_t size = page_up(options->stack_size ? options->stack_size : 8ull << 20);
	struct region stack = {.end = ADDRESS_SPACE_LIMIT - 16 * GUEST_PAGE_SIZE, .perm = PAGE_READ | PAGE_WRITE};

	if (size < 64 << 10 || size > ADDRESS_SPACE_LIMIT / 8)
		return error_set(err, ERROR_USAGE, "stack size %lu is not between 64 KiB and 32 GiB",
				 (unsigned long)options->stack_size);
	if (executable)
		stack.perm |= PAGE_EXEC;
	stack.start = stack.end - size;
	stack.path = strdup("[stack]");
	if (!stack.path || !region_map(g, &stack)) {
		free(stack.path);
		return error_set(err, ERROR_SYSTEM, "out of memory for the stack");
	}
	g->space->map.stack_start = stack.start;
	g->space->map.stack_end = stack.end;
	g->space->map.top = stack.start - (1 << 20);
	return true;
}

/* Whoever named a program of the sysroot should know that it is the host's. */
static bool name_program(const struct place *place, const struct guest_options *options, struct error *err)
{
	const char *root = options->sysroot;

	if (!root || !*root || strcmp(place->guest, place->host))
		return error_context(err, "%s", place->guest);
	return error_context(err, "%s (the host's: %s has none)", place->guest, root);
}

static bool map_program(struct guest *g, int fd, const struct place *place, const struct guest_options *options,
			struct elf_image *image, struct loaded_program *loaded, struct error *err)
{
	uint64_t bias;

	if (!elf_read(fd, image, err))
		return name_program(place, options, err);
	bias = image->position_independent ? align_up(PROGRAM_BASE, image->alignment) - image->low : 0;
	if (image->high - image->low > ADDRESS_SPACE_LIMIT / 4)
		return error_set(err, ERROR_NOT_RUNNABLE, "%s: its segments span %lu bytes, too many", place->guest,
				 (unsigned long)(image->high - image->low));
	TRY(reserve_stack(g, options, image->stack_executable, err));
	TRY(map_image(g, fd, image, bias, place, err));
	g->space->map.brk_start = g->space->map.brk = bias + image->high;
	g->space->map.brk_limit = g->space->map.brk_start + (ADDRESS_SPACE_LIMIT >> 4);
	*loaded = (struct loaded_program){
		.phdr_address = image->phdr_address ? bias + image->phdr_address : 0,
		.phdr_count = image->phdr_count,
		.entry = bias + image->entry,
		.start = bias + image->entry,
		.stack_executable = image->stack_executable,
	};
	return !image->interpreter[0] || load_interpreter(g, image->interpreter, place->guest, loaded, err);
}

static bool copy_argv(struct guest *g, const struct guest_options *options, struct error *err)
{
	size_t count = 0;

	while (options->argv && options->argv[count])
		count++;
	g->space->argv = calloc(count + 1, sizeof(*g->space->argv));
	for (size_t i = 0; g->space->argv && i < count; i++)
		if ((g->space->argv[i] = strdup(options->argv[i])))
			g->space->argc++;
	return (g->space->argv && g->space->argc == count) || error_set(err, ERROR_SYSTEM, "out of memory");
}

bool load_place(struct guest *g, const struct place *place, const struct guest_options *options,
		struct loaded_program *program, struct error *err)
{
	struct elf_image *image;
	struct place found = *place; /* a script's interpreter takes its place */
	bool done;
	int fd = -1;

	TRY(copy_argv(g, options, err));
	if (!open_program(g, &found, &fd, err))
		return false;
	g->space->program_path = strdup(found.guest);
	image = malloc(sizeof(*image));
	done = g->space->program_path && image ? map_program(g, fd, &found, options, image, program, err)
					       : error_set(err, ERROR_SYSTEM, "out of memory");
	free(image);
	close(fd);
	return done;
}

bool load_program(struct guest *g, const struct guest_options *options, struct loaded_program *program,
		  struct error *err)
{
	struct place place;

	TRY(find_program(g, options, &place, err));
	return load_place(g, &place, options, program, err);
}
