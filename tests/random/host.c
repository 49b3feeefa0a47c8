/* See host.h. */
#include "random/host.h"

#include "riscv/isa.h"
#include "riscv/riscv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SLICE_MAX 40
#define INSTRUCTIONS_MAX 100000000

enum { A0 = 10, A1 = 11, A2 = 12, A7 = 17 };
enum { SYS_WRITE = 64, SYS_EXIT = 93 };

const char *const host_mode_names[HOST_MODES] = {"riscv_run", "riscv_run in slices", "riscv_step"};

struct host {
	struct address_space as;
	struct riscv_code *code;
	struct riscv_hart hart;
	struct riscv_outcome outcome;
	struct host_output *output;
	struct coverage *coverage;
	struct random random;
	const struct riscv_insn *next, *end; /* riscv_step: what is left of the block; none where they are equal */
	uint64_t next_pc;
	bool exited;
};

static uint64_t whole_pages(uint64_t size)
{
	return (size + GUEST_PAGE_SIZE - 1) & -GUEST_PAGE_SIZE;
}

static bool load_segment(struct host *host, uint64_t address, const void *from, uint64_t size, unsigned perm,
			 struct error *err)
{
	TRY(address_space_map(&host->as, address, whole_pages(size), PAGE_MAPPED | PAGE_READ | PAGE_WRITE, true, err));
	if (!address_space_write(&host->as, address, from, size))
		return error_set(err, ERROR_INTERNAL, "cannot write the segment at %#llx", (unsigned long long)address);
	return address_space_map(&host->as, address, whole_pages(size), PAGE_MAPPED | perm, false, err);
}

static bool load(struct host *host, const struct program *program, struct error *err)
{
	TRY(address_space_create(&host->as, err));
	TRY(load_segment(host, CODE_ADDRESS, program->code, 2 * program->halves, PAGE_READ | PAGE_WRITE | PAGE_EXEC,
			 err));
	TRY(load_segment(host, DATA_ADDRESS, program->records, program->count * sizeof(struct record),
			 PAGE_READ | PAGE_WRITE, err));
	host->code = riscv_code_create(&host->as, err);
	if (host->code)
		riscv_code_extend(host->code, coverage_extensions(program->beyond));
	host->hart.pc = CODE_ADDRESS;
	host->hart.reservation = UINT64_MAX;
	return host->code != NULL;
}

static void unload(struct host *host)
{
	riscv_code_destroy(host->code);
	address_space_destroy(&host->as);
}

#define TROUBLE(host, ...) snprintf((host)->output->trouble, sizeof(host)->output->trouble, __VA_ARGS__)

static void write_out(struct host *host, uint64_t address, uint64_t size)
{
	struct host_output *output = host->output;

	while (output->room - output->size < size) {
		output->room = output->room ? 2 * output->room : 65536;
		output->bytes = realloc(output->bytes, output->room);
		if (!output->bytes)
			abort();
	}
	if (!address_space_read(&host->as, output->bytes + output->size, address, size))
		TROUBLE(host, "write from %#llx", (unsigned long long)address);
	output->size += size;
}

static void system_call(struct host *host)
{
	uint64_t *r = host->hart.r;

	host->hart.pc += 4;
	host->hart.instret++;
	if (r[A7] == SYS_WRITE && r[A2] == sizeof(struct record)) {
		write_out(host, r[A1], r[A2]);
		r[A0] = r[A2];
	} else if (r[A7] == SYS_EXIT && r[A0] == 0) {
		host->exited = true;
	} else {
		TROUBLE(host, "system call %llu", (unsigned long long)r[A7]);
	}
}

/* --- riscv_step, and what it and the decoder must agree about --- */

/* In the middle of a block it is the block's: to decode another that starts there took half of the comparison's time. */
static const struct riscv_insn *find_instruction(struct host *host)
{
	if (host->next == host->end || host->next_pc != host->hart.pc) {
		struct riscv_block *block = riscv_code_block(host->code, host->hart.pc);
		if (!block)
			return NULL;
		host->next = block->insns;
		host->end = block->insns + block->count;
	}
	host->next_pc = host->hart.pc + host->next->length;
	return host->next++;
}

static bool is_source(const struct riscv_insn *insn, unsigned reg)
{
	return reg == insn->rs1 || reg == insn->rs2 || reg == insn->rs3;
}

/* An instruction must do the same whatever is in the registers that it does not name as sources. */
static void check_sources(struct host *host, const struct riscv_insn *insn, const struct riscv_hart *before)
{
	struct riscv_hart other = *before;
	struct riscv_outcome outcome;

	for (unsigned i = 1; i < RISCV_REGISTERS; i++)
		if (!is_source(insn, i))
			other.r[i] = random_next(&host->random);
	riscv_step(&other, insn, &host->as, &outcome);
	host->hart = *before;
	riscv_step(&host->hart, insn, &host->as, &host->outcome);
	if (other.pc != host->hart.pc || other.fflags != host->hart.fflags || other.frm != host->hart.frm ||
	    (insn->rd != RISCV_NO_DEST && other.r[insn->rd] != host->hart.r[insn->rd]))
		TROUBLE(host, "at %#llx: %s depends on a register that is none of its sources",
			(unsigned long long)before->pc, riscv_op_name(insn->op));
}

/* Nothing but the destination may change, and the outcome must fit the instruction's flags. */
static void check_effects(struct host *host, const struct riscv_insn *insn, const struct riscv_hart *before)
{
	const struct riscv_hart *after = &host->hart;
	const char *name = riscv_op_name(insn->op);
	unsigned long long pc = before->pc;

	for (unsigned i = 0; i < RISCV_NO_DEST; i++)
		if (i != insn->rd && before->r[i] != after->r[i] &&
		    !(insn->op == RISCV_OP_amocas_q && i == insn->rs3 + 1u))
			TROUBLE(host, "at %#llx: %s changes register %u, its destination being %u", pc, name, i,
				insn->rd);
	if (host->outcome.next_pc != after->pc)
		TROUBLE(host, "at %#llx: %s goes elsewhere than its outcome says", pc, name);
	if (!host->outcome.taken && after->pc != before->pc + insn->length)
		TROUBLE(host, "at %#llx: %s jumps without being taken", pc, name);
	if (host->outcome.taken && !(insn->flags & RISCV_BRANCH))
		TROUBLE(host, "at %#llx: %s jumps without being a branch", pc, name);
	if (!host->outcome.mem_addr != !(insn->flags & (RISCV_LOAD | RISCV_STORE)))
		TROUBLE(host, "at %#llx: %s and its memory address do not fit its flags", pc, name);
	if (after->fflags != before->fflags && insn->op_class != CULPRIT_OP_csr && !(insn->flags & RISCV_FP_FLAGS))
		TROUBLE(host, "at %#llx: %s raises FP flags", pc, name);
	if (after->instret != before->instret + 1)
		TROUBLE(host, "at %#llx: %s is not counted", pc, name);
}

static enum riscv_stop step(struct host *host)
{
	const struct riscv_insn *insn = find_instruction(host);
	struct riscv_hart before = host->hart;
	enum riscv_stop stop;

	if (!insn)
		return RISCV_STOP_FETCH_FAULT;
	coverage_note(host->coverage, insn);
	stop = riscv_step(&host->hart, insn, &host->as, &host->outcome);
	if (stop == RISCV_STOP_FENCE_I) {
		riscv_code_flush(host->code);
		host->next = host->end;
	}
	if (stop != RISCV_CONTINUE)
		return stop == RISCV_STOP_FENCE_I ? RISCV_CONTINUE : stop;
	check_effects(host, insn, &before);
	/* pure ones only: the others would act on memory twice */
	if (!(insn->flags & RISCV_STORE))
		check_sources(host, insn, &before);
	return RISCV_CONTINUE;
}

static enum riscv_stop advance(struct host *host, enum host_mode mode)
{
	uint64_t limit = mode == HOST_RUN ? INSTRUCTIONS_MAX : 1 + pick(&host->random, SLICE_MAX);

	if (mode == HOST_STEP)
		return step(host);
	return riscv_run(&host->hart, host->code, &host->as, limit, &host->outcome);
}

void host_run(const struct program *program, enum host_mode mode, struct host_output *output, struct coverage *coverage)
{
	struct host host = {.output = output, .coverage = coverage, .random = {0x2545f4914f6cdd1d}};
	struct error err;

	*output = (struct host_output){0};
	if (!load(&host, program, &err)) {
		TROUBLE(&host, "%s", err.text);
		unload(&host);
		return;
	}
	while (!host.exited && !*output->trouble) {
		enum riscv_stop stop = advance(&host, mode);
		if (stop == RISCV_STOP_ECALL)
			system_call(&host);
		else if (stop != RISCV_CONTINUE && (stop != RISCV_STOP_LIMIT || mode == HOST_RUN))
			TROUBLE(&host, "stop %d at %#llx, value %#llx", stop, (unsigned long long)host.hart.pc,
				(unsigned long long)host.outcome.value);
		if (host.hart.instret > INSTRUCTIONS_MAX)
			TROUBLE(&host, "does not end");
	}
	output->instructions = host.hart.instret;
	unload(&host);
}
