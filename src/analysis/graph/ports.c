#include "analysis/graph/ports.h"

#include "analysis/graph/step.h"

#include <stdlib.h>

bool graph_ports_create(struct graph_ports *p, uint32_t ports)
{
	p->ports = ports;
	p->cycles = calloc((size_t)GRAPH_LANES * GRAPH_PORTS_SPAN, sizeof *p->cycles);
	return p->cycles != NULL;
}

void graph_ports_destroy(struct graph_ports *p)
{
	free(p->cycles);
}
