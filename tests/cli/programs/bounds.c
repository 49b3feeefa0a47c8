/* bounds WAY: what a guest may try so that the simulator neither ends nor listens; and two faults of fetch. */
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <unistd.h>

#define PAGE 4096ul
#define GIB (1ul << 30)

static char *map(size_t size, int protection)
{
	return mmap(0, size, protection, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

static void probe(void)
{
	char *pairs = map(2 * GIB, PROT_READ | PROT_WRITE);

	for (;;)
		syscall(258, pairs, 1ul << 60, 0, 0, 0);
}

static void zeros(void)
{
	struct iovec pieces[16];
	char *at = map(GIB, PROT_READ | PROT_WRITE);
	int zero = open("/dev/zero", O_RDONLY);

	for (int i = 0; i < 16; i++)
		pieces[i] = (struct iovec){at, GIB / 8};
	for (;;)
		readv(zero, pieces, 16);
}

static void timer(void)
{
	struct itimerval often = {{0, 1}, {0, 1}};

	signal(SIGALRM, SIG_IGN);
	setitimer(ITIMER_REAL, &often, 0);
	for (;;)
		pause();
}

static void output(void)
{
	static char text[65536];

	for (;;)
		write(1, text, sizeof text);
}

static void pieces(void)
{
	int count = 0;

	while (map(16 << 20, PROT_READ | PROT_WRITE) != MAP_FAILED)
		count++;
	printf("%d pieces of 16 MiB\n", count);
}

/* 24 million instructions, each executed once. */
static void code(void)
{
	size_t size = 48 << 20;
	char *at = map(size, PROT_READ | PROT_WRITE | PROT_EXEC);

	for (size_t i = 0; i < size; i += 2)
		memcpy(at + i, &(uint16_t){0x0001}, 2); /* c.nop */
	memcpy(at + size - 2, &(uint16_t){0x8082}, 2);	/* ret */
	__builtin___clear_cache(at, at + size);
	((void (*)(void))at)();
	puts("executed");
}

/* Its handler is no code: the fault of the handler's own fetch kills. */
static void handler(void)
{
	struct sigaction action = {.sa_handler = (void (*)(int))map(PAGE, PROT_READ | PROT_WRITE)};

	sigaction(SIGSEGV, &action, 0);
	*(volatile int *)8 = 1;
}

static char *pages;

static void tell(int number, siginfo_t *info, void *context)
{
	char text[64];

	(void)number, (void)context;
	write(1, text, (size_t)snprintf(text, sizeof text, "fault at +%ld\n", (long)((char *)info->si_addr - pages)));
	_exit(0);
}

/* An instruction of four bytes, of which the last two lie in a page that is no code: Linux tells of these. */
static void straddle(void)
{
	struct sigaction action = {.sa_sigaction = tell, .sa_flags = SA_SIGINFO};
	static const uint16_t half = 0x0513; /* the first half of addi a0, a0, 0 */

	sigaction(SIGSEGV, &action, 0);
	pages = map(2 * PAGE, PROT_READ | PROT_WRITE);
	memcpy(pages + PAGE - 2, &half, 2);
	mprotect(pages, PAGE, PROT_READ | PROT_EXEC);
	__builtin___clear_cache(pages, pages + PAGE);
	((void (*)(void))(pages + PAGE - 2))();
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*go)(void);
	} ways[] = {{"probe", probe},	{"zeros", zeros}, {"timer", timer},	{"pieces", pieces},
		    {"output", output}, {"code", code},	  {"handler", handler}, {"straddle", straddle}};

	for (size_t i = 0; argc > 1 && i < sizeof ways / sizeof *ways; i++)
		if (!strcmp(argv[1], ways[i].name))
			ways[i].go();
	return 1;
}
