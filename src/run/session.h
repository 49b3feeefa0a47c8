/* A session is one run: the guest and the machine that the options ask for, brought to the start of the region, those
 * who listen to the region, and its simulation. */
#ifndef CULPRIT_RUN_SESSION_H
#define CULPRIT_RUN_SESSION_H

#include "analysis/commit_stack.h"
#include "analysis/calls.h"
#include "analysis/insn_cycles.h"
#include "checkpoint/checkpoint.h"
#include "core/core.h"
#include "options/options.h"
#include "with/analyses.h"

struct run_trace;

/* The variable of the environment that names a checkpoint of the same command at the place where --skip ends. A run
 * starts from it, and all that it gives is as without. A sweep has it for points that skip the same. */
#define SESSION_AHEAD "CULPRIT_AHEAD"

struct session {
	struct machine machine;
	struct guest *guest;
	struct core *core; /* NULL in a functional run */
	char **environment;
	struct run_trace *trace;	    /* --trace; NULL: the program is run */
	struct guest_point start;	    /* --start-at: what is next on the way there */
	uint64_t lead, warmup;		    /* to be executed there: before --skip; behind it, with training */
	uint64_t skipped, warmed;	    /* executed before the region */
	struct checkpoint_file checkpoints; /* --checkpoint; else none */
	size_t checkpoint;		    /* which */

	/* Who listens: set before session_listen. */
	struct analyses analyses;
	struct commit_stack *stack;	 /* or NULL */
	struct insn_cycles *insn_cycles; /* or NULL */
	struct calls calls;		 /* for --json-code */
	struct pipe *pipe;		 /* records come through it; NULL: nobody wants them */
};

/* A piece of a run: up to `step` instructions; *there = the place that it was going to. */
typedef enum guest_state session_advance(void *context, uint64_t step, uint64_t *executed, bool *there);
/* Up to `most` instructions in pieces, so that the user sees how far it is and can stop it. */
enum guest_state session_go_on(session_advance *forward, void *context, const struct options *o, const char *doing,
			       uint64_t most, uint64_t *done, bool *there);

/* Load the machine and apply --set, --ideal, --predictor and --prefetcher. */
bool session_machine(struct machine *m, const struct options *o, struct error *err);
/* Before many simulations of one program: a terminal's lines can be read once, but every one needs them. */
bool session_refuse_terminal(struct error *err);
/* start.c: --checkpoint, if it was given: read it, before session_guest. Its program becomes the options' own. */
bool session_checkpoint(struct session *s, struct options *o, struct error *err);
/* start.c: the guest as the checkpoint has it. */
bool session_restore(struct session *s, const struct options *o, const struct guest_options *how, struct error *err);
/* Load the program, or restore it. */
bool session_guest(struct session *s, const struct options *o, struct error *err);
/* --start-at and --skip. These two stop early when interrupt_seen(); a program that ends on the way is an error. */
bool session_skip(struct session *s, const struct options *o, struct error *err);
/* Create the core, --warmup, and set where the region ends. */
bool session_core(struct session *s, const struct options *o, struct error *err);
/* That error: the program ended, while --option wanted `asked` instructions. Returns false. */
bool session_too_short(const struct session *s, const char *option, uint64_t asked, struct error *err);
/* --stop-at as it is now: of the process that runs. .left 0: not given. */
bool session_stop(struct session *s, const struct options *o, struct guest_point *point, struct error *err);
/* After the region: on stderr, if it ended with the program and not at --stop-at. */
void session_note_stop(const struct session *s, const struct options *o);
/* After a warm-up the guest goes on without the core, which is done with: code is decoded for that. */
void session_without_core(struct session *s);
/* The region without a core. */
enum guest_state session_functional(struct session *s, const struct options *o, uint64_t *executed);

/* listen.c: records of the region go to the analyses and the default report; in other threads if wanted. */
bool session_listen(struct session *s, bool threaded, struct error *err);
/* Simulate the region, `step` instructions at a time. Before each step `look` is told how many have committed, and says
 * whether to go on. At the end everybody has heard everything. */
bool session_run(struct session *s, uint64_t step, bool (*look)(void *context, uint64_t committed), void *context,
		 struct error *err);
void session_destroy(struct session *s);

#endif
