/* Numbers of the riscv64 Linux ABI that the guest sees, under names of our own, because the host's may differ.
 * Structures are not declared: they are read and written field by field at the offsets the ABI gives. */
#ifndef CULPRIT_GUEST_ABI_H
#define CULPRIT_GUEST_ABI_H

#include <stdint.h>
#include <string.h>

enum guest_errno {
#define ERRNO(name, number) GUEST_E##name = number,
#include "guest/errno.def"
#undef ERRNO
};

/* The guest's number for the host's. */
int guest_errno_of_host(int host_errno);
const char *guest_errno_name(int number);

enum guest_open_flag {
	GUEST_O_WRONLY = 01,
	GUEST_O_RDWR = 02,
	GUEST_O_ACCMODE = 03,
	GUEST_O_CREAT = 0100,
	GUEST_O_EXCL = 0200,
	GUEST_O_NOCTTY = 0400,
	GUEST_O_TRUNC = 01000,
	GUEST_O_APPEND = 02000,
	GUEST_O_NONBLOCK = 04000,
	GUEST_O_DIRECTORY = 0200000,
	GUEST_O_NOFOLLOW = 0400000,
	GUEST_O_CLOEXEC = 02000000,
	GUEST_O_PATH = 010000000,
	GUEST_O_TMPFILE = 020000000,
};

enum guest_at_flag {
	GUEST_AT_SYMLINK_NOFOLLOW = 0x100,
	GUEST_AT_REMOVEDIR = 0x200,
	GUEST_AT_SYMLINK_FOLLOW = 0x400,
	GUEST_AT_EMPTY_PATH = 0x1000,
};
#define GUEST_AT_FDCWD (-100)

enum guest_signal_number {
	GUEST_SIGHUP = 1,
	GUEST_SIGINT = 2,
	GUEST_SIGQUIT = 3,
	GUEST_SIGILL = 4,
	GUEST_SIGTRAP = 5,
	GUEST_SIGABRT = 6,
	GUEST_SIGBUS = 7,
	GUEST_SIGKILL = 9,
	GUEST_SIGSEGV = 11,
	GUEST_SIGPIPE = 13,
	GUEST_SIGALRM = 14,
	GUEST_SIGCHLD = 17,
	GUEST_SIGCONT = 18,
	GUEST_SIGSTOP = 19,
	GUEST_SIGTSTP = 20,
	GUEST_SIGTTIN = 21,
	GUEST_SIGTTOU = 22,
	GUEST_SIGURG = 23,
	GUEST_SIGVTALRM = 26,
	GUEST_SIGPROF = 27,
	GUEST_SIGWINCH = 28,
	GUEST_SIGNALS = 64,
};

#define GUEST_LOWEST 4096 /* nothing is mapped below; Linux's own default, and the programs of gcl begin there */

enum guest_prot { GUEST_PROT_READ = 1, GUEST_PROT_WRITE = 2, GUEST_PROT_EXEC = 4 };

enum guest_map_flag {
	GUEST_MAP_SHARED = 1,
	GUEST_MAP_PRIVATE = 2,
	GUEST_MAP_TYPE = 15,
	GUEST_MAP_FIXED = 0x10,
	GUEST_MAP_ANONYMOUS = 0x20,
	GUEST_MAP_FIXED_NOREPLACE = 0x100000,
};

/* The guest's memory is little-endian, as is every host we run on (address_space.h shares the bytes). */
static inline void put16(uint8_t *at, uint16_t value)
{
	memcpy(at, &value, sizeof(value));
}
static inline void put32(uint8_t *at, uint32_t value)
{
	memcpy(at, &value, sizeof(value));
}
static inline void put64(uint8_t *at, uint64_t value)
{
	memcpy(at, &value, sizeof(value));
}

static inline uint16_t get16(const uint8_t *at)
{
	uint16_t value;
	memcpy(&value, at, sizeof(value));
	return value;
}

static inline uint32_t get32(const uint8_t *at)
{
	uint32_t value;
	memcpy(&value, at, sizeof(value));
	return value;
}

static inline uint64_t get64(const uint8_t *at)
{
	uint64_t value;
	memcpy(&value, at, sizeof(value));
	return value;
}

#endif
