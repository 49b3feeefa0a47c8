#include "with/sampled_code.h"

#include "record/codec.h"
#include "riscv/static_insn.h"
#include "guest/elf.h"
#include "riscv/address_space.h"

#include <elfutils/libdwelf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct segment {
	uint64_t address; /* in memory */
	size_t size;
	uint8_t *bytes;
};

struct shotgun_object {
	uint64_t start, end;
	size_t segment_count;
	struct segment segments[ELF_SEGMENTS_MAX];
};

/* --- files --- */

static bool read_segment(int fd, const struct elf_segment *from, struct segment *s, struct error *err)
{
	s->size = from->file_size;
	s->bytes = malloc(s->size + 1);
	if (!s->bytes)
		return error_set(err, ERROR_SYSTEM, "out of memory for code");
	for (size_t done = 0; done < s->size;) {
		ssize_t n = pread(fd, s->bytes + done, s->size - done, (off_t)(from->offset + done));
		if (n <= 0)
			return error_set(err, ERROR_INPUT, "cannot be read");
		done += (size_t)n;
	}
	return true;
}

static bool read_segments(int fd, uint64_t bias, struct shotgun_object *o, struct error *err)
{
	struct elf_image *image = malloc(sizeof *image);
	bool good = image || error_set(err, ERROR_SYSTEM, "out of memory for code");
	good = good && elf_read(fd, image, err);
	for (size_t i = 0; good && i < image->segment_count; i++) {
		const struct elf_segment *from = &image->segments[i];
		if (!(from->perm & PAGE_EXEC))
			continue;
		struct segment *s = &o->segments[o->segment_count++];
		s->address = from->address + bias;
		good = read_segment(fd, from, s, err);
	}
	free(image);
	return good;
}

static uint32_t read_build_id(int fd, uint8_t id[SAMPLE_BUILD_ID_MAX])
{
	elf_version(EV_CURRENT);
	Elf *elf = elf_begin(fd, ELF_C_READ, NULL);
	const void *found = NULL;
	ssize_t size = elf ? dwelf_elf_gnu_build_id(elf, &found) : 0;
	if (size <= 0 || size > SAMPLE_BUILD_ID_MAX)
		size = 0;
	else
		memcpy(id, found, (size_t)size);
	elf_end(elf);
	return (uint32_t)size;
}

static void destroy_object(struct shotgun_object *o)
{
	for (size_t i = 0; i < o->segment_count; i++)
		free(o->segments[i].bytes);
}

/* The object's segments, and into *found what identifies it. */
static bool read_object(const char *file, uint64_t bias, struct shotgun_object *o, struct sample_mapping *found,
			struct error *err)
{
	memset(o, 0, sizeof *o);
	int fd = open(file, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return error_set(err, ERROR_INPUT, "%s: %s", file, strerror(errno));
	bool good = read_segments(fd, bias, o, err);
	errno = 0;
	if (good)
		found->build_id_size = read_build_id(fd, found->build_id);
	if (good && errno == ENOMEM) /* libelf only says that it has none */
		good = error_set(err, ERROR_SYSTEM, "%s: out of memory", file);
	else if (!good)
		error_context(err, "%s", file);
	close(fd);
	found->checksum = CODEC_CHECKSUM_START;
	for (size_t i = 0; good && i < o->segment_count; i++)
		found->checksum = codec_checksum(found->checksum, o->segments[i].bytes, o->segments[i].size);
	return good;
}

bool shotgun_code_identify(struct sample_mapping *m, const char *file, struct error *err)
{
	struct shotgun_object o;
	bool good = read_object(file, m->bias, &o, m, err);
	destroy_object(&o);
	return good;
}

/* --- objects --- */

static bool is_same(const struct sample_mapping *wanted, const struct sample_mapping *found)
{
	return wanted->checksum == found->checksum && wanted->build_id_size == found->build_id_size &&
	       !memcmp(wanted->build_id, found->build_id, wanted->build_id_size);
}

bool shotgun_code_add(struct shotgun_code *c, const struct sample_mapping *m, const char *file, struct error *err)
{
	struct shotgun_object *grown = realloc(c->objects, (c->count + 1) * sizeof *grown);
	if (!grown)
		return error_set(err, ERROR_SYSTEM, "out of memory for code");
	c->objects = grown;
	struct shotgun_object *o = &c->objects[c->count];
	struct sample_mapping found = {.path = NULL};
	bool good = read_object(file, m->bias, o, &found, err);
	if (good && !is_same(m, &found))
		good = error_set(err, ERROR_INPUT,
				 "%s: not the binary that was sampled (%s): its code or build-id differs", file,
				 m->path);
	if (!good) {
		destroy_object(o);
		return false;
	}
	o->start = m->start;
	o->end = m->end;
	c->count++;
	return true;
}

size_t shotgun_code_object(const struct shotgun_code *c, uint64_t pc)
{
	for (size_t i = 0; i < c->count; i++)
		if (pc >= c->objects[i].start && pc < c->objects[i].end)
			return i;
	return SIZE_MAX;
}

/* --- instructions --- */

/* Up to four bytes at the address; how many there are. */
static size_t fetch_bytes(const struct shotgun_code *c, uint64_t pc, uint32_t *raw)
{
	size_t number = shotgun_code_object(c, pc);
	*raw = 0;
	if (number == SIZE_MAX)
		return 0;
	const struct shotgun_object *o = &c->objects[number];
	for (size_t i = 0; i < o->segment_count; i++) {
		const struct segment *s = &o->segments[i];
		if (pc < s->address || pc - s->address >= s->size)
			continue;
		size_t left = s->size - (pc - s->address);
		left = left < 4 ? left : 4;
		memcpy(raw, s->bytes + (pc - s->address), left);
		return left;
	}
	return 0;
}

static bool decode(void *context, uint64_t pc, struct culprit_static_insn *s)
{
	uint32_t raw;
	size_t size = pc % 2 ? 0 : fetch_bytes(context, pc, &raw);
	if (size < 2)
		return false;
	if ((raw & 3) != 3)
		raw &= 0xffff;
	else if (size < 4)
		return false;
	return riscv_static_insn(raw, pc, s);
}

void shotgun_code_create(struct shotgun_code *c)
{
	*c = (struct shotgun_code){.objects = NULL, .interface = {c, decode}};
}

void shotgun_code_destroy(struct shotgun_code *c)
{
	for (size_t i = 0; i < c->count; i++)
		destroy_object(&c->objects[i]);
	free(c->objects);
}
