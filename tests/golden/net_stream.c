/* See the header. */
#include "net.h"

#include "analysis/graph/machine.h"
#include "analysis/pipe.h"
#include "analysis/record_fill.h"
#include "bare_guest.h"
#include "core/core.h"
#include "varied_machine.h"
#include "varied_program.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../analysis/graph_stream.h"

bool net_chance(struct random_source *r, uint32_t percent)
{
	return random_below(r, 100) < percent;
}

struct random_source net_random(const struct net_stream *s, unsigned column)
{
	return (struct random_source){(s->number << 8 | column | (uint64_t)s->recorded << 7) * 0xda942042e4dd58b5};
}

/* Room for one more; a test has no use for less memory. */
static void *grown(void *list, size_t count, size_t size)
{
	if (count & (count - 1))
		return list;
	list = realloc(list, 2 * (count ? count : 1) * size);
	if (!list)
		abort();
	return list;
}

/* --- what a core tells --- */

static void take_records(void *context, const struct culprit_record *records, size_t count)
{
	struct net_stream *s = context;
	s->batches = grown(s->batches, s->batch_count, sizeof *s->batches);
	s->batches[s->batch_count++] = (struct net_batch){.first = s->count, .count = count};
	memcpy(s->records + s->count, records, count * sizeof *records);
	s->count += count;
}

static void take_log(void *context, const struct culprit_log_part *part)
{
	struct net_stream *s = context;
	s->batches = grown(s->batches, s->batch_count, sizeof *s->batches);
	s->batches[s->batch_count++] =
		(struct net_batch){true, s->entry_count, part->count, s->squashed_count, part->squashed_count};
	for (size_t i = 0; i < part->count; i++) {
		s->entries = grown(s->entries, s->entry_count, sizeof *s->entries);
		s->entries[s->entry_count++] = part->entries[i];
	}
	for (size_t i = 0; i < part->squashed_count; i++) {
		s->squashed = grown(s->squashed, s->squashed_count, sizeof *s->squashed);
		s->squashed[s->squashed_count++] = part->squashed[i];
	}
}

static void simulate(struct net_stream *s)
{
	struct error err;
	uint64_t executed;
	struct guest *g = bare_guest_create(s->code, sizeof s->code);
	struct core *c = core_create(&s->machine, g, &err);
	struct pipe_reader reader = {s, take_records, take_log, false};
	struct pipe *pipe = pipe_create(&reader, 1, false, &err);
	if (!c || !pipe)
		abort();
	if (net_chance(&s->random, 40))
		core_warm(c, 1000, &executed);
	core_record(c, pipe_sink(pipe), pipe_log(pipe));
	core_limit(c, NET_RUN);
	s->failed = core_guest_state(c) != GUEST_RUNNING || core_run(c, UINT64_MAX, &err) == CORE_STOP_ERROR;
	core_flush_records(c);
	pipe_finish(pipe);
	s->cycles = core_statistics(c)->cycles;
	pipe_destroy(pipe);
	core_destroy(c);
	guest_destroy(g);
}

/* --- told otherwise --- */

struct filled {
	struct culprit_record *to;
};

static bool take_filled(void *context, const struct culprit_record *records, size_t count)
{
	struct filled *f = context;
	memcpy(f->to, records, count * sizeof *records);
	f->to += count;
	return true;
}

static void tell_less(struct net_stream *s)
{
	struct record_fill fill;
	struct filled f = {malloc(s->count * sizeof *s->records)};
	struct culprit_record *filled = f.to;
	const culprit_field_set optional = ((1u << CULPRIT_FIELD_COUNT) - 1) &
					   ~(CULPRIT_FIELD_BIT(times) | CULPRIT_FIELD_BIT(kind));
	s->unknown = 1u << random_below(&s->random, CULPRIT_FIELD_COUNT);
	if (net_chance(&s->random, 60))
		s->unknown |= (culprit_field_set)(random_next(&s->random) & random_next(&s->random));
	s->unknown &= optional;
	if (!filled || !record_fill_create(&fill, &s->graph, s->unknown))
		abort();
	record_fill_push(&fill, s->records, s->count, take_filled, &f);
	record_fill_finish(&fill, take_filled, &f);
	record_fill_destroy(&fill);
	record_fill_params(&s->graph, s->unknown);
	free(s->records);
	s->records = filled;
}

static uint32_t back(struct random_source *r, uint64_t seq)
{
	const uint32_t distance = net_chance(r, 70) ? 1 + random_below(r, 8) : 1 + random_below(r, 300);
	return distance <= seq ? distance : 0;
}

static void tell_other_causes(struct culprit_record *r, struct random_source *random)
{
	static const uint16_t flags[] = {CULPRIT_TAKEN,	     CULPRIT_MISPREDICTED, CULPRIT_DIRECTION_WRONG,
					 CULPRIT_BTB_MISS,   CULPRIT_FORWARDED,	   CULPRIT_MERGED,
					 CULPRIT_PREFETCHED, CULPRIT_SERIALISING,  CULPRIT_AT_HEAD,
					 CULPRIT_REPLAYED,   CULPRIT_VIOLATED,	   CULPRIT_FETCH_BREAK_LINE};
	uint32_t i;
	switch (random_below(random, 12)) {
	case 0:
		r->flags ^= flags[random_below(random, sizeof flags / sizeof *flags)];
		break;
	case 1:
		r->window = (uint8_t)random_below(random, CULPRIT_WINDOW_COUNT);
		r->previous_holder = back(random, r->seq);
		break;
	case 2:
		r->contended = (uint8_t)random_below(random, CULPRIT_CONTENTION_COUNT);
		r->contender = (uint8_t)random_below(random, 4);
		break;
	case 3:
		r->commit_wait = (uint16_t)random_below(random, 6);
		r->commit_stop = (uint8_t)(CULPRIT_STOP_STORES + random_below(random, 2));
		break;
	case 4:
		r->dstray = (uint8_t)random_below(random, CULPRIT_LEVEL_COUNT);
		r->istray = (uint8_t)random_below(random, CULPRIT_LEVEL_COUNT);
		break;
	case 5:
		r->dlevel = (uint8_t)random_below(random, CULPRIT_LEVEL_COUNT);
		r->dtlb_level = (uint8_t)random_below(random, CULPRIT_LEVEL_COUNT);
		break;
	case 6:
		r->ilevel = (uint8_t)random_below(random, CULPRIT_LEVEL_COUNT);
		r->itlb_level = (uint8_t)random_below(random, CULPRIT_LEVEL_COUNT);
		break;
	case 7:
		r->predictor = (uint8_t)random_below(random, CULPRIT_PREDICTOR_COUNT);
		r->branch = (uint8_t)random_below(random, CULPRIT_BRANCH_COUNT);
		break;
	case 8:
		i = random_below(random, 3);
		r->producer[i] = back(random, r->seq);
		break;
	case 9:
		r->mem_producer = r->flags & CULPRIT_LOAD ? back(random, r->seq) : 0;
		r->order_waited = back(random, r->seq);
		break;
	case 10:
		r->primary_miss = back(random, r->seq);
		r->mem_size = (uint8_t)(1u << random_below(random, 7));
		break;
	default:
		r->redirect = (uint16_t)random_below(random, 12);
		r->mem_addr ^= 1u << random_below(random, 14);
	}
}

/* Times stay in their order, and a load's latency the sum of its parts. */
static void tell_other_times(struct culprit_record *r, struct random_source *random)
{
	const uint32_t waited = (uint32_t)(r->issue - r->dispatch);
	if (net_chance(random, 40))
		r->ready = r->dispatch + random_below(random, waited + 1);
	if (net_chance(random, 30))
		r->wakeup = (uint16_t)random_below(random, 1 + (uint32_t)(r->commit - r->issue));
	if (net_chance(random, 20))
		r->port_wait = (uint16_t)random_below(random, 1u + r->exec_latency);
	if (net_chance(random, 20) && r->fetch > 200)
		r->imiss = random_below(random, 40);
	r->stray_wait = (uint16_t)(r->stray_wait < r->imiss ? r->stray_wait : r->imiss);
}

static void tell_other(struct net_stream *s)
{
	const uint32_t often = 1 + random_below(&s->random, 30);
	for (size_t i = 0; i < s->count; i++) {
		if (net_chance(&s->random, often))
			tell_other_causes(&s->records[i], &s->random);
		if (net_chance(&s->random, often))
			tell_other_times(&s->records[i], &s->random);
	}
}

static void tell_weights(struct net_stream *s, uint64_t seed)
{
	const uint32_t often = random_below(&s->random, 40);
	weigh_stream(&seed, &s->graph, s->records, s->count, 10 * random_below(&s->random, 6));
	for (size_t i = 0; i < s->count; i++)
		if (net_chance(&s->random, often))
			s->records[i].issue_slots = random_weight(&seed, 4, 20);
}

static void tell(struct net_stream *s, enum net_told told)
{
	uint64_t seed = random_next(&s->random);
	s->told = told;
	if (told == TOLD_LESS)
		tell_less(s);
	else if (told == TOLD_WEIGHTS)
		tell_weights(s, seed);
	else if (told == TOLD_OTHER)
		tell_other(s);
}

/* --- streams --- */

void net_record(struct net_stream *s, uint64_t number)
{
	memset(s, 0, sizeof *s);
	s->number = number;
	s->recorded = true;
	s->random.state = (number + 77) * 0xd1342543de82ef95;
	s->records = malloc((NET_RUN + 64) * sizeof *s->records);
	if (!s->records)
		abort();
	s->around = number % 3 ? varied_machine(&s->machine, &s->random) : varied_machine_wide(&s->machine, &s->random);
	varied_program(random_next(&s->random), false, s->code, sizeof s->code);
	simulate(s);
	graph_params_from_machine(&s->graph, &s->machine);
	tell(s, number % 2 ? TOLD_ALL : (enum net_told)(1 + number / 2 % 3));
}

/* Units of a made machine, and who goes where. */
static void draw_units(struct net_stream *s, struct random_source *r)
{
	struct culprit_graph_params *p = &s->graph;
	p->unit_count = 1 + random_below(r, 4);
	p->queue_count = p->queue_count ? p->queue_count : 1 + random_below(r, 3);
	p->issue_width = random_below(r, 6);
	for (uint32_t u = 0; u < p->unit_count; u++)
		p->units[u] = (struct culprit_graph_unit){random_below(r, 4), random_below(r, p->queue_count)};
	for (uint32_t q = 0; q < p->queue_count; q++)
		p->queue_width[q] = random_below(r, 4);
	for (unsigned op = 0; op < CULPRIT_OP_COUNT; op++)
		p->interval[op] = (uint16_t)(net_chance(r, 15) ? random_below(r, 30) : 1);
	for (size_t i = 0; i < s->count; i++) {
		s->records[i].unit = (uint8_t)((s->records[i].op_class + (net_chance(r, 3) ? 1 : 0)) % p->unit_count);
		s->records[i].contended = (uint8_t)random_below(r, CULPRIT_CONTENTION_COUNT);
		s->records[i].contender =
			(uint8_t)(net_chance(r, 90) ? random_below(r, 3) : CULPRIT_CONTENDER_FAR + random_below(r, 2));
	}
	p->issue_slots = true;
}

static void draw_misses(struct culprit_graph_params *p, struct random_source *r)
{
	if (net_chance(r, 60)) {
		p->mshrs = 1 + random_below(r, net_chance(r, 20) ? 64 : 6);
		p->l1_line = net_chance(r, 90) ? 16 : 0;
		p->miss_line = 64;
		p->l1_prefetches = net_chance(r, 50);
	}
	if (net_chance(r, 50)) {
		p->miss_cycles[CULPRIT_LEVEL_MEMORY] = 31 + random_below(r, 60);
		p->memory_latency = random_below(r, 30);
		p->memory_interval = 1 + random_below(r, 40);
	}
}

void net_make(struct net_stream *s, uint64_t number)
{
	memset(s, 0, sizeof *s);
	s->number = number;
	s->around = "made";
	s->random.state = (number + 5) * 0xd1342543de82ef95;
	uint64_t seed = random_next(&s->random);
	s->graph = net_chance(&s->random, 70) ? random_sizes(&seed) : usual_params();
	if (net_chance(&s->random, 50))
		limit_rooms(&s->graph, &seed);
	draw_misses(&s->graph, &s->random);
	if (net_chance(&s->random, 30))
		crack_params(&s->graph, &seed);
	const struct mix m = {1 + below(&seed, net_chance(&s->random, 10) ? 30000 : 300), 1 + below(&seed, 60),
			      below(&seed, 4), false};
	s->count = 500 + random_below(&s->random, 700);
	s->records = random_stream(seed, s->count, &s->graph, &m);
	if (s->graph.cracked > 1)
		crack_stream(&seed, &s->graph, s->records, s->count);
	if (net_chance(&s->random, 40))
		draw_units(s, &s->random);
	s->cycles = s->records[s->count - 1].commit + 1 + random_below(&s->random, 20);
	tell(s, number % 2 ? TOLD_ALL : (enum net_told)(1 + number / 2 % 3));
}

void net_release(struct net_stream *s)
{
	free(s->records);
	free(s->entries);
	free(s->squashed);
	free(s->batches);
}

struct culprit_log_part net_log(const struct net_stream *s, const struct net_batch *b)
{
	const struct culprit_log_squashed *squashed = s->squashed ? s->squashed + b->first_squashed : NULL;
	return (struct culprit_log_part){s->entries + b->first, b->count, squashed, b->squashed_count};
}

struct culprit_record *net_repeated(const struct net_stream *s, size_t times)
{
	struct culprit_record *all = malloc(times * s->count * sizeof *all);
	if (!all)
		abort();
	for (size_t i = 0; i < times * s->count; i++) {
		struct culprit_record *r = &all[i];
		const uint64_t later = i / s->count * s->cycles;
		*r = s->records[i % s->count];
		r->seq += i / s->count * s->count;
		r->fetch += later;
		r->dispatch += later;
		r->ready += later;
		r->issue += later;
		r->complete += later;
		r->commit += later;
	}
	return all;
}
