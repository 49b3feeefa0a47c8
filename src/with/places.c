#include "with/places.h"

#include <string.h>

struct symbols *places_symbols(const struct guest *guest, struct error *err)
{
	struct symbols *symbols = symbols_create(err);
	bool good = symbols != NULL;
	struct guest_object o;
	for (size_t i = 0; good && guest_object(guest, i, &o); i++)
		good = symbols_add(symbols, o.path, o.start, o.end, o.bias, err);
	if (good)
		return symbols;
	symbols_destroy(symbols);
	return NULL;
}

void places_nearest(const struct guest *guest, const char *name, struct nearest *n)
{
	struct symbols *symbols = places_symbols(guest, NULL);
	nearest_begin(n, name, strlen(name));
	if (symbols)
		symbols_consider(symbols, n);
	symbols_destroy(symbols);
}

static bool read_code(void *context, uint64_t pc, uint16_t *parcel)
{
	return address_space_read(context, parcel, pc, sizeof *parcel);
}

struct analysis_code places_code(struct guest *guest)
{
	return (struct analysis_code){guest_memory(guest), read_code};
}

void places_disassemble(const struct analysis_code *code, uint64_t pc, char *text, size_t size)
{
	uint16_t parcels[2] = {0, 0};
	bool there = code->read(code->context, pc, &parcels[0]);
	if (there && (parcels[0] & 3) == 3)
		there = code->read(code->context, pc + 2, &parcels[1]);
	if (there)
		riscv_disassemble(parcels[0] | (uint32_t)parcels[1] << 16, pc, text, size);
	else
		snprintf(text, size, "0x%llx", (unsigned long long)pc);
	for (char *c = text; *c; c++)
		if (*c == '\t')
			*c = ' ';
}
