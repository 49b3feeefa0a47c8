/* write_commits FORMAT COUNT PROG [ARG...]: what the program executes, instruction by instruction, as other simulators write
 * it: spike (a commit log), plain (addresses of instructions, and of loads and stores), bare (of instructions alone), champsim
 * (its records; a branch's registers are made up so that its kind is told), stf, rvfi (packets). */
#include "guest/guest.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static FILE *out;

static void print_spike(const struct riscv_insn *insn, uint64_t pc, const struct riscv_hart *hart, uint64_t addr,
			uint64_t stored)
{
	const int digits = insn->length * 2;
	fprintf(out, "core   0: 0 0x%016" PRIx64 " (0x%0*" PRIx32 ")", pc, digits, insn->raw);
	if (insn->rd < RISCV_NO_DEST)
		fprintf(out, " %c%-2d 0x%016" PRIx64, insn->rd < 32 ? 'x' : 'f', insn->rd % 32, hart->r[insn->rd]);
	if (insn->flags & (RISCV_LOAD | RISCV_STORE))
		fprintf(out, " mem 0x%016" PRIx64, addr);
	if ((insn->flags & (RISCV_LOAD | RISCV_STORE)) == RISCV_STORE)
		fprintf(out, " 0x%0*" PRIx64, 2 * insn->mem_size,
			insn->mem_size < 8 ? stored & (((uint64_t)1 << 8 * insn->mem_size) - 1) : stored);
	fputc('\n', out);
}

static void put(uint8_t *at, uint64_t value)
{
	for (int i = 0; i < 8; i++)
		at[i] = (uint8_t)(value >> 8 * i);
}

/* Registers by other numbers than 6, 25, 26; those of a branch by its kind. */
static void print_champsim(const struct riscv_insn *insn, uint64_t pc, const struct riscv_hart *hart, uint64_t addr)
{
	uint8_t record[64] = {0}, *dest = record + 10, *source = record + 12;
	put(record, pc);
	record[8] = insn->branch != CULPRIT_BRANCH_NONE;
	record[9] = insn->branch && hart->pc != pc + insn->length;
	if (insn->flags & RISCV_LOAD)
		put(record + 32, addr);
	else if (insn->flags & RISCV_STORE)
		put(record + 16, addr);
	if (!insn->branch) {
		dest[0] = insn->rd < RISCV_NO_DEST ? (uint8_t)(100 + insn->rd) : 0;
		source[0] = insn->rs1 ? (uint8_t)(100 + insn->rs1) : 0;
		source[1] = insn->rs2 ? (uint8_t)(100 + insn->rs2) : 0;
	} else {
		static const uint8_t sources[][2] = {[CULPRIT_BRANCH_CONDITIONAL] = {26, 99},
						     [CULPRIT_BRANCH_CALL] = {6, 26},
						     [CULPRIT_BRANCH_INDIRECT_JUMP] = {99, 0},
						     [CULPRIT_BRANCH_INDIRECT_CALL] = {6, 26},
						     [CULPRIT_BRANCH_RETURN] = {6, 0}};
		const bool stack = insn->branch == CULPRIT_BRANCH_CALL || insn->branch >= CULPRIT_BRANCH_INDIRECT_CALL;
		dest[0] = 26;
		dest[1] = stack ? 6 : 0;
		memcpy(source, sources[insn->branch], 2);
		source[2] = insn->branch == CULPRIT_BRANCH_INDIRECT_CALL ? 99 : 0;
		if (insn->branch == CULPRIT_BRANCH_CONDITIONAL)
			source[1] = (uint8_t)(100 + (insn->rs1 ? insn->rs1 : insn->rs2));
	}
	fwrite(record, 1, sizeof record, out);
}

/* --- little-endian --- */

static void emit(uint64_t value, unsigned bytes)
{
	for (unsigned i = 0; i < bytes; i++)
		fputc((int)(value >> 8 * i & 255), out);
}

struct executed {
	const struct riscv_insn *insn;
	uint64_t pc, next, addr, loaded, stored, number;
};

static uint64_t narrow(uint64_t value, unsigned bytes)
{
	return bytes < 8 ? value & (((uint64_t)1 << 8 * bytes) - 1) : value;
}

static void start_stf(uint64_t pc)
{
	static const char comment[] = "from the tests";
	fwrite("\1STF", 1, 4, out);
	emit(2, 1), emit(1, 4), emit(6, 4);
	emit(3, 1), emit(sizeof comment - 1, 4), fwrite(comment, 1, sizeof comment - 1, out);
	emit(4, 1), emit(1, 2);
	emit(5, 1), emit(2, 2);
	emit(6, 1), emit(0, 4), emit(3, 2), fwrite("own", 1, 3, out);
	emit(7, 1), emit(0x24, 8);
	emit(8, 1), emit(0, 4), emit(1, 4), emit(1, 4);
	emit(9, 1), emit(pc, 8);
	emit(19, 1);
}

static void print_stf(const struct executed *e, const struct riscv_hart *hart)
{
	const bool call = e->insn->op == RISCV_OP_ecall;
	const unsigned rd = call ? 10 : e->insn->rd, memory = e->insn->flags & (RISCV_LOAD | RISCV_STORE);
	if (e->next != e->pc + e->insn->length)
		emit(31, 1), emit(e->next, 8);
	if (rd < RISCV_NO_DEST)
		emit(40, 1), emit(rd % 32, 2), emit(3 << 4 | (rd < 32 ? 1 : 2), 1), emit(hart->r[rd], 8);
	if (memory & RISCV_LOAD) {
		emit(60, 1), emit(e->addr, 8), emit(8u * e->insn->mem_size, 2), emit(0, 2), emit(1, 1);
		emit(61, 1), emit(e->loaded, 8);
	}
	if (memory & RISCV_STORE) {
		emit(60, 1), emit(e->addr, 8), emit(8u * e->insn->mem_size, 2), emit(0, 2), emit(2, 1);
		emit(61, 1), emit(narrow(e->stored, e->insn->mem_size), 8);
	}
	if (call)
		emit(100, 1), emit(8, 4), emit(1, 1), emit(hart->r[17], 8);
	emit(e->insn->length == 4 ? 240 : 241, 1), emit(e->insn->raw, e->insn->length);
}

/* The word that an access lies in, and which of its bytes, as some cores tell it. */
static void print_rvfi(const struct executed *e, const struct riscv_hart *hart)
{
	const unsigned rd = e->insn->op == RISCV_OP_ecall ? 10 : e->insn->rd, flags = e->insn->flags;
	const bool x = rd < 32, aligned = (e->addr & 7) + e->insn->mem_size <= 8;
	const unsigned lane = aligned ? e->addr & 7 : 0, mask = (unsigned)narrow(255, 1) >> (8 - e->insn->mem_size)
												    << lane;
	const bool memory = flags & (RISCV_LOAD | RISCV_STORE);
	emit(e->number, 8), emit(e->pc, 8), emit(e->next, 8), emit(e->insn->raw, 8);
	emit(0, 8), emit(0, 8), emit(x ? hart->r[rd] : 0, 8);
	emit(memory ? e->addr - lane : 0, 8);
	emit(flags & RISCV_LOAD ? e->loaded << 8 * lane : 0, 8);
	emit(flags & RISCV_STORE ? narrow(e->stored, e->insn->mem_size) << 8 * lane : 0, 8);
	emit(flags & RISCV_LOAD ? mask : 0, 1), emit(flags & RISCV_STORE ? mask : 0, 1);
	emit(0, 2), emit(x ? rd : 0, 1), emit(0, 3);
}

static void print(const char *format, const struct executed *e, const struct riscv_hart *hart)
{
	const struct riscv_insn *insn = e->insn;
	const bool call = insn->op == RISCV_OP_ecall;
	if (!strcmp(format, "stf"))
		print_stf(e, hart);
	else if (*format == 'r')
		print_rvfi(e, hart);
	else if (*format == 's' && call)
		fprintf(out, "core   0: 0 0x%016" PRIx64 " (0x00000073) x10 0x%016" PRIx64 "\n", e->pc, hart->r[10]);
	else if (*format == 's')
		print_spike(insn, e->pc, hart, e->addr, e->stored);
	else if (*format == 'c')
		print_champsim(insn, e->pc, hart, e->addr);
	else if (*format == 'p' && (insn->flags & (RISCV_LOAD | RISCV_STORE)))
		fprintf(out, "%" PRIx64 " %" PRIx64 "\n", e->pc, e->addr);
	else
		fprintf(out, call ? "%" PRIx64 "\n" : "0x%" PRIx64 "\n", e->pc);
}

int main(int argc, char **argv)
{
	static char *environment[] = {"PATH=/usr/local/bin:/usr/bin:/bin:/usr/games",
				      "HOME=/",
				      "LANG=C.UTF-8",
				      "LC_ALL=C.UTF-8",
				      "TERM=dumb",
				      "USER=guest",
				      NULL};
	struct error err = {0};
	if (argc < 4)
		return 2;
	struct guest_options options = {.program = argv[3], .argv = argv + 3, .envp = environment};
	struct guest *g = guest_create(&options, &err);
	out = fdopen(3, "w"); /* the program has the others */
	if (!g || !out) {
		fprintf(stderr, "%s\n", err.text);
		return 1;
	}
	struct riscv_hart *hart = guest_hart(g);
	enum guest_state state = GUEST_RUNNING;
	if (!strcmp(argv[1], "stf"))
		start_stf(hart->pc);
	const uint64_t count = strtoull(argv[2], NULL, 10);
	for (uint64_t n = 0; n < count && state == GUEST_RUNNING; n++) {
		const struct riscv_block *block = riscv_code_block(guest_code(g), hart->pc);
		struct executed e = {.insn = &block->insns[0], .pc = hart->pc, .number = n + 1};
		const struct riscv_insn insn = block->insns[0]; /* a fence.i discards the code */
		struct riscv_outcome outcome;
		e.stored = hart->r[insn.rs2];
		enum riscv_stop stop = riscv_step(hart, e.insn, guest_memory(g), &outcome);
		if (stop == RISCV_STOP_FENCE_I)
			riscv_code_flush(guest_code(g));
		else if (stop != RISCV_CONTINUE)
			state = guest_handle(g, stop, &outcome);
		e.insn = &insn;
		e.addr = outcome.mem_addr;
		e.next = hart->pc;
		if (insn.flags & RISCV_LOAD)
			address_space_read(guest_memory(g), &e.loaded, e.addr, insn.mem_size);
		print(argv[1], &e, hart);
	}
	fclose(out);
	guest_destroy(g);
	return 0;
}
