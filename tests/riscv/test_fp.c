/* Floating point, bit by bit, results and flags: against the real instructions executed by an independent emulator
 * (fp_reference.c), and the fast paths against the integer-only code. */
#include "fp_operands.h"
#include "fp_reference.h"
#include "riscv/fp.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#define ROUNDING_MODES 5

enum fp_case {
#define FP_CASE(name, kind, instruction, fast, soft) CASE_##name,
#include "fp_cases.def"
#undef FP_CASE
	CASES
};

static const char *const instruction_text[] = {
#define FP_CASE(name, kind, instruction, fast, soft) instruction,
#include "fp_cases.def"
#undef FP_CASE
};

#define FP_CASE(name, kind, instruction, fast, soft)                                                        \
	static uint64_t fast_##name(const struct fp_question *q, unsigned rm, uint8_t *flags)               \
	{                                                                                                   \
		uint32_t as = fp_unbox32(q->a), bs = fp_unbox32(q->b), cs = fp_unbox32(q->c);               \
		uint64_t ad = q->a, bd = q->b, cd = q->c, x = q->a;                                         \
		(void)as, (void)bs, (void)cs, (void)ad, (void)bd, (void)cd, (void)x, (void)rm, (void)flags; \
		return fast;                                                                                \
	}                                                                                                   \
	static uint64_t soft_##name(const struct fp_question *q, unsigned rm, uint8_t *flags)               \
	{                                                                                                   \
		uint32_t as = fp_unbox32(q->a), bs = fp_unbox32(q->b), cs = fp_unbox32(q->c);               \
		uint64_t ad = q->a, bd = q->b, cd = q->c, x = q->a;                                         \
		(void)as, (void)bs, (void)cs, (void)ad, (void)bd, (void)cd, (void)x, (void)rm, (void)flags; \
		return soft;                                                                                \
	}
#include "fp_cases.def"
#undef FP_CASE

typedef uint64_t compute(const struct fp_question *q, unsigned rm, uint8_t *flags);

static compute *const fast_path[] = {
#define FP_CASE(name, kind, instruction, fast, soft) fast_##name,
#include "fp_cases.def"
#undef FP_CASE
};

static compute *const slow_path[] = {
#define FP_CASE(name, kind, instruction, fast, soft) soft_##name,
#include "fp_cases.def"
#undef FP_CASE
};

/* What kind of operands a row takes, from its instruction's text. */
static bool takes_integer(unsigned what)
{
	return strstr(instruction_text[what], " t1");
}

static int operand_count(unsigned what)
{
	const char *text = instruction_text[what];

	return strstr(text, "ft2") ? 3 : strstr(text, "ft1") ? 2 : 1;
}

static bool takes_single(unsigned what)
{
	const char *text = instruction_text[what];
	const char *dot = strrchr(text, '.'); /* the last suffix names the source format */

	return dot[1] == 's';
}

/* A growing list of questions, put to one emulator run. */
struct questions {
	struct fp_question *list;
	size_t count, room;
};

static struct fp_question *ask(struct questions *questions)
{
	if (questions->count == questions->room) {
		questions->room = questions->room ? questions->room * 2 : 1024;
		questions->list = realloc(questions->list, questions->room * sizeof *questions->list);
		assert_non_null(questions->list);
	}
	return &questions->list[questions->count++];
}

static void ask_every_mode(struct questions *questions, unsigned what, uint64_t a, uint64_t b, uint64_t c)
{
	for (unsigned rm = 0; rm < ROUNDING_MODES; rm++) {
		/* The inexact flag, when already up, opens the fast paths; other flags must survive. */
		unsigned flags = questions->count % 3 == 0 ? FP_NX : questions->count % 3 == 1 ? 0 : FP_NX | FP_DZ;
		*ask(questions) = (struct fp_question){what, (uint16_t)rm, (uint16_t)flags, a, b, c};
	}
}

/* The i-th edge operand of a row; both signs, and for singles one that is not boxed. */
static size_t edge_count(unsigned what)
{
	if (takes_integer(what))
		return COUNT(edges_integer);
	return takes_single(what) ? 2 * COUNT(edges32) + 1 : 2 * COUNT(edges64);
}

static uint64_t edge_operand(unsigned what, size_t i)
{
	if (takes_integer(what))
		return edges_integer[i % COUNT(edges_integer)];
	if (!takes_single(what))
		return edges64[i / 2] | (uint64_t)(i & 1) << 63;
	if (i == 2 * COUNT(edges32))
		return 0xfffffffe3f800000;
	return fp_box32(edges32[i / 2] | (uint32_t)(i & 1) << 31);
}

static uint64_t random_operand(unsigned what, struct random *random)
{
	if (takes_integer(what))
		return random_integer(random);
	return takes_single(what) ? fp_box32(random32(random)) : random64(random);
}

static void ask_edges(struct questions *questions)
{
	for (unsigned what = 0; what < CASES; what++) {
		size_t edges = edge_count(what);
		int operands = operand_count(what);
		for (size_t i = 0; i < edges; i++)
			for (size_t j = 0; j < (operands >= 2 ? edges : 1); j++) {
				/* triples: a third operand that wanders through the edges */
				size_t k = (i * 7 + j * 13) % edges;
				ask_every_mode(questions, what, edge_operand(what, i), edge_operand(what, j),
					       edge_operand(what, k));
			}
	}
}

static void ask_random(struct questions *questions, int each)
{
	struct random random = {0x9e3779b97f4a7c15};

	for (unsigned what = 0; what < CASES; what++)
		for (int i = 0; i < each; i++) {
			uint64_t a = random_operand(what, &random), b = random_operand(what, &random);
			ask_every_mode(questions, what, a, b, random_operand(what, &random));
		}
}

/* Sums of a product and nearly its negative: what is left after cancellation. */
static void ask_cancelling(struct questions *questions, int each)
{
	struct random random = {0x123456789abcdef};
	uint8_t flags = 0;

	for (int i = 0; i < each; i++) {
		uint64_t a = random64(&random), b = random64(&random);
		uint64_t c = (fp64_soft_mul(a, b, FP_RNE, &flags) ^ FP64_SIGN) + random_next(&random) % 5 - 2;
		ask_every_mode(questions, CASE_fmadd64, a, b, c);
		ask_every_mode(questions, CASE_add64, a, (a ^ FP64_SIGN) + random_next(&random) % 1000, 0);
		uint32_t d = random32(&random), e = random32(&random);
		uint32_t f = (fp32_soft_mul(d, e, FP_RNE, &flags) ^ FP32_SIGN) + random_next(&random) % 5 - 2;
		ask_every_mode(questions, CASE_fmadd32, fp_box32(d), fp_box32(e), fp_box32(f));
		ask_every_mode(questions, CASE_add32, fp_box32(d),
			       fp_box32(d ^ FP32_SIGN) + random_next(&random) % 1000, 0);
	}
}

static FILE *scratch_file(void)
{
	FILE *file = tmpfile();

	assert_non_null(file);
	return file;
}

/* Run the reference program with the files as its stdin and stdout. */
static void run_reference(FILE *in, FILE *out)
{
	pid_t child = fork();
	int status = 0;

	assert_true(child >= 0);
	if (!child) {
		dup2(fileno(in), 0);
		dup2(fileno(out), 1);
		execl(REFERENCE_EMULATOR, REFERENCE_EMULATOR, FP_REFERENCE, (char *)NULL);
		_exit(127);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
}

static bool agrees(const struct fp_question *q, const struct fp_answer *expected, compute *path, const char *path_name)
{
	uint8_t flags = (uint8_t)q->flags;
	uint64_t result = path(q, q->rm, &flags);

	if (result == expected->result && flags == expected->flags)
		return true;
	print_error(
		"%s, rm %u, flags %#x: %016llx %016llx %016llx\n  reference  %016llx flags %#llx\n  %s  %016llx flags "
		"%#x\n",
		instruction_text[q->what], q->rm, q->flags, (unsigned long long)q->a, (unsigned long long)q->b,
		(unsigned long long)q->c, (unsigned long long)expected->result, (unsigned long long)expected->flags,
		path_name, (unsigned long long)result, flags);
	return false;
}

static void compare_with_reference(struct questions *questions)
{
	FILE *in = scratch_file(), *out = scratch_file();
	struct fp_answer *answers = calloc(questions->count, sizeof *answers);
	size_t wrong = 0;

	assert_non_null(answers);
	assert_int_equal(fwrite(questions->list, sizeof *questions->list, questions->count, in), questions->count);
	rewind(in);
	run_reference(in, out);
	rewind(out);
	assert_int_equal(fread(answers, sizeof *answers, questions->count, out), questions->count);
	for (size_t i = 0; i < questions->count && wrong < 20; i++) {
		unsigned what = questions->list[i].what;
		wrong += !agrees(&questions->list[i], &answers[i], fast_path[what], "fast path");
		wrong += !agrees(&questions->list[i], &answers[i], slow_path[what], "slow path");
	}
	print_message("%zu cases compared with the reference\n", questions->count);
	fclose(in);
	fclose(out);
	free(answers);
	free(questions->list);
	assert_int_equal(wrong, 0);
}

static void test_edges_against_reference(void **state)
{
	struct questions questions = {0};

	if (!*REFERENCE_EMULATOR || access(FP_REFERENCE, R_OK))
		skip();
	ask_edges(&questions);
	compare_with_reference(&questions);
}

static void test_random_against_reference(void **state)
{
	struct questions questions = {0};

	if (!*REFERENCE_EMULATOR || access(FP_REFERENCE, R_OK))
		skip();
	ask_random(&questions, 1000);
	ask_cancelling(&questions, 2000);
	compare_with_reference(&questions);
}

static void test_fast_path_equals_slow_path(void **state)
{
	struct random random = {0xfeedfacecafebeef};
	size_t wrong = 0;

	for (unsigned what = 0; what < CASES; what++)
		for (int i = 0; i < 50000 && wrong < 20; i++) {
			uint64_t a = random_operand(what, &random), b = random_operand(what, &random);
			struct fp_question q = {what, 0, 0, a, b, random_operand(what, &random)};
			struct fp_answer expected = {0};
			uint8_t flags;

			q.flags = i & 3 ? FP_NX : 0;
			q.rm = i % 8 < 6 ? FP_RNE : (uint16_t)(i / 8 % ROUNDING_MODES);
			flags = (uint8_t)q.flags;
			expected.result = slow_path[what](&q, q.rm, &flags);
			expected.flags = flags;
			wrong += !agrees(&q, &expected, fast_path[what], "fast path");
		}
	assert_int_equal(wrong, 0);
}

/* Truncating conversions step from in range to out of range exactly at the integer type's limits. */
static void test_limits_of_integer_conversions(void **state)
{
	uint8_t flags = 0;

	assert_int_equal(fp64_to_i32(fp64_bits(-0x1.00000001fffffp31), FP_RTZ, &flags), 0xffffffff80000000);
	assert_int_equal(flags, FP_NX);
	flags = 0;
	assert_int_equal(fp64_to_i32(fp64_bits(-0x1.00000002p31), FP_RTZ, &flags), 0xffffffff80000000);
	assert_int_equal(flags, FP_NV);
	flags = 0;
	assert_int_equal(fp64_to_u32(fp64_bits(0x1.fffffffffffffp31), FP_RTZ, &flags), UINT64_MAX);
	assert_int_equal(flags, FP_NX);
	flags = 0;
	assert_int_equal(fp64_to_u32(fp64_bits(-0x1.fffffffffffffp-1), FP_RTZ, &flags), 0);
	assert_int_equal(flags, FP_NX);
	flags = 0;
	assert_int_equal(fp64_to_u64(fp64_bits(-1.0), FP_RTZ, &flags), 0);
	assert_int_equal(flags, FP_NV);
}

static void test_boxing(void **state)
{
	assert_int_equal(fp_box32(0x3f800000), 0xffffffff3f800000);
	assert_int_equal(fp_unbox32(0xffffffff3f800000), 0x3f800000);
	assert_int_equal(fp_unbox32(0xfffffffe3f800000), FP32_NAN);
	assert_int_equal(fp_unbox32(0x3f800000), FP32_NAN);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_boxing),
		cmocka_unit_test(test_limits_of_integer_conversions),
		cmocka_unit_test(test_fast_path_equals_slow_path),
		cmocka_unit_test(test_edges_against_reference),
		cmocka_unit_test(test_random_against_reference),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
