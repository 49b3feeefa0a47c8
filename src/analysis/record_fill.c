/* See the header. */
#include "analysis/record_fill.h"

#include "base/bits.h"
#include "base/error.h"

#include <stdlib.h>

#define UNKNOWN(f, name) (((f)->unknown & CULPRIT_FIELD_BIT(name)) != 0)

/* What fetch waited for has a name in these; without one of them the gaps are kept. */
#define FETCH_CAUSES                                                                                   \
	(CULPRIT_FIELD_BIT(imiss) | CULPRIT_FIELD_BIT(redirect) | CULPRIT_FIELD_BIT(decode_redirect) | \
	 CULPRIT_FIELD_BIT(serialising))

static uint64_t latest(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static uint16_t clip16(uint64_t v)
{
	return v > UINT16_MAX ? UINT16_MAX : (uint16_t)v;
}

static bool create_rooms(struct record_fill *f)
{
	const struct culprit_graph_params *p = &f->params;
#define RECENT_KIND(name, parameter, scope, of_it) \
	if (RECENT_REGISTERS & 1 << RECENT_##name) \
		TRY(f->registers[RECENT_##name] = calloc((size_t)p->parameter + 1, sizeof **f->registers));
#include "analysis/recent.def"
	return renames_create(&f->renames, p);
}

bool record_fill_create(struct record_fill *f, const struct culprit_graph_params *params, culprit_field_set unknown)
{
	*f = (struct record_fill){.params = *params, .unknown = unknown};
	uint64_t reach = latest(latest(params->rob, starts_records(params)), 64);
	f->mask = power_of_two_from((uint32_t)reach + 1) - 1;
	f->past = calloc(f->mask + 1, sizeof *f->past);
	f->taken = calloc((size_t)params->taken_limit + 1, sizeof *f->taken);
	return f->past && f->taken && starts_create(&f->starts, params) && (!params->late_rename || create_rooms(f));
}

void record_fill_destroy(struct record_fill *f)
{
	free(f->past);
	free(f->taken);
	for (unsigned kind = 0; kind < RECENT_KINDS; kind++)
		free(f->registers[kind]);
	renames_destroy(&f->renames);
	starts_destroy(&f->starts);
}

void record_fill_params(struct culprit_graph_params *params, culprit_field_set unknown)
{
	if (unknown & CULPRIT_FIELD_BIT(writes))
		params->store_writes = false;
	if (unknown & FETCH_CAUSES)
		params->decode_insns = params->fetch_asked = 0; /* what is put in counts from fetch */
	if (unknown & (CULPRIT_FIELD_BIT(address) | CULPRIT_FIELD_BIT(traffic) | CULPRIT_FIELD_BIT(sharing)))
		params->mshrs = params->memory_interval = 0;
	if (unknown & CULPRIT_FIELD_BIT(units)) {
		params->issue_slots = false;
		for (unsigned q = 0; q < CULPRIT_GRAPH_QUEUES; q++)
			params->queue_entries[q] = 0;
	}
}

/* --- what the source does not tell --- */

static void forget_memory(const struct record_fill *f, struct culprit_record *r)
{
	if (UNKNOWN(f, forwarding))
		r->mem_producer = 0, r->flags &= (uint16_t)~CULPRIT_FORWARDED;
	if (UNKNOWN(f, order))
		r->order_waited = 0, r->flags &= (uint16_t) ~(CULPRIT_AT_HEAD | CULPRIT_VIOLATED);
	if (UNKNOWN(f, address))
		r->mem_addr = 0, r->mem_size = 0;
	if (UNKNOWN(f, miss))
		r->dmiss = 0, r->dtlb = 0, r->dlevel = r->dtlb_level = CULPRIT_LEVEL_NONE;
	if (UNKNOWN(f, sharing))
		r->primary_miss = 0, r->flags &= (uint16_t)~CULPRIT_MERGED;
	if (UNKNOWN(f, traffic))
		r->mshr_wait = r->bandwidth_wait = 0;
	if (UNKNOWN(f, prefetches))
		r->prefetch_trigger = 0, r->prefetch_slack = 0,
		r->prefetch_level = r->prefetch_below = CULPRIT_LEVEL_NONE, r->flags &= (uint16_t)~CULPRIT_PREFETCHED;
	if (UNKNOWN(f, writes))
		r->write_miss = 0, r->write_dtlb = 0, r->write_level = r->write_merged = 0;
}

static void forget_fetch(const struct record_fill *f, struct culprit_record *r)
{
	if (UNKNOWN(f, imiss))
		r->imiss = 0, r->itlb = r->stray_wait = 0, r->ilevel = r->itlb_level = CULPRIT_LEVEL_NONE;
	if (UNKNOWN(f, redirect))
		r->flags &= (uint16_t) ~(CULPRIT_MISPREDICTED | CULPRIT_DIRECTION_WRONG);
	if (UNKNOWN(f, redirect) && !(f->held.flags & (CULPRIT_BTB_MISS | CULPRIT_SERIALISING)))
		r->redirect = 0;
	if (UNKNOWN(f, decode_redirect))
		r->flags &= (uint16_t)~CULPRIT_BTB_MISS;
	if (UNKNOWN(f, serialising))
		r->flags &= (uint16_t)~CULPRIT_SERIALISING;
	if (UNKNOWN(f, taken))
		r->flags &= (uint16_t) ~(CULPRIT_TAKEN | CULPRIT_FETCH_BREAK_TAKEN);
}

static void forget_rest(const struct record_fill *f, struct culprit_record *r)
{
	if (UNKNOWN(f, operands))
		r->producer[0] = r->producer[1] = r->producer[2] = 0;
	if (UNKNOWN(f, window))
		r->window = CULPRIT_WINDOW_NONE, r->previous_holder = 0;
	if (UNKNOWN(f, registers))
		r->dest = 64;
	if (UNKNOWN(f, units))
		r->unit = r->queue = 0;
	if (UNKNOWN(f, commit_limit))
		r->commit_wait = 0, r->commit_stop = 0;
	if (UNKNOWN(f, strays))
		r->istray = r->dstray = 0, r->stray_wait = 0;
	if (UNKNOWN(f, weights))
		r->rob_entries = r->dispatch_slots = r->issue_slots = r->commit_slots = CULPRIT_WEIGHT_ONE;
}

/* --- what follows from the rest --- */

/* A miss that nobody gives a level goes to the nearest one beyond the L1. */
static void fill_levels(const struct record_fill *f, struct culprit_record *r)
{
	if (!UNKNOWN(f, level))
		return;
	r->dlevel = r->dmiss ? CULPRIT_LEVEL_L2 : CULPRIT_LEVEL_NONE;
	r->ilevel = r->imiss ? CULPRIT_LEVEL_L2 : CULPRIT_LEVEL_NONE;
}

/* What does not fit is left for the analysis to refuse. */
static void fill_latency(const struct record_fill *f, struct culprit_record *r)
{
	uint64_t all = r->complete - r->issue, misses = (uint64_t)r->dmiss + r->dtlb;
	bool load = r->flags & CULPRIT_LOAD;
	if (all < misses || !(UNKNOWN(f, latency) || (UNKNOWN(f, miss) && load)))
		return;
	r->exec_latency = clip16(all - misses);
	if (load) /* longer than a field can tell */
		r->dmiss += (uint32_t)(all - misses - r->exec_latency);
	if (UNKNOWN(f, latency))
		r->port_wait = 0, r->wakeup = clip16(all);
}

static uint64_t wake_of(const struct record_fill *f, uint32_t distance)
{
	return distance && distance <= f->mask && distance <= f->count ? f->past[(f->count - distance) & f->mask].wake
								       : 0;
}

/* From when there was room for it in queues and register files that dispatch does not wait for. */
static uint64_t room_for(struct record_fill *f, const struct culprit_record *r)
{
	const struct culprit_graph_params *p = &f->params;
	uint64_t *room = &f->renames.room;
#define RECENT_KIND(name, parameter, scope, of_it)                                \
	if ((RECENT_REGISTERS & 1 << RECENT_##name) && (of_it) && p->parameter && \
	    f->register_count[RECENT_##name] >= p->parameter)                     \
		*room = latest(*room, f->registers[RECENT_##name][f->register_count[RECENT_##name] % p->parameter]);
#include "analysis/recent.def"
	return renames_room(&f->renames, p, r);
}

static void note_room(struct record_fill *f, const struct culprit_record *r)
{
	const struct culprit_graph_params *p = &f->params;
#define RECENT_KIND(name, parameter, scope, of_it)                              \
	if ((RECENT_REGISTERS & 1 << RECENT_##name) && (of_it) && p->parameter) \
		f->registers[RECENT_##name][f->register_count[RECENT_##name]++ % p->parameter] = r->commit;
#include "analysis/recent.def"
	renames_note(&f->renames, p, r, f->count);
}

static void fill_ready(struct record_fill *f, struct culprit_record *r)
{
	const uint64_t room = f->params.late_rename ? room_for(f, r) : 0;
	if (!UNKNOWN(f, ready))
		return;
	r->contended = r->contender = 0;
	uint64_t ready = record_renamed(&f->params, r->dispatch, room);
	for (unsigned i = 0; i < 3; i++)
		ready = latest(ready, wake_of(f, r->producer[i]));
	ready = latest(ready, latest(wake_of(f, r->mem_producer), wake_of(f, r->order_waited)));
	if ((r->flags & CULPRIT_AT_HEAD) && f->count)
		ready = latest(ready, f->last_commit);
	if (ready > r->issue || UNKNOWN(f, operands)) /* whatever it waited for: not for a slot, as far as is known */
		ready = r->issue;
	r->ready = ready;
}

/* A group ends at a line's end; a taken branch ends it otherwise. */
static bool crosses_line(const struct record_fill *f, const struct culprit_record *r)
{
	const uint64_t before = starts_last_byte(f->held.pc, f->held.length);
	return !(f->held.flags & CULPRIT_TAKEN) && starts_next_line(&f->params, before, r);
}

/* The cycle in which fetch could have had the instruction, by widths and room. */
static uint64_t fetch_bound(const struct record_fill *f, const struct culprit_record *r)
{
	const struct culprit_graph_params *p = &f->params;
	uint64_t bound = f->past[(f->count - 1) & f->mask].fetch + crosses_line(f, r);
	if ((f->held.flags & CULPRIT_TAKEN) && p->taken_limit && p->taken_limit <= f->taken_count)
		bound = latest(bound, f->taken[(f->taken_count - p->taken_limit) % p->taken_limit] + 1);
	uint64_t width = starts_back(&f->starts, f->count, p->fetch_width);
	uint64_t room = starts_end(&f->starts, f->count, p->frontend_capacity);
	if (width)
		bound = latest(bound, f->past[(f->count - width) & f->mask].fetch + 1);
	if (room)
		bound = latest(bound, f->past[(f->count - room) & f->mask].dispatch);
	return bound;
}

/* The cycle in which a redirect that is known let fetch go on; 0 = there was none. */
static uint64_t redirect_bound(const struct record_fill *f, const struct culprit_record *r)
{
	const struct culprit_record *held = &f->held;
	if (held->flags & CULPRIT_MISPREDICTED)
		return held->complete + r->redirect;
	if (held->flags & CULPRIT_SERIALISING)
		return held->commit + r->redirect;
	return held->flags & CULPRIT_BTB_MISS ? held->fetch + r->redirect + 1u : 0;
}

/* A redirect from decode as one from fetch: what held decode up becomes part of it. */
static void count_from_fetch(const struct record_fill *f, struct culprit_record *r)
{
	const struct culprit_graph_params *p = &f->params;
	if (!p->decode_insns || !(f->held.flags & CULPRIT_BTB_MISS) || UNKNOWN(f, redirect))
		return;
	uint64_t decode = f->held.fetch + p->decode_stages;
	uint64_t held = starts_end(&f->starts, f->count, p->decode_insns + 1ull);
	if (held)
		decode = latest(decode, f->past[(f->count - held) & f->mask].dispatch);
	uint64_t cycles = decode + r->redirect - f->held.fetch;
	r->redirect = clip16(cycles ? cycles - 1 : 0);
}

/* Of a line that was asked for ahead (fetch_asked), what the instruction waited for it behind the one in front. */
static void wait_for_line(const struct record_fill *f, struct culprit_record *r)
{
	const uint64_t waited = r->fetch - f->held.fetch;
	r->imiss = r->imiss < waited ? r->imiss : (uint32_t)waited;
	r->itlb = r->itlb < waited - r->imiss ? r->itlb : (uint16_t)(waited - r->imiss);
	r->stray_wait = r->stray_wait < r->imiss ? r->stray_wait : r->imiss;
}

/* To the class that is not told anyway: fetch misses, else redirects, as one from the instruction in front. */
static void keep_gap(struct record_fill *f, struct culprit_record *r)
{
	if (!(f->unknown & FETCH_CAUSES) || !f->holds)
		return;
	wait_for_line(f, r);
	if (r->flags & CULPRIT_VIOLATED)
		return;
	if (f->starts.numbers && !r->length)
		return; /* fetched with the instruction in front */
	count_from_fetch(f, r);
	uint64_t redirected = redirect_bound(f, r);
	uint64_t start = r->fetch - r->imiss - r->itlb, bound = latest(fetch_bound(f, r), redirected);
	if (start <= bound || (redirected && !UNKNOWN(f, imiss) && !UNKNOWN(f, redirect)))
		return;
	if (UNKNOWN(f, imiss)) {
		r->imiss = start - bound > UINT32_MAX ? UINT32_MAX : (uint32_t)(start - bound);
		return;
	}
	if (f->held.flags & CULPRIT_SERIALISING) {
		r->redirect = clip16(start - f->held.commit);
		return;
	}
	uint64_t back = f->held.fetch;
	f->held.flags |= CULPRIT_BTB_MISS;
	r->redirect = clip16(start - back - 1);
}

static void note(struct record_fill *f, const struct culprit_record *r)
{
	uint64_t wake = r->issue + r->wakeup;
	f->past[f->count & f->mask] =
		(struct record_fill_past){r->fetch, r->dispatch, wake > r->complete ? wake : r->complete};
	f->last_commit = r->commit;
	if (f->params.late_rename)
		note_room(f, r);
	starts_note(&f->starts, f->count, r);
	f->count++;
}

/* What comes behind a branch says whether it was taken. */
static void finish_held(struct record_fill *f, const struct culprit_record *next)
{
	struct culprit_record *held = &f->held;
	if (!f->holds)
		return;
	if (UNKNOWN(f, taken) && held->branch && next->pc != held->pc + held->length)
		held->flags |= CULPRIT_TAKEN;
	if ((held->flags & CULPRIT_TAKEN) && f->params.taken_limit)
		f->taken[f->taken_count++ % f->params.taken_limit] = held->fetch;
}

static bool fits(const struct culprit_record *r)
{
	return r->complete >= r->issue && (uint64_t)r->imiss + r->itlb <= r->fetch;
}

bool record_fill_push(struct record_fill *f, const struct culprit_record *records, size_t count, record_fill_sink *sink,
		      void *context)
{
	if (!f->unknown)
		return sink(context, records, count);
	for (size_t i = 0; i < count; i++) {
		struct culprit_record r = records[i];
		forget_memory(f, &r);
		forget_fetch(f, &r);
		forget_rest(f, &r);
		fill_levels(f, &r);
		finish_held(f, &r);
		if (fits(&r)) { /* else the sink refuses it */
			fill_latency(f, &r);
			fill_ready(f, &r);
			keep_gap(f, &r);
		}
		if (f->holds && !sink(context, &f->held, 1))
			return false;
		note(f, &r);
		f->held = r;
		f->holds = true;
	}
	return true;
}

bool record_fill_finish(struct record_fill *f, record_fill_sink *sink, void *context)
{
	bool holds = f->holds;
	f->holds = false;
	return !holds || sink(context, &f->held, 1);
}
