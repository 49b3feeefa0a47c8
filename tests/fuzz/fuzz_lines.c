/* Fuzzing source lines: any bytes as an object with a line table. Places found must lie in the ranges of their lines. */
#include "report/lines.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum { ASKED = 64, RANGES = 16 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void ask(const struct lines *l, uint64_t pc)
{
	struct line_range ranges[RANGES];
	struct line_place p = lines_find(l, pc);
	if (!p.file)
		return;
	size_t n = lines_ranges(l, p.file, p.line, ranges, RANGES);
	if (!n || !p.line)
		abort();
	for (size_t i = 0; i < n && i < RANGES; i++)
		if (ranges[i].first >= ranges[i].end)
			abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char path[64];
	struct error err;
	int fd = memfd_create("object", MFD_CLOEXEC);
	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	struct lines *l = lines_create(&err);
	if (l && lines_add(l, path, 0x10000, &err))
		for (uint64_t i = 0; i < ASKED; i++)
			ask(l, 0x10000 + i * i * 8);
	lines_destroy(l);
	close(fd);
	return 0;
}
