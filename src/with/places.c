#include "with/places.h"

#include "report/debug_file.h"
#include "riscv/address_space.h"
#include "riscv/riscv.h"

#include <string.h>

/* The object's split debug file; "" = none. */
static void find_debug(const struct guest_object *o, const struct options *options, char found[PATH_MAX])
{
	if (!options) {
		*found = 0;
		return;
	}
	const struct debug_search search = {options->debug_dirs.items, options->sysroot};
	if (!debug_file_find(&search, o->path, o->guest_path ? o->guest_path : o->path, found))
		*found = 0;
}

struct symbols *places_symbols(const struct guest *guest, const struct options *options, struct error *err)
{
	struct symbols *symbols = symbols_create(err);
	bool good = symbols != NULL;
	char debug[PATH_MAX];
	struct guest_object o;
	for (size_t i = 0; good && guest_object(guest, i, &o); i++) {
		good = symbols_add(symbols, o.path, o.start, o.end, o.bias, err);
		find_debug(&o, options, debug);
		if (good && *debug)
			good = symbols_add_debug(symbols, debug, err);
	}
	if (good)
		return symbols;
	symbols_destroy(symbols);
	return NULL;
}

struct lines *places_lines(const struct guest *guest, const struct options *options, struct error *err)
{
	struct lines *lines = lines_create(err);
	bool good = lines != NULL;
	char debug[PATH_MAX];
	struct guest_object o;
	for (size_t i = 0; good && guest_object(guest, i, &o); i++) {
		find_debug(&o, options, debug);
		good = lines_add(lines, o.path, o.bias, err) && (!*debug || lines_add(lines, debug, o.bias, err));
	}
	if (good)
		return lines;
	lines_destroy(lines);
	return NULL;
}

void places_nearest(const struct guest *guest, const char *name, struct nearest *n)
{
	struct symbols *symbols = places_symbols(guest, NULL, NULL);
	nearest_begin(n, name, strlen(name));
	if (symbols)
		symbols_consider(symbols, n);
	symbols_destroy(symbols);
}

static bool read_code(void *context, uint64_t pc, uint16_t *parcel)
{
	return guest_read_code(context, pc, parcel);
}

struct analysis_code places_code(struct guest *guest)
{
	return (struct analysis_code){guest, read_code};
}

unsigned places_disassemble(const struct analysis_code *code, uint64_t pc, char *text, size_t size)
{
	uint16_t parcels[2] = {0, 0};
	bool there = code->read(code->context, pc, &parcels[0]), wide = (parcels[0] & 3) == 3;
	if (there && wide)
		there = code->read(code->context, pc + 2, &parcels[1]);
	if (there)
		riscv_disassemble(parcels[0] | (uint32_t)parcels[1] << 16, pc, text, size);
	else
		snprintf(text, size, "0x%llx", (unsigned long long)pc);
	for (char *c = text; *c; c++)
		if (*c == '\t')
			*c = ' ';
	return there ? wide ? 4 : 2 : 0;
}
