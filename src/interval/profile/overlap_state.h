/* The pass of m*(W) inside. Times are in units of one miss latency, from the start of the region.
 *
 * - A time is a vector of lanes that never changes once made: registers, words and lines name it by its number in a
 *   ring of the last 2048. At most one is made by an instruction, and a value older than 1024 instructions is there for
 *   every window (what it waited for has committed), so that a ring entry is never reused while somebody names it.
 * - Commit times move only at misses: all other values come from one, which is older and commits before. So the commit
 *   time of the instruction W back, at which an instruction enters, is that of the last miss at least W back.
 * - Of a stream with gaps, stretches are measured: behind a gap nothing is in flight, and what comes before a stretch
 *   (its lead) only sets the misses going; what counts is how far the commit time moves in the stretch.
 * - A branch that is mispredicted and waits for a miss holds back all that follows, in the lanes of `broken`. */
#ifndef CULPRIT_INTERVAL_PROFILE_OVERLAP_STATE_H
#define CULPRIT_INTERVAL_PROFILE_OVERLAP_STATE_H

#include "interval/profile/map.h"
#include "interval/profile/stream.h"

enum {
	FIRST_BROKEN = INTERVAL_WINDOWS,
	FIRST_MSHR = 2 * INTERVAL_WINDOWS,
	USED_LANES = FIRST_MSHR + INTERVAL_MSHR_WINDOWS * INTERVAL_MSHRS,
	LANES = (USED_LANES + 7) / 8 * 8,
	REACH = 1024, /* the largest window */
	RING = 2 * REACH,
	MSHRS_MOST = 16,
	NO_TIME = UINT32_MAX,
	LIMIT_LEAST = 256,
	LIMIT_MOST = INTERVAL_MAP_MOST - 8,
};

typedef int32_t part __attribute__((vector_size(32)));
enum { PARTS = LANES / 8 };

struct times {
	part v[PARTS];
};

struct miss_record {
	struct times commit; /* of everything up to this miss */
	uint64_t at;
};

struct interval_overlap_pass {
	struct times now;     /* commit time of what has been pushed */
	struct times barrier; /* nothing enters before */
	struct times made[RING];
	uint64_t born[RING]; /* instruction number of the latest miss that a time comes from */
	uint32_t made_count;
	uint64_t tainted; /* bit r: register r is */
	uint32_t of_register[64];
	struct interval_map words, lines;  /* -> number of a time */
	uint32_t words_limit, lines_limit; /* entries at which they are pruned */
	struct miss_record misses[RING];
	uint64_t miss_count;
	uint64_t behind[INTERVAL_WINDOWS]; /* misses at least W back */
	int32_t busy[INTERVAL_MSHR_WINDOWS][INTERVAL_MSHRS][MSHRS_MOST];
	uint64_t at; /* number of the present instruction */
	uint64_t quiet_from;
	struct interval_overlap counts; /* all but the times */
	bool measuring;			/* the stretch began at these: */
	struct interval_overlap begun;
	uint64_t next;		      /* number of the instruction behind the last one pushed */
	struct interval_overlap done; /* earlier stretches */
	uint8_t bit;
	uint8_t line_shift;
};

static inline int32_t lane(const struct times *t, size_t i)
{
	return t->v[i / 8][i % 8];
}

static inline uint64_t last_byte(const struct interval_event *e)
{
	return e->address + (e->size ? e->size - 1 : 0);
}

static inline bool is_front_end(const struct interval_event *e)
{
	return e->flags & EVENT_MISPREDICTED || e->ilevel > CULPRIT_LEVEL_L1 || e->itlb > CULPRIT_LEVEL_L1;
}

static inline void taint(struct interval_overlap_pass *o, uint8_t reg, uint32_t time)
{
	if (reg >= EVENT_NO_REGISTER)
		return;
	uint64_t bit = 1ull << reg;
	o->tainted = time == NO_TIME ? o->tainted & ~bit : o->tainted | bit;
	if (time != NO_TIME)
		o->of_register[reg] = time;
}

/* One instruction that is late itself, or makes something late. */
void interval_overlap_step(struct interval_overlap_pass *o, const struct interval_event *e);

#endif
