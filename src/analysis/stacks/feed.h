/* What fetch's buffer still has for the front-end pipeline: what fetch delivered goes into the pipeline as wide as
 * dispatch is, and the rest waits. That the front end holds no more than the pipeline does not tell that the buffer is
 * empty, because a pipeline that waited has gaps: asked so, each L1I miss on straight code counted a cycle too many. */
#ifndef CULPRIT_ANALYSIS_STACKS_FEED_H
#define CULPRIT_ANALYSIS_STACKS_FEED_H

#include "analysis/stacks/state.h"

/* The event's cycles pass. Returns what there was to feed in them. */
static inline uint64_t feed_pipeline(struct stacks *s, const struct culprit_cycle *e)
{
	uint64_t now = e->front, there = now + e->dispatched, before = s->front, pipeline = s->params.front_pipeline;
	uint64_t unfed = s->unfed + (there > before ? there - before : 0), fed = s->feed_width * e->length;
	uint64_t left = unfed > fed ? unfed - fed : 0, kept = now > pipeline ? now - pipeline : 0;
	left = left > kept ? left : kept; /* dispatch held the pipeline up */
	s->unfed = left < now ? left : now;
	s->front = now;
	return unfed;
}

/* Cycles of that event in which fetch's buffer had something for the pipeline. */
static inline uint64_t fed_cycles(const struct stacks *s, const struct culprit_cycle *e, uint64_t unfed)
{
	if (stacks_rule(s, FMT_RULE_buffer))
		return 0;
	return s->unfed ? e->length : (unfed + s->feed_width - 1) / s->feed_width;
}

#endif
