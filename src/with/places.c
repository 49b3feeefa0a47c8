#include "with/places.h"

#include "riscv/address_space.h"
#include "riscv/riscv.h"

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

unsigned places_disassemble(struct guest *guest, uint64_t pc, char *text, size_t size)
{
	uint16_t parcels[2] = {0, 0};
	const struct address_space *memory = guest_memory(guest);
	bool there = address_space_read(memory, &parcels[0], pc, 2);
	bool wide = (parcels[0] & 3) == 3;
	if (there && wide)
		there = address_space_read(memory, &parcels[1], pc + 2, 2);
	if (there)
		riscv_disassemble(parcels[0] | (uint32_t)parcels[1] << 16, pc, text, size);
	else
		snprintf(text, size, "0x%llx", (unsigned long long)pc);
	for (char *c = text; *c; c++)
		if (*c == '\t')
			*c = ' ';
	return there ? wide ? 4 : 2 : 0;
}

void places_nearest(const struct guest *guest, const char *name, struct nearest *n)
{
	struct symbols *symbols = places_symbols(guest, NULL);
	nearest_begin(n, name, strlen(name));
	if (symbols)
		symbols_consider(symbols, n);
	symbols_destroy(symbols);
}
