/* The analyses of the library by name: one row and one file each. */
#ifndef CULPRIT_LIBRARY_ANALYSIS_H
#define CULPRIT_LIBRARY_ANALYSIS_H

#include "base/error.h"
#include "culprit/library.h"
#include "machine/machine.h"

#include <jansson.h>

/* What a finished run amounts to. */
struct library_totals {
	uint64_t cycles, instructions;
	culprit_field_set unknown;
};

struct library_analysis {
	const char *name;
	size_t size; /* of its state, all zero at first; `destroy` takes it in any case */
	/* `graph`: the machine's, as the records' source can feed it. */
	bool (*create)(void *self, const struct machine *m, const struct culprit_graph_params *graph,
		       struct error *err);
	bool (*push)(void *self, const struct culprit_record *records, size_t count, struct error *err);
	void (*log)(void *self, const struct culprit_log_part *part); /* or NULL */
	bool (*finish)(void *self, const struct library_totals *totals, struct error *err);
	json_t *(*json)(void *self);
	void (*destroy)(void *self);
};

#define LIBRARY_ANALYSIS(name) extern const struct library_analysis library_##name;
#include "library/analyses.def"

struct culprit_machine {
	struct machine machine;
};

const struct culprit_graph_results *library_graph_results(const void *self);
/* May a source leave these fields out? */
bool library_check_unknown(culprit_field_set unknown, struct error *err);
/* What finish takes as the simulation's cycles, for the commit of the last of `records`: 0 becomes the least that may
 * be. */
bool library_cycles(uint64_t *cycles, uint64_t records, uint64_t last_commit, struct error *err);
/* Copies; false. */
bool library_fail(struct culprit_error *to, const struct error *err);

#endif
