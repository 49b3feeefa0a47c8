/* Random record streams that a graph accepts: consistent within each record, arbitrary otherwise. Include after cmocka.h. */
#ifndef TESTS_GRAPH_STREAM_H
#define TESTS_GRAPH_STREAM_H

#include "culprit/graph.h"

#include <stdlib.h>

static uint64_t next_random(uint64_t *state)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u;
	return *state >> 33;
}

static uint32_t below(uint64_t *state, uint32_t n)
{
	return n ? (uint32_t)(next_random(state) % n) : 0;
}

static bool chance(uint64_t *state, uint32_t percent)
{
	return below(state, 100) < percent;
}

struct mix {
	uint32_t longest_miss, reach, gap;
	bool stores_translate; /* as they issue */
};

static uint32_t pick_distance(uint64_t *s, const struct mix *m, size_t i)
{
	uint32_t d = chance(s, 80) ? 1 + below(s, 12) : 1 + below(s, m->reach);
	return d <= i ? d : 0;
}

static uint64_t latest(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static void random_fetch(uint64_t *s, const struct mix *m, struct culprit_record *r, size_t i)
{
	const struct culprit_record *before = r - 1;
	r->length = chance(s, 50) ? 2 : 4;
	r->pc = i ? before->pc + before->length : 0x1000;
	r->imiss = chance(s, 3) ? below(s, m->longest_miss) : 0;
	r->itlb = chance(s, r->imiss ? 70 : 1) ? (uint16_t)below(s, 30) : 0;
	r->ilevel = (uint8_t)below(s, CULPRIT_LEVEL_COUNT);
	r->fetch = (i ? before->fetch : 0) + r->imiss + r->itlb + below(s, 2 + m->gap);
	if (!i)
		return;
	if (before->branch && (before->flags & CULPRIT_TAKEN))
		r->pc = 0x1000 + 2 * below(s, 4000);
	if (before->flags & (CULPRIT_MISPREDICTED | CULPRIT_BTB_MISS | CULPRIT_SERIALISING))
		r->redirect = (uint16_t)below(s, 9);
	r->flags |= r->pc % 52 < 8 ? CULPRIT_FETCH_BREAK_LINE : 0;
}

static void random_kind(uint64_t *s, struct culprit_record *r)
{
	uint32_t k = below(s, 100);
	r->op_class = (uint8_t)(k < 25 ? CULPRIT_OP_load : k < 35 ? CULPRIT_OP_store : below(s, CULPRIT_OP_COUNT));
	if (r->op_class == CULPRIT_OP_load || r->op_class == CULPRIT_OP_amo)
		r->flags |= CULPRIT_LOAD;
	if (r->op_class == CULPRIT_OP_store || r->op_class == CULPRIT_OP_amo)
		r->flags |= CULPRIT_STORE;
	if (r->op_class == CULPRIT_OP_amo)
		r->flags |= CULPRIT_AT_HEAD;
	if (r->op_class == CULPRIT_OP_system && chance(s, 30))
		r->flags |= CULPRIT_SERIALISING | CULPRIT_AT_HEAD;
	if (r->op_class == CULPRIT_OP_branch) {
		r->branch = CULPRIT_BRANCH_CONDITIONAL;
		r->flags |= chance(s, 60) ? CULPRIT_TAKEN : 0;
		r->flags |= chance(s, 10) ? CULPRIT_MISPREDICTED : chance(s, 10) ? CULPRIT_BTB_MISS : 0;
	}
	r->dest = (uint8_t)(chance(s, 70) ? 1 + below(s, 63) : 64);
}

static void random_ready(uint64_t *s, const struct mix *m, const struct culprit_graph_params *p,
			 struct culprit_record *r, size_t i)
{
	for (unsigned k = 0; k < 3; k++)
		r->producer[k] = chance(s, 60) ? pick_distance(s, m, i) : 0;
	if (r->flags & CULPRIT_LOAD)
		r->mem_producer = chance(s, 10) ? pick_distance(s, m, i) : 0;
	if (r->mem_producer && r->mem_producer < p->rob && r->redirect && chance(s, 30)) /* of the same window */
		r->flags |= CULPRIT_VIOLATED;
	if (r->mem_producer && chance(s, 50))
		r->flags |= CULPRIT_FORWARDED; /* may issue before the store's data are there */
	if ((r->flags & (CULPRIT_LOAD | CULPRIT_STORE)) && p->store_writes && chance(s, 10))
		r->order_waited = pick_distance(s, m, i);
	r->queue = p->queue_count ? (uint8_t)below(s, p->queue_count + 1) : 0;
	r->previous_holder = p->issue_queues && chance(s, 50) ? pick_distance(s, m, i) : 0;
	r->dispatch = r->fetch + below(s, 20);
	r->ready = r->dispatch + p->dispatch_to_issue;
	const uint32_t store = r->flags & CULPRIT_FORWARDED ? 0 : r->mem_producer;
	const uint32_t d[] = {r->producer[0], r->producer[1], r->producer[2], store, r->order_waited};
	for (unsigned k = 0; k < 5; k++)
		if (d[k])
			r->ready = latest(r->ready,
					  latest(r[-(int)d[k]].complete, r[-(int)d[k]].issue + r[-(int)d[k]].wakeup));
	if (i && (r->flags & CULPRIT_AT_HEAD))
		r->ready = latest(r->ready, r[-1].commit);
	r->issue = r->ready + (chance(s, 30) ? below(s, 4) : 0);
}

/* Lines that the next level's prefetcher brought. By draws of their own, so that those of the rest stay. */
static inline void draw_below(const struct culprit_graph_params *p, uint64_t s, struct culprit_record *r)
{
	s ^= 0x5bd1e995;
	if (!p->memory_interval || !(r->flags & (CULPRIT_LOAD | CULPRIT_STORE)) || !chance(&s, 30))
		return;
	r->prefetch_below = (uint8_t)below(&s, CULPRIT_LEVEL_COUNT);
	if (r->prefetch_level)
		return;
	r->prefetch_slack = (uint16_t)(chance(&s, 50) ? below(&s, 100) : below(&s, 1 + UINT16_MAX));
	r->prefetch_trigger = (int32_t)(8 * below(&s, 128)) - 512;
}

static void random_latency(uint64_t *s, const struct mix *m, const struct culprit_graph_params *p,
			   struct culprit_record *r, size_t i)
{
	r->exec_latency = (uint16_t)(chance(s, 60) ? 1 : below(s, 12));
	r->dlevel = (uint8_t)below(s, CULPRIT_LEVEL_COUNT);
	if (r->flags & CULPRIT_LOAD) {
		r->dmiss = chance(s, 20) ? below(s, m->longest_miss) : 0;
		r->dtlb = chance(s, 5) ? (uint16_t)below(s, 30) : 0;
		if (r->dmiss && chance(s, 40)) {
			r->flags |= CULPRIT_MERGED;
			r->primary_miss = pick_distance(s, m, i);
		}
	}
	if (m->stores_translate && !(r->flags & CULPRIT_LOAD) && (r->flags & CULPRIT_STORE))
		r->dtlb = chance(s, 10) ? (uint16_t)below(s, 30) : 0;
	if ((r->flags & CULPRIT_STORE) && p->store_writes) {
		r->write_miss = chance(s, 20) ? below(s, m->longest_miss) : 0;
		r->write_dtlb = chance(s, 5) ? (uint16_t)below(s, 30) : 0;
		r->write_level = (uint8_t)below(s, CULPRIT_LEVEL_COUNT);
		r->write_merged = r->write_miss && chance(s, 40);
	}
	if ((p->mshrs || p->memory_interval || p->l1_line) && (r->flags & (CULPRIT_LOAD | CULPRIT_STORE))) {
		r->mem_addr = 8 * below(s, 64);
		r->mshr_wait = (uint16_t)(chance(s, 20) ? below(s, 1 + latest(r->dmiss, r->write_miss)) : 0);
		r->bandwidth_wait = (uint16_t)(chance(s, 20) ? below(s, 1 + r->dmiss) : 0);
		if (r->write_merged)
			r->primary_miss = pick_distance(s, m, i);
	}
	if (p->l1_prefetches && (r->flags & (CULPRIT_LOAD | CULPRIT_STORE)) && chance(s, 30)) {
		r->prefetch_level = (uint8_t)below(s, CULPRIT_LEVEL_COUNT);
		r->prefetch_slack = (uint16_t)(chance(s, 50) ? below(s, 100) : below(s, 1 + UINT16_MAX));
		r->prefetch_trigger = (int32_t)(8 * below(s, 128)) - 512;
	}
	draw_below(p, *s, r);
	r->dstray = chance(s, 5) ? (uint8_t)below(s, CULPRIT_LEVEL_COUNT) : 0;
	r->istray = chance(s, 5) ? (uint8_t)below(s, CULPRIT_LEVEL_COUNT) : 0;
	r->stray_wait = chance(s, 50) ? (uint16_t)below(s, 1 + (r->imiss < 999 ? r->imiss : 999)) : 0;
	r->complete = r->issue + r->exec_latency + r->dmiss + r->dtlb;
	/* a longer issue-to-wakeup loop than this would reach past commit */
	uint64_t loop = below(s, p->commit_delay + p->dispatch_to_issue + 1), latency = r->complete - r->issue;
	r->wakeup = (uint16_t)(latency > UINT16_MAX ? UINT16_MAX : latest(latency, loop));
	r->commit = latest(i ? r[-1].commit : 0, r->complete + p->commit_delay) + below(s, 3);
}

static inline struct culprit_record *random_stream(uint64_t seed, size_t n, const struct culprit_graph_params *p,
						   const struct mix *m)
{
	struct culprit_record *records = calloc(n, sizeof *records);
	assert_non_null(records);
	for (size_t i = 0; i < n; i++) {
		struct culprit_record *r = &records[i];
		r->seq = i;
		random_fetch(&seed, m, r, i);
		random_kind(&seed, r);
		random_ready(&seed, m, p, r, i);
		random_latency(&seed, m, p, r, i);
	}
	return records;
}

/* Some records become later micro-operations of the instruction in front: at most p->cracked to one. */
static inline void crack_stream(uint64_t *s, const struct culprit_graph_params *p, struct culprit_record *r, size_t n)
{
	uint32_t parts = 1;
	for (size_t i = 1; i < n; i++, parts++) {
		if (parts >= p->cracked || r[i].redirect || r[i - 1].branch || r[i].branch || chance(s, 50)) {
			parts = 0;
			continue;
		}
		r[i].pc = r[i - 1].pc;
		r[i].length = 0;
		r[i].imiss = r[i].itlb = 0;
		r[i].istray = 0;
		r[i].stray_wait = 0;
	}
}

static inline uint8_t random_weight(uint64_t *s, uint32_t most, uint32_t none)
{
	if (chance(s, none))
		return CULPRIT_WEIGHT_NONE;
	return (uint8_t)below(s, 1 + (most && most < CULPRIT_WEIGHT_MOST ? most : 6));
}

/* Some records take more or less than one entry or slot; `none` percent of them nothing. */
static inline void weigh_stream(uint64_t *s, const struct culprit_graph_params *p, struct culprit_record *r, size_t n,
				uint32_t none)
{
	const uint32_t often[3] = {below(s, 100), below(s, 100), below(s, 100)};
	for (size_t i = below(s, 2) ? below(s, (uint32_t)n) : 0; i < n; i++) { /* or not from the first on */
		if (chance(s, often[0]))
			r[i].rob_entries = random_weight(s, p->rob, none);
		if (chance(s, often[1]))
			r[i].dispatch_slots = random_weight(s, p->dispatch_width, none);
		if (chance(s, often[2]))
			r[i].commit_slots = random_weight(s, p->commit_width, none);
	}
}

/* Micro-operations, and a decoder that is held up. */
static inline void crack_params(struct culprit_graph_params *p, uint64_t *s)
{
	p->cracked = chance(s, 70) ? 1 + below(s, 4) : 0;
	p->decode_insns = chance(s, 70) ? 1 + below(s, 12) : 0;
	p->decode_stages = below(s, 6);
	p->fetch_asked = chance(s, 50) ? 1 + below(s, 40) : 0;
}

static inline struct culprit_graph_params usual_params(void)
{
	struct culprit_graph_params p = {
		.fetch_width = 4,
		.taken_limit = 2,
		.fetch_line = 32,
		.frontend_stages = 5,
		.frontend_capacity = 28,
		.dispatch_width = 4,
		.dispatch_to_issue = 1,
		.rob = 16,
		.lq = 5,
		.sq = 4,
		.lsq = 7,
		.int_regs = 8,
		.fp_regs = 6,
		.commit_delay = 1,
		.commit_width = 4,
		.commit_stores = 1,
		.window_factor = 20,
		.ideal_capacity = 6,
		.issue_queues = true,
		.load_hit = 1,
		.forward_latency = 3,
		.miss_cycles = {0, 0, 10, 30, 150},
	};
	culprit_graph_base_classes(&p);
	return p;
}

/* Any small machine. */
static inline struct culprit_graph_params random_sizes(uint64_t *s)
{
	struct culprit_graph_params p = {
		.fetch_width = below(s, 10),
		.taken_limit = below(s, 4),
		.fetch_line = chance(s, 50) ? 0 : 8u << below(s, 4),
		.fetch_banked = chance(s, 20),
		.fetch_one_conditional = chance(s, 20),
		.frontend_stages = 1 + below(s, 20),
		.frontend_capacity = 1 + below(s, 60),
		.dispatch_width = below(s, 10),
		.dispatch_to_issue = 1 + below(s, 4),
		.rob = 1 + below(s, 40),
		.lq = below(s, 12),
		.sq = below(s, 12),
		.lsq = below(s, 20),
		.branches = below(s, 12),
		.int_regs = below(s, 20),
		.fp_regs = below(s, 20),
		.regs = chance(s, 50) ? 0 : below(s, 30),
		.late_rename = chance(s, 30),
		.commit_delay = 1 + below(s, 4),
		.commit_width = below(s, 10),
		.commit_stores = below(s, 3),
		.commit_branches = below(s, 3),
		.window_factor = 1 + below(s, 20),
		.ideal_capacity = 1 + below(s, 8),
		.issue_queues = chance(s, 50),
		.load_hit = below(s, 4),
		.forward_latency = below(s, 3),
	};
	culprit_graph_base_classes(&p);
	return p;
}

/* Limited queues and a store queue that every lane keeps account of. */
static inline void limit_rooms(struct culprit_graph_params *p, uint64_t *s)
{
	p->queue_count = 1 + below(s, 3);
	for (uint32_t q = 0; q < p->queue_count; q++)
		p->queue_entries[q] = below(s, 30);
	p->store_writes = true;
	p->write_hit = below(s, 4);
	p->late_rename = chance(s, 30);
	p->rename_to_issue = chance(s, 50) ? 0 : 1 + below(s, 4);
}

/* Every other time, writes that leave the store queue before they are done, with a buffer or without; where lines are
 * known, some that take turns with those to other lines. Of numbers of its own, so that streams stay what they were. */
static inline void post_writes(struct culprit_graph_params *p, uint64_t round)
{
	uint64_t own = round * 37 + 5, *s = &own;
	p->posted_writes = p->store_writes && chance(s, 50);
	p->write_buffer = chance(s, 70) ? 1 + below(s, chance(s, 50) ? 3 : 20) : 0;
	p->write_interval = p->store_writes && p->l1_line && chance(s, 40) ? 1 + below(s, 4) : 0;
}

#endif
