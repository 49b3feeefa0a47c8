/* See the header: the edges of edges/emit.h, laid against recorded times. */
#include "analysis/check/check.h"

#include "analysis/check/values.h"
#include "analysis/edges/nodes.h"
#include "analysis/record_check.h"
#include "base/bits.h"
#include "base/map.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_EDGES = 40 /* into one node */ };
_Static_assert((int)CHECK_NODES == (int)EDGE_NODES && (int)CHECK_DISPATCH == (int)NODE_D, "the same nodes");

struct early_place {
	uint64_t pc, cycles[EDGE_NODES];
};

struct check {
	struct edge_history history;
	uint64_t (*times)[EDGE_NODES]; /* by number */
	uint64_t mask;
	uint64_t edges, contradicting;
	bool contradicts; /* the record that is being checked */
	struct check_row contradicted[EDGE_NODES][CULPRIT_CRITICAL_KINDS], early[EDGE_NODES];
	struct early_place *places;
	size_t place_count, place_room;
	struct map index;		     /* pc -> place + 1 */
	const struct culprit_record *record; /* being checked */
	uint64_t chances[CHECK_ABSENCES], told[CHECK_ABSENCES];
	struct check_values values;
	bool failed;
	char error[560];
};

static const char *const node_names[EDGE_NODES] = {"fetch", "dispatch", "issue", "complete", "wake-up", "commit"};

static const struct {
	enum edge_node node;
	enum culprit_critical_kind kind;
	const char *rule, *remedy;
} texts[] = {
#define CHECK(node, kind, rule, remedy) {NODE_##node, CULPRIT_CRITICAL_##kind, rule, remedy},
#include "analysis/check/kind.def"
};

static const char *const early_remedies[EDGE_NODES] = {
	"tell what fetch waited for: imiss and itlb, or MISPREDICTED, BTB_MISS or SERIALISING of the instruction in "
	"front with redirect",
	"give the machine the sizes of its queues and register files, and the records dest, queue and previous_holder",
	"name the producers; ready later than they allow says that it waited for memory order, issue later than ready "
	"that it waited for a slot",
	"let exec_latency, dmiss and dtlb add up to complete - issue",
	"let wakeup be the cycles until dependents may issue",
	"give the machine its commit.delay and its limits of commit",
};

const char *check_node_name(unsigned node)
{
	return node < EDGE_NODES ? node_names[node] : "?";
}

const char *check_rule(const struct check_row *row)
{
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		if (texts[i].node == row->node && texts[i].kind == row->kind)
			return texts[i].rule;
	return culprit_critical_kind_meaning(row->kind);
}

const char *check_remedy(const struct check_row *row)
{
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		if (texts[i].node == row->node && texts[i].kind == row->kind)
			return texts[i].remedy;
	return "";
}

const char *check_early_remedy(const struct check_row *row)
{
	return early_remedies[row->node];
}

/* --- what becomes of an edge --- */

struct found_edge {
	uint64_t distance, arrival;
	uint8_t from, kind;
	int64_t weight;
};

struct edge_sink {
	const struct edge_history *history;
	struct edge_parts *parts;
	enum edge_node node;
	struct check *check;
	struct found_edge edges[MOST_EDGES];
	uint32_t count;
};

static EDGES_INLINE bool edge_sink_removes(const struct edge_sink *b, unsigned kind)
{
	(void)b, (void)kind;
	return false;
}

static EDGES_INLINE uint64_t edge_sink_time(const struct edge_sink *b, uint64_t distance, enum edge_node node)
{
	return b->check->times[(b->history->count - distance) & b->check->mask][node];
}

/* A load that is forwarded to may issue before the store has its data, and waits for them as part of its latency; the
 * graph lets it issue later, and complete at the same time. Cycles by which the edge comes late (into E) or early
 * (execution) because of that. */
static EDGES_INLINE uint64_t ahead_of_store(const struct edge_sink *b, uint64_t distance, enum edge_node from)
{
	const struct culprit_record *r = b->check->record;
	bool waits = b->node == NODE_E && from == NODE_W && distance == b->parts->stores.data;
	bool executes = b->node == NODE_P && from == NODE_E && !distance;
	if (!(r->flags & CULPRIT_FORWARDED) || !(waits || executes))
		return 0;
	return record_ahead_of_store(&b->history->facts, b->history->count, r);
}

static EDGES_INLINE void edge_sink_edge(struct edge_sink *b, uint64_t distance, enum edge_node from, int64_t weight,
					enum culprit_critical_kind kind)
{
	uint64_t ahead = ahead_of_store(b, distance, from), arrival;
	/* a wait that no edge explains stays in every lane of the graph: here it is told */
	if (kind == CULPRIT_CRITICAL_schedule || (b->node == NODE_E && kind == CULPRIT_CRITICAL_win))
		weight -= b->parts->unexplained;
	arrival = edge_sink_time(b, distance, from) + (uint64_t)weight;
	arrival = b->node == NODE_E ? arrival - ahead : arrival + ahead;
	if (b->count < MOST_EDGES)
		b->edges[b->count++] = (struct found_edge){distance, arrival, (uint8_t)from, (uint8_t)kind, weight};
}

static void describe(const struct edge_sink *b, const struct found_edge *e, uint64_t add, struct check_row *row)
{
	const struct culprit_record *r = b->check->record;
	int n = snprintf(row->first, sizeof row->first,
			 "instruction %" PRIu64 " at 0x%" PRIx64 ": %s in cycle %" PRIu64 ", but %s of ", r->seq, r->pc,
			 node_names[b->node], edge_sink_time(b, 0, b->node), node_names[e->from]);
	if (e->distance)
		n += snprintf(row->first + n, sizeof row->first - (size_t)n, "instruction %" PRIu64,
			      r->seq - e->distance);
	else
		n += snprintf(row->first + n, sizeof row->first - (size_t)n, "the same");
	n += snprintf(row->first + n, sizeof row->first - (size_t)n, " is in cycle %" PRIu64,
		      e->arrival - (uint64_t)e->weight);
	if (e->weight + (int64_t)add > 0)
		snprintf(row->first + n, sizeof row->first - (size_t)n, ", and the graph asks for %" PRIu64 " more",
			 (uint64_t)e->weight + add);
}

static void count_row(struct check_row *row, const struct check *c, uint64_t cycles)
{
	row->count++;
	row->cycles += cycles;
	row->worst = cycles > row->worst ? cycles : row->worst;
	if (row->count > 1)
		return;
	row->first_seq = c->record->seq;
	row->first_pc = c->record->pc;
}

static struct early_place *place_of(struct check *c)
{
	uint32_t at = map_get(&c->index, c->record->pc);
	if (at)
		return &c->places[at - 1];
	if (c->place_count == c->place_room) {
		size_t room = c->place_room ? 2 * c->place_room : 256;
		struct early_place *grown = realloc(c->places, room * sizeof *grown);
		if (!grown)
			return NULL;
		c->places = grown;
		c->place_room = room;
	}
	if (!map_put(&c->index, c->record->pc, (uint32_t)c->place_count + 1))
		return NULL;
	c->places[c->place_count] = (struct early_place){.pc = c->record->pc};
	return &c->places[c->place_count++];
}

static void note_early(struct check *c, enum edge_node node, uint64_t allowed, uint64_t cycles)
{
	struct check_row *row = &c->early[node];
	struct early_place *place = place_of(c);
	count_row(row, c, cycles);
	if (place)
		place->cycles[node] += cycles;
	if (row->count == 1)
		snprintf(row->first, sizeof row->first,
			 "instruction %" PRIu64 " at 0x%" PRIx64 ": %s in cycle %" PRIu64
			 ", and all that the graph knows of allows %" PRIu64,
			 c->record->seq, c->record->pc, node_names[node], allowed + cycles, allowed);
}

static void edge_sink_settle(struct edge_sink *b, uint64_t add)
{
	struct check *c = b->check;
	uint64_t recorded = edge_sink_time(b, 0, b->node), latest = 0;
	for (uint32_t i = 0; i < b->count; i++) {
		const struct found_edge *e = &b->edges[i];
		uint64_t arrival = e->arrival + add;
		latest = arrival > latest ? arrival : latest;
		if (arrival <= recorded)
			continue;
		struct check_row *row = &c->contradicted[b->node][e->kind];
		count_row(row, c, arrival - recorded);
		c->contradicts = true;
		if (row->count == 1)
			describe(b, e, add, row);
	}
	if (b->count && c->history.count && latest < recorded)
		note_early(c, b->node, latest, recorded - latest);
	c->edges += b->count;
	b->count = 0;
}

#include "analysis/edges/emit.h"

/* --- records --- */

struct check *check_create(const struct culprit_graph_params *params, struct error *err)
{
	struct check *c = calloc(1, sizeof *c);
	uint64_t reach = weights_reach(params, params->rob);
	const uint32_t sizes[] = {starts_records(params), 256};
	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
		reach = sizes[i] > reach ? sizes[i] : reach;
	if (c) {
		c->mask = power_of_two_from(reach + 1) - 1;
		c->times = calloc(c->mask + 1, sizeof *c->times);
	}
	if (c && c->times && edge_history_create(&c->history, params) && check_values_create(&c->values, &c->history))
		return c;
	check_destroy(c);
	error_set(err, ERROR_SYSTEM, "out of memory");
	return NULL;
}

void check_destroy(struct check *c)
{
	if (!c)
		return;
	edge_history_destroy(&c->history);
	check_values_destroy(&c->values);
	free(c->times);
	free(c->places);
	map_destroy(&c->index);
	free(c);
}

static void note_absences(struct check *c, const struct culprit_record *r)
{
#define ABSENT(field, chance, tells, words)                \
	c->chances[CHECK_ABSENT_##field] += (chance) != 0; \
	c->told[CHECK_ABSENT_##field] += (tells) != 0;
#include "analysis/check/absent.def"
}

static bool push_one(struct check *c, const struct culprit_record *r)
{
	struct error err;
	const struct edge_history *h = &c->history;
	const struct record_front front = {h->count, h->last.seq, h->last.fetch, h->last.commit};
	if (!record_check(r, &front, &err)) {
		snprintf(c->error, sizeof c->error, "record %" PRIu64 ": %s", h->count, err.text);
		c->failed = true;
		return false;
	}
	const char *why;
	if (!edge_history_weigh(&c->history, r, &why)) {
		snprintf(c->error, sizeof c->error, "record %" PRIu64 ": %s", h->count, why);
		c->failed = true;
		return false;
	}
	note_absences(c, r);
	check_values_note(&c->values, r);
	uint64_t wake = r->issue + r->wakeup;
	const uint64_t times[EDGE_NODES] = {
		r->fetch, r->dispatch, r->issue, r->complete, wake > r->complete ? wake : r->complete, r->commit};
	memcpy(c->times[h->count & c->mask], times, sizeof times);
	struct edge_parts parts = {0};
	struct edge_sink sink; /* field by field: its edges need no clearing */
	sink.history = h;
	sink.parts = &parts;
	sink.node = NODE_F;
	sink.check = c;
	sink.count = 0;
	c->record = r;
	c->contradicts = false;
	edges_emit(&sink, r);
	c->contradicting += c->contradicts;
	const struct edge_stay stay = edges_stay(&sink, r);
	edge_history_note(&c->history, r, &stay);
	return true;
}

bool check_push(struct check *c, const struct culprit_record *records, size_t count)
{
	for (size_t i = 0; i < count && !c->failed; i++)
		push_one(c, &records[i]);
	return !c->failed;
}

const char *check_error(const struct check *c)
{
	return c->error;
}

/* --- results --- */

uint64_t check_instructions(const struct check *c)
{
	return c->history.count;
}

uint64_t check_edges(const struct check *c)
{
	return c->edges;
}

uint64_t check_contradicting(const struct check *c)
{
	return c->contradicting;
}

static bool before(const struct check_row *a, const struct check_row *b)
{
	return a->cycles != b->cycles ? a->cycles > b->cycles
	       : a->node != b->node   ? a->node < b->node
				      : a->kind < b->kind;
}

/* Row number `index` of those that count something. */
static bool pick(const struct check_row *rows, size_t count, size_t index, struct check_row *row)
{
	for (size_t i = 0; i < count; i++) {
		size_t ahead = 0;
		for (size_t j = 0; rows[i].count && j < count; j++)
			ahead += rows[j].count && before(&rows[j], &rows[i]);
		if (rows[i].count && ahead == index) {
			*row = rows[i];
			return true;
		}
	}
	return false;
}

bool check_contradicted(struct check *c, size_t index, struct check_row *row)
{
	for (unsigned node = 0; node < EDGE_NODES; node++)
		for (unsigned kind = 0; kind < CULPRIT_CRITICAL_KINDS; kind++) {
			c->contradicted[node][kind].node = (uint8_t)node;
			c->contradicted[node][kind].kind = (uint8_t)kind;
		}
	return pick(c->contradicted[0], sizeof c->contradicted / sizeof **c->contradicted, index, row);
}

bool check_absent(const struct check *c, culprit_field_set unknown, size_t index, struct check_absent *absent)
{
	static const struct check_absent rows[CHECK_ABSENCES] = {
#define ABSENT(field, chance, told, words) {CULPRIT_FIELD_##field, words, 0},
#include "analysis/check/absent.def"
	};
	for (unsigned i = 0; i < CHECK_ABSENCES; i++) {
		const bool excused = unknown & 1u << rows[i].field;
		if (excused || c->told[i] || c->chances[i] < CHECK_CHANCES || index--)
			continue;
		*absent = rows[i];
		absent->chances = c->chances[i];
		return true;
	}
	return false;
}

bool check_value(const struct check *c, culprit_field_set unknown, size_t index, struct check_value *value)
{
	return check_values_broken(&c->values, unknown, index, value);
}

bool check_early(struct check *c, size_t index, struct check_row *row)
{
	for (unsigned node = 0; node < EDGE_NODES; node++)
		c->early[node].node = (uint8_t)node;
	if (!pick(c->early, EDGE_NODES, index, row))
		return false;
	for (size_t i = 0; i < c->place_count; i++)
		if (c->places[i].cycles[row->node] > row->worst_cycles) {
			row->worst_cycles = c->places[i].cycles[row->node];
			row->worst_pc = c->places[i].pc;
		}
	return true;
}
