/* See the header. Instructions are numbered by their place in the region, from 1, so that 0 means none. */
#include "interval/profile/strays.h"

#include "interval/profile/sampler.h"

#include <stdlib.h>
#include <string.h>

enum {
	BRANCHES_LOG2 = 12,
	ROOM_FOR_ONE = INTERVAL_STRAYS_MOST * (1 + INTERVAL_INNER_MOST), /* every instruction a mispredicted branch */
};

/* The last outcomes of a branch, the youngest in the lowest bit. Branches that share an entry push each other out. */
struct habit {
	uint64_t pc;
	uint32_t outcomes;
};

/* A store of a wrong path, to be taken back. */
struct undo {
	uint64_t address, old;
	uint8_t size;
};

struct interval_strays {
	bool begun, failed;
	uint64_t start;	  /* instret at the region's begin */
	uint64_t every;	  /* as the sampler's */
	uint64_t reached; /* the instruction up to which this has been run without a gap */
	uint64_t written[RISCV_REGISTERS];
	struct habit habits[1 << BRANCHES_LOG2];
	uint8_t follows[1 << BRANCHES_LOG2]; /* two-bit counters by pc and history, as a gshare predictor's */
	uint64_t history;
	/* wrong[].branch is the place in the region until finish */
	struct interval_sample *list;
	struct interval_wrong_path *wrong;
	size_t count, room, wrong_count, wrong_room;
	struct undo undo[INTERVAL_STRAYS_MOST + INTERVAL_INNER_MOST];
	size_t undo_count;
};

struct interval_strays *interval_strays_create(struct error *err)
{
	struct interval_strays *s = calloc(1, sizeof *s);
	if (!s)
		error_set(err, ERROR_SYSTEM, "out of memory for wrong paths");
	return s;
}

void interval_strays_destroy(struct interval_strays *s)
{
	if (!s)
		return;
	free(s->list);
	free(s->wrong);
	free(s);
}

void interval_strays_begin(struct interval_strays *s, uint64_t instret, uint64_t every)
{
	s->begun = true;
	s->start = s->reached = instret;
	s->every = every;
}

/* --- which stretches, and what is kept --- */

/* Keep the paths that `wanted` names. */
static void keep(struct interval_strays *s, bool wanted(const struct interval_wrong_path *, void *), void *context)
{
	size_t paths = 0, strays = 0;
	for (size_t i = 0; i < s->wrong_count; i++) {
		struct interval_wrong_path w = s->wrong[i];
		if (!wanted(&w, context))
			continue;
		memmove(&s->list[strays], &s->list[w.first], w.count * sizeof *s->list);
		w.first = (uint32_t)strays;
		strays += w.count;
		s->wrong[paths++] = w;
	}
	s->wrong_count = paths;
	s->count = strays;
}

static bool in_kept_stretch(const struct interval_wrong_path *w, void *context)
{
	const struct interval_strays *s = context;
	return w->branch / INTERVAL_STRETCH % s->every == 0;
}

bool interval_strays_wanted(struct interval_strays *s, uint64_t instret, uint64_t *left)
{
	*left = UINT64_MAX;
	if (!s->begun || s->failed)
		return false;
	uint64_t place = instret - s->start, stretch = place / INTERVAL_STRETCH, inside = place % INTERVAL_STRETCH;
	if (place >
	    UINT32_MAX) /* the places of wrong paths have 32 bits, and so do regions of which a model knows enough */
		return false;
	while (stretch >= INTERVAL_STRETCHES * s->every) {
		s->every *= 2;
		keep(s, in_kept_stretch, s);
	}
	uint64_t beyond = stretch % s->every;
	*left = (beyond ? (s->every - beyond) * INTERVAL_STRETCH : INTERVAL_STRETCH) - inside;
	return !beyond;
}

static bool grow(void **list, size_t *room, size_t needed, size_t size)
{
	if (needed <= *room)
		return true;
	size_t wanted = *room ? 2 * *room : 1 << 14;
	void *grown = realloc(*list, wanted * size);
	if (!grown)
		return false;
	*list = grown;
	*room = wanted;
	return true;
}

/* --- a wrong path --- */

/* False: the path cannot go on. A bad address is left to the executor's fault. */
static bool log_store(struct interval_strays *s, const struct riscv_hart *hart, struct address_space *memory,
		      const struct riscv_insn *insn)
{
	uint64_t address = hart->r[insn->rs1] + (uint64_t)(int64_t)(insn->op_class == CULPRIT_OP_amo ? 0 : insn->imm);
	if (!address_space_allows(memory, address, insn->mem_size, PAGE_READ | PAGE_WRITE))
		return !address_space_allows(memory, address, insn->mem_size, PAGE_WRITE);
	struct undo *u = &s->undo[s->undo_count++];
	*u = (struct undo){.address = address, .size = insn->mem_size};
	memcpy(&u->old, address_space_host(memory, address), insn->mem_size);
	return true;
}

static void take_back(struct interval_strays *s, struct address_space *memory, size_t mark)
{
	while (s->undo_count > mark) {
		const struct undo *u = &s->undo[--s->undo_count];
		memcpy(address_space_host(memory, u->address), &u->old, u->size);
	}
}

static uint16_t distance(uint64_t at, uint64_t producer)
{
	return producer && at - producer <= UINT16_MAX ? (uint16_t)(at - producer) : 0;
}

static uint8_t flags_of(const struct riscv_insn *insn, bool taken)
{
	return (uint8_t)((insn->flags & RISCV_LOAD ? SAMPLE_LOAD : 0) | (insn->flags & RISCV_STORE ? SAMPLE_STORE : 0) |
			 (insn->flags & RISCV_AT_HEAD ? SAMPLE_AT_HEAD : 0) | (insn->length == 2 ? SAMPLE_SHORT : 0) |
			 (taken ? SAMPLE_TAKEN : 0));
}

/* Where a wrong path is. */
struct walk {
	struct riscv_hart *hart;
	struct riscv_code *code;
	struct address_space *memory;
	const struct riscv_block *block; /* NULL: not known yet */
	uint32_t next;			 /* instruction of the block */
	uint64_t at;			 /* number of the last instruction executed */
	uint64_t written[RISCV_REGISTERS];
};

static void note(struct interval_strays *s, struct walk *w, const struct riscv_insn *insn, uint64_t pc,
		 const struct riscv_outcome *out)
{
	bool accesses = insn->flags & (RISCV_LOAD | RISCV_STORE);
	const uint8_t sources[3] = {insn->rs1, insn->rs2, insn->rs3};
	struct interval_sample *to = &s->list[s->count++];
	*to = (struct interval_sample){
		.pc = (uint32_t)(pc >> 1),
		.address = accesses ? (uint32_t)(out->mem_addr >> 3) : 0,
		.op = insn->op_class,
		.dest = insn->rd >= RISCV_NO_DEST ? SAMPLE_DEST_NONE
			: insn->rd < 32		  ? SAMPLE_DEST_INT
						  : SAMPLE_DEST_FP,
		.flags = flags_of(insn, out->taken),
	};
	for (size_t i = 0; i < 3; i++)
		to->producer[i] = sources[i] ? distance(w->at, w->written[sources[i]]) : 0;
	w->written[insn->rd] = w->at;
}

/* One instruction further; NULL: the path ends. */
static const struct riscv_insn *step(struct interval_strays *s, struct walk *w)
{
	if (!w->block || w->next >= w->block->count) {
		w->block = riscv_code_block(w->code, w->hart->pc);
		w->next = 0;
	}
	if (!w->block)
		return NULL;
	const struct riscv_insn *insn = &w->block->insns[w->next++];
	struct riscv_outcome out;
	uint64_t pc = w->hart->pc;
	/* vector registers would have to be kept, too */
	if ((insn->flags & (RISCV_SERIALISING | RISCV_VECTOR)) ||
	    ((insn->flags & RISCV_STORE) && !log_store(s, w->hart, w->memory, insn)) ||
	    riscv_step(w->hart, insn, w->memory, &out) != RISCV_CONTINUE)
		return NULL;
	w->at++;
	note(s, w, insn, pc, &out);
	if (insn->branch)
		w->block = NULL;
	return insn;
}

static struct habit *habit_of(struct interval_strays *s, uint64_t pc)
{
	return &s->habits[pc * 0x9e3779b97f4a7c15 >> (64 - BRANCHES_LOG2)];
}

/* Has the branch mostly gone the other way of late? */
static bool is_unusual(struct interval_strays *s, uint64_t pc, bool taken)
{
	const struct habit *h = habit_of(s, pc);
	return h->pc == pc && (__builtin_popcount(h->outcomes & 7) >= 2) != taken;
}

/* Where the mispredicted branch just executed would have led, for a while. */
static void stray_within(struct interval_strays *s, const struct walk *w, uint64_t other)
{
	const struct riscv_hart here = *w->hart;
	size_t mark = s->undo_count, first = s->count;
	struct walk inner = *w;
	inner.hart->pc = other;
	inner.block = NULL;
	for (unsigned n = 0; n < INTERVAL_INNER_MOST && step(s, &inner); n++)
		;
	for (size_t i = first; i < s->count; i++)
		s->list[i].flags |= SAMPLE_INNER;
	take_back(s, w->memory, mark);
	*w->hart = here;
}

/* Follow the program from hart->pc; the branch behind which it goes is number `branch`. */
static void stray(struct interval_strays *s, struct riscv_hart *hart, struct riscv_code *code,
		  struct address_space *memory, uint64_t branch)
{
	struct walk w = {.hart = hart, .code = code, .memory = memory, .at = branch};
	memcpy(w.written, s->written, sizeof w.written);
	while (w.at < branch + INTERVAL_STRAYS_MOST) {
		uint64_t pc = hart->pc;
		const struct riscv_insn *insn = step(s, &w);
		if (!insn)
			return;
		bool taken = s->list[s->count - 1].flags & SAMPLE_TAKEN;
		if (insn->branch != CULPRIT_BRANCH_CONDITIONAL || !is_unusual(s, pc, taken))
			continue;
		s->list[s->count - 1].flags |= SAMPLE_MISPREDICTED;
		stray_within(s, &w, taken ? pc + insn->length : pc + (uint64_t)(int64_t)insn->imm);
	}
}

static void go_the_other_way(struct interval_strays *s, struct riscv_hart *hart, struct riscv_code *code,
			     struct address_space *memory, uint64_t other)
{
	const struct riscv_hart right = *hart;
	size_t first = s->count;
	uint64_t place = hart->instret - s->start - 1; /* of the branch */
	if (!grow((void **)&s->list, &s->room, s->count + ROOM_FOR_ONE, sizeof *s->list) ||
	    !grow((void **)&s->wrong, &s->wrong_room, s->wrong_count + 1, sizeof *s->wrong)) {
		s->failed = true;
		return;
	}
	hart->pc = other;
	stray(s, hart, code, memory, place + 1);
	take_back(s, memory, 0);
	*hart = right;
	if (s->count > first)
		s->wrong[s->wrong_count++] =
			(struct interval_wrong_path){(uint32_t)place, (uint32_t)first, (uint32_t)(s->count - first)};
}

/* --- the right path --- */

/* Might a predictor have missed this outcome? If it was not what the branch mostly did of late, or not what usually
 * follows what went before. */
static bool is_doubtful(struct interval_strays *s, uint64_t pc, bool taken)
{
	struct habit *h = habit_of(s, pc);
	if (h->pc != pc)
		*h = (struct habit){.pc = pc, .outcomes = taken ? 0 : 7};
	bool doubtful = is_unusual(s, pc, taken);
	uint8_t *counter = &s->follows[(pc >> 1 ^ s->history) & ((1 << BRANCHES_LOG2) - 1)];
	doubtful |= (*counter >= 2) != taken;
	*counter = (uint8_t)(taken ? *counter + (*counter < 3) : *counter - (*counter > 0));
	s->history = s->history << 1 | taken;
	h->outcomes = h->outcomes << 1 | taken;
	return doubtful;
}

/* What a run through a block wrote, and the branch at its end. */
static void look_at(struct interval_strays *s, struct riscv_hart *hart, struct riscv_code *code,
		    struct address_space *memory, const struct riscv_trace_entry *e)
{
	uint64_t at = hart->instret - s->start - e->count;
	uint64_t pc = e->block->pc;
	for (uint32_t i = 0; i < e->count; i++) {
		s->written[e->block->insns[i].rd] = ++at;
		pc += e->block->insns[i].length;
	}
	if (!e->count)
		return;
	const struct riscv_insn *last = &e->block->insns[e->count - 1];
	if (last->branch != CULPRIT_BRANCH_CONDITIONAL || !is_doubtful(s, pc - last->length, e->taken))
		return;
	go_the_other_way(s, hart, code, memory, e->taken ? pc : pc - last->length + (uint64_t)(int64_t)last->imm);
}

enum riscv_stop interval_strays_run(struct interval_strays *s, struct riscv_hart *hart, struct riscv_code *code,
				    struct address_space *memory, uint64_t most, struct riscv_trace *trace,
				    struct riscv_outcome *out)
{
	uint64_t end = hart->instret + most;
	if (hart->instret != s->reached)
		memset(s->written, 0, sizeof s->written);
	trace->entry_count = trace->access_count = 0;
	enum riscv_stop stop = RISCV_STOP_LIMIT;
	while (stop == RISCV_STOP_LIMIT && hart->instret < end) {
		const struct riscv_block *block = riscv_code_block(code, hart->pc);
		uint64_t left = end - hart->instret, size = block ? block->count : 1;
		struct riscv_trace part = {trace->entries + trace->entry_count, trace->accesses + trace->access_count,
					   0, 0};
		stop = riscv_trace_run(hart, code, memory, size < left ? size : left, true, &part, out);
		trace->entry_count += part.entry_count;
		trace->access_count += part.access_count;
		if (stop != RISCV_STOP_LIMIT)
			break;
		for (size_t i = 0; i < part.entry_count; i++)
			look_at(s, hart, code, memory, &part.entries[i]);
	}
	s->reached = hart->instret;
	return stop;
}

/* --- the end --- */

static bool was_mispredicted(const struct interval_wrong_path *w, void *context)
{
	const struct interval_samples *to = context;
	return w->branch < to->count && (to->list[w->branch].flags & SAMPLE_MISPREDICTED);
}

bool interval_strays_finish(struct interval_strays *s, struct interval_samples *to)
{
	if (s->failed || !s->begun)
		return !s->failed;
	while (s->every < to->every) { /* the region ended with a thinning */
		s->every *= 2;
		keep(s, in_kept_stretch, s);
	}
	for (size_t i = 0; i < s->wrong_count; i++) {
		uint32_t place = s->wrong[i].branch;
		s->wrong[i].branch =
			(uint32_t)(place / INTERVAL_STRETCH / to->every * INTERVAL_STRETCH + place % INTERVAL_STRETCH);
	}
	keep(s, was_mispredicted, to);
	to->strays = s->list;
	to->stray_count = s->count;
	to->wrong = s->wrong;
	to->wrong_count = s->wrong_count;
	s->list = NULL;
	s->wrong = NULL;
	return true;
}
