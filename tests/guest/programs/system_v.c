/* System V: who is served first, what is told of all objects, copies of messages, /proc/sysvipc. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef MSG_COPY
#define MSG_COPY 040000
#endif

enum { CHILDREN = 5 };

struct text {
	long type;
	char text[8000];
};

static int id, told[2];

static const char *error(long result)
{
	return result < 0 ? strerrorname_np(errno) : "ok";
}

static void operate(unsigned short number, short change)
{
	struct sembuf o = {number, change, 0};

	if (semop(id, &o, 1))
		printf("semop %s\n", error(-1));
}

static void until_waits(int kind, int number, int count)
{
	while (semctl(id, number, kind) != count)
		usleep(1000);
}

/* Children are made in one order, and begin in the other; each says its number when it is through. */
static pid_t begin(int which, int start[2], void (*body)(int))
{
	char c;
	pid_t child;

	fflush(stdout);
	child = fork();
	if (child)
		return child;
	if (read(start[0], &c, 1) != 1)
		_exit(1);
	body(which);
	c = (char)('0' + which);
	write(told[1], &c, 1);
	_exit(0);
}

static int starts[CHILDREN][2];

static void make_children(void (*body)(int))
{
	pipe(told);
	for (int i = 0; i < CHILDREN; i++) {
		pipe(starts[i]);
		begin(i, starts[i], body);
	}
}

static void start(int which)
{
	write(starts[which][1], "x", 1);
}

static char next(void)
{
	char c = '-';

	read(told[0], &c, 1);
	return c;
}

static void end(void)
{
	while (wait(NULL) > 0)
		;
	close(told[0]);
	close(told[1]);
	for (int i = 0; i < CHILDREN; i++) {
		close(starts[i][0]);
		close(starts[i][1]);
	}
}

/* --- semaphores --- */

static void take_one(int which)
{
	operate(0, -1);
}

static void take_some(int which)
{
	static const short wanted[CHILDREN] = {1, 3, 0, 2, 1};

	if (wanted[which])
		operate(0, (short)-wanted[which]);
	else
		operate(0, 0);
}

static void take_two(int which)
{
	struct sembuf both[2] = {{0, -1, 0}, {1, which == 4 ? -1 : 0, 0}};

	semop(id, both, 2);
}

static void semaphores(void)
{
	id = semget(IPC_PRIVATE, 3, 0600);
	make_children(take_one);
	for (int i = CHILDREN - 1; i >= 0; i--) {
		start(i);
		until_waits(GETNCNT, 0, CHILDREN - i);
	}
	printf("first come, first served: ");
	for (int i = 0; i < CHILDREN; i++) {
		operate(0, 1);
		putchar(next());
	}
	printf("\n");
	end();
	make_children(take_some);
	start(1); /* wants 3 */
	until_waits(GETNCNT, 0, 1);
	start(3); /* 2 */
	until_waits(GETNCNT, 0, 2);
	start(0); /* 1 */
	until_waits(GETNCNT, 0, 3);
	start(4); /* 1 */
	until_waits(GETNCNT, 0, 4);
	printf("who can be: ");
	operate(0, 1);
	putchar(next());
	operate(0, 1);
	putchar(next());
	operate(0, 2);
	putchar(next());
	operate(0, 4);
	putchar(next());
	printf(" left %d\n", semctl(id, 0, GETVAL));
	start(2);
	until_waits(GETZCNT, 0, 1);
	semctl(id, 0, SETVAL, 0);
	printf("zero: %c\n", next());
	end();
	/* each call waits for one of its operations, and is counted there */
	make_children(take_two);
	start(4);
	until_waits(GETNCNT, 0, 1);
	operate(0, 1);
	until_waits(GETNCNT, 1, 1);
	printf("the second: %d %d\n", semctl(id, 0, GETNCNT), semctl(id, 1, GETNCNT));
	operate(1, 1);
	printf("both: %c, %d %d\n", next(), semctl(id, 0, GETVAL), semctl(id, 1, GETVAL));
	for (int i = 0; i < 4; i++)
		start(i);
	until_waits(GETNCNT, 0, 4);
	semctl(id, 0, SETVAL, 3);
	for (int i = 0; i < 3; i++)
		next();
	until_waits(GETNCNT, 0, 1);
	semctl(id, 0, IPC_RMID);
	next();
	printf("removed\n");
	end();
}

/* --- messages --- */

static void receive_any(int which)
{
	struct text m;
	ssize_t got = msgrcv(id, &m, sizeof m.text, 0, 0);

	if (got != 1)
		printf("msgrcv %s\n", error(got));
}

static void receive_own(int which)
{
	struct text m;
	ssize_t got = msgrcv(id, &m, which == 3 ? 0 : sizeof m.text, which == 4 ? -3 : which + 1, 0);

	if (got != 1)
		printf("%d msgrcv %s\n", which, error(got));
	fflush(stdout);
}

static void send_full(int which)
{
	struct text m = {.type = which + 1};

	msgsnd(id, &m, which == 2 ? 100 : 4000, 0);
}

static void send_text(long type, size_t size)
{
	struct text m = {.type = type};

	msgsnd(id, &m, size, 0);
}

static void messages(void)
{
	struct msqid_ds status;
	struct text m = {.type = 7};

	id = msgget(IPC_PRIVATE, 0600);
	make_children(receive_any);
	for (int i = CHILDREN - 1; i >= 0; i--) {
		start(i);
		usleep(100000);
	}
	printf("first come, first served: ");
	for (int i = 0; i < CHILDREN; i++) {
		send_text(1, 1);
		putchar(next());
	}
	printf("\n");
	end();
	make_children(receive_own);
	start(3); /* wants type 4, and has no room for it */
	usleep(100000);
	start(1);
	usleep(100000);
	start(4); /* the lowest up to 3 */
	usleep(100000);
	start(0);
	usleep(100000);
	send_text(4, 1);
	printf("%c", next());
	send_text(2, 1);
	printf("%c", next());
	send_text(1, 1);
	printf("%c", next());
	send_text(1, 1);
	printf("%c\n", next());
	msgctl(id, IPC_STAT, &status);
	printf("left %d\n", (int)status.msg_qnum);
	start(2);
	usleep(100000);
	send_text(3, 1);
	next();
	end();
	while (msgrcv(id, &m, sizeof m.text, 0, IPC_NOWAIT) >= 0)
		;
	/* who waits to send */
	make_children(send_full);
	for (int i = 0; i < 4; i++)
		send_text(9, 4000);
	start(3);
	usleep(100000);
	start(2);
	usleep(100000);
	start(0);
	usleep(100000);
	for (int i = 0; i < 7; i++) {
		ssize_t got = msgrcv(id, &m, sizeof m.text, 0, 0);

		printf("%ld, ", (long)got); /* two were woken at once: which of them sends first Linux does not say */
		usleep(100000);
	}
	printf("\n");
	start(1);
	start(4);
	next();
	end();
	msgctl(id, IPC_RMID, NULL);
}

static void copies(void)
{
	struct text m = {.type = 5};

	id = msgget(IPC_PRIVATE, 0600);
	for (int i = 0; i < 3; i++) {
		m.type = 10 + i;
		m.text[0] = (char)('a' + i);
		msgsnd(id, &m, (size_t)i + 1, 0);
	}
	for (int i = 3; i >= 0; i--) {
		ssize_t got = msgrcv(id, &m, sizeof m.text, i, MSG_COPY | IPC_NOWAIT);

		printf("copy %d: %ld %s", i, (long)got, error(got));
		printf(" type %ld, %c\n", m.type, m.text[0]);
	}
	printf("waiting %s\n", error(msgrcv(id, &m, 100, 0, MSG_COPY)));
	printf("all but %s\n", error(msgrcv(id, &m, 100, 0, MSG_COPY | IPC_NOWAIT | 020000)));
	printf("too small %s\n", error(msgrcv(id, &m, 0, 0, MSG_COPY | IPC_NOWAIT)));
	printf("cut %s\n", error(msgrcv(id, &m, 0, 0, MSG_COPY | IPC_NOWAIT | MSG_NOERROR)));
	printf("still there %ld\n", (long)msgrcv(id, &m, sizeof m.text, 0, 0));
	msgctl(id, IPC_RMID, NULL);
}

/* --- what is told of all --- */

static void line_of(const char *path, int number)
{
	char line[400];
	FILE *f = fopen(path, "r");
	long key, own, mode, more[3];

	if (!f || !fgets(line, sizeof line, f)) {
		printf("%s: nothing\n", path);
		return;
	}
	printf("%s", line);
	while (fgets(line, sizeof line, f))
		if (sscanf(line, "%ld %ld %lo %ld %ld %ld", &key, &own, &mode, &more[0], &more[1], &more[2]) == 6 &&
		    own == number)
			printf("key %lx, mode %lo, %ld, %d\n", key, mode, more[0], (int)strlen(line));
	fclose(f);
}

static void of_all(void)
{
	struct shmid_ds segment;
	struct semid_ds set;
	struct msqid_ds queue;
	struct shm_info shm;
	struct shminfo shm_limits;
	struct seminfo sem;
	struct msginfo msg;
	int found[3] = {0}, last, shmid = shmget(0x1234567, 5000, 0600 | IPC_CREAT);
	int semid = semget(0x1234568, 4, 0640 | IPC_CREAT), msgid = msgget(0x1234569, 0604 | IPC_CREAT);
	struct text m = {.type = 1};
	void *at = shmat(shmid, NULL, 0);

	msgsnd(msgid, &m, 100, 0);
	last = shmctl(0, SHM_INFO, (struct shmid_ds *)&shm);
	for (int i = 0; i <= last; i++)
		found[0] += shmctl(i, SHM_STAT, &segment) == shmid && segment.shm_segsz == 5000 &&
			    segment.shm_nattch == 1;
	last = semctl(0, 0, SEM_INFO, &sem);
	printf("sets and semaphores: %d %d\n", sem.semusz >= 1, sem.semaem >= 4);
	for (int i = 0; i <= last; i++)
		found[1] += semctl(i, 0, SEM_STAT, &set) == semid && set.sem_nsems == 4;
	last = msgctl(0, 12 /* MSG_INFO */, (struct msqid_ds *)&msg);
	printf("queues, messages, bytes: %d %d %d\n", msg.msgpool >= 1, msg.msgmap >= 1, msg.msgtql >= 100);
	for (int i = 0; i <= last; i++)
		found[2] += msgctl(i, 11 /* MSG_STAT */, &queue) == msgid && queue.msg_qnum == 1;
	printf("found %d %d %d\n", found[0], found[1], found[2]);
	printf("used %d %d\n", shm.used_ids >= 1, (int)shm.shm_tot >= 2);
	printf("limits %s", error(shmctl(0, IPC_INFO, (struct shmid_ds *)&shm_limits)));
	printf(" %d %ld %ld\n", shm_limits.shmmax >= 1ul << 32, (long)shm_limits.shmmin, (long)shm_limits.shmmni);
	printf("limits %s", error(semctl(0, 0, IPC_INFO, &sem)));
	printf(" %d %d %d %d %d\n", sem.semmsl, sem.semopm, sem.semvmx, sem.semusz, sem.semaem);
	printf("limits %s", error(msgctl(0, IPC_INFO, (struct msqid_ds *)&msg)));
	printf(" %d %d %d %d\n", msg.msgmax, msg.msgmnb, msg.msgssz, msg.msgseg);
	printf("any %s", error(shmctl(shmid & 32767, 15, &segment)));
	printf(" %s", error(semctl(semid & 32767, 0, 20, &set)));
	printf(" %s\n", error(msgctl(msgid & 32767, 13, &queue)));
	printf("none %s", error(shmctl(4000, SHM_STAT, &segment)));
	printf(" %s", error(semctl(4000, 0, SEM_STAT, &set)));
	printf(" %s\n", error(msgctl(4000, 11, &queue)));
	line_of("/proc/sysvipc/shm", shmid);
	line_of("/proc/sysvipc/sem", semid);
	line_of("/proc/sysvipc/msg", msgid);
	shmctl(shmid, IPC_RMID, NULL);
	line_of("/proc/sysvipc/shm", shmid);
	printf("its key is free %s\n", error(shmget(0x1234567, 1, 0600)));
	shmdt(at);
	semctl(semid, 0, IPC_RMID);
	msgctl(msgid, IPC_RMID, NULL);
	for (int i = 0, before = -1; i < 200; i++) {
		int now = semget(IPC_PRIVATE, 1, 0600);

		if (now == before || now < 0)
			printf("number given again\n");
		before = now;
		semctl(now, 0, IPC_RMID);
		errno = 0;
		if (semctl(now, 0, GETVAL) >= 0)
			printf("still there\n");
	}
}

/* Ended by a signal, or killed, a call waits no more. */
static void note(int number)
{
}

static void broken_off(void)
{
	struct sembuf o = {0, -1, 0};
	pid_t child;

	id = semget(IPC_PRIVATE, 1, 0600);
	sigaction(SIGUSR1, &(struct sigaction){.sa_handler = note, .sa_flags = SA_RESTART}, NULL);
	fflush(stdout);
	child = fork();
	if (!child) {
		printf("interrupted %s\n", error(semop(id, &o, 1)));
		fflush(stdout);
		semop(id, &o, 1);
		_exit(0);
	}
	until_waits(GETNCNT, 0, 1);
	kill(child, SIGUSR1);
	usleep(100000);
	until_waits(GETNCNT, 0, 1);
	kill(child, SIGKILL);
	wait(NULL);
	printf("waiting %d\n", semctl(id, 0, GETNCNT));
	operate(0, 1);
	printf("not taken %d\n", semctl(id, 0, GETVAL));
	operate(0, -1);
	printf("timed out %s\n", error(semtimedop(id, &o, 1, &(struct timespec){0, 20000000})));
	printf("waiting %d\n", semctl(id, 0, GETNCNT));
	semctl(id, 0, IPC_RMID);
}

int main(void)
{
	semaphores();
	messages();
	copies();
	of_all();
	broken_off();
	return 0;
}
