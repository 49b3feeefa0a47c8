/* The text that `perf script` prints, of samples with branch stacks: docs/reference/files.md has the forms that are
 * read. */
#ifndef CULPRIT_IMPORT_PERF_SCRIPT_H
#define CULPRIT_IMPORT_PERF_SCRIPT_H

#include "base/error.h"
#include "culprit/precise.h"

#include <stdio.h>

enum { PERF_EVENTS_MAX = 64, PERF_NAME_MAX = 64, PERF_MAPPINGS_MAX = 4096 };

/* perf script's list of fields, as errors and the manual name it. */
#define PERF_FIELDS "comm,tid,time,period,event,addr,data_src,weight,ins_lat,ip,brstack"

/* What an event's samples are good for. */
enum perf_event_use {
	PERF_USE_ANY = 0,     /* detailed samples; paths, if nothing better is there */
	PERF_USE_PATHS = 1,   /* it counts instructions: drawn from all alike */
	PERF_USE_NOTHING = 2, /* it counts misses or mispredictions: its samples are unlike the rest */
};

struct perf_event {
	char name[PERF_NAME_MAX];
	enum perf_event_use use;
	uint8_t latency_of; /* enum culprit_precise_latency */
	uint32_t slowest;   /* ldlat=N in its name: accesses of fewer cycles are not sampled; 0 = none is given */
	uint64_t samples, stacks, accesses;
};

/* An executable mapping of a process. */
struct perf_mapping {
	char *path;
	uint64_t start, size, offset;
};

struct perf_script {
	struct culprit_precise_sample *samples;
	uint8_t *event_of; /* of each sample */
	size_t count, room;
	struct culprit_branch_record *branches;
	size_t branch_count, branch_room;
	struct perf_event events[PERF_EVENTS_MAX];
	uint32_t event_count;
	struct perf_mapping *mappings;
	uint32_t mapping_count;
	uint64_t lines;
	uint64_t others; /* lines that are no sample: call chains, other records */
	uint64_t unread; /* words of samples that have no use here */
	uint64_t merged; /* samples printed more than once, as of Arm SPE */
	uint64_t unused; /* samples of events that say PERF_USE_NOTHING */
	bool all_paths;	 /* no event counts instructions: the paths are of all events that may */
};

/* One error with place, line and reason. Afterwards perf_script_destroy, in any case. */
bool perf_script_parse(struct perf_script *s, FILE *in, const char *place, struct error *err);
/* From a file; "-" is standard input. */
bool perf_script_read(struct perf_script *s, const char *path, struct error *err);
void perf_script_destroy(struct perf_script *s);

/* perf_words.c */

/* A branch record; NULL, or what is wrong. */
const char *perf_branch_parse(const char *word, struct culprit_branch_record *b);
/* Is this address where the branch went, a little further, or the branch itself? */
bool perf_branch_near(const char *word, uint64_t address);
/* Does the word begin as a branch record of addresses does? As one of symbols? */
bool perf_branch_is(const char *word);
bool perf_branch_symbolic(const char *word);
/* Level and flags of what stands in a line from "|OP " on, which becomes blanks but for a first "|". */
void perf_access_take(char *text, struct culprit_precise_sample *x);
/* What the name tells of the event. */
void perf_event_name(struct perf_event *e, const char *name);

#endif
