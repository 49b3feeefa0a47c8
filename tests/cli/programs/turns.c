/* Two threads that never wait, and whose branches nobody can predict: each notes where the other's turns ended, which
 * must not depend on a machine (tests/cli/run-turns). */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>

#define ROUNDS 300000

static volatile uint64_t owner;
static uint64_t places[2], turns[2], sums[2];

static void *work(void *argument)
{
	uint64_t me = (uint64_t)argument, x = 88172645463325252u + me, sum = 0;

	for (uint64_t i = 0; i < ROUNDS; i++) {
		x ^= x << 13, x ^= x >> 7, x ^= x << 17;
		if (x & 1)
			sum += x;
		else
			sum ^= i;
		if (owner != me) {
			owner = me;
			turns[me]++;
			places[me] = places[me] * 31 + i;
		}
		__asm__ volatile("" : "+r"(sum)); /* branches stay branches */
	}
	sums[me] = sum;
	return NULL;
}

int main(void)
{
	pthread_t other;

	pthread_create(&other, NULL, work, (void *)1);
	work(NULL);
	pthread_join(other, NULL);
	printf("sums: %llx %llx\n", (unsigned long long)sums[0], (unsigned long long)sums[1]);
	for (int i = 0; i < 2; i++)
		fprintf(stderr, "thread %d: %llu turns, %llx\n", i, (unsigned long long)turns[i],
			(unsigned long long)places[i]);
	return 0;
}
