/* See the header. */
#include "analysis/check/values.h"

#include <stdlib.h>
#include <string.h>

enum { CYCLES = 4096, LEAST = 10 /* broken, before anything is said */ };

bool check_values_create(struct check_values *v, const struct edge_history *history)
{
	*v = (struct check_values){.history = history, .slots = calloc(CYCLES, sizeof *v->slots)};
	return v->slots != NULL;
}

void check_values_destroy(struct check_values *v)
{
	free(v->slots);
}

/* --- issue slots --- */

static void advance(struct check_values *v, uint64_t dispatch)
{
	if (dispatch <= v->dispatch)
		return;
	if (dispatch - v->dispatch >= CYCLES)
		memset(v->slots, 0, CYCLES * sizeof *v->slots);
	else
		for (; v->dispatch < dispatch; v->dispatch++)
			v->slots[v->dispatch % CYCLES] = 0;
	v->dispatch = dispatch;
}

/* The first slot is of the cycle in which it issues; the others of that one or later ones. */
static bool take_slots(struct check_values *v, const struct culprit_record *r)
{
	const uint32_t width = v->history->params.issue_width;
	const uint64_t end = v->dispatch + CYCLES;
	uint32_t left = culprit_weight(r->issue_slots);
	if (!width || !left || r->issue < v->dispatch || r->issue >= end)
		return true;
	if (v->slots[r->issue % CYCLES] >= width)
		return false;
	for (uint64_t cycle = r->issue; left && cycle < end; cycle++)
		for (; left && v->slots[cycle % CYCLES] < width; left--)
			v->slots[cycle % CYCLES]++;
	return true;
}

/* --- what the rules ask --- */

static bool value_names_store(const struct check_values *v, uint64_t distance)
{
	const struct record_facts *f = &v->history->facts;
	return distance > f->mask || (record_fact(f, v->history->count, distance)->flags & CULPRIT_STORE);
}

static bool value_store_in_flight(const struct check_values *v, const struct culprit_record *r)
{
	const struct record_facts *f = &v->history->facts;
	const struct record_stores stores = record_load_stores(f, v->history->count, r);
	const uint64_t distance = stores.data ? stores.data : stores.leaves;
	return distance && record_fact(f, v->history->count, distance)->commit > r->issue;
}

/* Nothing that it tells of explains when it was ready, and an older store was done just then. */
static bool value_waited_for_store(const struct check_values *v, const struct culprit_record *r)
{
	const struct edge_history *h = v->history;
	const struct record_stores stores = record_load_stores(&h->facts, h->count, r);
	return r->ready == h->store_complete &&
	       record_unexplained(&h->facts, &h->params, h->count, r, h->last.commit, stores.leaves);
}

static uint32_t value_queued(const struct culprit_record *r)
{
	const uint32_t queued = (uint32_t)r->mshr_wait + r->bandwidth_wait;
	return queued < r->dmiss ? queued : r->dmiss;
}

/* A line of its own, that nobody else has asked for. */
static bool value_missed(const struct culprit_graph_params *p, const struct culprit_record *r)
{
	const bool load = (r->flags & (CULPRIT_LOAD | CULPRIT_STORE)) == CULPRIT_LOAD;
	return load && r->dmiss && r->dlevel >= CULPRIT_LEVEL_L2 && r->dlevel < CULPRIT_LEVEL_COUNT &&
	       p->miss_cycles[r->dlevel] && !(r->flags & (CULPRIT_MERGED | CULPRIT_PREFETCHED));
}

static bool value_hit(const struct culprit_graph_params *p, const struct culprit_record *r)
{
	const bool load = (r->flags & (CULPRIT_LOAD | CULPRIT_STORE)) == CULPRIT_LOAD;
	return load && p->load_hit && p->miss_cycles[CULPRIT_LEVEL_L2] && !r->dmiss && !r->dtlb && !r->mem_producer &&
	       !(r->flags & (CULPRIT_FORWARDED | CULPRIT_AT_HEAD));
}

void check_values_note(struct check_values *v, const struct culprit_record *r)
{
	const struct culprit_graph_params *p = &v->history->params;
	advance(v, r->dispatch);
	v->had_slot = take_slots(v, r);
#define VALUE(name, fields, of_it, does_not_fit, share, rule, remedy)      \
	if (of_it) {                                                       \
		v->asked[CHECK_VALUE_##name]++;                            \
		if (does_not_fit) {                                        \
			if (!v->broken[CHECK_VALUE_##name]++) {            \
				v->first_seq[CHECK_VALUE_##name] = r->seq; \
				v->first_pc[CHECK_VALUE_##name] = r->pc;   \
			}                                                  \
		}                                                          \
	}
#include "analysis/check/value.def"
}

/* --- results --- */

static const struct {
	const char *name, *rule, *remedy;
	culprit_field_set fields;
	uint64_t share;
} rows[CHECK_VALUES] = {
#define VALUE(name, fields, asked, broken, share, rule, remedy) {#name, rule, remedy, fields, share},
#include "analysis/check/value.def"
};

bool check_values_broken(const struct check_values *v, culprit_field_set unknown, size_t index,
			 struct check_value *value)
{
	for (unsigned i = 0; i < CHECK_VALUES; i++) {
		const bool few = v->broken[i] < LEAST || v->broken[i] * 1000 <= v->asked[i] * rows[i].share;
		if ((unknown & rows[i].fields) || few || index--)
			continue;
		*value = (struct check_value){rows[i].name, rows[i].rule,    rows[i].remedy, v->broken[i],
					      v->asked[i],  v->first_seq[i], v->first_pc[i]};
		return true;
	}
	return false;
}
