/* Ctrl-C while the guest reads input that never comes: whenever the signal comes, the input ends. */
#include "guest/guest.h"
#include "tiny.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <signal.h>
#include <stdlib.h>

/* exit(read(0, sp - 64, 1)) */
static const uint32_t reader[] = {0x00000513, 0xfc010593, 0x00100613, 0x03f00893, 0x00000073, 0x05d00893, 0x00000073};

static volatile sig_atomic_t seen;

static void on_signal(int number)
{
	seen = 1;
}

static bool is_seen(void)
{
	return seen;
}

/* The worst moment: the user has not stopped yet, and stops before the caller can do anything about it. */
static bool is_seen_a_moment_ago(void)
{
	bool before = seen;

	if (!before)
		raise(SIGINT);
	return before;
}

static void check_ends(bool (*interrupted)(void))
{
	char program[] = "/tmp/culprit-test-interrupt-XXXXXX", *argv[] = {program, NULL};
	uint8_t file[512];
	struct guest_options options = {.program = program, .argv = argv, .interrupted = interrupted};
	struct error err;
	int fd = mkstemp(program), input[2];
	uint64_t executed;

	assert_true(fd >= 0 && !close(fd));
	assert_true(tiny_write(program, file, tiny_build(file, reader, 7), 0700));
	assert_int_equal(pipe(input), 0);
	assert_int_equal(dup2(input[0], STDIN_FILENO), STDIN_FILENO);
	struct guest *guest = guest_create(&options, &err);
	assert_non_null(guest);
	alarm(60); /* ends what would wait for ever */
	assert_int_equal(guest_run(guest, UINT64_MAX, &executed), GUEST_EXITED);
	alarm(0);
	assert_int_equal(guest_exit_status(guest), 0);
	guest_destroy(guest);
	close(input[0]);
	close(input[1]);
	unlink(program);
}

static int listen_to_signal(void **state)
{
	struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};

	seen = 0;
	sigemptyset(&action.sa_mask);
	return sigaction(SIGINT, &action, NULL);
}

static void test_before_the_read(void **state)
{
	raise(SIGINT);
	check_ends(is_seen);
}

static void test_between_look_and_wait(void **state)
{
	check_ends(is_seen_a_moment_ago);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_before_the_read, listen_to_signal),
		cmocka_unit_test_setup(test_between_look_and_wait, listen_to_signal),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
