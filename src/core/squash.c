#include "core/squash.h"

#include "core/access.h"
#include "core/log.h"
#include "core/order.h"
#include "core/path.h"
#include "core/restart.h"
#include "core/schedule.h"
#include "core/train.h"

static void release_window(struct core *c, struct slot *s)
{
	if (!c->counted)
		return;
	if (s->flags & SLOT_LOAD)
		c->lq_used--;
	if (s->flags & SLOT_STORE)
		c->sq_used--;
	if (s->flags & (SLOT_LOAD | SLOT_STORE))
		c->lsq_used--;
	c->branches_used -= (s->flags & SLOT_BRANCH) != 0;
	if (s->dest < 32)
		c->int_used--;
	else if (s->dest < RISCV_NO_DEST)
		c->fp_used--;
}

static void release_queue(struct core *c, struct slot *s, uint64_t index)
{
	struct queue_state *q = &c->queues[s->place.queue];
	q->used--;
	if (c->sink)
		queue_free(c, q, s, index, true);
}

/* The store so far back has not caught the load any more. */
static void forget_violation(struct core *c, uint32_t distance, uint64_t index)
{
	if (!distance || distance > index)
		return;
	struct slot *store = slot_at(c, index - distance);
	if (store->violated == index + 1)
		store->violated = 0;
}

/* Take one dispatched instruction out, youngest first. */
static void undo_dispatch(struct core *c, struct slot *s, uint64_t index)
{
	switch (s->state) {
	case SLOT_READY:
		ready_clear(c, s->place.unit, index & c->mask);
		break;
	case SLOT_TIMED:
		wheel_remove(c, s);
		break;
	case SLOT_ISSUED:
		if (s->flags & SLOT_EVENT)
			wheel_remove(c, s);
		break;
	case SLOT_PARKED:
		order_unpark(c, index);
		break;
	default:
		unlink_operands(c, s);
	}
	if (s->state != SLOT_ISSUED || restart_drop(c, index))
		release_queue(c, s, index);
	release_window(c, s);
	c->last_writer[s->dest] = s->previous_writer;
	if (s->flags & SLOT_LOAD) {
		forget_violation(c, s->mem_producer, index);
		if (c->m.lsq_check_bytes)
			forget_violation(c, s->near_store, index);
	}
	s->flags &= (uint8_t)~SLOT_EVENT;
	s->state = SLOT_FRONT;
}

/* Operations go on holding their units; who is fetched again is another. */
static void disown_units(struct core *c, uint64_t first)
{
	for (uint32_t u = 0; u < c->m.unit_count; u++)
		for (uint32_t i = 0; i < c->units[u].busy; i++)
			if (c->units[u].holder[i] > first)
				c->units[u].holder[i] |= WRONG_PATH_SEQ;
}

static void empty_pipeline_from(struct core *c, uint64_t first)
{
	if (c->sink)
		disown_units(c, first);
	if (c->d.steered || c->d.rob_rows)
		c->group_end = 0; /* its end is fetched again, without a choice of units, and in another row */
	c->shadow_end = 0;
	c->row_base = first;
	if (c->d.squash_width && c->dispatched > first)
		c->squashed_until = c->now + (c->dispatched - first + c->d.squash_width - 1) / c->d.squash_width;
	while (c->dispatched > first) {
		c->dispatched--;
		undo_dispatch(c, slot_at(c, c->dispatched), c->dispatched);
	}
	if (c->vector)
		vector_rebuild(c);
	if (c->d.rob_rows && c->dispatched > c->left_window)
		c->row = slot_at(c, c->dispatched - 1)->row;
	if (c->fetched > first)
		c->fetched = first;
	c->fetch_line = c->enter.pc = NEVER;
	c->pending = (struct fetch_note){.why = CULPRIT_FETCH_DELIVERED};
}

static void refetch(struct core *c, uint8_t reason, uint32_t delay)
{
	const uint32_t redirect = c->m.frontend_redirect + delay;
	c->fetch_resume = c->now + redirect;
	c->fetch_reason = reason;
	c->fetch_translated = 0;
	c->pending.redirect = (uint16_t)redirect;
	c->pending.why = reason;
	train_redirected(c);
}

static void tell_squashed(struct core *c, uint64_t first, enum culprit_squash why)
{
	if (c->log)
		log_squashed(c, first, why);
}

/* Fetch may go on, unless a thread's turn ended with the very branch that was mispredicted. */
static void release(struct core *c)
{
	c->hold = c->drain == DRAIN_NOTHING ? HOLD_NONE : HOLD_DRAIN;
}

/* Fetch had no target to follow: nothing younger exists. A row of the front end begins all the same. */
static void resume_without_target(struct core *c, uint64_t index)
{
	c->row_base = index + 1;
	release(c);
	refetch(c, CULPRIT_FETCH_MISPREDICT, 0);
}

/* dispatch.recovery: an older branch takes the younger's place, a violation before it undoes it. */
static void recover_from(struct core *c, uint64_t index)
{
	if (!c->m.dispatch_recovery)
		return;
	c->recovers = index + 1;
	c->recovered = NEVER;
}

void squash_mispredicted(struct core *c, uint64_t index)
{
	train_squashed(c);
	recover_from(c, index);
	c->stats.squashes++;
	slot_at(c, index)->flags &= (uint8_t)~SLOT_MISPREDICTED; /* from now on fetch knows the way */
	if (c->hold == HOLD_NO_TARGET && c->hold_index == index) {
		resume_without_target(c, index);
		train_mispredicted(c, index);
		tell_squashed(c, index + 1, CULPRIT_SQUASH_MISPREDICT);
		return;
	}
	uint32_t number = path_checkpoint_of(c, index);
	uint32_t stores = slot_at(c, index)->store_number + ((slot_at(c, index)->flags & SLOT_STORE) ? 1 : 0);
	c->stats.fetched_wrong_path += c->fetched - (index + 1);
	empty_pipeline_from(c, index + 1);
	c->tail = index + 1;
	path_drop_stores(c, stores);
	order_rewind(c, stores);
	path_return(c, number);
	const struct branch_note *note = &c->branches[index & c->mask];
	predictor_speculate(c->predictor, &note->query, note->actual_taken, note->actual_next);
	release(c);
	refetch(c, CULPRIT_FETCH_MISPREDICT, 0);
	train_mispredicted(c, index);
	tell_squashed(c, index + 1, CULPRIT_SQUASH_MISPREDICT);
}

/* The oldest misprediction that the load's squash takes along: its wrong path is dropped and will be entered again
 * when the branch is fetched again. */
static void drop_younger_paths(struct core *c, uint64_t index)
{
	for (uint32_t i = 0; i < c->checkpoint_count; i++) {
		uint64_t branch = c->checkpoints[i].branch;
		if (branch < index)
			continue;
		c->tail = branch + 1;
		path_drop_stores(c, slot_at(c, branch)->store_number);
		path_return(c, i);
		if (c->hold == HOLD_WRONG_PATH || c->hold == HOLD_END)
			release(c);
		return;
	}
}

/* Keep what the program did, forget what fetch did, and that a squash before began with it. A branch that has
 * resolved already is fetched again as one predicted right: its right path is executed. */
static void mark_replayed(struct core *c, uint64_t index)
{
	struct slot *s = slot_at(c, index);
	s->record_flags &= (uint16_t)~CULPRIT_VIOLATED;
	s->record_flags |= CULPRIT_REPLAYED;
	if (!(s->record_flags & CULPRIT_MISPREDICTED) || (s->flags & SLOT_MISPREDICTED))
		return;
	struct branch_note *n = &c->branches[index & c->mask];
	s->record_flags &= (uint16_t) ~(CULPRIT_MISPREDICTED | CULPRIT_DIRECTION_WRONG | CULPRIT_BTB_MISS);
	n->prediction.taken = n->actual_taken;
	n->prediction.next_pc = n->actual_next;
}

/* Those that issued before they were squashed will issue again, later than whoever has the entry that they freed. */
static void forget_holders(struct core *c, uint64_t index)
{
	for (uint32_t i = 0; i < c->m.queue_count; i++) {
		struct queue_state *q = &c->queues[i];
		for (uint32_t entry = 0; q->freed && entry < q->entries; entry++)
			q->freed[entry] = q->freed[entry] > index ? 0 : q->freed[entry];
	}
}

void squash_violation(struct core *c, const struct violation *v)
{
	const uint64_t index = v->first;
	train_squashed(c);
	if (c->recovers > index)
		c->recovers = 0;
	if (c->m.dispatch_recovery_data && index > c->head)
		recover_from(c, index - 1);
	c->stats.violations++;
	if (c->log)
		log_squashed_records(c, index);
	empty_pipeline_from(c, index);
	if (c->sink)
		forget_holders(c, index);
	order_rewind(c, v->stores);
	drop_younger_paths(c, index);
	for (uint64_t i = index; i < c->tail; i++)
		mark_replayed(c, i);
	slot_at(c, index)->record_flags |= CULPRIT_VIOLATED;
	if ((c->hold == HOLD_SERIALISE || c->hold == HOLD_NO_TARGET) && c->hold_index >= index)
		release(c);
	refetch(c, CULPRIT_FETCH_VIOLATION, v->delay);
	tell_squashed(c, index, CULPRIT_SQUASH_VIOLATION);
}
