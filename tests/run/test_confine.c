/* What the simulator may still ask of the kernel after confine(), and what not: each in a process of its own, before and after. */
#include "run/confine.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ioctl.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static int as_errno(long result)
{
	return result < 0 ? errno : 0;
}

static int make_socket(void)
{
	return as_errno(socket(AF_INET, SOCK_STREAM, 0));
}

static int local_socket(void)
{
	int ends[2];
	return as_errno(socketpair(AF_UNIX, SOCK_STREAM, 0, ends));
}

static int start_program(void)
{
	char *const words[] = {"true", NULL};
	return as_errno(execv("/bin/true", words));
}

static int trace_me(void)
{
	return as_errno(ptrace(PTRACE_TRACEME, 0, NULL, NULL));
}

static int executable_memory(void)
{
	void *at = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	return as_errno(at == MAP_FAILED ? -1 : 0);
}

static int made_executable(void)
{
	void *at = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	return as_errno(mprotect(at, 4096, PROT_READ | PROT_EXEC));
}

static int new_namespace(void)
{
	return as_errno(syscall(SYS_clone, 0x10000000 | SIGCHLD, NULL, NULL, NULL, NULL)); /* CLONE_NEWUSER */
}

static int other_user(void)
{
	return as_errno(syscall(SYS_setuid, getuid()));
}

static int type_ahead(void)
{
	int terminal = open("/dev/null", O_RDWR);
	errno = 0;
	return ioctl(terminal, 0x5412, "x") < 0 && errno == EPERM ? EPERM : 0; /* TIOCSTI; ENOTTY unconfined */
}

/* cachestat, of Linux 6.5: missing, so that a C library that tries it takes what it took before. */
static int younger_call(void)
{
	return as_errno(syscall(451, -1, NULL, NULL, 0));
}

/* --- and what has to go on --- */

static void *nothing(void *unused)
{
	return unused;
}

static int threads_and_processes(void)
{
	pthread_t thread;
	int status = 1;
	pid_t child;
	if (pthread_create(&thread, NULL, nothing, NULL) || pthread_join(thread, NULL))
		return 1;
	child = fork();
	if (!child)
		_exit(prctl(PR_SET_PDEATHSIG, SIGKILL));
	return child < 0 || waitpid(child, &status, 0) != child || status;
}

static int files_and_memory(void)
{
	char path[] = "/tmp/culprit-confine-XXXXXX";
	int file = mkstemp(path), memory = memfd_create("test", MFD_CLOEXEC);
	struct stat status;
	bool good = file >= 0 && memory >= 0 && write(file, "x", 1) == 1 && !ftruncate(memory, 4096) &&
		    mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, memory, 0) != MAP_FAILED &&
		    !stat(path, &status) && status.st_size == 1 && !rename(path, path);
	return unlink(path) || !good;
}

static const struct {
	const char *what;
	int (*try)(void);
	int expected; /* confined */
} rows[] = {
	{"a socket", make_socket, EPERM},
	{"a local socket", local_socket, EPERM},
	{"another program", start_program, EPERM},
	{"ptrace", trace_me, EPERM},
	{"memory with code", executable_memory, EPERM},
	{"memory made code", made_executable, EPERM},
	{"a namespace", new_namespace, EPERM},
	{"another user", other_user, EPERM},
	{"typing for the user", type_ahead, EPERM},
	{"a call younger than the list", younger_call, ENOSYS},
	{"threads and processes", threads_and_processes, 0},
	{"files and memory", files_and_memory, 0},
};

static int in_child(int (*try)(void), bool confined)
{
	int status;
	pid_t child = fork();
	if (!child)
		_exit(confined && !confine() ? 255 : try());
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static void leaves_what_is_needed(void **state)
{
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		int got = in_child(rows[i].try, true);
		if (got == 255)
			skip(); /* the host has no filters, or this is a sanitizer's build */
		if (got != rows[i].expected)
			fail_msg("%s: %d instead of %d", rows[i].what, got, rows[i].expected);
	}
}

/* Else the test above would say nothing. */
static void only_the_filter_refuses(void **state)
{
	assert_int_equal(in_child(local_socket, false), 0);
	assert_int_equal(in_child(start_program, false), 0);
	assert_int_equal(in_child(made_executable, false), 0);
	assert_int_equal(in_child(other_user, false), 0);
	assert_int_equal(in_child(type_ahead, false), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(leaves_what_is_needed),
		cmocka_unit_test(only_the_filter_refuses),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
