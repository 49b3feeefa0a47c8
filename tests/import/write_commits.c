/* write_commits FORMAT COUNT PROG [ARG...]: what the program executes, instruction by instruction, as other simulators write
 * it: spike (a commit log), plain (addresses of instructions, and of loads and stores), bare (of instructions alone), champsim
 * (its records; a branch's registers are made up so that its kind is told). */
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

static void print(const char *format, const struct riscv_insn *insn, uint64_t pc, const struct riscv_hart *hart,
		  uint64_t addr, uint64_t stored)
{
	if (*format == 's')
		print_spike(insn, pc, hart, addr, stored);
	else if (*format == 'c')
		print_champsim(insn, pc, hart, addr);
	else if (*format == 'p' && (insn->flags & (RISCV_LOAD | RISCV_STORE)))
		fprintf(out, "%" PRIx64 " %" PRIx64 "\n", pc, addr);
	else
		fprintf(out, "0x%" PRIx64 "\n", pc);
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
	for (uint64_t n = strtoull(argv[2], NULL, 10); n && state == GUEST_RUNNING; n--) {
		const struct riscv_block *block = riscv_code_block(guest_code(g), hart->pc);
		const struct riscv_insn *insn = &block->insns[0];
		struct riscv_outcome outcome;
		const uint64_t pc = hart->pc, stored = hart->r[insn->rs2];
		enum riscv_stop stop = riscv_step(hart, insn, guest_memory(g), &outcome);
		if (stop == RISCV_STOP_FENCE_I)
			riscv_code_flush(guest_code(g));
		else if (stop != RISCV_CONTINUE)
			state = guest_handle(g, stop, &outcome);
		if (stop == RISCV_STOP_ECALL && *argv[1] != 'c')
			fprintf(out,
				*argv[1] == 's' ? "core   0: 0 0x%016" PRIx64 " (0x00000073) x10 0x%016" PRIx64 "\n"
						: "%" PRIx64 "\n",
				pc, hart->r[10]);
		else
			print(argv[1], insn, pc, hart, outcome.mem_addr, stored);
	}
	fclose(out);
	guest_destroy(g);
	return 0;
}
