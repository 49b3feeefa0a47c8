/* CSR and floating-point instructions one by one: which state they touch, boxing, and that each row computes its own
 * operation. The arithmetic itself has its own test. Both executors run everything (harness.h). */
#include "harness.h"

#include "riscv/csr.h"

#define MIN64 UINT64_C(0x8000000000000000)

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

/* Conversions that are exact take any rounding mode, but none that is reserved. */
static void exact_conversions_check_their_mode(void **state)
{
	static const struct {
		enum riscv_op op;
		uint64_t a;
	} cases[] = {{RISCV_OP_fcvt_d_s_rm, 0xffffffff3f800000}, {RISCV_OP_fcvt_d_w_rm, 1}, {RISCV_OP_fcvt_d_wu_rm, 1}};
	struct machine *m = *state;

	for (unsigned i = 0; i < 3; i++) {
		for (uint32_t rm = 1; rm < 8; rm++) {
			machine_reset(m);
			m->hart.r[F1] = cases[i].a;
			m->hart.r[1] = cases[i].a;
			put_code(m, CODE_ADDR, r_type(cases[i].op, 0, 1, 0) | rm << 12);
			assert_int_equal(execute(m), rm == 5 || rm == 6 ? RISCV_STOP_ILLEGAL : RISCV_CONTINUE);
			if (rm != 5 && rm != 6)
				assert_int_equal(m->hart.r[F0], 0x3ff0000000000000);
		}
	}
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
	put_code(m, CODE_ADDR + 12, s_type(RISCV_OP_fsd, 0, A1, 16));
	for (unsigned i = 0; i < 4; i++)
		assert_int_equal(execute(m), RISCV_CONTINUE);
	assert_int_equal(m->hart.r[F0], 0xffffffff11223344);
	assert_int_equal(m->hart.r[F1], 0x1122334455667788);
	assert_int_equal((uint32_t)get_data(m, DATA_ADDR + 8), 0x55667788);
	assert_int_equal(get_data(m, DATA_ADDR + 16), 0xffffffff11223344);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(fp_state_is_one_register_in_three),
		TEST(counters_count_instructions),
		TEST(counters_are_exact_inside_blocks),
		TEST(reserved_dynamic_rounding_is_illegal),
		TEST(singles_are_boxed),
		TEST(exact_conversions_check_their_mode),
		TEST(fused_signs),
		TEST(fp_to_and_from_integer_registers),
		TEST(fp_rows_compute),
		TEST(fp_loads_and_stores),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
