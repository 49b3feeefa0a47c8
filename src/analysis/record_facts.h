/* What later records ask of an earlier one, and what a load waited for among the stores before it. The
 * interaction-cost graph and the critical path lay out the same edges, so both ask here.
 *
 * By the core's rule (docs/reference/core-timing.md) a load waits for W of the store that forwards to it. A store
 * that writes only some of its bytes must have left: the load waits for C, and reads the cache. Which of the two it
 * is follows from the addresses, and is so whether this run had to wait or not. */
#ifndef CULPRIT_ANALYSIS_RECORD_FACTS_H
#define CULPRIT_ANALYSIS_RECORD_FACTS_H

#include "culprit/graph.h"

/* As recorded. */
struct record_fact {
	uint64_t complete, commit;
	uint64_t addr;
	uint32_t miss; /* dmiss */
	uint16_t flags, size;
};

struct record_store;

/* The last mask + 1 records, by number. Wake-ups have an array of their own, in which the place of the next record
 * is 0: distance 0 is no producer.
 *
 * Records name the store that was in flight when a load was fetched. Where the load comes earlier or the store
 * leaves later, as with a larger window, an older one may be: a table by 8-byte granule holds the last store. What
 * collides there is forgotten. */
struct record_facts {
	struct record_fact *facts;
	uint64_t *wakes; /* when dependents could issue */
	uint64_t mask;
	struct record_store *stores;
	/* Where instructions are renamed in the ROB (edges/renames.h): from when there is room for the next one; else
	 * 0. */
	uint64_t room;
	uint64_t left; /* when the last record left the window, where that is before its commit (params.released) */
};

static inline bool record_only_stores(uint16_t flags)
{
	return (flags & (CULPRIT_LOAD | CULPRIT_STORE)) == CULPRIT_STORE;
}

/* Cycles between issue and completion that a load, or a store that is translated before its write, waits for its
 * translation. */
static inline uint32_t record_translates(const struct culprit_record *r)
{
	return r->flags & (CULPRIT_LOAD | CULPRIT_STORE) ? r->dtlb : 0;
}

/* rename_to_issue: cycles by which what is there behind dispatch lets an instruction issue sooner than dispatch. */
static inline uint32_t record_renamed_early(const struct culprit_graph_params *p)
{
	const bool early = p->rename_to_issue && p->rename_to_issue < p->dispatch_to_issue;
	return early ? p->dispatch_to_issue - p->rename_to_issue : 0;
}

/* The first cycle in which the pipeline from dispatch to issue lets go what is dispatched, with room from `room` on. */
static inline uint64_t record_renamed(const struct culprit_graph_params *p, uint64_t dispatch, uint64_t room)
{
	const uint32_t early = record_renamed_early(p);
	return (dispatch + early > room ? dispatch + early : room) + p->dispatch_to_issue - early;
}

/* ... the current record. */
static inline uint64_t record_through(const struct record_facts *f, const struct culprit_graph_params *p,
				      const struct culprit_record *r)
{
	return record_renamed(p, r->dispatch, f->room);
}

/* Distances; 0 = none. */
struct record_stores {
	uint32_t data;	 /* to the store at whose W the load may go ... */
	uint32_t leaves; /* ... and at whose C */
};

/* Room for `reach` records, and at least 64. False: out of memory. */
bool record_facts_create(struct record_facts *f, uint32_t reach);
void record_facts_destroy(struct record_facts *f);
void record_facts_reset(struct record_facts *f);

void record_facts_note_store(struct record_facts *f, uint64_t count, const struct culprit_record *r);

static inline void record_facts_note(struct record_facts *f, uint64_t count, const struct culprit_record *r)
{
	uint64_t at = count & f->mask, woken = r->issue + r->wakeup;
	f->wakes[at] = woken > r->complete ? woken : r->complete;
	f->wakes[(at + 1) & f->mask] = 0;
	f->facts[at] = (struct record_fact){r->complete, r->commit, r->mem_addr, r->dmiss, r->flags, r->mem_size};
	if (r->flags & CULPRIT_STORE)
		record_facts_note_store(f, count, r);
}

/* params.released: does r leave the window when it would have hit? It cannot fault any more then. */
static inline bool record_leaves_early(const struct culprit_graph_params *p, const struct culprit_record *r)
{
	const uint16_t stays = CULPRIT_STORE | (p->merged_stay ? CULPRIT_MERGED : 0);
	return (r->flags & (CULPRIT_LOAD | stays)) == CULPRIT_LOAD && r->dmiss;
}

/* params.merged_stay: does r issue twice, and keep its entry of the issue queue until the second time? */
static inline bool record_issues_again(const struct culprit_graph_params *p, const struct culprit_record *r)
{
	const uint16_t of = CULPRIT_LOAD | CULPRIT_STORE | CULPRIT_MERGED;
	return p->merged_stay > 1 && (r->flags & of) == (CULPRIT_LOAD | CULPRIT_MERGED) && r->dmiss;
}

static inline void record_facts_note_left(struct record_facts *f, const struct culprit_graph_params *p,
					  const struct culprit_record *r)
{
	const uint64_t hit = r->issue + r->exec_latency + r->dtlb;
	const uint64_t left = (record_leaves_early(p, r) ? hit : r->complete) + p->commit_delay;
	f->left = left > f->left ? left : f->left;
}

/* Of the instruction `distance` before number `count`, which must be no more than `mask` back. */
static inline const struct record_fact *record_fact(const struct record_facts *f, uint64_t count, uint64_t distance)
{
	return &f->facts[(count - distance) & f->mask];
}

/* 0 = none, or too far back to tell. */
static inline uint64_t record_wake(const struct record_facts *f, uint64_t count, uint64_t distance)
{
	return distance <= f->mask ? f->wakes[(count - distance) & f->mask] : 0;
}

/* Cycles of its latency that a load waited for the data of the store that forwards to it, which is that store's
 * edge. */
static inline uint64_t record_ahead_of_store(const struct record_facts *f, uint64_t count,
					     const struct culprit_record *r)
{
	uint64_t wake = record_wake(f, count, r->mem_producer);
	uint64_t ahead = wake > r->issue ? wake - r->issue : 0;
	return ahead < r->exec_latency ? ahead : r->exec_latency;
}

/* Is r, behind an instruction of these flags, the first that is renamed again, and has what is before it to leave first
 * (params.recovery)? A violation takes a mispredicted branch along, and it is predicted right. */
static inline bool record_follows_leaving(const struct culprit_graph_params *p, uint16_t before,
					  const struct culprit_record *r)
{
	const bool violated = r->flags & CULPRIT_VIOLATED;
	return p->recovery && (violated ? p->recovery_data : (before & CULPRIT_MISPREDICTED) != 0);
}

/* ... or has a squash to be over first (params.squash_width)? */
static inline bool record_renames_again(const struct culprit_graph_params *p, uint16_t before,
					const struct culprit_record *r)
{
	const bool squashed = (r->flags & CULPRIT_VIOLATED) || (before & CULPRIT_MISPREDICTED);
	return record_follows_leaving(p, before, r) || (p->squash_width && squashed);
}

/* Has r waited for the commit of the instruction in front? Where a load that leaves before its data is older, that one
 * has left before it commits. */
static inline bool record_recovers(const struct culprit_graph_params *p, uint16_t before, uint64_t commit,
				   const struct culprit_record *r)
{
	return record_follows_leaving(p, before, r) && r->dispatch >= commit + p->recovery;
}

/* ... and after that for the squash, which was not over then? The later of the two decides. A squash that is over
 * earlier leaves no trace in the record. */
static inline bool record_outwaits(const struct culprit_graph_params *p, uint64_t commit,
				   const struct culprit_record *r)
{
	return p->squash_width && r->dispatch > commit + p->recovery;
}

/* Cycles from `squashed`, when what was squashed before r was known to be wrong, to r's dispatch, where dispatch waited
 * meanwhile: as recorded. For the branch that left before it committed, and for slow squashes. 0: r did not wait. */
static inline uint32_t record_recovers_early(const struct culprit_graph_params *p, uint16_t before, uint64_t squashed,
					     const struct culprit_record *r)
{
	bool waits = record_renames_again(p, before, r) && (!(r->flags & CULPRIT_VIOLATED) || p->squash_width) &&
		     r->window == CULPRIT_WINDOW_NONE && r->dispatch > r->fetch + p->frontend_stages;
	return waits && r->dispatch > squashed ? (uint32_t)(r->dispatch - squashed) : 0;
}

/* Cycles that r, whose line is on its way, misses at worst: as if it brought the line itself, as long as the one that
 * asked for it missed. What a load asked for that had committed before r was dispatched is a prefetch, whose latency no
 * record tells: as recorded. */
static inline uint32_t record_misses_alone(const struct record_fact *primary_miss, const struct culprit_record *r)
{
	const bool prefetched = (primary_miss->flags & CULPRIT_LOAD) && primary_miss->commit <= r->dispatch;
	return primary_miss->miss > r->dmiss && !prefetched ? primary_miss->miss : r->dmiss;
}

/* How far back the youngest store is that touches a block of the load's of so many bytes and is younger than the one
 * its data come from; 0 = none is known. */
uint32_t record_near_store(const struct record_facts *f, uint64_t count, const struct culprit_record *r,
			   uint32_t block);
/* The store that a load went ahead of which was taken back for it: of two (params.check_bytes) the one whose completion
 * the load was fetched again after. 0 = not known. */
uint32_t record_violator(const struct record_facts *f, const struct culprit_graph_params *p, uint64_t count,
			 const struct culprit_record *r);
/* What a load waits for among the stores before it, whatever disambiguation adds. */
struct record_stores record_load_stores(const struct record_facts *f, uint64_t count, const struct culprit_record *r);

/* Distance to the store whose commit decides between forward_latency, before it, and load_hit, from then on; 0 = the
 * latency is as recorded, since the load did something else besides. `exec`: as recorded, without the wait for the
 * store's data. */
static inline uint32_t record_may_forward(const struct culprit_graph_params *p, const struct culprit_record *r,
					  struct record_stores stores, uint64_t exec)
{
	uint32_t usual = r->flags & CULPRIT_FORWARDED ? p->forward_latency : p->load_hit;
	bool other = (r->dmiss | r->dtlb | r->dstray) != 0 || (r->flags & CULPRIT_AT_HEAD);
	return exec != usual || p->load_hit == p->forward_latency || other || stores.leaves ? 0 : stores.data;
}

/* Cycles that the instruction waited for a slot: from when it was ready, and the store at `data`, which its store
 * set need not have told it to wait for, had made its data. */
static inline uint32_t record_contention(const struct record_facts *f, uint64_t count, const struct culprit_record *r,
					 uint32_t data)
{
	uint64_t wake = record_wake(f, count, data), from = wake > r->ready ? wake : r->ready;
	return r->issue > from ? (uint32_t)(r->issue - from) : 0;
}

/* Cycles from dispatch-to-issue until the instruction was ready, where no edge explains them; else 0. `last_commit`:
 * of the instruction in front; `leaves`: of record_load_stores. */
uint32_t record_unexplained(const struct record_facts *f, const struct culprit_graph_params *p, uint64_t count,
			    const struct culprit_record *r, uint64_t last_commit, uint32_t leaves);

#endif
