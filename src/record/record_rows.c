/* See the header. Words are read and written as a whole: what is written in parts and read as a whole would wait. */
#include "record/record_rows.h"

#include "record/word_column.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "rows are little-endian");
_Static_assert(sizeof(struct record_place) == 128, "two lines");

enum { TIMES = 6 };

/* --- the words of a record --- */

_Static_assert(sizeof(struct culprit_record) % 8 == 0, "whole words");
#define WORD(name) (offsetof(struct culprit_record, name) / 8)
#define SHIFT(name) (offsetof(struct culprit_record, name) % 8 * 8)

static inline uint64_t word_of(const struct culprit_record *r, size_t word)
{
	uint64_t value;
	memcpy(&value, (const char *)r + 8 * word, sizeof value);
	return value;
}

static inline void put_word(struct culprit_record *r, size_t word, uint64_t value)
{
	memcpy((char *)r + 8 * word, &value, sizeof value);
}

/* Kept are the ten words before the last, without what head, holder and operands have, and the word of write_miss. */
enum { RUN = 10 };
_Static_assert(WORD(mem_producer) + RUN == WORD(prefetch_trigger) && RUN + 1 == RECORD_KEPT, "the ten before the last");
_Static_assert(WORD(prefetch_trigger) + 1 == sizeof(struct culprit_record) / 8, "the last");
static const uint64_t masks[RECORD_KEPT] = {
	UINT64_MAX,
	UINT64_MAX,
	UINT64_MAX,
	0xffff0000ffff0000,
	~(0xffull << SHIFT(previous_holder)),
	UINT64_MAX,
	UINT64_MAX,
	~(0xffffull << SHIFT(flags) | 0xffull << SHIFT(contended)),
	~(0xffull << SHIFT(contender)),
	UINT64_MAX,
	UINT64_MAX,
};
#define RUN_WORD(name) (WORD(name) - WORD(mem_producer))
_Static_assert(RUN_WORD(producer[0]) == 3 && RUN_WORD(previous_holder) == 4, "masks of these words");
_Static_assert(RUN_WORD(contended) == 7 && RUN_WORD(flags) == 7 && RUN_WORD(contender) == 8, "masks of these words");

static inline size_t kept_word(unsigned i)
{
	return i < RUN ? WORD(mem_producer) + i : WORD(write_miss);
}

/* The lower halves of two producers, contended, contender. */
static inline uint64_t operands_of(const struct culprit_record *r)
{
	const uint64_t producers = word_of(r, WORD(producer[0]));
	return (producers & 0xffff) | (producers >> 16 & 0xffff0000) | (uint64_t)r->contended << 32 |
	       (uint64_t)r->contender << 40;
}

static inline void put_operands(struct culprit_record *r, uint64_t operands)
{
	r->producer[0] |= operands & 0xffff;
	r->producer[1] |= operands >> 16 & 0xffff;
	r->contended = operands >> 32 & 0xff;
	r->contender = operands >> 40 & 0xff;
}

/* --- heads: five times of a byte, what is told, flags --- */

enum { TOLD_SHIFT = 40, FLAGS_SHIFT = 48 };

static inline uint64_t latency(const struct culprit_record *r)
{
	return (uint64_t)r->exec_latency + r->dmiss + r->dtlb;
}

/* Each from the time in front of it, in the record or in the record in front. */
static inline void times_of(const struct record_before *front, const struct culprit_record *r, uint64_t times[TIMES])
{
	times[0] = r->fetch - (front->fetch + r->imiss + r->itlb);
	times[1] = r->dispatch - front->dispatch;
	times[2] = r->ready - r->dispatch;
	times[3] = r->issue - r->ready;
	times[4] = r->commit - front->commit;
	times[5] = r->complete - (r->issue + latency(r));
}

static inline void put_times(const struct record_before *front, struct culprit_record *r, const uint64_t times[TIMES])
{
	r->fetch = times[0] + front->fetch + r->imiss + r->itlb;
	r->dispatch = times[1] + front->dispatch;
	r->ready = times[2] + r->dispatch;
	r->issue = times[3] + r->ready;
	r->commit = times[4] + front->commit;
	r->complete = times[5] + r->issue + latency(r);
}

/* Not of a byte each, the last not 0. */
static inline bool are_wide(const uint64_t times[TIMES])
{
	return (times[0] | times[1] | times[2] | times[3] | times[4]) >> 8 | times[5];
}

static inline uint64_t head_of_times(const uint64_t times[TIMES])
{
	return times[0] | times[1] << 8 | times[2] << 16 | times[3] << 24 | times[4] << 32;
}

/* --- the state of a block --- */

/* 0, -1, 1, -2 ... become 0, 1, 2, 3 ... */
static inline uint64_t fold(uint64_t difference)
{
	return difference << 1 ^ (difference >> 63 ? UINT64_MAX : 0);
}

static inline uint64_t unfold(uint64_t folded)
{
	return folded >> 1 ^ (folded & 1 ? UINT64_MAX : 0);
}

static inline uint64_t expected_pc(const struct record_rows *rows)
{
	const uint64_t next = rows->last->next_pc;
	return next ? next : rows->front.next;
}

static inline struct record_place *find_place(struct record_rows *rows, uint64_t pc)
{
	struct record_place *place = &rows->places[(pc >> 1 ^ pc >> 15) % RECORD_PLACES];
	if (__builtin_expect(place->block != rows->block, 0))
		*place = (struct record_place){.block = rows->block, .pc = ~pc};
	return place;
}

static inline void go_on(struct record_rows *rows, const struct culprit_record *r, struct record_place *place)
{
	rows->last->next_pc = r->pc;
	rows->last = place;
	place->pc = r->pc;
	place->address = r->mem_addr;
	rows->front = (struct record_before){r->pc + r->length, r->fetch, r->dispatch, r->commit};
}

static void begin(struct record_rows *rows)
{
	for (size_t c = 0; c < RECORD_COLUMNS; c++)
		rows->next[c] = rows->columns[c];
	rows->front = (struct record_before){0};
	rows->last = &rows->places[RECORD_PLACES];
	*rows->last = (struct record_place){0};
	rows->block++;
	rows->kept_count = 0;
}

static size_t words_of_row(size_t column)
{
	return column == COLUMN_WIDE ? TIMES : 1;
}

struct record_rows *record_rows_create(void)
{
	struct record_rows *rows = calloc(1, sizeof *rows);
	bool good = rows && row_table_create(&rows->heads, 1, RECORD_BLOCK) &&
		    (rows->holders = calloc(RECORD_BLOCK, 1)) &&
		    (rows->kept = calloc(RECORD_BLOCK, sizeof *rows->kept));
	for (size_t c = 0; good && c < RECORD_COLUMNS; c++) /* a word behind the last is written, or read */
		good = (rows->columns[c] = calloc(RECORD_BLOCK * words_of_row(c) + WORD_GROUP, sizeof(uint64_t)));
	if (!good) {
		record_rows_destroy(rows);
		return NULL;
	}
	begin(rows);
	return rows;
}

void record_rows_destroy(struct record_rows *rows)
{
	if (!rows)
		return;
	for (size_t c = 0; c < RECORD_COLUMNS; c++)
		free(rows->columns[c]);
	row_table_destroy(&rows->heads);
	free(rows->holders);
	free(rows->kept);
	free(rows);
}

/* --- writing --- */

/* If the word is not 0; it is written in any case. */
static inline uint64_t tell(struct record_rows *rows, unsigned column, uint64_t word)
{
	const bool told = word != 0;
	*rows->next[column] = word;
	rows->next[column] += told;
	return (uint64_t)told << (TOLD_SHIFT + column);
}

static uint64_t tell_wide(struct record_rows *rows, uint64_t times[TIMES])
{
	for (unsigned i = 0; i < TIMES; i++)
		*rows->next[COLUMN_WIDE]++ = times[i];
	memset(times, 0, TIMES * sizeof *times);
	return 1ull << (TOLD_SHIFT + COLUMN_WIDE);
}

static uint64_t tell_kept(struct record_rows *rows, const struct culprit_record *r, struct record_place *place)
{
	uint16_t which = 0;
	for (unsigned i = 0; i < RECORD_KEPT; i++) {
		const uint64_t word = word_of(r, kept_word(i)) & masks[i], differs = word ^ place->kept[i];
		if (!differs)
			continue;
		*rows->next[COLUMN_KEPT + i]++ = differs;
		place->kept[i] = word;
		which |= (uint16_t)(1 << i);
	}
	rows->kept[rows->kept_count++] = which;
	return 1ull << (TOLD_SHIFT + COLUMN_KEPT);
}

static inline bool is_kept(const struct culprit_record *r, const struct record_place *place)
{
	typedef uint64_t pair __attribute__((vector_size(16)));
	pair differs = {(word_of(r, kept_word(RUN)) & masks[RUN]) ^ place->kept[RUN], 0};
	for (unsigned i = 0; i < RUN; i += 2) {
		pair now, before, mask;
		memcpy(&now, (const char *)r + 8 * kept_word(i), sizeof now);
		memcpy(&before, &place->kept[i], sizeof before);
		memcpy(&mask, &masks[i], sizeof mask);
		differs |= (now & mask) ^ before;
	}
	return !(differs[0] | differs[1]);
}

bool record_rows_put(struct record_rows *rows, const struct culprit_record *r)
{
	uint64_t times[TIMES], head = (uint64_t)r->flags << FLAGS_SHIFT;
	struct record_place *place = find_place(rows, r->pc);
	const bool met = place->pc == r->pc;
	const uint64_t operands = operands_of(r), pc = expected_pc(rows);
	head |= tell(rows, COLUMN_ADDRESS, fold(r->mem_addr - place->address));
	head |= tell(rows, COLUMN_OPERANDS, operands ^ place->operands);
	head |= tell(rows, COLUMN_PREFETCHED, word_of(r, WORD(prefetch_trigger)));
	place->operands = operands;
	if (__builtin_expect(r->pc != pc, 0))
		head |= tell(rows, COLUMN_PC, r->pc ^ pc);
	times_of(&rows->front, r, times);
	if (__builtin_expect(are_wide(times), 0))
		head |= tell_wide(rows, times);
	head |= head_of_times(times);
	if (__builtin_expect(!is_kept(r, place), 0))
		head |= tell_kept(rows, r, place);
	rows->holders[rows->heads.count] = (uint8_t)r->previous_holder;
	row_table_put(&rows->heads, &head, 1);
	go_on(rows, r, place);
	return met;
}

static void put_holders(const struct record_rows *rows, struct bytes *to)
{
	uint8_t some = 0;
	for (size_t i = 0; i < rows->heads.count; i++)
		some |= rows->holders[i];
	bytes_put(to, some != 0, 1);
	if (some)
		bytes_put_raw(to, rows->holders, rows->heads.count);
}

void record_rows_flush(struct record_rows *rows, struct bytes *to)
{
	put_holders(rows, to);
	row_table_flush(&rows->heads, 1, to);
	bytes_put_raw(to, rows->kept, rows->kept_count * sizeof *rows->kept);
	for (size_t c = 0; c < RECORD_COLUMNS; c++)
		word_column_put(rows->columns[c], (size_t)(rows->next[c] - rows->columns[c]), to);
	begin(rows);
}

/* --- reading --- */

static inline uint64_t told_of(uint64_t head)
{
	return head >> TOLD_SHIFT & 0xff;
}

static bool get_holders(struct record_rows *rows, size_t count, struct cursor *from)
{
	const uint64_t there = cursor_get(from, 1);
	memset(rows->holders, 0, count);
	return there ? there == 1 && cursor_copy(from, rows->holders, count) : !from->failed;
}

/* Heads say how many words there are in each column; so none is read beyond its end. They are read twice. */
static bool count_told(struct record_rows *rows, size_t count, size_t told[RECORD_COLUMNS])
{
	size_t heads[1 << (COLUMN_KEPT + 1)] = {0}; /* by what they tell */
	uint64_t head;
	for (size_t i = 0; i < count; i++) {
		if (!row_table_get(&rows->heads, &head, 1) || told_of(head) >> (COLUMN_KEPT + 1))
			return false;
		heads[told_of(head)]++;
	}
	for (size_t which = 0; which < sizeof heads / sizeof *heads; which++)
		for (unsigned c = 0; c <= COLUMN_KEPT; c++)
			told[c] += which >> c & 1 ? heads[which] : 0;
	row_table_rewind(&rows->heads, 1);
	return true;
}

static bool open_kept(struct record_rows *rows, size_t told[RECORD_COLUMNS], struct cursor *from)
{
	const size_t count = told[COLUMN_KEPT];
	if (!cursor_copy(from, rows->kept, count * sizeof *rows->kept))
		return false;
	told[COLUMN_KEPT] = 0;
	for (size_t i = 0; i < count; i++) {
		if (rows->kept[i] >> RECORD_KEPT)
			return false;
		for (unsigned k = 0; k < RECORD_KEPT; k++)
			told[COLUMN_KEPT + k] += rows->kept[i] >> k & 1;
	}
	return true;
}

bool record_rows_open(struct record_rows *rows, size_t count, struct cursor *from)
{
	size_t told[RECORD_COLUMNS] = {0};
	begin(rows);
	if (count > RECORD_BLOCK || !get_holders(rows, count, from) || !row_table_open(&rows->heads, 1, count, from) ||
	    !count_told(rows, count, told) || !open_kept(rows, told, from))
		return false;
	for (size_t c = 0; c < RECORD_COLUMNS; c++)
		if (!word_column_get(rows->columns[c], told[c] * words_of_row(c), from))
			return false;
	return true;
}

/* 0 where it is not told. */
static inline uint64_t told(struct record_rows *rows, unsigned column, uint64_t which)
{
	const uint64_t is_told = which >> column & 1, word = *rows->next[column];
	rows->next[column] += is_told;
	return word & -is_told;
}

static void get_kept(struct record_rows *rows, struct record_place *place)
{
	for (unsigned left = rows->kept[rows->kept_count++]; left; left &= left - 1) {
		const unsigned i = (unsigned)__builtin_ctz(left);
		place->kept[i] ^= *rows->next[COLUMN_KEPT + i]++ & masks[i];
	}
}

static inline void get_times(struct record_rows *rows, struct culprit_record *r, uint64_t head)
{
	uint64_t times[TIMES] = {head & 0xff, head >> 8 & 0xff, head >> 16 & 0xff, head >> 24 & 0xff,
				 head >> 32 & 0xff};
	if (__builtin_expect(told_of(head) >> COLUMN_WIDE & 1, 0))
		for (unsigned i = 0; i < TIMES; i++)
			times[i] = *rows->next[COLUMN_WIDE]++;
	put_times(&rows->front, r, times);
}

bool record_rows_get(struct record_rows *rows, struct culprit_record *r)
{
	uint64_t head = 0;
	const uint8_t holder = rows->holders[rows->heads.count];
	row_table_get(&rows->heads, &head, 1);
	const uint64_t which = told_of(head), pc = expected_pc(rows) ^ told(rows, COLUMN_PC, which);
	struct record_place *place = find_place(rows, pc);
	if (__builtin_expect(which >> COLUMN_KEPT & 1, 0))
		get_kept(rows, place);
	for (unsigned i = 0; i < RECORD_KEPT; i++)
		put_word(r, kept_word(i), place->kept[i]);
	put_word(r, WORD(prefetch_trigger), told(rows, COLUMN_PREFETCHED, which));
	r->previous_holder |= holder;
	place->operands ^= told(rows, COLUMN_OPERANDS, which);
	put_operands(r, place->operands);
	r->flags = (uint16_t)(head >> FLAGS_SHIFT);
	r->seq = 0;
	r->pc = pc;
	r->mem_addr = place->address + unfold(told(rows, COLUMN_ADDRESS, which));
	get_times(rows, r, head);
	go_on(rows, r, place);
	return !(which & (1u << COLUMN_OPERANDS | 1u << COLUMN_KEPT | 1u << COLUMN_PREFETCHED));
}
