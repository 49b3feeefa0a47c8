/* See the header. */
#include "riscv/follow.h"

#include <string.h>

/* Memory that the program got from somewhere the trace does not show. False: it lies beyond what can be held. */
static bool have_memory(struct address_space *as, uint64_t address, uint32_t size)
{
	const uint64_t first = address & ~(GUEST_PAGE_SIZE - 1), last = (address + size - 1) & ~(GUEST_PAGE_SIZE - 1);
	if (!size || address >= ADDRESS_SPACE_LIMIT - 2 * GUEST_PAGE_SIZE)
		return false;
	for (uint64_t page = first; page <= last; page += GUEST_PAGE_SIZE)
		if (!address_space_allows(as, page, 1, PAGE_MAPPED) &&
		    !address_space_map(as, page, GUEST_PAGE_SIZE, PAGE_MAPPED | PAGE_READ | PAGE_WRITE, true, NULL))
			return false;
	return true;
}

void riscv_follow_memory(const struct riscv_follow *f, struct address_space *as)
{
	for (size_t i = 0; i < f->count; i++)
		if (f->steps[i].flags & RISCV_FOLLOW_ADDRESS)
			have_memory(as, f->steps[i].address, 1);
}

/* Before it executes. */
static void learn(const struct riscv_follow_step *s, struct riscv_hart *hart, const struct riscv_insn *insn,
		  struct address_space *as)
{
	const bool pure_load = (insn->flags & (RISCV_LOAD | RISCV_STORE)) == RISCV_LOAD;
	if (!(insn->flags & (RISCV_LOAD | RISCV_STORE)) || !(s->flags & RISCV_FOLLOW_ADDRESS))
		return;
	if (insn->rs1)
		hart->r[insn->rs1] = s->address - (uint64_t)(int64_t)(insn->op_class == CULPRIT_OP_amo ? 0 : insn->imm);
	const uint64_t stored = insn->mem_size < 8 ? (1ull << 8 * insn->mem_size) - 1 : UINT64_MAX;
	if ((s->flags & RISCV_FOLLOW_STORED) && insn->rs2 && ((hart->r[insn->rs2] ^ s->value) & stored))
		hart->r[insn->rs2] = s->value; /* else what is known above a narrow value stays */
	if (have_memory(as, s->address, insn->mem_size) && pure_load &&
	    (s->flags & (RISCV_FOLLOW_VALUE | RISCV_FOLLOW_LOADED)))
		memcpy(address_space_host(as, s->address), &s->value, insn->mem_size); /* protected or not */
}

/* Linux's mprotect, and that it was done: its registers tell all of it, and a wrong path that stores to what was
 * protected ends there. Of the pages that are there; code stays code, as the trace says what runs. */
static void protect(const struct riscv_follow_step *s, const struct riscv_hart *hart, struct address_space *as)
{
	enum { MPROTECT = 226, A0 = 10, A1, A2, A7 = 17 };
	enum { FOR_READING = 1, FOR_WRITING = 2 };
	const uint64_t start = hart->r[A0], size = hart->r[A1], how = hart->r[A2];
	if (!(s->flags & RISCV_FOLLOW_VALUE) || s->value || hart->r[A7] != MPROTECT)
		return;
	if (start >= ADDRESS_SPACE_LIMIT || size > ADDRESS_SPACE_LIMIT - start)
		return;
	const unsigned perm = how & FOR_WRITING ? PAGE_READ | PAGE_WRITE : how & FOR_READING ? PAGE_READ : 0;
	for (uint64_t at = start; at < start + size; at += GUEST_PAGE_SIZE) {
		uint8_t *page = &as->perm[at >> GUEST_PAGE_BITS];
		if (*page & PAGE_MAPPED)
			*page = (uint8_t)((*page & ~(PAGE_READ | PAGE_WRITE)) | perm);
	}
}

/* A system call, a fault, what is not known here: the trace says what it came to. */
static void pass_over(struct riscv_hart *hart, const struct riscv_insn *insn, struct riscv_outcome *out)
{
	out->mem_addr = 0;
	out->taken = false;
	out->next_pc = hart->pc + insn->length;
	hart->instret++;
}

static bool is_direct(const struct riscv_insn *insn)
{
	return insn->branch == CULPRIT_BRANCH_CONDITIONAL || insn->branch == CULPRIT_BRANCH_JUMP ||
	       insn->branch == CULPRIT_BRANCH_CALL;
}

/* Whatever registers said: the instruction goes to `next`, or leads elsewhere. */
static bool goes_to(const struct riscv_insn *insn, uint64_t pc, uint64_t next, struct riscv_outcome *out)
{
	const uint64_t behind = pc + insn->length, target = pc + (uint64_t)(int64_t)insn->imm;
	if (insn->branch && !is_direct(insn)) {
		out->taken = true;
		out->next_pc = next;
		return true;
	}
	if (insn->branch == CULPRIT_BRANCH_CONDITIONAL)
		out->taken = next == target && (target != behind || out->taken);
	else
		out->taken = insn->branch != CULPRIT_BRANCH_NONE;
	out->next_pc = out->taken ? target : behind;
	return out->next_pc == next;
}

static void count_gaps(struct riscv_follow_gaps *g, const struct riscv_follow_step *s, const struct riscv_insn *insn,
		       bool jumps)
{
	const bool access = insn->flags & (RISCV_LOAD | RISCV_STORE), result = insn->rd != RISCV_NO_DEST;
	g->accesses += access;
	g->addresses += access && !(s->flags & RISCV_FOLLOW_ADDRESS);
	g->results += result;
	g->values += result && !(s->flags & (RISCV_FOLLOW_VALUE | RISCV_FOLLOW_LOADED));
	g->jumps += jumps;
}

void riscv_follow(struct riscv_follow *f, struct riscv_hart *hart, const struct riscv_insn *insn,
		  struct address_space *as, struct riscv_outcome *out, bool *jumps)
{
	const struct riscv_follow_step *s = &f->steps[f->next++];
	const bool last = f->next == f->count;
	const uint64_t pc = hart->pc;
	learn(s, hart, insn, as);
	if (insn->op == RISCV_OP_ecall)
		protect(s, hart, as);
	enum riscv_stop stop = riscv_step(hart, insn, as, out);
	if (stop != RISCV_CONTINUE && stop != RISCV_STOP_FENCE_I)
		pass_over(hart, insn, out);
	if (s->flags & RISCV_FOLLOW_ADDRESS)
		out->mem_addr = insn->flags & (RISCV_LOAD | RISCV_STORE) ? s->address : 0;
	if (s->flags & RISCV_FOLLOW_VALUE)
		hart->r[insn->op == RISCV_OP_ecall ? 10 : insn->rd] = s->value; /* a0 */
	*jumps = !goes_to(insn, pc, last ? out->next_pc : s[1].pc, out);
	hart->pc = last ? out->next_pc : s[1].pc;
	count_gaps(&f->gaps, s, insn, *jumps);
}
