/* The basic-block vectors of a guest, by functional execution. A basic block is what the decoder makes one of: it ends
 * at a control transfer, at the end of a page, or after RISCV_BLOCK_MAX instructions; a part of one counts to it. */
#ifndef CULPRIT_SIMPOINT_COLLECT_H
#define CULPRIT_SIMPOINT_COLLECT_H

#include "guest/guest.h"
#include "simpoint/vectors.h"

struct bbv_collector;

/* An interval ends with the block in which its `length` instructions are reached; the next one is that much shorter, as
 * valgrind's exp-bbv does, so that interval i begins after i x length instructions but for part of a block. */
struct bbv_collector *bbv_collector_create(struct guest *guest, uint64_t length, struct bbv *to, struct error *err);
void bbv_collector_destroy(struct bbv_collector *c);
/* Up to `max_insns` more instructions. The interval that is not full stays open. After a failure (out of memory, which
 * bbv_collector_check tells) the state is GUEST_FAILED. */
enum guest_state bbv_collector_run(struct bbv_collector *c, uint64_t max_insns, uint64_t *executed);
bool bbv_collector_check(const struct bbv_collector *c, struct error *err);

#endif
