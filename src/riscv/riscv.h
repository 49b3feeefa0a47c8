/* RV64GC and bit manipulation, user mode: decoded instructions, the hart's state, execution.
 *
 * One table (instructions.def) has one row per instruction; decoder, executors and disassembler are generated from it.
 * Registers carry one number in the whole simulator: x1..x31 = 1..31, f0..f31 = 32..63.
 * A source of 0 (x0) is always ready; a destination of RISCV_NO_DEST (x0 written, or none) is nobody's producer. */
#ifndef CULPRIT_RISCV_RISCV_H
#define CULPRIT_RISCV_RISCV_H

#include "base/error.h"
#include "culprit/types.h"
#include "riscv/address_space.h"
#include "riscv/op.h"

#include <stddef.h>
#include <stdint.h>

#define RISCV_NO_DEST 64
#define RISCV_REGISTERS 65 /* the last one swallows writes to x0 */

enum riscv_insn_flag {
	RISCV_LOAD = 1,	       /* reads memory (loads, LR, SC, AMO): an SC, too, needs its line before it can answer */
	RISCV_STORE = 2,       /* may write memory (stores, SC, AMO) */
	RISCV_BRANCH = 4,      /* any control transfer: `branch` says which kind */
	RISCV_SERIALISING = 8, /* ecall, ebreak, fence.i, CSR access other than to the FP flags */
	RISCV_AT_HEAD = 16,    /* atomics, fences and serialising ones: a core issues them only as the oldest */
	RISCV_BLOCK_END = 32,  /* last of its decoded block */
	RISCV_FP_FLAGS = 64,   /* may raise FP exception flags */
	RISCV_VECTOR = 128,    /* vector registers, vl or vtype are among its operands: riscv_vector_operands */
};

/* A decoded instruction. 32 bytes; immutable while its block lives. */
struct riscv_insn {
	const void *handler;   /* the functional executor's own */
	int32_t imm;	       /* sign-extended immediate; for direct branches the byte offset from the pc */
	uint32_t raw;	       /* encoding as fetched (16 bits when length is 2) */
	uint16_t op;	       /* enum riscv_op, compressed forms already expanded to their base row */
	uint8_t rd;	       /* 1..63 or RISCV_NO_DEST */
	uint8_t rs1, rs2, rs3; /* 0..63 */
	uint8_t length;	       /* bytes: 2 or 4 */
	uint8_t op_class;      /* enum culprit_op_class */
	uint8_t branch;	       /* enum culprit_branch */
	uint8_t flags;	       /* enum riscv_insn_flag */
	uint8_t mem_size;      /* bytes accessed: 0, 1, 2, 4, 8 */
	uint8_t rm;	       /* rounding mode field (7 = dynamic) */
	uint32_t pc_low;       /* low 32 bits of the pc it was decoded at, for checks */
};

/* Of a jalr: it jumps to what a link register (x1, x5) other than its own destination holds, so it takes an entry from
 * the return stack (table 3 of the unprivileged manual). `jalr ra, imm(ra)`, the far call, does not. */
static inline bool riscv_reads_link(const struct riscv_insn *insn)
{
	return (insn->rs1 == 1 || insn->rs1 == 5) && insn->rd != insn->rs1;
}

/* A run of consecutive decoded instructions; ends at a control transfer, a serialising instruction, a page end
 * or RISCV_BLOCK_MAX instructions. */
#define RISCV_BLOCK_MAX 64
struct riscv_block {
	uint64_t pc;
	uint32_t count; /* instructions */
	uint32_t bytes;
	struct riscv_block *taken; /* cached successors, valid when their pc matches; may be NULL */
	struct riscv_block *fallthrough;
	uint64_t entered;  /* free for whoever traces (trace.h); 0 at first */
	uint64_t longs;	   /* bit n: instruction n is 4 bytes long, else 2 */
	uint64_t accesses; /* instructions with RISCV_LOAD or RISCV_STORE */
	uint64_t tag;	   /* of the frame that its page is in: pc + tag is where it lies (riscv_code_frames) */
	_Alignas(32) struct riscv_insn insns[];
};

struct riscv_hart {
	uint64_t r[RISCV_REGISTERS]; /* x and f registers; f NaN-boxed as the architecture says */
	uint64_t pc;
	uint8_t fflags;
	uint8_t frm;
	uint64_t reservation; /* LR address, or all ones */
	uint64_t reservation_value;
	struct riscv_vector *vector; /* vector.h; NULL: no vectors */
	uint64_t instret; /* instructions executed on the correct path; time and cycle derive from it, so that
			   * what a guest sees does not depend on the machine simulated */
};

enum riscv_stop {
	RISCV_CONTINUE = 0,
	RISCV_STOP_LIMIT,	/* max_insns reached */
	RISCV_STOP_ECALL,	/* pc is at the ecall; whoever handles it moves pc on by 4 and counts it */
	RISCV_STOP_BREAK,	/* likewise, ebreak (c.ebreak: by 2) */
	RISCV_STOP_ILLEGAL,	/* pc at the instruction, value = encoding */
	RISCV_STOP_FETCH_FAULT, /* value = address */
	RISCV_STOP_LOAD_FAULT,
	RISCV_STOP_STORE_FAULT,
	RISCV_STOP_MISALIGNED, /* AMO, LR, SC only */
	RISCV_STOP_FENCE_I,    /* step only: executed; decoded code must be dropped before going on */
	RISCV_STOP_PLACE,      /* pc is where riscv_code_watch said: not executed */
};

/* What one instruction did. */
struct riscv_outcome {
	uint64_t next_pc;
	uint64_t mem_addr; /* loads and stores, also a store-conditional that fails; 0 else */
	uint64_t value;	   /* faults: see enum riscv_stop */
	bool taken;	   /* a jump, or a branch whose condition holds (even to pc + length) */
};

struct riscv_code; /* cache of decoded blocks over one address space */

struct riscv_code *riscv_code_create(const struct address_space *as, struct error *err);
void riscv_code_destroy(struct riscv_code *code);
/* Forget every block (fence.i, executable pages remapped). Memory of forgotten blocks stays valid until
 * riscv_code_reclaim, because instructions in flight point into it. */
void riscv_code_flush(struct riscv_code *code);
void riscv_code_reclaim(struct riscv_code *code);
/* Blocks of several address spaces: those of one are in use, the others' are kept aside. `code` and what it reads stay
 * where they are, whichever is entered. A space that was destroyed is forgotten: its blocks await reclaim. */
struct riscv_code_space *riscv_code_space_current(struct riscv_code *code);
uint64_t riscv_code_space_number(const struct riscv_code *code); /* the current one's, from 1; none is used twice */
struct riscv_code_space *riscv_code_space_create(struct riscv_code *code); /* NULL: no memory */
void riscv_code_space_enter(struct riscv_code *code, struct riscv_code_space *to);
void riscv_code_space_destroy(struct riscv_code *code, struct riscv_code_space *space); /* not the current one */
/* Who knows in which frame a page lies: asked for the tag of each block decoded. Without, it is 0. */
void riscv_code_frames(struct riscv_code *code, uint64_t (*tag)(const void *context, uint64_t pc), const void *context);
/* Every block in memory of every space, those forgotten but not reclaimed too. */
void riscv_code_visit(const struct riscv_code *code, void (*visit)(void *context, struct riscv_block *block),
		      void *context);
/* Stop before each instruction at one address, or before each with one encoding. Code decoded before is dropped.
 * Such an instruction's op is RISCV_OP_PLACE; all else is its own. riscv_step_over executes the one at hart->pc
 * nevertheless, as riscv_step. */
struct riscv_watch {
	uint64_t pc;	/* RISCV_NOWHERE: none */
	uint32_t raw;	/* 0: none */
	uint64_t space; /* only in this one (riscv_code_space_number); 0: in all */
};
#define RISCV_NOWHERE UINT64_MAX
void riscv_code_watch(struct riscv_code *code, struct riscv_watch watch);
enum riscv_stop riscv_step_over(struct riscv_hart *hart, struct riscv_code *code, struct address_space *as,
				struct riscv_outcome *out);
/* Execute these extensions, too (enum riscv_extension; V only where the hart has vector registers); until then they are
 * illegal. Before the first block. */
void riscv_code_extend(struct riscv_code *code, uint32_t extensions);
/* Once, a block could not be decoded because the host had no memory left. */
bool riscv_code_exhausted(const struct riscv_code *code);
/* Where a fetch at pc faults: at the second half of an instruction that crosses into a page without code. */
uint64_t riscv_code_fault_address(const struct riscv_code *code, uint64_t pc);
/* So many blocks are decoded that they should be forgotten when no instruction in flight points into them. */
bool riscv_code_full(const struct riscv_code *code);
/* There are forgotten blocks to be reclaimed. */
bool riscv_code_has_forgotten(const struct riscv_code *code);
/* The block that starts at pc, decoded now if need be; NULL when pc is not executable memory (or the host has none
 * left). An instruction that crosses into the next page is the last of its block.
 * An encoding that is illegal becomes an instruction with op RISCV_OP_illegal. */
struct riscv_block *riscv_code_block(struct riscv_code *code, uint64_t pc);

/* Execute one instruction at hart->pc. On RISCV_CONTINUE the registers, memory and pc are updated and instret
 * counted; on any other result but FENCE_I nothing changed. Used by the timing core (also down wrong paths). */
typedef enum riscv_stop riscv_step_function(struct riscv_hart *hart, const struct riscv_insn *insn,
					    struct address_space *as, struct riscv_outcome *out);
extern riscv_step_function *const riscv_step_functions[]; /* by op */
static inline enum riscv_stop riscv_step(struct riscv_hart *hart, const struct riscv_insn *insn,
					 struct address_space *as, struct riscv_outcome *out)
{
	return riscv_step_functions[insn->op](hart, insn, as, out);
}

/* Execute up to max_insns instructions from hart->pc, fast. Stops as enum riscv_stop says with hart->pc at the
 * instruction that stopped it. fence.i is handled inside: it flushes and reclaims, so no block found before the call
 * may be used after it. */
enum riscv_stop riscv_run(struct riscv_hart *hart, struct riscv_code *code, struct address_space *as,
			  uint64_t max_insns, struct riscv_outcome *out);

/* Decode one encoding, of RV64GC or beyond (pc only for pc_low). False: illegal, *insn is then the illegal row. */
bool riscv_decode(uint32_t raw, uint64_t pc, struct riscv_insn *insn);
/* As this code's blocks have it, not watched: illegal where its extension is not executed. */
void riscv_code_decode(const struct riscv_code *code, uint32_t raw, uint64_t pc, struct riscv_insn *insn);

/* Disassemble as `objdump -d -M no-aliases` of binutils prints, with ABI register names: see disassemble.c.
 * Returns the length written, as snprintf. */
int riscv_disassemble(uint32_t raw, uint64_t pc, char *text, size_t size);

/* Make *insn, decoded, an illegal one. */
void riscv_decode_illegal(struct riscv_insn *insn);

/* What an encoding that is illegal is: its major opcode, and the extension that the opcode space gives it to
 * ("opcode OP-V: vector instruction (V)"). Returns the length written, as snprintf. */
int riscv_missing(uint32_t raw, char *text, size_t size);

/* The name of an operation's row ("add", "fmadd.d"). */
const char *riscv_op_name(unsigned op);

#endif
