/* Which ELF files are mapped where, and their symbols (by libelf). */
#include "guest/archive.h"
#include "guest/files.h"
#include "guest/host_path.h"
#include "guest/load.h"
#include "guest/memory_map.h"
#include "guest/path.h"

#include <fcntl.h>
#include <gelf.h>
#include <stdlib.h>
#include <unistd.h>

/* A guest that maps a file's code again and again at other places is no reason to remember them all. */
#define OBJECTS_MAX 4096

static bool object_known(const struct guest *g, uint64_t bias, const char *guest_path)
{
	for (size_t i = 0; i < g->object_count; i++)
		if (g->objects[i].bias == bias && !strcmp(g->objects[i].guest_path, guest_path))
			return true;
	return false;
}

bool object_add(struct guest *g, const char *host_path, const char *guest_path, uint64_t start, uint64_t end,
		uint64_t bias, uint64_t text)
{
	uint64_t tag = frame_tag(g, text);

	struct guest_object *objects = NULL, *o;

	if (g->object_count >= OBJECTS_MAX || object_known(g, bias + tag, guest_path))
		return true;
	objects = realloc(g->objects, (g->object_count + 1) * sizeof(*objects));
	if (!objects)
		return false;
	g->objects = objects;
	o = &objects[g->object_count];
	*o = (struct guest_object){.path = strdup(host_path),
				   .guest_path = strdup(guest_path),
				   .start = start + tag,
				   .end = end + tag,
				   .bias = bias + tag};
	if (!o->path || !o->guest_path) {
		free((char *)o->path);
		free((char *)o->guest_path);
		return false;
	}
	g->object_count++;
	return true;
}

static bool host_path_of(int fd, char *path, size_t size)
{
	char link[64];
	ssize_t length;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	length = readlink(link, path, size - 1);
	if (length <= 0)
		return false;
	path[length] = 0;
	return true;
}

/* A file's executable pages have been mapped: if it is an ELF file, the segment at that offset gives the bias. */
void object_note_mapping(struct guest *g, struct open_file *f, uint64_t address, uint64_t length, uint64_t offset)
{
	struct elf_image *image = f->host >= 0 && f->path && g->object_count < OBJECTS_MAX ? malloc(sizeof(*image))
											   : NULL;
	char host[GUEST_PATH_MAX];

	if (!image)
		return;
	if (elf_read(f->host, image, NULL) && host_path_of(f->host, host, sizeof(host))) {
		for (size_t i = 0; i < image->segment_count; i++) {
			const struct elf_segment *s = &image->segments[i];
			uint64_t bias = address - page_down(s->address);

			if (page_down(s->offset) != offset || !(s->perm & PAGE_EXEC))
				continue;
			object_add(g, host, f->path, bias + image->low, bias + image->high, bias, address);
			break;
		}
	}
	free(image);
}

void objects_destroy(struct guest *g)
{
	for (size_t i = 0; i < g->object_count; i++) {
		free((char *)g->objects[i].path);
		free((char *)g->objects[i].guest_path);
	}
	free(g->objects);
}

bool guest_object(const struct guest *g, size_t index, struct guest_object *object)
{
	if (index >= g->object_count)
		return false;
	*object = g->objects[index];
	return true;
}

/* An address's bytes in the file, by its segments. */
static bool file_parcel(const struct guest_object *o, uint64_t frame, uint16_t *parcel)
{
	struct elf_image *image = malloc(sizeof(*image));
	int fd = image ? host_open(o->path, O_RDONLY, 0) : -1;
	bool done = false;

	if (fd >= 0 && elf_read(fd, image, NULL)) {
		for (size_t i = 0; i < image->segment_count && !done; i++) {
			const struct elf_segment *s = &image->segments[i];
			uint64_t at = frame - o->bias - s->address;

			done = at < s->file_size &&
			       pread(fd, parcel, sizeof(*parcel), (off_t)(s->offset + at)) == sizeof(*parcel);
		}
	}
	if (fd >= 0)
		close(fd);
	free(image);
	return done;
}

bool guest_read_code(struct guest *g, uint64_t frame, uint16_t *parcel)
{
	uint64_t address = frame & (ADDRESS_SPACE_LIMIT - 1);

	if (guest_frame(g, address) == frame && address_space_read(&g->memory, parcel, address, sizeof(*parcel)))
		return true;
	for (size_t i = 0; i < g->object_count; i++)
		if (frame - g->objects[i].start < g->objects[i].end - g->objects[i].start)
			return file_parcel(&g->objects[i], frame, parcel);
	return false;
}

static bool section_symbol(Elf_Scn *section, Elf *elf, const char *name, uint64_t *value)
{
	GElf_Shdr header;
	Elf_Data *data;
	size_t count;

	if (!gelf_getshdr(section, &header) || (header.sh_type != SHT_SYMTAB && header.sh_type != SHT_DYNSYM) ||
	    !header.sh_entsize)
		return false;
	data = elf_getdata(section, NULL);
	count = data ? data->d_size / header.sh_entsize : 0;
	for (size_t i = 0; i < count; i++) {
		GElf_Sym symbol;
		const char *text;

		if (!gelf_getsym(data, (int)i, &symbol) || symbol.st_shndx == SHN_UNDEF)
			continue;
		text = elf_strptr(elf, header.sh_link, symbol.st_name);
		if (text && !strcmp(text, name)) {
			*value = symbol.st_value;
			return true;
		}
	}
	return false;
}

static bool object_symbol(const struct guest_object *object, const char *name, uint64_t *address)
{
	int fd = host_open(object->path, O_RDONLY, 0);
	Elf_Scn *section = NULL;
	bool found = false;
	uint64_t value;
	Elf *elf;

	if (fd < 0)
		return false;
	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ, NULL);
	while (elf && !found && (section = elf_nextscn(elf, section)))
		found = section_symbol(section, elf, name, &value);
	if (found)
		*address = object->bias + value;
	elf_end(elf);
	close(fd);
	return found;
}

bool guest_symbol_address(const struct guest *g, const char *name, uint64_t *address)
{
	for (size_t i = 0; i < g->object_count; i++)
		if (object_symbol(&g->objects[i], name, address))
			return true;
	return false;
}

/* The file may be elsewhere on this host. */
static bool object_load(struct guest *g, const struct guest_object *o)
{
	struct place place;

	if (access(o->path, R_OK) && !path_walk(g, (uint64_t)GUEST_AT_FDCWD, o->guest_path, true, &place) &&
	    place.kind == PLACE_HOST)
		return object_add(g, place.host, o->guest_path, o->start, o->end, o->bias, o->start);
	return object_add(g, o->path, o->guest_path, o->start, o->end, o->bias, o->start);
}

void objects_archive(struct guest *g, struct archive *a)
{
	uint64_t count = g->object_count;

	archive_count(a, &count, OBJECTS_MAX);
	for (size_t i = 0; i < count && !a->failed; i++) {
		struct guest_object o = {0};
		char *path = NULL, *guest_path = NULL;

		if (!a->loading)
			o = g->objects[i];
		if (!a->loading) {
			path = (char *)o.path;
			guest_path = (char *)o.guest_path;
		}
		archive_text(a, &path);
		archive_text(a, &guest_path);
		ARCHIVE(a, o.start);
		ARCHIVE(a, o.end);
		ARCHIVE(a, o.bias);
		if (!a->loading)
			continue;
		o.path = path;
		o.guest_path = guest_path;
		if (!path || !guest_path)
			archive_fail(a, "it has an object without a name");
		else if (!object_load(g, &o))
			archive_no_memory(a);
		free(path);
		free(guest_path);
	}
}
