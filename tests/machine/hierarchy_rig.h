/* For the tests of caches, TLBs, prefetchers and the hierarchy: a small machine whose latencies are easy to add up,
 * and short names for accesses. Defaults are machine.def's. */
#ifndef CULPRIT_TESTS_HIERARCHY_RIG_H
#define CULPRIT_TESTS_HIERARCHY_RIG_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "machine/hierarchy.h"
#include "machine/hierarchy_state.h"

/* L1D 1 KiB in 2 ways of 32 bytes (16 sets), L1I likewise; L2 8 KiB in 4 ways of 64 bytes (32 sets).
 * Latencies: L1I 1, L1D 2, L2 10, memory 100. Perfect TLBs, nothing limited, LRU, no prefetchers. */
static inline struct machine rig_machine(void)
{
	struct machine m = {
#define MACHINE_UINT(section, name, def, min, max, unit, meaning) .section##_##name = def,
#define MACHINE_BOOL(section, name, def, meaning) .section##_##name = def,
#define MACHINE_ENUM(section, name, tag, def, meaning) .section##_##name = tag##_##def,
#include "machine/machine.def"
	};
	m.l1i_size = m.l1d_size = 1024;
	m.l1i_ways = m.l1d_ways = 2;
	m.l1i_latency = 1;
	m.l2_size = 8192;
	m.l2_ways = 4;
	m.l2_line = 64;
	m.memory_latency = 100;
	return m;
}

static inline struct hierarchy *rig_create(const struct machine *m)
{
	struct error err = {0};
	struct hierarchy *h = hierarchy_create(m, &err);
	if (!h)
		fail_msg("%s", err.text);
	return h;
}

/* done = start + tlb + hit + miss, and the waits are parts of the miss. */
static inline void rig_check(uint64_t cycle, const struct memory_access *a)
{
	assert_int_equal(a->done, cycle + a->tlb_cycles + a->hit_cycles + a->miss_cycles);
	assert_true((uint64_t)a->mshr_wait + a->bandwidth_wait <= a->miss_cycles);
	assert_true(a->level >= CULPRIT_LEVEL_L1 && a->level <= CULPRIT_LEVEL_MEMORY);
	if (a->merged)
		assert_true(a->miss_cycles > 0);
}

static inline struct memory_access rig_load(struct hierarchy *h, uint64_t cycle, uint64_t seq, uint64_t addr)
{
	struct memory_access a;
	hierarchy_load(h, cycle, seq, 0x1000, addr, 4, false, &a);
	rig_check(cycle, &a);
	return a;
}

static inline struct memory_access rig_load_pc(struct hierarchy *h, uint64_t cycle, uint64_t pc, uint64_t addr)
{
	struct memory_access a;
	hierarchy_load(h, cycle, 0, pc, addr, 4, false, &a);
	rig_check(cycle, &a);
	return a;
}

static inline struct memory_access rig_store(struct hierarchy *h, uint64_t cycle, uint64_t seq, uint64_t addr)
{
	struct memory_access a;
	hierarchy_store(h, cycle, seq, 0x1000, addr, 4, &a);
	rig_check(cycle, &a);
	return a;
}

static inline struct memory_access rig_fetch(struct hierarchy *h, uint64_t cycle, uint64_t seq, uint64_t addr)
{
	struct memory_access a;
	hierarchy_fetch(h, cycle, seq, addr, false, &a);
	rig_check(cycle, &a);
	return a;
}

/* The test's own random numbers (a linear congruence, so that no test shares the code under test). */
static inline uint32_t rig_random(uint64_t *state, uint32_t below)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)((*state >> 33) % below);
}

#endif
