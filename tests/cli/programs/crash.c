/* crash WAY: ended by a signal. The lines that do it are marked, for tests/cli/run-killed to find. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define APART __attribute__((noinline, noclone))

static const int constant = 3;
static volatile long zero;

APART void vector(void)
{
	__asm__ volatile(".insn 0x022180d7"); /* vector: vadd.vv v1,v2,v3 */
}

APART void null_store(void)
{
	*(volatile int *)(zero + 8) = 1; /* store */
}

APART void null_load(void)
{
	(void)*(volatile short *)zero; /* load */
}

APART void constant_store(void)
{
	*(volatile int *)&constant = 4; /* constant */
}

APART void null_call(void)
{
	((void (*)(void))zero)(); /* call */
	zero = 1;
}

APART int deep(int n)
{
	volatile char room[4096];
	room[0] = (char)n; /* recursion */
	return n ? deep(n + 1) + room[0] : 0;
}

APART void guarded(void)
{
	char *p = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	mprotect(p + 4096, 4096, PROT_NONE);
	*(volatile long *)(p + 4092) = 1; /* guard */
}

APART void no_code(void)
{
	((void (*)(void))mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0))(); /* data */
	zero = 1;
}

APART void misaligned(void)
{
	__asm__ volatile("amoadd.w zero,zero,(%0)" : : "r"((char *)&zero + 1) : "memory"); /* misaligned */
}

APART void register_of_machine(void)
{
	__asm__ volatile("csrr zero,mstatus"); /* csr */
}

APART void zeros(void)
{
	__asm__ volatile("unimp"); /* zeros */
}

APART void breakpoint(void)
{
	__asm__ volatile("ebreak"); /* breakpoint */
}

static void broken_pipe(void)
{
	int ends[2];
	if (pipe(ends) || close(ends[0]) || write(ends[1], "x", 1) != 1)
		_exit(1);
}

static void for_ever(void)
{
	sigset_t none;
	sigemptyset(&none);
	sigsuspend(&none);
}

static void handler(int number)
{
	_exit(number == SIGSEGV ? 42 : 43);
}

static void handled(void)
{
	signal(SIGSEGV, handler);
	null_store();
}

static void blocked(void)
{
	sigset_t set;
	sigemptyset(&set);
	sigaddset(&set, SIGSEGV);
	signal(SIGSEGV, handler);
	sigprocmask(SIG_BLOCK, &set, NULL);
	null_store();
}

static void no_stack_for_handler(void)
{
	signal(SIGSEGV, handler);
	deep(1);
}

static void timer(void)
{
	alarm(1);
	pause();
}

static void alone(void)
{
	kill(getpid(), SIGTERM);
}

static void queued(void)
{
	sigqueue(getpid(), SIGUSR1, (union sigval){0});
}

static void divided(void)
{
	raise(SIGFPE);
}

static void recursion(void)
{
	deep(1);
}

static const struct {
	const char *name;
	void (*run)(void);
} ways[] = {
	{"vector", vector},
	{"store", null_store},
	{"load", null_load},
	{"constant", constant_store},
	{"call", null_call},
	{"recursion", recursion},
	{"guard", guarded},
	{"data", no_code},
	{"misaligned", misaligned},
	{"csr", register_of_machine},
	{"zeros", zeros},
	{"breakpoint", breakpoint},
	{"pipe", broken_pipe},
	{"wait", for_ever},
	{"handled", handled},
	{"blocked", blocked},
	{"stackless", no_stack_for_handler},
	{"alarm", timer},
	{"kill", alone},
	{"queue", queued},
	{"fpe", divided},
	{"abort", abort},
};

int main(int argc, char **argv)
{
	for (size_t i = 0; argc > 1 && i < sizeof ways / sizeof *ways; i++)
		if (!strcmp(ways[i].name, argv[1]))
			ways[i].run();
	return 1;
}
