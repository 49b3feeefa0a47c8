/* Last branch records: a sample reads where the last taken branches came from and went to. Between a target and
 * the next branch the code is a run without a jump; a run is in the records from the branch that ends it until
 * LBR_BRANCHES - 1 more have committed. Sampled are taken branches, one in a period, as is the practice: samples
 * of cycles would see again and again what ran before something slow. */
#include "analysis/profilers/state.h"

#include <stdlib.h>
#include <string.h>

void lbr_begin(struct lbr *l, const struct profilers_params *params)
{
	cursor_begin(&l->cursor, params);
}

void lbr_destroy(struct lbr *l)
{
	free(l->runs);
	map_destroy(&l->places);
}

/* UINT32_MAX: no memory. */
static uint32_t run_of(struct lbr *l, uint64_t first, uint64_t last)
{
	uint64_t span = last - first < 1u << LBR_SPAN_BITS ? last - first : (1u << LBR_SPAN_BITS) - 1;
	uint64_t key = first << LBR_SPAN_BITS | span;
	uint32_t known = map_get(&l->places, key);
	if (known)
		return known - 1;
	struct lbr_run *runs = l->count < UINT32_MAX - 1 ? profilers_grown(l->runs, l->count, &l->room, sizeof *runs)
							 : NULL;
	if (runs)
		l->runs = runs;
	if (!runs || !map_put(&l->places, key, (uint32_t)l->count + 1))
		return UINT32_MAX;
	runs[l->count] = (struct lbr_run){.first = first, .last = first + span};
	return (uint32_t)l->count++;
}

/* The oldest leaves the records: all samples from its own on have seen its run. */
static void leave(struct lbr *l, const struct lbr_branch *b)
{
	struct lbr_run *run = &l->runs[b->run];
	for (unsigned s = 0; s < PROFILER_SERIES; s++) {
		uint64_t seen = l->samples[s] - b->samples[s];
		run->seen[s] += seen;
		run->cycles[s] += seen * b->cycles;
	}
}

bool lbr_push(struct lbr *l, const struct profilers_params *params, const struct culprit_record *r)
{
	if (!l->inside)
		l->first = r->pc;
	l->inside = true;
	if (!r->branch || !(r->flags & CULPRIT_TAKEN))
		return true;
	uint32_t run = run_of(l, l->first, r->pc);
	if (run == UINT32_MAX)
		return false;
	struct lbr_branch *b = &l->branches[l->taken % LBR_BRANCHES];
	if (l->taken >= LBR_BRANCHES)
		leave(l, b);
	*b = (struct lbr_branch){.run = run, .cycles = r->commit - l->committed};
	memcpy(b->samples, l->samples, sizeof b->samples);
	cursor_take(&l->cursor, params, ++l->taken, l->samples);
	l->committed = r->commit;
	l->inside = false;
	return true;
}
