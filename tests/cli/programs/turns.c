/* Threads that never wait: two whose branches nobody can predict, and one whose loads fault. Each notes where the
 * others' turns ended, which must not depend on a machine (tests/cli/run-turns). */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <ucontext.h>

#define ROUNDS 200000
#define FAULTS 4000

static volatile uint64_t owner;
static uint64_t places[3], turns[3], sums[3];

static void note(uint64_t me, uint64_t at)
{
	if (owner == me)
		return;
	owner = me;
	turns[me]++;
	places[me] = places[me] * 31 + at;
}

static void pass(int number, siginfo_t *info, void *context)
{
	((ucontext_t *)context)->uc_mcontext.__gregs[REG_PC] += 4;
}

static void *fault(void *unused)
{
	for (uint64_t i = 0; i < FAULTS; i++) {
		__asm__ volatile(".option push; .option norvc; lw zero, 0(zero); lw zero, 0(zero); .option pop");
		note(2, i);
	}
	return NULL;
}

static void *work(void *argument)
{
	uint64_t me = (uint64_t)argument, x = 88172645463325252u + me, sum = 0;

	for (uint64_t i = 0; i < ROUNDS; i++) {
		x ^= x << 13, x ^= x >> 7, x ^= x << 17;
		if (x & 1)
			sum += x;
		else
			sum ^= i;
		note(me, i);
		__asm__ volatile("" : "+r"(sum)); /* branches stay branches */
	}
	sums[me] = sum;
	return NULL;
}

int main(void)
{
	struct sigaction action = {.sa_sigaction = pass, .sa_flags = SA_SIGINFO};
	pthread_t other, third;

	sigaction(SIGSEGV, &action, NULL);
	pthread_create(&other, NULL, work, (void *)1);
	pthread_create(&third, NULL, fault, NULL);
	work(NULL);
	pthread_join(other, NULL);
	pthread_join(third, NULL);
	printf("sums: %llx %llx\n", (unsigned long long)sums[0], (unsigned long long)sums[1]);
	for (int i = 0; i < 3; i++)
		fprintf(stderr, "thread %d: %llu turns, %llx\n", i, (unsigned long long)turns[i],
			(unsigned long long)places[i]);
	return 0;
}
