/* Processes that take samples, one after the other. A fork for each sample is dear: the child and the parent copy every
 * page that either writes. So a worker is forked once, and executes the program by itself, without a core, from sample
 * to sample; at each the parent hands over what warm-up has taught up to there. */
#ifndef CULPRIT_SAMPLE_WORKER_H
#define CULPRIT_SAMPLE_WORKER_H

#include "sample/sample.h"

/* Can workers take this command's samples? Not where analyses are to begin anew, or with plug-ins. */
bool worker_possible(const struct sample *s);

/* Have the sample `number` (WORKER_START: the region's start) taken here, by a worker that is free. WORKER_BUSY: there
 * is none, and an answer has to be waited for (worker_wait). */
enum { WORKER_START = -1 };
enum worker_answer { WORKER_GIVEN, WORKER_BUSY, WORKER_ERROR };
enum worker_answer worker_give(struct sample *s, long number, uint64_t warmup, uint64_t length, struct error *err);
/* Wait for one answer of any worker. */
bool worker_wait(struct sample *s, struct error *err);
void workers_destroy(struct sample *s);

#endif
