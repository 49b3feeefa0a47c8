/* What the core says of vectors, and whether it is that: hwprobe, AT_HWCAP, prctl; registers over a signal, in threads and behind
 * branches that are mispredicted. Prints the same with and without timing. */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#define V(text) ".option push\n.option arch, +v\n" text "\n.option pop\n"
#define VECTOR_MAGIC 0x53465457u

static uint64_t frame_vl, frame_word;
static uint32_t frame_size;

static void handler(int number, siginfo_t *info, void *context)
{
	ucontext_t *u = context;
	/* behind the floating-point state: a header, vstart vl vtype vcsr vlenb and where the registers are */
	const uint32_t *header = (const uint32_t *)((const char *)&u->uc_mcontext.__fpregs + 520);
	const uint64_t *state = (const uint64_t *)(header + 2);

	(void)number, (void)info;
	if (header[0] != VECTOR_MAGIC)
		return;
	frame_size = header[1];
	frame_vl = state[1];
	memcpy(&frame_word, (const char *)state[5] + 8 * state[4], sizeof frame_word); /* v8 */
	__asm__ volatile(V("vsetvli t0, x0, e8, m8, ta, ma\nvmv.v.i v8, 9\ncsrwi vcsr, 5")::: "t0");
}

static uint64_t sum_of(uint64_t first, uint64_t count)
{
	uint64_t sum;

	__asm__ volatile(V("vsetvli t0, x0, e64, m1, ta, ma\n"
			   "vmv.s.x v1, x0\n"
			   "vmv.v.x v2, %1\n"
			   "1: vredsum.vs v1, v2, v1\n"
			   "vadd.vi v2, v2, 1\n"
			   "addi %2, %2, -1\n"
			   "bnez %2, 1b\n"
			   "vmv.x.s %0, v1")
			 : "=r"(sum), "+r"(first), "+r"(count)::"t0");
	return sum;
}

static void *thread(void *result)
{
	*(uint64_t *)result = sum_of(7, 60000);
	return NULL;
}

static void over_a_signal(void)
{
	struct sigaction action = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO};
	uint64_t word, vl;

	sigaction(SIGUSR1, &action, NULL);
	register long a0 __asm__("a0") = getpid();
	register long a1 __asm__("a1") = SIGUSR1;
	register long a7 __asm__("a7") = SYS_kill;
	__asm__ volatile(V("vsetivli x0, 5, e16, m2, tu, mu\nvmv.v.i v8, 3\necall\ncsrr %0, vl\nvsetivli x0, 1, e64, "
			   "m1, ta, ma\n"
			   "vmv.x.s %1, v8")
			 : "=r"(vl), "=r"(word), "+r"(a0)
			 : "r"(a1), "r"(a7)
			 : "memory");
	printf("signal: vl %d, v8 %llx; in the frame of %u bytes: vl %d, v8 %llx\n", (int)vl, (unsigned long long)word,
	       frame_size, (int)frame_vl, (unsigned long long)frame_word);
}

/* The branch depends on data, and each side writes the register. */
static uint64_t behind_branches(void)
{
	uint64_t sum = 0, seed = 1;

	for (int i = 0; i < 2000; i++) {
		seed = seed * 6364136223846793005 + 1442695040888963407;
		if (seed >> 63)
			__asm__ volatile(
				V("vsetivli x0, 2, e64, m1, ta, ma\nvmv.v.x v3, %0\nvse64.v v3, (%1)")::"r"(seed),
				"r"(&(uint64_t[2]){0})
				: "memory");
		else
			__asm__ volatile(V("vsetivli x0, 2, e64, m1, ta, ma\nvadd.vi v3, v3, 5")::);
		uint64_t now;
		__asm__ volatile(V("vmv.x.s %0, v3") : "=r"(now));
		sum = sum * 31 + now;
	}
	return sum;
}

int main(void)
{
	struct {
		int64_t key;
		uint64_t value;
	} probe = {4, 0};
	uint64_t vlenb, sums[2];
	pthread_t other;

	syscall(258, &probe, 1, 0, 0, 0);
	printf("hwprobe %d, hwcap %d, prctl %d\n", (int)(probe.value >> 2 & 1),
	       (int)(getauxval(AT_HWCAP) >> ('V' - 'A') & 1), prctl(70, 0, 0, 0, 0));
	fflush(stdout);
	__asm__ volatile(V("csrr %0, vlenb") : "=r"(vlenb));
	printf("vlenb %d\n", (int)vlenb);
	over_a_signal();
	pthread_create(&other, NULL, thread, &sums[0]);
	sums[1] = sum_of(1, 60000);
	pthread_join(other, NULL);
	printf("sums %llu %llu\n", (unsigned long long)sums[0], (unsigned long long)sums[1]);
	printf("branches %llx\n", (unsigned long long)behind_branches());
	return 0;
}
