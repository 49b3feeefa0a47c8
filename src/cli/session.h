/* A session: the guest and the machine that the options ask for, brought to the start of the region. */
#ifndef CULPRIT_CLI_SESSION_H
#define CULPRIT_CLI_SESSION_H

#include "cli/options.h"
#include "core/core.h"

struct session {
	struct machine machine;
	struct guest *guest;
	struct core *core; /* NULL in a functional run */
	char **environment;
	uint64_t start_pc;	  /* --start-at */
	uint64_t skipped, warmed; /* executed before the region */
};

/* Load the machine and apply --set and --ideal. */
bool session_machine(struct machine *m, const struct options *o, struct error *err);
/* Load the program. */
bool session_guest(struct session *s, const struct options *o, struct error *err);
/* --start-at and --skip. These two stop early when interrupt_seen(); a program that ends on the way is an error. */
bool session_skip(struct session *s, const struct options *o, struct error *err);
/* Create the core, --warmup, and set where the region ends. */
bool session_core(struct session *s, const struct options *o, struct error *err);
/* That error: the program ended, while --option wanted `asked` instructions. Returns false. */
bool session_too_short(const struct session *s, const char *option, uint64_t asked, struct error *err);
/* An address or a symbol of the program, given with --option. */
bool session_place(struct session *s, const char *option, const char *text, uint64_t *pc, struct error *err);
void session_destroy(struct session *s);

#endif
