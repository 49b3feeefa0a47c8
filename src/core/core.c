#include "core/core.h"

#include "base/bits.h"
#include "core/log.h"
#include "core/loop.h"
#include "core/order.h"
#include "core/vector.h"
#include "core/path.h"
#include "core/place.h"
#include "riscv/follow.h"

#include <stdlib.h>
#include <string.h>

/* An unlimited stage: as many as 16 bits of a cycle's counts can tell. Only an idealised window of more than 3276
 * entries holds more than that. */
enum { UNLIMITED = UINT16_MAX };

/* --- parameters --- */

static void derive(struct core *c)
{
	struct machine_idealised *d = &c->d;
	machine_idealise(d, &c->m);
	if (d->no_bandwidth)
		d->dispatch_width = d->issue_width = d->commit_width = UNLIMITED;
	c->counted = (d->lq & d->sq & d->lsq & d->branches & d->int_regs & d->fp_regs) != UINT32_MAX;
	c->late_wake = c->m.issue_wakeup > 1 + c->m.commit_delay + c->m.issue_dispatch_to_issue;
	c->split_bits = c->m.lsq_split && !d->no_bandwidth ? (uint32_t)__builtin_ctz(c->m.lsq_split) : 63;
	c->line_bits = (uint32_t)__builtin_ctz(c->m.l1i_line);
	c->block_bits = c->d.fetch_block ? (uint32_t)__builtin_ctz(c->d.fetch_block) : 63;
	c->zero_latency = !d->forward_latency;
	for (unsigned op = 0; op < CULPRIT_OP_COUNT; op++)
		c->zero_latency |= machine_op_is_ideal(&c->m, op);
	for (size_t i = 0; i < c->place_count; i++)
		c->zero_latency |= (c->places[i].ideal & (CULPRIT_EVENT_BIT(shalu) | CULPRIT_EVENT_BIT(lgalu))) != 0;
}

/* Where records go. */
static void find_room(struct core *c)
{
	size_t room = RECORD_BATCH;
	c->batch = c->own_batch;
	if (c->sink && c->sink->room)
		c->batch = c->sink->room(c->sink->context, &room);
	c->record = c->batch;
	c->batch_end = c->batch + room;
}

/* --- storage --- */

static bool create_ring(struct core *c, struct error *err)
{
	uint64_t slots = (uint64_t)c->d.window + c->d.front_capacity + 1;
	uint32_t size = (uint32_t)power_of_two_from(slots > 64 ? slots : 64); /* whole words of the ready set */
	c->mask = size - 1;
	c->slots = aligned_alloc(64, size * sizeof *c->slots);
	c->branches = calloc(size, sizeof *c->branches);
	c->ready = calloc((1 + c->m.unit_count) * (size / 64), sizeof *c->ready);
	for (uint32_t i = 0; i < c->m.unit_count && c->ready; i++)
		c->unit_ready[i] = c->ready + (1 + i) * (size / 64);
	c->stores = calloc(size, sizeof *c->stores);
	c->stores_mask = size - 1;
	c->store_left = calloc(size, sizeof *c->store_left);
	c->own_batch = calloc(RECORD_BATCH, sizeof *c->own_batch);
	uint32_t releases = (uint32_t)power_of_two_from(c->d.sq == UINT32_MAX ? 1 : c->d.sq);
	c->releases = calloc(releases, sizeof *c->releases);
	c->releases_mask = releases - 1;
	if (!c->slots || !c->branches || !c->ready || !c->stores || !c->store_left || !c->own_batch || !c->releases)
		return error_set(err, ERROR_SYSTEM, "out of memory for a window of %u instructions", size);
	memset(c->slots, 0, size * sizeof *c->slots);
	memset(c->wheel, 0xff, sizeof c->wheel);
	find_room(c);
	return true;
}

static bool create_units(struct core *c, struct error *err)
{
	for (uint32_t i = 0; i < c->m.unit_count; i++) {
		struct unit_state *u = &c->units[i];
		c->per_cycle.units[i] = c->m.units[i].count;
		u->free_at = calloc(c->per_cycle.units[i], sizeof *u->free_at);
		u->holder = calloc(c->per_cycle.units[i], sizeof *u->holder);
		u->refused = NEVER;
		if (!u->free_at || !u->holder)
			return error_set(err, ERROR_SYSTEM, "out of memory for units");
	}
	for (uint32_t i = 0; i < c->m.queue_count; i++) {
		struct queue_state *q = &c->queues[i];
		q->entries = c->d.queue_entries[i];
		c->per_cycle.queues[i] = c->d.queue_width[i];
		if (q->entries == UINT32_MAX)
			continue;
		q->freed = calloc(q->entries, sizeof *q->freed);
		if (!q->freed)
			return error_set(err, ERROR_SYSTEM, "out of memory for issue queues");
		c->holders = true;
	}
	return true;
}

/* What the instructions in flight need: its size follows from the window's. */
static bool create_window(struct core *c, struct error *err)
{
	derive(c);
	TRY(create_ring(c, err));
	TRY(create_units(c, err));
	TRY(vector_create(c, err));
	return order_create(c, err);
}

static void destroy_window(struct core *c)
{
	order_destroy(c);
	vector_destroy(c);
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
	free(c->store_left);
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
	c->fetch_line = c->enter.pc = NEVER;
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
	warm_destroy(c);
	destroy_window(c);
	free(c->places);
	free(c->programs);
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
	c->restarts = NULL;
	c->store_sets = NULL;
	return create_window(c, err);
}

culprit_event_set place_find(const struct core *c, uint64_t pc)
{
	culprit_event_set ideal = 0;
	for (size_t i = 0; i < c->place_count; i++)
		if (pc - c->places[i].first < c->places[i].end - c->places[i].first)
			ideal |= c->places[i].ideal;
	return ideal;
}

bool core_idealise_places(struct core *c, const struct core_place *places, size_t count, struct error *err)
{
	struct core_place *copy = calloc(count + 1, sizeof *copy);
	if (!copy)
		return error_set(err, ERROR_SYSTEM, "out of memory for places");
	memcpy(copy, places, count * sizeof *copy);
	free(c->places);
	c->places = copy;
	c->place_count = count;
	derive(c);
	return true;
}

/* --- running --- */

void core_flush_batch(struct core *c)
{
	c->sink->records(c->sink->context, c->batch, (size_t)(c->record - c->batch));
	find_room(c);
}

void core_record(struct core *c, const struct culprit_record_sink *sink, struct culprit_log *log)
{
	c->sink = sink;
	c->log = log;
	find_room(c);
}

void core_limit(struct core *c, uint64_t max_insns)
{
	c->limit = max_insns ? max_insns : NEVER;
}

void core_follow(struct core *c, struct riscv_follow *trace)
{
	const uint64_t left = trace->count - trace->next;
	c->follow = trace;
	c->limit = left < c->limit ? left : c->limit;
}

void core_stop_at(struct core *c, const struct guest_point *point)
{
	c->stop_pc = point->at.pc;
	c->stop_left = point->left;
	c->stop_index = NEVER;
	if (point->at.raw) {
		riscv_code_watch(c->code, point->at);
		riscv_code_decode(c->code, point->at.raw, 0, &c->stop_insn);
	}
	c->block = NULL;
}

/* Nothing that core_rare asks for will be true. */
static bool core_is_plain(const struct core *c)
{
	const struct machine *m = &c->m;
	bool keys = m->dispatch_whole_groups || m->dispatch_move_elimination || m->dispatch_recovery ||
		    m->issue_late_addend || m->issue_bypass || m->branch_train_queue || m->fetch_loop_buffer ||
		    m->divide_bits || m->lsq_stream_lines || m->lsq_split || m->branch_sfb ||
		    m->dispatch_squash_width || m->lsq_check_bytes || m->branch_l0_blocks || m->fetch_one_conditional ||
		    m->lsq_restart || m->lsq_fill || m->issue_int_to_fp || m->issue_fp_to_int || m->lsq_fp_load ||
		    m->lsq_split_amo || m->divide_fp_bits || m->lsq_load_order;
	bool shape = c->d.grouped || c->d.rob_rows || c->d.fetch_bank;
	bool derived = c->d.no_bandwidth || c->d.steered || c->d.released || c->late_wake || c->zero_latency;
	return !keys && !shape && !derived && !c->vector && !c->place_count && !c->follow;
}

enum core_stop core_run(struct core *c, uint64_t committed, struct error *err)
{
	if (!c->head)
		c->program = guest_program(c->guest);
	path_enter_space(c);
	bool plain = core_is_plain(c);
	enum core_stop (*loop)(struct core *, uint64_t, struct error *) =
		c->log	  ? (plain ? loop_logged_plain : loop_logged)
		: c->sink ? (plain ? loop_recorded_plain : loop_recorded)
			  : (plain ? loop_bare_plain : loop_bare);
	enum core_stop stop = loop(c, committed, err);
	c->stats.cycles = c->now;
	return stop;
}

void core_flush_records(struct core *c)
{
	if (c->sink && c->record != c->batch)
		core_flush_batch(c);
	if (c->log)
		log_squashed_records(c, c->head);
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

const struct core_program *core_programs(struct core *c, size_t *count)
{
	path_charge(c);
	*count = c->program_count;
	return c->programs;
}

enum guest_state core_guest_state(const struct core *c)
{
	return c->guest_state;
}
