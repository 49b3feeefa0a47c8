/* A second pass, where the first falls short of --error. A process that was forked where the region begins waits
 * meanwhile: the two passes of SMARTS (Wunderlich et al., ISCA 2003), without loading the program anew. */
#ifndef CULPRIT_SAMPLE_AGAIN_H
#define CULPRIT_SAMPLE_AGAIN_H

#include "sample/sample.h"

/* An error that nobody asked for is worth no samples closer together than they begin. */
enum { AGAIN_NEAREST = 4 };
/* Could samples lie closer together than the schedule has them? */
bool again_possible(const struct sample *s);
/* Before the first sample. Returns in the parent; and in the process that waits, when it is to take all samples anew:
 * then `second` is set, and its program has nowhere to print to. */
bool again_prepare(struct sample *s, struct error *err);
/* The estimates are there: are they further off than --error allows, with a process to take more samples? */
bool again_needed(const struct sample *s);
/* Have it do so, and end the command: its exit status. */
bool again_take(struct sample *s, int *status, struct error *err);
/* Not needed. */
void again_destroy(struct sample *s);

#endif
