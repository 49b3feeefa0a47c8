/* Other programs in the place of this one: execve, posix_spawn, vfork; what they keep and what they do not. qemu-user
 * cannot be asked: it starts what the host's kernel can run. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static void say(const char *what, long value)
{
	printf("%s: %ld\n", what, value);
	fflush(stdout);
}

static const char *ended(int status)
{
	static char text[40];

	if (WIFEXITED(status))
		snprintf(text, sizeof(text), "exit %d", WEXITSTATUS(status));
	else
		snprintf(text, sizeof(text), "signal %d", WTERMSIG(status));
	return text;
}

static int wait_for(pid_t child)
{
	int status = -1;

	if (waitpid(child, &status, 0) != child)
		printf("waitpid: %s\n", strerror(errno));
	return status;
}

static void on_user(int number)
{
}

static void programs(void)
{
	char *const arguments[] = {"itself", "arguments", "a b", "", NULL};
	char *const environment[] = {"ONE=1", NULL};
	int fds[2], keep = open("/dev/null", O_RDONLY), lose = open("/dev/null", O_RDONLY | O_CLOEXEC);
	char number[2][12];
	posix_spawn_file_actions_t actions;
	char buffer[100] = "";
	pid_t child;

	snprintf(number[0], 12, "%d", keep);
	snprintf(number[1], 12, "%d", lose);
	if (!fork()) {
		execve("/proc/self/exe", arguments, environment);
		_exit(100);
	}
	wait(NULL);
	child = vfork();
	if (!child) {
		execl("/proc/self/exe", "itself", "descriptors", number[0], number[1], NULL);
		_exit(100);
	}
	printf("vfork: %s\n", ended(wait_for(child)));
	child = vfork();
	if (!child)
		_exit(33);
	printf("vfork without a program: %s\n", ended(wait_for(child)));
	pipe(fds);
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, fds[1], 1);
	posix_spawn_file_actions_addclose(&actions, fds[0]);
	char *const spawned[] = {"itself", "hello", NULL};
	say("posix_spawn", posix_spawn(&child, "/proc/self/exe", &actions, NULL, spawned, environ));
	close(fds[1]);
	read(fds[0], buffer, sizeof(buffer) - 1);
	printf("it says %s", buffer);
	printf("and: %s\n", ended(wait_for(child)));
	close(fds[0]);
	say("spawn nothing", posix_spawn(&child, "/no/such/program", NULL, NULL, spawned, environ) == ENOENT);
	signal(SIGUSR2, SIG_IGN);
	signal(SIGUSR1, on_user);
	if (!(child = fork())) {
		execl("/proc/self/exe", "itself", "handlers", NULL);
		_exit(100);
	}
	printf("handlers: %s\n", ended(wait_for(child)));
	close(keep);
	close(lose);
}

static void *sleeper(void *unused)
{
	for (;;)
		pause();
	return unused;
}

static void *executor(void *unused)
{
	execl("/proc/self/exe", "itself", "hello", NULL);
	return unused;
}

static void with_threads(void)
{
	pthread_t t;
	pid_t child = fork();

	if (!child) {
		pthread_create(&t, NULL, sleeper, NULL);
		pthread_create(&t, NULL, executor, NULL);
		pthread_join(t, NULL);
		_exit(1);
	}
	printf("a thread executes: %s\n", ended(wait_for(child)));
	child = fork();
	if (!child) {
		pthread_create(&t, NULL, sleeper, NULL);
		exit(5);
	}
	printf("exit with threads: %s\n", ended(wait_for(child)));
}

static void no_programs(void)
{
	char *const words[] = {"x", NULL}, path[] = "/tmp/no_program";
	int fd = open(path, O_CREAT | O_WRONLY | O_TRUNC, 0644);

	write(fd, "echo shell\n", 11);
	say("not executable", execv(path, words) == -1 && errno == EACCES);
	fchmod(fd, 0755);
	close(fd);
	say("no format", execv(path, words) == -1 && errno == ENOEXEC);
	fd = open(path, O_WRONLY | O_TRUNC);
	write(fd, "#!/no/interpreter\n", 18);
	close(fd);
	say("no interpreter", execv(path, words) == -1 && errno == ENOENT);
	say("a folder", execv("/tmp", words) == -1 && errno == EACCES);
	say("no arguments to read", syscall(SYS_execve, "/proc/self/exe", 8, NULL) == -1 && errno == EFAULT);
	char *big = malloc(4 << 20);
	char *const long_words[] = {big, NULL};
	memset(big, 'x', (4 << 20) - 1);
	big[(4 << 20) - 1] = 0;
	say("too long", execv("/proc/self/exe", long_words) == -1 && errno == E2BIG);
	free(big);
	unlink(path);
}

static int other_program(int argc, char **argv)
{
	if (!strcmp(argv[1], "arguments")) {
		printf("%d arguments:", argc);
		for (int i = 1; i < argc; i++)
			printf(" [%s]", argv[i]);
		printf(" ONE=%s HOME=%s\n", getenv("ONE"), getenv("HOME"));
	} else if (!strcmp(argv[1], "descriptors")) {
		printf("kept %d, closed %d\n", fcntl(atoi(argv[2]), F_GETFD), fcntl(atoi(argv[3]), F_GETFD));
	} else if (!strcmp(argv[1], "handlers")) {
		kill(getpid(), SIGUSR2);
		kill(getpid(), SIGUSR1);
		return 1;
	} else {
		printf("hello\n");
		return 21;
	}
	return 0;
}

int main(int argc, char **argv)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	if (argc > 1)
		return other_program(argc, argv);
	programs();
	with_threads();
	no_programs();
	return 0;
}
