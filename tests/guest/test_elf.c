/* Hostile and broken programs: each gets one error of the right kind, none gets further. The good program is three
 * instructions long, built here byte by byte, so that every field's place is known. */
#include "guest/guest.h"
#include "tiny.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { HEADER = TINY_HEADER, PHDR = TINY_PHDR, CODE = TINY_CODE, SIZE = CODE + 12 };
#define BASE TINY_BASE
#define put tiny_put

static char folder[] = "/tmp/culprit-test-elf-XXXXXX";
static char program[64];

static void build(uint8_t *f)
{
	static const uint32_t exit_42[3] = {0x05d00893, 0x02a00513, 0x00000073}; /* li a7, 93; li a0, 42; ecall */

	assert_int_equal(tiny_build(f, exit_42, 3), SIZE);
}

static struct guest *load(const void *bytes, size_t size, mode_t mode, struct error *err)
{
	char *argv[] = {program, NULL};
	struct guest_options options = {.program = program, .argv = argv};

	assert_true(tiny_write(program, bytes, size, mode));
	memset(err, 0, sizeof(*err));
	return guest_create(&options, err);
}

static void refuse(const void *bytes, size_t size, const char *reason)
{
	struct error err;
	struct guest *guest = load(bytes, size, 0700, &err);

	assert_null(guest);
	assert_int_equal(err.code, ERROR_NOT_RUNNABLE);
	if (!strstr(err.text, reason) || !strstr(err.text, program))
		fail_msg("\"%s\" does not say \"%s\" of %s", err.text, reason, program);
}

static void test_good(void **state)
{
	uint8_t f[SIZE];
	struct error err;
	struct guest *guest;
	uint64_t executed;

	build(f);
	guest = load(f, SIZE, 0700, &err);
	if (!guest)
		fail_msg("%s", err.text);
	assert_int_equal(guest_run(guest, 100, &executed), GUEST_EXITED);
	assert_int_equal(executed, 3);
	assert_int_equal(guest_exit_status(guest), 42);
	guest_destroy(guest);
}

static void test_truncated(void **state)
{
	uint8_t f[SIZE];
	struct error err;

	build(f);
	for (size_t size = 0; size < SIZE; size++) {
		assert_null(load(f, size, 0700, &err));
		assert_int_equal(err.code, ERROR_NOT_RUNNABLE);
	}
	refuse(f, 0, "empty");
	refuse(f, 3, "not an ELF file");
	refuse(f, HEADER - 1, "truncated");
	refuse(f, HEADER + PHDR, "truncated");
	refuse(f, SIZE - 1, "truncated");
}

/* One field changed. */
static void refuse_with(size_t offset, uint64_t value, size_t size, const char *reason)
{
	uint8_t f[SIZE];

	build(f);
	put(f + offset, value, size);
	refuse(f, SIZE, reason);
}

static void test_header(void **state)
{
	refuse_with(0, 'x', 1, "not an ELF file");
	refuse_with(4, 1, 1, "32-bit");
	refuse_with(4, 9, 1, "class");
	refuse_with(5, 2, 1, "little-endian");
	refuse_with(6, 0, 1, "version");
	refuse_with(16, 1, 2, "not an executable");
	refuse_with(16, 4, 2, "not an executable");
	refuse_with(18, 62, 2, "not a RISC-V program");
	refuse_with(24, UINT64_MAX, 8, "entry point");
	refuse_with(32, UINT64_MAX, 8, "program headers");
	refuse_with(32, SIZE - PHDR, 8, "program headers");
	refuse_with(48, 6, 4, "ABI");
	refuse_with(54, 32, 2, "program headers");
	refuse_with(56, 0, 2, "no program headers");
	refuse_with(56, 0xffff, 2, "program headers");
}

static void test_segment(void **state)
{
	enum {
		TYPE = HEADER,
		OFFSET = HEADER + 8,
		ADDRESS = HEADER + 16,
		FILE_SIZE = HEADER + 32,
		MEMORY_SIZE = HEADER + 40,
		ALIGNMENT = HEADER + 48
	};

	refuse_with(TYPE, 0, 4, "nothing to load");
	refuse_with(OFFSET, 4096, 8, "truncated");
	refuse_with(OFFSET, UINT64_MAX - 100, 8, "truncated");
	refuse_with(OFFSET, 1, 8, "truncated");
	refuse_with(ADDRESS, 0, 8, "lowest addresses");
	refuse_with(ADDRESS, BASE + 1, 8, "within the page");
	refuse_with(ADDRESS, UINT64_MAX & ~4095ull, 8, "outside the address space");
	refuse_with(ADDRESS, 1ull << 38, 8, "outside the address space");
	refuse_with(FILE_SIZE, SIZE + 1, 8, "larger in the file");
	refuse_with(MEMORY_SIZE, UINT64_MAX, 8, "outside the address space");
	refuse_with(MEMORY_SIZE, 1ull << 37, 8, "outside the address space");
	refuse_with(MEMORY_SIZE, 0, 8, "nothing to load");
	refuse_with(ALIGNMENT, 12345, 8, "alignment");
	refuse_with(ALIGNMENT, 1ull << 40, 8, "alignment");
}

static void test_second_segment(void **state)
{
	uint8_t f[SIZE], *p = f + HEADER + PHDR;

	build(f);
	memcpy(p, f + HEADER, PHDR);
	refuse(f, SIZE, "overlap");
	put(f + HEADER + 16, BASE + 4096, 8);
	refuse(f, SIZE, "out of order");
	put(p + 16, BASE + (1ull << 36), 8); /* legal, but too far apart */
	put(p + 40, 1ull << 35, 8);
	refuse(f, SIZE, "span");
}

static void test_interpreter(void **state)
{
	uint8_t f[SIZE], *p = f + HEADER + PHDR;

	build(f);
	put(p, 3, 4);
	put(p + 8, CODE, 8);
	refuse(f, SIZE, "impossible length");
	put(p + 32, 9, 8);
	refuse(f, SIZE, "not a string");
	put(p + 32, 1ull << 40, 8);
	refuse(f, SIZE, "impossible length");
	put(p + 8, INT64_MAX, 8);
	put(p + 32, 100, 8);
	refuse(f, SIZE, "impossible length");
	put(p + 8, SIZE - 10, 8);
	refuse(f, SIZE, "truncated");
	memcpy(f + CODE, "/no/such/ld\0", 12);
	put(p + 8, CODE, 8);
	put(p + 32, 12, 8);
	refuse(f, SIZE, "/no/such/ld");
	refuse(f, SIZE, "--sysroot");
}

static void test_scripts(void **state)
{
	struct error err;
	char text[128];

	refuse("#!\n", 3, "without an interpreter");
	refuse("#!/no/such/shell -x\n", 20, "/no/such/shell not found");
	snprintf(text, sizeof(text), "#!%s\n", program); /* itself, for ever */
	refuse(text, strlen(text), "nested too deeply");
	refuse("echo hello\n", 11, "not an ELF file");
	assert_null(load("x", 1, 0600, &err));
	assert_int_equal(err.code, ERROR_NOT_RUNNABLE);
	assert_non_null(strstr(err.text, "not executable"));
}

static struct guest *create(const char *name, struct error *err)
{
	char *argv[] = {(char *)name, NULL};
	struct guest_options options = {.program = name, .argv = argv};

	memset(err, 0, sizeof(*err));
	return guest_create(&options, err);
}

static void test_names(void **state)
{
	struct guest_options options = {.program = "x", .sysroot = "/no/such/sysroot"};
	struct error err;

	assert_null(create("", &err));
	assert_int_equal(err.code, ERROR_NOT_FOUND);
	assert_null(create("no-such-program-anywhere", &err));
	assert_int_equal(err.code, ERROR_NOT_FOUND);
	assert_null(create("./no/such", &err));
	assert_int_equal(err.code, ERROR_NOT_FOUND);
	assert_null(create(folder, &err));
	assert_int_equal(err.code, ERROR_NOT_RUNNABLE);
	assert_null(guest_create(&options, &err));
	assert_int_equal(err.code, ERROR_USAGE);
	assert_non_null(strstr(err.text, "/no/such/sysroot"));
}

/* Every byte of the headers, set to the values that break careless arithmetic: an error or a guest, never a crash. */
static void test_every_byte(void **state)
{
	static const uint8_t values[] = {0, 1, 0x7f, 0x80, 0xff};
	uint8_t f[SIZE];

	for (size_t at = 4; at < CODE; at++) {
		for (size_t i = 0; i < sizeof(values); i++) {
			struct error err;
			struct guest *guest;
			uint64_t executed;

			build(f);
			f[at] = values[i];
			guest = load(f, SIZE, 0700, &err);
			if (guest)
				guest_run(guest, 100, &executed);
			else
				assert_int_equal(err.code, ERROR_NOT_RUNNABLE);
			guest_destroy(guest);
		}
	}
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
		cmocka_unit_test(test_good),	       cmocka_unit_test(test_truncated),
		cmocka_unit_test(test_header),	       cmocka_unit_test(test_segment),
		cmocka_unit_test(test_second_segment), cmocka_unit_test(test_interpreter),
		cmocka_unit_test(test_scripts),	       cmocka_unit_test(test_names),
		cmocka_unit_test(test_every_byte),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
