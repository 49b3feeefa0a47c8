/* Wrong paths that join the right path again. Behind a mispredicted branch the machine goes on the wrong way until the branch has
 * completed. Where both ways meet, it executes instructions that the right path will execute too, and what their loads and fetches
 * bring is there, or on its way, when the right path comes: a misprediction then no longer serialises the misses around it.
 *
 * A functional pass sees no wrong path. It is taken to be what followed the last time that the same conditional branch went the other
 * way; behind the join it is the right path, since the predictor says the same there. Behind the join, an instruction that depends on something
 * between branch and join, on either path, is left out: its operands are not the same on both. */
#include "interval/flow_state.h"

#include <stdlib.h>
#include <string.h>

enum { REACH = 48, PLACES = 256, BRANCHES = 1 << 16 };

/* --- where paths join --- */

/* The instructions behind `start` by pc: the first place of each. */
struct path {
	uint32_t pc[PLACES];
	uint8_t place[PLACES]; /* from 1; 0 = free */
};

static uint32_t slot_of(uint32_t pc)
{
	return pc * UINT32_C(2654435761) >> 24;
}

static void remember_path(struct path *p, const struct flow_stream *stream, size_t branch)
{
	memset(p->place, 0, sizeof p->place);
	for (size_t i = 1; i <= REACH && branch + i < stream->count; i++) {
		uint32_t pc = stream->samples[branch + i].pc, slot = slot_of(pc);
		while (p->place[slot] && p->pc[slot] != pc)
			slot = (slot + 1) % PLACES;
		if (!p->place[slot]) {
			p->pc[slot] = pc;
			p->place[slot] = (uint8_t)i;
		}
	}
}

static uint8_t place_on(const struct path *p, uint32_t pc)
{
	uint32_t slot = slot_of(pc);
	while (p->place[slot] && p->pc[slot] != pc)
		slot = (slot + 1) % PLACES;
	return p->place[slot];
}

/* The join with the shortest way to it, both ways together. */
static struct flow_join join(const struct flow_stream *stream, size_t branch, size_t other)
{
	struct path wrong;
	struct flow_join best = {(uint32_t)other, 0, 0};
	remember_path(&wrong, stream, other);
	for (size_t i = 1; i <= REACH && branch + i < stream->count; i++) {
		uint8_t place = place_on(&wrong, stream->samples[branch + i].pc);
		if (place && (!best.right || i + place < (size_t)best.right + best.wrong))
			best = (struct flow_join){(uint32_t)other, (uint8_t)i, place};
	}
	return best;
}

/* The instances of branches last seen, by pc and direction. Two branches that share an entry push each other out. */
struct instance {
	uint32_t pc;
	size_t at; /* index + 1; 0 = none */
};

static struct instance *instance_of(struct instance *all, uint32_t pc, bool taken)
{
	return &all[(pc * UINT32_C(2654435761) >> 17 << 1 | taken) % BRANCHES];
}

static void visit(const struct flow_stream *stream, struct flow_join *joins, struct instance *all, size_t i)
{
	const struct interval_sample *s = &stream->samples[i];
	if (s->op != CULPRIT_OP_branch)
		return;
	bool taken = s->flags & SAMPLE_TAKEN;
	const struct instance *other = instance_of(all, s->pc, !taken);
	if ((s->flags & SAMPLE_MISPREDICTED) && !joins[i].right && other->at && other->pc == s->pc)
		joins[i] = join(stream, i, other->at - 1);
	*instance_of(all, s->pc, taken) = (struct instance){s->pc, i + 1};
}

bool flow_find_joins(const struct flow_stream *stream, struct flow_join **joins, struct error *err)
{
	struct instance *all = calloc(BRANCHES, sizeof *all);
	*joins = calloc(stream->count + 1, sizeof **joins);
	if (!all || !*joins) {
		free(all);
		return error_set(err, ERROR_SYSTEM, "out of memory for the sample");
	}
	for (size_t i = 0; i < stream->count; i++)
		visit(stream, *joins, all, i);
	memset(all, 0, BRANCHES * sizeof *all);
	for (size_t i = stream->count; i-- > 0;)
		visit(stream, *joins, all, i);
	free(all);
	return true;
}

/* --- what they bring --- */

/* Was an operand made between branch and join of the wrong path? */
static bool made_on_the_way(const struct interval_sample *twin, uint64_t place, uint64_t join)
{
	for (unsigned n = 0; n < 3; n++) {
		uint64_t d = twin->producer[n];
		if (d && d < place && place - d < join)
			return true;
	}
	return false;
}

/* When are the operands there? UINT64_MAX: they are others on the wrong path. */
static uint64_t operands(const struct flow *f, const struct interval_sample *s, uint64_t i, uint64_t k, uint64_t back)
{
	uint64_t ready = 0;
	for (unsigned n = 0; n < 3; n++) {
		uint64_t d = s->producer[n], made = 0;
		if (d && d < k)
			made = f->stray_wake[k - d];
		else if (d && d - k <= back)
			made = f->wake[(i + k - d) & (FLOW_RING - 1)];
		ready = made > ready ? made : ready;
	}
	return ready;
}

/* One instruction of the wrong path, dispatched at `at`; returns when its result is there. */
static uint64_t execute(struct flow *f, const struct interval_sample *s, uint64_t index, uint64_t ready, uint64_t at,
			uint64_t resolved)
{
	if (ready == UINT64_MAX)
		return UINT64_MAX;
	at += f->m.issue_dispatch_to_issue;
	ready = ready > at ? ready : at;
	if (!(s->flags & SAMPLE_LOAD))
		return ready + f->m.latency[s->op];
	if (s->dlevel > CULPRIT_LEVEL_L1 && ready < resolved)
		return flow_stray_load(f, s, index, ready);
	return ready + f->m.latency[s->op] + f->m.l1d_latency;
}

void flow_run_wrong_path(struct flow *f, const struct flow_stream *stream, uint64_t i, uint64_t back)
{
	if (!flow_has(f, FLOW_stray) || !stream->joins || !stream->joins[i].right)
		return;
	const struct flow_join join = stream->joins[i];
	uint64_t resolved = f->complete[i & (FLOW_RING - 1)], width = f->m.dispatch_width, stalls = 0;
	uint64_t room = f->m.window_rob < FLOW_STRAY_MOST ? f->m.window_rob : FLOW_STRAY_MOST - 1;
	for (uint64_t k = 1; k < join.right; k++)
		f->stray_wake[k] = UINT64_MAX;
	bool together = true;
	for (uint64_t k = join.right; k < FLOW_STRAY_MOST && i + k < stream->count; k++) {
		const struct interval_sample *s = &stream->samples[i + k];
		uint64_t place = k - join.right + join.wrong, fetched = f->fetch_cycle + place / width + stalls;
		const struct interval_sample *twin = &stream->samples[join.other + place];
		if (fetched >= resolved || place >= room || (s->flags & SAMPLE_SERIALISING))
			return;
		together = together && join.other + place < stream->count && twin->pc == s->pc;
		if (s->ilevel > CULPRIT_LEVEL_L1)
			stalls += flow_stray_fetch(f, s, i + k, fetched);
		uint64_t at = fetched + f->m.frontend_stages;
		bool other = together && made_on_the_way(twin, place, join.wrong);
		uint64_t ready = other ? UINT64_MAX : operands(f, s, i, k, back);
		f->stray_wake[k] = execute(f, s, i + k, ready, at, resolved);
		if (s->flags & SAMPLE_MISPREDICTED)
			return; /* another wrong path begins, whose end nobody knows */
	}
}
