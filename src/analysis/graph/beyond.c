#include "analysis/graph/beyond.h"

#include <stddef.h>

void graph_params_beyond(struct culprit_graph_params *p, const struct graph_beyond *b)
{
#define BEYOND(name, most) p->name = b->name;
#include "analysis/graph/beyond.def"
	if (b->regs) /* one file in the place of two */
		p->int_regs = p->fp_regs = 0;
}

struct graph_beyond graph_beyond_of(const struct culprit_graph_params *p)
{
	return (struct graph_beyond){
#define BEYOND(name, most) .name = p->name,
#include "analysis/graph/beyond.def"
	};
}

const char *graph_beyond_wrong(const struct graph_beyond *b, uint32_t *most)
{
	const struct {
		const char *name;
		uint32_t is, most;
	} rows[] = {
#define BEYOND(name, most) {#name, b->name, most},
#include "analysis/graph/beyond.def"
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		if (rows[i].is > rows[i].most) {
			*most = rows[i].most;
			return rows[i].name;
		}
	return NULL;
}
