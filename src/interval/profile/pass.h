/* The pass that makes a profile: events go in, in batches; every collector sees every batch, in order. With threads,
 * the caller's own thread runs the reference machine and hands each batch on to workers that share the collectors
 * between them; results do not depend on how many there are.
 *
 *     pass = interval_pass_create(&machine, &options, err);
 *     interval_pass_begin(pass), where the region begins
 *     for every batch {
 *         b = interval_pass_batch(pass);
 *         interval_batch_add...(b, ...) up to b->most;
 *         interval_pass_send(pass);
 *     }
 *     interval_pass_finish(pass, profile, err);
 *
 * Averages are taken from stretches of the region, one in `every` (struct interval_sampling): there, and where the
 * samples of the flow are taken, a batch has an event for each instruction. Elsewhere it is only spans, accesses and
 * transfers. */
#ifndef CULPRIT_INTERVAL_PROFILE_PASS_H
#define CULPRIT_INTERVAL_PROFILE_PASS_H

#include "interval/profile/stream.h"
#include "riscv/trace.h"

struct interval_pass;

struct interval_pass_options {
	unsigned threads;  /* of this process, the caller's included; at least 1 */
	bool tage;	   /* run the TAGE predictors of predictor.def too: a sixth to a half more time */
	uint64_t expected; /* instructions of the region, if it does not end before; 0: unknown */
	uint64_t every;	   /* of interval_sampling: a power of two */
};

enum {
	INTERVAL_SAMPLED_STRETCH = 32768, /* instructions; whole K windows */
	INTERVAL_LEAD = 2048,		  /* before a stretch: the largest window of m*(W), twice */
};

/* The machine must have been checked. */
struct interval_pass *interval_pass_create(const struct machine *reference, const struct interval_pass_options *options,
					   struct error *err);
void interval_pass_destroy(struct interval_pass *p);
/* An empty batch to fill. */
struct interval_batch *interval_pass_batch(struct interval_pass *p);
/* Hand the batch on; it must not be touched any more. */
void interval_pass_send(struct interval_pass *p);
/* An instruction, sent or to be sent, was executed so many times: the mix. */
void interval_pass_count(struct interval_pass *p, const struct riscv_insn *insn, uint64_t times);
/* The region begins here: caches and predictors stay as they are, counts begin. (Before, nothing but they is looked
 * at.) */
void interval_pass_begin(struct interval_pass *p);
/* All of the profile but program, skipped, warmed and ended. Nothing may be sent afterwards. */
void interval_pass_finish(struct interval_pass *p, struct interval_profile *to);

/* One instruction that went from pc to next; `taken` as enum event flag says. For what is not in a trace (system
 * calls). */
void interval_batch_add(struct interval_batch *b, const struct riscv_insn *insn, uint64_t pc, uint64_t address,
			bool taken);
/* Where the program goes on after what was added last. */
void interval_batch_go_on(struct interval_batch *b, uint64_t next);
/* What a trace says was executed; the batch must have room. `next` is where the program goes on. Blocks executed whole
 * are only counted in block->entered: whoever owns them tells interval_pass_count of them, and of what was not executed
 * whole. */
void interval_batch_add_trace(struct interval_batch *b, const struct riscv_trace *trace, uint64_t next);

#endif
