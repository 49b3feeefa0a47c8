/* The wrong paths of the sample: what the program would have executed had a conditional branch gone the other way. In
 * the stretches that the sample keeps (sampler.h says which), the program is stepped block by block; behind a branch
 * that might be mispredicted it is sent the other way for a while, its stores are taken back, and what it did is kept
 * if the reference predictor turns out to have missed the branch.
 *
 * On a wrong path every further branch goes where its operands say. If it has mostly gone the other way of late, it
 * counts as mispredicted and is followed there too, for some instructions, as the machine would until the branch has
 * completed. Faults, system calls and their like end a path. */
#ifndef CULPRIT_INTERVAL_PROFILE_STRAYS_H
#define CULPRIT_INTERVAL_PROFILE_STRAYS_H

#include "interval/profile/profile.h"
#include "riscv/trace.h"

enum { INTERVAL_STRAYS_MOST = 256, INTERVAL_INNER_MOST = 32 }; /* instructions of one wrong path, and within it */

struct interval_strays;

struct interval_strays *interval_strays_create(struct error *err);
void interval_strays_destroy(struct interval_strays *s);
/* The region begins after so many instructions (riscv_hart.instret); `every` as the sampler's to begin with. */
void interval_strays_begin(struct interval_strays *s, uint64_t instret, uint64_t every);
/* Does the next instruction, number instret, belong to a stretch that is kept? *left: for how many instructions that
 * holds. */
bool interval_strays_wanted(struct interval_strays *s, uint64_t instret, uint64_t *left);
/* riscv_trace_run(), with wrong paths behind its branches; `most` is not exceeded, and reached unless something stops
 * it. */
enum riscv_stop interval_strays_run(struct interval_strays *s, struct riscv_hart *hart, struct riscv_code *code,
				    struct address_space *memory, uint64_t most, struct riscv_trace *trace,
				    struct riscv_outcome *out);
/* The wrong paths of the mispredicted branches of to->samples, handed over. False: out of memory at some time; there
 * are none. */
bool interval_strays_finish(struct interval_strays *s, struct interval_samples *to);

#endif
