#include "report/stacks/report.h"

#include <string.h>

struct stacks_colour stacks_colour(const char *row_name)
{
	static const struct {
		const char *name;
		struct stacks_colour colour;
	} colours[] = {
#define STACKS_COLOUR(name, letter, red, green, blue) {#name, {red, green, blue, letter}},
#include "report/stacks/palette.def"
	};
	for (size_t i = 0; i < sizeof colours / sizeof colours[0]; i++)
		if (!strcmp(colours[i].name, row_name))
			return colours[i].colour;
	return (struct stacks_colour){0, 0, 0, '?'};
}
