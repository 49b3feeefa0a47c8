#define LOOP_PLAIN 1
#include "core/memo_state.h"

#include "core/dispatch.h"

enum {
	WORD_STATE = 7,
	WORD_WRONG_PATH = 8,
	WORD_MISPREDICTED = 16, /* two words with the right path's next address follow */
	WORD_FORWARDED = 32,
	WORD_WRITTEN = 64,
	WORD_STORE = 128, /* a word with memo_store_answer follows */
	WORD_JUMP = 256,  /* two words with the address follow */
	WORD_TIME = 9,	  /* from this bit on */
	WORD_TIME_BITS = 32 - WORD_TIME,
};
_Static_assert(SLOT_WRONG_PATH >> 2 == WORD_WRONG_PATH && SLOT_MISPREDICTED >> 2 == WORD_MISPREDICTED, "side by side");

static inline void memo_put(struct memo_writer *w, uint32_t word)
{
	*w->at++ = word;
	w->hash = (w->hash ^ word) * 0x9e3779b97f4a7c15;
}

static inline void memo_put_long(struct memo_writer *w, uint64_t value)
{
	memo_put(w, (uint32_t)value);
	memo_put(w, (uint32_t)(value >> 32));
}

static inline uint64_t memo_time(const struct core *c, uint64_t time)
{
	return time > c->now ? time - c->now : 0;
}

static inline void memo_put_slot(struct core *c, struct memo_writer *w, const struct slot *s, uint64_t index,
				 uint32_t state, uint64_t time)
{
	uint32_t word = state | ((s->flags & (SLOT_WRONG_PATH | SLOT_MISPREDICTED)) >> 2);
	if (s->pc != w->pc)
		word |= WORD_JUMP;
	if ((s->flags & SLOT_LOAD) && state == SLOT_ISSUED)
		word |= s->record_flags & CULPRIT_FORWARDED ? WORD_FORWARDED : 0;
	else if ((s->flags & SLOT_LOAD) && s->mem_producer && index - s->mem_producer >= c->head)
		word |= WORD_STORE;
	if ((s->flags & SLOT_LOAD) && state != SLOT_ISSUED && state != SLOT_FRONT && s->written)
		word |= WORD_WRITTEN;
	w->large |= time >> WORD_TIME_BITS;
	memo_put(w, word | (uint32_t)time << WORD_TIME);
	if (__builtin_expect(word & (WORD_JUMP | WORD_STORE | WORD_MISPREDICTED), 0)) {
		if (word & WORD_JUMP)
			memo_put_long(w, s->pc);
		if (word & WORD_STORE)
			memo_put(w, (uint32_t)memo_store_answer(s));
		if (word & WORD_MISPREDICTED)
			memo_put_long(w, c->branches[index & c->mask].actual_next);
	}
	w->pc = s->pc + s->insn->length;
}

static inline void memo_put_slots(struct core *c, struct memo_writer *w)
{
	const uint32_t delay = c->m.commit_delay;
	uint64_t index = c->head;
	for (; index != c->dispatched; index++) {
		const struct slot *s = slot_at(c, index);
		const bool issued = s->state == SLOT_ISSUED;
		memo_put_slot(c, w, s, index, s->state, memo_time(c, issued ? s->complete + delay : s->ready));
		/* consumers wake when it completes; an event may be later */
		if (issued && s->wake != s->complete && memo_time(c, s->wake) != memo_time(c, s->complete))
			w->large = 1;
	}
	for (; index != c->fetched; index++) {
		const struct slot *s = slot_at(c, index);
		const uint64_t age = c->now - s->fetch, most = c->m.frontend_stages;
		memo_put_slot(c, w, s, index, SLOT_FRONT, age < most ? age : most);
	}
}

static inline void memo_put_units(struct core *c, struct memo_writer *w)
{
	for (uint32_t unit = 0; unit < c->m.unit_count; unit++)
		for (uint32_t i = 0; i < c->units[unit].busy; i++) {
			const uint64_t time = memo_time(c, c->units[unit].free_at[i]);
			w->large |= time >> 24;
			if (time)
				memo_put(w, unit | (uint32_t)time << 8);
		}
}

bool memo_encode(struct core *c, bool middle, struct memo_writer *w)
{
	const bool held = c->hold == HOLD_NO_TARGET;
	const uint64_t resume = memo_time(c, c->fetch_resume), stores = memo_time(c, c->stores_complete);
	if (c->fetched != c->tail || c->drain != DRAIN_NOTHING ||
	    !(held || c->hold == HOLD_NONE || c->hold == HOLD_WRONG_PATH))
		return false;
	*w = (struct memo_writer){.at = c->memo->buffer};
	w->large = (c->fetched - c->head) >> 16 | resume >> 32 | stores >> 32;
	memo_put(w, (uint32_t)middle | (uint32_t)c->hold << 1);
	memo_put(w, (uint32_t)(c->dispatched - c->head) | (uint32_t)(c->fetched - c->head) << 16);
	memo_put(w, held ? (uint32_t)(c->hold_index - c->head) : 0);
	memo_put(w, (uint32_t)resume);
	memo_put(w, (uint32_t)stores);
	memo_put_long(w, c->fetch_line);
	memo_put_long(w, c->hart->pc);
	uint32_t *units = w->at;
	memo_put(w, 0);
	if (c->units_busy)
		memo_put_units(c, w);
	*units = (uint32_t)(w->at - units) - 1;
	memo_put_slots(c, w);
	return !w->large;
}

/* --- back --- */

static void memo_clear(struct core *c)
{
	for (uint32_t i = 0; i < WHEEL_SIZE / 64; i++)
		for (; c->wheel_used[i]; c->wheel_used[i] &= c->wheel_used[i] - 1)
			c->wheel[i * 64 + (uint32_t)__builtin_ctzll(c->wheel_used[i])] = NO_SLOT;
	memset(c->ready, 0, (c->mask + 1) / 64 * (1 + c->m.unit_count) * sizeof *c->ready);
	memset(c->last_writer, 0, sizeof c->last_writer);
	c->ready_count = c->parked_count = c->parked_written = c->units_busy = 0;
	for (uint32_t i = 0; i < c->m.unit_count; i++)
		c->units[i].busy = 0;
	for (uint32_t i = 0; i < c->m.queue_count; i++)
		c->queues[i].used = 0;
}

/* Where the instruction waits or what it waits for, as its state says. */
static void memo_restore_waiting(struct core *c, struct slot *s, uint64_t index, uint32_t word)
{
	c->queues[s->place.queue].used++;
	if (s->flags & SLOT_LOAD)
		s->written = (word & WORD_WRITTEN) != 0;
	if (s->state == SLOT_READY)
		ready_set(c, s, index & c->mask);
	else if (s->state == SLOT_TIMED)
		wheel_insert(c, s, index & c->mask, s->ready);
	else if (s->state == SLOT_PARKED) {
		c->parked[c->parked_count++] = index;
		c->parked_written += s->written;
	} else if ((s->flags & SLOT_AT_HEAD) && index != c->head) {
		s->waits_head = true;
		s->pending++;
	}
}

static void memo_restore_issued(struct core *c, struct slot *s, uint64_t index, uint64_t time, uint32_t word)
{
	s->complete = s->wake = c->now + time - c->m.commit_delay;
	if (s->flags & SLOT_LOAD)
		s->record_flags = (uint16_t)((s->record_flags & ~CULPRIT_FORWARDED) |
					     (word & WORD_FORWARDED ? CULPRIT_FORWARDED : 0));
	if (!(s->flags & SLOT_MISPREDICTED))
		return;
	s->flags |= SLOT_EVENT;
	wheel_insert(c, s, index & c->mask, s->complete);
}

static void memo_restore_slot(struct core *c, uint64_t index, const uint32_t **words)
{
	struct slot *s = slot_at(c, index);
	const uint32_t word = *(*words)++;
	const uint64_t time = word >> WORD_TIME;
	*words += (word & WORD_JUMP ? 2 : 0) + (word & WORD_STORE ? 1 : 0) + (word & WORD_MISPREDICTED ? 2 : 0);
	s->flags &= (uint8_t)~SLOT_EVENT;
	s->state = word & WORD_STATE;
	if (s->state == SLOT_FRONT) {
		s->fetch = c->now - time;
		return;
	}
	s->consumers = NO_SLOT;
	s->pending = s->linked = 0;
	s->waits_head = false;
	dispatch_rename(c, s, index);
	if (s->flags & (SLOT_LOAD | SLOT_STORE))
		dispatch_memory(c, s, index);
	s->ready = c->now + time;
	if (s->state == SLOT_ISSUED)
		memo_restore_issued(c, s, index, time, word);
	else
		memo_restore_waiting(c, s, index, word);
}

static void memo_restore_stores(struct core *c)
{
	c->stores_unissued = c->stores_head;
	for (; c->stores_unissued != c->stores_tail; c->stores_unissued++) {
		const uint64_t store = c->stores[c->stores_unissued & c->stores_mask];
		if (store >= c->dispatched || slot_at(c, store)->state != SLOT_ISSUED)
			return;
	}
}

void memo_restore(struct core *c, const uint32_t *w, uint64_t head, uint64_t now, uint32_t stores_head)
{
	memo_clear(c);
	c->now = now;
	c->head = c->left_window = head;
	c->hold = (uint8_t)(w[0] >> 1);
	c->dispatched = head + (w[1] & 0xffff);
	c->fetched = head + (w[1] >> 16);
	c->hold_index = head + w[2];
	c->fetch_resume = now + w[3];
	c->stores_complete = now + w[4];
	c->fetch_line = w[5] | (uint64_t)w[6] << 32;
	c->stores_head = stores_head;
	const uint32_t *end = w + WORDS_HEADER + w[9];
	for (w += WORDS_HEADER; w != end; w++) {
		struct unit_state *u = &c->units[*w & 0xff];
		c->units_busy += !u->busy;
		u->free_at[u->busy++] = now + (*w >> 8);
	}
	for (uint64_t i = head; i != c->fetched; i++)
		memo_restore_slot(c, i, &w);
	memo_restore_stores(c);
}
