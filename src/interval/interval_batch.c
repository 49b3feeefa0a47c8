/* From executed instructions to events. */
#include "interval/interval_pass.h"

#include <string.h>

/* Whatever does not change from one execution to the next. */
static void add(struct interval_batch *b, const struct riscv_insn *insn, uint64_t pc, uint64_t address, bool taken)
{
	struct interval_event *e = &b->events[b->count++];
	uint16_t flags = insn->flags & (RISCV_LOAD | RISCV_STORE);
	if (insn->flags & RISCV_SERIALISING)
		flags |= EVENT_SERIALISING;
	if (insn->flags & RISCV_AT_HEAD)
		flags |= EVENT_AT_HEAD;
	if (insn->branch && (taken || insn->branch != CULPRIT_BRANCH_CONDITIONAL))
		flags |= EVENT_TAKEN;
	if ((insn->rs1 == 1 || insn->rs1 == 5) && insn->rd != insn->rs1)
		flags |= EVENT_POPS;
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
		.flags = flags,
	};
}
_Static_assert((int)EVENT_LOAD == RISCV_LOAD && (int)EVENT_STORE == RISCV_STORE, "taken over as they are");
_Static_assert((int)EVENT_NO_REGISTER == RISCV_NO_DEST, "likewise");

void interval_batch_add(struct interval_batch *b, const struct riscv_insn *insn, uint64_t pc, uint64_t address,
			bool taken)
{
	add(b, insn, pc, address, taken);
}

void interval_batch_add_trace(struct interval_batch *b, const struct riscv_trace *trace, uint64_t next)
{
	const uint64_t *address = trace->addresses;
	for (size_t i = 0; i < trace->entry_count; i++) {
		const struct riscv_trace_entry *entry = &trace->entries[i];
		uint64_t pc = entry->block->pc;
		for (uint32_t n = 0; n < entry->count; n++) {
			const struct riscv_insn *insn = &entry->block->insns[n];
			bool accesses = insn->flags & (RISCV_LOAD | RISCV_STORE);
			add(b, insn, pc, accesses ? *address++ : 0, entry->taken && n + 1 == entry->count);
			pc += insn->length;
		}
	}
	b->events[b->count].pc = next;
}
