/* What the rows of instructions.def are written in. Private to the two executors: each includes this header and then
 * defines the few macros that differ between them:
 *   STOP(reason, value)  leave without any effect of this instruction
 *   TRANSFER(target)     an unconditional direct jump     TRANSFER_INDIRECT(target)  likewise through a register
 *   BRANCH_IF(condition) a conditional branch by IMM      NOTE_ADDRESS(address)      a load or store goes there
 *   COUNT_SO_FAR         make hart->instret exact         FENCE_I
 *   ACCESS_SLOWLY(address, size, perm, reason)            go on only if all bytes are accessible
 * and has `hart`, `insn`, `as`, PC and LINK in scope. */
#ifndef CULPRIT_RISCV_SEMANTICS_H
#define CULPRIT_RISCV_SEMANTICS_H

#include "riscv/csr.h"
#include "riscv/fp.h"
#include "riscv/fp_half.h"
#include "riscv/riscv.h"
#include "riscv/vector.h"

#include <string.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "guest memory is accessed in host byte order");

#define RD hart->r[insn->rd]
#define RS1 hart->r[insn->rs1]
#define RS2 hart->r[insn->rs2]
#define RS3 hart->r[insn->rs3]
#define IMM ((int64_t)insn->imm)
#define SHAMT ((unsigned)insn->imm)
#define CSR_ZIMM CSR_ZIMM_OF(insn->imm)
#define SEXT32(value) ((uint64_t)(int64_t)(int32_t)(value))

static inline uint64_t mulh(uint64_t a, uint64_t b)
{
	return (uint64_t)((__int128)(int64_t)a * (int64_t)b >> 64);
}

static inline uint64_t mulhu(uint64_t a, uint64_t b)
{
	return (uint64_t)((unsigned __int128)a * b >> 64);
}

static inline uint64_t mulhsu(uint64_t a, uint64_t b)
{
	return mulhu(a, b) - ((int64_t)a < 0 ? b : 0);
}

/* Division never traps: by zero gives all ones and the dividend, the one overflow wraps. */
static inline uint64_t div64(uint64_t a, uint64_t b)
{
	if (b == 0)
		return UINT64_MAX;
	return b == UINT64_MAX ? -a : (uint64_t)((int64_t)a / (int64_t)b);
}

static inline uint64_t rem64(uint64_t a, uint64_t b)
{
	if (b == 0)
		return a;
	return b == UINT64_MAX ? 0 : (uint64_t)((int64_t)a % (int64_t)b);
}

/* On sign-extended operands the 64-bit forms do the 32-bit ones: INT32_MIN / -1 fits in 64 bits. */
static inline uint64_t div32(uint64_t a, uint64_t b)
{
	return (uint32_t)b ? SEXT32((int64_t)(int32_t)a / (int32_t)b) : UINT64_MAX;
}

static inline uint64_t divu32(uint64_t a, uint64_t b)
{
	return (uint32_t)b ? SEXT32((uint32_t)a / (uint32_t)b) : UINT64_MAX;
}

static inline uint64_t rem32(uint64_t a, uint64_t b)
{
	return (uint32_t)b ? SEXT32((int64_t)(int32_t)a % (int32_t)b) : SEXT32(a);
}

static inline uint64_t remu32(uint64_t a, uint64_t b)
{
	return (uint32_t)b ? SEXT32((uint32_t)a % (uint32_t)b) : SEXT32(a);
}

static inline uint64_t rotate_right(uint64_t value, uint64_t by)
{
	return value >> (by & 63) | value << (-by & 63);
}

static inline uint64_t rotate_right_w(uint64_t value, uint64_t by)
{
	return SEXT32((uint32_t)value >> (by & 31) | (uint32_t)value << (-by & 31));
}

/* All bits of each byte that has one. */
static inline uint64_t or_within_bytes(uint64_t value)
{
	const uint64_t low = 0x7f7f7f7f7f7f7f7f;
	uint64_t top = (((value & low) + low) | value) & ~low; /* the top bit of each such byte */

	return (top >> 7) * 0xff;
}

/* The product of polynomials over one bit. */
static inline unsigned __int128 clmul(uint64_t a, uint64_t b)
{
	unsigned __int128 sum = 0;

	for (; b; b &= b - 1)
		sum ^= (unsigned __int128)a << __builtin_ctzll(b);
	return sum;
}

/* Does an aligned access of `size` (a power of two) bytes within one page succeed? Rotating the size's bits away turns
 * both a misaligned address and one beyond the limit into a number that is too large: one compare, then the page's
 * byte. False only means that the slow way has to look. */
__attribute__((always_inline)) static inline bool memory_plainly_allows(const struct address_space *as, uint64_t addr,
									unsigned size, unsigned perm)
{
	unsigned log2 = (unsigned)__builtin_ctz(size);
	uint64_t rotated = log2 ? addr >> log2 | addr << (64 - log2) : addr;

	if (__builtin_expect(rotated >= ADDRESS_SPACE_LIMIT >> log2, 0))
		return false;
	return !(~as->perm[rotated >> (GUEST_PAGE_BITS - log2)] & perm);
}

#define VECTOR                                                                     \
	do {                                                                       \
		enum riscv_stop ended = riscv_vector_execute(hart, insn, as, out); \
		if (__builtin_expect(ended != RISCV_CONTINUE, 0))                  \
			STOP(ended, out->value);                                   \
	} while (0)

#define NOTHING (void)0

/* The block around the address in rs1; riscv_hwprobe tells the size. */
#define CACHE_BLOCK_BYTES 64
#define CACHE_BLOCK(perm, statement)                                                                      \
	do {                                                                                              \
		uint64_t block_address = RS1 & ~(uint64_t)(CACHE_BLOCK_BYTES - 1);                        \
		if (!address_space_allows(as, block_address, CACHE_BLOCK_BYTES, perm))                    \
			STOP((perm) == PAGE_WRITE ? RISCV_STOP_STORE_FAULT : RISCV_STOP_LOAD_FAULT, RS1); \
		statement;                                                                                \
	} while (0)
#define ILLEGAL STOP(RISCV_STOP_ILLEGAL, insn->raw)

#define JUMP_DIRECT                           \
	do {                                  \
		RD = LINK;                    \
		TRANSFER(PC + (uint64_t)IMM); \
	} while (0)
#define JUMP_INDIRECT                                                   \
	do {                                                            \
		uint64_t target = (RS1 + (uint64_t)IMM) & ~(uint64_t)1; \
		RD = LINK;                                              \
		TRANSFER_INDIRECT(target);                              \
	} while (0)

/* Comes before every effect of its row, so that the row can be started anew. */
#define CHECKED(size, perm, reason)                                               \
	uint64_t address = RS1 + (uint64_t)IMM;                                   \
	if (__builtin_expect(!memory_plainly_allows(as, address, size, perm), 0)) \
		ACCESS_SLOWLY(address, size, perm, reason);                       \
	NOTE_ADDRESS(address)

#define LOAD_INTO(type, destination)                                             \
	do {                                                                     \
		type loaded;                                                     \
		CHECKED(sizeof loaded, PAGE_READ, RISCV_STOP_LOAD_FAULT);        \
		memcpy(&loaded, address_space_host(as, address), sizeof loaded); \
		destination;                                                     \
	} while (0)
#define LOAD_X(type) LOAD_INTO(type, RD = (uint64_t)(int64_t)loaded)
#define LOAD_F32 LOAD_INTO(uint32_t, RD = fp_box32(loaded))

#define STORE(type)                                                              \
	do {                                                                     \
		type stored = (type)RS2;                                         \
		CHECKED(sizeof stored, PAGE_WRITE, RISCV_STOP_STORE_FAULT);      \
		memcpy(address_space_host(as, address), &stored, sizeof stored); \
	} while (0)

/* Atomics have no offset and must be aligned; one hart at a time runs, so plain accesses are atomic. */
#define ALIGNED(size)         \
	if (RS1 & ((size)-1)) \
	STOP(RISCV_STOP_MISALIGNED, RS1)

#define LOAD_RESERVED(type)                                                          \
	do {                                                                         \
		ALIGNED(sizeof(type));                                               \
		LOAD_INTO(type, hart->reservation = address;                         \
			  hart->reservation_value = RD = (uint64_t)(int64_t)loaded); \
	} while (0)

/* Success needs the reservation and the value it saw; failure touches no memory, but the line is asked for. */
#define STORE_CONDITIONAL(type)                                                                  \
	do {                                                                                     \
		type present, stored = (type)RS2;                                                \
		ALIGNED(sizeof(type));                                                           \
		bool success = hart->reservation == RS1;                                         \
		if (success) {                                                                   \
			CHECKED(sizeof(type), PAGE_READ | PAGE_WRITE, RISCV_STOP_STORE_FAULT);   \
			memcpy(&present, address_space_host(as, address), sizeof present);       \
			success = (uint64_t)(int64_t)present == hart->reservation_value;         \
			if (success)                                                             \
				memcpy(address_space_host(as, address), &stored, sizeof stored); \
		} else {                                                                         \
			NOTE_ADDRESS(RS1);                                                       \
		}                                                                                \
		hart->reservation = UINT64_MAX;                                                  \
		RD = !success;                                                                   \
	} while (0)

#define AMO(type, new_value)                                                           \
	do {                                                                           \
		type OLD, SRC = (type)RS2;                                             \
		ALIGNED(sizeof(type));                                                 \
		CHECKED(sizeof(type), PAGE_READ | PAGE_WRITE, RISCV_STOP_STORE_FAULT); \
		memcpy(&OLD, address_space_host(as, address), sizeof OLD);             \
		type updated = (new_value);                                            \
		memcpy(address_space_host(as, address), &updated, sizeof updated);     \
		(void)SRC;                                                             \
		RD = sizeof(type) == 4 ? SEXT32(OLD) : (uint64_t)OLD;                  \
	} while (0)

/* amocas.q: rs3 is rd's number, which decoding has made even; x0 stands for two zeros and takes no result. */
#define REGISTER_AFTER(reg) ((reg) ? (reg) + 1u : 0u)
#define AMO_PAIR                                                                          \
	do {                                                                              \
		const uint64_t wanted[2] = {RS3, hart->r[REGISTER_AFTER(insn->rs3)]};     \
		const uint64_t updated[2] = {RS2, hart->r[REGISTER_AFTER(insn->rs2)]};    \
		uint64_t present[2];                                                      \
		ALIGNED(sizeof present);                                                  \
		CHECKED(sizeof present, PAGE_READ | PAGE_WRITE, RISCV_STOP_STORE_FAULT);  \
		memcpy(present, address_space_host(as, address), sizeof present);         \
		if (!memcmp(present, wanted, sizeof present))                             \
			memcpy(address_space_host(as, address), updated, sizeof updated); \
		RD = present[0];                                                          \
		hart->r[insn->rs3 ? insn->rs3 + 1u : RISCV_NO_DEST] = present[1];         \
	} while (0)

#define CSR(action, source)                                                      \
	do {                                                                     \
		COUNT_SO_FAR;                                                    \
		RD = csr_access(hart, CSR_NUMBER_OF(insn->imm), action, source); \
	} while (0)

#define FLAGS (&hart->fflags)
#define S1 fp_unbox32(RS1)
#define S2 fp_unbox32(RS2)
#define S3 fp_unbox32(RS3)
#define SD(bits) RD = fp_box32(bits)
#define H1 fp_unbox16(RS1)
#define H2 fp_unbox16(RS2)
#define H3 fp_unbox16(RS3)
#define HD(bits) RD = fp_box16((uint16_t)(bits))

/* Reserved modes can only come from frm: the decoder refuses them in the encoding. */
#define ROUNDED(statement)                                          \
	do {                                                        \
		unsigned rm = insn->rm == 7 ? hart->frm : insn->rm; \
		if (__builtin_expect(rm > FP_RMM, 0))               \
			ILLEGAL;                                    \
		statement;                                          \
	} while (0)

#endif
