/* Loop predictor; the model is described in tage_loop.h. */
#include "machine/tage_loop.h"

#include "machine/tage_history.h"

enum { TAG_BITS = 10, COUNT_BITS = 10, COUNT_MAX = 1023, LEVEL_BITS = 4, LEVEL_MAX = 15, TRUST_BITS = 7 };
enum { TRIPS_MIN = 3, CONFIDENT_OUTCOMES = 128 };

uint64_t loop_storage_bits(void)
{
	return LOOP_ENTRIES * (TAG_BITS + 3 * COUNT_BITS + 2 * LEVEL_BITS + 1) + TRUST_BITS;
}

static unsigned set_of(uint64_t pc)
{
	return (unsigned)(pc >> 1 ^ pc >> 5) % (LOOP_ENTRIES / LOOP_WAYS) * LOOP_WAYS;
}

static uint16_t tag_of(uint64_t pc)
{
	return (uint16_t)((pc >> 5 ^ pc >> 15) & ((1u << TAG_BITS) - 1));
}

/* The entry of pc, or LOOP_NONE. Age 0 marks a free entry. */
static unsigned find(const struct loop_predictor *l, uint64_t pc)
{
	unsigned set = set_of(pc);
	uint16_t tag = tag_of(pc);
	for (unsigned i = set; i < set + LOOP_WAYS; i++)
		if (l->entry[i].tag == tag && l->entry[i].age)
			return i;
	return LOOP_NONE;
}

struct loop_note loop_predict(const struct loop_predictor *l, const struct loop_spec *s, uint64_t pc)
{
	unsigned i = find(l, pc);
	if (i == LOOP_NONE)
		return (struct loop_note){false, false};
	const struct loop_entry *e = &l->entry[i];
	bool exit = s->iteration[i] == e->trips;
	return (struct loop_note){
		.confident = e->confidence == LEVEL_MAX || e->confidence * e->trips > CONFIDENT_OUTCOMES,
		.taken = e->direction != exit,
	};
}

void loop_speculate(const struct loop_predictor *l, struct loop_spec *s, uint64_t pc, bool taken)
{
	unsigned i = find(l, pc);
	if (i == LOOP_NONE)
		return;
	uint16_t next = s->iteration[i] < COUNT_MAX ? s->iteration[i] + 1 : COUNT_MAX;
	s->iteration[i] = taken == l->entry[i].direction ? next : 0;
}

static void forget_trips(struct loop_entry *e)
{
	e->trips = 0;
	e->confidence = 0;
}

static void count_exit(struct loop_entry *e)
{
	if (e->current == e->trips) {
		if (e->confidence < LEVEL_MAX)
			e->confidence++;
		if (e->trips < TRIPS_MIN)
			e->age = 0; /* TAGE does these better: free the entry */
	} else {
		bool first = e->trips == 0;
		forget_trips(e);
		e->trips = first ? e->current : 0;
	}
	e->current = 0;
}

static void count_outcome(struct loop_entry *e, bool taken)
{
	if (taken != e->direction) {
		count_exit(e);
		return;
	}
	if (e->current < COUNT_MAX)
		e->current++;
	if (e->current > e->trips || e->current == COUNT_MAX) {
		/* Longer than last time, or longer than can be counted. */
		if (e->trips)
			forget_trips(e);
	}
}

static void allocate(struct loop_predictor *l, uint64_t pc, bool taken, uint64_t *random)
{
	uint64_t r = history_random(random);
	if (r & 3)
		return;
	struct loop_entry *e = &l->entry[set_of(pc) + (r >> 2) % LOOP_WAYS];
	if (e->age) {
		e->age--;
		return;
	}
	*e = (struct loop_entry){.tag = tag_of(pc), .age = LEVEL_MAX / 2, .direction = !taken};
}

void loop_update(struct loop_predictor *l, uint64_t pc, struct loop_note note, bool other_taken, bool taken,
		 uint64_t *random)
{
	if (note.confident && note.taken != other_taken)
		counter_step(&l->trust, note.taken == taken, TRUST_BITS);
	unsigned i = find(l, pc);
	if (i == LOOP_NONE) {
		if (other_taken != taken)
			allocate(l, pc, taken, random);
		return;
	}
	struct loop_entry *e = &l->entry[i];
	if (note.confident && note.taken != other_taken && e->age < LEVEL_MAX)
		e->age++;
	count_outcome(e, taken);
}
