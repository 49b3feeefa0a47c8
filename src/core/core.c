#include "core/core.h"

#include "base/bits.h"
#include "core/log.h"
#include "core/loop.h"
#include "core/order.h"
#include "core/path.h"

#include <stdlib.h>
#include <string.h>

/* An unlimited stage: as many as 16 bits of a cycle's counts can tell. Only an idealised window of more than 3276 entries
 * holds more than that. */
enum { UNLIMITED = UINT16_MAX };

/* --- parameters --- */

static uint32_t scaled(const struct core *c, uint32_t entries)
{
	if (!entries)
		return UINT32_MAX;
	return ideal(c, CULPRIT_EVENT_BIT(win)) ? entries * MACHINE_IDEAL_WINDOW : entries;
}

/* 32 registers hold architectural state, the rest is for instructions in flight. */
static uint32_t renaming_registers(const struct core *c, uint32_t registers)
{
	return registers ? scaled(c, registers - 32) : UINT32_MAX;
}

static void derive_widths(struct core *c)
{
	const struct machine *m = &c->m;
	c->unlimited = ideal(c, CULPRIT_EVENT_BIT(bw));
	c->fetch_width = c->unlimited ? UINT32_MAX : m->fetch_width;
	c->taken_limit = c->unlimited ? UINT32_MAX : m->fetch_taken_limit;
	c->within_line = !c->unlimited && m->fetch_within_line;
	c->dispatch_width = c->unlimited ? UNLIMITED : m->dispatch_width;
	c->issue_width = c->unlimited ? UNLIMITED : m->issue_width;
	c->commit_width = c->unlimited ? UNLIMITED : m->commit_width;
	c->commit_stores = c->unlimited || !m->commit_stores ? UINT32_MAX : m->commit_stores;
	c->commit_branches = c->unlimited || !m->commit_branches ? UINT32_MAX : m->commit_branches;
}

static void derive_window(struct core *c)
{
	const struct machine *m = &c->m;
	c->rob = scaled(c, m->window_rob);
	c->lq = scaled(c, m->window_lq);
	c->sq = scaled(c, m->window_sq);
	c->lsq = scaled(c, m->window_lsq);
	c->int_regs = renaming_registers(c, m->window_int_regs);
	c->fp_regs = renaming_registers(c, m->window_fp_regs);
	c->counted = (c->lq & c->sq & c->lsq & c->int_regs & c->fp_regs) != UINT32_MAX;
	c->late_wake = m->issue_wakeup > 1 + m->commit_delay + m->issue_dispatch_to_issue;
	uint32_t base = m->fetch_buffer + m->frontend_stages * m->dispatch_width;
	/* unlimited bandwidth: the front end must never be what limits, so it can fill the window every cycle */
	c->front_capacity = c->unlimited ? c->rob * (m->frontend_stages + 1) : base;
	/* ... but a wrong path gets no longer than the machine itself could have in flight: real wrong paths end */
	bool larger = c->unlimited || ideal(c, CULPRIT_EVENT_BIT(win));
	c->wrong_path_limit = larger ? m->window_rob + base : UINT32_MAX;
	c->line_bits = (uint32_t)__builtin_ctz(m->l1i_line);
}

static void derive_operations(struct core *c)
{
	for (unsigned op = 0; op < CULPRIT_OP_COUNT; op++) {
		bool zero = machine_op_is_ideal(&c->m, op);
		c->op_latency[op] = zero ? 0 : (uint16_t)c->m.latency[op];
		c->op_interval[op] = zero ? 1 : (uint16_t)c->m.interval[op];
		for (unsigned u = 0; u < c->m.unit_count; u++)
			if (c->m.units[u].ops & (1u << op))
				c->op_place[op] =
					(struct op_place){.unit = (uint8_t)u, .queue = (uint8_t)c->m.units[u].queue};
		c->zero_latency |= zero;
	}
	c->forward_latency = ideal(c, CULPRIT_EVENT_BIT(dl1)) ? 0 : c->m.lsq_forward_latency;
	c->zero_latency |= !c->forward_latency;
	c->oracle = ideal(c, CULPRIT_EVENT_BIT(bmisp)) || c->m.branch_predictor == direction_predictor_oracle;
}

/* Where records go. */
static void find_room(struct core *c)
{
	c->batch = c->own_batch;
	c->batch_room = RECORD_BATCH;
	if (c->sink && c->sink->room)
		c->batch = c->sink->room(c->sink->context, &c->batch_room);
}

/* --- storage --- */

static bool create_ring(struct core *c, struct error *err)
{
	uint64_t slots = (uint64_t)c->rob + c->front_capacity + 1;
	uint32_t size = (uint32_t)power_of_two_from(slots > 64 ? slots : 64); /* whole words of the ready set */
	c->mask = size - 1;
	c->slots = aligned_alloc(64, size * sizeof *c->slots);
	c->branches = calloc(size, sizeof *c->branches);
	c->ready = calloc((1 + c->m.unit_count) * (size / 64), sizeof *c->ready);
	for (uint32_t i = 0; i < c->m.unit_count && c->ready; i++)
		c->unit_ready[i] = c->ready + (1 + i) * (size / 64);
	c->stores = calloc(size, sizeof *c->stores);
	c->stores_mask = size - 1;
	c->own_batch = calloc(RECORD_BATCH, sizeof *c->own_batch);
	find_room(c);
	uint32_t releases = (uint32_t)power_of_two_from(c->sq == UINT32_MAX ? 1 : c->sq);
	c->releases = calloc(releases, sizeof *c->releases);
	c->releases_mask = releases - 1;
	if (!c->slots || !c->branches || !c->ready || !c->stores || !c->own_batch || !c->releases)
		return error_set(err, ERROR_SYSTEM, "out of memory for a window of %u instructions", size);
	memset(c->slots, 0, size * sizeof *c->slots);
	memset(c->wheel, 0xff, sizeof c->wheel);
	return true;
}

static bool create_units(struct core *c, struct error *err)
{
	for (uint32_t i = 0; i < c->m.unit_count; i++) {
		struct unit_state *u = &c->units[i];
		u->count = c->m.units[i].count;
		u->free_at = calloc(u->count, sizeof *u->free_at);
		u->holder = calloc(u->count, sizeof *u->holder);
		u->refused = NEVER;
		if (!u->free_at || !u->holder)
			return error_set(err, ERROR_SYSTEM, "out of memory for units");
	}
	for (uint32_t i = 0; i < c->m.queue_count; i++) {
		struct queue_state *q = &c->queues[i];
		uint32_t entries = scaled(c, c->m.queues[i].entries);
		q->entries = entries == UINT32_MAX ? 0 : entries;
		q->width = c->m.queues[i].width ? c->m.queues[i].width : c->m.issue_width;
		if (!q->entries)
			continue;
		q->freed = calloc(q->entries, sizeof *q->freed);
		if (!q->freed)
			return error_set(err, ERROR_SYSTEM, "out of memory for issue queues");
	}
	return true;
}

/* What the instructions in flight need: its size follows from the window's. */
static bool create_window(struct core *c, struct error *err)
{
	derive_widths(c);
	derive_window(c);
	derive_operations(c);
	TRY(create_ring(c, err));
	TRY(create_units(c, err));
	return order_create(c, err);
}

static void destroy_window(struct core *c)
{
	order_destroy(c);
	for (uint32_t i = 0; i < MACHINE_UNITS_MAX; i++) {
		free(c->units[i].free_at);
		free(c->units[i].holder);
	}
	for (uint32_t i = 0; i < MACHINE_QUEUES_MAX; i++)
		free(c->queues[i].freed);
	free(c->slots);
	free(c->branches);
	free(c->ready);
	free(c->stores);
	free(c->own_batch);
	free(c->releases);
}

static bool create_parts(struct core *c, struct error *err)
{
	TRY(c->hierarchy = hierarchy_create(&c->m, err));
	TRY(c->predictor = predictor_create(&c->m, err));
	TRY(create_window(c, err));
	return path_create(c, err);
}

struct core *core_create(const struct machine *m, struct guest *guest, struct error *err)
{
	struct core *c = aligned_alloc(64, (sizeof *c + 63) / 64 * 64);
	if (!c) {
		error_set(err, ERROR_SYSTEM, "out of memory for the core");
		return NULL;
	}
	memset(c, 0, sizeof *c);
	c->m = *m;
	c->guest = guest;
	c->hart = guest_hart(guest);
	c->memory = guest_memory(guest);
	c->code = guest_code(guest);
	c->limit = NEVER;
	c->stop_pc = NEVER;
	c->fetch_line = NEVER;
	if (!create_parts(c, err)) {
		core_destroy(c);
		return NULL;
	}
	return c;
}

void core_destroy(struct core *c)
{
	if (!c)
		return;
	path_destroy(c);
	destroy_window(c);
	if (c->predictor)
		predictor_destroy(c->predictor);
	if (c->hierarchy)
		hierarchy_destroy(c->hierarchy);
	free(c);
}

/* Nothing is in flight before the first run, so all that depends on sizes is made anew; caches and predictor stay. */
bool core_idealise(struct core *c, culprit_event_set set, struct error *err)
{
	c->m.ideal |= set;
	hierarchy_idealise(c->hierarchy, c->m.ideal);
	destroy_window(c);
	c->slots = NULL;
	c->branches = NULL;
	c->ready = c->stores = c->releases = NULL;
	c->own_batch = NULL;
	memset(c->units, 0, sizeof c->units);
	memset(c->queues, 0, sizeof c->queues);
	c->parked = NULL;
	c->store_sets = NULL;
	return create_window(c, err);
}

/* --- running --- */

static unsigned listeners(const struct culprit_observer *o)
{
	return (o->committed ? LISTEN_COMMITTED : 0) | (o->fetched ? LISTEN_FETCHED : 0) |
	       (o->branch_fetched ? LISTEN_BRANCHES : 0) | (o->fetch_missed ? LISTEN_FETCH_MISSES : 0) |
	       (o->dispatched ? LISTEN_DISPATCHED : 0) | (o->issued ? LISTEN_ISSUED : 0) |
	       (o->load_missed ? LISTEN_LOAD_MISSES : 0) | (o->store_missed ? LISTEN_STORE_MISSES : 0) |
	       (o->resolved ? LISTEN_RESOLVED : 0) | (o->squashed ? LISTEN_SQUASHED : 0) |
	       (o->cycles ? LISTEN_CYCLES : 0) | (o->cycles && o->issue_waits ? LISTEN_ISSUE_WAITS : 0) |
	       (o->cycles && o->queue_occupancy ? LISTEN_QUEUES : 0);
}

void core_flush_batch(struct core *c)
{
	c->sink->records(c->sink->context, c->batch, c->batch_count);
	c->batch_count = 0;
	find_room(c);
}

void core_observe(struct core *c, const struct culprit_observer *observer, const struct culprit_record_sink *sink)
{
	c->observer = observer;
	c->sink = sink;
	find_room(c);
	c->listens = (sink ? LISTEN_RECORDS : 0) | (c->log ? LISTEN_LOG : 0) | (observer ? listeners(observer) : 0);
	c->told_issued_wrong = c->stats.issued_wrong_path;
}

void core_log(struct core *c, struct culprit_log *log)
{
	c->log = log;
}

void core_limit(struct core *c, uint64_t max_insns)
{
	c->limit = max_insns ? max_insns : NEVER;
}

void core_stop_at(struct core *c, uint64_t pc)
{
	c->stop_pc = pc ? pc : NEVER;
}

enum core_stop core_run(struct core *c, uint64_t committed, struct error *err)
{
	enum core_stop stop = !c->observer && !c->sink			    ? loop_bare(c, committed, err)
			      : c->listens == LISTEN_RECORDS		    ? loop_recorded(c, committed, err)
			      : c->listens == (LISTEN_RECORDS | LISTEN_LOG) ? loop_logged(c, committed, err)
									    : loop_observed(c, committed, err);
	c->stats.cycles = c->now;
	return stop;
}

void core_flush_records(struct core *c)
{
	if (c->sink && c->batch_count)
		core_flush_batch(c);
	if (c->log)
		log_undone(c, c->head);
}

enum core_stop loop_deadlock(struct core *c, struct error *err)
{
	const struct slot *s = slot_at(c, c->head);
	error_set(err, ERROR_INTERNAL,
		  "deadlock at cycle %llu: head %llu dispatched %llu fetched %llu tail %llu; head pc 0x%llx state %u "
		  "pending %u "
		  "linked %u; fetch hold %u resumes %llu; wrong paths %u; LQ %u SQ %u LSQ %u registers %u+%u; ready %u "
		  "parked %u",
		  (unsigned long long)c->now, (unsigned long long)c->head, (unsigned long long)c->dispatched,
		  (unsigned long long)c->fetched, (unsigned long long)c->tail, (unsigned long long)s->pc, s->state,
		  s->pending, s->linked, c->hold, (unsigned long long)c->fetch_resume, c->checkpoint_count, c->lq_used,
		  c->sq_used, c->lsq_used, c->int_used, c->fp_used, c->ready_count, c->parked_count);
	return CORE_STOP_ERROR;
}

const struct core_statistics *core_statistics(const struct core *c)
{
	return &c->stats;
}

const struct hierarchy_statistics *core_hierarchy_statistics(const struct core *c)
{
	return hierarchy_statistics(c->hierarchy);
}

enum guest_state core_guest_state(const struct core *c)
{
	return c->guest_state;
}
