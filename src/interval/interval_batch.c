/* From executed instructions to events. */
#include "interval/interval_pass.h"

#include <string.h>

enum { TAKEN_OVER = RISCV_LOAD | RISCV_STORE | RISCV_SERIALISING | RISCV_AT_HEAD };
_Static_assert((int)EVENT_LOAD == RISCV_LOAD && (int)EVENT_STORE == RISCV_STORE &&
		       (int)EVENT_SERIALISING == RISCV_SERIALISING && (int)EVENT_AT_HEAD == RISCV_AT_HEAD,
	       "taken over as they are");
_Static_assert((int)EVENT_NO_REGISTER == RISCV_NO_DEST, "likewise");

static uint16_t branch_flags(const struct riscv_insn *insn, bool taken)
{
	uint16_t flags = taken || insn->branch != CULPRIT_BRANCH_CONDITIONAL ? EVENT_TAKEN : 0;
	if ((insn->rs1 == 1 || insn->rs1 == 5) && insn->rd != insn->rs1)
		flags |= EVENT_POPS;
	return flags;
}

static inline void add(struct interval_event *e, const struct riscv_insn *insn, uint64_t pc, uint64_t address)
{
	*e = (struct interval_event){
		.pc = pc,
		.address = address,
		.imm = insn->imm,
		.rs = {insn->rs1, insn->rs2, insn->rs3},
		.rd = insn->rd,
		.op = insn->op_class,
		.branch = insn->branch,
		.length = insn->length,
		.size = insn->mem_size,
		.flags = insn->flags & TAKEN_OVER,
	};
}

void interval_batch_add(struct interval_batch *b, const struct riscv_insn *insn, uint64_t pc, uint64_t address,
			bool taken)
{
	struct interval_event *e = &b->events[b->count++];
	add(e, insn, pc, address);
	if (insn->branch)
		e->flags |= branch_flags(insn, taken);
}

void interval_batch_add_trace(struct interval_batch *b, const struct riscv_trace *trace, uint64_t next)
{
	const uint64_t *address = trace->addresses;
	struct interval_event *e = &b->events[b->count];
	for (size_t i = 0; i < trace->entry_count; i++) {
		const struct riscv_trace_entry *entry = &trace->entries[i];
		const struct riscv_insn *insn = entry->block->insns, *end = insn + entry->count;
		uint64_t pc = entry->block->pc;
		for (; insn < end; insn++, e++) {
			bool accesses = insn->flags & (RISCV_LOAD | RISCV_STORE);
			add(e, insn, pc, accesses ? *address : 0);
			address += accesses;
			pc += insn->length;
		}
		if (entry->count && insn[-1].branch) /* branches end their block */
			e[-1].flags |= branch_flags(insn - 1, entry->taken);
	}
	e->pc = next;
	b->count = (size_t)(e - b->events);
}
