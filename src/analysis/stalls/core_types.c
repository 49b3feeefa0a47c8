/* The core's stall sets: the table's, with one type for each operation class where it says so, and the machine's units
 * and issue queues. */
#include "analysis/stalls/core.h"
#include "analysis/stalls/core_state.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum kind {
	LEAF = CULPRIT_STALL_LEAF,
	FLUSH = CULPRIT_STALL_LEAF | CULPRIT_STALL_FLUSH,
	PATH = 0,
	INFO = CULPRIT_STALL_INFORMATIONAL,
};

struct row {
	const char *set;
	struct culprit_stall_type type;
	bool per_op;
	uint8_t class; /* enum stall_class */
};

static const struct row rows[] = {
#define STALL(set, name, kind, class, label, meaning) {#set, {#name, label, meaning, kind}, false, STALL_CLASS_##class},
#define STALL_OP(set, name, kind, class, label, meaning) \
	{#set, {#name, label, meaning, kind}, true, STALL_CLASS_##class},
#include "analysis/stalls/core.def"
};
enum { ROWS = sizeof rows / sizeof rows[0] };

static const char *const op_names[] = {
#define OP_CLASS(name, label, event, part) #name,
#include "culprit/op_class.def"
};
static const char *const op_labels[] = {
#define OP_CLASS(name, label, event, part) label,
#include "culprit/op_class.def"
};

/* The machine's own rows: for each unit and each queue two. */
static const struct culprit_stall_type unit_rows[2] = {
	{"taken_", "unit taken: ", "older instructions of this cycle took all of the unit ", LEAF},
	{"busy_", "unit busy: ", "a long operation holds the unit ", LEAF},
};
static const struct culprit_stall_type queue_rows[2] = {
	{"full_", "issue queue full: ", "dispatch blocked: no entry of the issue queue ", PATH},
	{"width_", "issue queue's width: ", "older instructions took all that may issue in a cycle from the queue ",
	 LEAF},
};

struct writer {
	struct stalls_core *s;
	uint32_t types, texts;
};

static const char *text(struct writer *w, const char *first, const char *second)
{
	char *to = w->s->texts[w->texts++];
	snprintf(to, STALLS_TEXT, "%s%s", first, second);
	return to;
}

static void add_type(struct writer *w, struct culprit_stall_type type, uint8_t class)
{
	w->s->classes[w->types] = class;
	w->s->types[w->types++] = type;
}

static void add_named(struct writer *w, const struct culprit_stall_type *t, uint8_t class, const char *name,
		      const char *label)
{
	add_type(w,
		 (struct culprit_stall_type){text(w, t->name, name), text(w, t->label, label),
					     text(w, t->meaning, label), t->flags},
		 class);
}

static uint8_t class_of_op(const struct writer *w, const struct row *row, unsigned op)
{
	return row->class == STALL_CLASS_by_op ? culprit_execution_class((uint8_t)op, w->s->params.latency[op])
					       : row->class;
}

static void add_row(struct writer *w, const struct row *row)
{
	if (!row->per_op) {
		add_type(w, row->type, row->class);
		return;
	}
	struct culprit_stall_type t = row->type;
	char name[STALLS_NAME];
	snprintf(name, sizeof name, "%s_", t.name);
	t.name = name;
	for (unsigned op = 0; op < CULPRIT_OP_COUNT; op++)
		add_named(w, &t, class_of_op(w, row, op), op_names[op], op_labels[op]);
}

static uint32_t add_set(struct stalls_core *s, uint32_t *sets, const char *name, uint32_t first, uint32_t end)
{
	struct culprit_stall_set *set = &s->sets[(*sets)++];
	*set = (struct culprit_stall_set){name, s->types + first, end - first};
	return culprit_stalls_add_set(s->engine, set);
}

static bool allocate(struct stalls_core *s)
{
	const struct stalls_core_params *p = &s->params;
	size_t machine = 2 * ((size_t)p->unit_count + p->queue_count), most = ROWS * CULPRIT_OP_COUNT + machine;
	s->types = malloc(most * sizeof *s->types);
	s->sets = malloc((ROWS + 2) * sizeof *s->sets);
	s->texts = malloc(3 * most * sizeof *s->texts);
	s->classes = malloc(most);
	return s->types && s->sets && s->texts && s->classes;
}

bool stalls_core_types(struct stalls_core *s)
{
	if (!allocate(s))
		return false;
	const struct stalls_core_params *p = &s->params;
	struct writer w = {s, 0, 0};
	uint32_t first = 0, sets = 0;
	bool ok = true;
	for (unsigned i = 0; i < ROWS; i++) {
		add_row(&w, &rows[i]);
		if (i + 1 < ROWS && !strcmp(rows[i].set, rows[i + 1].set))
			continue;
		ok = ok && add_set(s, &sets, rows[i].set, first, w.types);
		first = w.types;
	}
	for (uint32_t i = 0; i < 2 * p->unit_count; i++)
		add_named(&w, &unit_rows[i % 2], STALL_CLASS_bw, p->units[i / 2], p->units[i / 2]);
	s->unit_ids = add_set(s, &sets, "units", first, w.types);
	first = w.types;
	for (uint32_t i = 0; i < 2 * p->queue_count; i++)
		add_named(&w, &queue_rows[i % 2], i % 2 ? STALL_CLASS_bw : STALL_CLASS_none, p->queues[i / 2],
			  p->queues[i / 2]);
	s->queue_ids = add_set(s, &sets, "queues", first, w.types);
	return ok && s->unit_ids && s->queue_ids;
}

enum culprit_event_class stalls_core_class(const struct stalls_core *s, uint32_t type)
{
	return type < CULPRIT_STALL_OWN_TYPES ? CULPRIT_EVENT_COUNT
					      : (enum culprit_event_class)s->classes[type - CULPRIT_STALL_OWN_TYPES];
}
