/* Single integer instructions at their edges. Expected values follow from the manual. Every instruction runs through both
 * executors (harness.h). */
#include "harness.h"

#define MIN64 UINT64_C(0x8000000000000000)
#define MIN32 UINT64_C(0xffffffff80000000) /* as a register holds it */
#define ONES UINT64_MAX

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
		{RISCV_OP_add_uw, ONES, 1, 0x100000000},
		{RISCV_OP_sh3add, 1, 2, 10},
		{RISCV_OP_sh1add_uw, ONES, 0, 0x1fffffffe},
		{RISCV_OP_andn, 0xff, 0x0f, 0xf0},
		{RISCV_OP_orn, 0, 0xff, ~0xffull},
		{RISCV_OP_xnor, 0xff, 0x0f, ~0xf0ull},
		{RISCV_OP_clz, 0, 0, 64},
		{RISCV_OP_clz, 1, 0, 63},
		{RISCV_OP_ctz, 0, 0, 64},
		{RISCV_OP_ctz, MIN64, 0, 63},
		{RISCV_OP_cpop, ONES, 0, 64},
		{RISCV_OP_clzw, 0xffffffff00000001, 0, 31},
		{RISCV_OP_clzw, 0xffffffff00000000, 0, 32},
		{RISCV_OP_ctzw, 0x0000800000000000, 0, 32},
		{RISCV_OP_ctzw, 0x80000000, 0, 31},
		{RISCV_OP_cpopw, ONES, 0, 32},
		{RISCV_OP_max, MIN64, 0, 0},
		{RISCV_OP_maxu, MIN64, 0, MIN64},
		{RISCV_OP_min, MIN64, 0, MIN64},
		{RISCV_OP_minu, MIN64, 0, 0},
		{RISCV_OP_sext_b, 0x80, 0, (uint64_t)-128},
		{RISCV_OP_sext_h, 0x18000, 0, (uint64_t)-32768},
		{RISCV_OP_zext_h, ONES, 0, 0xffff},
		{RISCV_OP_rol, MIN64, 1, 1},
		{RISCV_OP_rol, 3, 64, 3},
		{RISCV_OP_ror, 1, 1, MIN64},
		{RISCV_OP_rolw, 0x40000000, 1, MIN32},
		{RISCV_OP_rorw, 1, 33, MIN32},
		{RISCV_OP_orc_b, 0x0100800000080001, 0, 0xff00ff0000ff00ff},
		{RISCV_OP_orc_b, 0x007f008000ff0000, 0, 0x00ff00ff00ff0000},
		{RISCV_OP_rev8, 0x0102030405060708, 0, 0x0807060504030201},
		{RISCV_OP_bclr, ONES, 63, 0x7fffffffffffffff},
		{RISCV_OP_bext, MIN64, 127, 1},
		{RISCV_OP_binv, 1, 0, 0},
		{RISCV_OP_bset, 0, 64, 1},
		{RISCV_OP_clmul, 3, 3, 5},
		{RISCV_OP_clmulh, MIN64, 2, 1},
		{RISCV_OP_clmulr, MIN64, 1, 1},
		{RISCV_OP_clmul, ONES, ONES, 0x5555555555555555},
		{RISCV_OP_clmulh, ONES, ONES, 0x5555555555555555},
		{RISCV_OP_czero_eqz, 7, 0, 0},
		{RISCV_OP_czero_eqz, 7, MIN64, 7},
		{RISCV_OP_czero_nez, 7, 0, 7},
		{RISCV_OP_czero_nez, 7, MIN64, 0},
	};

	for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
		uint64_t result = binary(*state, cases[i].op, cases[i].a, cases[i].b);
		if (result != cases[i].result)
			fail_msg("%s %#lx %#lx gives %#lx, not %#lx", riscv_op_name(cases[i].op), cases[i].a,
				 cases[i].b, result, cases[i].result);
	}
}

static void immediate_operations(void **state)
{
	static const struct {
		enum riscv_op op;
		int imm;
		uint64_t a;
		uint64_t result;
	} cases[] = {
		{RISCV_OP_addi, -2048, 0, (uint64_t)-2048},
		{RISCV_OP_slti, -1, MIN64, 1},
		{RISCV_OP_sltiu, -1, 5, 1},
		{RISCV_OP_sltiu, -1, ONES, 0},
		{RISCV_OP_xori, -1, 0, ONES},
		{RISCV_OP_ori, 0x7ff, 0x1000, 0x17ff},
		{RISCV_OP_andi, -16, ONES, (uint64_t)-16},
		{RISCV_OP_slli, 63, 1, MIN64},
		{RISCV_OP_srli, 63, MIN64, 1},
		{RISCV_OP_srai, 63, MIN64, ONES},
		{RISCV_OP_addiw, 1, 0x7fffffff, MIN32},
		{RISCV_OP_addiw, 0, 0xffffffff00000000, 0},
		{RISCV_OP_slliw, 31, 0x100000001, MIN32},
		{RISCV_OP_srliw, 4, MIN32, 0x08000000},
		{RISCV_OP_sraiw, 4, 0x80000000, 0xfffffffff8000000},
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
		{RISCV_OP_lb, 0xffffffffffffff88}, {RISCV_OP_lbu, 0x88},
		{RISCV_OP_lh, 0xffffffffffff9988}, {RISCV_OP_lhu, 0x9988},
		{RISCV_OP_lw, 0xffffffffbbaa9988}, {RISCV_OP_lwu, 0xbbaa9988},
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
	static const uint64_t load_faults[] = {
		0,     DATA_ADDR - 1, DATA_END, DATA_END - 7, ADDRESS_SPACE_LIMIT, ADDRESS_SPACE_LIMIT - 4,
		MIN64, ONES,	      ONES - 7};
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
		bool taken;
		uint64_t a, b;
	} cases[] = {
		{RISCV_OP_beq, true, 1, 1},	  {RISCV_OP_beq, false, 1, 2},	    {RISCV_OP_bne, true, 1, 2},
		{RISCV_OP_bne, false, 2, 2},	  {RISCV_OP_blt, true, MIN64, 0},   {RISCV_OP_blt, false, 0, 0},
		{RISCV_OP_bge, true, 0, MIN64},	  {RISCV_OP_bge, true, 0, 0},	    {RISCV_OP_bge, false, MIN64, 0},
		{RISCV_OP_bltu, true, 0, MIN64},  {RISCV_OP_bltu, false, MIN64, 0}, {RISCV_OP_bgeu, true, MIN64, 0},
		{RISCV_OP_bgeu, false, 0, MIN64},
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
	assert_int_equal(reserve_and_store(m, 0, 0xffffffff80000000), 1);	      /* not even mapped */
}

/* A 64-bit reservation sees all eight bytes. */
static void reservations_have_a_width(void **state)
{
	struct machine *m = *state;

	for (unsigned changed = 0; changed < 2; changed++) {
		machine_reset(m);
		put_data(m, DATA_ADDR, MIN64);
		m->hart.r[A1] = DATA_ADDR;
		m->hart.r[A2] = 42;
		put_code(m, CODE_ADDR, r_type(RISCV_OP_lr_d, A0, A1, 0));
		put_code(m, CODE_ADDR + 4, r_type(RISCV_OP_sc_d, A3, A1, A2));
		assert_int_equal(execute(m), RISCV_CONTINUE);
		assert_int_equal(m->hart.r[A0], MIN64);
		if (changed)
			put_data(m, DATA_ADDR, 0);
		assert_int_equal(execute(m), RISCV_CONTINUE);
		assert_int_equal(m->hart.r[A3], changed);
		assert_int_equal(get_data(m, DATA_ADDR), changed ? 0 : 42);
	}
}

/* Fences, their reserved forms and the hints only go on. */
static void hints_do_nothing(void **state)
{
	static const uint32_t words[] = {
		0x0ff0000f, 0x8330000f, 0x0100000f, /* fence, fence.tso, pause */
		0x0000100f, 0xfff5158f, 0x1235058f, /* fence.i, reserved fence.i and fence */
		0x00056013, 0x00156013, 0x00356013, /* prefetch.i, .r, .w */
		0x0001,	    0x0005,	0x8001,	    /* c.nop, hints */
	};
	struct machine *m = *state;

	for (unsigned i = 0; i < sizeof words / sizeof *words; i++) {
		struct riscv_hart before;

		machine_reset(m);
		m->hart.r[A0] = ONES; /* prefetches ask for no permission */
		put_code(m, CODE_ADDR, words[i]);
		before = m->hart;
		assert_int_equal(execute(m), RISCV_CONTINUE);
		before.pc += (words[i] & 3) == 3 ? 4 : 2;
		before.instret++;
		assert_same_hart(&m->hart, &before);
	}
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
		TEST(reservations_have_a_width),
		TEST(hints_do_nothing),
		TEST(traps_stop),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
