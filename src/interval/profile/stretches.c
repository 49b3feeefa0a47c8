/* See the header. Stores are remembered byte by byte, by 8-byte word, from one stretch's length before a stretch
 * that is kept; an entry that no load can name any more is dropped when the table fills up. */
#include "interval/profile/stretches.h"

#include <stdlib.h>
#include <string.h>

enum {
	WORDS_LOG2 = 15,
	WORDS = 1 << WORDS_LOG2,
	WORDS_MOST = 3 * WORDS / 4,
	REACH = 2 * INTERVAL_STRETCH, /* how far back a store is known */
	DISTANCE_MOST = UINT16_MAX,
};

struct store_word {
	uint64_t word;
	uint32_t generation; /* present when it is the table's */
	uint8_t bytes;	     /* bit n: byte n has been stored */
	uint64_t at[8];	     /* number of the last store to the byte */
};

struct interval_stretches {
	struct interval_sampler sampler;
	uint64_t at; /* number of the present instruction, from REACH, so that no distance wraps */
	uint64_t written[EVENT_NO_REGISTER + 1];
	uint32_t generation, used;
	bool following; /* stores are being remembered */
	struct store_word words[WORDS];
	struct store_word kept[WORDS];
};

struct interval_stretches *interval_stretches_create(uint64_t every, struct error *err)
{
	struct interval_stretches *s = calloc(1, sizeof *s);
	if (!s || !interval_sampler_create(&s->sampler, every, err)) {
		free(s);
		error_set(err, ERROR_SYSTEM, "out of memory for the sample");
		return NULL;
	}
	s->generation = 1;
	s->at = DISTANCE_MOST + 1;
	return s;
}

void interval_stretches_destroy(struct interval_stretches *s)
{
	if (s)
		interval_sampler_destroy(&s->sampler);
	free(s);
}

/* --- memory --- */

static void forget_stores(struct interval_stretches *s)
{
	s->used = 0;
	if (++s->generation)
		return;
	memset(s->words, 0, sizeof s->words);
	s->generation = 1;
}

static struct store_word *word_slot(struct interval_stretches *s, uint64_t word)
{
	uint64_t i = word * 0x9e3779b97f4a7c15 >> (64 - WORDS_LOG2);
	while (s->words[i].generation == s->generation && s->words[i].word != word)
		i = (i + 1) & (WORDS - 1);
	return &s->words[i];
}

static bool is_near(const struct interval_stretches *s, const struct store_word *w)
{
	for (size_t i = 0; i < 8; i++)
		if (w->bytes >> i & 1 && s->at - w->at[i] <= REACH)
			return true;
	return false;
}

static void drop_far(struct interval_stretches *s)
{
	size_t count = 0;
	for (size_t i = 0; i < WORDS; i++)
		if (s->words[i].generation == s->generation && is_near(s, &s->words[i]))
			s->kept[count++] = s->words[i];
	forget_stores(s);
	for (size_t i = 0; i < count; i++) {
		struct store_word *w = word_slot(s, s->kept[i].word);
		*w = s->kept[i];
		w->generation = s->generation;
		s->used++;
	}
}

static void note_store(struct interval_stretches *s, const struct interval_event *e)
{
	if (s->used >= WORDS_MOST)
		drop_far(s);
	for (uint64_t byte = e->address; byte < e->address + e->size; byte++) {
		struct store_word *w = word_slot(s, byte >> 3);
		if (w->generation != s->generation) {
			*w = (struct store_word){.word = byte >> 3, .generation = s->generation};
			s->used++;
		}
		w->bytes |= (uint8_t)(1u << (byte & 7));
		w->at[byte & 7] = s->at;
	}
}

/* The youngest store to any byte; *covers: it wrote all of them, and last. 0: none is known. */
static uint64_t find_store(struct interval_stretches *s, const struct interval_event *e, bool *covers)
{
	uint64_t youngest = 0, oldest = UINT64_MAX;
	for (uint64_t byte = e->address; byte < e->address + e->size; byte++) {
		const struct store_word *w = word_slot(s, byte >> 3);
		bool known = w->generation == s->generation && w->bytes >> (byte & 7) & 1;
		uint64_t at = known ? w->at[byte & 7] : 0;
		youngest = at > youngest ? at : youngest;
		oldest = at < oldest ? at : oldest;
	}
	*covers = youngest && youngest == oldest;
	return youngest;
}

/* --- samples --- */

static uint16_t distance(const struct interval_stretches *s, uint64_t producer)
{
	uint64_t d = producer ? s->at - producer : 0;
	return d <= DISTANCE_MOST ? (uint16_t)d : 0;
}

static uint8_t sample_flags(const struct interval_event *e)
{
	static const struct {
		uint16_t event;
		uint8_t sample;
	} pairs[] = {{EVENT_TAKEN, SAMPLE_TAKEN},	{EVENT_MISPREDICTED, SAMPLE_MISPREDICTED},
		     {EVENT_REDIRECT, SAMPLE_BTB_MISS}, {EVENT_SERIALISING, SAMPLE_SERIALISING},
		     {EVENT_LOAD, SAMPLE_LOAD},		{EVENT_STORE, SAMPLE_STORE},
		     {EVENT_AT_HEAD, SAMPLE_AT_HEAD}};
	uint8_t flags = e->length == 2 ? SAMPLE_SHORT : 0;
	for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++)
		if (e->flags & pairs[i].event)
			flags |= pairs[i].sample;
	return flags;
}

static void fill(struct interval_stretches *s, const struct interval_event *e, struct interval_sample *to)
{
	bool covers = false, accesses = e->flags & (EVENT_LOAD | EVENT_STORE);
	uint64_t store = e->flags & EVENT_LOAD ? find_store(s, e, &covers) : 0;
	*to = (struct interval_sample){
		.pc = (uint32_t)(e->pc >> 1),
		.address = accesses ? (uint32_t)(e->address >> 3) : 0,
		.mem_producer = distance(s, store),
		.op = e->op,
		.dlevel = e->dlevel & 7,
		.dtlb = e->dtlb & 7,
		.ilevel = e->ilevel & 7,
		.itlb = e->itlb & 7,
		.dest = e->rd >= EVENT_NO_REGISTER ? SAMPLE_DEST_NONE
			: e->rd < 32		   ? SAMPLE_DEST_INT
						   : SAMPLE_DEST_FP,
		.flags = sample_flags(e),
	};
	to->covers = covers && to->mem_producer;
	to->prefetched = (e->flags & EVENT_PREFETCHED) != 0;
	for (size_t i = 0; i < 3; i++)
		to->producer[i] = e->rs[i] ? distance(s, s->written[e->rs[i]]) : 0;
}

/* An instruction near enough before one that is kept. */
static void lead(struct interval_stretches *s, const struct interval_event *e)
{
	if (!s->following)
		forget_stores(s);
	s->following = true;
	if (e->flags & EVENT_STORE)
		note_store(s, e);
	s->written[e->rd] = s->at++;
}

static void keep(struct interval_stretches *s, const struct interval_event *e)
{
	bool follow = interval_sampler_gap(&s->sampler) <= INTERVAL_STRETCH;
	if (follow && !s->following)
		forget_stores(s);
	s->following = follow;
	struct interval_sample *to = interval_sampler_next(&s->sampler);
	if (to)
		fill(s, e, to);
	if (follow && e->flags & EVENT_STORE)
		note_store(s, e);
	s->written[e->rd] = s->at++;
}

/* Instructions from here on that are neither kept nor near enough before one that is; only writers are noted. */
static size_t pass_over(struct interval_stretches *s, const struct interval_event *e, size_t most)
{
	uint64_t gap = interval_sampler_gap(&s->sampler);
	uint64_t far = gap > INTERVAL_STRETCH ? gap - INTERVAL_STRETCH : 0;
	size_t count = far < most ? (size_t)far : most;
	if (count)
		s->following = false;
	for (size_t i = 0; i < count; i++)
		s->written[e[i].rd] = s->at++;
	interval_sampler_pass(&s->sampler, count);
	return count;
}

/* Nothing is known of these instructions: what was written before them may have been written in them again. */
static void skip(struct interval_stretches *s, size_t count)
{
	s->following = false;
	memset(s->written, 0, sizeof s->written);
	s->at += count;
	interval_sampler_pass(&s->sampler, count);
}

uint64_t interval_stretches_change(const struct interval_stretches *s, bool *wanted)
{
	uint64_t gap = interval_sampler_gap(&s->sampler);
	*wanted = gap <= INTERVAL_STRETCH;
	return gap > INTERVAL_STRETCH ? gap - INTERVAL_STRETCH : gap ? gap : interval_sampler_left(&s->sampler);
}

void interval_stretches_push(struct interval_stretches *s, const struct interval_batch *b)
{
	if (!(b->detail & DETAIL_FLOW)) {
		skip(s, b->count);
		return;
	}
	for (size_t i = 0; i < b->count;) {
		i += pass_over(s, &b->events[i], b->count - i);
		uint64_t gap = interval_sampler_gap(&s->sampler);
		size_t before = gap < b->count - i ? (size_t)gap : b->count - i;
		for (size_t end = i + before; i < end; i++)
			lead(s, &b->events[i]);
		interval_sampler_pass(&s->sampler, before);
		uint64_t left = interval_sampler_left(&s->sampler);
		size_t kept = left < b->count - i ? (size_t)left : b->count - i;
		for (size_t end = i + kept; i < end; i++)
			keep(s, &b->events[i]);
	}
}

void interval_stretches_restart(struct interval_stretches *s)
{
	interval_sampler_restart(&s->sampler);
	s->following = false;
	memset(s->written, 0, sizeof s->written);
}

void interval_stretches_finish(struct interval_stretches *s, struct interval_profile *to)
{
	interval_sampler_finish(&s->sampler, &to->samples);
}
