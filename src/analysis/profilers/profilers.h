/* Profilers as practised, on one run, against the oracle (src/analysis/oracle). A profiler samples cycles, one in
 * each period at a random place, and blames an instruction for each. Several series of samples are taken at once,
 * which differ in their random places alone; series 0 samples every cycle, so what it gets wrong is the profiler's
 * own.
 *
 * The profilers' rules are in profiler.def. All but one follow from records. Dispatch tagging can tag an
 * instruction of a wrong path, of which only the log knows. */
#ifndef CULPRIT_ANALYSIS_PROFILERS_PROFILERS_H
#define CULPRIT_ANALYSIS_PROFILERS_PROFILERS_H

#include "analysis/oracle/oracle.h"
#include "analysis/profilers/types.h"
#include "culprit/log.h"

struct profilers;
struct profilers *profilers_create(const struct profilers_params *params, struct error *err);
void profilers_destroy(struct profilers *p);
/* The log first, as pipe.h has it. */
void profilers_log(struct profilers *p, const struct culprit_log_part *part);
void profilers_push(struct profilers *p, const struct culprit_record *records, size_t count);
/* Nothing will follow. Cycles after the last commit are nobody's. */
bool profilers_finish(struct profilers *p, struct error *err);

/* After that: the oracle's rows by pc and events, to tell where functions start. */
size_t profilers_rows(const struct profilers *p);
const struct oracle_row *profilers_row(const struct profilers *p, size_t i);

struct profilers_result {
	/* shares blamed on the wrong one, 0 to 1: half the sum of all differences of shares. Less than 0: it says
	 * nothing of it */
	double error[PROFILERS][PROFILER_LEVELS][PROFILER_SERIES];
	uint64_t samples[PROFILERS][PROFILER_SERIES]; /* that blame somebody */
	uint64_t lost[PROFILERS][PROFILER_SERIES];    /* of instructions that were squashed */
	size_t symbols[PROFILER_LEVELS];
};

/* starts[i]: the row's function is another one than that of the row before. */
bool profilers_judge(const struct profilers *p, const bool *starts, struct profilers_result *result, struct error *err);

/* The profile of one series, by row as profilers_row has it, in ORACLE_PARTS; 0 of the LBR's. For tests. */
uint64_t profilers_weight(const struct profilers *p, size_t i, enum profiler which, unsigned series);

#endif
