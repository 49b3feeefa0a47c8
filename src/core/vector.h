/* Vector operations in the pipeline (docs/decisions/vector-pipeline.md).
 *
 * One operation is one entry of the window, whatever its group of registers: it holds its unit for as many cycles as
 * the lanes need (a "beat" each), a load or store for one access of a line, or of an element, each. Its registers
 * are renamed one by one; so it can depend on more operations than a slot has links. It then waits for three at a
 * time: when those have issued, it is linked to what is left. vl and vtype are one more register, which vset*
 * writes: it is renamed and forwarded like the others.
 *
 * A note for each slot holds what the operation reads and where it goes in memory; only a core whose guest has
 * vectors has them. */
#ifndef CULPRIT_CORE_VECTOR_H
#define CULPRIT_CORE_VECTOR_H

#include "core/state.h"

#include "riscv/vector.h"

enum { VECTOR_NAMES = 33, VECTOR_VL = 32, VECTOR_PRODUCERS = VECTOR_NAMES + 3 };

struct vector_note {
	struct riscv_vector_operands operands;
	uint64_t producers[VECTOR_PRODUCERS]; /* index + 1: not yet looked at since dispatch */
	uint32_t producer_count;
	struct riscv_vector_access *accesses; /* in order; lines of a unit-stride one */
	uint32_t access_count, access_room;
	uint64_t first, end; /* of all accesses */
	bool run;	     /* they are one run of bytes */
};

struct vector_state {
	struct vector_note *notes;	    /* per slot */
	uint64_t last_writer[VECTOR_NAMES]; /* index + 1 */
	uint32_t stores;		    /* vector stores in flight, from fetch until commit */
};

bool vector_create(struct core *c, struct error *err);
void vector_destroy(struct core *c);

/* Before the operation is executed into slot s. False: no memory. */
bool vector_note(struct core *c, struct slot *s, const struct riscv_insn *insn);
/* Rename: what it waits for, and what it writes. */
void vector_dispatch(struct core *c, struct slot *s, uint64_t index);
/* All that it was linked to has issued. True: there was more to wait for. */
bool vector_waits_on(struct core *c, struct slot *s);
/* After a squash: the map of writers out of those left. */
void vector_rebuild(struct core *c);

/* Cycles that it holds its unit, and until dependents may begin. */
uint32_t vector_interval(struct core *c, const struct slot *s);
uint32_t vector_latency(struct core *c, const struct slot *s);
/* The accesses of a load that issues, and of a store that commits. The slowest one is left in *a. */
struct memory_access;
void vector_load(struct core *c, struct slot *s, uint64_t index, struct memory_access *a);
void vector_store(struct core *c, const struct slot *s, uint64_t index, struct memory_access *a);

static inline struct vector_note *vector_note_of(const struct core *c, const struct slot *s)
{
	return &c->vector->notes[s - c->slots];
}

static inline bool slot_is_vector(const struct core *c, const struct slot *s)
{
	return core_rare(c->vector != NULL) && (s->insn->flags & RISCV_VECTOR);
}

/* Bytes from mem_addr on that a load or store may touch. */
static inline uint64_t slot_mem_size(const struct core *c, const struct slot *s)
{
	return slot_is_vector(c, s) ? vector_note_of(c, s)->end - s->mem_addr : s->insn->mem_size;
}

/* A piece of memory that is not just the bytes named: forwarding finds nothing there. */
static inline bool slot_is_scattered(const struct core *c, const struct slot *s)
{
	return slot_is_vector(c, s) && !vector_note_of(c, s)->run;
}

#endif
