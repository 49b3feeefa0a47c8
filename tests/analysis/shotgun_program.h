/* A made-up program of a few instructions for the reconstruction's tests, and samples of a path through it that are
 * taken by hand, without the monitor: every instruction of the path is a detailed sample.
 *
 *     100 load   104 add   108 branch to 120   10c store   110 call 200   114 jump to 100
 *     120 jump to 140 or 160      140 add   144 jump to 100      160 load   164 add   168 jump to 100
 *     200 add   204 return */
#ifndef TESTS_ANALYSIS_SHOTGUN_PROGRAM_H
#define TESTS_ANALYSIS_SHOTGUN_PROGRAM_H

#include "culprit/shotgun.h"

#include <stdlib.h>
#include <string.h>

enum { PATH = 3000, LENGTH = 200, CONTEXT = 10, SIGNATURES = 12 };

struct program_row {
	uint64_t pc, target;
	uint8_t op_class, branch, dest, source;
	uint16_t flags;
};

static const struct program_row program[] = {
	{0x100, 0, CULPRIT_OP_load, 0, 5, 6, CULPRIT_LOAD},
	{0x104, 0, CULPRIT_OP_int_alu, 0, 6, 5, 0},
	{0x108, 0x120, CULPRIT_OP_branch, CULPRIT_BRANCH_CONDITIONAL, 64, 6, 0},
	{0x10c, 0, CULPRIT_OP_store, 0, 64, 6, CULPRIT_STORE},
	{0x110, 0x200, CULPRIT_OP_branch, CULPRIT_BRANCH_CALL, 1, 0, 0},
	{0x114, 0x100, CULPRIT_OP_branch, CULPRIT_BRANCH_JUMP, 64, 0, 0},
	{0x120, 0, CULPRIT_OP_branch, CULPRIT_BRANCH_INDIRECT_JUMP, 64, 7, 0},
	{0x140, 0, CULPRIT_OP_int_alu, 0, 7, 7, 0},
	{0x144, 0x100, CULPRIT_OP_branch, CULPRIT_BRANCH_JUMP, 64, 0, 0},
	{0x160, 0, CULPRIT_OP_load, 0, 7, 7, CULPRIT_LOAD},
	{0x164, 0, CULPRIT_OP_int_alu, 0, 7, 7, 0},
	{0x168, 0x100, CULPRIT_OP_branch, CULPRIT_BRANCH_JUMP, 64, 0, 0},
	{0x200, 0, CULPRIT_OP_int_alu, 0, 8, 8, 0},
	{0x204, 0, CULPRIT_OP_branch, CULPRIT_BRANCH_RETURN, 64, 1, 0},
};

static const struct program_row *program_at(uint64_t pc)
{
	for (size_t i = 0; i < sizeof program / sizeof *program; i++)
		if (program[i].pc == pc)
			return &program[i];
	return NULL;
}

static inline bool program_decode(void *context, uint64_t pc, struct culprit_static_insn *insn)
{
	const struct program_row *p = program_at(pc);
	if (!p)
		return false;
	*insn = (struct culprit_static_insn){.target = p->target,
					     .flags = p->flags,
					     .mem_size = p->flags ? 8 : 0,
					     .length = 4,
					     .op_class = p->op_class,
					     .branch = p->branch,
					     .dest = p->dest,
					     .source = {p->source, 0, 0}};
	return true;
}

/* The path taken, and what happened on it. */
struct path {
	uint64_t pc[PATH + 1];
	uint8_t bits[PATH]; /* bit 0 = the paper's bit 1 */
	struct culprit_detail detail[PATH];
	uint32_t state;
};

static inline uint32_t path_random(struct path *p, uint32_t n)
{
	p->state = p->state * 1664525 + 1013904223;
	return (uint32_t)((uint64_t)p->state * n >> 32);
}

static inline void path_make(struct path *p, uint32_t seed)
{
	memset(p, 0, sizeof *p);
	p->state = seed;
	p->pc[0] = 0x100;
	for (uint32_t i = 0; i < PATH; i++) {
		const struct program_row *row = program_at(p->pc[i]);
		bool taken = row->branch > CULPRIT_BRANCH_CONDITIONAL || (row->branch && path_random(p, 2));
		uint64_t target = row->target;
		if (row->branch == CULPRIT_BRANCH_INDIRECT_JUMP)
			target = path_random(p, 2) ? 0x140 : 0x160;
		if (row->branch == CULPRIT_BRANCH_RETURN)
			target = 0x114;
		p->pc[i + 1] = taken ? target : p->pc[i] + 4;
		bool miss = row->op_class == CULPRIT_OP_load && !path_random(p, 4);
		p->bits[i] = (uint8_t)((taken || row->flags) | miss << 1);
		p->detail[i] = (struct culprit_detail){.pc = p->pc[i], .exec_latency = 1};
		if (row->branch >= CULPRIT_BRANCH_INDIRECT_JUMP)
			p->detail[i].target = target;
		if (miss) {
			p->detail[i].dmiss = 12;
			p->detail[i].dlevel = CULPRIT_LEVEL_L2;
		}
	}
}

/* Bits of `count` positions from `from` on, into words. */
static inline void path_bits(const struct path *p, uint32_t from, uint32_t count, unsigned bit, uint64_t *words)
{
	for (uint32_t i = 0; i < count; i++)
		words[i / 64] |= (uint64_t)(p->bits[from + i] >> bit & 1) << (i % 64);
}

static inline uint32_t path_start(uint32_t signature)
{
	return 50 + signature * 211;
}

static inline struct culprit_samples path_samples(const struct path *p)
{
	struct culprit_samples s = {.context = CONTEXT, .length = LENGTH, .words = (LENGTH + 2 * CONTEXT + 63) / 64};
	s.pc = calloc(SIGNATURES, sizeof *s.pc);
	s.bits = calloc((size_t)2 * SIGNATURES * s.words, sizeof *s.bits);
	s.details = calloc(PATH, sizeof *s.details);
	for (uint32_t n = 0; n < SIGNATURES; n++) {
		s.pc[n] = p->pc[path_start(n)];
		for (unsigned b = 0; b < 2; b++)
			path_bits(p, path_start(n) - CONTEXT, LENGTH + 2 * CONTEXT, b,
				  s.bits + ((size_t)2 * n + b) * s.words);
	}
	s.signature_count = SIGNATURES;
	for (uint32_t i = CONTEXT; i + CONTEXT < PATH; i++) {
		struct culprit_detail *d = &s.details[s.detail_count++];
		*d = p->detail[i];
		for (unsigned b = 0; b < 2; b++)
			path_bits(p, i - CONTEXT, 2 * CONTEXT + 1, b, &d->bits[b]);
	}
	return s;
}

static inline void samples_free(struct culprit_samples *s)
{
	free(s->pc);
	free(s->bits);
	free(s->details);
}

static inline struct culprit_shotgun_machine program_machine(void)
{
	struct culprit_shotgun_machine m = {.wakeup = 1, .redirect = 1, .decode_redirect = 2};
	m.graph = (struct culprit_graph_params){.fetch_width = 4,
						.dispatch_width = 4,
						.taken_limit = 1,
						.frontend_stages = 5,
						.frontend_capacity = 24,
						.dispatch_to_issue = 1,
						.rob = 32,
						.commit_delay = 1,
						.commit_width = 4,
						.window_factor = 20,
						.ideal_capacity = 6,
						.miss_cycles = {0, 0, 12, 42, 142},
						.miss_line = 64,
						.issue_slots = true,
						.issue_width = 4,
						.unit_count = 1,
						.units = {{4, 0}},
						.queue_count = 1,
						.queue_width = {4}};
	culprit_graph_base_classes(&m.graph);
	for (unsigned op = 0; op < CULPRIT_OP_COUNT; op++)
		m.latency[op] = op == CULPRIT_OP_load ? 2 : 1;
	return m;
}

#endif
