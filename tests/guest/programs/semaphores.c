/* System V semaphores: all or none, waiting for more and for zero, removal under a waiting call, what is undone, refusals. */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/sem.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const char *error(long result)
{
	return result == -1 ? strerrorname_np(errno) : "ok";
}

static int get(int id, int number, int command)
{
	return semctl(id, number, command);
}

static int op(int id, int number, int change, int flags)
{
	struct sembuf one = {(unsigned short)number, (short)change, (short)flags};

	return semop(id, &one, 1);
}

static void show(const char *what, int id)
{
	printf("%s: %d %d %d\n", what, get(id, 0, GETVAL), get(id, 1, GETVAL), get(id, 2, GETVAL));
}

static void until(int id, int number, int command)
{
	while (get(id, number, command) != 1)
		usleep(1000);
}

static int ended(void)
{
	int status;

	wait(&status);
	return WEXITSTATUS(status);
}

static void nothing(int number)
{
}

static void refusals(int id)
{
	struct sembuf many[501] = {{0, 0, 0}}, wrong = {3, 1, 0};
	unsigned short values[3] = {1, 40000, 2};
	struct timespec bad = {0, 2000000000}, soon = {0, 1000000};
	struct sembuf wait_one = {0, -1, 0};

	printf("no set %s, number %s, none %s, many %s\n", error(semop(-1, many, 1)), error(semop(id, &wrong, 1)),
	       error(semop(id, many, 0)), error(semop(id, many, 501)));
	printf("address %s\n", error(semop(id, (void *)8, 1)));
	printf("SETVAL %s %s, SETALL %s\n", error(semctl(id, 0, SETVAL, -1)), error(semctl(id, 3, SETVAL, 1)),
	       error(semctl(id, 0, SETALL, values)));
	printf("GETVAL %s, command %s\n", error(semctl(id, -1, GETVAL)), error(semctl(id, 0, 99)));
	printf("semget %s %s %s\n", error(semget(IPC_PRIVATE, 0, 0600)), error(semget(IPC_PRIVATE, 32001, 0600)),
	       error(semget(IPC_PRIVATE, -1, 0600)));
	printf("time %s, passed %s\n", error(semtimedop(id, &wait_one, 1, &bad)),
	       error(semtimedop(id, &wait_one, 1, &soon)));
	printf("too large %s\n", error(op(id, 0, 32767, 0)));
	printf("and one more %s\n", error(op(id, 0, 1, 0)));
	printf("undone too far %s\n", error(op(id, 1, -1, IPC_NOWAIT | SEM_UNDO)));
	semctl(id, 0, SETVAL, 0);
}

static void keys(void)
{
	key_t key = 0x53000000 | (getpid() & 0xffffff);
	int id = semget(key, 3, IPC_CREAT | 0600);
	struct semid_ds status;

	printf("semget %s, same %d, exclusive %s, more %s\n", error(id), semget(key, 2, 0) == id,
	       error(semget(key, 3, IPC_CREAT | IPC_EXCL | 0600)), error(semget(key, 4, 0)));
	printf("other key %s\n", error(semget(key ^ 0x40000000, 3, 0)));
	semctl(id, 0, IPC_STAT, &status);
	printf("%ld semaphores, mode %o, operated %d, key %d\n", (long)status.sem_nsems, status.sem_perm.mode,
	       status.sem_otime != 0, status.sem_perm.__key == key);
	op(id, 0, 1, 0);
	semctl(id, 0, IPC_STAT, &status);
	printf("operated %d, by %d\n", status.sem_otime != 0, get(id, 0, GETPID) == getpid());
	status.sem_perm.mode = 0400;
	printf("IPC_SET %s\n", error(semctl(id, 0, IPC_SET, &status)));
	printf("IPC_RMID %s", error(semctl(id, 0, IPC_RMID)));
	printf(" %s\n", error(semctl(id, 0, IPC_RMID)));
}

static void together(int id)
{
	struct sembuf two[] = {{0, 5, 0}, {1, -1, IPC_NOWAIT}}, twice[] = {{0, 3, 0}, {0, -3, 0}, {0, 0, IPC_NOWAIT}};

	printf("the second one not %s\n", error(semop(id, two, 2)));
	show("none", id);
	semctl(id, 1, SETVAL, 2);
	printf("both %s\n", error(semop(id, two, 2)));
	show("both", id);
	semctl(id, 0, SETVAL, 0);
	printf("one after another %s\n", error(semop(id, twice, 3)));
	semctl(id, 1, SETVAL, 0);
}

static void waiting(int id)
{
	if (!fork())
		_exit(op(id, 0, -2, 0) ? 1 : 0);
	until(id, 0, GETNCNT);
	op(id, 0, 1, 0);
	printf("one is not enough: %d waits\n", get(id, 0, GETNCNT));
	op(id, 0, 1, 0);
	printf("ended %d, %d left\n", ended(), get(id, 0, GETVAL));
	op(id, 1, 2, 0);
	if (!fork())
		_exit(op(id, 1, 0, 0) ? 1 : 0);
	until(id, 1, GETZCNT);
	op(id, 1, -2, 0);
	printf("zero: ended %d\n", ended());
}

static void undoing(int id)
{
	semctl(id, 2, SETVAL, 10);
	if (!fork()) {
		op(id, 2, -4, SEM_UNDO);
		op(id, 1, 3, SEM_UNDO);
		show("in the child", id);
		_exit(0);
	}
	ended();
	show("undone", id);
	if (!fork()) {
		op(id, 2, -4, SEM_UNDO);
		semctl(id, 2, SETVAL, 1);
		kill(getpid(), SIGKILL);
	}
	ended();
	show("set meanwhile", id);
	semctl(id, 2, SETVAL, 0);
}

static void *take_one(void *id)
{
	op(*(int *)id, 0, -1, SEM_UNDO);
	return NULL;
}

/* Who undoes, and when; values stay in their range. */
static void undoing_further(int id)
{
	semctl(id, 0, SETVAL, 5);
	if (!fork()) {
		pthread_t thread;

		pthread_create(&thread, NULL, take_one, &id);
		pthread_join(thread, NULL);
		printf("after the thread %d\n", get(id, 0, GETVAL));
		_exit(0);
	}
	ended();
	printf("after its process %d\n", get(id, 0, GETVAL));
	if (!fork()) {
		op(id, 0, -3, SEM_UNDO);
		if (!fork()) {
			op(id, 0, -1, SEM_UNDO);
			_exit(0);
		}
		ended();
		printf("after its child %d\n", get(id, 0, GETVAL));
		abort();
	}
	ended();
	printf("after it %d\n", get(id, 0, GETVAL));
	semctl(id, 0, SETVAL, 32767);
	if (!fork()) {
		op(id, 0, -10, SEM_UNDO);
		op(id, 0, 9, 0);
		_exit(0);
	}
	ended();
	printf("at most %d", get(id, 0, GETVAL));
	if (!fork()) {
		semctl(id, 0, SETVAL, 0);
		op(id, 0, 4, SEM_UNDO);
		op(id, 0, -2, 0);
		_exit(0);
	}
	ended();
	printf(", at least %d\n", get(id, 0, GETVAL));
}

static void killed_while_waiting(int id)
{
	pid_t child = fork();

	if (!child)
		_exit(op(id, 0, -1, 0));
	until(id, 0, GETNCNT);
	kill(child, SIGKILL);
	ended();
	printf("%d waits\n", get(id, 0, GETNCNT));
}

static void ends_of_waits(int id)
{
	struct sigaction action = {.sa_handler = nothing, .sa_flags = SA_RESTART};
	pid_t child = fork();

	if (!child) {
		sigaction(SIGUSR1, &action, NULL);
		printf("signal: %s\n", error(op(id, 0, -1, 0)));
		printf("removed: %s\n", error(op(id, 0, -1, 0)));
		_exit(0);
	}
	until(id, 0, GETNCNT);
	kill(child, SIGUSR1);
	usleep(20000);
	until(id, 0, GETNCNT);
	semctl(id, 0, IPC_RMID);
	ended();
}

int main(void)
{
	int id = semget(IPC_PRIVATE, 3, 0600);
	unsigned short values[3] = {0};

	setvbuf(stdout, NULL, _IONBF, 0);
	semctl(id, 0, SETALL, values);
	keys();
	refusals(id);
	together(id);
	waiting(id);
	undoing(id);
	semctl(id, 0, GETALL, values);
	printf("all: %d %d %d\n", values[0], values[1], values[2]);
	undoing_further(id);
	killed_while_waiting(id);
	ends_of_waits(id);
	return 0;
}
