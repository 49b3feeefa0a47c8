/* A branch as a plug-in is told of it. */
#ifndef CULPRIT_MACHINE_PLUGGED_BRANCH_H
#define CULPRIT_MACHINE_PLUGGED_BRANCH_H

#include "machine/plugin.h"
#include "machine/prediction.h"

static inline struct culprit_plugin_branch plugged_branch(const struct branch_query *q)
{
	const bool direct = q->kind <= CULPRIT_BRANCH_CALL;
	return (struct culprit_plugin_branch){.pc = q->pc,
					      .direct_target = direct ? q->direct_target : 0,
					      .length = q->length,
					      .kind = q->kind,
					      .wrong_path = q->wrong_path,
					      .actual_taken = q->actual_taken,
					      .actual_next = q->actual_next};
}

#endif
