/* Do records fit the dependence graph? Each edge says that one recorded time cannot come before another. Contradicted
 * edges are counted by kind; and where an instruction moved later than all its edges ask for, the graph runs ahead of
 * the record: a wait that it has no edge for. Both are told of recorded times only, instruction by instruction, so that
 * no error hides another. */
#ifndef CULPRIT_ANALYSIS_CHECK_CHECK_H
#define CULPRIT_ANALYSIS_CHECK_CHECK_H

#include "analysis/check/values.h"
#include "base/error.h"
#include "culprit/critical.h"
#include "culprit/field.h"

enum { CHECK_NODES = 6, CHECK_DISPATCH = 1, CHECK_TEXT = 320 };

/* Edges into one node of one kind, or (`early`) waits in front of one node that no edge explains. */
struct check_row {
	uint8_t node, kind;
	uint64_t count;	 /* of instructions */
	uint64_t cycles; /* over all of them */
	uint64_t worst;
	uint64_t first_seq, first_pc;
	char first[CHECK_TEXT]; /* the first one in words */
	uint64_t worst_pc;	/* of `early`: the instruction that the most of these cycles belong to */
	uint64_t worst_cycles;
};

/* What no record told, of CHECK_CHANCES or more that could have (absent.def). */
enum check_absence {
#define ABSENT(field, chance, told, words) CHECK_ABSENT_##field,
#include "analysis/check/absent.def"
	CHECK_ABSENCES
};
enum { CHECK_CHANCES = 1000 };

struct check_absent {
	unsigned field; /* of culprit/field.h */
	const char *words;
	uint64_t chances;
};

struct check;
struct check *check_create(const struct culprit_graph_params *params, struct error *err);
void check_destroy(struct check *c);
/* False: a record contradicts itself; check_error says which and how. */
bool check_push(struct check *c, const struct culprit_record *records, size_t count);
const char *check_error(const struct check *c);

uint64_t check_instructions(const struct check *c);
uint64_t check_edges(const struct check *c);	     /* looked at */
uint64_t check_contradicting(const struct check *c); /* instructions with an edge that their times contradict */
/* Rows by cycles, the largest first. False past the end. Valid once all is pushed. */
bool check_contradicted(struct check *c, size_t index, struct check_row *row);
bool check_early(struct check *c, size_t index, struct check_row *row);

/* Number `index` of those that `unknown` does not excuse. False past the end. */
bool check_absent(const struct check *c, culprit_field_set unknown, size_t index, struct check_absent *absent);

/* Number `index` of the rules that are broken and ask for no field of `unknown`. False past the end. */
bool check_value(const struct check *c, culprit_field_set unknown, size_t index, struct check_value *value);

const char *check_node_name(unsigned node); /* "fetch", "dispatch", ... */
/* What the graph has, and what to fill differently; "" = nothing is known. */
const char *check_rule(const struct check_row *row);
const char *check_remedy(const struct check_row *row);
/* What to fill so that the graph waits, too. */
const char *check_early_remedy(const struct check_row *row);

#endif
