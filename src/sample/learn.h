/* Store sets learn from collisions of loads with stores, which only time shows: functional warming cannot teach them.
 * So they learn from sample to sample, as if what samples simulate were one run without gaps: what a sample has learnt
 * is taught to the parent, whose later children begin with it, and the parent's tables grow older, and are cleared, by
 * the cycles that samples simulate. Samples run side by side: one knows of those that began LEARN_LAG before it, and
 * the result does not depend on how many run at a time. The region's start, a long one, is always known. */
#ifndef CULPRIT_SAMPLE_LEARN_H
#define CULPRIT_SAMPLE_LEARN_H

#include "sample/sample.h"

/* In the child: what its core has learnt, behind what was measured; and read back. */
void learn_write(const struct sample *s, struct bytes *to);
bool learn_read(struct sample_unit *u, struct cursor *from);

/* Before a sample starts: what has to end, and then to be taught, first. NULL: nothing. */
struct sample_unit *learn_next(struct sample *s);
void learn_from(struct sample *s, struct sample_unit *u);
/* A sample of so many instructions, warm-up included, has started behind the region's start: time goes by. */
void learn_started(struct sample *s, uint64_t instructions);

#endif
