/* Names shared by records, observers and every analysis: operation classes, event classes, branch kinds,
 * levels of the memory hierarchy. Generated from the .def tables, so that one fact has one row.
 *
 * Numbers never change: rows are added at a table's end, and a name that goes leaves its number unused.
 * tests/library/numbers holds them. */
#ifndef CULPRIT_TYPES_H
#define CULPRIT_TYPES_H

#include "culprit/version.h"

#include <stdbool.h>
#include <stdint.h>

CULPRIT_C_BEGIN

enum culprit_op_class {
#define OP_CLASS(name, label, event, part) CULPRIT_OP_##name,
#include "culprit/op_class.def"
	CULPRIT_OP_COUNT
};

enum culprit_event_class {
#define EVENT_CLASS(name, base, what) CULPRIT_EVENT_##name,
#include "culprit/event_class.def"
	CULPRIT_EVENT_COUNT
};

/* The base class that an operation's time in its unit belongs to: op_class.def. */
static inline enum culprit_event_class culprit_execution_class(uint8_t op_class, uint32_t latency)
{
	enum { by_latency = CULPRIT_EVENT_COUNT, dl1 = CULPRIT_EVENT_dl1, lgalu = CULPRIT_EVENT_lgalu };
	static const uint8_t event[][2] = {
	/* latency at most 1, more */
#define OP_CLASS(name, label, event_, part)                                      \
	{(int)(event_) == by_latency ? (int)CULPRIT_EVENT_shalu : (int)(event_), \
	 (int)(event_) == by_latency ? (int)CULPRIT_EVENT_lgalu : (int)(event_)},
#include "culprit/op_class.def"
	};
	return (enum culprit_event_class)event[op_class][latency > 1];
}

/* The finer class of the same, where that is lgalu; else the base class. */
static inline enum culprit_event_class culprit_execution_part(uint8_t op_class, uint32_t latency)
{
	static const uint8_t part_of[] = {
#define OP_CLASS(name, label, event, part) CULPRIT_EVENT_##part,
#include "culprit/op_class.def"
	};
	enum culprit_event_class event = culprit_execution_class(op_class, latency);
	return event == CULPRIT_EVENT_lgalu ? (enum culprit_event_class)part_of[op_class] : event;
}

enum { CULPRIT_BASE_EVENTS = 8 }; /* the first eight rows are Fields' base classes */

/* A set of event classes: bit n = row n of event_class.def. */
typedef uint32_t culprit_event_set;
#define CULPRIT_EVENT_BIT(name) (1u << CULPRIT_EVENT_##name)

/* "dl1" and the like, as in the tables; "?" beyond. */
const char *culprit_event_name(enum culprit_event_class event);
const char *culprit_event_what(enum culprit_event_class event);
const char *culprit_op_name(enum culprit_op_class op);

enum culprit_branch {
	CULPRIT_BRANCH_NONE = 0,
	CULPRIT_BRANCH_CONDITIONAL = 1,
	CULPRIT_BRANCH_JUMP = 2,	  /* direct, unconditional, no link */
	CULPRIT_BRANCH_CALL = 3,	  /* direct, links */
	CULPRIT_BRANCH_INDIRECT_JUMP = 4, /* register target, no link */
	CULPRIT_BRANCH_INDIRECT_CALL = 5, /* register target, links */
	CULPRIT_BRANCH_RETURN = 6,	  /* register target by the ABI's return convention */
	CULPRIT_BRANCH_COUNT
};

/* Where an access found its line (or translation). */
enum culprit_level {
	CULPRIT_LEVEL_NONE = 0, /* no access, or forwarded from a store */
	CULPRIT_LEVEL_L1 = 1,
	CULPRIT_LEVEL_L2 = 2,
	CULPRIT_LEVEL_L3 = 3,
	CULPRIT_LEVEL_MEMORY = 4, /* for a TLB: page walk */
	CULPRIT_LEVEL_COUNT
};

CULPRIT_C_END

#endif
