/* From executed instructions to batches. Whole blocks are handed over as such: only their accesses and the branch at
 * their end are looked at, and their instructions where there is detail. */
#include "interval/profile/pass.h"

#include <string.h>

enum { TAKEN_OVER = RISCV_LOAD | RISCV_STORE | RISCV_SERIALISING | RISCV_AT_HEAD };
_Static_assert((int)EVENT_LOAD == RISCV_LOAD && (int)EVENT_STORE == RISCV_STORE &&
		       (int)EVENT_SERIALISING == RISCV_SERIALISING && (int)EVENT_AT_HEAD == RISCV_AT_HEAD,
	       "taken over as they are");
_Static_assert((int)EVENT_NO_REGISTER == RISCV_NO_DEST, "likewise");

static uint16_t branch_flags(const struct riscv_insn *insn, bool taken)
{
	uint16_t flags = taken || insn->branch != CULPRIT_BRANCH_CONDITIONAL ? EVENT_TAKEN : 0;
	if (riscv_reads_link(insn))
		flags |= EVENT_POPS;
	return flags;
}

static inline bool accesses_memory(const struct riscv_insn *insn)
{
	return insn->flags & (RISCV_LOAD | RISCV_STORE);
}

static inline void add_event(struct interval_event *e, const struct riscv_insn *insn, uint64_t pc, uint64_t address)
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

static inline void add_access(struct interval_batch *b, const struct riscv_insn *insn, uint64_t pc, uint64_t address,
			      size_t at)
{
	struct interval_access *a = &b->accesses[b->access_count++];
	a->address = address;
	a->pc = pc;
	a->at = (uint16_t)at;
	a->flags = insn->flags & (RISCV_LOAD | RISCV_STORE);
	a->size = insn->mem_size;
}

static inline void add_transfer(struct interval_batch *b, const struct riscv_insn *insn, uint64_t pc, bool taken,
				size_t at)
{
	struct interval_transfer *t = &b->transfers[b->transfer_count++];
	t->pc = pc;
	t->imm = insn->imm;
	t->at = (uint16_t)at;
	t->flags = branch_flags(insn, taken);
	t->branch = insn->branch;
	t->length = insn->length;
}

void interval_batch_add(struct interval_batch *b, const struct riscv_insn *insn, uint64_t pc, uint64_t address,
			bool taken)
{
	size_t at = b->count++;
	b->spans[b->span_count++] = (struct interval_span){
		.pc = pc, .longs = insn->length == 4, .at = (uint16_t)at, .count = 1, .bytes = insn->length};
	if (accesses_memory(insn))
		add_access(b, insn, pc, address, at);
	if (insn->branch)
		add_transfer(b, insn, pc, taken, at);
	if (!b->detail)
		return;
	add_event(&b->events[at], insn, pc, address);
	if (insn->branch)
		b->events[at].flags |= branch_flags(insn, taken);
}

void interval_batch_go_on(struct interval_batch *b, uint64_t next)
{
	if (b->transfer_count && b->transfers[b->transfer_count - 1].at == b->count - 1)
		b->transfers[b->transfer_count - 1].next = next;
	b->events[b->count].pc = next;
}

static void add_events(struct interval_batch *b, const struct riscv_trace_entry *entry,
		       const struct riscv_trace_access *access)
{
	struct interval_event *e = &b->events[b->count];
	const struct riscv_insn *insn = entry->block->insns, *end = insn + entry->count;
	uint64_t pc = entry->block->pc;
	for (; insn < end; insn++, e++) {
		bool accesses = accesses_memory(insn);
		add_event(e, insn, pc, accesses ? access->address : 0);
		access += accesses;
		pc += insn->length;
	}
	if (entry->count && insn[-1].branch) /* branches end their block */
		e[-1].flags |= branch_flags(insn - 1, entry->taken);
}

/* What of a block that was not executed whole there is. */
static void measure_part(const struct riscv_trace_entry *entry, uint32_t *bytes, uint64_t *accesses)
{
	*bytes = 0;
	*accesses = 0;
	for (uint32_t i = 0; i < entry->count; i++) {
		*bytes += entry->block->insns[i].length;
		*accesses += accesses_memory(&entry->block->insns[i]);
	}
}

static inline void add_accesses(struct interval_batch *b, const struct riscv_block *block,
				const struct riscv_trace_access *access, uint64_t count)
{
	uint64_t high = block->pc & ~(uint64_t)UINT32_MAX; /* a block lies in one page */
	for (uint64_t i = 0; i < count; i++) {
		const struct riscv_insn *insn = access[i].insn;
		add_access(b, insn, high | insn->pc_low, access[i].address, b->count + (size_t)(insn - block->insns));
	}
}

static inline void add_span(struct interval_batch *b, const struct riscv_trace_entry *entry, uint32_t bytes)
{
	struct interval_span *s = &b->spans[b->span_count++];
	s->pc = entry->block->pc;
	s->longs = entry->block->longs;
	s->at = (uint16_t)b->count;
	s->count = (uint16_t)entry->count;
	s->bytes = (uint16_t)bytes;
}

void interval_batch_add_trace(struct interval_batch *b, const struct riscv_trace *trace, uint64_t next)
{
	const struct riscv_trace_access *access = trace->accesses;
	for (size_t i = 0; i < trace->entry_count; i++) {
		const struct riscv_trace_entry *entry = &trace->entries[i];
		struct riscv_block *block = entry->block;
		uint32_t bytes = block->bytes;
		uint64_t accesses = block->accesses;
		if (entry->count == block->count)
			block->entered++;
		else
			measure_part(entry, &bytes, &accesses);
		if (!entry->count)
			continue;
		add_accesses(b, block, access, accesses);
		add_span(b, entry, bytes);
		const struct riscv_insn *last = &block->insns[entry->count - 1];
		if (last->branch) {
			add_transfer(b, last, block->pc + bytes - last->length, entry->taken,
				     b->count + entry->count - 1);
			b->transfers[b->transfer_count - 1].next = i + 1 < trace->entry_count ? entry[1].block->pc
											      : next;
		}
		if (b->detail)
			add_events(b, entry, access);
		access += accesses;
		b->count += entry->count;
	}
	b->events[b->count].pc = next;
}
