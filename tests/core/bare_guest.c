#include "bare_guest.h"

#include <stdlib.h>
#include <string.h>

struct guest {
	struct riscv_hart hart;
	struct address_space memory;
	struct riscv_code *code;
	int status;
	bool turns, apart;
	size_t program; /* whose turn it is */
};

struct guest *bare_guest_create(const void *code, size_t size)
{
	struct guest *g = calloc(1, sizeof *g);
	struct error err;
	uint64_t bytes = (size + GUEST_PAGE_SIZE - 1) & ~(GUEST_PAGE_SIZE - 1);
	if (!g || !address_space_create(&g->memory, &err) ||
	    !address_space_map(&g->memory, BARE_CODE, bytes, PAGE_MAPPED | PAGE_READ | PAGE_EXEC | PAGE_WRITE, true,
			       &err) ||
	    !address_space_map(&g->memory, BARE_DATA, BARE_DATA_SIZE, PAGE_MAPPED | PAGE_READ | PAGE_WRITE, true, &err))
		abort();
	memcpy(address_space_host(&g->memory, BARE_CODE), code, size);
	g->code = riscv_code_create(&g->memory, &err);
	g->hart.pc = BARE_CODE;
	g->hart.r[2] = BARE_DATA + BARE_DATA_SIZE - 4096;
	g->hart.reservation = UINT64_MAX;
	return g;
}

void bare_guest_take_turns(struct guest *g)
{
	g->turns = true;
}

void bare_guest_live_apart(struct guest *g)
{
	g->turns = g->apart = true;
}

void guest_destroy(struct guest *g)
{
	riscv_code_destroy(g->code);
	free(g->hart.vector);
	address_space_destroy(&g->memory);
	free(g);
}

struct riscv_hart *guest_hart(struct guest *g)
{
	return &g->hart;
}

struct address_space *guest_memory(struct guest *g)
{
	return &g->memory;
}

struct riscv_code *guest_code(struct guest *g)
{
	return g->code;
}

enum guest_state guest_handle(struct guest *g, enum riscv_stop stop, const struct riscv_outcome *outcome)
{
	(void)outcome;
	if (stop == RISCV_STOP_BREAK) {
		g->hart.pc += 4;
		return GUEST_RUNNING;
	}
	if (stop != RISCV_STOP_ECALL) {
		g->status = 128;
		return GUEST_KILLED;
	}
	g->hart.pc += 4;
	g->hart.instret++;
	g->status = (int)g->hart.r[10];
	return g->hart.r[17] == 93 ? GUEST_EXITED : GUEST_RUNNING; /* any other call does nothing */
}

int guest_exit_status(const struct guest *g)
{
	return g->status;
}

bool guest_preempt(struct guest *g)
{
	g->program = !g->program;
	return false;
}

bool guest_has_other_threads(const struct guest *g)
{
	return g->turns;
}

uint64_t guest_turn_left(const struct guest *g)
{
	return GUEST_TURN - g->hart.instret % GUEST_TURN;
}

uint64_t guest_space(const struct guest *g)
{
	return g->apart ? (uint64_t)g->program << GUEST_SPACE_SHIFT : 0;
}

uint64_t guest_frame(const struct guest *g, uint64_t address)
{
	return address | guest_space(g);
}

bool guest_has_spaces(const struct guest *g)
{
	return g->turns;
}

size_t guest_program(const struct guest *g)
{
	return g->program;
}
