/* Names for the numbers in a record, and for its flags: record_names.def. */
#ifndef CULPRIT_REPORT_RECORD_NAMES_H
#define CULPRIT_REPORT_RECORD_NAMES_H

#include "culprit/record.h"

enum record_name_set {
	RECORD_NAMES_op_class,
	RECORD_NAMES_branch,
	RECORD_NAMES_level,
	RECORD_NAMES_tlb_level,
	RECORD_NAMES_window,
	RECORD_NAMES_predictor,
	RECORD_NAMES_contended,
	RECORD_NAMES_commit_stop,
	RECORD_NAME_SETS
};

/* More than any of these numbers. */
enum { RECORD_NAMES_MOST = 32 };

/* NULL: none, or there is no such number. */
const char *record_name(enum record_name_set set, unsigned number);

struct record_flag_name {
	const char *name; /* "taken" */
	const char *told; /* its word in field.def, "TAKEN"; or "own" */
	uint16_t bit;
};
/* In the order of their bits; false past the end. */
bool record_flag_name(unsigned index, struct record_flag_name *flag);

#endif
