/* Values that contradict no time, but the machine or one another: value.def. Some rules only hold on the whole, and so
 * have a share that may break them. */
#ifndef CULPRIT_ANALYSIS_CHECK_VALUES_H
#define CULPRIT_ANALYSIS_CHECK_VALUES_H

#include "analysis/edges/history.h"
#include "culprit/field.h"

/* What does not fit the machine, or what other records tell (value.def). */
enum check_value_rule {
#define VALUE(name, fields, asked, broken, share, rule, remedy) CHECK_VALUE_##name,
#include "analysis/check/value.def"
	CHECK_VALUES
};

struct check_value {
	const char *name, *rule, *remedy;
	uint64_t count, asked; /* of instructions */
	uint64_t first_seq, first_pc;
};

struct check_values {
	const struct edge_history *history;
	uint16_t *slots;   /* taken in each of the last cycles, a ring */
	uint64_t dispatch; /* of the youngest record: nothing issues before */
	bool had_slot;	   /* the current record, in its cycle */
	uint64_t asked[CHECK_VALUES], broken[CHECK_VALUES], first_seq[CHECK_VALUES], first_pc[CHECK_VALUES];
};

/* False: out of memory. In any case: destroy. */
bool check_values_create(struct check_values *v, const struct edge_history *history);
void check_values_destroy(struct check_values *v);
/* Before the history knows the record. */
void check_values_note(struct check_values *v, const struct culprit_record *r);
bool check_values_broken(const struct check_values *v, culprit_field_set unknown, size_t index,
			 struct check_value *value);

#endif
