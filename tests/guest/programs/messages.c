/* System V messages: types, sizes, queues that are full, removal under a waiting call, refusals. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/wait.h>
#include <unistd.h>

struct message {
	long type;
	char text[8200];
};

static const char *error(long result)
{
	return result == -1 ? strerrorname_np(errno) : "ok";
}

static long put(int id, long type, const char *text, int flags)
{
	struct message m = {.type = type};

	strcpy(m.text, text);
	return msgsnd(id, &m, strlen(text), flags);
}

static void take(int id, long type, size_t size, int flags)
{
	struct message m = {0};
	ssize_t got = msgrcv(id, &m, size, type, flags | IPC_NOWAIT);

	if (got < 0)
		printf("take %ld: %s\n", type, error(got));
	else
		printf("take %ld: type %ld, %zd bytes, %s\n", type, m.type, got, m.text);
}

static void status(const char *what, int id)
{
	struct msqid_ds s;
	int result = msgctl(id, IPC_STAT, &s);

	if (result)
		printf("%s: %s\n", what, error(result));
	else
		printf("%s: %ld messages, %ld bytes of %ld, sent %d by %d, received %d by %d\n", what, (long)s.msg_qnum,
		       (long)s.__msg_cbytes, (long)s.msg_qbytes, s.msg_stime != 0, s.msg_lspid == getpid(),
		       s.msg_rtime != 0, s.msg_lrpid == getpid());
}

static void types(int id)
{
	status("new", id);
	put(id, 3, "three", 0);
	put(id, 1, "one", 0);
	put(id, 2, "two", 0);
	put(id, 3, "three again", 0);
	put(id, 9, "", 0);
	status("five", id);
	take(id, 2, 100, 0);
	take(id, 2, 100, 0);
	take(id, -3, 100, 0);
	take(id, 3, 100, MSG_EXCEPT);
	take(id, 3, 2, 0);
	take(id, 3, 2, MSG_NOERROR);
	take(id, -2, 100, 0);
	take(id, (long)(1ul << 63), 100, 0);
	take(id, 0, 100, 0);
	put(id, 5, "after the last", 0);
	take(id, 0, 100, 0);
	status("empty", id);
}

static void refusals(int id)
{
	struct message m = {.type = 1};
	struct msqid_ds s;

	printf("type %s %s, size %s %s, queue %s %s\n", error(put(id, 0, "", 0)), error(put(id, -1, "", 0)),
	       error(msgsnd(id, &m, 8193, 0)), error(msgsnd(id, &m, (size_t)-1, 0)), error(put(-1, 1, "", 0)),
	       error(put(id + 1000000, 1, "", 0)));
	printf("receive %s %s\n", error(msgrcv(id, &m, (size_t)-1, 0, 0)), error(msgrcv(-1, &m, 1, 0, 0)));
	printf("command %s\n", error(msgctl(id, 99, &s)));
	msgctl(id, IPC_STAT, &s);
	s.msg_qbytes = 100;
	printf("IPC_SET %s\n", error(msgctl(id, IPC_SET, &s)));
	printf("more than the limit %s\n", error(msgsnd(id, &m, 101, IPC_NOWAIT)));
	printf("the limit %s\n", error(msgsnd(id, &m, 100, IPC_NOWAIT)));
	printf("an empty one more %s\n", error(msgsnd(id, &m, 0, IPC_NOWAIT)));
	s.msg_qbytes = 16384;
	msgctl(id, IPC_SET, &s);
	while (msgrcv(id, &m, sizeof(m.text), 0, IPC_NOWAIT) >= 0)
		;
}

static void full(int id)
{
	struct message m = {.type = 7};
	int count = 0;

	while (!msgsnd(id, &m, 1000, IPC_NOWAIT))
		count++;
	printf("%d fit, then %s\n", count, error(-1));
	if (!fork()) {
		for (int i = 0; i < 100; i++) {
			m.type = 100 + i;
			if (msgsnd(id, &m, 500, 0))
				_exit(1);
		}
		_exit(0);
	}
	for (int i = 0; i < 100; i++)
		if (msgrcv(id, &m, sizeof(m.text), -(100 + i), 0) < 0)
			printf("receive %d: %s\n", i, error(-1));
	for (count = 0; msgrcv(id, &m, sizeof(m.text), 0, 0) >= 0 && m.type != 199;)
		count++;
	printf("then %d before the last\n", count);
	wait(NULL);
}

static void nothing(int number)
{
}

static void ends_of_waits(int id)
{
	struct sigaction action = {.sa_handler = nothing, .sa_flags = SA_RESTART};
	struct message m;
	pid_t child = fork();

	if (!child) {
		sigaction(SIGUSR1, &action, NULL);
		put(id, 1, "waits", 0);
		printf("signal: %s\n", error(msgrcv(id, &m, 10, 2, 0)));
		put(id, 1, "waits", 0);
		printf("removed: %s\n", error(msgrcv(id, &m, 10, 2, 0)));
		_exit(0);
	}
	msgrcv(id, &m, 10, 1, 0);
	usleep(20000);
	kill(child, SIGUSR1);
	msgrcv(id, &m, 10, 1, 0);
	usleep(20000);
	msgctl(id, IPC_RMID, NULL);
	wait(NULL);
	status("gone", id);
}

int main(void)
{
	key_t key = 0x4d000000 | (getpid() & 0xffffff);
	int id = msgget(key, IPC_CREAT | 0600);

	setvbuf(stdout, NULL, _IONBF, 0);
	printf("msgget %s, same %d, exclusive %s, other %s\n", error(id), msgget(key, 0) == id,
	       error(msgget(key, IPC_CREAT | IPC_EXCL)), error(msgget(key ^ 0x40000000, 0)));
	types(id);
	refusals(id);
	full(id);
	ends_of_waits(id);
	return 0;
}
