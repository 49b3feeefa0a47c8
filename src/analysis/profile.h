/* The profile: cycles by static instruction. Each cycle is charged to the instruction that commit was exposed to: the
 * oldest one while nothing commits, the first that commits in a cycle with commits (time-proportional attribution,
 * as in TIP, MICRO 2021). The total equals the cycles up to the last commit. */
#ifndef CULPRIT_ANALYSIS_PROFILE_H
#define CULPRIT_ANALYSIS_PROFILE_H

#include "base/error.h"
#include "culprit/record.h"

struct profile_entry {
	uint64_t pc; /* 0 = free place */
	uint64_t cycles;
	uint64_t count; /* times committed */
	bool entry;	/* was the target of a call: starts a function, also where there are no symbols */
};

struct profile {
	struct profile_entry *entries; /* open addressing, a power of two */
	size_t capacity, used;
	uint64_t next_cycle;
	bool after_call;    /* the instruction before was a call */
	bool out_of_memory; /* later instructions were charged to the entry for pc 1 */
};

bool profile_create(struct profile *p, struct error *err);
void profile_destroy(struct profile *p);
void profile_push(struct profile *p, const struct culprit_record *records, size_t count);
/* Entries in use, sorted by pc, at the front of p->entries; returns their number. The profile is then finished. */
size_t profile_finish(struct profile *p);

#endif
