/* A little of everything that can upset a pipeline: recursion, indirect calls, sorting, pointer structures, overlapping
 * copies, floating point, signals, code that writes code, threads. Prints what it computed; ends with status 7. */
#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static unsigned seed = 12345;

static unsigned draw(void)
{
	seed = seed * 1103515245u + 12345u;
	return seed >> 8;
}

static int fibonacci(int n)
{
	return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

static int deep(int n)
{
	volatile char frame[64];
	frame[n & 63] = (char)n;
	return n ? deep(n - 1) + frame[n & 63] : 0;
}

static int compare(const void *a, const void *b)
{
	unsigned x = *(const unsigned *)a, y = *(const unsigned *)b;
	return x < y ? -1 : x > y;
}

static unsigned sorted(void)
{
	unsigned values[200];
	for (int i = 0; i < 200; i++)
		values[i] = draw();
	qsort(values, 200, sizeof *values, compare);
	return values[100];
}

static int plus(int x)
{
	return x + 1;
}
static int times(int x)
{
	return x * 3;
}
static int mixed(int x)
{
	return x ^ 0x55;
}
static int over(int x)
{
	return x / 7;
}

static int indirect(void)
{
	int (*const operations[])(int) = {plus, times, mixed, over};
	int x = 1;
	for (int i = 0; i < 800; i++)
		x = operations[draw() & 3](x & 0xffff);
	return x;
}

static unsigned copies(void)
{
	static unsigned char text[1024];
	unsigned sum = 0;
	for (int i = 0; i < 40; i++) {
		memset(text, i, 512);
		memmove(text + 3, text, (size_t)(i * 7 % 900));
		text[(i * i) & 63] += text[(i + 1) & 63] ^ (unsigned char)i;
		sum = sum * 31 + text[i & 63];
	}
	return sum;
}

static double numbers(void)
{
	double d = 0;
	for (int i = 0; i < 60; i++)
		d += sqrt(i) / (1.5 + sin(i)) * exp(-i * .01) + fma(i, 1e-3, d / 3);
	return d;
}

static volatile sig_atomic_t caught;
static sigjmp_buf back;

static void count(int number)
{
	caught += number;
}

static void leave(int number)
{
	caught += number;
	siglongjmp(back, 1);
}

static int signals(void)
{
	struct sigaction jump = {.sa_handler = leave, .sa_flags = SA_NODEFER};
	sigaction(SIGSEGV, &jump, NULL);
	sigaction(SIGILL, &jump, NULL);
	signal(SIGUSR1, count);
	for (volatile int i = 0; i < 10; i++) {
		raise(SIGUSR1);
		if (!sigsetjmp(back, 1))
			*(volatile int *)(long)(i * 8) = 1;
		if (!sigsetjmp(back, 1))
			__asm__ volatile(".word 0");
	}
	return caught;
}

static int written_code(void)
{
	unsigned *code = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int sum = 0;
	for (unsigned i = 0; i < 50; i++) {
		code[0] = 0x00000513u | i << 20; /* li a0, i */
		code[1] = 0x00008067u;		 /* ret */
		__builtin___clear_cache((char *)code, (char *)(code + 2));
		__asm__ volatile("fence.i" ::: "memory");
		sum += ((int (*)(void))code)();
	}
	return sum;
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t turned = PTHREAD_COND_INITIALIZER;
static long shared, turn;

static void *work(void *argument)
{
	long me = (long)argument;
	for (int i = 0; i < 20; i++) {
		pthread_mutex_lock(&lock);
		shared += me * i;
		pthread_mutex_unlock(&lock);
	}
	pthread_mutex_lock(&lock);
	while (turn != me)
		pthread_cond_wait(&turned, &lock);
	turn++;
	pthread_cond_broadcast(&turned);
	pthread_mutex_unlock(&lock);
	return NULL;
}

static long threads(void)
{
	pthread_t thread[3];
	for (long i = 2; i >= 0; i--)
		pthread_create(&thread[i], NULL, work, (void *)i);
	for (int i = 0; i < 3; i++)
		pthread_join(thread[i], NULL);
	return shared;
}

int main(void)
{
	printf("%d %d %u %d %u\n", fibonacci(10), deep(500), sorted(), indirect(), copies());
	printf("%.17g %d %d %ld\n", numbers(), signals(), written_code(), threads());
	return 7;
}
