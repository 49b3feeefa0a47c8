/* Fuzzing the system calls: the input is a list of calls, made directly through guest_handle. Four bytes are the call
 * number's choice and the arguments' kinds, so that most calls get sensible addresses now and then. */
#include "guest/guest.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define CALLS_MAX 200

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A program of one page, readable, writable and executable: argument values point into it. */
static bool write_program(const char *path)
{
	uint8_t image[4096] = {0};
	uint64_t address = 0x10000, length = sizeof(image);
	int fd = open(path, O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0700);
	bool done;

	memcpy(image, "\177ELF\2\1\1", 7);
	memcpy(image + 16, "\2\0\xf3\0\1\0\0\0", 8);
	image[24] = 0, image[25] = 4, image[26] = 1; /* entry 0x10400 */
	image[32] = 64;
	image[52] = 64, image[54] = 56, image[56] = 1;
	image[64] = 1, image[68] = 7;
	memcpy(image + 64 + 16, &address, 8);
	memcpy(image + 64 + 32, &length, 8);
	length *= 4;
	memcpy(image + 64 + 40, &length, 8);
	strcpy((char *)image + 0x800, "/proc/self/maps");
	strcpy((char *)image + 0x900, "../x/./y");
	done = fd >= 0 && write(fd, image, sizeof(image)) == sizeof(image);
	if (fd >= 0)
		close(fd);
	return done;
}

static uint64_t argument(uint8_t kind, uint8_t byte)
{
	static const uint64_t addresses[] = {0x10000, 0x10800,	    0x10900,	  0x10a00,
					     0x13ff8, 0x3fffe00000, 0x4000000000, 0};

	switch (kind & 7) {
	case 0:
		return byte;
	case 1:
	case 2:
		return addresses[byte & 7] + (byte >> 3) * 8;
	case 3:
		return (uint64_t)byte << 12;
	case 4:
		return (uint64_t)-100 + (byte & 1);
	case 5:
		return 1ull << (byte & 63);
	case 6:
		return UINT64_MAX - byte;
	default:
		return 0x11000 + byte;
	}
}

static void make_calls(struct guest *guest, const uint8_t *data, size_t size)
{
	struct riscv_hart *hart = guest_hart(guest);
	struct riscv_outcome outcome = {0};

	for (int call = 0; call < CALLS_MAX && size >= 11; call++, data += 11, size -= 11) {
		hart->r[17] = data[0] | (uint64_t)(data[1] & 1) << 8;
		for (int i = 0; i < 6; i++)
			hart->r[10 + i] = argument((uint8_t)(data[2 + i / 2] >> (i & 1 ? 4 : 0)), data[5 + i]);
		if (guest_handle(guest, RISCV_STOP_ECALL, &outcome) != GUEST_RUNNING)
			break;
		if (data[1] & 2)
			guest_preempt(guest);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char folder[64], path[80];
	char *argv[] = {path, NULL};
	const char *const writable[] = {folder, NULL};
	struct guest_options options = {.program = path, .argv = argv, .writable = writable, .seed = 1};
	struct guest *guest;
	struct error err;

	snprintf(folder, sizeof(folder), "/tmp/fuzz_calls.%d", (int)getpid());
	snprintf(path, sizeof(path), "%s/program", folder);
	if ((mkdir(folder, 0700) && access(folder, W_OK)) || !write_program(path))
		return 0;
	guest = guest_create(&options, &err);
	if (!guest) {
		fprintf(stderr, "%s\n", err.text);
		abort();
	}
	make_calls(guest, data, size);
	guest_destroy(guest);
	unlink(path);
	return 0;
}
