/* System V shared memory: keys, attachments of several processes, removal, refusals. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/shm.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *error(long result)
{
	return result == -1 ? strerrorname_np(errno) : "ok";
}

static void say(const char *what, int id)
{
	struct shmid_ds s;
	int result = shmctl(id, IPC_STAT, &s);

	if (result)
		printf("%s: %s\n", what, error(result));
	else
		printf("%s: %zu bytes, %ld attached, mode %o, creator %d, last %d\n", what, s.shm_segsz,
		       (long)s.shm_nattch, s.shm_perm.mode, s.shm_cpid == getpid(), s.shm_lpid == getpid());
}

int main(void)
{
	key_t key = 0x43000000 | (getpid() & 0xffffff);
	int id = shmget(key, 5000, IPC_CREAT | 0600), again;
	volatile int *at, *other;

	setvbuf(stdout, NULL, _IONBF, 0);
	printf("shmget %s\n", error(id));
	again = shmget(key, 5000, 0);
	printf("same %d\n", again == id);
	printf("exclusive %s\n", error(shmget(key, 5000, IPC_CREAT | IPC_EXCL | 0600)));
	printf("larger %s\n", error(shmget(key, 9000, 0)));
	printf("other key %s\n", error(shmget(key ^ 0x40000000, 9000, 0)));
	printf("empty %s\n", error(shmget(IPC_PRIVATE, 0, 0600)));
	say("new", id);
	at = shmat(id, NULL, 0);
	printf("shmat %s, zero %d\n", error((long)at), at[0]);
	other = shmat(id, NULL, SHM_RDONLY);
	at[1024] = 7;
	printf("twice %s %d\n", error((long)other), other[1024]);
	say("attached", id);
	printf("no address %s\n", error((long)shmat(id, (char *)at + 100, 0)));
	printf("taken %s\n", error((long)shmat(id, (void *)at, 0)));
	printf("no segment %s\n", error((long)shmat(-1, NULL, 0)));
	printf("shmdt inside %s\n", error(shmdt((char *)at + 4096)));
	printf("shmdt %s\n", error(shmdt((void *)other)));
	if (!fork()) {
		int own = shmget(key, 0, 0);
		volatile int *mine = shmat(own, NULL, 0);

		mine[1] = at[1024] + 1;
		say("in the child", id);
		_exit(0);
	}
	wait(NULL);
	printf("from the child %d\n", at[1]);
	printf("remove %s\n", error(shmctl(id, IPC_RMID, NULL)));
	say("removed", id);
	printf("its key %s\n", error(shmget(key, 5000, 0)));
	printf("still there %d\n", at[1]);
	printf("shmdt %s\n", error(shmdt((void *)at)));
	say("gone", id);
	for (int i = 0; i < 100; i++) {
		id = shmget(IPC_PRIVATE, 1 << 20, 0600);
		at = shmat(id, NULL, 0);
		at[i] = i;
		shmctl(id, IPC_RMID, NULL);
		shmdt((void *)at);
	}
	printf("a hundred: last %s\n", error(shmctl(id, IPC_RMID, NULL)));
	return 0;
}
