/* Branch target buffer: set-associative, LRU, tagged with the whole pc; holds branches that were taken.
 *
 * Lookups change nothing; update allocates taken branches and renews the LRU order, so wrong paths leave no trace.
 * With 0 entries it is perfect: direct branches always hit, and the last targets of indirect branches are kept in a
 * map that grows without limit, so an indirect branch misses only before its first commit. */
#ifndef CULPRIT_MACHINE_BTB_H
#define CULPRIT_MACHINE_BTB_H

#include "machine/machine.h"

#include <stddef.h>

struct btb {
	bool perfect;
	uint32_t sets, ways;
	uint64_t *pc;	  /* [set][way]; BTB_EMPTY when unused (odd: no branch is there) */
	uint64_t *target; /* beside it */
	uint64_t *used;	  /* time of last training */
	uint64_t clock;
	uint64_t capacity, count; /* perfect: slots and slots in use of the open-addressing map */
};

#define BTB_EMPTY UINT64_MAX
#define BTB_NO_ENTRY SIZE_MAX

bool btb_create(struct btb *b, const struct machine *m, struct error *err);
void btb_destroy(struct btb *b);
uint64_t btb_storage_bits(const struct btb *b);

/* Is pc present? Its last taken target in *target (perfect: only indirect branches are ever put in). */
bool btb_lookup(const struct btb *b, uint64_t pc, uint64_t *target);
/* A taken branch commits. */
void btb_train(struct btb *b, uint64_t pc, uint64_t target);

/* For who looks up and trains at once; not of a perfect one. The entry that holds pc, or BTB_NO_ENTRY: */
size_t btb_find(const struct btb *b, uint64_t pc);
/* ... and btb_train of the branch that it holds. */
static inline void btb_renew(struct btb *b, size_t entry, uint64_t target)
{
	b->target[entry] = target;
	b->used[entry] = ++b->clock;
}

#endif
