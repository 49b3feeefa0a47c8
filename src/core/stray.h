/* Wrong paths in warm-up: the lines that fetch brings before a mispredicted branch can have executed.
 *
 * Without time nobody knows how long that takes, but the machine says how long at the least: the branch goes through
 * the front end, is issued at once, and executes. Until then fetch goes where predictions lead, whatever the program's
 * registers hold, so that nothing has to be executed. Loads of a wrong path issue only later: none is followed.
 *
 * In hot code the lines are there already. A path that brought none, and neither called nor returned, is not followed
 * again before some line or page has come to the first level. */
#ifndef CULPRIT_CORE_STRAY_H
#define CULPRIT_CORE_STRAY_H

#include "core/state.h"

/* What was known of the first level no longer is. */
void stray_forget(struct core *c);
/* Down the wrong path of this branch, which was predicted so, and back. */
void stray_follow(struct core *c, const struct branch_query *q, const struct prediction *predicted);

#endif
