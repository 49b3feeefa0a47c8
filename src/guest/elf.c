/* Reading ELF64 headers of RISC-V programs. Every number in the file is checked against the file's size and the address
 * space before it is used; arithmetic on them is done where it cannot overflow. */
#include "guest/elf.h"

#include "guest/abi.h"
#include "riscv/address_space.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	HEADER_SIZE = 64,
	PHDR_SIZE = 56,
	MACHINE_RISCV = 243,
	TYPE_EXEC = 2,
	TYPE_DYN = 3,
	FLAGS_FLOAT_ABI = 6,
	FLAGS_RVE = 8
};
enum { PT_TYPE_LOAD = 1, PT_TYPE_INTERP = 3, PT_TYPE_PHDR = 6, PT_TYPE_STACK = 0x6474e551 };
#define ALIGNMENT_MAX (1ull << 30)

static bool reject(struct error *err, const char *reason)
{
	return error_set(err, ERROR_NOT_RUNNABLE, "%s", reason);
}

static bool read_exactly(int fd, void *to, size_t size, uint64_t offset)
{
	for (size_t done = 0; done < size;) {
		ssize_t got = pread(fd, (char *)to + done, size - done, (off_t)(offset + done));

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return false;
		done += (size_t)got;
	}
	return true;
}

static bool check_ident(const uint8_t *h, struct error *err)
{
	if (memcmp(h, "\177ELF", 4))
		return reject(err, "not an ELF file");
	if (h[4] != 2)
		return reject(err,
			      h[4] == 1 ? "a 32-bit ELF file; Culprit runs RV64 programs" : "ELF class is invalid");
	if (h[5] != 1)
		return reject(err, "not a little-endian ELF file");
	if (h[6] != 1 || get32(h + 20) != 1)
		return reject(err, "unknown ELF version");
	return true;
}

static bool check_header(const uint8_t *h, struct error *err)
{
	uint16_t type = get16(h + 16), machine = get16(h + 18);
	uint32_t flags = get32(h + 48);

	TRY(check_ident(h, err));
	if (machine != MACHINE_RISCV)
		return error_set(err, ERROR_NOT_RUNNABLE, "not a RISC-V program (ELF machine %u)", machine);
	if (type != TYPE_EXEC && type != TYPE_DYN)
		return error_set(err, ERROR_NOT_RUNNABLE, "not an executable (ELF type %u)", type);
	if ((flags & FLAGS_FLOAT_ABI) == FLAGS_FLOAT_ABI || (flags & FLAGS_RVE))
		return reject(err, "built for the quad-float or embedded ABI; Culprit runs RV64GC programs");
	if (get16(h + 54) != PHDR_SIZE)
		return reject(err, "program headers of the wrong size");
	if (!get16(h + 56))
		return reject(err, "no program headers");
	return true;
}

static bool check_load(const struct elf_image *image, const struct elf_segment *s, uint64_t file_size,
		       struct error *err)
{
	if (s->file_size > s->memory_size)
		return reject(err, "a segment is larger in the file than in memory");
	if (s->offset > file_size || s->file_size > file_size - s->offset)
		return reject(err, "truncated: a segment reaches beyond the end of the file");
	if (s->memory_size > ADDRESS_SPACE_LIMIT / 2 || s->address > ADDRESS_SPACE_LIMIT / 2 - s->memory_size)
		return reject(err, "a segment lies outside the address space");
	if ((s->address ^ s->offset) & (GUEST_PAGE_SIZE - 1))
		return reject(err, "a segment's address and file offset differ within the page");
	if (!image->position_independent && s->address < GUEST_LOWEST)
		return reject(err, "a segment lies at the lowest addresses, which stay unmapped");
	if (image->segment_count) {
		const struct elf_segment *before = &image->segments[image->segment_count - 1];

		if (s->address < before->address + before->memory_size)
			return reject(err, "segments overlap or are out of order");
	}
	return true;
}

static unsigned perm_of_flags(uint32_t flags)
{
	return (flags & 4 ? PAGE_READ : 0) | (flags & 2 ? PAGE_READ | PAGE_WRITE : 0) | (flags & 1 ? PAGE_EXEC : 0);
}

static bool take_load(struct elf_image *image, const uint8_t *p, uint64_t file_size, struct error *err)
{
	struct elf_segment s = {
		.address = get64(p + 16),
		.memory_size = get64(p + 40),
		.offset = get64(p + 8),
		.file_size = get64(p + 32),
		.perm = perm_of_flags(get32(p + 4)),
	};
	uint64_t alignment = get64(p + 48);

	if (!s.memory_size)
		return true;
	if (image->segment_count == ELF_SEGMENTS_MAX)
		return reject(err, "too many segments");
	TRY(check_load(image, &s, file_size, err));
	if (alignment > image->alignment) {
		if (alignment > ALIGNMENT_MAX || (alignment & (alignment - 1)))
			return reject(err, "a segment's alignment is no power of two up to 1 GiB");
		image->alignment = alignment;
	}
	image->segments[image->segment_count++] = s;
	return true;
}

static bool take_interpreter(struct elf_image *image, int fd, const uint8_t *p, struct error *err)
{
	uint64_t offset = get64(p + 8), size = get64(p + 32);

	if (image->interpreter[0])
		return reject(err, "more than one interpreter");
	if (size < 2 || size > ELF_INTERPRETER_MAX || offset > INT64_MAX - size)
		return reject(err, "the interpreter's name has an impossible length or place");
	if (!read_exactly(fd, image->interpreter, size, offset))
		return reject(err, "truncated: the interpreter's name is beyond the end of the file");
	if (image->interpreter[size - 1] || !image->interpreter[0])
		return reject(err, "the interpreter's name is not a string");
	return true;
}

static void find_phdrs(struct elf_image *image)
{
	for (size_t i = 0; i < image->segment_count && !image->phdr_address; i++) {
		const struct elf_segment *s = &image->segments[i];

		if (image->phdr_offset >= s->offset &&
		    image->phdr_offset + image->phdr_count * (uint64_t)PHDR_SIZE <= s->offset + s->file_size)
			image->phdr_address = s->address + (image->phdr_offset - s->offset);
	}
}

static bool take_phdr(struct elf_image *image, int fd, const uint8_t *p, uint64_t file_size, struct error *err)
{
	switch (get32(p)) {
	case PT_TYPE_LOAD:
		return take_load(image, p, file_size, err);
	case PT_TYPE_INTERP:
		return take_interpreter(image, fd, p, err);
	case PT_TYPE_STACK:
		image->stack_executable = get32(p + 4) & 1;
		return true;
	default:
		return true;
	}
}

static bool read_phdrs(int fd, struct elf_image *image, uint64_t file_size, struct error *err)
{
	const struct elf_segment *last;

	for (unsigned i = 0; i < image->phdr_count; i++) {
		uint8_t p[PHDR_SIZE];

		if (!read_exactly(fd, p, sizeof(p), image->phdr_offset + (uint64_t)i * PHDR_SIZE))
			return reject(err, "truncated: a program header cannot be read");
		TRY(take_phdr(image, fd, p, file_size, err));
	}
	if (!image->segment_count)
		return reject(err, "nothing to load");
	last = &image->segments[image->segment_count - 1];
	image->low = image->segments[0].address & ~(GUEST_PAGE_SIZE - 1);
	image->high = (last->address + last->memory_size + GUEST_PAGE_SIZE - 1) & ~(GUEST_PAGE_SIZE - 1);
	return true;
}

bool elf_read(int fd, struct elf_image *image, struct error *err)
{
	uint8_t h[HEADER_SIZE] = {0};
	uint64_t file_size;
	struct stat st;

	memset(image, 0, sizeof(*image));
	if (fstat(fd, &st) || st.st_size < 0)
		return error_set(err, ERROR_SYSTEM, "cannot be examined");
	file_size = (uint64_t)st.st_size;
	if (file_size < 4 || !read_exactly(fd, h, file_size < sizeof(h) ? (size_t)file_size : sizeof(h), 0))
		return reject(err, file_size ? "not an ELF file" : "empty file");
	if (memcmp(h, "\177ELF", 4))
		return reject(err, "not an ELF file");
	if (file_size < sizeof(h))
		return reject(err, "truncated: the ELF header is incomplete");
	TRY(check_header(h, err));
	image->position_independent = get16(h + 16) == TYPE_DYN;
	image->entry = get64(h + 24);
	image->alignment = GUEST_PAGE_SIZE;
	image->phdr_offset = get64(h + 32);
	image->phdr_count = get16(h + 56);
	if (image->phdr_offset > file_size || (uint64_t)image->phdr_count * PHDR_SIZE > file_size - image->phdr_offset)
		return reject(err, "truncated: the program headers reach beyond the end of the file");
	TRY(read_phdrs(fd, image, file_size, err));
	if (image->entry > ADDRESS_SPACE_LIMIT / 2)
		return reject(err, "the entry point lies outside the address space");
	find_phdrs(image);
	return true;
}
