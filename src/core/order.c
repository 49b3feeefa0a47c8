#include "core/order.h"

#include "base/archive.h"
#include "base/store_sets.h"
#include "core/restart.h"
#include "core/schedule.h"

#include <stdlib.h>
#include <string.h>

struct store_sets {
	uint32_t *ssit;	   /* pc -> store set, STORE_SETS_NONE = none */
	uint64_t *lfst;	   /* set -> index + 1 of its last dispatched store, 0 = none */
	uint64_t *lfst_pc; /* that store's pc: indices are used again after a squash */
	uint64_t next_clear;
	uint32_t clears; /* so far */
	bool keeps;	 /* lessons; in order of time */
	struct core_lesson *lessons;
	size_t lesson_count, lesson_room;
};

static bool uses_store_sets(const struct core *c)
{
	return c->m.lsq_disambiguation == disambiguation_store_sets;
}

/* Do loads go ahead of stores whose addresses are not known? */
static bool goes_ahead(const struct core *c)
{
	return uses_store_sets(c) || c->m.lsq_disambiguation == disambiguation_speculative;
}

bool order_create(struct core *c, struct error *err)
{
	c->parked = malloc((c->mask + 1) * sizeof *c->parked);
	c->restarts = malloc((c->mask + 1) * sizeof *c->restarts);
	if (!c->parked || !c->restarts)
		return error_set(err, ERROR_SYSTEM, "out of memory for the load queue");
	if (!uses_store_sets(c))
		return true;
	struct store_sets *s = calloc(1, sizeof *s);
	c->store_sets = s;
	if (s) {
		s->ssit = malloc(c->m.lsq_ssit_entries * sizeof *s->ssit);
		s->lfst = calloc(c->m.lsq_lfst_entries, sizeof *s->lfst);
		s->lfst_pc = calloc(c->m.lsq_lfst_entries, sizeof *s->lfst_pc);
	}
	if (!s || !s->ssit || !s->lfst || !s->lfst_pc)
		return error_set(err, ERROR_SYSTEM, "out of memory for the store sets");
	memset(s->ssit, 0xff, c->m.lsq_ssit_entries * sizeof *s->ssit);
	s->next_clear = c->m.lsq_ssit_clear;
	return true;
}

void order_destroy(struct core *c)
{
	free(c->parked);
	free(c->restarts);
	if (!c->store_sets)
		return;
	free(c->store_sets->ssit);
	free(c->store_sets->lfst);
	free(c->store_sets->lfst_pc);
	free(c->store_sets->lessons);
	free(c->store_sets);
}

static uint32_t *ssit_entry(struct core *c, uint64_t pc)
{
	return &c->store_sets->ssit[store_sets_entry(pc, c->m.lsq_ssit_entries)];
}

static void clear(struct core *c)
{
	struct store_sets *s = c->store_sets;
	memset(s->ssit, 0xff, c->m.lsq_ssit_entries * sizeof *s->ssit);
	s->clears++;
}

/* Periodic clearing undoes sets that merged by accident (section 3.3 of the store-set paper). */
static void clear_when_due(struct core *c)
{
	struct store_sets *s = c->store_sets;
	if (!c->m.lsq_ssit_clear || c->now < s->next_clear)
		return;
	clear(c);
	s->next_clear = c->now + c->m.lsq_ssit_clear;
}

uint32_t order_predict(struct core *c, struct slot *s, uint64_t index)
{
	if (!goes_ahead(c))
		return (s->flags & SLOT_LOAD) && !s->partial ? s->mem_producer : 0;
	if (!c->store_sets)
		return 0;
	clear_when_due(c);
	uint32_t set = *ssit_entry(c, s->pc);
	if (set == STORE_SETS_NONE)
		return 0;
	struct store_sets *sets = c->store_sets;
	uint64_t store = sets->lfst[set];
	uint32_t distance = 0;
	if (store && store - 1 >= c->head && store - 1 < index) {
		const struct slot *producer = slot_at(c, store - 1);
		if ((producer->flags & SLOT_STORE) && producer->pc == sets->lfst_pc[set])
			distance = (uint32_t)(index + 1 - store);
	}
	if (s->flags & SLOT_STORE) {
		sets->lfst[set] = index + 1;
		sets->lfst_pc[set] = s->pc;
	}
	return distance;
}

/* --- lessons --- */

/* What was learnt a moment ago is not written down once more: then the tables have it, mostly. */
static void keep_lesson(struct store_sets *s, struct core_lesson lesson)
{
	enum { LOOK_BACK = 64, FIRST_ROOM = 256 };
	for (size_t i = s->lesson_count; i > 0 && i + LOOK_BACK > s->lesson_count; i--) {
		const struct core_lesson *l = &s->lessons[i - 1];
		if (l->load == lesson.load && l->store == lesson.store && l->clears == lesson.clears)
			return;
	}
	if (s->lesson_count == s->lesson_room) {
		const size_t room = s->lesson_room ? 2 * s->lesson_room : FIRST_ROOM;
		struct core_lesson *more = realloc(s->lessons, room * sizeof *more);
		if (!more)
			return; /* the next sample learns it again */
		s->lessons = more;
		s->lesson_room = room;
	}
	s->lessons[s->lesson_count++] = lesson;
}

static void learn(struct core *c, uint64_t load, uint64_t store)
{
	store_sets_train(ssit_entry(c, load), ssit_entry(c, store), load, c->m.lsq_lfst_entries);
}

void order_train(struct core *c, const struct slot *load, const struct slot *store)
{
	struct store_sets *s = c->store_sets;
	if (!s)
		return;
	learn(c, load->pc, store->pc);
	if (s->keeps)
		keep_lesson(s, (struct core_lesson){.load = load->pc, .store = store->pc, .clears = s->clears});
}

bool core_keep_lessons(struct core *c)
{
	if (c->store_sets)
		c->store_sets->keeps = true;
	return c->store_sets != NULL;
}

const struct core_lesson *core_lessons(const struct core *c, size_t *count)
{
	*count = c->store_sets ? c->store_sets->lesson_count : 0;
	return *count ? c->store_sets->lessons : NULL;
}

void core_learn(struct core *c, const struct core_lesson *lesson)
{
	learn(c, lesson->load, lesson->store);
}

uint32_t core_age_lessons(struct core *c, uint64_t cycles)
{
	struct store_sets *s = c->store_sets;
	const uint64_t period = c->m.lsq_ssit_clear;
	if (!period || cycles < s->next_clear) {
		s->next_clear -= period ? cycles : 0;
		return s->clears;
	}
	const uint64_t beyond = cycles - s->next_clear, more = beyond / period;
	clear(c);
	s->clears += (uint32_t)more;
	s->next_clear = period - beyond % period;
	return s->clears;
}

void order_archive(struct core *c, struct archive *a)
{
	struct store_sets *s = c->store_sets;
	if (!s)
		return;
	archive_raw(a, s->ssit, c->m.lsq_ssit_entries * sizeof *s->ssit);
	archive_raw(a, s->lfst, c->m.lsq_lfst_entries * sizeof *s->lfst);
	archive_raw(a, s->lfst_pc, c->m.lsq_lfst_entries * sizeof *s->lfst_pc);
	ARCHIVE(a, s->next_clear);
	ARCHIVE(a, s->clears);
}

/* The true store is in flight, but its data cannot be forwarded: wait until it has been written. */
static bool waits_for_write(struct core *c, const struct slot *load, uint64_t index)
{
	return load->partial && index - load->mem_producer >= c->head &&
	       (!goes_ahead(c) || slot_at(c, index - load->mem_producer)->state == SLOT_ISSUED);
}

/* Conservative: when the addresses of all older stores are known, which is as they complete. Usually every store that
 * has issued has completed; else the few in flight are looked at. */
static uint64_t addresses_known(struct core *c, struct slot *load, uint64_t index)
{
	/* free-running counters: older stores that have not issued */
	if ((int32_t)(load->store_number - c->stores_unissued) > 0) {
		load->order_waited = (uint32_t)(index - c->stores[c->stores_unissued & c->stores_mask]);
		return NEVER;
	}
	uint64_t known = 0;
	if (c->stores_complete <= c->now)
		return known;
	/* none is later than the latest, which has mostly issued just now */
	for (uint32_t n = load->store_number; n != c->stores_head && known < c->stores_complete; n--) {
		uint64_t store = c->stores[(n - 1) & c->stores_mask], complete = slot_at(c, store)->complete;
		if (complete > c->now && complete > known) {
			known = complete;
			load->order_waited = (uint32_t)(index - store);
		}
	}
	return known;
}

bool order_address_known(struct core *c, uint64_t index)
{
	const struct slot *store = slot_at(c, index);
	if (store->state == SLOT_ISSUED)
		return true;
	if (c->m.lsq_store_data != store_data_apart)
		return false;
	const struct slot *base = store->source[0] > c->head ? slot_at(c, store->source[0] - 1) : NULL;
	return !base || (base->state == SLOT_ISSUED && base->wake <= c->now);
}

/* lsq.store_data: the true store has its address, but not its data: the load finds it in the store queue, and waits. */
static bool waits_for_data(struct core *c, struct slot *load, uint64_t index)
{
	const uint64_t store = index - load->mem_producer;
	if (c->m.lsq_store_data != store_data_apart || store < c->head || slot_at(c, store)->state == SLOT_ISSUED ||
	    !order_address_known(c, store))
		return false;
	load->order_waited = load->mem_producer;
	return true;
}

uint64_t order_allows_from(struct core *c, struct slot *load, uint64_t index)
{
	if (load->mem_producer && (waits_for_write(c, load, index) || waits_for_data(c, load, index)))
		return NEVER;
	return c->m.lsq_disambiguation == disambiguation_conservative ? addresses_known(c, load, index) : 0;
}

/* Of a parked load: does it wait for a write? */
static void note_written(struct core *c, struct slot *load, uint64_t index)
{
	bool written = load->mem_producer && waits_for_write(c, load, index);
	c->parked_written += written - load->written;
	load->written = written;
}

void order_park(struct core *c, struct slot *load, uint64_t index, uint64_t from)
{
	if (from != NEVER) {
		load->ready = from;
		schedule(c, load, index & c->mask);
		return;
	}
	load->written = false;
	load->state = SLOT_PARKED;
	c->parked[c->parked_count++] = index;
	note_written(c, load, index);
}

static void parked_remove(struct core *c, uint32_t place)
{
	c->parked_written -= slot_at(c, c->parked[place])->written;
	c->parked[place] = c->parked[--c->parked_count];
}

void order_unpark(struct core *c, uint64_t index)
{
	for (uint32_t i = 0; i < c->parked_count; i++) {
		if (c->parked[i] == index) {
			parked_remove(c, i);
			return;
		}
	}
}

void order_wake_parked(struct core *c, uint64_t when)
{
	for (uint32_t i = 0; i < c->parked_count;) {
		uint64_t index = c->parked[i];
		struct slot *load = slot_at(c, index);
		uint64_t from = order_allows_from(c, load, index);
		if (from == NEVER) {
			note_written(c, load, index);
			i++;
			continue;
		}
		parked_remove(c, i);
		if (from < when)
			from = when;
		if (from > load->ready)
			load->ready = from;
		schedule(c, load, index & c->mask);
	}
}

bool order_store_issued(struct core *c, uint64_t index)
{
	uint32_t before = c->stores_unissued;
	uint64_t complete = slot_at(c, index)->complete;
	if (complete > c->stores_complete)
		c->stores_complete = complete;
	while (c->stores_unissued != c->stores_tail) {
		uint64_t oldest = c->stores[c->stores_unissued & c->stores_mask];
		if (oldest >= c->dispatched || slot_at(c, oldest)->state != SLOT_ISSUED)
			break;
		c->stores_unissued++;
	}
	return c->stores_unissued != before || c->m.lsq_store_data == store_data_apart;
}

void order_rewind(struct core *c, uint32_t stores)
{
	if ((int32_t)(c->stores_unissued - stores) > 0)
		c->stores_unissued = stores;
}
