/* Threads: mutexes, condition variables, barriers, thread-local data, robust and priority-inheriting locks, timeouts. */
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define THREADS 6

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t barrier;
static long total, queue[8], queued, produced, consumed;
static _Thread_local long local;
static atomic_long lockless;
static sem_t semaphore;
static pthread_mutex_t inheriting, robust;
static volatile sig_atomic_t signalled;

static void *adder(void *argument)
{
	for (long i = 0; i < 20000; i++) {
		local += i & 3;
		pthread_mutex_lock(&lock);
		total++;
		pthread_mutex_unlock(&lock);
		atomic_fetch_add(&lockless, 2);
	}
	pthread_barrier_wait(&barrier);
	return (void *)local;
}

static void adders(void)
{
	pthread_t threads[THREADS];
	long sum = 0;

	pthread_barrier_init(&barrier, NULL, THREADS);
	for (long i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, adder, NULL);
	for (int i = 0; i < THREADS; i++) {
		void *result;

		pthread_join(threads[i], &result);
		sum += (long)result;
	}
	printf("adders: total %ld lockless %ld locals %ld own %ld\n", total, lockless, sum, local);
}

static void *producer(void *argument)
{
	for (long i = 1; i <= 3000; i++) {
		pthread_mutex_lock(&lock);
		while (queued == 8)
			pthread_cond_wait(&changed, &lock);
		queue[queued++] = i;
		produced += i;
		pthread_cond_broadcast(&changed);
		pthread_mutex_unlock(&lock);
	}
	return NULL;
}

static void *consumer(void *argument)
{
	for (long i = 1; i <= 3000; i++) {
		pthread_mutex_lock(&lock);
		while (!queued)
			pthread_cond_wait(&changed, &lock);
		consumed += queue[--queued];
		pthread_cond_broadcast(&changed);
		pthread_mutex_unlock(&lock);
	}
	return NULL;
}

static void queues(void)
{
	pthread_t threads[4];

	for (int i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, i & 1 ? consumer : producer, NULL);
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	printf("queues: produced %ld consumed %ld left %ld\n", produced, consumed, queued);
}

static void *holder(void *argument)
{
	pthread_mutex_lock(argument);
	return NULL; /* exits holding it */
}

static void *inheritor(void *argument)
{
	for (int i = 0; i < 1000; i++) {
		pthread_mutex_lock(&inheriting);
		total++;
		if (i % 100 == 0)
			sched_yield();
		pthread_mutex_unlock(&inheriting);
	}
	return NULL;
}

static void special_locks(void)
{
	pthread_mutexattr_t attributes;
	pthread_t threads[3];
	int result;

	pthread_mutexattr_init(&attributes);
	pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
	pthread_mutex_init(&robust, &attributes);
	pthread_create(&threads[0], NULL, holder, &robust);
	pthread_join(threads[0], NULL);
	result = pthread_mutex_lock(&robust);
	printf("robust: EOWNERDEAD %d consistent %d unlock %d\n", result == EOWNERDEAD,
	       pthread_mutex_consistent(&robust), pthread_mutex_unlock(&robust));
	pthread_mutexattr_init(&attributes);
	pthread_mutexattr_setprotocol(&attributes, PTHREAD_PRIO_INHERIT);
	pthread_mutex_init(&inheriting, &attributes);
	total = 0;
	for (int i = 0; i < 3; i++)
		pthread_create(&threads[i], NULL, inheritor, NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	printf("inheriting: %ld\n", total);
}

static void *poster(void *argument)
{
	struct timespec length = {0, 20000000};

	nanosleep(&length, NULL);
	sem_post(&semaphore);
	return NULL;
}

static void timeouts(void)
{
	struct timespec until;
	pthread_t thread;
	int result;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_nsec += 10000000;
	if (until.tv_nsec >= 1000000000) {
		until.tv_nsec -= 1000000000;
		until.tv_sec++;
	}
	pthread_mutex_lock(&lock);
	result = pthread_cond_timedwait(&changed, &lock, &until);
	pthread_mutex_unlock(&lock);
	printf("timed wait: ETIMEDOUT %d\n", result == ETIMEDOUT);
	sem_init(&semaphore, 0, 0);
	pthread_create(&thread, NULL, poster, NULL);
	printf("semaphore: %d\n", sem_wait(&semaphore));
	pthread_join(thread, NULL);
}

static void on_signal(int number)
{
	signalled = 1;
}

static void *sleeper(void *argument)
{
	struct timespec length = {30, 0};

	errno = 0;
	nanosleep(&length, NULL);
	return (void *)(long)(errno == EINTR);
}

static void directed(void)
{
	struct timespec length = {0, 30000000};
	pthread_t thread;
	void *result;

	signal(SIGUSR1, on_signal);
	pthread_create(&thread, NULL, sleeper, NULL);
	nanosleep(&length, NULL);
	pthread_kill(thread, SIGUSR1);
	pthread_join(thread, &result);
	printf("pthread_kill: interrupted %ld handled %d\n", (long)result, (int)signalled);
}

static int ends[2];

static void *reader(void *argument)
{
	long sum = 0;
	char buffer[777];
	ssize_t got;

	while ((got = read(ends[0], buffer, sizeof(buffer))) > 0)
		for (ssize_t i = 0; i < got; i++)
			sum += buffer[i];
	return (void *)sum;
}

static void pipes(void)
{
	static char block[5000];
	pthread_t thread;
	void *result;

	memset(block, 3, sizeof(block));
	if (pipe(ends))
		return;
	pthread_create(&thread, NULL, reader, NULL);
	for (int i = 0; i < 40; i++)
		if (write(ends[1], block, sizeof(block)) != sizeof(block))
			printf("short write\n");
	close(ends[1]);
	pthread_join(thread, &result);
	printf("pipe: %ld\n", (long)result);
}

static void *last(void *argument)
{
	struct timespec length = {0, 10000000};

	nanosleep(&length, NULL);
	printf("the last thread ends the process\n");
	return NULL;
}

int main(void)
{
	pthread_t thread;

	adders();
	queues();
	special_locks();
	timeouts();
	directed();
	pipes();
	pthread_create(&thread, NULL, last, NULL);
	pthread_exit(NULL);
}
