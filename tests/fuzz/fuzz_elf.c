/* Fuzzing the ELF loader: any bytes as a program. What loads also runs for a few thousand instructions, so that the
 * mappings are used; it may do nothing to the host but read, as guests may. */
#include "guest/guest.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define INSTRUCTIONS 5000

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool write_program(const char *path, const uint8_t *data, size_t size)
{
	int fd = open(path, O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0700);
	bool done = fd >= 0 && write(fd, data, size) == (ssize_t)size;

	if (fd >= 0)
		close(fd);
	return done;
}

static void run_program(const char *path)
{
	char *argv[] = {(char *)path, NULL};
	struct guest_options options = {.program = path, .argv = argv, .sysroot = "/tmp", .seed = 1};
	struct error err;
	struct guest *guest;
	uint64_t executed;

	guest = guest_create(&options, &err);
	if (!guest)
		return;
	guest_run(guest, INSTRUCTIONS, &executed);
	guest_destroy(guest);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char path[64];

	snprintf(path, sizeof(path), "/tmp/fuzz_elf.%d", (int)getpid());
	if (write_program(path, data, size))
		run_program(path);
	unlink(path);
	return 0;
}
