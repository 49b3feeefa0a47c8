/* The pass that makes a profile: events go in, in batches; every collector sees every batch, in order. With threads, the
 * caller's own thread runs the reference machine and hands each batch on to workers that share the collectors between
 * them; results do not depend on how many there are.
 *
 *     pass = interval_pass_create(&machine, &options, err);
 *     for every batch { b = interval_pass_batch(pass); fill b->events, b->count and events[count].pc; interval_pass_send(pass); }
 *     interval_pass_finish(pass, profile, err); */
#ifndef CULPRIT_INTERVAL_INTERVAL_PASS_H
#define CULPRIT_INTERVAL_INTERVAL_PASS_H

#include "interval/interval_stream.h"
#include "riscv/trace.h"

struct interval_pass;

struct interval_pass_options {
	unsigned threads; /* of this process, the caller's included; at least 1 */
	bool tage;	  /* run the TAGE predictors of interval_predictor.def too: a sixth to a half more time */
};

/* The machine must have been checked. */
struct interval_pass *interval_pass_create(const struct machine *reference, const struct interval_pass_options *options,
					   struct error *err);
void interval_pass_destroy(struct interval_pass *p);
/* An empty batch to fill. */
struct interval_batch *interval_pass_batch(struct interval_pass *p);
/* Hand the batch on; it must not be touched any more. */
void interval_pass_send(struct interval_pass *p);
/* The region begins here: caches and predictors stay as they are, counts begin. */
void interval_pass_begin(struct interval_pass *p);
/* All of the profile but program, skipped, warmed and ended. Nothing may be sent afterwards. */
void interval_pass_finish(struct interval_pass *p, struct interval_profile *to);

/* One instruction that went from pc to next; `taken` as enum event flag says. For what is not in a trace (system calls). */
void interval_batch_add(struct interval_batch *b, const struct riscv_insn *insn, uint64_t pc, uint64_t address,
			bool taken);
/* What a trace says was executed; the batch must have room. `next` is where the program goes on. */
void interval_batch_add_trace(struct interval_batch *b, const struct riscv_trace *trace, uint64_t next);

#endif
