/* What of an ELF64 file matters to run it, read and checked without trusting a byte of it. */
#ifndef CULPRIT_GUEST_ELF_H
#define CULPRIT_GUEST_ELF_H

#include "base/error.h"

#include <stddef.h>
#include <stdint.h>

#define ELF_SEGMENTS_MAX 64
#define ELF_INTERPRETER_MAX 4096

struct elf_segment {
	uint64_t address, memory_size;
	uint64_t offset, file_size;
	unsigned perm; /* enum page_permission */
};

struct elf_image {
	bool position_independent;
	uint64_t entry;
	uint64_t low, high;    /* page-rounded span of the segments, before the bias */
	uint64_t alignment;    /* of the bias */
	uint64_t phdr_address; /* 0 = not in memory */
	uint64_t phdr_offset;
	unsigned phdr_count;
	bool stack_executable;
	size_t segment_count;
	struct elf_segment segments[ELF_SEGMENTS_MAX];
	char interpreter[ELF_INTERPRETER_MAX]; /* "" = none */
};

/* Read the headers of the open file. The error's text is the reason alone; the caller names the file. */
bool elf_read(int fd, struct elf_image *image, struct error *err);

#endif
