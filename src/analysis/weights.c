/* See the header. */
#include "analysis/weights.h"

#include "base/bits.h"

#include <stdlib.h>

bool weights_create(struct weights *w, uint64_t reach)
{
	uint64_t records = power_of_two_from(reach + 2);
	w->mask = records - 1;
	w->of = malloc(records * sizeof *w->of);
	if (w->of)
		memset(w->of, 1, records * sizeof *w->of);
	return w->of != NULL;
}

void weights_destroy(struct weights *w)
{
	free(w->of);
	w->of = NULL;
}

struct weight_span weight_span_begin(uint64_t room, enum weight_kind kind, uint64_t count)
{
	uint64_t held = count < room ? count : room;
	return (struct weight_span){.room = room, .held = held, .first = room ? count - held : 0, .kind = kind};
}

const char *weights_wrong(const struct culprit_graph_params *p, const struct culprit_record *r)
{
	if (culprit_weight(r->rob_entries) > p->rob - p->released)
		return "takes more ROB entries than the machine has";
	if (p->dispatch_width && culprit_weight(r->dispatch_slots) > p->dispatch_width)
		return "takes more dispatch slots than a cycle has";
	if (p->commit_width && culprit_weight(r->commit_slots) > p->commit_width)
		return "takes more commit slots than a cycle has";
	return NULL;
}
