#include "core_digest.h"

#include "bare_guest.h"
#include "base/archive.h"
#include "core/state.h"
#include "riscv/vector.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static void add(struct core_digest *d, enum core_digest_part part, uint64_t value)
{
	uint64_t x = (d->part[part] ^ value) * 0x9e3779b97f4a7c15;
	d->part[part] = x ^ x >> 29;
}

static void add_bytes(struct core_digest *d, enum core_digest_part part, const void *bytes, size_t size)
{
	const char *at = bytes;
	for (; size; at += sizeof(uint64_t)) {
		uint64_t word = 0;
		const size_t some = size < sizeof word ? size : sizeof word;
		memcpy(&word, at, some);
		add(d, part, word);
		size -= some;
	}
}

/* --- records --- */

_Static_assert(sizeof(struct culprit_record) == 168, "no holes");
enum { TIMES = offsetof(struct culprit_record, fetch), TIMES_END = offsetof(struct culprit_record, mem_producer) };

/* What is not valid is not told. */
static void add_record(struct core_digest *d, struct culprit_record r)
{
	if (r.issue <= r.ready)
		r.contended = r.contender = 0;
	if (r.contended != CULPRIT_CONTENTION_BUSY)
		r.contender = 0;
	if (!r.commit_wait)
		r.commit_stop = 0;
	add_bytes(d, DIGEST_TIMES, (const char *)&r + TIMES, TIMES_END - TIMES);
	add_bytes(d, DIGEST_CAUSES, &r, TIMES);
	add_bytes(d, DIGEST_CAUSES, (const char *)&r + TIMES_END, sizeof r - TIMES_END);
}

static void take_records(void *context, const struct culprit_record *records, size_t count)
{
	for (size_t i = 0; i < count; i++)
		add_record(context, records[i]);
}

/* --- the log --- */

static void add_entry(struct core_digest *d, const struct culprit_log_entry *e)
{
	uint64_t what = e->kind;
	switch ((enum culprit_log_kind)e->kind) {
	case CULPRIT_LOG_CYCLE:
	case CULPRIT_LOG_CYCLES:
		add(d, DIGEST_LOG, (uint64_t)e->flags << 16 | e->front);
		what |= (uint64_t)e->fetch << 8 | e->dispatch << 16 | (uint64_t)e->why_empty << 24 |
			(uint64_t)e->stop << 32;
		break;
	case CULPRIT_LOG_BRANCH:
		what |= (uint64_t)e->mispredicted << 8 | e->wrong_path << 9;
		break;
	case CULPRIT_LOG_LOAD_MISSED:
	case CULPRIT_LOG_STORE_MISSED:
		add(d, DIGEST_LOG, (uint64_t)e->cycles << 1 | e->merged);
		what |= e->level << 8 | e->tlb_level << 16;
		break;
	case CULPRIT_LOG_FETCH_MISSED:
		what |= e->level << 8 | e->tlb_level << 16;
		break;
	default:
		what |= e->why << 8;
	}
	add(d, DIGEST_LOG, what);
	add(d, DIGEST_LOG, e->seq);
}

static void take_entries(void *context)
{
	struct core_digest *d = context;
	for (const struct culprit_log_entry *e = d->entries; e < d->log.next; e++)
		add_entry(d, e);
	d->log.next = d->entries;
}

static void take_squashed(void *context, const struct culprit_record *r, uint64_t until)
{
	struct core_digest *d = context;
	const uint64_t words[] = {
		r->seq,	     r->pc,	  r->fetch,	   r->dispatch,	    r->ready,	     r->issue,
		r->complete, r->mem_addr, r->mem_producer, r->order_waited, r->primary_miss, r->dmiss,
		r->dtlb,     r->dlevel,	  r->producer[0],  r->producer[1],  r->producer[2],  r->imiss,
		r->itlb,     r->redirect, r->window,	   r->flags,	    r->exec_latency, r->previous_holder,
		until};
	add_bytes(d, DIGEST_LOG, words, sizeof words);
}

void core_digest_begin(struct core_digest *d)
{
	*d = (struct core_digest){.sink = {.context = d, .records = take_records}};
	d->log = (struct culprit_log){.next = d->entries,
				      .end = d->entries + DIGEST_LOG_ROOM,
				      .context = d,
				      .full = take_entries,
				      .squashed = take_squashed};
}

/* --- the end --- */

static void add_counts(struct core_digest *d, struct core *c)
{
	struct core_warmed warmed;
	size_t programs, lessons;
	core_warmed(c, &warmed);
	const struct core_program *of = core_programs(c, &programs);
	const struct core_lesson *lesson = core_lessons(c, &lessons);
	add_bytes(d, DIGEST_COUNTS, core_statistics(c), sizeof *core_statistics(c));
	add_bytes(d, DIGEST_COUNTS, core_hierarchy_statistics(c), sizeof *core_hierarchy_statistics(c));
	add_bytes(d, DIGEST_COUNTS, &warmed, sizeof warmed);
	for (size_t i = 0; i < programs; i++)
		add_bytes(d, DIGEST_COUNTS, &of[i], sizeof of[i]);
	for (size_t i = 0; i < lessons; i++) {
		add(d, DIGEST_COUNTS, lesson[i].load);
		add(d, DIGEST_COUNTS, lesson[i].store);
		add(d, DIGEST_COUNTS, lesson[i].clears);
	}
}

static void add_state(struct core_digest *d, struct core *c)
{
	struct bytes bytes = {0};
	struct archive save = {.to = &bytes};
	predictor_write(c->predictor, c->now + c->m.branch_train_queue + 2, false); /* what waits has holes */
	core_archive_warm(c, &save);
	add_bytes(d, DIGEST_STATE, bytes.at, bytes.size);
	free(bytes.at);
}

static void add_guest(struct core_digest *d, struct guest *g)
{
	const struct riscv_hart *hart = guest_hart(g);
	add_bytes(d, DIGEST_GUEST, hart->r, RISCV_NO_DEST * sizeof hart->r[0]);
	add(d, DIGEST_GUEST, hart->pc);
	add(d, DIGEST_GUEST, hart->instret);
	add(d, DIGEST_GUEST, hart->fflags);
	if (hart->vector)
		add_bytes(d, DIGEST_GUEST, hart->vector->bytes, 32 * hart->vector->vlenb);
	add_bytes(d, DIGEST_GUEST, address_space_host(guest_memory(g), BARE_DATA), 1 << 14);
	add_bytes(d, DIGEST_GUEST, address_space_host(guest_memory(g), BARE_DATA + 0x400000), 1 << 14);
}

void core_digest_end(struct core_digest *d, struct core *c, struct guest *g)
{
	take_entries(d);
	add_counts(d, c);
	core_leave_guest(c);
	add_guest(d, g);
	add_state(d, c);
}
