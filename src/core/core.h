/* The out-of-order core: runs a guest on a machine and keeps time.
 *
 * Functional first: an instruction executes when it is fetched, so the simulator knows each branch's outcome at once;
 * the pipeline then only keeps time. After a mispredicted branch fetch really goes down the predicted path, with
 * registers checkpointed and memory writes undone when the branch completes. docs/reference/core-timing.md has the
 * rules. */
#ifndef CULPRIT_CORE_CORE_H
#define CULPRIT_CORE_CORE_H

#include "base/error.h"
#include "culprit/log.h"
#include "guest/guest.h"
#include "machine/hierarchy.h"
#include "machine/predictor.h"
#include "machine/machine.h"

struct core;

/* Counts over the timed region. "Committed" counts are of the right path only. */
struct core_statistics {
	uint64_t cycles;
	uint64_t committed;
	uint64_t fetched; /* both paths */
	uint64_t fetched_wrong_path;
	uint64_t issued_wrong_path;
	uint64_t branches[CULPRIT_BRANCH_COUNT];     /* committed, by kind */
	uint64_t mispredicted[CULPRIT_BRANCH_COUNT]; /* committed, by kind */
	uint64_t direction_wrong;		     /* conditional: direction against target */
	uint64_t decode_redirects;		     /* committed branches that the BTB did not have */
	uint64_t squashes;			     /* by mispredictions, both paths */
	uint64_t violations;			     /* memory-order squashes, committed loads */
	uint64_t loads, stores, forwarded;	     /* committed */
	uint64_t serialising;			     /* committed */
};

/* The guest stays the caller's. Machine parameters are copied. */
struct core *core_create(const struct machine *m, struct guest *guest, struct error *err);
void core_destroy(struct core *core);

/* Who takes the records and, with them, the log (NULL = nobody), before the first core_run. They must outlive the
 * runs. */
void core_record(struct core *core, const struct culprit_record_sink *sink, struct culprit_log *log);

/* Functional execution that trains caches, TLBs and predictors, before the first core_run. */
enum guest_state core_warm(struct core *core, uint64_t max_insns, uint64_t *executed);

/* Do branches train the predictors in core_warm? They do unless this says otherwise; where not, none is counted. */
void core_train_branches(struct core *core, bool train);
/* Does core_warm fetch, after a mispredicted branch, what the core would fetch at the least (core/stray.h)? It does not
 * unless this says so. False: no memory. */
bool core_warm_strays(struct core *core);
/* A second set of predictors, the reference, begins as the core's are now, and all branches of core_warm train it,
 * until its end. Not with plug-ins. */
bool core_reference_begin(struct core *core, struct error *err);
void core_reference_end(struct core *core);

/* What the right path met in all core_warm so far. */
struct core_warmed {
	uint64_t instructions;
	struct predictor_met branches, reference; /* by the core's predictors, where they train; by the reference */
	uint64_t serialising;			  /* calls of the guest's, fence.i */
	struct hierarchy_warmed accesses;
};
void core_warmed(const struct core *core, struct core_warmed *warmed);

/* What core_warm cannot teach, since only time shows it: which load went ahead of which store wrongly. A core that is
 * asked to keeps what its store sets learn, so that another core of the same machine can be taught it before its first
 * core_run. The tables are cleared now and then; a lesson from before that is void. */
struct core_lesson {
	uint64_t load, store; /* pcs */
	uint32_t clears;      /* of the tables before it */
};
bool core_keep_lessons(struct core *core); /* false: the machine has no store sets */
const struct core_lesson *core_lessons(const struct core *core, size_t *count);
void core_learn(struct core *core, const struct core_lesson *lesson);
/* So many cycles of another core's go by: tables are cleared when it is time. The clears so far. Before the first
 * core_run, on a machine with store sets. */
uint32_t core_age_lessons(struct core *core, uint64_t cycles);

/* All that core_warm and core_learn have taught, to bytes and back: into a core of the same machine that has not run,
 * and whose guest is at the same place. Not with plug-ins, whose state nobody knows. */
struct archive;
void core_archive_warm(struct core *core, struct archive *a);
/* The core will not run any more: its guest goes on without it, from behind the last instruction that was fetched on
 * the right path. */
void core_leave_guest(struct core *core);

/* Idealise these event classes too, before the first core_run: caches and predictors keep what warm-up taught them.
 * After a failure the core can only be destroyed. */
bool core_idealise(struct core *core, culprit_event_set set, struct error *err);

/* Idealise classes of CORE_PLACE_CLASSES for the instructions at these addresses alone, before the first core_run; the
 * last call counts. Misses: their accesses hit, and what they would have brought is there. */
#define CORE_PLACE_CLASSES                                                                                           \
	(CULPRIT_EVENT_BIT(dmiss) | CULPRIT_EVENT_BIT(imiss) | CULPRIT_EVENT_BIT(bmisp) | CULPRIT_EVENT_BIT(shalu) | \
	 CULPRIT_EVENT_BIT(lgalu))
struct core_place {
	uint64_t first, end; /* first <= address < end */
	culprit_event_set ideal;
};
bool core_idealise_places(struct core *core, const struct core_place *places, size_t count, struct error *err);

/* Why core_run came back. */
enum core_stop { CORE_STOP_COUNT, CORE_STOP_ENDED, CORE_STOP_ERROR };

/* Set once, before the first core_run: the region has this many instructions (0 = to the program's end). The last
 * one commits and the pipeline is empty. */
void core_limit(struct core *core, uint64_t max_insns);
/* The region ends at this point, which is an instruction, before it is executed. */
void core_stop_at(struct core *core, const struct guest_point *point);

/* The right path is that of a trace, from its next step on, to its end at most: the hart is at that step. Once, before
 * the first core_run, and without core_warm; it must outlive the runs. */
struct riscv_follow;
void core_follow(struct core *core, struct riscv_follow *trace);

/* Simulate until `committed` instructions of the region have committed in total (for progress and interrupts), or
 * its end. CORE_STOP_ERROR: a deadlock; *err tells every stage's state. */
enum core_stop core_run(struct core *core, uint64_t committed, struct error *err);

/* Hand over records that are still in the batch, and tell the log what is in flight. Called by the owner when it
 * stops for good. */
void core_flush_records(struct core *core);

const struct core_statistics *core_statistics(const struct core *core);
const struct hierarchy_statistics *core_hierarchy_statistics(const struct core *core);
/* What each of the guest's programs had of the region, by its index there: all of it together. With several programs
 * only; NULL: one, or no memory. */
struct core_program {
	uint64_t cycles, instructions;
};
const struct core_program *core_programs(struct core *core, size_t *count);
/* The guest's state once it has ended; GUEST_RUNNING before. */
enum guest_state core_guest_state(const struct core *core);

#endif
