/* The filter: a program of the kernel's packet machine, made of the rows of confine.def one behind the other. Each
 * looks if the call is its own and allows it; behind the last one it fails with EPERM. A call that is younger than the
 * list fails with ENOSYS, as on a kernel without it: C libraries then take the older one. */
#include "run/confine.h"

#include <asm/termbits.h>
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#if defined(__x86_64__)
#define HOST_ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define HOST_ARCH AUDIT_ARCH_AARCH64
#elif defined(__riscv) && __riscv_xlen == 64
#define HOST_ARCH AUDIT_ARCH_RISCV64
#endif

/* Sanitizers trace the process at its end. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#undef HOST_ARCH
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(memory_sanitizer) || __has_feature(thread_sanitizer)
#undef HOST_ARCH
#endif
#endif

#ifdef HOST_ARCH

/* CLONE_NEW...: mounts, cgroup, host name, IPC, users, processes, network */
#define NAMESPACES 0x7e020000u

/* The last call of Linux 6.1, set_mempolicy_home_node. Younger ones have higher numbers on every kind of host. */
#define YOUNGEST 450

#define FIELD(name) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, name))
#define ARGUMENT(n) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args) + 8 * (n)) /* its low half */
#define UNLESS(test, value, skip) BPF_JUMP(BPF_JMP | (test) | BPF_K, value, 0, skip)
#define ANSWER(what) BPF_STMT(BPF_RET | BPF_K, what)
#define ALLOW ANSWER(SECCOMP_RET_ALLOW)

static const struct sock_filter filter[] = {
	FIELD(arch),
	UNLESS(BPF_JEQ, HOST_ARCH, 1),
	BPF_STMT(BPF_JMP | BPF_JA, 1),
	ANSWER(SECCOMP_RET_KILL_PROCESS), /* numbers mean something else there */
#define CALL(name) FIELD(nr), UNLESS(BPF_JEQ, SYS_##name, 1), ALLOW,
#define CALL_WITHOUT(name, arg, bits)                                                                               \
	FIELD(nr), UNLESS(BPF_JEQ, SYS_##name, 3), ARGUMENT(arg), BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, bits, 1, 0), \
		ALLOW,
#define CALL_WITH(name, arg, value) \
	FIELD(nr), UNLESS(BPF_JEQ, SYS_##name, 3), ARGUMENT(arg), UNLESS(BPF_JEQ, value, 1), ALLOW,
#define CALL_MISSING(name) FIELD(nr), UNLESS(BPF_JEQ, SYS_##name, 1), ANSWER(SECCOMP_RET_ERRNO | ENOSYS),
#include "run/confine.def"
	FIELD(nr),
	UNLESS(BPF_JGT, YOUNGEST, 1),
	ANSWER(SECCOMP_RET_ERRNO | ENOSYS),
	ANSWER(SECCOMP_RET_ERRNO | EPERM),
};

bool confine(void)
{
	const struct sock_fprog program = {.len = sizeof filter / sizeof *filter,
					   .filter = (struct sock_filter *)filter};

	return !prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) && !prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

#else

bool confine(void)
{
	return false;
}

#endif
