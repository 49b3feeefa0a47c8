/* Single instructions at their edges. Expected values follow from the manual. Every instruction runs through both
 * executors (harness.h). */
#include "harness.h"

#include "riscv/csr.h"

#define MIN64 UINT64_C(0x8000000000000000)
#define MIN32 UINT64_C(0xffffffff80000000) /* as a register holds it */
#define ONES UINT64_MAX

static int setup(void **state)
{
	struct machine *m = calloc(1, sizeof *m);

	machine_create(m);
	*state = m;
	return 0;
}

static int teardown(void **state)
{
	machine_destroy(*state);
	free(*state);
	return 0;
}

static void binary_operations(void **state)
{
	static const struct {
		enum riscv_op op;
		uint64_t a, b, result;
	} cases[] = {
		{RISCV_OP_add, ONES, 1, 0},
		{RISCV_OP_sub, 0, 1, ONES},
		{RISCV_OP_sll, 1, 63, MIN64},
		{RISCV_OP_sll, 1, 64, 1},
		{RISCV_OP_srl, MIN64, 63, 1},
		{RISCV_OP_sra, MIN64, 63, ONES},
		{RISCV_OP_sra, MIN64, 127, ONES},
		{RISCV_OP_slt, MIN64, 0, 1},
		{RISCV_OP_sltu, MIN64, 0, 0},
		{RISCV_OP_slt, 0, ONES, 0},
		{RISCV_OP_sltu, 0, ONES, 1},
		{RISCV_OP_xor, 0xff00ff00, 0x0ff00ff0, 0xf0f0f0f0},
		{RISCV_OP_or, 0xff00ff00, 0x0ff00ff0, 0xfff0fff0},
		{RISCV_OP_and, 0xff00ff00, 0x0ff00ff0, 0x0f000f00},
		{RISCV_OP_addw, 0x7fffffff, 1, MIN32},
		{RISCV_OP_addw, 0x1ffffffff, 1, 0},
		{RISCV_OP_subw, MIN32, 1, 0x7fffffff},
		{RISCV_OP_sllw, 1, 31, MIN32},
		{RISCV_OP_sllw, 1, 32, 1},
		{RISCV_OP_srlw, 0xffffffff80000000, 31, 1},
		{RISCV_OP_srlw, 0xffffffff80000000, 0, MIN32},
		{RISCV_OP_sraw, 0x0000000080000000, 31, ONES},
		{RISCV_OP_mul, MIN64, 3, MIN64},
		{RISCV_OP_mul, 0x100000001, 0x100000001, 0x200000001},
		{RISCV_OP_mulh, ONES, ONES, 0},
		{RISCV_OP_mulh, MIN64, MIN64, 0x4000000000000000},
		{RISCV_OP_mulh, MIN64, 1, ONES},
		{RISCV_OP_mulhu, ONES, ONES, 0xfffffffffffffffe},
		{RISCV_OP_mulhu, MIN64, 2, 1},
		{RISCV_OP_mulhsu, ONES, ONES, ONES},
		{RISCV_OP_mulhsu, MIN64, ONES, 0x8000000000000000},
		{RISCV_OP_mulhsu, 1, ONES, 0},
		{RISCV_OP_mulhsu, MIN64, 2, ONES},
		{RISCV_OP_div, 7, 0, ONES},
		{RISCV_OP_div, MIN64, ONES, MIN64},
		{RISCV_OP_div, (uint64_t)-7, 2, (uint64_t)-3},
		{RISCV_OP_divu, 7, 0, ONES},
		{RISCV_OP_divu, ONES, 2, 0x7fffffffffffffff},
		{RISCV_OP_rem, 7, 0, 7},
		{RISCV_OP_rem, MIN64, ONES, 0},
		{RISCV_OP_rem, (uint64_t)-7, 2, ONES},
		{RISCV_OP_rem, 7, (uint64_t)-2, 1},
		{RISCV_OP_remu, 7, 0, 7},
		{RISCV_OP_remu, ONES, 10, 5},
		{RISCV_OP_mulw, 0x7fffffff, 2, 0xfffffffffffffffe},
		{RISCV_OP_mulw, 0x500000003, 4, 12},
		{RISCV_OP_divw, 5, 0x100000000, ONES},
		{RISCV_OP_divw, MIN32, ONES, MIN32},
		{RISCV_OP_divw, 0x00000000fffffff9, 2, (uint64_t)-3},
		{RISCV_OP_divuw, 5, 0, ONES},
		{RISCV_OP_divuw, 0xffffffff, 1, ONES},
		{RISCV_OP_divuw, 0xfffffffff0000000, 16, 0x0f000000},
		{RISCV_OP_remw, MIN32, ONES, 0},
		{RISCV_OP_remw, 0x80000001, 0, 0xffffffff80000001},
		{RISCV_OP_remw, (uint64_t)-7, 2, ONES},
		{RISCV_OP_remuw, 0x80000001, 0, 0xffffffff80000001},
		{RISCV_OP_remuw, 0xffffffff, 10, 5},
	};

	for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
		uint64_t result = binary(*state, cases[i].op, cases[i].a, cases[i].b);
		if (result != cases[i].result)
			fail_msg("%s %#lx %#lx gives %#lx, not %#lx", riscv_op_name(cases[i].op), cases[i].a, cases[i].b,
				 result, cases[i].result);
	}
}

static void immediate_operations(void **state)
{
	static const struct {
		enum riscv_op op;
		uint64_t a;
		int imm;
		uint64_t result;
	} cases[] = {
		{RISCV_OP_addi, 0, -2048, (uint64_t)-2048},
		{RISCV_OP_slti, MIN64, -1, 1},
		{RISCV_OP_sltiu, 5, -1, 1},
		{RISCV_OP_sltiu, ONES, -1, 0},
		{RISCV_OP_xori, 0, -1, ONES},
		{RISCV_OP_ori, 0x1000, 0x7ff, 0x17ff},
		{RISCV_OP_andi, ONES, -16, (uint64_t)-16},
		{RISCV_OP_slli, 1, 63, MIN64},
		{RISCV_OP_srli, MIN64, 63, 1},
		{RISCV_OP_srai, MIN64, 63, ONES},
		{RISCV_OP_addiw, 0x7fffffff, 1, MIN32},
		{RISCV_OP_addiw, 0xffffffff00000000, 0, 0},
		{RISCV_OP_slliw, 0x100000001, 31, MIN32},
		{RISCV_OP_srliw, MIN32, 4, 0x08000000},
		{RISCV_OP_sraiw, 0x80000000, 4, 0xfffffffff8000000},
	};
	struct machine *m = *state;

	for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
		machine_reset(m);
		m->hart.r[A1] = cases[i].a;
		put_code(m, CODE_ADDR, i_type(cases[i].op, A0, A1, cases[i].imm));
		assert_int_equal(execute(m), RISCV_CONTINUE);
		assert_int_equal(m->hart.r[A0], cases[i].result);
	}
}

static void upper_immediates(void **state)
{
	struct machine *m = *state;

	machine_reset(m);
	put_code(m, CODE_ADDR, 0x80000537); /* lui a0, 0x80000 */
	execute(m);
	assert_int_equal(m->hart.r[A0], MIN32);
	machine_reset(m);
	put_code(m, CODE_ADDR, 0xfffff517); /* auipc a0, 0xfffff */
	execute(m);
	assert_int_equal(m->hart.r[A0], CODE_ADDR - 0x1000);
}

static void x0_stays_zero(void **state)
{
	struct machine *m = *state;

	machine_reset(m);
	m->hart.r[A1] = 77;
	put_code(m, CODE_ADDR, i_type(RISCV_OP_addi, 0, A1, 5));
	put_code(m, CODE_ADDR + 4, r_type(RISCV_OP_add, A0, 0, 0));
	execute(m);
	execute(m);
	assert_int_equal(m->hart.r[0], 0);
	assert_int_equal(m->hart.r[A0], 0);
}

static void loads_extend(void **state)
{
	static const struct {
		enum riscv_op op;
		uint64_t result;
	} cases[] = {
		{RISCV_OP_lb, 0xffffffffffffff88},  {RISCV_OP_lbu, 0x88},
		{RISCV_OP_lh, 0xffffffffffff9988},  {RISCV_OP_lhu, 0x9988},
		{RISCV_OP_lw, 0xffffffffbbaa9988},  {RISCV_OP_lwu, 0xbbaa9988},
		{RISCV_OP_ld, 0xffeeddccbbaa9988},
	};
	struct machine *m = *state;

	for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
		for (uint64_t addr = DATA_ADDR; addr < DATA_END - 8; addr += 4091) { /* misaligned, across pages */
			machine_reset(m);
			put_data(m, addr, 0xffeeddccbbaa9988);
			m->hart.r[A1] = addr + 8;
			put_code(m, CODE_ADDR, i_type(cases[i].op, A0, A1, -8));
			assert_int_equal(execute(m), RISCV_CONTINUE);
			assert_int_equal(m->hart.r[A0], cases[i].result);
			assert_int_equal(m->outcome.mem_addr, addr);
		}
	}
}

static void stores_truncate(void **state)
{
	static const struct {
		enum riscv_op op;
		uint64_t result;
	} cases[] = {
		{RISCV_OP_sb, 0xffffffffffffff11},
		{RISCV_OP_sh, 0xffffffffffff2211},
		{RISCV_OP_sw, 0xffffffff44332211},
		{RISCV_OP_sd, 0x8877665544332211},
	};
	struct machine *m = *state;

	for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
		for (uint64_t addr = DATA_ADDR; addr < DATA_END - 8; addr += 4093) {
			machine_reset(m);
			put_data(m, addr, ONES);
			m->hart.r[A1] = addr;
			m->hart.r[A2] = 0x8877665544332211;
			put_code(m, CODE_ADDR, s_type(cases[i].op, A2, A1, 0));
			assert_int_equal(execute(m), RISCV_CONTINUE);
			assert_int_equal(get_data(m, addr), cases[i].result);
		}
	}
}

/* A faulting access changes nothing and names its address. */
static void accesses_fault(void **state)
{
	static const uint64_t load_faults[] = {0, DATA_ADDR - 1, DATA_END, DATA_END - 7, ADDRESS_SPACE_LIMIT,
					       ADDRESS_SPACE_LIMIT - 4, MIN64, ONES, ONES - 7};
	struct machine *m = *state;

	for (unsigned i = 0; i < sizeof load_faults / sizeof *load_faults; i++) {
		machine_reset(m);
		m->hart.r[A1] = load_faults[i];
		m->hart.r[A0] = 5;
		put_code(m, CODE_ADDR, i_type(RISCV_OP_ld, A0, A1, 0));
		assert_int_equal(execute(m), RISCV_STOP_LOAD_FAULT);
		assert_int_equal(m->outcome.value, load_faults[i]);
		assert_int_equal(m->hart.r[A0], 5);
		assert_int_equal(m->hart.pc, CODE_ADDR);
		assert_int_equal(m->hart.instret, 0);
		put_code(m, CODE_ADDR, s_type(RISCV_OP_sd, A0, A1, 0));
		assert_int_equal(execute(m), RISCV_STOP_STORE_FAULT);
		assert_int_equal(m->outcome.value, load_faults[i]);
	}
	machine_reset(m); /* readable, not writable */
	m->hart.r[A1] = CODE_ADDR;
	put_code(m, CODE_ADDR, s_type(RISCV_OP_sb, A0, A1, 0));
	assert_int_equal(execute(m), RISCV_STOP_STORE_FAULT);
}

static void branches_are_taken_or_not(void **state)
{
	static const struct {
		enum riscv_op op;
		uint64_t a, b;
		bool taken;
	} cases[] = {
		{RISCV_OP_beq, 1, 1, true},	  {RISCV_OP_beq, 1, 2, false},	  {RISCV_OP_bne, 1, 2, true},
		{RISCV_OP_bne, 2, 2, false},	  {RISCV_OP_blt, MIN64, 0, true}, {RISCV_OP_blt, 0, 0, false},
		{RISCV_OP_bge, 0, MIN64, true},	  {RISCV_OP_bge, 0, 0, true},	  {RISCV_OP_bge, MIN64, 0, false},
		{RISCV_OP_bltu, 0, MIN64, true},  {RISCV_OP_bltu, MIN64, 0, false}, {RISCV_OP_bgeu, MIN64, 0, true},
		{RISCV_OP_bgeu, 0, MIN64, false},
	};
	struct machine *m = *state;

	for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
		machine_reset(m);
		m->hart.pc += 0x800;
		m->hart.r[A1] = cases[i].a;
		m->hart.r[A2] = cases[i].b;
		put_code(m, m->hart.pc, b_type(cases[i].op, A1, A2, -0x7fe));
		assert_int_equal(execute(m), RISCV_CONTINUE);
		assert_int_equal(m->outcome.taken, cases[i].taken);
		assert_int_equal(m->hart.pc, CODE_ADDR + (cases[i].taken ? 2 : 0x804));
		assert_int_equal(m->outcome.next_pc, m->hart.pc);
	}
}

static void jumps_link(void **state)
{
	struct machine *m = *state;

	machine_reset(m);
	put_code(m, CODE_ADDR, j_type(RA, 0x1004));
	execute(m);
	assert_int_equal(m->hart.pc, CODE_ADDR + 0x1004);
	assert_int_equal(m->hart.r[RA], CODE_ADDR + 4);
	assert_true(m->outcome.taken);

	machine_reset(m); /* the lowest bit is dropped, the sum wraps, rd may be rs1 */
	m->hart.r[RA] = ONES;
	put_code(m, CODE_ADDR, i_type(RISCV_OP_jalr, RA, RA, 0x104));
	execute(m);
	assert_int_equal(m->hart.pc, 0x102);
	assert_int_equal(m->hart.r[RA], CODE_ADDR + 4);

	machine_reset(m); /* c.jalr links two bytes on */
	m->hart.r[A0] = CODE_ADDR + 0x11;
	put_code(m, CODE_ADDR, 0x9502);
	execute(m);
	assert_int_equal(m->hart.pc, CODE_ADDR + 0x10);
	assert_int_equal(m->hart.r[RA], CODE_ADDR + 2);
}

static uint64_t amo(struct machine *m, enum riscv_op op, uint64_t memory, uint64_t source, uint64_t *after)
{
	machine_reset(m);
	put_data(m, DATA_ADDR + 8, memory);
	m->hart.r[A1] = DATA_ADDR + 8;
	m->hart.r[A2] = source;
	put_code(m, CODE_ADDR, r_type(op, A0, A1, A2));
	assert_int_equal(execute(m), RISCV_CONTINUE);
	*after = get_data(m, DATA_ADDR + 8);
	return m->hart.r[A0];
}

static void atomics_modify(void **state)
{
	static const struct {
		enum riscv_op op;
		uint64_t memory, source, old, after;
	} cases[] = {
		{RISCV_OP_amoswap_w, 0x1111111180000000, 5, MIN32, 0x1111111100000005},
		{RISCV_OP_amoadd_w, 0x11111111ffffffff, 2, ONES, 0x1111111100000001},
		{RISCV_OP_amoxor_w, 0xff, 0xf0f, 0xff, 0xff0},
		{RISCV_OP_amoand_w, 0xff, 0xf0f, 0xff, 0x00f},
		{RISCV_OP_amoor_w, 0xff, 0xf0f, 0xff, 0xfff},
		{RISCV_OP_amomin_w, 0x80000000, 1, MIN32, 0x80000000},
		{RISCV_OP_amomax_w, 0x80000000, 1, MIN32, 1},
		{RISCV_OP_amominu_w, 0x80000000, 1, MIN32, 1},
		{RISCV_OP_amomaxu_w, 0x80000000, 1, MIN32, 0x80000000},
		{RISCV_OP_amoswap_d, MIN64, 5, MIN64, 5},
		{RISCV_OP_amoadd_d, ONES, 2, ONES, 1},
		{RISCV_OP_amoxor_d, ONES, 1, ONES, ONES - 1},
		{RISCV_OP_amoand_d, ONES, MIN64, ONES, MIN64},
		{RISCV_OP_amoor_d, 1, MIN64, 1, MIN64 + 1},
		{RISCV_OP_amomin_d, MIN64, 1, MIN64, MIN64},
		{RISCV_OP_amomax_d, MIN64, 1, MIN64, 1},
		{RISCV_OP_amominu_d, MIN64, 1, MIN64, 1},
		{RISCV_OP_amomaxu_d, MIN64, 1, MIN64, MIN64},
	};

	for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
		uint64_t after, old = amo(*state, cases[i].op, cases[i].memory, cases[i].source, &after);
		if (old != cases[i].old || after != cases[i].after)
			fail_msg("%s leaves %#lx and returns %#lx", riscv_op_name(cases[i].op), after, old);
	}
}

static void atomics_need_alignment_and_both_permissions(void **state)
{
	static const enum riscv_op ops[] = {RISCV_OP_amoadd_w, RISCV_OP_lr_w, RISCV_OP_sc_w};
	struct machine *m = *state;

	for (unsigned i = 0; i < 3; i++) {
		machine_reset(m);
		m->hart.r[A1] = DATA_ADDR + 2;
		put_code(m, CODE_ADDR, r_type(ops[i], A0, A1, 0));
		assert_int_equal(execute(m), RISCV_STOP_MISALIGNED);
		assert_int_equal(m->outcome.value, DATA_ADDR + 2);
	}
	machine_reset(m);
	m->hart.r[A1] = DATA_ADDR + 4;
	put_code(m, CODE_ADDR, r_type(RISCV_OP_amoadd_d, A0, A1, A2));
	assert_int_equal(execute(m), RISCV_STOP_MISALIGNED);
	machine_reset(m);
	m->hart.r[A1] = CODE_ADDR; /* readable only */
	assert_int_equal(execute(m), RISCV_STOP_STORE_FAULT);
	put_code(m, CODE_ADDR, r_type(RISCV_OP_lr_w, A0, A1, 0));
	machine_reset(m);
	m->hart.r[A1] = DATA_END;
	assert_int_equal(execute(m), RISCV_STOP_LOAD_FAULT);
}

/* lr at one address, then sc; between them memory may change. */
static uint64_t reserve_and_store(struct machine *m, uint64_t sc_addr, uint64_t changed_to)
{
	machine_reset(m);
	put_data(m, DATA_ADDR, 0xffffffff80000000);
	m->hart.r[A1] = DATA_ADDR;
	m->hart.r[A2] = 42;
	m->hart.r[A3] = sc_addr;
	put_code(m, CODE_ADDR, r_type(RISCV_OP_lr_w, A0, A1, 0));
	put_code(m, CODE_ADDR + 4, r_type(RISCV_OP_sc_w, A0, A3, A2));
	assert_int_equal(execute(m), RISCV_CONTINUE);
	assert_int_equal(m->hart.r[A0], MIN32);
	put_data(m, DATA_ADDR, changed_to);
	assert_int_equal(execute(m), RISCV_CONTINUE);
	return m->hart.r[A0];
}

static void store_conditional_needs_its_reservation(void **state)
{
	struct machine *m = *state;

	assert_int_equal(reserve_and_store(m, DATA_ADDR, 0xffffffff80000000), 0);
	assert_int_equal(get_data(m, DATA_ADDR), 0xffffffff0000002a);
	m->hart.pc = CODE_ADDR + 4; /* the reservation is used up */
	assert_int_equal(execute(m), RISCV_CONTINUE);
	assert_int_equal(m->hart.r[A0], 1);

	assert_int_equal(reserve_and_store(m, DATA_ADDR, 7), 1); /* the value changed */
	assert_int_equal(get_data(m, DATA_ADDR), 7);
	assert_int_equal(reserve_and_store(m, DATA_ADDR + 4, 0xffffffff80000000), 1); /* elsewhere */
	assert_int_equal(reserve_and_store(m, 0, 0xffffffff80000000), 1); /* not even mapped */
}

static uint64_t csr(struct machine *m, enum riscv_op op, unsigned number, unsigned source)
{
	m->hart.pc = CODE_ADDR;
	put_code(m, CODE_ADDR, csr_type(op, A0, number, source));
	assert_int_equal(execute(m), RISCV_CONTINUE);
	return m->hart.r[A0];
}

static void fp_state_is_one_register_in_three(void **state)
{
	struct machine *m = *state;

	machine_reset(m);
	m->hart.r[A1] = 0xffffff55;
	assert_int_equal(csr(m, RISCV_OP_csrrw, CSR_FCSR, A1), 0);
	assert_int_equal(m->hart.frm, 2);
	assert_int_equal(m->hart.fflags, 0x15);
	assert_int_equal(csr(m, RISCV_OP_csrrs, CSR_FCSR, 0), 0x55);
	assert_int_equal(csr(m, RISCV_OP_csrrci, CSR_FFLAGS, 0x11), 0x15);
	assert_int_equal(m->hart.fflags, 0x04);
	assert_int_equal(csr(m, RISCV_OP_csrrsi, CSR_FFLAGS, 0x03), 0x04);
	assert_int_equal(m->hart.fflags, 0x07);
	assert_int_equal(csr(m, RISCV_OP_csrrwi, CSR_FRM, 31), 2);
	assert_int_equal(m->hart.frm, 7);
	assert_int_equal(m->hart.fflags, 0x07);
	m->hart.r[A1] = 5;
	assert_int_equal(csr(m, RISCV_OP_csrrc, CSR_FRM, A1), 7);
	assert_int_equal(m->hart.frm, 2);
	m->hart.r[A0] = 31; /* source and destination in one register */
	put_code(m, CODE_ADDR, csr_type(RISCV_OP_csrrw, A0, CSR_FFLAGS, A0));
	m->hart.pc = CODE_ADDR;
	execute(m);
	assert_int_equal(m->hart.r[A0], 7);
	assert_int_equal(m->hart.fflags, 31);
}

static void counters_count_instructions(void **state)
{
	struct machine *m = *state;

	machine_reset(m);
	m->hart.instret = 123456;
	assert_int_equal(csr(m, RISCV_OP_csrrs, CSR_CYCLE, 0), 123456);
	assert_int_equal(csr(m, RISCV_OP_csrrs, CSR_INSTRET, 0), 123457);
	assert_int_equal(csr(m, RISCV_OP_csrrs, CSR_TIME, 0), 1234);
}

/* In the middle of a block the executor has counted ahead. */
static void counters_are_exact_inside_blocks(void **state)
{
	struct machine *m = *state;

	machine_reset(m);
	put_code(m, CODE_ADDR, i_type(RISCV_OP_addi, A1, A1, 1));
	put_code(m, CODE_ADDR + 4, csr_type(RISCV_OP_csrrs, A0, CSR_INSTRET, 0));
	put_code(m, CODE_ADDR + 8, i_type(RISCV_OP_addi, A1, A1, 1));
	put_code(m, CODE_ADDR + 12, csr_type(RISCV_OP_csrrs, A2, CSR_INSTRET, 0));
	put_code(m, CODE_ADDR + 16, 0x00000073);
	assert_int_equal(riscv_run(&m->hart, m->code, &m->as, 100, &m->outcome), RISCV_STOP_ECALL);
	assert_int_equal(m->hart.r[A0], 1);
	assert_int_equal(m->hart.r[A2], 3);
	assert_int_equal(m->hart.instret, 4);
}

static void traps_stop(void **state)
{
	static const struct {
		uint32_t raw;
		enum riscv_stop stop;
		uint64_t value;
	} cases[] = {
		{0x00000073, RISCV_STOP_ECALL, 0},
		{0x00100073, RISCV_STOP_BREAK, 0},
		{0x9002, RISCV_STOP_BREAK, 0},
		{0xffffffff, RISCV_STOP_ILLEGAL, 0xffffffff},
		{0x0000, RISCV_STOP_ILLEGAL, 0},
		{0x8000, RISCV_STOP_ILLEGAL, 0x8000},
		{0xc0001073, RISCV_STOP_ILLEGAL, 0xc0001073},
	};
	struct machine *m = *state;

	for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
		machine_reset(m);
		put_code(m, CODE_ADDR, cases[i].raw);
		assert_int_equal(execute(m), cases[i].stop);
		assert_int_equal(m->outcome.value, cases[i].value);
		assert_int_equal(m->hart.pc, CODE_ADDR);
		assert_int_equal(m->hart.instret, 0);
	}
}

static void reserved_dynamic_rounding_is_illegal(void **state)
{
	struct machine *m = *state;

	for (unsigned frm = 0; frm < 8; frm++) {
		machine_reset(m);
		m->hart.frm = (uint8_t)frm;
		put_code(m, CODE_ADDR, 0x02b57553); /* fadd.d fa0,fa0,fa1 */
		assert_int_equal(execute(m), frm <= 4 ? RISCV_CONTINUE : RISCV_STOP_ILLEGAL);
		machine_reset(m);
		m->hart.frm = (uint8_t)frm;
		put_code(m, CODE_ADDR, 0x02b50553); /* its own mode: rne */
		assert_int_equal(execute(m), RISCV_CONTINUE);
		machine_reset(m);
		m->hart.frm = (uint8_t)frm;
		put_code(m, CODE_ADDR, 0x22b52553); /* fsgnjx.d has no rounding */
		assert_int_equal(execute(m), RISCV_CONTINUE);
	}
}

/* f0 = f1 op f2 (op f3) on raw register values */
static uint64_t fp(struct machine *m, uint32_t raw, uint64_t a, uint64_t b, uint64_t c)
{
	machine_reset(m);
	m->hart.r[F1] = a;
	m->hart.r[F2] = b;
	m->hart.r[F3] = c;
	put_code(m, CODE_ADDR, raw);
	assert_int_equal(execute(m), RISCV_CONTINUE);
	return m->hart.r[F0];
}

static uint32_t fp_row(enum riscv_op op)
{
	return r_type(op, 0, 1, 2);
}

static void singles_are_boxed(void **state)
{
	const uint64_t box = 0xffffffff00000000, one = box | 0x3f800000, nan = box | 0x7fc00000;
	struct machine *m = *state;

	assert_int_equal(fp(m, fp_row(RISCV_OP_fadd_s), one, one, 0), box | 0x40000000);
	assert_int_equal(fp(m, fp_row(RISCV_OP_fadd_s), one, 0x3f800000, 0), nan); /* not boxed: NaN */
	assert_int_equal(fp(m, fp_row(RISCV_OP_fsgnj_s), 0x3f800000, one, 0), nan);
	assert_int_equal(fp(m, fp_row(RISCV_OP_fsgnjn_s), one, 0x3f800000, 0), box | 0xbf800000);
	assert_int_equal(fp(m, fp_row(RISCV_OP_fsgnjx_s), box | 0xbf800000, box | 0xbf800000, 0), one);
	assert_int_equal(fp(m, fp_row(RISCV_OP_fsgnj_d), 0x3ff0000000000000, MIN64, 0), 0xbff0000000000000);
	assert_int_equal(fp(m, fp_row(RISCV_OP_fmin_s), one, nan, 0), one);
	assert_int_equal(fp(m, r_type(RISCV_OP_fcvt_d_s, 0, 1, 0), one, 0, 0), 0x3ff0000000000000);
	assert_int_equal(fp(m, r_type(RISCV_OP_fcvt_s_d, 0, 1, 0) | 1 << 20, 0x3ff0000000000000, 0, 0), one);
}

/* Signs of the fused forms: 2 * 3 + 1 with each of them. */
static void fused_signs(void **state)
{
	const uint64_t one = 0x3ff0000000000000, two = 0x4000000000000000, three = 0x4008000000000000;
	const uint64_t five = 0x4014000000000000, seven = 0x401c000000000000, box = 0xffffffff00000000;
	const uint32_t operands = 3u << 27;
	struct machine *m = *state;

	assert_int_equal(fp(m, fp_row(RISCV_OP_fmadd_d) | operands, two, three, one), seven);
	assert_int_equal(fp(m, fp_row(RISCV_OP_fmsub_d) | operands, two, three, one), five);
	assert_int_equal(fp(m, fp_row(RISCV_OP_fnmsub_d) | operands, two, three, one), five | MIN64);
	assert_int_equal(fp(m, fp_row(RISCV_OP_fnmadd_d) | operands, two, three, one), seven | MIN64);
	const uint64_t one_s = box | 0x3f800000, two_s = box | 0x40000000, three_s = box | 0x40400000;
	assert_int_equal(fp(m, fp_row(RISCV_OP_fmadd_s) | operands, two_s, three_s, one_s), box | 0x40e00000);
	assert_int_equal(fp(m, fp_row(RISCV_OP_fmsub_s) | operands, two_s, three_s, one_s), box | 0x40a00000);
	assert_int_equal(fp(m, fp_row(RISCV_OP_fnmsub_s) | operands, two_s, three_s, one_s), box | 0xc0a00000);
	assert_int_equal(fp(m, fp_row(RISCV_OP_fnmadd_s) | operands, two_s, three_s, one_s), box | 0xc0e00000);
}

static void fp_to_and_from_integer_registers(void **state)
{
	struct machine *m = *state;

	machine_reset(m);
	m->hart.r[F1] = 0x12345678bf800000; /* fmv.x.w takes the bits as they are and extends the sign */
	put_code(m, CODE_ADDR, r_type(RISCV_OP_fmv_x_w, A0, 1, 0));
	execute(m);
	assert_int_equal(m->hart.r[A0], 0xffffffffbf800000);
	put_code(m, m->hart.pc, r_type(RISCV_OP_fmv_w_x, 0, A0, 0));
	execute(m);
	assert_int_equal(m->hart.r[F0], 0xffffffffbf800000);
	m->hart.r[F1] = 0xc000000000000000; /* -2.0 */
	put_code(m, m->hart.pc, r_type(RISCV_OP_fcvt_wu_d, A0, 1, 0) | 1 << 20 | 1 << 12);
	execute(m);
	assert_int_equal(m->hart.r[A0], 0);
	assert_int_equal(m->hart.fflags, 16); /* invalid */
	m->hart.r[F1] = 0x7ff0000000000000;
	put_code(m, m->hart.pc, r_type(RISCV_OP_fclass_d, A0, 1, 0));
	execute(m);
	assert_int_equal(m->hart.r[A0], 1 << 7);
	put_code(m, m->hart.pc, r_type(RISCV_OP_flt_d, A0, 0, 1)); /* f0 is no number above as a double */
	m->hart.r[F0] = 0x3ff0000000000000;
	execute(m);
	assert_int_equal(m->hart.r[A0], 1);
}

/* Each row of F and D once or twice, on values that tell it from its neighbours. The arithmetic itself has its own
 * test; operands and result go where the row's letters say. */
static void fp_rows_compute(void **state)
{
	static const struct {
		enum riscv_op op;
		uint64_t a, b, result;
	} cases[] = {
		{RISCV_OP_fadd_s, 0xffffffff40a00000, 0xffffffff40000000, 0xffffffff40e00000},
		{RISCV_OP_fsub_s, 0xffffffff40a00000, 0xffffffff40000000, 0xffffffff40400000},
		{RISCV_OP_fmul_s, 0xffffffff40a00000, 0xffffffff40000000, 0xffffffff41200000},
		{RISCV_OP_fdiv_s, 0xffffffff40a00000, 0xffffffff40000000, 0xffffffff40200000},
		{RISCV_OP_fsqrt_s, 0xffffffff40c80000, 0xffffffff00000000, 0xffffffff40200000},
		{RISCV_OP_fmin_s, 0xffffffff40a00000, 0xffffffffc0000000, 0xffffffffc0000000},
		{RISCV_OP_fmax_s, 0xffffffff40a00000, 0xffffffffc0000000, 0xffffffff40a00000},
		{RISCV_OP_fsgnj_s, 0xffffffff40a00000, 0xffffffffc0000000, 0xffffffffc0a00000},
		{RISCV_OP_fsgnjn_s, 0xffffffff40a00000, 0xffffffffc0000000, 0xffffffff40a00000},
		{RISCV_OP_fsgnjx_s, 0xffffffffc0a00000, 0xffffffffc0000000, 0xffffffff40a00000},
		{RISCV_OP_fle_s, 0xffffffff40000000, 0xffffffff40000000, 1},
		{RISCV_OP_fle_s, 0xffffffff40a00000, 0xffffffff40000000, 0},
		{RISCV_OP_flt_s, 0xffffffff40000000, 0xffffffff40000000, 0},
		{RISCV_OP_flt_s, 0xffffffffc0000000, 0xffffffff40000000, 1},
		{RISCV_OP_feq_s, 0xffffffff40000000, 0xffffffff40000000, 1},
		{RISCV_OP_feq_s, 0xffffffff40000000, 0xffffffff40400000, 0},
		{RISCV_OP_fcvt_w_s, 0xffffffffc0200000, 0, 0xfffffffffffffffe},
		{RISCV_OP_fcvt_w_s, 0xffffffff4f000000, 0, 0x7fffffff},
		{RISCV_OP_fcvt_wu_s, 0xffffffff4f000000, 0, 0xffffffff80000000},
		{RISCV_OP_fcvt_wu_s, 0xffffffff4f800000, 0, 0xffffffffffffffff},
		{RISCV_OP_fcvt_l_s, 0xffffffffd0000000, 0, 0xfffffffe00000000},
		{RISCV_OP_fcvt_l_s, 0xffffffff5f000000, 0, 0x7fffffffffffffff},
		{RISCV_OP_fcvt_lu_s, 0xffffffff5f000000, 0, 0x8000000000000000},
		{RISCV_OP_fcvt_lu_s, 0xffffffffbf800000, 0, 0},
		{RISCV_OP_fcvt_s_w, 0xffffffff, 0, 0xffffffffbf800000},
		{RISCV_OP_fcvt_s_wu, 0xffffffff00000003, 0, 0xffffffff40400000},
		{RISCV_OP_fcvt_s_l, 0xffffffffffffffff, 0, 0xffffffffbf800000},
		{RISCV_OP_fcvt_s_lu, 0x8000000000000000, 0, 0xffffffff5f000000},
		{RISCV_OP_fclass_s, 0xffffffff80000000, 0, 1 << 3},
		{RISCV_OP_fadd_d, 0x4014000000000000, 0x4000000000000000, 0x401c000000000000},
		{RISCV_OP_fsub_d, 0x4014000000000000, 0x4000000000000000, 0x4008000000000000},
		{RISCV_OP_fmul_d, 0x4014000000000000, 0x4000000000000000, 0x4024000000000000},
		{RISCV_OP_fdiv_d, 0x4014000000000000, 0x4000000000000000, 0x4004000000000000},
		{RISCV_OP_fsqrt_d, 0x4019000000000000, 0x0000000000000000, 0x4004000000000000},
		{RISCV_OP_fmin_d, 0x4014000000000000, 0xc000000000000000, 0xc000000000000000},
		{RISCV_OP_fmax_d, 0x4014000000000000, 0xc000000000000000, 0x4014000000000000},
		{RISCV_OP_fsgnj_d, 0x4014000000000000, 0xc000000000000000, 0xc014000000000000},
		{RISCV_OP_fsgnjn_d, 0x4014000000000000, 0xc000000000000000, 0x4014000000000000},
		{RISCV_OP_fsgnjx_d, 0xc014000000000000, 0xc000000000000000, 0x4014000000000000},
		{RISCV_OP_fle_d, 0x4000000000000000, 0x4000000000000000, 1},
		{RISCV_OP_fle_d, 0x4014000000000000, 0x4000000000000000, 0},
		{RISCV_OP_flt_d, 0x4000000000000000, 0x4000000000000000, 0},
		{RISCV_OP_flt_d, 0xc000000000000000, 0x4000000000000000, 1},
		{RISCV_OP_feq_d, 0x4000000000000000, 0x4000000000000000, 1},
		{RISCV_OP_feq_d, 0x4000000000000000, 0x4008000000000000, 0},
		{RISCV_OP_fcvt_w_d, 0xc004000000000000, 0, 0xfffffffffffffffe},
		{RISCV_OP_fcvt_w_d, 0x41e0000000000000, 0, 0x7fffffff},
		{RISCV_OP_fcvt_wu_d, 0x41e0000000000000, 0, 0xffffffff80000000},
		{RISCV_OP_fcvt_wu_d, 0x41f0000000000000, 0, 0xffffffffffffffff},
		{RISCV_OP_fcvt_l_d, 0xc200000000000000, 0, 0xfffffffe00000000},
		{RISCV_OP_fcvt_l_d, 0x43e0000000000000, 0, 0x7fffffffffffffff},
		{RISCV_OP_fcvt_lu_d, 0x43e0000000000000, 0, 0x8000000000000000},
		{RISCV_OP_fcvt_lu_d, 0xbff0000000000000, 0, 0},
		{RISCV_OP_fcvt_d_w, 0xffffffff, 0, 0xbff0000000000000},
		{RISCV_OP_fcvt_d_wu, 0xffffffff00000003, 0, 0x4008000000000000},
		{RISCV_OP_fcvt_d_l, 0xffffffffffffffff, 0, 0xbff0000000000000},
		{RISCV_OP_fcvt_d_lu, 0x8000000000000000, 0, 0x43e0000000000000},
		{RISCV_OP_fclass_d, 0x8000000000000000, 0, 1 << 3},
		{RISCV_OP_fclass_s, 0x3f800000, 0, 1 << 9},
		{RISCV_OP_fcvt_d_s, 0xffffffffbfc00000, 0, 0xbff8000000000000},
		{RISCV_OP_fcvt_s_d, 0xbff8000000000000, 0, 0xffffffffbfc00000},
		{RISCV_OP_fmv_x_d, 0xbff8000000000000, 0, 0xbff8000000000000},
		{RISCV_OP_fmv_d_x, 0xbff8000000000000, 0, 0xbff8000000000000},
	};
	struct machine *m = *state;

	for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
		const struct riscv_row *row = &riscv_rows[cases[i].op];
		unsigned rd = row->operands[0] == 'D' ? F0 : A0, rs1 = row->operands[1] == 'S' ? F1 : A1;
		uint32_t rs2 = (row->mask >> 20 & 31) == 31 ? 0 : F2;

		machine_reset(m);
		m->hart.r[rs1] = cases[i].a;
		m->hart.r[F2] = cases[i].b;
		put_code(m, CODE_ADDR, r_type(cases[i].op, rd, rs1, rs2));
		assert_int_equal(execute(m), RISCV_CONTINUE);
		if (m->hart.r[rd] != cases[i].result)
			fail_msg("%s gives %#lx, not %#lx", riscv_op_name(cases[i].op), m->hart.r[rd], cases[i].result);
	}
}

static void fp_loads_and_stores(void **state)
{
	struct machine *m = *state;

	machine_reset(m);
	put_data(m, DATA_ADDR, 0x1122334455667788);
	m->hart.r[A1] = DATA_ADDR;
	put_code(m, CODE_ADDR, i_type(RISCV_OP_flw, 0, A1, 4));
	put_code(m, CODE_ADDR + 4, i_type(RISCV_OP_fld, 1, A1, 0));
	put_code(m, CODE_ADDR + 8, s_type(RISCV_OP_fsw, 1, A1, 8));
	for (unsigned i = 0; i < 3; i++)
		assert_int_equal(execute(m), RISCV_CONTINUE);
	assert_int_equal(m->hart.r[F0], 0xffffffff11223344);
	assert_int_equal(m->hart.r[F1], 0x1122334455667788);
	assert_int_equal((uint32_t)get_data(m, DATA_ADDR + 8), 0x55667788);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(binary_operations),
		TEST(immediate_operations),
		TEST(upper_immediates),
		TEST(x0_stays_zero),
		TEST(loads_extend),
		TEST(stores_truncate),
		TEST(accesses_fault),
		TEST(branches_are_taken_or_not),
		TEST(jumps_link),
		TEST(atomics_modify),
		TEST(atomics_need_alignment_and_both_permissions),
		TEST(store_conditional_needs_its_reservation),
		TEST(fp_state_is_one_register_in_three),
		TEST(counters_count_instructions),
		TEST(counters_are_exact_inside_blocks),
		TEST(traps_stop),
		TEST(reserved_dynamic_rounding_is_illegal),
		TEST(singles_are_boxed),
		TEST(fused_signs),
		TEST(fp_to_and_from_integer_registers),
		TEST(fp_rows_compute),
		TEST(fp_loads_and_stores),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
