/* See the header. */
#include "record/record_rows.h"

#include <stddef.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "rows are little-endian");

/* --- records --- */

/* The words that a relative record has instead of a record's. */
#define WORD(name) (offsetof(struct culprit_record, name) / 8)
enum {
	SEQ = WORD(seq),
	PC = WORD(pc),
	ADDRESS = WORD(mem_addr),
	FETCH = WORD(fetch),
	DISPATCH = WORD(dispatch),
	READY = WORD(ready),
	ISSUE = WORD(issue),
	COMPLETE = WORD(complete),
	COMMIT = WORD(commit),
	WAKEUP = WORD(wakeup),
	WAKEUP_SHIFT = offsetof(struct culprit_record, wakeup) % 8 * 8,
};

/* 0, -1, 1, -2 ... become 0, 1, 2, 3 ... */
static inline uint64_t fold(uint64_t difference)
{
	return difference << 1 ^ (difference >> 63 ? UINT64_MAX : 0);
}

static inline uint64_t unfold(uint64_t folded)
{
	return folded >> 1 ^ (folded & 1 ? UINT64_MAX : 0);
}

static inline uint64_t times_of_fetch(const struct record_rows *rows, const struct culprit_record *r)
{
	return rows->front.fetch + r->imiss + r->itlb;
}

static inline uint64_t latency(const struct culprit_record *r)
{
	return (uint64_t)r->exec_latency + r->dmiss + r->dtlb;
}

static inline uint64_t expected_pc(const struct record_rows *rows)
{
	return rows->last && rows->last->next_pc ? rows->last->next_pc : rows->front.pc + rows->front.length;
}

/* Of the record with that pc. */
static inline struct record_place *find_place(struct record_rows *rows, uint64_t pc)
{
	struct record_place *place = &rows->places[(pc >> 1 ^ pc >> 13) % RECORD_PLACES];
	if (place->block != rows->block) {
		memset(place->relative, 0, sizeof place->relative);
		place->address = place->next_pc = 0;
		place->block = rows->block;
	}
	return place;
}

static inline void go_on(struct record_rows *rows, const struct culprit_record *r, struct record_place *place)
{
	if (rows->last)
		rows->last->next_pc = r->pc;
	rows->last = place;
	place->not_pc = ~r->pc;
	place->address = r->mem_addr;
	rows->front = (struct record_before){r->pc, r->length, r->fetch, r->dispatch, r->commit};
}

void record_rows_begin(struct record_rows *rows)
{
	rows->front = (struct record_before){0};
	rows->last = NULL;
	rows->block++;
}

/* The compiler keeps the words that are computed out of memory: what is written in parts and read whole would wait. */
bool record_rows_put(struct record_rows *rows, const struct culprit_record *r, struct sparse_writer *to)
{
	struct record_place *place = find_place(rows, r->pc);
	const struct record_before *front = &rows->front;
	uint64_t now[RECORD_WORDS], row[RECORD_WORDS];
	const bool met = place->not_pc == ~r->pc;
	memcpy(now, r, sizeof now);
	now[SEQ] = 0;
	now[PC] = r->pc ^ expected_pc(rows);
	now[ADDRESS] = fold(r->mem_addr - place->address);
	now[FETCH] -= times_of_fetch(rows, r);
	now[DISPATCH] -= front->dispatch;
	now[READY] -= r->dispatch;
	now[ISSUE] -= r->ready;
	now[COMPLETE] -= r->issue + latency(r);
	now[COMMIT] -= front->commit;
	now[WAKEUP] -= (r->complete - r->issue) << WAKEUP_SHIFT;
	for (size_t w = 0; w < RECORD_WORDS; w++) {
		row[w] = now[w] ^ place->relative[w];
		place->relative[w] = now[w];
	}
	row[PC] = now[PC]; /* what is read before the place is known */
	sparse_put(to, row, RECORD_WORDS);
	go_on(rows, r, place);
	return met;
}

bool record_rows_get(struct record_rows *rows, struct culprit_record *r, struct sparse_reader *from)
{
	const struct record_before *front = &rows->front;
	uint64_t now[RECORD_WORDS];
	if (!sparse_get(from, now, RECORD_WORDS))
		return false;
	const uint64_t pc = now[PC] ^ expected_pc(rows);
	struct record_place *place = find_place(rows, pc);
	for (size_t w = 0; w < RECORD_WORDS; w++)
		now[w] ^= w == PC ? 0 : place->relative[w];
	memcpy(place->relative, now, sizeof now);
	memcpy(r, now, sizeof *r);
	r->seq = 0;
	r->pc = pc;
	r->mem_addr = place->address + unfold(now[ADDRESS]);
	r->fetch += times_of_fetch(rows, r);
	r->dispatch += front->dispatch;
	r->ready += r->dispatch;
	r->issue += r->ready;
	r->complete += r->issue + latency(r);
	r->commit += front->commit;
	r->wakeup = (uint16_t)(r->wakeup + (r->complete - r->issue));
	go_on(rows, r, place);
	return true;
}

/* --- the log --- */

enum { KIND = 0xff };

/* Numbers of 16 bits, each modulo 2^16. */
static inline uint64_t lanes_of(uint64_t a, uint64_t b, bool add)
{
	const uint64_t high = 0x8000800080008000;
	return add ? ((a & ~high) + (b & ~high)) ^ ((a ^ b) & high) : ((a | high) - (b & ~high)) ^ ((a ^ ~b) & high);
}

/* The part of a cycle's second word that is told by its difference: `issued` is a number by itself. */
static inline uint64_t counts(uint64_t word)
{
	return word & ~0x0000ffff00000000u;
}

void log_rows_begin(struct log_rows *rows)
{
	memset(rows, 0, sizeof *rows);
}

void log_rows_put(struct log_rows *rows, const struct culprit_log_entry *e, struct sparse_writer *to)
{
	uint64_t now[LOG_WORDS], row[LOG_WORDS], *last = rows->last[e->kind];
	memcpy(now, e, sizeof now);
	row[0] = now[0] ^ (last[0] & ~(uint64_t)KIND); /* the kind stays */
	row[1] = e->kind == CULPRIT_LOG_CYCLE ? lanes_of(now[1], counts(last[1]), false) : fold(now[1] - last[1]);
	memcpy(last, now, sizeof now);
	sparse_put(to, row, LOG_WORDS);
}

bool log_rows_get(struct log_rows *rows, struct culprit_log_entry *e, struct sparse_reader *from)
{
	uint64_t row[LOG_WORDS];
	if (!sparse_get(from, row, LOG_WORDS))
		return false;
	const uint8_t kind = row[0] & KIND;
	if (kind >= CULPRIT_LOG_KINDS)
		return false;
	uint64_t *last = rows->last[kind];
	last[0] = row[0] ^ (last[0] & ~(uint64_t)KIND);
	last[1] = kind == CULPRIT_LOG_CYCLE ? lanes_of(row[1], counts(last[1]), true) : last[1] + unfold(row[1]);
	memcpy(e, last, sizeof *e);
	return true;
}
