#include "core/stray.h"

#include "core/path.h"

#include <stdlib.h>
#include <string.h>

/* Paths that brought nothing when so many changes of the first level had been counted. */
enum { KNOWN_LOG2 = 10 };
struct known {
	uint64_t branch, to, changes;
};
struct stray_paths {
	struct known known[1 << KNOWN_LOG2];
	char save[]; /* the predictor's, where a wrong path begins */
};

struct stray {
	uint64_t pc;	       /* fetched next */
	uint64_t cycle, end;   /* fetch is in this one; the branch has executed */
	uint64_t line;	       /* that fetch holds, NEVER = none */
	uint32_t group, taken; /* instructions and taken branches of this cycle's group */
	const struct riscv_block *block;
	uint32_t next; /* of the block */
	bool stacked;  /* it called or returned */
};

static void new_group(struct stray *s, uint64_t cycles)
{
	s->cycle += cycles;
	s->group = s->taken = 0;
}

static void bring_line(struct core *c, struct stray *s, uint64_t line)
{
	if (line == s->line)
		return;
	const uint64_t wait = hierarchy_warm_stray(c->hierarchy, line << c->line_bits);
	s->line = line;
	if (wait)
		new_group(s, wait);
}

/* The instruction at the pc, if fetch has it in time. */
static const struct riscv_insn *fetch(struct core *c, struct stray *s)
{
	if (!s->block || s->next == s->block->count) {
		s->block = riscv_code_block(c->code, s->pc);
		s->next = 0;
	}
	if (!s->block)
		return NULL;
	const struct riscv_insn *insn = &s->block->insns[s->next++];
	const uint64_t first = s->pc + s->block->tag, last = first + insn->length - 1;
	if (s->group && ((first - 1) ^ last) >> c->block_bits)
		new_group(s, 1);
	bring_line(c, s, first >> c->line_bits);
	bring_line(c, s, last >> c->line_bits);
	const bool stops = insn->op_class == CULPRIT_OP_system || (insn->flags & RISCV_SERIALISING);
	return s->cycle < s->end && !stops ? insn : NULL;
}

/* Where the prediction leads; false: nowhere. */
static bool go_on(struct core *c, struct stray *s, const struct riscv_insn *insn)
{
	const uint64_t pc = path_named(c, s->pc);
	const struct branch_query q = {
		.pc = pc,
		.direct_target = pc + (uint64_t)(int64_t)insn->imm,
		.actual_next = pc + insn->length,
		.length = insn->length,
		.kind = insn->branch,
		.link_register = insn->branch == CULPRIT_BRANCH_INDIRECT_CALL && riscv_reads_link(insn),
		.wrong_path = true,
	};
	struct prediction p;
	predictor_predict(c->predictor, &q, &p);
	if (!p.target_known)
		return false;
	predictor_speculate(c->predictor, &q, p.taken, p.next_pc);
	s->stacked |= insn->branch != CULPRIT_BRANCH_CONDITIONAL && insn->branch != CULPRIT_BRANCH_JUMP;
	s->pc = p.next_pc ^ c->space;
	s->block = NULL;
	if ((p.taken && !p.btb_hit) || p.late)
		new_group(s, 1 + (p.btb_hit ? p.late : c->m.frontend_decode_redirect));
	else if (p.taken && ++s->taken >= c->d.taken_limit)
		new_group(s, 1);
	return true;
}

/* Does it leave the predictor as it was? */
static bool walk(struct core *c, uint64_t pc)
{
	struct stray s = {.pc = pc, .line = NEVER};
	s.end = c->m.frontend_stages + c->m.issue_dispatch_to_issue + c->d.latency[CULPRIT_OP_branch];
	uint32_t left = c->d.wrong_path_limit; /* else a loop that is fetched in one cycle has no end */
	for (new_group(&s, 1); s.cycle < s.end && left; left--) {
		const struct riscv_insn *insn = fetch(c, &s);
		if (!insn)
			break;
		s.group++;
		if (!(insn->flags & RISCV_BRANCH))
			s.pc += insn->length;
		else if (!go_on(c, &s, insn))
			break;
		if (s.group >= c->d.fetch_width)
			new_group(&s, 1);
	}
	return !s.stacked;
}

void stray_follow(struct core *c, const struct branch_query *q, const struct prediction *predicted)
{
	struct stray_paths *paths = c->strays;
	const uint64_t to = predicted->next_pc, hash = (q->pc ^ to << 1) * 0x9e3779b97f4a7c15;
	struct known *k = &paths->known[hash >> (64 - KNOWN_LOG2)];
	const uint64_t before = hierarchy_warm_changes(c->hierarchy);
	if (!predicted->target_known || (k->branch == q->pc && k->to == to && k->changes == before))
		return;
	predictor_save(c->predictor, paths->save);
	predictor_speculate(c->predictor, q, predicted->taken, to);
	if (walk(c, to ^ c->space) && hierarchy_warm_changes(c->hierarchy) == before)
		*k = (struct known){q->pc, to, before};
	predictor_restore(c->predictor, paths->save);
	c->fetch_line = NEVER;
}

void stray_forget(struct core *c)
{
	if (c->strays)
		memset(c->strays->known, 0, sizeof c->strays->known);
}

bool core_warm_strays(struct core *c)
{
	if (!c->strays)
		c->strays = calloc(1, sizeof *c->strays + predictor_save_size(c->predictor));
	return c->strays != NULL;
}
