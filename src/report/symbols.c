#include "report/symbols.h"

#include "base/plain.h"

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <libiberty/demangle.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct function {
	uint64_t start, end;
	char *name;  /* as the file has it */
	char *shown; /* as its programmer wrote it, without parameters; `name` itself where that is the same */
	bool label;  /* a global name in code, of no type: assembly without .type */
};

struct object {
	uint64_t start, end, bias;
	char *name;
	struct function *functions; /* sorted by start */
	size_t count, capacity;
};

struct symbols {
	struct object *objects;
	size_t count;
};

struct symbols *symbols_create(struct error *err)
{
	struct symbols *s = calloc(1, sizeof *s);
	if (!s)
		error_set(err, ERROR_SYSTEM, "out of memory for symbols");
	return s;
}

static void free_function(struct function *f)
{
	if (f->shown != f->name)
		free(f->shown);
	free(f->name);
}

void symbols_destroy(struct symbols *s)
{
	for (size_t i = 0; s && i < s->count; i++) {
		for (size_t j = 0; j < s->objects[i].count; j++)
			free_function(&s->objects[i].functions[j]);
		free(s->objects[i].functions);
		free(s->objects[i].name);
	}
	if (s)
		free(s->objects);
	free(s);
}

char *symbol_demangled(const char *name)
{
	bool mangled = name && name[0] == '_' && (name[1] == 'Z' || name[1] == 'R');
	return mangled ? cplus_demangle(name, DMGL_AUTO) : NULL;
}

/* In the code of its section, and not behind it, as `etext` is. Local names are places within functions. */
static bool is_label(Elf *elf, const GElf_Sym *sym)
{
	GElf_Shdr section;
	Elf_Scn *scn = sym->st_shndx < SHN_LORESERVE ? elf_getscn(elf, sym->st_shndx) : NULL;
	return GELF_ST_TYPE(sym->st_info) == STT_NOTYPE && GELF_ST_BIND(sym->st_info) != STB_LOCAL && scn &&
	       gelf_getshdr(scn, &section) && section.sh_flags & SHF_EXECINSTR &&
	       sym->st_value - section.sh_addr < section.sh_size;
}

static bool add_function(struct object *o, const GElf_Sym *sym, const char *name)
{
	if (o->count == o->capacity) {
		size_t capacity = o->capacity ? o->capacity * 2 : 256;
		struct function *grown = realloc(o->functions, capacity * sizeof *grown);
		if (!grown)
			return false;
		o->functions = grown;
		o->capacity = capacity;
	}
	struct function *f = &o->functions[o->count];
	f->start = sym->st_value + o->bias;
	f->end = f->start + sym->st_size;
	f->label = GELF_ST_TYPE(sym->st_info) == STT_NOTYPE;
	f->name = strdup(name);
	if (f->name)
		plain_make(f->name);
	f->shown = symbol_demangled(f->name);
	f->shown = f->shown ? f->shown : f->name;
	o->count += f->name != NULL;
	return f->name != NULL;
}

static bool read_table(struct object *o, Elf *elf, Elf_Scn *scn, const GElf_Shdr *header)
{
	Elf_Data *data = elf_getdata(scn, NULL);
	size_t n = data && header->sh_entsize ? header->sh_size / header->sh_entsize : 0;
	for (size_t i = 0; i < n; i++) {
		GElf_Sym sym;
		if (!gelf_getsym(data, (int)i, &sym) || sym.st_shndx == SHN_UNDEF)
			continue;
		int type = GELF_ST_TYPE(sym.st_info);
		if (type != STT_FUNC && type != STT_GNU_IFUNC && !is_label(elf, &sym))
			continue;
		const char *name = elf_strptr(elf, header->sh_link, sym.st_name);
		if (name && *name && !add_function(o, &sym, name))
			return false;
	}
	return true;
}

static bool read_symbols(struct object *o, Elf *elf)
{
	for (Elf_Scn *scn = NULL; (scn = elf_nextscn(elf, scn));) {
		GElf_Shdr header;
		if (!gelf_getshdr(scn, &header) || (header.sh_type != SHT_SYMTAB && header.sh_type != SHT_DYNSYM))
			continue;
		if (!read_table(o, elf, scn, &header))
			return false;
	}
	return true;
}

/* By start, functions in front of labels; of aliases the one that a reader would write: fewest leading underscores,
 * then the alphabet. */
static int by_start(const void *a, const void *b)
{
	const struct function *x = a, *y = b;
	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	if (x->label != y->label)
		return x->label ? 1 : -1;
	size_t ux = strspn(x->name, "_"), uy = strspn(y->name, "_");
	if (ux != uy)
		return ux < uy ? -1 : 1;
	return strcmp(x->name, y->name);
}

/* A label is a function only where no function is: of sorted ones those within another, or where it begins, go. */
static void drop_labels(struct object *o)
{
	size_t kept = 0;
	uint64_t covered = 0; /* up to here by functions; where one begins, by that */
	for (size_t i = 0; i < o->count; i++) {
		struct function *f = &o->functions[i];
		if (f->label && f->start < covered) {
			free_function(f);
			continue;
		}
		uint64_t end = f->end > f->start ? f->end : f->start + 1;
		covered = !f->label && end > covered ? end : covered;
		o->functions[kept++] = *f;
	}
	o->count = kept;
}

/* Adds a file's functions to the object's. */
static bool load_object(struct object *o, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return true;
	elf_version(EV_CURRENT);
	errno = 0;
	Elf *elf = elf_begin(fd, ELF_C_READ, NULL);
	bool good = (!elf || read_symbols(o, elf)) && errno != ENOMEM; /* libelf only says that something failed */
	if (elf)
		elf_end(elf);
	close(fd);
	if (o->count)
		qsort(o->functions, o->count, sizeof *o->functions, by_start);
	drop_labels(o);
	return good;
}

bool symbols_add(struct symbols *s, const char *path, uint64_t start, uint64_t end, uint64_t bias, struct error *err)
{
	struct object *grown = realloc(s->objects, (s->count + 1) * sizeof *grown);
	if (!grown)
		return error_set(err, ERROR_SYSTEM, "out of memory for symbols");
	s->objects = grown;
	const char *slash = strrchr(path, '/');
	struct object *o = &s->objects[s->count];
	*o = (struct object){.start = start, .end = end, .bias = bias, .name = strdup(slash ? slash + 1 : path)};
	if (!o->name)
		return error_set(err, ERROR_SYSTEM, "out of memory for symbols");
	plain_make(o->name);
	s->count++;
	return load_object(o, path) || error_set(err, ERROR_SYSTEM, "%s: out of memory for its symbols", path);
}

bool symbols_add_debug(struct symbols *s, const char *path, struct error *err)
{
	return load_object(&s->objects[s->count - 1], path) ||
	       error_set(err, ERROR_SYSTEM, "%s: out of memory for its symbols", path);
}

/* The last function that starts at or before pc and covers it; a symbol without size reaches to the next one. */
static const struct function *find_function(const struct object *o, uint64_t pc)
{
	size_t low = 0, high = o->count;
	while (low < high) {
		size_t middle = (low + high) / 2;
		if (o->functions[middle].start <= pc)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low)
		return NULL;
	uint64_t start = o->functions[low - 1].start;
	while (low > 1 && o->functions[low - 2].start == start)
		low--; /* the preferred alias */
	const struct function *f = &o->functions[low - 1];
	return f->end == f->start || pc < f->end ? f : NULL;
}

struct symbol_place symbols_find(const struct symbols *s, uint64_t pc)
{
	for (size_t i = 0; i < s->count; i++) {
		const struct object *o = &s->objects[i];
		if (pc < o->start || pc >= o->end)
			continue;
		const struct function *f = find_function(o, pc);
		if (f)
			return (struct symbol_place){f->shown,	    f->name,  o->name,
						     pc - f->start, f->start, f->end > f->start ? f->end : 0};
		return (struct symbol_place){NULL, NULL, o->name, pc - o->start, o->start, 0};
	}
	return (struct symbol_place){NULL, NULL, NULL, pc, pc, 0};
}

bool symbol_place_begins(const struct symbol_place *now, const struct symbol_place *before, bool called)
{
	if (now->function || before->function || now->object != before->object)
		return now->start != before->start || now->function != before->function;
	return called;
}

void symbol_place_name(const struct symbol_place *p, char *name, size_t size)
{
	if (p->function)
		snprintf(name, size, "%s", p->function);
	else
		symbol_place_text(p, name, size);
}

void symbol_place_text(const struct symbol_place *p, char *text, size_t size)
{
	const char *from = p->function ? p->function : p->object;
	snprintf(text, size, "%.120s%s0x%" PRIx64, from ? from : "", from ? "+" : "", p->offset);
}

const char *symbol_place_object(const struct symbol_place *p)
{
	return p->object ? p->object : "no object";
}

/* Both symbol tables of an object name most functions; of the same start and name only the first counts. */
static bool again(const struct object *o, size_t i)
{
	for (size_t j = i; j > 0 && o->functions[j - 1].start == o->functions[i].start; j--)
		if (!strcmp(o->functions[j - 1].name, o->functions[i].name))
			return true;
	return false;
}

static uint64_t function_end(const struct object *o, size_t i)
{
	const struct function *f = &o->functions[i];
	if (f->end > f->start)
		return f->end;
	for (size_t j = i + 1; j < o->count; j++)
		if (o->functions[j].start > f->start)
			return o->functions[j].start;
	return o->end > f->start ? o->end : f->start + 1;
}

static bool has_name(const struct function *f, const char *name)
{
	return !strcmp(f->name, name) || !strcmp(f->shown, name);
}

bool symbols_range(const struct symbols *s, const char *name, size_t index, struct symbol_range *range)
{
	for (size_t i = 0; i < s->count; i++) {
		const struct object *o = &s->objects[i];
		for (size_t j = 0; j < o->count; j++) {
			if (!has_name(&o->functions[j], name) || again(o, j) || index--)
				continue;
			*range = (struct symbol_range){o->functions[j].start, function_end(o, j)};
			return true;
		}
	}
	return false;
}

unsigned symbol_distance(const struct nearest *n, const char *name)
{
	char own[NEAREST_LONGEST + 1];
	size_t length = strcspn(name, ".");
	if (!name[length] || !length || length > NEAREST_LONGEST)
		return nearest_distance(n, name);
	memcpy(own, name, length);
	own[length] = '\0';
	return nearest_distance(n, own) + 1;
}

void symbols_consider(const struct symbols *s, struct nearest *n)
{
	for (size_t i = 0; i < s->count; i++)
		for (size_t j = 0; j < s->objects[i].count; j++) {
			const char *name = s->objects[i].functions[j].shown;
			nearest_take(n, name, symbol_distance(n, name));
		}
}
