/* K(W): the average critical path of windows of consecutive instructions (section 3.2, figure 12, equation 1), for
 * every W up to 1024 and several sets of latencies in one scan.
 *
 * A window starts every 1024 instructions and grows by one instruction at a time: an instruction's depth is its latency
 * on top of the deepest of its producers within the window (registers; for loads the last store to the 8-byte word),
 * and the longest depth so far is the window's critical path at this W. So each instruction is looked at once. */
#ifndef CULPRIT_INTERVAL_PROFILE_PATHS_H
#define CULPRIT_INTERVAL_PROFILE_PATHS_H

#include "interval/profile/stream.h"

struct interval_paths_pass;

/* NULL: no memory. */
struct interval_paths_pass *interval_paths_create(const struct machine *reference);
void interval_paths_destroy(struct interval_paths_pass *p);
/* Without the host's vectors, as on a host that has none: for tests. */
void interval_paths_use_portable(struct interval_paths_pass *p);
void interval_paths_push(struct interval_paths_pass *p, const struct interval_batch *b);
/* Forget what was counted and begin a window: warm-up is over. */
void interval_paths_restart(struct interval_paths_pass *p);
/* Fills paths, depth, mix.forwarded and mix.window_loads. Pushing may go on. */
void interval_paths_finish(const struct interval_paths_pass *p, struct interval_profile *to);

#endif
