/* Shared by the predictor tests: a machine with every key at its default, branch queries, and a generator of
 * pseudo-random numbers that is the same everywhere. */
#ifndef TESTS_MACHINE_PREDICTOR_RIG_H
#define TESTS_MACHINE_PREDICTOR_RIG_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "machine/predictor.h"

static inline struct machine default_machine(void)
{
	return (struct machine){
#define MACHINE_UINT(section, name, def, min, max, unit, meaning) .section##_##name = def,
#define MACHINE_BOOL(section, name, def, meaning) .section##_##name = def,
#define MACHINE_ENUM(section, name, tag, def, meaning) .section##_##name = tag##_##def,
#include "machine/machine.def"
	};
}

static inline struct machine machine_with(enum direction_predictor kind)
{
	struct machine m = default_machine();
	m.branch_predictor = kind;
	return m;
}

static inline struct predictor *predictor_for(const struct machine *m)
{
	struct error err = {0};
	struct predictor *p = predictor_create(m, &err);
	if (!p)
		fail_msg("%s", err.text);
	return p;
}

/* splitmix64 */
static inline uint64_t rig_random(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15u;
	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

static inline struct branch_query conditional(uint64_t pc, uint64_t target, bool taken)
{
	return (struct branch_query){.pc = pc,
				     .direct_target = target,
				     .actual_next = taken ? target : pc + 4,
				     .length = 4,
				     .kind = CULPRIT_BRANCH_CONDITIONAL,
				     .actual_taken = taken};
}

static inline struct branch_query jump(uint8_t kind, uint64_t pc, uint64_t target)
{
	bool indirect = kind >= CULPRIT_BRANCH_INDIRECT_JUMP;
	return (struct branch_query){.pc = pc,
				     .direct_target = indirect ? 0 : target,
				     .actual_next = target,
				     .length = 4,
				     .kind = kind,
				     .actual_taken = true};
}

static inline bool prediction_right(const struct branch_query *q, const struct prediction *pred)
{
	return pred->target_known && pred->taken == q->actual_taken && pred->next_pc == q->actual_next;
}

/* A branch from fetch to commit with nothing else in flight, squash included. Returns: was it predicted right? */
static inline bool branch_through(struct predictor *p, const struct branch_query *q, struct prediction *pred)
{
	uint64_t save[512];
	assert_true(predictor_save_size(p) <= sizeof save);
	predictor_predict(p, q, pred);
	bool right = prediction_right(q, pred);
	if (right) {
		predictor_speculate(p, q, pred->taken, pred->next_pc);
	} else {
		predictor_save(p, save);
		predictor_speculate(p, q, pred->taken, pred->next_pc);
		predictor_restore(p, save);
		predictor_speculate(p, q, q->actual_taken, q->actual_next);
	}
	predictor_update(p, q, pred, q->actual_taken, q->actual_next);
	return right;
}

static inline bool run_branch(struct predictor *p, struct branch_query q)
{
	struct prediction pred;
	return branch_through(p, &q, &pred);
}

#endif
