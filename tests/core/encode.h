/* Encodings of instructions, for programs that tests draw. */
#ifndef TESTS_CORE_ENCODE_H
#define TESTS_CORE_ENCODE_H

#include <stdint.h>

#define ADDI 0x13
#define ANDI 0x7013
#define ORI 0x6013
#define SRLI 0x5013
#define SLLI 0x1013
#define ADD 0x33
#define SUB 0x40000033
#define XOR 0x4033
#define AND 0x7033
#define LD 0x3003
#define SD 0x3023
#define BEQ 0x63
#define BNE 0x1063
#define JALR 0x67
#define ECALL 0x73
#define EBREAK 0x100073
#define FENCE 0x0330000f
#define FENCE_I 0x100f

static inline uint32_t r_type(uint32_t base, unsigned rd, unsigned rs1, unsigned rs2)
{
	return base | rd << 7 | rs1 << 15 | rs2 << 20;
}

static inline uint32_t i_type(uint32_t base, unsigned rd, unsigned rs1, int imm)
{
	return base | rd << 7 | rs1 << 15 | ((uint32_t)imm & 0xfff) << 20;
}

static inline uint32_t s_type(uint32_t base, unsigned rs1, unsigned rs2, int imm)
{
	uint32_t u = (uint32_t)imm;
	return base | rs1 << 15 | rs2 << 20 | (u & 0x1f) << 7 | (u >> 5 & 0x7f) << 25;
}

static inline uint32_t b_type(uint32_t base, unsigned rs1, unsigned rs2, int offset)
{
	uint32_t u = (uint32_t)offset;
	return base | rs1 << 15 | rs2 << 20 | (u >> 11 & 1) << 7 | (u >> 1 & 0xf) << 8 | (u >> 5 & 0x3f) << 25 |
	       (u >> 12 & 1) << 31;
}

static inline uint32_t j_type(unsigned rd, int offset)
{
	uint32_t u = (uint32_t)offset;
	return 0x6f | rd << 7 | (u >> 12 & 0xff) << 12 | (u >> 11 & 1) << 20 | (u >> 1 & 0x3ff) << 21 |
	       (u >> 20 & 1) << 31;
}

#endif
