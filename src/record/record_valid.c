/* See the header. */
#include "record/record_valid.h"

#include <string.h>

enum { MOST_UNITS = 16, MOST_QUEUES = 8, MOST_REGISTER = 64 };

static bool is_level(uint8_t level)
{
	return level < CULPRIT_LEVEL_COUNT;
}

static bool levels_good(const struct culprit_record *r)
{
	return is_level(r->dlevel) && is_level(r->dtlb_level) && is_level(r->ilevel) && is_level(r->itlb_level) &&
	       is_level(r->istray) && is_level(r->dstray) && is_level(r->write_level) && is_level(r->prefetch_level) &&
	       is_level(r->prefetch_below);
}

const char *record_values_wrong(const struct culprit_record *r)
{
	if (!levels_good(r))
		return "a level of memory that there is not";
	if (r->op_class >= CULPRIT_OP_COUNT || r->branch >= CULPRIT_BRANCH_COUNT)
		return "an operation or branch that there is not";
	if (r->unit >= MOST_UNITS || r->queue >= MOST_QUEUES || r->dest > MOST_REGISTER)
		return "a unit, queue or register that there is not";
	if (r->window >= CULPRIT_WINDOW_COUNT || r->contended >= CULPRIT_CONTENTION_COUNT ||
	    r->commit_stop >= CULPRIT_STOP_COUNT || r->predictor >= CULPRIT_PREDICTOR_COUNT)
		return "a cause that there is not";
	if (r->write_merged > 1)
		return "a truth value that is none";
	return NULL;
}

/* A bool that holds another byte may not even be read. */
static bool truth(const struct culprit_log_entry *e, size_t offset)
{
	uint8_t byte;
	memcpy(&byte, (const char *)e + offset, 1);
	return byte <= 1;
}

static bool cycle_good(const struct culprit_log_entry *e)
{
	return e->fetch < CULPRIT_FETCH_STATE_COUNT && e->dispatch < CULPRIT_DISPATCH_STATE_COUNT &&
	       e->why_empty < CULPRIT_FETCH_STATE_COUNT && e->stop < CULPRIT_STOP_COUNT;
}

const char *log_entry_wrong(const struct culprit_log_entry *e)
{
	static const char state[] = "a state that there is not";
	switch (e->kind) {
	case CULPRIT_LOG_CYCLE:
	case CULPRIT_LOG_CYCLES:
		return cycle_good(e) ? NULL : state;
	case CULPRIT_LOG_BRANCH:
		return truth(e, offsetof(struct culprit_log_entry, mispredicted)) &&
				       truth(e, offsetof(struct culprit_log_entry, wrong_path))
			       ? NULL
			       : state;
	case CULPRIT_LOG_FETCH_MISSED:
	case CULPRIT_LOG_LOAD_MISSED:
	case CULPRIT_LOG_STORE_MISSED:
		return is_level(e->level) && is_level(e->tlb_level) &&
				       truth(e, offsetof(struct culprit_log_entry, merged))
			       ? NULL
			       : state;
	case CULPRIT_LOG_SQUASHED:
		return e->why <= CULPRIT_SQUASH_VIOLATION ? NULL : state;
	default:
		return "an entry of a kind that there is not";
	}
}

/* --- what may come next --- */

enum { MOST_MOVED = 4096 /* instructions in a cycle */, MOST_FETCHED = 1 << 20 /* beyond the window */ };
#define MOST_CYCLES (UINT64_MAX >> 4)

static const char *step_cycle(struct log_front *f, const struct culprit_log_entry *e)
{
	uint16_t committed = (uint16_t)(e->committed - f->head), dispatched = (uint16_t)(e->dispatched - f->dispatched);
	if (committed > MOST_MOVED || dispatched > MOST_MOVED || committed > f->dispatched - f->head)
		return "a cycle that moves more than there is";
	f->head += committed;
	f->dispatched += dispatched;
	f->cycles++;
	return NULL;
}

static const char *step_fetched(struct log_front *f, uint64_t seq)
{
	if (seq < f->fetched || seq < f->dispatched || seq - f->dispatched > MOST_FETCHED)
		return "a fetch out of order";
	f->fetched = seq;
	return NULL;
}

static const char *step_squash(struct log_front *f, uint64_t first)
{
	if (first < f->head)
		return "a squash of what has left";
	f->dispatched = f->dispatched > first ? first : f->dispatched;
	f->fetched = f->fetched > first ? first : f->fetched;
	return NULL;
}

const char *log_front_wrong(struct log_front *f, const struct culprit_log_entry *e)
{
	bool inside = e->seq >= f->head && e->seq < f->dispatched;
	switch (e->kind) {
	case CULPRIT_LOG_CYCLE:
		return step_cycle(f, e);
	case CULPRIT_LOG_CYCLES:
		if (!e->length || e->length > MOST_CYCLES || f->cycles > MOST_CYCLES)
			return "a run of cycles that cannot be";
		f->cycles += e->length;
		return NULL;
	case CULPRIT_LOG_BRANCH:
	case CULPRIT_LOG_FETCH_MISSED:
		return step_fetched(f, e->seq);
	case CULPRIT_LOG_SQUASHED:
		return step_squash(f, e->seq);
	default:
		return inside ? NULL : "a miss of what is not in the window";
	}
}
