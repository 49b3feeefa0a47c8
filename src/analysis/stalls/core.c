/* The sensors' frame: records come in, are kept for as long as others may ask for them, and are processed one by one.
 *
 * Each goes through dispatch (core_front.c) and commit (core_commit.c), where most have nothing to tell: they are
 * the first of no cycle, or of one right after a full one. */
#include "analysis/stalls/core.h"

#include "base/bits.h"
#include "analysis/stalls/core_state.h"
#include "analysis/stalls/state.h"
#include "analysis/weights.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum {
	WINDOW_MOST = 1u << 16,
	LEAST_REACH = 1024,
	LOSSES = 2 /* for each instruction of the ring */,
	LINE = 64 /* bytes */
};

static bool allocate(struct stalls_core *s)
{
	s->ring = aligned_alloc(LINE, (s->reach + 1) * sizeof *s->ring);
	s->pcs = malloc((s->params.end_pc ? s->reach + 1 : 1) * sizeof *s->pcs);
	s->frames = malloc((s->reach + 2) * sizeof *s->frames);
	s->histories = malloc((s->reach + 1) * sizeof *s->histories);
	s->losses = malloc((s->loss_mask + 1) * sizeof *s->losses);
	s->weights = malloc((s->reach + 1) * sizeof *s->weights);
	if (!s->ring || !s->pcs || !s->histories || !s->frames || !s->losses || !s->weights)
		return false;
	memset(s->ring, 0, (s->reach + 1) * sizeof *s->ring);
	return true;
}

struct stalls_core *stalls_core_create(const struct stalls_core_params *params, struct error *err)
{
	struct stalls_core *s = calloc(1, sizeof *s);
	if (!s) {
		error_set(err, ERROR_SYSTEM, "out of memory for stall trees");
		return NULL;
	}
	s->params = *params;
	s->params.window = params->window < WINDOW_MOST ? params->window : WINDOW_MOST;
	uint64_t near = 2ull * s->params.window + 2 * CULPRIT_CONTENDER_FAR;
	s->reach = power_of_two_from(near > LEAST_REACH ? near : LEAST_REACH) - 1;
	s->loss_mask = LOSSES * (s->reach + 1) - 1;
	s->dispatch = s->commit = UINT64_MAX;
	const char *why = "out of memory";
	s->engine = allocate(s) ? culprit_stalls_create(&s->params.engine, &why) : NULL;
	bool ok = s->engine && stalls_core_types(s);
	if (ok) {
		uint32_t width = s->params.commit_width == UINT32_MAX ? 1 : s->params.commit_width;
		s->unlimited = s->params.commit_width == UINT32_MAX;
		s->params.commit_width = width;
		s->accumulator = culprit_stalls_add_accumulator(s->engine, "commit", width);
		ok = s->accumulator != UINT32_MAX;
	}
	if (ok)
		return s;
	error_set(err, ERROR_USAGE, "stall trees: %s", why ? why : culprit_stalls_error(s->engine));
	stalls_core_destroy(s);
	return NULL;
}

void stalls_core_destroy(struct stalls_core *s)
{
	if (!s)
		return;
	free(s->ring);
	free(s->pcs);
	free(s->histories);
	free(s->frames);
	free(s->losses);
	free(s->weights);
	culprit_stalls_destroy(s->engine);
	free(s->types);
	free(s->sets);
	free(s->texts);
	free(s->classes);
	free(s);
}

/* --- one instruction --- */

/* It is the first of its cycle of dispatch. True: slots were lost before it. */
static bool dispatches(struct stalls_core *s, const struct stalls_insn *i)
{
	uint64_t used = stalls_slots_dispatched(s) - s->dispatched;
	bool full = used >= s->params.dispatch_width;
	uint64_t from = s->next ? s->dispatch + full : 0;
	bool lost = from < i->dispatch;
	if (lost)
		stalls_front(s, i, from);
	s->dispatch = i->dispatch;
	s->dispatched = stalls_slots_dispatched(s);
	return lost;
}

/* It has been dispatched and has committed. */
static void count_weights(struct stalls_core *s, const struct stalls_insn *i)
{
	const struct stalls_weights w = stalls_weights_of(s, i);
	s->more_dispatched += w.dispatch - 1ull;
	s->more_retired += w.commit - 1ull;
}

/* Most instructions dispatch and commit with the one before, or right after a full cycle: nothing was lost to them. */
static inline void process(struct stalls_core *s, const struct stalls_insn *i)
{
	bool late = i->dispatch != s->dispatch && dispatches(s, i);
	if (i->commit == s->commit + 1 && stalls_slots_retired(s) - s->retired >= s->params.commit_width) {
		s->commit = i->commit;
		s->retired = stalls_slots_retired(s);
		s->commit_cycles++;
	} else if (i->commit != s->commit) {
		stalls_commits(s, i, late);
	}
	/* a flush explains the instruction right after it, no later ones */
	if (late && s->flush.length && s->front_head != s->front_tail &&
	    s->front[s->front_head % STALLS_HORIZON].run.chain == s->flush.chain)
		s->front_head++;
	if (i->unusual)
		count_weights(s, i);
	s->next++;
}

/* It is not known yet what it must know about a younger one. */
static inline bool must_wait(const struct stalls_core *s, const struct stalls_insn *i)
{
	return i->contender && i->contender < CULPRIT_CONTENDER_FAR && s->next + i->contender >= s->arrived;
}

static inline void store(struct stalls_insn *i, const struct culprit_record *r)
{
	enum { FROM = offsetof(struct culprit_record, fetch), SIZE = offsetof(struct stalls_insn, spent) };
#define SAME(member)                                                                                           \
	_Static_assert(offsetof(struct culprit_record, member) == FROM + offsetof(struct stalls_insn, member), \
		       "as there")
	SAME(commit);
	SAME(order_waited);
	SAME(primary_miss);
	SAME(dmiss);
	SAME(mshr_wait);
	SAME(bandwidth_wait);
	SAME(dlevel);
	SAME(producer);
	SAME(previous_holder);
	SAME(imiss);
	SAME(redirect);
	SAME(ilevel);
	SAME(itlb_level);
	SAME(istray);
	SAME(window);
	SAME(exec_latency);
	SAME(wakeup);
	SAME(commit_wait);
	SAME(flags);
	SAME(queue);
	SAME(dest);
	SAME(contended);
	SAME(contender);
	SAME(predictor);
	SAME(dstray);
	SAME(branch);
	SAME(mem_size);
	SAME(commit_stop);
	SAME(length);
	SAME(op_class);
#undef SAME
	memcpy(i, (const char *)r + FROM, SIZE);
	memset((char *)i + SIZE, 0, sizeof *i - SIZE); /* nothing spent, shape not known */
}

/* Of one that has just been stored. Where commit is unlimited its slots are not counted. */
static void store_weights(struct stalls_core *s, uint64_t place, const struct culprit_record *r)
{
	stalls_insn_at(s, place)->unusual = true;
	s->weights[place & s->reach] = (struct stalls_weights){
		.dispatch = (uint8_t)culprit_weight(r->dispatch_slots),
		.commit = s->unlimited ? 1 : (uint8_t)culprit_weight(r->commit_slots),
	};
}

/* Of those that are about to be stored. */
static void store_pcs(struct stalls_core *s, uint64_t place, const struct culprit_record *records, size_t count)
{
	for (size_t n = 0; s->params.end_pc && n < count; n++)
		s->pcs[(place + n) & s->reach] = records[n].pc;
}

/* They arrive and are processed at once, as long as none has to wait for younger ones or has weights; how many. All
 * before have been processed. */
static size_t go_straight(struct stalls_core *s, const struct culprit_record *records, size_t count)
{
	struct stalls_insn *ring = s->ring;
	uint64_t mask = s->reach, place = s->next, dispatch = s->dispatch, commit = s->commit;
	size_t n = 0;
	for (; n < count; n++, place++) {
		struct stalls_insn *i = &ring[place & mask];
		store(i, &records[n]);
		if ((uint8_t)(records[n].contender - 1) < CULPRIT_CONTENDER_FAR - 1 || weights_unusual(&records[n]))
			break;
		if (i->dispatch == dispatch && i->commit == commit)
			continue;
		s->next = place;
		s->arrived = place + 1;
		process(s, i);
		dispatch = s->dispatch;
		commit = s->commit;
	}
	s->next = s->arrived = place;
	return n;
}

static void process_arrived(struct stalls_core *s, bool all)
{
	while (s->next < s->arrived && (all || !must_wait(s, stalls_insn_at(s, s->next))))
		process(s, stalls_insn_at(s, s->next));
}

static void push(struct stalls_core *s, const struct culprit_record *records, size_t count)
{
	store_pcs(s, s->arrived, records, count);
	for (size_t n = 0; n < count; n++) {
		if (s->next == s->arrived)
			n += go_straight(s, records + n, count - n);
		if (n == count)
			return;
		store(stalls_insn_at(s, s->arrived), &records[n]);
		if (weights_unusual(&records[n]))
			store_weights(s, s->arrived, &records[n]);
		s->arrived++;
		process_arrived(s, false);
	}
}

void stalls_core_push(struct stalls_core *s, const struct culprit_record *records, size_t count)
{
	enum { PIECE = 256 };
	for (; count > PIECE; records += PIECE, count -= PIECE)
		push(s, records, PIECE);
	push(s, records, count);
}

/* --- the end --- */

/* After the last commit. */
static void count_end(struct stalls_core *s, uint64_t cycles)
{
	uint64_t from = s->next ? s->commit : 0, used = stalls_slots_retired(s) - s->retired;
	uint64_t left = used < s->params.commit_width ? s->params.commit_width - used : 0;
	struct culprit_stall_run end = culprit_stalls_leaf(s->engine, STALL_commit_end, 1);
	if (s->params.end_pc)
		culprit_stalls_select(s->engine, s->accumulator, false);
	if (left && from < cycles)
		culprit_stalls_count(s->engine, s->accumulator, from, CULPRIT_STALL_NONE, end, left);
	end.length = cycles > from + 1 ? clip32(cycles - from - 1) : 0;
	culprit_stalls_count(s->engine, s->accumulator, from + 1, CULPRIT_STALL_NONE, end, s->params.commit_width);
}

static bool tree_sum(const struct stalls_core *s, uint64_t *sum, struct error *err)
{
	struct culprit_stall_results r;
	if (!stalls_core_results(s, &r))
		return error_set(err, ERROR_SYSTEM, "out of memory for the stall tree");
	*sum = r.elsewhere;
	for (size_t i = 0; i < r.node_count; i++)
		*sum += r.nodes[i].own;
	culprit_stalls_results_free(&r);
	return true;
}

bool stalls_core_finish(struct stalls_core *s, uint64_t cycles, uint64_t instructions, struct error *err)
{
	process_arrived(s, true);
	count_end(s, cycles);
	/* by the core's own counts; where commit is unlimited an opportunity is a cycle, and it is used by its first
	 * commit */
	uint64_t slots = instructions + s->more_retired;
	s->lost = s->params.commit_width * cycles - (s->unlimited ? s->commit_cycles : slots);
	if (culprit_stalls_error(s->engine))
		return error_set(err, ERROR_INTERNAL, "%s", culprit_stalls_error(s->engine));
	uint64_t sum = 0;
	TRY(tree_sum(s, &sum, err));
	if (sum != s->lost)
		return error_set(err, ERROR_INTERNAL, "the stall tree sums to %llu of %llu lost opportunities",
				 (unsigned long long)sum, (unsigned long long)s->lost);
	return true;
}

uint64_t stalls_core_lost(const struct stalls_core *s)
{
	return s->lost;
}

bool stalls_core_results(const struct stalls_core *s, struct culprit_stall_results *out)
{
	return culprit_stalls_results(s->engine, s->accumulator, out);
}
