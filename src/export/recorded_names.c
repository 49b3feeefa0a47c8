#include "export/recorded_names.h"

#include "base/plain.h"
#include "report/lines.h"
#include "report/symbols.h"

#include <fcntl.h>
#include <gelf.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The address of an instruction that is not what `bytes` have, which lie at `from`; 0: there is none. */
static uint64_t other_code(const struct record_about *about, uint64_t from, const uint8_t *bytes, size_t size)
{
	for (uint32_t i = 0; i < about->code_count; i++) {
		const struct record_code *c = &about->code[i];
		const uint64_t length = (c->bits & 3) == 3 ? 4 : 2, at = c->pc - from;
		const uint8_t wanted[] = {(uint8_t)c->bits, (uint8_t)(c->bits >> 8), (uint8_t)(c->bits >> 16),
					  (uint8_t)(c->bits >> 24)};
		if (at < size && length <= size - at && memcmp(bytes + at, wanted, length) != 0)
			return c->pc;
	}
	return 0;
}

static uint64_t other_segment(const struct record_about *about, const struct sample_mapping *m, Elf *elf, size_t number)
{
	GElf_Phdr segment;
	if (!gelf_getphdr(elf, (int)number, &segment) || segment.p_type != PT_LOAD || !(segment.p_flags & PF_X))
		return 0;
	const Elf_Data *data = elf_getdata_rawchunk(elf, (int64_t)segment.p_offset, segment.p_filesz, ELF_T_BYTE);
	return data ? other_code(about, segment.p_vaddr + m->bias, data->d_buf, data->d_size) : 0;
}

/* Where the file's code is not what was recorded; 0: nowhere, or the file cannot be read: then nobody finds names. */
static uint64_t other_file(const struct record_about *about, const struct sample_mapping *m)
{
	uint64_t other = 0;
	size_t count = 0;
	struct stat st;
	const int fd = open(m->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return 0;
	elf_version(EV_CURRENT);
	Elf *elf = !fstat(fd, &st) && S_ISREG(st.st_mode) ? elf_begin(fd, ELF_C_READ, NULL) : NULL;
	if (elf)
		elf_getphdrnum(elf, &count);
	for (size_t i = 0; !other && i < count; i++)
		other = other_segment(about, m, elf, i);
	elf_end(elf);
	close(fd);
	return other;
}

static void say(const char *path, uint64_t other)
{
	char shown[1024];
	snprintf(shown, sizeof shown, "%s", path);
	plain_make(shown);
	fprintf(stderr,
		"culprit: %s: not the code that was recorded, at 0x%llx: its functions and lines are left out\n", shown,
		(unsigned long long)other);
}

bool recorded_names_load(const struct record_about *about, struct symbols *symbols, struct lines *lines,
			 struct error *err)
{
	for (uint32_t i = 0; i < about->mapping_count; i++) {
		const struct sample_mapping *m = &about->mappings[i];
		const uint64_t other = other_file(about, m);
		if (other) {
			say(m->path, other);
			continue;
		}
		TRY(symbols_add(symbols, m->path, m->start, m->end, m->bias, err));
		TRY(lines_add(lines, m->path, m->bias, err));
	}
	return true;
}
