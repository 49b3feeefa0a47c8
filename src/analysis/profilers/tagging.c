/* Dispatch tagging. The sample of a cycle tags the first instruction that enters the window in this cycle or
 * later, on whatever path that is. Numbers of squashed instructions are used again, so the tags in flight are
 * always in the order of their numbers, and a squash takes the last of them away. */
#include "analysis/profilers/state.h"

#include <stdlib.h>
#include <string.h>

void tagging_begin(struct tagging *t, const struct profilers_params *params)
{
	cursor_begin(&t->cursor, params);
}

void tagging_destroy(struct tagging *t)
{
	free(t->tags);
}

static bool tag(struct tagging *t, const struct profilers_params *params)
{
	if (t->first == t->count)
		t->first = t->count = 0;
	struct tag *tags = profilers_grown(t->tags, t->count, &t->room, sizeof *tags);
	if (!tags)
		return false;
	t->tags = tags;
	struct tag *new = &tags[t->count++];
	*new = (struct tag){.seq = t->dispatched};
	cursor_take(&t->cursor, params, t->now + 1, new->samples);
	return true;
}

static void squash(struct tagging *t, uint64_t first)
{
	if (t->dispatched > first)
		t->dispatched = first;
	for (; t->count > t->first && t->tags[t->count - 1].seq >= first; t->count--)
		for (unsigned s = 0; s < PROFILER_SERIES; s++)
			t->lost[s] += t->tags[t->count - 1].samples[s];
}

static bool take_entry(struct tagging *t, const struct profilers_params *params, const struct culprit_log_entry *e)
{
	if (e->kind == CULPRIT_LOG_SQUASHED)
		squash(t, e->seq);
	if (e->kind == CULPRIT_LOG_CYCLES)
		t->now += e->length;
	if (e->kind != CULPRIT_LOG_CYCLE)
		return true;
	uint16_t moved = (uint16_t)(e->dispatched - t->dispatched);
	bool good = !moved || tag(t, params);
	t->dispatched += moved;
	t->now++;
	return good;
}

bool tagging_log(struct tagging *t, const struct profilers_params *params, const struct culprit_log_part *part)
{
	for (size_t i = 0; i < part->count; i++)
		if (!take_entry(t, params, &part->entries[i]))
			return false;
	return true;
}

const uint64_t *tagging_commit(struct tagging *t, uint64_t seq)
{
	if (t->first == t->count || t->tags[t->first].seq != seq)
		return NULL;
	return t->tags[t->first++].samples;
}
