/* The initial stack as the kernel lays it out: from the top the strings, then the auxiliary vector, the environment's
 * and arguments' pointers, argc at sp. */
#include "guest/load.h"

#include "guest/memory_map.h"

#include <stdlib.h>

enum {
	AUX_NULL = 0,
	AUX_PHDR = 3,
	AUX_PHENT = 4,
	AUX_PHNUM = 5,
	AUX_PAGESZ = 6,
	AUX_BASE = 7,
	AUX_FLAGS = 8,
	AUX_ENTRY = 9,
	AUX_UID = 11,
	AUX_EUID = 12,
	AUX_GID = 13,
	AUX_EGID = 14,
	AUX_HWCAP = 16,
	AUX_CLKTCK = 17,
	AUX_SECURE = 23,
	AUX_RANDOM = 25,
	AUX_HWCAP2 = 26,
	AUX_RSEQ_FEATURE_SIZE = 27,
	AUX_RSEQ_ALIGN = 28,
	AUX_EXECFN = 31,
	AUX_MINSIGSTKSZ = 51
};

#define ISA_BIT(letter) (1u << ((letter) - 'A'))

struct stack {
	struct guest *g;
	uint64_t at; /* lowest byte used */
	uint64_t floor;
	bool full;
};

const char *const *default_environment(void)
{
	static const char *const environment[] = {
		"PATH=/usr/local/bin:/usr/bin:/bin:/usr/local/games:/usr/games",
		"HOME=/",
		"LANG=C",
		"LC_ALL=C",
		"TZ=UTC0",
		"USER=guest",
		"LOGNAME=guest",
		"SHELL=/bin/sh",
		"TERM=dumb",
		NULL,
	};

	return environment;
}

static uint64_t push(struct stack *s, const void *from, uint64_t size)
{
	if (s->full || size > s->at - s->floor) {
		s->full = true;
		return s->at;
	}
	s->at -= size;
	memcpy(address_space_host(&s->g->memory, s->at), from, size);
	return s->at;
}

static uint64_t push_string(struct stack *s, const char *text)
{
	return push(s, text, strlen(text) + 1);
}

static size_t string_count(const char *const *list)
{
	size_t count = 0;

	while (list[count])
		count++;
	return count;
}

/* Strings in order of rising address, as /proc/self/cmdline and ps expect. */
static void push_strings(struct stack *s, const char *const *list, size_t count, uint64_t *addresses)
{
	for (size_t i = count; i-- > 0;)
		addresses[i] = push_string(s, list[i]);
}

static void put_aux(struct guest *g, uint64_t **at, uint64_t type, uint64_t value)
{
	*(*at)++ = type;
	*(*at)++ = value;
}

static size_t fill_aux(struct guest *g, const struct loaded_program *p, uint64_t random, uint64_t name, uint64_t *aux)
{
	uint64_t *at = aux;
	const unsigned isa = ISA_BIT('I') | ISA_BIT('M') | ISA_BIT('A') | ISA_BIT('F') | ISA_BIT('D') | ISA_BIT('C') |
			     (g->isa.extensions & RISCV_EXT_V ? ISA_BIT('V') : 0);

	put_aux(g, &at, AUX_MINSIGSTKSZ, 2048 + signal_vector_size(g));
	put_aux(g, &at, AUX_HWCAP, isa);
	put_aux(g, &at, AUX_PAGESZ, GUEST_PAGE_SIZE);
	put_aux(g, &at, AUX_CLKTCK, GUEST_HZ);
	put_aux(g, &at, AUX_PHDR, p->phdr_address);
	put_aux(g, &at, AUX_PHENT, 56);
	put_aux(g, &at, AUX_PHNUM, p->phdr_count);
	put_aux(g, &at, AUX_BASE, p->interpreter_base);
	put_aux(g, &at, AUX_FLAGS, 0);
	put_aux(g, &at, AUX_ENTRY, p->entry);
	put_aux(g, &at, AUX_UID, GUEST_UID);
	put_aux(g, &at, AUX_EUID, GUEST_UID);
	put_aux(g, &at, AUX_GID, GUEST_UID);
	put_aux(g, &at, AUX_EGID, GUEST_UID);
	put_aux(g, &at, AUX_SECURE, 0);
	put_aux(g, &at, AUX_RANDOM, random);
	put_aux(g, &at, AUX_HWCAP2, 0);
	put_aux(g, &at, AUX_RSEQ_FEATURE_SIZE, 28);
	put_aux(g, &at, AUX_RSEQ_ALIGN, 32);
	put_aux(g, &at, AUX_EXECFN, name);
	put_aux(g, &at, AUX_NULL, 0);
	return (size_t)(at - aux);
}

static bool save_aux(struct guest *g, const uint64_t *aux, size_t words, struct error *err)
{
	g->space->auxv_size = words * sizeof(*aux);
	g->space->auxv = malloc(g->space->auxv_size);
	if (!g->space->auxv)
		return error_set(err, ERROR_SYSTEM, "out of memory");
	memcpy(g->space->auxv, aux, g->space->auxv_size);
	return true;
}

/* sigreturn's two instructions, li a7, 139; ecall: unwinders know a signal frame by exactly these. */
static bool map_sigreturn(struct guest *g, struct error *err)
{
	static const uint8_t code[8] = {0x93, 0x08, 0xb0, 0x08, 0x73, 0x00, 0x00, 0x00};
	struct region page = {.start = ADDRESS_SPACE_LIMIT - 8 * GUEST_PAGE_SIZE, .perm = PAGE_READ | PAGE_EXEC};

	page.end = page.start + GUEST_PAGE_SIZE;
	page.path = strdup("[sigreturn]");
	if (!page.path || !region_map(g, &page)) {
		free(page.path);
		return error_set(err, ERROR_SYSTEM, "out of memory");
	}
	memcpy(address_space_host(&g->memory, page.start), code, sizeof(code));
	g->space->sigreturn_address = page.start;
	return true;
}

static void push_vector(struct stack *s, const struct loaded_program *p, const uint64_t *pointers, size_t argc,
			size_t envc, uint64_t random, uint64_t name, struct error *err)
{
	uint64_t aux[64], count = argc, zero = 0;
	size_t aux_words = fill_aux(s->g, p, random, name, aux);
	size_t words = aux_words + argc + envc + 3;

	s->at &= ~15ull;
	if (words % 2)
		push(s, &zero, 8);
	push(s, aux, aux_words * 8);
	push(s, &zero, 8);
	push(s, pointers + argc, envc * 8);
	push(s, &zero, 8);
	push(s, pointers, argc * 8);
	push(s, &count, 8);
	s->full |= !save_aux(s->g, aux, aux_words, err);
}

bool stack_create(struct guest *g, const struct guest_options *options, const struct loaded_program *program,
		  struct error *err)
{
	const char *const *env = options->envp ? (const char *const *)options->envp : default_environment();
	size_t argc = g->space->argc, envc = string_count(env);
	uint64_t *pointers = calloc(argc + envc + 1, sizeof(*pointers)), name, random;
	uint64_t quarter = (g->space->map.stack_end - g->space->map.stack_start) / 4;
	struct stack s = {.g = g, .at = g->space->map.stack_end - 8, .floor = g->space->map.stack_end - quarter};
	uint8_t bytes[16];

	if (!pointers)
		return error_set(err, ERROR_SYSTEM, "out of memory");
	name = push_string(&s, g->space->program_path);
	g->space->environment_end = s.at;
	push_strings(&s, env, envc, pointers + argc);
	g->space->argument_end = s.at;
	push_strings(&s, (const char *const *)g->space->argv, argc, pointers);
	g->space->argument_start = s.at;
	s.at &= ~15ull;
	random_fill(g, bytes, sizeof(bytes));
	random = push(&s, bytes, sizeof(bytes));
	push_vector(&s, program, pointers, argc, envc, random, name, err);
	free(pointers);
	if (s.full)
		return error_set(err, ERROR_NOT_RUNNABLE, "%s: argument list and environment too long for the stack",
				 g->space->program_path);
	TRY(map_sigreturn(g, err));
	g->hart.r[2] = s.at;
	g->hart.pc = program->start;
	return true;
}

static uint64_t saved_aux(const struct guest *g, uint64_t type)
{
	uint64_t pair[2];
	for (size_t at = 0; at + sizeof pair <= g->space->auxv_size; at += sizeof pair) {
		memcpy(pair, g->space->auxv + at, sizeof pair);
		if (pair[0] == type)
			return pair[1];
	}
	return 0;
}

bool guest_program_entry(const struct guest *g, uint64_t *pc)
{
	*pc = saved_aux(g, AUX_ENTRY);
	return saved_aux(g, AUX_BASE) && *pc;
}
