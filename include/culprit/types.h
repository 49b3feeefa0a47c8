/* Names shared by records, observers and every analysis: operation classes, event classes, branch kinds,
 * levels of the memory hierarchy. Generated from the .def tables, so that one fact has one row. */
#ifndef CULPRIT_TYPES_H
#define CULPRIT_TYPES_H

#include <stdbool.h>
#include <stdint.h>

enum culprit_op_class {
#define OP_CLASS(name, label, event) CULPRIT_OP_##name,
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
#define OP_CLASS(name, label, event_) \
	{event_ == by_latency ? CULPRIT_EVENT_shalu : (event_), event_ == by_latency ? CULPRIT_EVENT_lgalu : (event_)},
#include "culprit/op_class.def"
	};
	return (enum culprit_event_class)event[op_class][latency > 1];
}

enum { CULPRIT_BASE_EVENTS = 8 }; /* the first eight rows are Fields' base classes */

/* A set of event classes: bit n = row n of event_class.def. */
typedef uint32_t culprit_event_set;
#define CULPRIT_EVENT_BIT(name) (1u << CULPRIT_EVENT_##name)

enum culprit_branch {
	CULPRIT_BRANCH_NONE = 0,
	CULPRIT_BRANCH_CONDITIONAL,
	CULPRIT_BRANCH_JUMP,	      /* direct, unconditional, no link */
	CULPRIT_BRANCH_CALL,	      /* direct, links */
	CULPRIT_BRANCH_INDIRECT_JUMP, /* register target, no link */
	CULPRIT_BRANCH_INDIRECT_CALL, /* register target, links */
	CULPRIT_BRANCH_RETURN,	      /* register target by the ABI's return convention */
	CULPRIT_BRANCH_COUNT
};

/* Where an access found its line (or translation). */
enum culprit_level {
	CULPRIT_LEVEL_NONE = 0, /* no access, or forwarded from a store */
	CULPRIT_LEVEL_L1,
	CULPRIT_LEVEL_L2,
	CULPRIT_LEVEL_L3,
	CULPRIT_LEVEL_MEMORY, /* for a TLB: page walk */
	CULPRIT_LEVEL_COUNT
};

#endif
