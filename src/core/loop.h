/* The compilations of the cycle loop. */
#ifndef CULPRIT_CORE_LOOP_H
#define CULPRIT_CORE_LOOP_H

#include "core/state.h"

enum core_stop loop_bare(struct core *c, uint64_t committed, struct error *err);
enum core_stop loop_bare_plain(struct core *c, uint64_t committed, struct error *err);
enum core_stop loop_recorded(struct core *c, uint64_t committed, struct error *err);
enum core_stop loop_recorded_plain(struct core *c, uint64_t committed, struct error *err);
enum core_stop loop_logged(struct core *c, uint64_t committed, struct error *err);
enum core_stop loop_logged_plain(struct core *c, uint64_t committed, struct error *err);

/* Nothing can ever happen again: fill *err with the state of every stage. */
enum core_stop loop_deadlock(struct core *c, struct error *err);

#endif
