/* The cache of decoded blocks, seen from inside: what the functional executor needs beyond riscv.h. */
#ifndef CULPRIT_RISCV_CODE_H
#define CULPRIT_RISCV_CODE_H

#include "riscv/riscv.h"

struct code_slot {
	uint64_t pc;
	struct riscv_block *block; /* NULL: free */
};

struct code_chunk;

/* The table of an address space, and its blocks. While it is in use they are in struct riscv_code. */
struct riscv_code_space {
	struct riscv_code_space *next;
	uint64_t number;
	struct code_slot *slots;
	uint64_t mask;
	unsigned shift;
	uint64_t used;
	struct code_chunk *live;
};

/* Open addressing, linear probing, at most half full. The chunks hold the blocks; retired ones wait for reclaim. */
struct riscv_code {
	const struct address_space *as;
	const void *const *handlers; /* of the functional executor, by op; the one behind the last ends a block */
	struct code_slot *slots;
	uint64_t mask;	/* slots - 1 */
	unsigned shift; /* of the hash */
	uint64_t used;
	size_t chunks; /* live ones, of all spaces */
	struct code_chunk *live, *retired;
	struct riscv_code_space *current, *spaces; /* spaces: all of them */
	uint64_t (*tag)(const void *context, uint64_t pc);
	const void *tag_context;
	struct riscv_watch watch;
	uint64_t spaces_made;
	uint32_t extensions; /* riscv_code_extend */
	bool exhausted;	     /* the host had no memory for a block */
};

static inline uint64_t code_hash(const struct riscv_code *code, uint64_t pc)
{
	return pc * 0x9e3779b97f4a7c15 >> code->shift;
}

/* The block at pc if it is decoded already. */
static inline struct riscv_block *code_lookup(const struct riscv_code *code, uint64_t pc)
{
	uint64_t i = code_hash(code, pc);

	while (code->slots[i].pc != pc) {
		if (!code->slots[i].block)
			return NULL;
		i = (i + 1) & code->mask;
	}
	return code->slots[i].block;
}

/* Of all spaces. */
void riscv_code_forget_all(struct riscv_code *code);

/* run.c: the addresses of the executor's handlers, by op. */
const void *const *riscv_run_handlers(void);

#endif
