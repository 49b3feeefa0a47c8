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
