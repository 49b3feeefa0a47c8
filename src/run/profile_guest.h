/* Functional execution of the guest that feeds a profile. */
#ifndef CULPRIT_RUN_PROFILE_GUEST_H
#define CULPRIT_RUN_PROFILE_GUEST_H

#include "guest/guest.h"
#include "interval/profile/pass.h"
#include "interval/profile/strays.h"

struct profile_guest {
	struct guest *guest;
	struct interval_pass *pass;
	struct interval_batch *batch; /* being filled; NULL = none yet */
	struct riscv_trace trace;
	struct interval_strays *strays;
	struct guest_point stop; /* .left 0: none */
};

bool profile_guest_create(struct profile_guest *p, struct guest *guest, struct interval_pass *pass, struct error *err);
void profile_guest_destroy(struct profile_guest *p);
/* Run up to `max_insns` more instructions; *reached: it got to `stop`. */
enum guest_state profile_guest_run(struct profile_guest *p, uint64_t max_insns, uint64_t *executed, bool *reached);

#endif
