/* Folded stacks: what flame-graph tools read. Frames are "set: label", outermost first. */
#include "report/stalls/report.h"

#include <inttypes.h>

enum { DEPTH_MAX = 64 }; /* culprit_stalls_create takes no longer chains */

static void print_frame(const struct culprit_stall_type_info *t, FILE *out)
{
	fprintf(out, ";%s: ", t->set);
	for (const char *s = t->type.label; *s; s++)
		fputc(*s == ';' || *s == '\n' ? ',' : *s, out);
}

void stalls_report_folded(const struct stalls_report *r, FILE *out)
{
	const struct culprit_stall_results *x = r->results;
	uint32_t path[DEPTH_MAX] = {0};
	for (size_t i = 0; i < x->node_count; i++) {
		const struct culprit_stall_node *n = &x->nodes[i];
		path[n->depth] = n->type;
		if (!n->own)
			continue;
		fputs(x->accumulator, out);
		for (uint32_t d = 0; d <= n->depth; d++)
			print_frame(&x->types[path[d]], out);
		fprintf(out, " %" PRIu64 "\n", n->own);
	}
}
