/* Which ELF files are mapped where, and their symbols (by libelf). */
#include "guest/files.h"
#include "guest/load.h"
#include "guest/memory_map.h"

#include <fcntl.h>
#include <gelf.h>
#include <stdlib.h>
#include <unistd.h>

/* A guest that maps a file's code again and again at other places is no reason to remember them all. */
#define OBJECTS_MAX 4096

bool object_add(struct guest *g, const char *host_path, const char *guest_path, uint64_t start, uint64_t end,
		uint64_t bias)
{
	struct guest_object *objects = NULL, *o;

	if (g->object_count < OBJECTS_MAX)
		objects = realloc(g->objects, (g->object_count + 1) * sizeof(*objects));
	if (!objects)
		return false;
	g->objects = objects;
	o = &objects[g->object_count];
	*o = (struct guest_object){
		.path = strdup(host_path), .guest_path = strdup(guest_path), .start = start, .end = end, .bias = bias};
	if (!o->path || !o->guest_path) {
		free((char *)o->path);
		free((char *)o->guest_path);
		return false;
	}
	g->object_count++;
	return true;
}

static bool object_known(const struct guest *g, uint64_t bias, const char *guest_path)
{
	for (size_t i = 0; i < g->object_count; i++)
		if (g->objects[i].bias == bias && !strcmp(g->objects[i].guest_path, guest_path))
			return true;
	return false;
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
			if (!object_known(g, bias, f->path))
				object_add(g, host, f->path, bias + image->low, bias + image->high, bias);
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
	int fd = open(object->path, O_RDONLY | O_CLOEXEC);
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
