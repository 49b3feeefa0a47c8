/* What the tests of the executors share: a small guest with a code page and data pages, words made from rows of the
 * table, and a random source. Instructions are run by riscv_step and by riscv_run from the same state; both must
 * agree before a test looks at the result. */
#ifndef TEST_RISCV_HARNESS_H
#define TEST_RISCV_HARNESS_H

#include "riscv/isa.h"
#include "riscv/rows.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define RS2_FIELD 0x01f00000u
#define CODE_ADDR UINT64_C(0x10000)
#define CODE_PAGES 4
#define DATA_ADDR UINT64_C(0x40000)
#define DATA_PAGES 2
#define DATA_END (DATA_ADDR + DATA_PAGES * GUEST_PAGE_SIZE)

enum { RA = 1, SP = 2, T0 = 5, A0 = 10, A1 = 11, A2 = 12, A3 = 13, F0 = 32, F1 = 33, F2 = 34, F3 = 35 };

struct machine {
	struct address_space as;
	struct riscv_code *code;
	struct riscv_hart hart;
	struct riscv_outcome outcome;
};

static inline uint64_t random64(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15; /* splitmix64 */

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

static inline void machine_reset(struct machine *m)
{
	memset(&m->hart, 0, sizeof m->hart);
	m->hart.pc = CODE_ADDR;
	m->hart.reservation = UINT64_MAX;
	for (unsigned f = F0; f < F0 + 32; f++)
		m->hart.r[f] = UINT64_C(0xffffffff00000000);
}

static inline void machine_create(struct machine *m)
{
	struct error err;

	assert_true(address_space_create(&m->as, &err));
	assert_true(
		address_space_map(&m->as, CODE_ADDR, CODE_PAGES * GUEST_PAGE_SIZE, PAGE_READ | PAGE_EXEC, true, &err));
	assert_true(
		address_space_map(&m->as, DATA_ADDR, DATA_PAGES * GUEST_PAGE_SIZE, PAGE_READ | PAGE_WRITE, true, &err));
	m->code = riscv_code_create(&m->as, &err);
	assert_non_null(m->code);
	riscv_code_extend(m->code, RISCV_EXT_B | RISCV_EXT_ZBC | RISCV_EXT_ZICOND);
	machine_reset(m);
}

static inline void machine_destroy(struct machine *m)
{
	riscv_code_destroy(m->code);
	address_space_destroy(&m->as);
}

/* cmocka fixtures: a machine of its own for each test */
static inline int setup(void **state)
{
	struct machine *m = calloc(1, sizeof *m);

	machine_create(m);
	*state = m;
	return 0;
}

static inline int teardown(void **state)
{
	machine_destroy(*state);
	free(*state);
	return 0;
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

/* Put a word into the code without asking its page; the cache of decoded blocks is dropped. */
static inline void put_code(struct machine *m, uint64_t addr, uint32_t raw)
{
	memcpy(m->as.base + addr, &raw, (raw & 3) == 3 ? 4 : 2);
	riscv_code_flush(m->code);
	riscv_code_reclaim(m->code);
}

static inline void put_data(struct machine *m, uint64_t addr, uint64_t value)
{
	memcpy(m->as.base + addr, &value, sizeof value);
}

static inline uint64_t get_data(const struct machine *m, uint64_t addr)
{
	uint64_t value;

	memcpy(&value, m->as.base + addr, sizeof value);
	return value;
}

/* Words from the table's match and register fields (0..31). */
static inline uint32_t r_type(enum riscv_op op, unsigned rd, unsigned rs1, unsigned rs2)
{
	return riscv_rows[op].match | (rd & 31) << 7 | (rs1 & 31) << 15 | (rs2 & 31) << 20;
}

static inline uint32_t i_type(enum riscv_op op, unsigned rd, unsigned rs1, int imm)
{
	return riscv_rows[op].match | (rd & 31) << 7 | (rs1 & 31) << 15 | (uint32_t)imm << 20;
}

static inline uint32_t s_type(enum riscv_op op, unsigned rs2, unsigned rs1, int imm)
{
	return riscv_rows[op].match | ((unsigned)imm & 31) << 7 | (rs1 & 31) << 15 | (rs2 & 31) << 20 |
	       ((unsigned)imm >> 5 & 127) << 25;
}

static inline uint32_t b_type(enum riscv_op op, unsigned rs1, unsigned rs2, int imm)
{
	unsigned u = (unsigned)imm;

	return riscv_rows[op].match | (rs1 & 31) << 15 | (rs2 & 31) << 20 | (u >> 11 & 1) << 7 | (u >> 1 & 15) << 8 |
	       (u >> 5 & 63) << 25 | (u >> 12 & 1) << 31;
}

static inline uint32_t j_type(unsigned rd, int imm)
{
	unsigned u = (unsigned)imm;

	return riscv_rows[RISCV_OP_jal].match | rd << 7 | (u >> 12 & 255) << 12 | (u >> 11 & 1) << 20 |
	       (u >> 1 & 1023) << 21 | (u >> 20 & 1) << 31;
}

static inline uint32_t csr_type(enum riscv_op op, unsigned rd, unsigned csr, unsigned source)
{
	return riscv_rows[op].match | rd << 7 | source << 15 | csr << 20;
}

static inline void assert_same_hart(const struct riscv_hart *a, const struct riscv_hart *b)
{
	for (unsigned i = 0; i < RISCV_NO_DEST; i++)
		assert_int_equal(a->r[i], b->r[i]);
	assert_int_equal(a->pc, b->pc);
	assert_int_equal(a->fflags, b->fflags);
	assert_int_equal(a->frm, b->frm);
	assert_int_equal(a->instret, b->instret);
	assert_int_equal(a->reservation, b->reservation);
	assert_int_equal(a->reservation_value, b->reservation_value);
}

/* Execute the one instruction at hart->pc both ways. Memory is put back between them (data pages only). */
static inline enum riscv_stop execute(struct machine *m)
{
	static uint8_t before[DATA_PAGES * GUEST_PAGE_SIZE], after[DATA_PAGES * GUEST_PAGE_SIZE];
	struct riscv_block *block = riscv_code_block(m->code, m->hart.pc);
	struct riscv_hart start = m->hart, stepped;
	struct riscv_outcome outcome;
	enum riscv_stop step, run;

	assert_non_null(block);
	memcpy(before, m->as.base + DATA_ADDR, sizeof before);
	step = riscv_step(&m->hart, &block->insns[0], &m->as, &m->outcome);
	stepped = m->hart;
	memcpy(after, m->as.base + DATA_ADDR, sizeof after);
	memcpy(m->as.base + DATA_ADDR, before, sizeof before);
	m->hart = start;
	run = riscv_run(&m->hart, m->code, &m->as, 1, &outcome);
	if (step == RISCV_STOP_FENCE_I)
		step = RISCV_CONTINUE;
	assert_int_equal(run, step == RISCV_CONTINUE ? RISCV_STOP_LIMIT : step);
	assert_same_hart(&m->hart, &stepped);
	assert_memory_equal(m->as.base + DATA_ADDR, after, sizeof after);
	if (step != RISCV_CONTINUE)
		assert_int_equal(outcome.value, m->outcome.value);
	return step;
}

/* rd = rs1 op rs2 on fresh registers: the value that ends in a0. */
static inline uint64_t binary(struct machine *m, enum riscv_op op, uint64_t a, uint64_t b)
{
	machine_reset(m);
	m->hart.r[A1] = a;
	m->hart.r[A2] = b;
	put_code(m, CODE_ADDR,
		 r_type(op, A0, A1, riscv_rows[op].mask & RS2_FIELD ? 0 : A2)); /* some have one operand */
	assert_int_equal(execute(m), RISCV_CONTINUE);
	assert_int_equal(m->hart.pc, CODE_ADDR + 4);
	return m->hart.r[A0];
}

#endif
