/* Permissions, fresh pages, free ranges, checked copies, and what fork shares. */
#include "riscv/address_space.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#define PAGE GUEST_PAGE_SIZE
#define RW (PAGE_READ | PAGE_WRITE)

static int setup(void **state)
{
	struct address_space *as = malloc(sizeof *as);
	struct error err;

	if (!address_space_create(as, &err))
		return -1;
	*state = as;
	return 0;
}

static int teardown(void **state)
{
	address_space_destroy(*state);
	free(*state);
	return 0;
}

static void map(struct address_space *as, uint64_t addr, uint64_t length, unsigned perm, bool fresh)
{
	struct error err;

	if (!address_space_map(as, addr, length, perm, fresh, &err))
		fail_msg("%s", err.text);
}

static void permissions_hold_page_by_page(void **state)
{
	struct address_space *as = *state;

	map(as, PAGE, PAGE, RW, true);
	map(as, 2 * PAGE, PAGE, PAGE_READ, true);
	map(as, 3 * PAGE, PAGE, PAGE_MAPPED, true);
	assert_true(address_space_allows(as, PAGE, PAGE, RW));
	assert_true(address_space_allows(as, PAGE, 2 * PAGE, PAGE_READ));
	assert_false(address_space_allows(as, PAGE, 2 * PAGE, PAGE_WRITE));
	assert_false(address_space_allows(as, PAGE, 2 * PAGE + 1, PAGE_READ));
	assert_true(address_space_allows(as, PAGE, 3 * PAGE, PAGE_MAPPED));
	assert_false(address_space_allows(as, PAGE - 1, 2, PAGE_READ));
	assert_false(address_space_allows(as, PAGE, PAGE, PAGE_EXEC));
	assert_true(address_space_allows(as, 0, 0, PAGE_READ));
}

static void bounds_are_checked_without_overflow(void **state)
{
	struct address_space *as = *state;
	char byte;

	map(as, ADDRESS_SPACE_LIMIT - PAGE, PAGE, RW, true);
	assert_true(address_space_allows(as, ADDRESS_SPACE_LIMIT - 8, 8, PAGE_READ));
	assert_false(address_space_allows(as, ADDRESS_SPACE_LIMIT - 8, 9, PAGE_READ));
	assert_false(address_space_allows(as, ADDRESS_SPACE_LIMIT - 8, UINT64_MAX, PAGE_READ));
	assert_false(address_space_allows(as, UINT64_MAX, 1, PAGE_READ));
	assert_false(address_space_allows(as, UINT64_MAX - 3, 8, PAGE_READ));
	assert_false(address_space_read(as, &byte, UINT64_MAX, 1));
	assert_false(address_space_write(as, ADDRESS_SPACE_LIMIT, &byte, 1));
}

static void bad_ranges_are_errors(void **state)
{
	struct address_space *as = *state;
	struct error err;

	assert_false(address_space_map(as, 1, PAGE, RW, true, &err));
	assert_false(address_space_map(as, PAGE, 1, RW, true, &err));
	assert_false(address_space_map(as, ADDRESS_SPACE_LIMIT, PAGE, RW, true, &err));
	assert_false(address_space_map(as, PAGE, ADDRESS_SPACE_LIMIT, RW, true, &err));
	assert_false(address_space_map(as, PAGE, UINT64_MAX - PAGE + 1, RW, true, &err));
	assert_true(address_space_map(as, PAGE, 0, RW, true, &err));
}

static void fresh_pages_read_zero_others_keep(void **state)
{
	struct address_space *as = *state;
	char text[6] = "hello", got[6];

	map(as, PAGE, 2 * PAGE, RW, true);
	assert_true(address_space_write(as, 2 * PAGE - 3, text, 6));
	map(as, PAGE, 2 * PAGE, PAGE_READ, false);
	assert_true(address_space_read(as, got, 2 * PAGE - 3, 6));
	assert_string_equal(got, "hello");
	assert_false(address_space_write(as, 2 * PAGE - 3, text, 6));
	map(as, 2 * PAGE, PAGE, RW, true);
	assert_true(address_space_read(as, got, 2 * PAGE - 3, 6));
	assert_memory_equal(got, "hel\0\0\0", 6);
	map(as, PAGE, PAGE, 0, false);
	assert_false(address_space_read(as, got, PAGE, 1));
	map(as, PAGE, PAGE, RW, false); /* what was unmapped is gone */
	assert_true(address_space_read(as, got, 2 * PAGE - 3, 3));
	assert_memory_equal(got, "\0\0\0", 3);
}

static void fork_copies_on_write(void **state)
{
	struct address_space *as = *state;
	int value = 1, status;

	map(as, PAGE, PAGE, RW, true);
	address_space_write(as, PAGE, &value, sizeof value);
	pid_t child = fork();
	assert_true(child >= 0);
	if (child == 0) {
		int seen = 0, two = 2;
		bool good = address_space_read(as, &seen, PAGE, sizeof seen) && seen == 1 &&
			    address_space_write(as, PAGE, &two, sizeof two) &&
			    address_space_map(as, 2 * PAGE, PAGE, RW, true, NULL);
		_exit(good ? 0 : 1);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	address_space_read(as, &value, PAGE, sizeof value);
	assert_int_equal(value, 1);
	assert_false(address_space_allows(as, 2 * PAGE, 1, PAGE_READ));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(permissions_hold_page_by_page), TEST(bounds_are_checked_without_overflow),
		TEST(bad_ranges_are_errors),	     TEST(fresh_pages_read_zero_others_keep),
		TEST(fork_copies_on_write),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
