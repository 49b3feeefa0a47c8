#include "interval/flow/flow.h"

#include "interval/flow/state.h"

#include <stdlib.h>
#include <string.h>

static const bool events[] = {
#define base false
#define event true
#define FLOW_PART(name, kind, meaning) kind,
#include "interval/flow/part.def"
#undef base
#undef event
};

bool flow_part_is_event(enum flow_part part)
{
	return events[part];
}

static uint64_t later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static uint32_t log2_of(uint32_t v)
{
	return (uint32_t)(31 - __builtin_clz(v));
}

/* --- the workspace --- */

static void describe_cache(struct flow_cache *c, uint32_t line, uint32_t mshrs)
{
	c->shift = log2_of(line) - 3;
	c->mshrs = mshrs < FLOW_MSHRS_MAX ? mshrs : FLOW_MSHRS_MAX;
}

static bool create_queues(struct flow *f, struct error *err)
{
	for (uint32_t i = 0; i < f->m.queue_count; i++) {
		struct flow_queue *q = &f->queues[i];
		q->entries = f->m.queues[i].entries;
		q->waiting.entries = malloc((q->entries + 1) * sizeof *q->waiting.entries);
		if (!q->waiting.entries)
			return error_set(err, ERROR_SYSTEM, "out of memory");
	}
	return true;
}

static bool create_sets(struct flow *f)
{
	const struct machine *m = &f->m;
	return flow_sets_create(&f->l1i.sets, m->l1i_size / m->l1i_line, m->l1i_ways) &&
	       flow_sets_create(&f->l1d.sets, m->l1d_size / m->l1d_line, m->l1d_ways) &&
	       flow_sets_create(&f->l2.sets, m->l2_size / m->l2_line, m->l2_ways) &&
	       flow_sets_create(&f->itlb, m->tlb_i_entries, m->tlb_i_ways) &&
	       flow_sets_create(&f->dtlb, m->tlb_d_entries, m->tlb_d_ways) && flow_store_sets_create(&f->store_sets, m);
}

struct flow *flow_create(const struct machine *m, struct error *err)
{
	struct flow *f = calloc(1, sizeof *f);
	if (!f) {
		error_set(err, ERROR_SYSTEM, "out of memory");
		return NULL;
	}
	f->m = *m;
	machine_idealise(&f->d, m);
	if (!create_sets(f)) {
		flow_destroy(f);
		error_set(err, ERROR_SYSTEM, "out of memory");
		return NULL;
	}
	f->fetch_line_shift = log2_of(m->l1i_line) - 1;
	f->fetch_block_shift = f->d.fetch_block > 1 ? log2_of(f->d.fetch_block) - 1 : f->d.fetch_block ? 0 : 63;
	describe_cache(&f->l1i, m->l1i_line, m->l1i_mshrs);
	describe_cache(&f->l1d, m->l1d_line, m->l1d_mshrs);
	describe_cache(&f->l2, m->l2_line, m->l2_mshrs);
	if (!create_queues(f, err)) {
		flow_destroy(f);
		return NULL;
	}
	return f;
}

void flow_destroy(struct flow *f)
{
	if (!f)
		return;
	for (uint32_t i = 0; i < MACHINE_QUEUES_MAX; i++)
		free(f->queues[i].waiting.entries);
	struct flow_sets *sets[] = {&f->l1i.sets, &f->l1d.sets, &f->l2.sets, &f->itlb, &f->dtlb};
	for (size_t i = 0; i < sizeof sets / sizeof sets[0]; i++)
		flow_sets_free(sets[i]);
	flow_store_sets_free(&f->store_sets);
	free(f);
}

static void forget_cache(struct flow_cache *c)
{
	memset(c->lines, 0, sizeof c->lines);
	memset(c->busy_until, 0, sizeof c->busy_until);
	flow_sets_forget(&c->sets);
}

/* What the first levels hold at the beginning of a stretch is another matter than at the end of the one before. */
static void forget_first_levels(struct flow *f)
{
	flow_sets_forget(&f->l1i.sets);
	flow_sets_forget(&f->l1d.sets);
	flow_sets_forget(&f->itlb);
	flow_sets_forget(&f->dtlb);
}

static void forget(struct flow *f)
{
	f->fetch_cycle = f->fetch_line = f->fetch_block = f->ahead = f->ahead_until = 0;
	f->group = f->group_taken = 0;
	f->after_taken = false;
	f->dispatch_cycle = f->commit_cycle = f->leave_cycle = 0;
	memset(f->turn, 0, sizeof f->turn);
	f->dispatched = f->committed = f->commit_stores = f->commit_branches = 0;
	f->load_count = f->store_count = f->int_count = f->fp_count = f->branch_count = 0;
	f->stores_known = f->bus_free = 0;
	for (uint32_t i = 0; i < MACHINE_QUEUES_MAX; i++)
		f->queues[i].waiting.count = 0;
	memset(f->calendar, 0, sizeof f->calendar);
	forget_cache(&f->l1i);
	forget_cache(&f->l1d);
	forget_cache(&f->l2);
	forget_first_levels(f);
	memset(f->pages, 0, sizeof f->pages);
	flow_store_sets_forget(f);
	f->wrong_at = 0;
	uint32_t page = log2_of(f->m.tlb_page);
	f->page_shift = page - 3;
	prefetch_init(&f->l1d.prefetch, f->m.l1d_prefetcher, f->m.l1d_prefetch_degree, f->m.l1d_prefetch_distance,
		      log2_of(f->m.l1d_line), prefetch_pages(f->m.tlb_page, f->m.l1d_prefetch_pages));
	prefetch_init(&f->l2.prefetch, f->m.l2_prefetcher, f->m.l2_prefetch_degree, f->m.l2_prefetch_distance,
		      log2_of(f->m.l2_line), prefetch_pages(f->m.tlb_page, f->m.l2_prefetch_pages));
	f->l1d.prefetch.misses_only = f->m.l1d_prefetch_misses_only;
	f->l2.prefetch.misses_only = f->m.l2_prefetch_misses_only;
}

/* --- fetch --- */

static void new_group(struct flow *f, uint64_t cycle)
{
	f->fetch_cycle = later(f->fetch_cycle + (f->group != 0), cycle);
	f->ahead += f->group != 0;
	f->group = f->group_taken = 0;
}

/* Does a group have to end before this instruction? */
static bool group_ends(const struct flow *f, bool other_block)
{
	return f->group >= f->m.fetch_width || f->group_taken >= f->m.fetch_taken_limit ||
	       (other_block && !f->after_taken && f->group);
}

/* Cycles that fetch waits for the line. What was squashed has been fetched before, as far as there was time, and its
 * lines have come. */
static uint64_t line_stall(struct flow *f, const struct interval_sample *s)
{
	if (f->ahead >= f->ahead_until)
		return flow_fetch_stall(f, s, f->fetch_cycle);
	f->ahead += flow_fetch_stall(f, s, f->ahead);
	return f->ahead > f->fetch_cycle ? f->ahead - f->fetch_cycle : 0;
}

/* The cycle in which the i-th instruction is fetched. */
static uint64_t fetch(struct flow *f, const struct interval_sample *s, uint64_t i)
{
	uint64_t last = s->pc + (s->flags & SAMPLE_SHORT ? 0 : 1u), line = (last >> f->fetch_line_shift) + 1;
	bool other_line = line != f->fetch_line;
	uint64_t block = last >> f->fetch_block_shift;
	if (i >= f->d.front_capacity) {
		uint64_t room = f->dispatch[(i - f->d.front_capacity) & (FLOW_RING - 1)];
		if (room > f->fetch_cycle)
			new_group(f, room);
	}
	if (flow_has(f, FLOW_fetch) && group_ends(f, block != f->fetch_block))
		new_group(f, 0);
	if (other_line && s->ilevel) {
		uint64_t stall = line_stall(f, s);
		if (stall)
			new_group(f, f->fetch_cycle + stall);
	}
	f->fetch_line = line;
	f->fetch_block = block;
	f->group++;
	f->after_taken = s->flags & SAMPLE_TAKEN;
	f->group_taken += f->after_taken;
	return f->fetch_cycle;
}

static void redirect(struct flow *f, uint64_t cycle)
{
	new_group(f, cycle);
	f->fetch_line = f->ahead_until = 0;
}

/* What the instruction does to the fetch of the next one. */
static void after(struct flow *f, const struct interval_sample *s, uint64_t complete)
{
	if ((s->flags & SAMPLE_MISPREDICTED) && flow_has(f, FLOW_bmisp))
		redirect(f, complete + f->m.frontend_redirect);
	else if ((s->flags & SAMPLE_BTB_MISS) && flow_has(f, FLOW_fetch))
		redirect(f, f->fetch_cycle + 1 + f->m.frontend_decode_redirect);
	if ((s->flags & SAMPLE_SERIALISING) && flow_has(f, FLOW_serial))
		redirect(f, f->commit_cycle + f->m.frontend_redirect);
}

/* --- dispatch --- */

/* The k-th instruction of a kind needs the entry of the one `size` before it. */
static uint64_t entry_free(const uint64_t *free_at, uint64_t k, uint64_t size)
{
	return k >= size ? free_at[(k - size) & (FLOW_RING - 1)] : 0;
}

static uint64_t room_in_queues(const struct flow *f, const struct interval_sample *s)
{
	uint64_t at = 0;
	if (s->flags & SAMPLE_LOAD)
		at = later(at, entry_free(f->load_free, f->load_count, f->d.lq));
	if (s->flags & SAMPLE_STORE)
		at = later(at, entry_free(f->store_free, f->store_count, f->d.sq));
	if (s->flags & (SAMPLE_LOAD | SAMPLE_STORE))
		at = later(at, entry_free(f->memory_free, f->load_count + f->store_count, f->d.lsq));
	if (s->op == CULPRIT_OP_branch)
		at = later(at, entry_free(f->branch_free, f->branch_count, f->d.branches));
	if (s->dest == SAMPLE_DEST_INT)
		at = later(at, entry_free(f->int_free, f->int_count, f->d.int_regs));
	if (s->dest == SAMPLE_DEST_FP)
		at = later(at, entry_free(f->fp_free, f->fp_count, f->d.fp_regs));
	return at;
}

static void dispatch(struct flow *f, const struct interval_sample *s, uint64_t i, uint64_t fetched)
{
	uint64_t at = later(fetched + f->m.frontend_stages, room_in_queues(f, s));
	if (i >= f->d.rob)
		at = later(at, f->leave[(i - f->d.rob) & (FLOW_RING - 1)]);
	if (i >= f->d.window)
		at = later(at, f->commit[(i - f->d.window) & (FLOW_RING - 1)]);
	if (at <= f->dispatch_cycle)
		at = f->dispatch_cycle + (f->dispatched >= f->m.dispatch_width);
	/* of two units in turns: dispatch keeps their queues about as full */
	f->place = f->turn[s->op] ? f->d.other[s->op] : f->d.place[s->op];
	f->turn[s->op] = !f->turn[s->op];
	at = flow_queue_wait(f, f->place.queue, at);
	f->dispatched = at == f->dispatch_cycle ? f->dispatched + 1 : 1;
	f->dispatch_cycle = at;
	f->dispatch[i & (FLOW_RING - 1)] = at;
}

/* --- issue and completion --- */

/* `back`: how far the stretch reaches back from here. */
static uint64_t operands_ready(const struct flow *f, const struct interval_sample *s, uint64_t i, uint64_t back)
{
	uint64_t ready = 0;
	for (unsigned k = 0; k < 3; k++)
		if (s->producer[k] && s->producer[k] <= back)
			ready = later(ready, f->wake[(i - s->producer[k]) & (FLOW_RING - 1)]);
	return ready;
}

static uint64_t issue(struct flow *f, const struct interval_sample *s, uint64_t i, uint64_t back)
{
	uint64_t ready = later(f->dispatch_cycle + f->m.issue_dispatch_to_issue, operands_ready(f, s, i, back));
	uint64_t at = flow_book(f, s, flow_order_ready(f, s, i, back, ready));
	flow_queue_enter(f, f->place.queue, at);
	return f->issue[i & (FLOW_RING - 1)] = at;
}

/* It issued ahead of a store that it depends on: fetched again when that is known. */
static void issue_again(struct flow *f, const struct interval_sample *s, uint64_t i, uint64_t back, uint64_t squashed)
{
	uint64_t before = f->fetch_cycle;
	new_group(f, squashed + f->m.frontend_redirect);
	f->ahead = before;
	f->ahead_until = squashed;
	dispatch(f, s, i, fetch(f, s, i));
	issue(f, s, i, back);
}

static uint64_t execute(struct flow *f, const struct interval_sample *s, uint64_t i, uint64_t back)
{
	uint64_t issued = f->issue[i & (FLOW_RING - 1)], data = flow_forwarded(f, s, i, back, issued), complete;
	if (data)
		complete = data + f->d.forward_latency;
	else if (s->flags & SAMPLE_LOAD)
		complete = flow_load(f, s, issued);
	else
		complete = flow_store_translated(f, s, issued + f->d.latency[s->op]);
	f->complete[i & (FLOW_RING - 1)] = complete;
	f->wake[i & (FLOW_RING - 1)] = later(complete, issued + f->m.issue_wakeup);
	if (s->flags & SAMPLE_STORE)
		f->stores_known = later(f->stores_known, complete);
	return complete;
}

/* --- commit --- */

static bool commit_full(const struct flow *f, const struct interval_sample *s)
{
	return f->committed >= f->m.commit_width ||
	       ((s->flags & SAMPLE_STORE) && f->commit_stores >= f->d.commit_stores) ||
	       (s->op == CULPRIT_OP_branch && f->commit_branches >= f->d.commit_branches);
}

/* When it leaves the window; a load that misses, and what is behind it, as soon as it would have hit. */
static uint64_t leaves(struct flow *f, const struct interval_sample *s, uint64_t i, uint64_t committed)
{
	if (!f->d.released)
		return committed;
	uint64_t complete = f->complete[i & (FLOW_RING - 1)], issued = f->issue[i & (FLOW_RING - 1)];
	uint64_t hit = issued + f->d.latency[s->op] + f->d.l1d_latency;
	bool waits = (s->flags & (SAMPLE_LOAD | SAMPLE_STORE)) == SAMPLE_LOAD && s->dlevel > CULPRIT_LEVEL_L1;
	f->leave_cycle = later(f->leave_cycle, (waits && hit < complete ? hit : complete) + f->m.commit_delay);
	return f->leave_cycle < committed ? f->leave_cycle : committed;
}

static void release(struct flow *f, const struct interval_sample *s, uint64_t i, uint64_t committed)
{
	uint64_t written = committed, at = leaves(f, s, i, committed);
	f->leave[i & (FLOW_RING - 1)] = at;
	if ((s->flags & (SAMPLE_STORE | SAMPLE_LOAD)) == SAMPLE_STORE)
		written = flow_store(f, s, committed);
	if (s->flags & (SAMPLE_LOAD | SAMPLE_STORE))
		f->memory_free[(f->load_count + f->store_count) & (FLOW_RING - 1)] = at;
	if (s->flags & SAMPLE_LOAD)
		f->load_free[f->load_count++ & (FLOW_RING - 1)] = at;
	else if (s->flags & SAMPLE_STORE)
		f->store_free[f->store_count++ & (FLOW_RING - 1)] = written;
	if (s->op == CULPRIT_OP_branch)
		f->branch_free[f->branch_count++ & (FLOW_RING - 1)] = at;
	if (s->dest == SAMPLE_DEST_INT)
		f->int_free[f->int_count++ & (FLOW_RING - 1)] = at;
	else if (s->dest == SAMPLE_DEST_FP)
		f->fp_free[f->fp_count++ & (FLOW_RING - 1)] = at;
}

static void commit(struct flow *f, const struct interval_sample *s, uint64_t i, uint64_t complete)
{
	uint64_t at = complete + f->m.commit_delay;
	if (at <= f->commit_cycle)
		at = f->commit_cycle + commit_full(f, s);
	if (at != f->commit_cycle)
		f->committed = f->commit_stores = f->commit_branches = 0;
	f->commit_cycle = at;
	f->committed++;
	f->commit_stores += (s->flags & SAMPLE_STORE) != 0;
	f->commit_branches += s->op == CULPRIT_OP_branch;
	f->commit[i & (FLOW_RING - 1)] = at;
	release(f, s, i, at);
}

void flow_run(struct flow *f, const struct flow_stream *stream, uint32_t with, struct flow_result *result)
{
	f->parts = with;
	forget(f);
	f->prefetched = stream->prefetched && flow_has(f, FLOW_prefetch);
	*result = (struct flow_result){.instructions = stream->count};
	for (uint64_t i = 0; i < stream->count; i++) {
		const struct interval_sample *s = &stream->samples[i];
		f->index = i;
		uint64_t back = stream->stretch ? i % stream->stretch : i;
		if (!back && i)
			forget_first_levels(f);
		dispatch(f, s, i, fetch(f, s, i));
		issue(f, s, i, back);
		uint64_t squashed = flow_violated(f, s, i, back);
		if (squashed)
			issue_again(f, s, i, back, squashed);
		uint64_t complete = execute(f, s, i, back);
		commit(f, s, i, complete);
		if ((s->flags & SAMPLE_MISPREDICTED) && flow_has(f, FLOW_bmisp)) {
			result->mispredictions++;
			result->resolution += complete - f->dispatch_cycle;
			flow_run_wrong_path(f, stream, i, back);
		}
		after(f, s, complete);
	}
	result->cycles = f->commit_cycle;
}
