#include "report/palette.h"

#include <string.h>

static const struct palette_colour rows[] = {
#define COLOUR(name, letter, red, green, blue) {#name, letter, red, green, blue},
#include "report/palette.def"
};

const struct palette_colour *palette_row(size_t index)
{
	return index < sizeof rows / sizeof rows[0] ? &rows[index] : NULL;
}

struct palette_colour palette_find(const char *name)
{
	const struct palette_colour *c;
	for (size_t i = 0; (c = palette_row(i)); i++)
		if (!strcmp(c->name, name))
			return *c;
	return (struct palette_colour){name, '?', 0, 0, 0};
}
