/* The number by which the hierarchy knows who accesses it. */
#ifndef CULPRIT_CORE_ACCESS_H
#define CULPRIT_CORE_ACCESS_H

#include "core/state.h"
#include "machine/stray_line.h"

static inline uint64_t access_seq(const struct core *c, uint64_t index, bool wrong)
{
	return wrong ? c->checkpoints[0].branch | WRONG_PATH_SEQ : index;
}

#endif
