/* Properties that hold for every program on every machine: random programs on machines drawn at random.
 *
 * - The architectural state at the end is that of functional execution: registers, instruction count, memory.
 * - The records obey docs/reference/core-timing.md: times in order, widths and structures never exceeded,
 * dependences kept.
 *   They are checked against the program itself: producers and overlapping stores are found again from registers
 *   and addresses.
 * - Listening, or running in small steps, changes nothing; two runs are alike. CULPRIT_RANDOM_PROGRAMS=n runs n
 *   programs, CULPRIT_RANDOM_SEED=s from seed s on. */
#include "any_machine.h"
#include "core/state.h"
#include "machine/machine_idealised.h"
#include "plain_loop.h"
#include "random_machine.h"
#include "random_program.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { PROGRAMS = 24, MACHINES_EACH = 5, CODE_BYTES = 60000, INSNS_MAX = 200000 };

struct trace {
	struct culprit_record *records;
	size_t count;
	uint64_t cycles;
	const struct machine *m;
	const struct plain_loop *loop;
	uint64_t next_cycle, committed; /* as the plain loop tells */
	bool unlimited;
	uint64_t rob; /* instructions in it at most */
};

/* --- listening --- */

static void keep_records(void *context, const struct culprit_record *records, size_t count)
{
	struct trace *t = context;
	assert_true(t->count + count <= INSNS_MAX);
	memcpy(t->records + t->count, records, count * sizeof *records);
	t->count += count;
}

static void check_cycle(void *context, const struct culprit_cycle *c)
{
	struct trace *t = context;
	assert_int_equal(c->cycle, t->next_cycle);
	assert_true(c->rob <= t->rob);
	t->next_cycle++;
	t->committed += c->committed;
	if (t->unlimited)
		return;
	assert_true(t->loop->fetched <= t->m->fetch_width);
	assert_true(c->dispatched <= t->m->dispatch_width);
	assert_true(c->issued <= t->m->issue_width);
	assert_true(c->committed <= t->m->commit_width);
}

/* --- what the records must obey --- */

static bool has(const struct culprit_record *r, unsigned flags)
{
	return r->flags & flags;
}

static bool is_ideal(const struct machine *m, culprit_event_set set)
{
	return m->ideal & set;
}

/* Behind a late branch: the BTB's miss, or a slower part of the predictor. */
static uint32_t least_bubble(const struct machine *m, const struct culprit_record *r)
{
	bool indirect = r->branch == CULPRIT_BRANCH_INDIRECT_JUMP || r->branch == CULPRIT_BRANCH_INDIRECT_CALL;
	uint32_t late = r->branch == CULPRIT_BRANCH_RETURN ? m->branch_return_bubble
			: indirect			   ? m->branch_indirect_bubble
							   : m->branch_l0_bubble;
	if (r->branch == CULPRIT_BRANCH_INDIRECT_CALL && m->branch_call_bubble)
		late = m->branch_call_bubble;
	uint32_t overruled = r->branch == CULPRIT_BRANCH_CONDITIONAL && m->branch_early_entries ? m->branch_early_bubble
												: 0;
	if (overruled && (!late || overruled < late))
		late = overruled;
	return late && late < m->frontend_decode_redirect ? late : m->frontend_decode_redirect;
}

static void check_times(const struct machine *m, const struct culprit_record *r, const struct culprit_record *before)
{
	assert_true(r->fetch + m->frontend_stages <= r->dispatch);
	assert_true(r->dispatch + m->issue_dispatch_to_issue <= r->ready);
	assert_true(r->ready <= r->issue);
	assert_true(r->ready == r->issue || r->contended); /* the core knows why it was not selected */
	assert_true(r->complete + m->commit_delay <= r->commit);
	/* fetch waits for its own refills: only one that it gave up can have an MSHR that another needs */
	assert_true(r->stray_wait <= r->imiss && (!r->stray_wait || m->l1i_mshrs));
	bool event_of_zero_latency = r->complete == r->issue + 1 && !r->exec_latency; /* resolves one cycle later */
	if (!event_of_zero_latency)
		assert_int_equal(r->complete - r->issue, r->exec_latency + r->dtlb + r->dmiss);
	bool writes = has(r, CULPRIT_STORE) && !has(r, CULPRIT_LOAD);
	assert_true(r->mshr_wait + r->bandwidth_wait <= (writes ? r->write_miss : r->dmiss));
	if (!has(r, CULPRIT_STORE))
		assert_int_equal(r->write_miss + r->write_dtlb + r->write_level + r->write_merged, 0);
	if (!before)
		return;
	assert_int_equal(r->seq, before->seq + 1);
	assert_true(before->fetch <= r->fetch);
	assert_true(before->dispatch <= r->dispatch);
	assert_true(before->commit <= r->commit);
	if (has(before, CULPRIT_MISPREDICTED))
		assert_true(r->fetch >= before->complete + m->frontend_redirect);
	if (has(before, CULPRIT_SERIALISING))
		assert_true(r->fetch >= before->commit + m->frontend_redirect);
	if (has(before, CULPRIT_BTB_MISS) && !has(before, CULPRIT_MISPREDICTED)) /* else it may resolve sooner */
		assert_true(r->fetch >= before->fetch + 1 + least_bubble(m, before));
	if (has(r, CULPRIT_AT_HEAD))
		assert_true(r->issue >= before->commit);
}

/* At most `limit` of those that `select` chooses in one cycle of the (sorted) time at this offset; 0 = no limit. */
static void check_width(const struct trace *t, size_t offset, unsigned flags, uint32_t limit)
{
	uint64_t cycle = UINT64_MAX;
	uint32_t count = 0;
	for (size_t i = 0; limit && i < t->count; i++) {
		const struct culprit_record *r = &t->records[i];
		uint64_t at;
		memcpy(&at, (const char *)r + offset, sizeof at);
		if (flags && !has(r, flags))
			continue;
		count = at == cycle ? count + 1 : 1;
		cycle = at;
		assert_true(count <= limit);
	}
}

/* dispatch.rows: what is dispatched in a cycle has a row's slots, and what is in the window no more rows than there are. */
static void check_rows(const struct trace *t)
{
	const uint64_t width = t->m->dispatch_width;
	const uint64_t more = is_ideal(t->m, CULPRIT_EVENT_BIT(win) | CULPRIT_EVENT_BIT(rob)) ? 20 : 1;
	const uint64_t rows = more * t->m->window_rob / width;
	uint64_t slots = 0, entries = 0;
	if (!t->m->dispatch_rows || t->unlimited || t->m->window_released)
		return;
	for (size_t i = 0, oldest = 0; i < t->count; i++) {
		const struct culprit_record *r = &t->records[i];
		bool same = i && r[-1].dispatch == r->dispatch;
		slots = culprit_weight(r->dispatch_slots) + (same ? slots : 0);
		assert_true(slots <= width);
		for (; oldest < i && t->records[oldest].commit <= r->dispatch; oldest++)
			entries -= culprit_weight(t->records[oldest].rob_entries);
		entries += culprit_weight(r->rob_entries);
		assert_true(entries <= rows * width);
	}
}

/* window.fold: never more entries than there are; who shares one is dispatched with the one before, and neither is a
 * load, a store or a branch. */
static void check_fold(const struct trace *t)
{
	uint64_t room = t->m->window_rob, entries = 0;
	if (t->m->window_fold < 2 || t->m->window_released)
		return;
	room *= is_ideal(t->m, CULPRIT_EVENT_BIT(win) | CULPRIT_EVENT_BIT(rob)) ? 20 : 1;
	for (size_t i = 0, oldest = 0, sharing = 0; i < t->count; i++) {
		const struct culprit_record *r = &t->records[i];
		const bool shares = culprit_weight(r->rob_entries) == 0;
		sharing = shares ? sharing + 1 : 0;
		assert_true(sharing < t->m->window_fold);
		for (size_t k = i - shares; shares && k <= i; k++)
			assert_true(!has(&t->records[k], CULPRIT_LOAD | CULPRIT_STORE) && !t->records[k].branch);
		for (; oldest < i && t->records[oldest].commit <= r->dispatch; oldest++)
			entries -= culprit_weight(t->records[oldest].rob_entries);
		entries += !shares;
		assert_true(entries <= room);
	}
}

/* What committed in the cycle of the instruction before the i-th. */
struct committed {
	uint32_t all, stores, branches;
};

static struct committed committed_before(const struct trace *t, size_t i)
{
	struct committed n = {0, 0, 0};
	for (size_t k = i; k > 0 && t->records[k - 1].commit == t->records[i - 1].commit; k--) {
		n.all++;
		n.stores += has(&t->records[k - 1], CULPRIT_STORE);
		n.branches += t->records[k - 1].branch != CULPRIT_BRANCH_NONE;
	}
	return n;
}

/* A finished instruction stays only where commit moved its full width, or where one of commit's limits was
 * reached, whose name the record has. Nobody else has such a name. */
static void check_stop(const struct trace *t, size_t i)
{
	const struct culprit_record *r = &t->records[i];
	struct committed n = committed_before(t, i);
	bool stayed = r->commit > r[-1].commit && r[-1].commit >= r->complete + t->m->commit_delay;
	bool stores = has(r, CULPRIT_STORE) && t->m->commit_stores && n.stores == t->m->commit_stores;
	bool branches = r->branch && t->m->commit_branches && n.branches == t->m->commit_branches;
	assert_true(n.branches <= t->m->commit_branches || !t->m->commit_branches || t->unlimited);
	if (!stayed || n.all == t->m->commit_width) {
		assert_int_equal(r->commit_wait, 0);
		return;
	}
	assert_true(stores || branches);
	assert_int_equal(r->commit_wait, 1);
	assert_int_equal(r->commit_stop, stores ? CULPRIT_STOP_STORES : CULPRIT_STOP_BRANCHES);
}

static void check_stops(const struct trace *t)
{
	for (size_t i = 1; i < t->count; i++)
		check_stop(t, i);
}

enum holder { HOLD_ROB, HOLD_LOAD, HOLD_STORE, HOLD_MEMORY, HOLD_INT, HOLD_FP };

static bool takes(const struct culprit_record *r, enum holder what)
{
	switch (what) {
	case HOLD_LOAD:
		return has(r, CULPRIT_LOAD);
	case HOLD_STORE:
		return has(r, CULPRIT_STORE);
	case HOLD_MEMORY:
		return has(r, CULPRIT_LOAD | CULPRIT_STORE);
	case HOLD_INT:
		return r->dest < 32;
	case HOLD_FP:
		return r->dest >= 32 && r->dest < 64;
	default:
		return true;
	}
}

/* A structure of n entries held from dispatch to commit: the n-th before has committed by this one's dispatch. */
static void check_structure(const struct trace *t, enum holder what, culprit_event_set part, uint64_t entries,
			    uint64_t left)
{
	size_t oldest = 0, held = 0;
	if (!entries)
		return;
	entries *= is_ideal(t->m, CULPRIT_EVENT_BIT(win) | part) ? 20 : 1;
	entries += left * (is_ideal(t->m, CULPRIT_EVENT_BIT(win) | CULPRIT_EVENT_BIT(rob)) ? 20 : 1);
	for (size_t i = 0; i < t->count; i++) {
		if (!takes(&t->records[i], what))
			continue;
		if (held < entries) {
			held++;
			continue;
		}
		while (!takes(&t->records[oldest], what))
			oldest++;
		assert_true(t->records[oldest].commit <= t->records[i].dispatch);
		oldest++;
	}
}

/* A store-queue entry is held until the write and those of all older stores are done. Without L1D latency a write
 * can be done at its commit, out of order, which this does not follow. */
static void check_writes(const struct trace *t)
{
	uint64_t entries = t->m->window_sq *
			   (is_ideal(t->m, CULPRIT_EVENT_BIT(win) | CULPRIT_EVENT_BIT(lsq)) ? 20ull : 1ull),
		 stores = 0, done = 0;
	if (!entries || is_ideal(t->m, CULPRIT_EVENT_BIT(dl1)))
		return;
	uint64_t *released = calloc(t->count + 1, sizeof *released);
	assert_non_null(released);
	for (size_t i = 0; i < t->count; i++) {
		const struct culprit_record *r = &t->records[i];
		if (!has(r, CULPRIT_STORE))
			continue;
		if (stores >= entries)
			assert_true(released[stores - entries] <= r->dispatch);
		uint64_t end = r->commit + t->m->l1d_latency + r->write_dtlb + r->write_miss;
		done = end > done ? end : done;
		released[stores++] = done;
	}
	free(released);
}

/* Entries of an issue queue are held from dispatch to issue. */
static void check_queue(const struct trace *t, uint32_t queue)
{
	uint64_t entries = t->m->queues[queue].entries;
	if (!entries)
		return;
	if (is_ideal(t->m, CULPRIT_EVENT_BIT(win) | CULPRIT_EVENT_BIT(iq)))
		entries *= 20;
	for (size_t i = 0; i < t->count; i++) {
		const struct culprit_record *r = &t->records[i];
		if (r->queue != queue)
			continue;
		uint64_t held = 1;
		for (size_t back = 1; back <= i && t->records[i - back].commit > r->dispatch; back++)
			held += t->records[i - back].queue == queue && t->records[i - back].issue > r->dispatch;
		assert_true(held <= entries);
	}
}

/* Each unit row starts at most `count` operations a cycle, each queue at most its width. */
static void check_units(const struct trace *t)
{
	for (size_t i = 0; i < t->count; i++) {
		const struct culprit_record *r = &t->records[i];
		uint32_t unit = 1, queue = 1;
		for (size_t back = 1; back <= i && t->records[i - back].commit >= r->issue; back++) {
			const struct culprit_record *o = &t->records[i - back];
			unit += o->unit == r->unit && o->issue == r->issue;
			queue += o->queue == r->queue && o->issue == r->issue;
		}
		assert_true(unit <= t->m->units[r->unit].count);
		uint32_t width = t->m->queues[r->queue].width;
		assert_true(queue <= (width ? width : t->m->issue_width));
	}
}

static void check_producer(const struct trace *t, const struct culprit_record *r, unsigned operand, uint64_t writer)
{
	uint32_t distance = r->producer[operand];
	if (!writer) {
		assert_int_equal(distance, 0);
		return;
	}
	const struct culprit_record *p = &t->records[writer - 1];
	assert_true(r->ready + (operand == 2 ? t->m->issue_late_addend : 0) >= p->issue + p->wakeup);
	if (distance)
		assert_int_equal(r->seq - distance, p->seq);
	else
		assert_true(p->commit <= r->dispatch); /* the file may leave out what left the window before */
}

/* dispatch.move_elimination: who writes registers, instruction by instruction. */
struct names {
	uint64_t last[RISCV_REGISTERS];	  /* the last instruction that writes it, + 1 */
	uint64_t writer[RISCV_REGISTERS]; /* rename: whose result that is, + 1; else the same */
	uint8_t *moves;			  /* by instruction: the source of a move, 0 = it is none */
};

static uint8_t moved_register(const struct riscv_insn *insn)
{
	bool sum = insn->op == RISCV_OP_add && (insn->rs1 == 0 || insn->rs2 == 0);
	unsigned source = insn->op == RISCV_OP_addi && !insn->imm ? insn->rs1 : sum ? insn->rs1 + insn->rs2 : 0;
	return source == insn->rd ? 0 : (uint8_t)source;
}

/* Are both of one dispatch group, and is a in flight when b is dispatched? */
static bool grouped(const struct trace *t, size_t a, size_t b)
{
	const struct machine *m = t->m;
	struct machine_idealised d;
	machine_idealise(&d, m);
	bool together = d.whole_groups ? t->records[a].dispatch == t->records[b].dispatch
				       : a / m->dispatch_width == b / m->dispatch_width;
	return together && t->records[a].commit > t->records[b].dispatch;
}

/* rename: the copy is the source's name, if no instruction of the group writes that. */
static uint64_t copied_from(const struct trace *t, size_t i, const struct names *n)
{
	const uint8_t source = n->moves[i];
	if (t->m->dispatch_move_elimination != move_elimination_rename || !source)
		return i + 1;
	return n->last[source] && grouped(t, n->last[source] - 1, i) ? i + 1 : n->writer[source];
}

/* group: through a move of the group, unless its source is written again before i. */
static uint64_t looked_through(const struct trace *t, size_t i, const struct names *n, uint8_t reg)
{
	const uint64_t w = n->writer[reg];
	if (t->m->dispatch_move_elimination != move_elimination_group || !w || !n->moves[w - 1] ||
	    !grouped(t, w - 1, i))
		return w;
	const uint8_t source = n->moves[w - 1];
	return n->last[source] > w ? w : n->last[source];
}

/* branch.sfb: what a branch may skip waits for it; one that skips waits for the old value of what it has as `dest`. */
static void check_short_branch(const struct trace *t, size_t i, const uint64_t *writer)
{
	const struct culprit_record *r = &t->records[i], *p = r - r->producer[2];
	assert_true(t->m->branch_sfb);
	if (r->branch) {
		assert_true(r->branch == CULPRIT_BRANCH_CONDITIONAL && has(r, CULPRIT_TAKEN));
		check_producer(t, r, 2, writer[r->dest]);
		return;
	}
	assert_int_equal(p->branch, CULPRIT_BRANCH_CONDITIONAL);
	assert_true(!has(p, CULPRIT_TAKEN | CULPRIT_MISPREDICTED) && r->ready >= p->issue + p->wakeup);
}

/* Register dependences, from the instructions themselves. */
static void check_registers(const struct trace *t, struct guest *g)
{
	struct names n = {.moves = calloc(t->count, 1)};
	assert_non_null(n.moves);
	for (size_t i = 0; i < t->count; i++) {
		const struct culprit_record *r = &t->records[i];
		struct riscv_insn insn;
		uint32_t raw;
		memcpy(&raw, address_space_host(guest_memory(g), r->pc), sizeof raw);
		riscv_decode(r->length == 2 ? raw & 0xffff : raw, r->pc, &insn);
		n.moves[i] = moved_register(&insn);
		check_producer(t, r, 0, looked_through(t, i, &n, insn.rs1));
		check_producer(t, r, 1, looked_through(t, i, &n, insn.rs2));
		if (r->producer[2] && !insn.rs3)
			check_short_branch(t, i, n.writer);
		else
			check_producer(t, r, 2, looked_through(t, i, &n, insn.rs3));
		if (r->dest >= RISCV_NO_DEST)
			continue;
		n.writer[r->dest] = copied_from(t, i, &n);
		n.last[r->dest] = i + 1;
	}
	free(n.moves);
}

/* A load never has its data before the youngest older store to any of its bytes. */
static void check_load(const struct trace *t, const struct culprit_record *r)
{
	for (size_t back = 1; back <= r->seq; back++) {
		const struct culprit_record *s = &t->records[r->seq - back];
		if (s->commit <= r->issue)
			return; /* this one and all before have been written */
		if (!has(s, CULPRIT_STORE) || s->mem_addr >= r->mem_addr + r->mem_size ||
		    r->mem_addr >= s->mem_addr + s->mem_size)
			continue;
		bool covers = s->mem_addr <= r->mem_addr && s->mem_addr + s->mem_size >= r->mem_addr + r->mem_size;
		assert_true(covers); /* else it would have waited for the commit */
		assert_true(has(r, CULPRIT_FORWARDED));
		assert_int_equal(r->mem_producer, back);
		assert_true(r->issue >= s->issue);
		assert_true(r->complete >= s->complete);
		return;
	}
}

static void check_conservative(const struct trace *t, const struct culprit_record *r)
{
	for (size_t back = 1; back <= r->seq && t->records[r->seq - back].commit > r->issue; back++) {
		const struct culprit_record *s = &t->records[r->seq - back];
		if (has(s, CULPRIT_STORE))
			assert_true(s->complete <= r->issue);
	}
	/* it is ready when all older stores have their addresses, also where its unit was taken meanwhile */
	for (size_t back = 1; back <= r->seq && t->records[r->seq - back].commit > r->ready; back++) {
		const struct culprit_record *s = &t->records[r->seq - back];
		if (has(s, CULPRIT_STORE))
			assert_true(s->complete <= r->ready);
	}
}

/* Who brings the line of a merged access is an older access; an access that did not merge names nobody. */
static void check_primary_miss(const struct trace *t, const struct culprit_record *r)
{
	assert_true(!r->primary_miss || has(r, CULPRIT_MERGED) || r->write_merged);
	assert_true(r->primary_miss <= r->seq);
	if (r->primary_miss)
		assert_true(has(&t->records[r->seq - r->primary_miss], CULPRIT_LOAD | CULPRIT_STORE));
}

static void check_memory(const struct trace *t)
{
	for (size_t i = 0; i < t->count; i++) {
		const struct culprit_record *r = &t->records[i];
		check_primary_miss(t, r);
		if (!has(r, CULPRIT_LOAD) || has(r, CULPRIT_AT_HEAD))
			continue;
		check_load(t, r);
		if (t->m->lsq_disambiguation == disambiguation_conservative)
			check_conservative(t, r);
	}
}

static void check_records(const struct trace *t, struct guest *g)
{
	const struct machine *m = t->m;
	for (size_t i = 0; i < t->count; i++)
		check_times(m, &t->records[i], i ? &t->records[i - 1] : NULL);
	if (!t->unlimited) {
		check_width(t, offsetof(struct culprit_record, fetch), 0, m->fetch_width);
		check_width(t, offsetof(struct culprit_record, dispatch), 0, m->dispatch_width);
		check_width(t, offsetof(struct culprit_record, commit), 0, m->commit_width);
		check_width(t, offsetof(struct culprit_record, commit), CULPRIT_STORE, m->commit_stores);
		check_units(t);
	}
	check_stops(t);
	check_rows(t);
	check_fold(t);
	uint64_t left = m->window_released;
	const culprit_event_set lsq = CULPRIT_EVENT_BIT(lsq), regs = CULPRIT_EVENT_BIT(regs);
	if (m->window_fold < 2) /* else check_fold counts the entries */
		check_structure(t, HOLD_ROB, CULPRIT_EVENT_BIT(rob), m->window_rob, left);
	check_structure(t, HOLD_LOAD, lsq, m->window_lq, left);
	check_structure(t, HOLD_STORE, lsq, m->window_sq, 0);
	check_writes(t);
	check_structure(t, HOLD_MEMORY, lsq, m->window_lsq, left);
	check_structure(t, HOLD_INT, regs, m->window_int_regs ? m->window_int_regs - 32ull : 0, left);
	check_structure(t, HOLD_FP, regs, m->window_fp_regs ? m->window_fp_regs - 32ull : 0, left);
	for (uint32_t q = 0; q < m->queue_count; q++)
		check_queue(t, q);
	check_registers(t, g);
	check_memory(t);
}

/* --- running --- */

struct program {
	uint8_t code[CODE_BYTES];
	size_t size;
	struct guest *end; /* after functional execution */
};

static void compare_states(struct guest *timed, struct guest *functional)
{
	const struct riscv_hart *a = guest_hart(timed), *b = guest_hart(functional);
	assert_memory_equal(a->r, b->r, RISCV_NO_DEST * sizeof a->r[0]);
	assert_int_equal(a->pc, b->pc);
	assert_int_equal(a->instret, b->instret);
	assert_int_equal(a->fflags, b->fflags);
	assert_int_equal(guest_exit_status(timed), guest_exit_status(functional));
	assert_memory_equal(address_space_host(guest_memory(timed), BARE_DATA),
			    address_space_host(guest_memory(functional), BARE_DATA), (2 << 20) + 8192);
	assert_memory_equal(address_space_host(guest_memory(timed), BARE_CODE),
			    address_space_host(guest_memory(functional), BARE_CODE), CODE_BYTES);
}

static void run_program(struct program *p)
{
	struct riscv_outcome out = {0};
	p->end = bare_guest_create(p->code, CODE_BYTES);
	for (;;) {
		enum riscv_stop stop =
			riscv_run(guest_hart(p->end), guest_code(p->end), guest_memory(p->end), INSNS_MAX, &out);
		assert_true(stop == RISCV_STOP_ECALL);
		if (guest_handle(p->end, stop, &out) != GUEST_RUNNING)
			return;
	}
}

/* The program has ended: no store is in flight, and the filter that loads ask counts none. */
static void check_stores_left(const struct core *c)
{
	static const uint16_t none[sizeof c->store_filter / sizeof c->store_filter[0]];
	assert_int_equal(c->stores_head, c->stores_tail);
	assert_memory_equal(c->store_filter, none, sizeof none);
}

static enum core_stop run_plainly(struct core *c, const struct culprit_record_sink *sink, struct trace *t)
{
	const struct culprit_observer observer = {.context = t, .cycles = check_cycle};
	struct plain_loop loop = {.core = c, .observer = &observer, .records = sink};
	t->loop = &loop;
	plain_loop_begin(&loop);
	enum core_stop stop = plain_loop_run(&loop, UINT64_MAX);
	plain_loop_end(&loop);
	assert_int_equal(t->committed, core_statistics(c)->committed);
	assert_int_equal(t->next_cycle, core_statistics(c)->cycles);
	return stop;
}

static enum core_stop run(struct core *c, uint64_t step, struct error *err)
{
	enum core_stop stop = CORE_STOP_COUNT;
	for (uint64_t until = step; stop == CORE_STOP_COUNT; until = core_statistics(c)->committed + step)
		stop = core_run(c, until, err);
	core_flush_records(c);
	return stop;
}

/* Returns the cycles. `step`: instructions at once; 0 = in a plain loop. With records when t is given. */
static uint64_t simulate(const struct machine *m, const struct program *p, uint64_t step, struct trace *t)
{
	struct error err;
	struct guest *g = bare_guest_create(p->code, CODE_BYTES);
	struct core *c = core_create(m, g, &err);
	struct culprit_record_sink sink = {.context = t, .records = keep_records};
	if (!c)
		fail_msg("%s", err.text);
	if (step && t)
		core_record(c, &sink, NULL);
	enum core_stop stop = step ? run(c, step, &err) : run_plainly(c, &sink, t);
	if (stop != CORE_STOP_ENDED)
		fail_msg("%s: %s", m->name, err.text);
	compare_states(g, p->end);
	check_stores_left(c);
	const struct core_statistics *s = core_statistics(c);
	uint64_t cycles = s->cycles;
	assert_int_equal(s->committed, guest_hart(g)->instret);
	if (t) {
		t->cycles = cycles;
		assert_int_equal(t->count, s->committed);
		check_records(t, g);
	}
	core_destroy(c);
	guest_destroy(g);
	return cycles;
}

static void trace_reset(struct trace *t, const struct machine *m)
{
	*t = (struct trace){.records = t->records, .m = m};
	t->unlimited = is_ideal(m, CULPRIT_EVENT_BIT(bw));
	t->rob = ((uint64_t)m->window_rob * (m->window_fold > 1 ? m->window_fold : 1) + m->window_released) *
		 (is_ideal(m, CULPRIT_EVENT_BIT(win) | CULPRIT_EVENT_BIT(rob)) ? 20ull : 1);
}

static void try_machine(const struct program *p, const struct machine *m, struct random_source *r, struct trace *first,
			struct trace *second)
{
	trace_reset(first, m);
	trace_reset(second, m);
	uint64_t cycles = simulate(m, p, 0, first);
	assert_int_equal(simulate(m, p, UINT64_MAX / 2, NULL), cycles);
	assert_int_equal(simulate(m, p, 1 + random_below(r, 9), NULL), cycles);
	assert_int_equal(simulate(m, p, 1 + random_below(r, 300), second), cycles);
	assert_int_equal(first->count, second->count);
	assert_memory_equal(first->records, second->records, first->count * sizeof *first->records);
}

static uint64_t number(const char *variable, uint64_t otherwise)
{
	const char *text = getenv(variable);
	return text ? strtoull(text, NULL, 0) : otherwise;
}

static uint64_t stray_waits(const struct trace *t)
{
	uint64_t cycles = 0;
	for (size_t i = 0; i < t->count; i++)
		cycles += t->records[i].stray_wait;
	return cycles;
}

static void random_programs(void **state)
{
	uint64_t waits = 0;
	struct trace first = {.records = malloc(INSNS_MAX * sizeof *first.records)};
	struct trace second = {.records = malloc(INSNS_MAX * sizeof *second.records)};
	struct program *p = malloc(sizeof *p);
	assert_true(first.records && second.records && p);
	uint64_t seed = number("CULPRIT_RANDOM_SEED", 1), end = seed + number("CULPRIT_RANDOM_PROGRAMS", PROGRAMS);
	for (; seed < end; seed++) {
		struct random_source r = {~seed};
		memset(p->code, 0, sizeof p->code);
		p->size = random_program(seed, p->code, sizeof p->code);
		run_program(p);
		for (unsigned i = 0; i < MACHINES_EACH; i++) {
			struct machine m;
			if (i == MACHINES_EACH - 2)
				any_machine(&m, &r);
			else
				random_machine(&m, &r);
			if (i == MACHINES_EACH - 1)
				random_machine_rare(&m, &r);
			print_message("seed %llu machine %u: %s, ideal %x, %llu instructions\n",
				      (unsigned long long)seed, i, m.name, m.ideal,
				      (unsigned long long)guest_hart(p->end)->instret);
			try_machine(p, &m, &r, &first, &second);
			waits += stray_waits(&first);
		}
		guest_destroy(p->end);
	}
	assert_true(waits || getenv("CULPRIT_RANDOM_SEED"));
	free(p);
	free(first.records);
	free(second.records);
	(void)state;
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(random_programs)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
