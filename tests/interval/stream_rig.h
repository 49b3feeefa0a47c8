/* Random streams of events for the tests of the profile's collectors, and the batches they are pushed in. */
#ifndef TESTS_INTERVAL_STREAM_RIG_H
#define TESTS_INTERVAL_STREAM_RIG_H

#include "interval/profile/stream.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* xorshift64* */
static inline uint32_t rig_random(uint64_t *state, uint32_t below)
{
	*state ^= *state >> 12;
	*state ^= *state << 25;
	*state ^= *state >> 27;
	return (uint32_t)(*state * 0x2545f4914f6cdd1dull >> 33) % below;
}

/* How a stream looks: `per_mille` of loads, stores, long misses (of loads), mispredicted branches, fetch misses. */
struct rig_shape {
	uint32_t loads, stores, missing, mispredicted, fetch;
	uint32_t registers; /* in use */
	uint32_t words;	    /* 8-byte words accessed */
};

static inline void rig_event(uint64_t *seed, const struct rig_shape *shape, struct interval_event *e)
{
	uint32_t what = rig_random(seed, 1000);
	*e = (struct interval_event){.pc = 0x10000 + 4 * (uint64_t)rig_random(seed, 512),
				     .op = CULPRIT_OP_int_alu,
				     .length = 4,
				     .rd = (uint8_t)(1 + rig_random(seed, shape->registers)),
				     .rs = {(uint8_t)rig_random(seed, shape->registers + 1),
					    (uint8_t)rig_random(seed, shape->registers + 1)}};
	if (rig_random(seed, 8) == 0)
		e->rs[2] = (uint8_t)rig_random(seed, shape->registers + 1);
	if (rig_random(seed, 16) == 0)
		e->op = CULPRIT_OP_fp_div;
	if (what < shape->loads + shape->stores) {
		bool store = what >= shape->loads;
		e->flags = store ? EVENT_STORE : EVENT_LOAD;
		e->op = store ? CULPRIT_OP_store : CULPRIT_OP_load;
		e->rd = store ? EVENT_NO_REGISTER : e->rd;
		e->size = (uint8_t)(1u << rig_random(seed, 4));
		e->address = 0x100000 + 8ull * rig_random(seed, shape->words) + rig_random(seed, 8);
		e->dlevel = (uint8_t)(CULPRIT_LEVEL_L1 + rig_random(seed, 4));
		e->dtlb = CULPRIT_LEVEL_L1;
		if (!store && rig_random(seed, 1000) < shape->missing)
			e->chains = 1u << INTERVAL_CHAIN_memory;
	} else if (rig_random(seed, 1000) < shape->mispredicted) {
		e->op = CULPRIT_OP_branch;
		e->branch = CULPRIT_BRANCH_CONDITIONAL;
		e->rd = EVENT_NO_REGISTER;
		e->flags = EVENT_MISPREDICTED;
	}
	if (rig_random(seed, 1000) < shape->fetch) {
		e->ilevel = (uint8_t)(CULPRIT_LEVEL_L2 + rig_random(seed, 3));
		e->itlb = rig_random(seed, 4) ? CULPRIT_LEVEL_L1 : CULPRIT_LEVEL_MEMORY;
	}
}

static inline struct interval_event *rig_stream(uint64_t seed, const struct rig_shape *shape, size_t count)
{
	struct interval_event *events = calloc(count + 1, sizeof *events);
	assert_non_null(events);
	for (size_t i = 0; i < count; i++)
		rig_event(&seed, shape, &events[i]);
	return events;
}

/* Spans, accesses and transfers of a batch's events, one by one. */
static inline void rig_describe(struct interval_batch *b)
{
	b->span_count = b->access_count = b->transfer_count = b->long_events = 0;
	for (size_t i = 0; i < b->count; i++) {
		const struct interval_event *e = &b->events[i];
		struct interval_span *s = b->span_count ? &b->spans[b->span_count - 1] : NULL;
		if (!s || e[-1].branch || s->pc + s->bytes != e->pc || s->count == 64) {
			s = &b->spans[b->span_count++];
			*s = (struct interval_span){.pc = e->pc, .at = (uint16_t)i};
		}
		s->longs |= (uint64_t)(e->length == 4) << s->count;
		s->count++;
		s->bytes = (uint16_t)(s->bytes + e->length);
		if (e->flags & (EVENT_LOAD | EVENT_STORE))
			b->accesses[b->access_count++] =
				(struct interval_access){.address = e->address,
							 .pc = e->pc,
							 .at = (uint16_t)i,
							 .flags = e->flags & (EVENT_LOAD | EVENT_STORE),
							 .size = e->size};
		if (e->branch)
			b->transfers[b->transfer_count++] = (struct interval_transfer){.pc = e->pc,
										       .next = e[1].pc,
										       .imm = e->imm,
										       .at = (uint16_t)i,
										       .flags = e->flags,
										       .branch = e->branch,
										       .length = e->length};
		b->long_events |= e->chains;
	}
}

/* The stream in batches of changing size. */
static inline void rig_push(const struct interval_event *events, size_t count,
			    void (*push)(void *context, struct interval_batch *b), void *context)
{
	static struct interval_batch b;
	uint64_t seed = 7;
	for (size_t at = 0; at < count; at += b.count) {
		size_t most = 1 + rig_random(&seed, EVENT_BATCH);
		b.first = b.place = at;
		b.count = count - at < most ? count - at : most;
		b.detail = DETAIL_SAMPLED | DETAIL_FLOW;
		memcpy(b.events, &events[at], (b.count + 1) * sizeof *events);
		rig_describe(&b);
		push(context, &b);
	}
}

#endif
