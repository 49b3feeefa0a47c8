/* Wrong paths recorded behind branches, against a second execution that is sent the other way at each of them: same instructions,
 * addresses and producers, and the program itself goes on as if nothing had been. */
#define machine small_guest /* src/machine has another */
#include "../riscv/harness.h"
#undef machine

#include "interval/profile/strays.h"

enum { RUN = 6000, BODY = 300 };

static void put(struct small_guest *m, uint64_t *at, uint32_t raw)
{
	memcpy(m->as.base + *at, &raw, 4);
	*at += 4;
}

/* A loop of random sums, loads, stores and forward branches that depend on them; x20 points to the data, x21 to their second page. */
static void random_loop(struct small_guest *m, uint64_t seed)
{
	uint64_t at = CODE_ADDR;
	machine_reset(m);
	for (unsigned i = 0; i < BODY; i++) {
		uint64_t z = random64(&seed);
		unsigned a = 5 + z % 12, b = 5 + (z >> 8) % 12, c = 5 + (z >> 16) % 12, base = 20 + (z >> 24) % 2;
		int offset = (int)((z >> 32) % 250) * 8;
		switch (z >> 40 & 7) {
		case 0:
			put(m, &at, i_type(RISCV_OP_ld, a, base, offset));
			break;
		case 1:
			put(m, &at, s_type(RISCV_OP_sd, b, base, offset));
			break;
		case 2:
		case 3:
			put(m, &at,
			    b_type(z >> 50 & 1 ? RISCV_OP_blt : RISCV_OP_bne, a, b, 4 * (1 + (int)((z >> 52) % 9))));
			break;
		default:
			put(m, &at, r_type(z >> 50 & 1 ? RISCV_OP_xor : RISCV_OP_add, a, b, c));
		}
	}
	for (unsigned i = 0; i < 12; i++) /* where a forward branch may end */
		put(m, &at, i_type(RISCV_OP_addi, 5 + i, 5 + i, 77));
	put(m, &at, b_type(RISCV_OP_beq, 0, 0, (int)(CODE_ADDR - at)));
	for (unsigned r = 5; r < 17; r++)
		m->hart.r[r] = random64(&seed);
	m->hart.r[20] = DATA_ADDR;
	m->hart.r[21] = DATA_ADDR + GUEST_PAGE_SIZE;
	for (uint64_t i = 0; i < DATA_PAGES * GUEST_PAGE_SIZE; i++)
		m->as.base[DATA_ADDR + i] = (uint8_t)random64(&seed);
	riscv_code_trace(m->code, true);
}

static void step(struct small_guest *m, struct riscv_insn *insn)
{
	uint32_t raw;
	memcpy(&raw, m->as.base + m->hart.pc, 4);
	assert_true(riscv_decode(raw, m->hart.pc, insn));
	assert_int_equal(riscv_step(&m->hart, insn, &m->as, &m->outcome), RISCV_CONTINUE);
}

/* Numbers of the last writers of each register, as the second execution sees them. */
struct writers {
	uint64_t last[RISCV_REGISTERS];
};

static void check_one(struct small_guest *m, const struct interval_sample *s, struct writers *w, uint64_t number)
{
	struct riscv_insn insn;
	assert_int_equal(s->pc, m->hart.pc >> 1);
	step(m, &insn);
	bool accesses = insn.flags & (RISCV_LOAD | RISCV_STORE);
	assert_int_equal(s->address, accesses ? m->outcome.mem_addr >> 3 : 0);
	assert_int_equal(!!(s->flags & SAMPLE_LOAD), !!(insn.flags & RISCV_LOAD));
	assert_int_equal(!!(s->flags & SAMPLE_TAKEN), m->outcome.taken);
	assert_int_equal(s->producer[0], insn.rs1 && w->last[insn.rs1] ? number - w->last[insn.rs1] : 0);
	assert_int_equal(s->producer[1], insn.rs2 && w->last[insn.rs2] ? number - w->last[insn.rs2] : 0);
	if (insn.rd != RISCV_NO_DEST)
		w->last[insn.rd] = number;
}

/* Send the program to `pc` and compare; returns how many of the list that was. The state is put back by the caller. */
static uint32_t check_path(struct small_guest *m, const struct interval_sample *list, uint32_t count, uint64_t pc,
			   struct writers w, uint64_t number, bool inner)
{
	static uint8_t saved[DATA_PAGES * GUEST_PAGE_SIZE];
	uint32_t i = 0;
	m->hart.pc = pc;
	while (i < count && (!inner || list[i].flags & SAMPLE_INNER)) {
		assert_int_equal(!!(list[i].flags & SAMPLE_INNER), inner);
		check_one(m, &list[i], &w, ++number);
		if (!(list[i++].flags & SAMPLE_MISPREDICTED))
			continue;
		assert_false(inner);
		const struct riscv_hart here = m->hart;
		struct riscv_insn insn;
		uint32_t raw;
		uint64_t branch = (uint64_t)list[i - 1].pc << 1;
		memcpy(&raw, m->as.base + branch, 4);
		assert_true(riscv_decode(raw, branch, &insn));
		memcpy(saved, m->as.base + DATA_ADDR, sizeof saved);
		i += check_path(m, list + i, count - i,
				m->outcome.taken ? branch + 4 : branch + (uint64_t)(int64_t)insn.imm, w, number, true);
		memcpy(m->as.base + DATA_ADDR, saved, sizeof saved);
		m->hart = here;
	}
	return i;
}

/* Step through the program again; where a wrong path was recorded, go it. */
static uint64_t check_paths(struct small_guest *m, const struct interval_samples *s)
{
	static uint8_t saved[DATA_PAGES * GUEST_PAGE_SIZE];
	struct writers w = {{0}};
	uint64_t path = 0, inner = 0;
	for (uint64_t n = 0; n < s->count; n++) {
		struct riscv_insn insn;
		uint64_t pc = m->hart.pc;
		step(m, &insn);
		if (insn.rd != RISCV_NO_DEST)
			w.last[insn.rd] = n + 1;
		if (path == s->wrong_count || s->wrong[path].branch != n)
			continue;
		const struct interval_wrong_path *p = &s->wrong[path++];
		const struct riscv_hart here = m->hart;
		assert_int_equal(insn.branch, CULPRIT_BRANCH_CONDITIONAL);
		memcpy(saved, m->as.base + DATA_ADDR, sizeof saved);
		uint32_t got = check_path(m, &s->strays[p->first], p->count,
					  m->outcome.taken ? pc + 4 : pc + (uint64_t)(int64_t)insn.imm, w, n + 1,
					  false);
		assert_int_equal(got, p->count);
		for (uint32_t i = 0; i < p->count; i++)
			inner += (s->strays[p->first + i].flags & SAMPLE_INNER) != 0;
		memcpy(m->as.base + DATA_ADDR, saved, sizeof saved);
		m->hart = here;
	}
	assert_int_equal(path, s->wrong_count);
	return inner;
}

static void run(struct small_guest *m, struct interval_strays *s, struct riscv_trace *t)
{
	uint64_t end = m->hart.instret + RUN, left;
	while (m->hart.instret < end) {
		uint64_t most = end - m->hart.instret < 999 ? end - m->hart.instret : 999;
		assert_true(interval_strays_wanted(s, m->hart.instret, &left));
		most = left < most ? left : most;
		assert_int_equal(interval_strays_run(s, &m->hart, m->code, &m->as, most, t, &m->outcome),
				 RISCV_STOP_LIMIT);
	}
	assert_int_equal(m->hart.instret, end);
}

static void wrong_paths_are_what_the_program_would_do(void **state)
{
	static struct riscv_trace_entry entries[1024];
	static struct riscv_trace_access accesses[1024];
	struct riscv_trace t = {.entries = entries, .accesses = accesses};
	struct small_guest *m = *state, again = {0};
	struct error err;
	uint64_t inner = 0;
	machine_create(&again);
	for (uint64_t seed = 1; seed <= 8; seed++) {
		struct interval_strays *s = interval_strays_create(&err);
		struct interval_samples to = {.count = RUN, .stretch = 4096, .every = 1};
		random_loop(m, seed);
		random_loop(&again, seed);
		interval_strays_begin(s, 0, 1);
		run(m, s, &t);
		to.list = calloc(RUN, sizeof *to.list); /* mispredicted, every one */
		for (uint64_t i = 0; i < RUN; i++)
			to.list[i].flags = SAMPLE_MISPREDICTED;
		assert_true(interval_strays_finish(s, &to));
		assert_true(to.wrong_count > 10);
		inner += check_paths(&again, &to);
		assert_memory_equal(&m->hart, &again.hart, sizeof m->hart);
		assert_memory_equal(m->as.base + DATA_ADDR, again.as.base + DATA_ADDR, DATA_PAGES * GUEST_PAGE_SIZE);
		free(to.list);
		free(to.wrong);
		free(to.strays);
		interval_strays_destroy(s);
	}
	assert_true(inner > 100);
	machine_destroy(&again);
}

/* 128 stretches of 4096 are all kept; then every other one, and so on; places are of the kept ones. Only mispredicted ones stay. */
static void paths_follow_the_thinning_of_the_sample(void **state)
{
	struct error err;
	uint64_t left;
	struct interval_strays *s = interval_strays_create(&err);
	assert_false(interval_strays_wanted(s, 0, &left)); /* the region has not begun */
	interval_strays_begin(s, 1000, 1);
	assert_true(interval_strays_wanted(s, 1000, &left));
	assert_int_equal(left, 4096);
	assert_true(interval_strays_wanted(s, 1000 + 127 * 4096 + 4095, &left));
	assert_int_equal(left, 1);
	assert_true(interval_strays_wanted(s, 1000 + 128 * 4096 + 6, &left)); /* 128 is even */
	assert_int_equal(left, 4090);
	assert_false(interval_strays_wanted(s, 1000 + 129 * 4096 + 6, &left));
	assert_int_equal(left, 4090);
	assert_false(interval_strays_wanted(s, 1000 + 257 * 4096, &left)); /* now every fourth */
	assert_int_equal(left, 3 * 4096);
	interval_strays_destroy(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(wrong_paths_are_what_the_program_would_do, setup, teardown),
		cmocka_unit_test(paths_follow_the_thinning_of_the_sample),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
