/* Running: exact counts, slices, stopping at a place, signals that kill. The programs are a few instructions long. */
#include "guest/guest.h"
#include "tiny.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>

enum { START, LOOP = 4, AFTER = 12 };
#define AT(offset) (TINY_BASE + TINY_CODE + (offset))

/* li a0, 1000; loop: addi a0, a0, -1; bnez a0, loop; li a7, 93; ecall: 1 + 2 * 1000 + 2 instructions */
static const uint32_t count_down[] = {0x3e800513, 0xfff50513, 0xfe051ee3, 0x05d00893, 0x00000073};
enum { COUNT_DOWN = 2003 };

static char folder[] = "/tmp/culprit-test-run-XXXXXX";
static char program[64];

static struct guest *create(const uint32_t *code, size_t count)
{
	uint8_t file[512];
	size_t size = tiny_build(file, code, count);
	char *argv[] = {program, NULL};
	struct guest_options options = {.program = program, .argv = argv};
	struct error err;
	struct guest *guest;

	assert_true(tiny_write(program, file, size, 0700));
	guest = guest_create(&options, &err);
	if (!guest)
		fail_msg("%s", err.text);
	return guest;
}

static void test_whole(void **state)
{
	struct guest *guest = create(count_down, 5);
	uint64_t executed;

	assert_int_equal(guest_run(guest, UINT64_MAX, &executed), GUEST_EXITED);
	assert_int_equal(executed, COUNT_DOWN);
	assert_int_equal(guest_hart(guest)->instret, COUNT_DOWN);
	assert_int_equal(guest_exit_status(guest), 0);
	assert_int_equal(guest_run(guest, 10, &executed), GUEST_EXITED);
	assert_int_equal(executed, 0);
	guest_destroy(guest);
}

static void test_slices(void **state)
{
	for (uint64_t slice = 1; slice < 50; slice += 6) {
		struct guest *guest = create(count_down, 5);
		uint64_t executed, total = 0;

		while (guest_run(guest, slice, &executed) == GUEST_RUNNING) {
			assert_int_equal(executed, slice);
			total += executed;
		}
		assert_int_equal(total + executed, COUNT_DOWN);
		guest_destroy(guest);
	}
}

static bool until(struct guest *guest, struct guest_point *point, uint64_t most, uint64_t *executed)
{
	bool reached;

	guest_run_until(guest, point, most, executed, &reached);
	return reached;
}

static struct guest_point at(uint64_t offset, uint64_t times)
{
	return (struct guest_point){.at = {.pc = AT(offset)}, .left = times};
}

static void test_until(void **state)
{
	struct guest *guest = create(count_down, 5);
	struct guest_point start = at(START, 1), loop = at(LOOP, 1), after = at(AFTER, 1);
	struct guest_point nowhere = {.at = {.pc = 0x7777777770}, .left = 1};
	uint64_t executed;

	assert_true(until(guest, &start, 10, &executed));
	assert_int_equal(executed, 0);
	assert_true(until(guest, &loop, 10, &executed));
	assert_int_equal(executed, 1);
	assert_int_equal(guest_hart(guest)->pc, AT(LOOP));
	assert_int_equal(guest_hart(guest)->r[10], 1000);
	assert_false(until(guest, &after, 100, &executed));
	assert_int_equal(executed, 100);
	assert_int_equal(guest_hart(guest)->r[10], 950);
	assert_true(until(guest, &after, UINT64_MAX, &executed));
	assert_int_equal(executed, 1900);
	assert_int_equal(guest_hart(guest)->r[10], 0);
	assert_false(until(guest, &nowhere, UINT64_MAX, &executed));
	assert_true(guest_ended(guest));
	assert_int_equal(executed, 2);
	guest_destroy(guest);
}

/* The n-th time: by address and by encoding, in pieces of every length; what is passed by is executed. */
static void test_until_times(void **state)
{
	for (uint64_t piece = 1; piece < 300; piece = piece * 3 + 1)
		for (uint64_t times = 1; times <= 500; times += 83) {
			struct guest *one = create(count_down, 5), *other = create(count_down, 5);
			struct guest_point loop = at(LOOP, times);
			struct guest_point encoding = {.at = {.pc = RISCV_NOWHERE}, .left = times};
			uint64_t executed, total = 0, all = 0;

			assert_true(address_space_read(guest_memory(other), &encoding.at.raw, AT(LOOP), 4));
			if ((encoding.at.raw & 3) != 3)
				encoding.at.raw &= 0xffff;
			while (!until(one, &loop, piece, &executed))
				assert_int_equal(executed, piece), total += executed;
			while (!until(other, &encoding, piece, &all))
				;
			assert_int_equal(total + executed, 1 + 2 * (times - 1));
			assert_int_equal(guest_hart(one)->r[10], 1000 - (times - 1));
			assert_int_equal(guest_hart(other)->instret, guest_hart(one)->instret);
			guest_destroy(one);
			guest_destroy(other);
		}
}

static void test_objects(void **state)
{
	struct guest *guest = create(count_down, 5);
	struct guest_object object;
	uint64_t address;

	assert_true(guest_object(guest, 0, &object));
	assert_string_equal(object.path, program);
	assert_int_equal(object.start, TINY_BASE);
	assert_int_equal(object.end, TINY_BASE + GUEST_PAGE_SIZE);
	assert_int_equal(object.bias, 0);
	assert_false(guest_object(guest, 1, &object));
	assert_false(guest_symbol_address(guest, "main", &address)); /* no section headers at all */
	guest_destroy(guest);
}

static void check_killed(const uint32_t *code, size_t count, int signal, uint64_t expected)
{
	struct guest *guest = create(code, count);
	uint64_t executed;

	assert_int_equal(guest_run(guest, 1000, &executed), GUEST_KILLED);
	assert_int_equal(executed, expected);
	assert_int_equal(guest_death(guest)->signal, signal);
	assert_int_equal(guest_exit_status(guest), 128 + signal);
	guest_destroy(guest);
}

static void test_killed(void **state)
{
	enum { SEGV = 11, ILL = 4, TRAP = 5, BUS = 7 };

	check_killed((uint32_t[]){0x00000013, 0x00003503}, 2, SEGV, 1);		   /* nop; ld a0, 0(zero) */
	check_killed((uint32_t[]){0x00000013, 0x00a03023}, 2, SEGV, 1);		   /* nop; sd a0, 0(zero) */
	check_killed((uint32_t[]){0x00000067}, 1, SEGV, 1);			   /* jr zero */
	check_killed((uint32_t[]){0xffffffff}, 1, ILL, 0);			   /* no instruction */
	check_killed((uint32_t[]){0x00100073}, 1, TRAP, 0);			   /* ebreak */
	check_killed((uint32_t[]){0x00110113, 0x100122af}, 2, BUS, 1);		   /* addi sp, sp, 1; lr.w t0, (sp) */
	check_killed((uint32_t[]){0x0ac00893, 0x00000073, 0x00000000}, 3, ILL, 2); /* getpid, then zeroes */
}

/* The kernel keeps a7 and everything but a0; unknown calls say ENOSYS and go on. */
static void test_unknown_call(void **state)
{
	/* li a7, 511; ecall; li a7, 93; ecall: the status is the low byte of -ENOSYS */
	struct guest *guest = create((uint32_t[]){0x1ff00893, 0x00000073, 0x05d00893, 0x00000073}, 4);
	uint64_t executed;

	assert_int_equal(guest_run(guest, 2, &executed), GUEST_RUNNING);
	assert_int_equal((int64_t)guest_hart(guest)->r[10], -38);
	assert_int_equal(guest_hart(guest)->r[17], 511);
	assert_int_equal(guest_run(guest, 100, &executed), GUEST_EXITED);
	assert_int_equal(guest_exit_status(guest), (uint8_t)-38);
	guest_destroy(guest);
}

/* What the kernel promises at the first instruction. */
static void test_start(void **state)
{
	struct guest *guest = create(count_down, 5);
	const struct riscv_hart *hart = guest_hart(guest);
	uint64_t argc, argv0, argv1;
	char name[64];

	assert_int_equal(hart->pc, AT(START));
	assert_int_equal(hart->r[2] % 16, 0);
	assert_true(address_space_read(guest_memory(guest), &argc, hart->r[2], 8));
	assert_true(address_space_read(guest_memory(guest), &argv0, hart->r[2] + 8, 8));
	assert_true(address_space_read(guest_memory(guest), &argv1, hart->r[2] + 16, 8));
	assert_int_equal(argc, 1);
	assert_int_equal(argv1, 0);
	assert_true(address_space_read(guest_memory(guest), name, argv0, strlen(program) + 1));
	assert_string_equal(name, program);
	for (int i = 1; i < 64; i++)
		if (i != 2)
			assert_int_equal(hart->r[i], 0);
	guest_destroy(guest);
}

static int set_up(void **state)
{
	if (!mkdtemp(folder))
		return -1;
	snprintf(program, sizeof(program), "%s/program", folder);
	return 0;
}

static int tear_down(void **state)
{
	unlink(program);
	return rmdir(folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_whole),	    cmocka_unit_test(test_slices),	 cmocka_unit_test(test_until),
		cmocka_unit_test(test_until_times), cmocka_unit_test(test_objects),	 cmocka_unit_test(test_killed),
		cmocka_unit_test(test_start),	    cmocka_unit_test(test_unknown_call),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
