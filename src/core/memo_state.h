/* The pipeline's state as words: how it is written, and how the core is brought back to it.
 *
 * Times are relative to now; what is over is 0. Of each instruction in flight: where it is (unless it follows the one
 * before), how far it has come, the one time that matters then, and what is known of its way: a misprediction, the
 * store that it depends on. Register dependences follow from the instructions, and so do wake-up lists, the ready set,
 * the wheel and the queues' occupancy: they are made again. What was fetched stays in the slots: memo_restore asks for
 * nothing. */
#ifndef CULPRIT_CORE_MEMO_STATE_H
#define CULPRIT_CORE_MEMO_STATE_H

#include "core/memo.h"

enum { WORDS_HEADER = 10, WORDS_SLOT = 6 }; /* words of a state: before units and instructions; of one at most */

/* The most words that a state of the core has. */
static inline size_t memo_words(const struct core *c)
{
	size_t units = 0;
	for (uint32_t i = 0; i < c->m.unit_count; i++)
		units += c->per_cycle.units[i];
	return WORDS_HEADER + units + WORDS_SLOT * (c->mask + 1);
}

struct memo_writer {
	uint32_t *at;
	uint64_t hash;
	uint64_t pc;	/* where the next instruction is if it follows */
	uint64_t large; /* a time has bits that are not written */
};

/* Into the buffer; `middle`: after the cycle's events. False: the state is of a kind that is not memoized. */
bool memo_encode(struct core *c, bool middle, struct memo_writer *w);
/* Back to the state in which `head` is the oldest instruction, at cycle `now`. */
void memo_restore(struct core *c, const uint32_t *words, uint64_t head, uint64_t now, uint32_t stores_head);

#endif
