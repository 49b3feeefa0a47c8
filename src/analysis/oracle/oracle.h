/* The oracle of per-instruction profiles: every cycle goes to the instruction, or in equal parts to the
 * instructions, that commit exposed in it, by the four cases of case.def. Cycles are kept for each static
 * instruction and, apart, for each set of events that its executions met (event.def). Nothing is sampled; the sums
 * are exact.
 *
 * A cycle in which instructions commit is divided by the slots of commit that they take (record.h): one that takes two
 * has two parts, one that takes none has a part only if no other takes any.
 *
 * A cycle has ORACLE_PARTS parts, a multiple of every number up to 16. Where more slots are taken in a cycle,
 * or a number that does not divide it, the first of them have one part more than the others.
 *
 * The cycles of insn_cycles.h are coarser by choice: a cycle with commits is the first instruction's, and one
 * after a flush is the next one's. Both ask commit_stack.h what emptied the window. */
#ifndef CULPRIT_ANALYSIS_ORACLE_ORACLE_H
#define CULPRIT_ANALYSIS_ORACLE_ORACLE_H

#include "base/error.h"
#include "base/map.h"
#include "culprit/record.h"

#define ORACLE_PARTS 720720u

enum oracle_case {
#define ORACLE_CASE(name, meaning) ORACLE_##name,
#include "analysis/oracle/case.def"
	ORACLE_CASES
};
const char *oracle_case_name(enum oracle_case which);
const char *oracle_case_meaning(enum oracle_case which);

enum oracle_event {
#define ORACLE_EVENT(name, tea, meaning) ORACLE_EVENT_##name,
#include "analysis/oracle/event.def"
	ORACLE_EVENTS
};
const char *oracle_event_name(enum oracle_event event);
const char *oracle_event_tea(enum oracle_event event); /* what TEA calls it */
const char *oracle_event_meaning(enum oracle_event event);

/* One instruction with one set of events. */
struct oracle_row {
	uint64_t pc;
	uint64_t executions;
	uint64_t parts[ORACLE_CASES]; /* 1/ORACLE_PARTS of a cycle */
	uint16_t events;	      /* 1 << enum oracle_event */
	bool entry;		      /* was the target of a call: starts a function */
	bool leader;		      /* came behind a branch: starts a basic block */
};

/* Told of every cycle, in order: those in which commit waited, and those with commits. */
struct oracle_listener {
	void *context;
	/* Cycles [from, to) are row `row`'s; `next`: the row that commits next. */
	void (*waited)(void *context, uint32_t row, uint32_t next, uint64_t from, uint64_t to);
	void (*committed)(void *context, uint64_t cycle, const uint32_t *rows, size_t count); /* a row for each slot */
};

struct oracle {
	struct oracle_row *rows; /* in the order of their first execution */
	size_t count, room;
	struct map places;   /* pc and events -> row + 1 */
	uint64_t next_cycle; /* the first that belongs to nobody yet */
	uint32_t *group;     /* rows that commit in the cycle before it, each as often as it takes slots */
	size_t group_count, group_room;
	bool group_without_slots; /* none of them takes any: each is there once */
	uint32_t previous;	  /* row of the instruction before */
	uint16_t previous_flags;  /* of it */
	uint8_t previous_branch;  /* enum culprit_branch: of it */
	bool out_of_memory;
	const struct oracle_listener *listener; /* or NULL */
};

/* All zero is an oracle that has seen nothing. */
void oracle_destroy(struct oracle *o);
/* The row of this execution, for its pc and events; UINT32_MAX: no memory. */
uint32_t oracle_row_of(struct oracle *o, const struct culprit_record *r);
void oracle_push(struct oracle *o, const struct culprit_record *records, size_t count);
/* Nothing will follow. False: memory ran out, now or before. Sorts the rows by pc and events, unless there is a
 * listener, who has their numbers. */
bool oracle_finish(struct oracle *o, struct error *err);
/* Cycles of the run after the last commit: nobody's. */
uint64_t oracle_end(const struct oracle *o, uint64_t cycles);

uint16_t oracle_events(const struct culprit_record *r);

static inline uint64_t oracle_parts(const struct oracle_row *row)
{
	uint64_t parts = 0;
	for (unsigned i = 0; i < ORACLE_CASES; i++)
		parts += row->parts[i];
	return parts;
}

/* The part that slot `i` of `count` has of the cycle in which they are taken. */
static inline uint64_t oracle_share(size_t i, size_t count)
{
	return ORACLE_PARTS / count + (i < ORACLE_PARTS % count);
}

#endif
