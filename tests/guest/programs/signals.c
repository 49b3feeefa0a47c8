/* Signals: faults with their addresses, frames with floating-point state, masks, alternate stacks, timers. */
#include <errno.h>
#include <fenv.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

static sigjmp_buf jump;
static volatile sig_atomic_t count;
static volatile uintptr_t fault_address;
static volatile int fault_signal, fault_code;
static volatile double sink;

static void on_fault(int signal, siginfo_t *info, void *context)
{
	fault_signal = signal;
	fault_code = info->si_code;
	fault_address = (uintptr_t)info->si_addr;
	siglongjmp(jump, 1);
}

static void install(int signal, void (*handler)(int, siginfo_t *, void *), int flags)
{
	struct sigaction action;

	memset(&action, 0, sizeof(action));
	action.sa_sigaction = handler;
	action.sa_flags = SA_SIGINFO | flags;
	sigaction(signal, &action, NULL);
}

static void faults(void)
{
	char *page = mmap(NULL, 8192, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	static volatile char *const nowhere = (char *)0x10;

	install(SIGSEGV, on_fault, 0);
	install(SIGILL, on_fault, 0);
	install(SIGTRAP, on_fault, 0);
	if (!sigsetjmp(jump, 1))
		*nowhere = 1;
	printf("unmapped: signal %d code %d address %#lx\n", fault_signal, fault_code, (unsigned long)fault_address);
	if (!sigsetjmp(jump, 1))
		page[4097] = 1;
	printf("read-only: signal %d code %d offset %ld\n", fault_signal, fault_code,
	       (long)(fault_address - (uintptr_t)page));
	munmap(page, 8192);
	if (!sigsetjmp(jump, 1))
		sink = page[0];
	printf("unmapped again: signal %d code %d offset %ld\n", fault_signal, fault_code,
	       (long)(fault_address - (uintptr_t)page));
	if (!sigsetjmp(jump, 1))
		__asm__ volatile(".4byte 0xffffffff");
	printf("illegal: signal %d code %d\n", fault_signal, fault_code);
	if (!sigsetjmp(jump, 1))
		__asm__ volatile("ebreak");
	printf("ebreak: signal %d code %d\n", fault_signal, fault_code);
}

static void on_skip(int signal, siginfo_t *info, void *context)
{
	ucontext_t *uc = context;

	uc->uc_mcontext.__gregs[REG_PC] += 4;
	uc->uc_mcontext.__gregs[REG_A0] = 4711;
	count++;
	sink = 1.0 / 3.0; /* overwrite floating-point state, to be restored */
	fesetround(FE_UPWARD);
}

static void frame(void)
{
	register double kept __asm__("fs0") = 2.5;
	register long result __asm__("a0") = 1;

	install(SIGILL, on_skip, 0);
	__asm__ volatile(".4byte 0xffffffff" : "+r"(result), "+f"(kept) : : "memory");
	printf("skipped: a0 %ld fs0 %g rounding %d count %d\n", result, kept, fegetround(), (int)count);
}

static void on_count(int signal)
{
	count++;
}

static void masks(void)
{
	sigset_t set, old, pending;
	struct timespec none = {0, 0};
	siginfo_t info;

	signal(SIGUSR1, on_count);
	count = 0;
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigprocmask(SIG_BLOCK, &set, &old);
	raise(SIGUSR1);
	sigpending(&pending);
	printf("blocked: count %d pending %d\n", (int)count, sigismember(&pending, SIGUSR1));
	sigprocmask(SIG_SETMASK, &old, NULL);
	printf("unblocked: count %d\n", (int)count);
	sigprocmask(SIG_BLOCK, &set, NULL);
	kill(getpid(), SIGUSR1);
	memset(&info, 0, sizeof(info));
	printf("sigwaitinfo: %d from self %d\n", sigwaitinfo(&set, &info), info.si_pid == getpid());
	errno = 0;
	printf("sigtimedwait: %d EAGAIN %d\n", sigtimedwait(&set, NULL, &none), errno == EAGAIN);
	union sigval value = {.sival_int = 99};
	sigqueue(getpid(), SIGUSR1, value);
	sigwaitinfo(&set, &info);
	printf("sigqueue: value %d\n", info.si_value.sival_int);
	sigprocmask(SIG_SETMASK, &old, NULL);
}

static char alternate[65536];

static void on_alternate(int signal, siginfo_t *info, void *context)
{
	char here;

	printf("on the alternate stack: %d\n", &here >= alternate && &here < alternate + sizeof(alternate));
}

static void stacks(void)
{
	stack_t stack = {.ss_sp = alternate, .ss_size = sizeof(alternate)}, old;

	sigaltstack(&stack, NULL);
	install(SIGUSR2, on_alternate, SA_ONSTACK | SA_RESETHAND);
	raise(SIGUSR2);
	sigaltstack(NULL, &old);
	printf("afterwards: flags %d size %zu\n", old.ss_flags, old.ss_size);
	struct sigaction now;
	sigaction(SIGUSR2, NULL, &now);
	printf("reset: %d\n", now.sa_handler == SIG_DFL);
}

static void timers(void)
{
	struct itimerval soon = {.it_value = {.tv_usec = 20000}};
	sigset_t all_but_alarm;
	struct timespec length = {5, 0}, left = {0, 0};

	count = 0;
	signal(SIGALRM, on_count);
	setitimer(ITIMER_REAL, &soon, NULL);
	sigfillset(&all_but_alarm);
	sigdelset(&all_but_alarm, SIGALRM);
	errno = 0;
	printf("sigsuspend: %d EINTR %d count %d\n", sigsuspend(&all_but_alarm), errno == EINTR, (int)count);
	setitimer(ITIMER_REAL, &soon, NULL);
	errno = 0;
	printf("nanosleep: %d EINTR %d count %d\n", nanosleep(&length, &left), errno == EINTR, (int)count);
	soon.it_interval.tv_usec = 5000;
	setitimer(ITIMER_REAL, &soon, NULL);
	while (count < 5) /* a loop without calls: the timer must cut in */
		;
	memset(&soon, 0, sizeof(soon));
	setitimer(ITIMER_REAL, &soon, NULL);
	printf("interval: reached 5\n");
}

static void pipes(void)
{
	int ends[2];

	signal(SIGPIPE, on_count);
	count = 0;
	if (pipe(ends))
		return;
	close(ends[0]);
	errno = 0;
	printf("broken pipe: %zd EPIPE %d count %d\n", write(ends[1], "x", 1), errno == EPIPE, (int)count);
}

int main(int argc, char **argv)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	faults();
	frame();
	masks();
	stacks();
	timers();
	pipes();
	signal(SIGSEGV, SIG_DFL);
	fflush(stdout);
	raise(argc > 1 ? SIGABRT : SIGTERM);
	return 0;
}
