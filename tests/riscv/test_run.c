/* The functional executor on whole programs: equal to single steps, exact at the limit and at faults; and the cache
 * of decoded blocks underneath. */
#include "harness.h"

#include <stdio.h>

/* A random word of a random row; most addresses are made to fall into the data pages by the registers' values. */
static uint32_t random_instruction(uint64_t *seed)
{
	uint64_t z = random64(seed);
	unsigned op = (unsigned)(random64(seed) % RISCV_OP_COUNT);
	uint32_t raw;

	if (z % 16 == 0)
		return (uint32_t)(z >> 32) | 3; /* anything */
	if (z % 4 == 0)
		return (uint32_t)(z >> 32) & 0xffff;
	raw = ((uint32_t)(z >> 32) & ~riscv_rows[op].mask) | riscv_rows[op].match;
	if (op == RISCV_OP_jal || op == RISCV_OP_jalr)
		return z % 8 == 1 ? raw : i_type(RISCV_OP_addi, A0, A0, 16);
	if (riscv_rows[op].flags & RISCV_BRANCH) /* near, mostly forwards */
		raw = b_type(op, raw >> 15, raw >> 20, (int)(z >> 16 & 0xfe) - 16);
	if (riscv_rows[op].op_class == CULPRIT_OP_csr)
		raw = csr_type(op, raw >> 7 & 31, 1 + (z >> 8) % 3, raw >> 15 & 31);
	return raw;
}

static void random_program(struct machine *m, uint64_t seed)
{
	uint64_t addr = CODE_ADDR, end = CODE_ADDR + CODE_PAGES * GUEST_PAGE_SIZE;
	uint8_t *data = m->as.base + DATA_ADDR;

	machine_reset(m);
	while (addr + 4 <= end) {
		uint32_t raw = random_instruction(&seed);
		memcpy(m->as.base + addr, &raw, 4);
		addr += (raw & 3) == 3 ? 4 : 2;
	}
	for (unsigned r = 1; r < RISCV_NO_DEST; r++) {
		uint64_t z = random64(&seed);
		m->hart.r[r] = z % 3 == 0   ? z
			       : z % 3 == 1 ? DATA_ADDR + 2048 + (z >> 32) % 4096 / 8 * 8
					    : CODE_ADDR + (z >> 32) % (CODE_PAGES * GUEST_PAGE_SIZE);
	}
	for (unsigned i = 0; i < DATA_PAGES * GUEST_PAGE_SIZE; i++)
		data[i] = (uint8_t)random64(&seed);
	riscv_code_flush(m->code);
	riscv_code_reclaim(m->code);
}

/* A trap is passed over by going on two bytes later, so that a program has many of them. */
static void pass_over(struct riscv_hart *hart)
{
	hart->pc = CODE_ADDR + (hart->pc + 2 - CODE_ADDR) % (CODE_PAGES * GUEST_PAGE_SIZE - 2);
	hart->pc &= ~(uint64_t)1;
}

static enum riscv_stop step_many(struct machine *m, uint64_t count, struct riscv_outcome *outcome)
{
	while (count--) {
		struct riscv_block *block = riscv_code_block(m->code, m->hart.pc);
		enum riscv_stop stop;

		if (!block)
			return RISCV_STOP_FETCH_FAULT;
		stop = riscv_step(&m->hart, &block->insns[0], &m->as, outcome);
		if (stop == RISCV_STOP_FENCE_I) {
			riscv_code_flush(m->code);
			riscv_code_reclaim(m->code);
		} else if (stop != RISCV_CONTINUE) {
			return stop;
		}
	}
	return RISCV_STOP_LIMIT;
}

/* The same random program by riscv_run in pieces of random length and by riscv_step, compared after every piece. */
static void compare_on(struct machine *run, struct machine *step, uint64_t seed, unsigned stops[])
{
	random_program(run, seed);
	random_program(step, seed);
	for (unsigned piece = 0; piece < 60; piece++) {
		uint64_t count = random64(&seed) % (piece & 1 ? 200 : 5), before = run->hart.instret;
		enum riscv_stop stop = riscv_run(&run->hart, run->code, &run->as, count, &run->outcome);

		assert_int_equal(step_many(step, count, &step->outcome), stop);
		assert_same_hart(&run->hart, &step->hart);
		assert_int_equal(run->outcome.next_pc, run->hart.pc);
		if (stop == RISCV_STOP_LIMIT)
			assert_int_equal(run->hart.instret, before + count);
		else if (stop != RISCV_STOP_FETCH_FAULT)
			assert_int_equal(run->outcome.value, step->outcome.value);
		stops[stop]++;
		if (stop != RISCV_STOP_LIMIT) {
			pass_over(&run->hart);
			pass_over(&step->hart);
		}
	}
	assert_memory_equal(run->as.base + DATA_ADDR, step->as.base + DATA_ADDR, DATA_PAGES * GUEST_PAGE_SIZE);
}

static void run_equals_steps_on_random_programs(void **state)
{
	struct machine *run = *state, step;
	unsigned stops[RISCV_STOP_FENCE_I + 1] = {0};
	uint64_t executed = 0;

	machine_create(&step);
	for (uint64_t seed = 1; seed <= 1500; seed++) {
		compare_on(run, &step, seed, stops);
		executed += run->hart.instret;
	}
	machine_destroy(&step);
	print_message("%lu instructions; stops:", executed);
	for (unsigned i = RISCV_STOP_LIMIT; i < RISCV_STOP_FENCE_I; i++) {
		print_message(" %u", stops[i]);
		assert_true(stops[i] > 10); /* each kind was met */
	}
	print_message("\n");
}

/* a0 counts to a1, three instructions a round in two blocks */
static void put_loop(struct machine *m)
{
	machine_reset(m);
	put_code(m, CODE_ADDR, i_type(RISCV_OP_addi, A0, A0, 1));
	put_code(m, CODE_ADDR + 4, j_type(0, 8));
	put_code(m, CODE_ADDR + 12, b_type(RISCV_OP_bne, A0, A1, -12));
	put_code(m, CODE_ADDR + 16, 0x00000073);
	m->hart.r[A1] = 1000;
}

static void limit_is_exact(void **state)
{
	struct machine *m = *state;

	for (uint64_t limit = 0; limit < 40; limit++) {
		put_loop(m);
		assert_int_equal(riscv_run(&m->hart, m->code, &m->as, limit, &m->outcome), RISCV_STOP_LIMIT);
		assert_int_equal(m->hart.instret, limit);
		assert_int_equal(m->hart.r[A0], (limit + 2) / 3);
	}
	put_loop(m);
	assert_int_equal(riscv_run(&m->hart, m->code, &m->as, 3000, &m->outcome), RISCV_STOP_LIMIT);
	assert_int_equal(riscv_run(&m->hart, m->code, &m->as, UINT64_MAX, &m->outcome), RISCV_STOP_ECALL);
	assert_int_equal(m->hart.instret, 3000);
	assert_int_equal(m->hart.pc, CODE_ADDR + 16);
}

/* Straight-line code of several blocks' length. */
static void put_additions(struct machine *m, uint64_t addr, unsigned count)
{
	machine_reset(m);
	for (unsigned i = 0; i < count; i++)
		put_code(m, addr + 4 * i, i_type(RISCV_OP_addi, A0, A0, 1));
}

static void faults_inside_blocks_are_precise(void **state)
{
	struct machine *m = *state;

	for (unsigned at = 0; at < 150; at += 7) {
		put_additions(m, CODE_ADDR, 160);
		put_code(m, CODE_ADDR + 4 * at, i_type(RISCV_OP_ld, A2, 0, 64));
		assert_int_equal(riscv_run(&m->hart, m->code, &m->as, 1000, &m->outcome), RISCV_STOP_LOAD_FAULT);
		assert_int_equal(m->hart.instret, at);
		assert_int_equal(m->hart.r[A0], at);
		assert_int_equal(m->hart.pc, CODE_ADDR + 4 * at);
		assert_int_equal(m->outcome.value, 64);
	}
}

static void blocks_end_where_they_should(void **state)
{
	struct machine *m = *state;
	struct riscv_block *block;

	put_additions(m, CODE_ADDR, 200);
	block = riscv_code_block(m->code, CODE_ADDR);
	assert_int_equal(block->count, RISCV_BLOCK_MAX);
	assert_int_equal(block->bytes, 4 * RISCV_BLOCK_MAX);
	assert_int_equal(block->pc, CODE_ADDR);
	assert_true(block->insns[RISCV_BLOCK_MAX - 1].flags & RISCV_BLOCK_END);
	assert_false(block->insns[0].flags & RISCV_BLOCK_END);
	put_code(m, CODE_ADDR + 8, 0xa001); /* c.j . */
	block = riscv_code_block(m->code, CODE_ADDR);
	assert_int_equal(block->count, 3);
	assert_int_equal(block->bytes, 10);
	put_additions(m, CODE_ADDR + GUEST_PAGE_SIZE - 8, 4);
	block = riscv_code_block(m->code, CODE_ADDR + GUEST_PAGE_SIZE - 8);
	assert_int_equal(block->count, 2);
	assert_ptr_equal(block, riscv_code_block(m->code, CODE_ADDR + GUEST_PAGE_SIZE - 8));
}

/* The last page's last two bytes begin an instruction of four: its second half is the fault. */
static void instructions_cross_pages(void **state)
{
	const uint64_t edge = CODE_ADDR + GUEST_PAGE_SIZE - 2, end = CODE_ADDR + CODE_PAGES * GUEST_PAGE_SIZE;
	struct machine *m = *state;
	struct riscv_block *block;

	put_additions(m, edge, 2);
	put_code(m, edge + 8, 0x00000073);
	block = riscv_code_block(m->code, edge);
	assert_int_equal(block->count, 1);
	assert_int_equal(block->bytes, 4);
	m->hart.pc = edge;
	assert_int_equal(riscv_run(&m->hart, m->code, &m->as, 10, &m->outcome), RISCV_STOP_ECALL);
	assert_int_equal(m->hart.r[A0], 2);
	assert_int_equal(m->hart.pc, edge + 8);

	put_additions(m, end - 6, 1);
	memcpy(m->as.base + end - 2, "\x13", 2);
	riscv_code_flush(m->code);
	assert_null(riscv_code_block(m->code, end - 2));
	assert_int_equal(riscv_code_block(m->code, end - 6)->count, 1);
	m->hart.pc = end - 6;
	assert_int_equal(riscv_run(&m->hart, m->code, &m->as, 10, &m->outcome), RISCV_STOP_FETCH_FAULT);
	assert_int_equal(m->hart.pc, end - 2);
	assert_int_equal(m->outcome.value, end);
	assert_int_equal(m->hart.instret, 1);
}

static void only_executable_memory_is_fetched(void **state)
{
	static const uint64_t addresses[] = {0,
					     2,
					     CODE_ADDR - 2,
					     CODE_ADDR + 1,
					     DATA_ADDR,
					     ADDRESS_SPACE_LIMIT,
					     ADDRESS_SPACE_LIMIT - 2,
					     UINT64_MAX,
					     UINT64_MAX - 1,
					     UINT64_MAX / 2 + 1};
	struct machine *m = *state;

	for (unsigned i = 0; i < sizeof addresses / sizeof *addresses; i++) {
		machine_reset(m);
		m->hart.pc = addresses[i];
		assert_null(riscv_code_block(m->code, addresses[i]));
		assert_int_equal(riscv_run(&m->hart, m->code, &m->as, 5, &m->outcome), RISCV_STOP_FETCH_FAULT);
		assert_int_equal(m->outcome.value, addresses[i]);
		assert_int_equal(m->hart.pc, addresses[i]);
	}
}

/* Old blocks stay readable after a flush until they are reclaimed; new ones show the new code. */
static void flush_keeps_blocks_until_reclaim(void **state)
{
	struct machine *m = *state;
	struct riscv_block *old, *fresh;
	struct riscv_insn copy;
	uint32_t raw = i_type(RISCV_OP_xori, A0, A0, 1);

	put_additions(m, CODE_ADDR, 3);
	old = riscv_code_block(m->code, CODE_ADDR);
	copy = old->insns[0];
	memcpy(m->as.base + CODE_ADDR, &raw, 4);
	assert_ptr_equal(riscv_code_block(m->code, CODE_ADDR), old); /* stores alone are not seen */
	riscv_code_flush(m->code);
	fresh = riscv_code_block(m->code, CODE_ADDR);
	assert_ptr_not_equal(fresh, old);
	assert_int_equal(fresh->insns[0].op, RISCV_OP_xori);
	assert_memory_equal(&old->insns[0], &copy, sizeof copy);
	riscv_code_reclaim(m->code);
	assert_ptr_equal(riscv_code_block(m->code, CODE_ADDR), fresh);
}

static void many_blocks_are_found_again(void **state)
{
	struct machine *m = *state;
	uint64_t end = CODE_ADDR + CODE_PAGES * GUEST_PAGE_SIZE;

	memset(m->as.base + CODE_ADDR, 0x01, end - CODE_ADDR); /* 0x0101: c.addi sp,0 */
	for (unsigned round = 0; round < 3; round++) {
		for (uint64_t pc = CODE_ADDR; pc < end; pc += 2)
			assert_int_equal(riscv_code_block(m->code, pc)->pc, pc);
		if (round == 1)
			riscv_code_flush(m->code);
	}
	riscv_code_reclaim(m->code);
}

/* A program that overwrites its own loop and says fence.i. */
static void fence_i_shows_new_code(void **state)
{
	struct machine *m = *state;
	struct error err;

	assert_true(
		address_space_map(&m->as, CODE_ADDR, GUEST_PAGE_SIZE, PAGE_READ | PAGE_WRITE | PAGE_EXEC, false, &err));
	machine_reset(m);
	put_code(m, CODE_ADDR, i_type(RISCV_OP_addi, A0, A0, 1)); /* becomes addi a0, a0, 100 */
	put_code(m, CODE_ADDR + 4, s_type(RISCV_OP_sw, A2, A1, 0));
	put_code(m, CODE_ADDR + 8, 0x0000100f);
	put_code(m, CODE_ADDR + 12, i_type(RISCV_OP_addi, A3, A3, -1));
	put_code(m, CODE_ADDR + 16, b_type(RISCV_OP_bne, A3, 0, -16));
	put_code(m, CODE_ADDR + 20, 0x00000073);
	m->hart.r[A1] = CODE_ADDR;
	m->hart.r[A2] = i_type(RISCV_OP_addi, A0, A0, 100);
	m->hart.r[A3] = 3;
	assert_int_equal(riscv_run(&m->hart, m->code, &m->as, 1000, &m->outcome), RISCV_STOP_ECALL);
	assert_int_equal(m->hart.r[A0], 201);
	assert_int_equal(m->hart.instret, 15);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(run_equals_steps_on_random_programs),
		TEST(limit_is_exact),
		TEST(faults_inside_blocks_are_precise),
		TEST(blocks_end_where_they_should),
		TEST(instructions_cross_pages),
		TEST(only_executable_memory_is_fetched),
		TEST(flush_keeps_blocks_until_reclaim),
		TEST(many_blocks_are_found_again),
		TEST(fence_i_shows_new_code),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
