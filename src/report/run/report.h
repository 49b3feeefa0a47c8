/* The report of `culprit run`: one struct that the command fills, printed as text or as JSON. */
#ifndef CULPRIT_REPORT_RUN_REPORT_H
#define CULPRIT_REPORT_RUN_REPORT_H

#include "base/error.h"
#include "report/killed.h"

#include <jansson.h>
#include <stdint.h>
#include <stdio.h>

enum { REPORT_ROWS_MAX = 64, REPORT_FUNCTIONS_MAX = 10 };

struct report_stack_row {
	const char *name;
	const char *meaning;
	uint64_t cycles;
};

struct report_rate_row {
	const char *name;  /* JSON key and label */
	uint64_t accesses; /* right path */
	uint64_t misses;
	uint64_t wrong_path_misses;
	bool has_accesses;
};

struct report_function_row {
	char name[200];
	char object[100];
	uint64_t cycles;
	uint64_t instructions;
};

struct run_report {
	const char *version;
	const char *machine;
	const char *program;
	bool functional; /* no timing: only instructions, seconds */
	const char *cut; /* why the run is not whole ("interrupted"); NULL = it is */
	char *warnings;	 /* whole lines about what analyses found; NULL = none */
	uint64_t skipped, warmed;
	uint64_t instructions;
	uint64_t cycles;
	double host_seconds;
	int exit_status; /* the guest's; -1 while it has not ended */
	struct report_killed killed;

	bool has_stack;
	uint32_t stack_count;
	struct report_stack_row stack[REPORT_ROWS_MAX];

	uint32_t cache_count;
	struct report_rate_row caches[REPORT_ROWS_MAX];
	uint32_t branch_count;
	struct report_rate_row branches[REPORT_ROWS_MAX];

	uint64_t fetched, fetched_wrong_path, decode_redirects, violations, forwarded, loads, stores, serialising;
	uint64_t memory_reads, memory_writes;
	uint64_t prefetches, prefetches_used, prefetches_late;

	uint32_t function_count;
	struct report_function_row functions[REPORT_FUNCTIONS_MAX];
	uint64_t function_cycles;
};

void run_report_text(const struct run_report *r, FILE *out);
/* A new JSON object with the keys of the plan's section 4; NULL when out of memory. Analyses add their own. */
json_t *run_report_json(const struct run_report *r);

#endif
