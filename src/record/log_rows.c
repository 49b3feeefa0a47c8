/* See the header. */
#include "record/log_rows.h"

#include <stdlib.h>
#include <string.h>

_Static_assert(sizeof(struct culprit_log_entry) == 8 * LOG_WORDS, "two words");

enum { FRONT_SHIFT = 48, DISPATCHED_SHIFT = 16 };

/* Bytes of the first word that a kind uses, the low ones. */
static const uint64_t used[CULPRIT_LOG_KINDS] = {
	[CULPRIT_LOG_CYCLE] = UINT64_MAX,	[CULPRIT_LOG_CYCLES] = UINT64_MAX,
	[CULPRIT_LOG_BRANCH] = 0xffffff,	[CULPRIT_LOG_FETCH_MISSED] = 0xffffff,
	[CULPRIT_LOG_LOAD_MISSED] = UINT64_MAX, [CULPRIT_LOG_STORE_MISSED] = UINT64_MAX,
	[CULPRIT_LOG_SQUASHED] = 0xffff,
};

/* Four numbers of 16 bits, each modulo 2^16. */
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

/* What was in the front end, less what dispatch took: the rest is what fetch brought. */
static inline uint64_t front_expected(const struct log_rows *rows, const uint64_t row[LOG_WORDS])
{
	return (rows->front - (row[1] >> DISPATCHED_SHIFT)) << FRONT_SHIFT;
}

static inline void go_on(struct log_rows *rows, const uint64_t entry[LOG_WORDS])
{
	const uint8_t kind = (uint8_t)entry[0];
	rows->last[kind] = kind == CULPRIT_LOG_CYCLES ? 0 : entry[1];
	rows->front = kind == CULPRIT_LOG_CYCLE ? entry[0] >> FRONT_SHIFT : rows->front;
}

static void begin(struct log_rows *rows)
{
	memset(rows->last, 0, sizeof rows->last);
	rows->front = 0;
}

struct log_rows *log_rows_create(void)
{
	struct log_rows *rows = calloc(1, sizeof *rows);
	if (rows && row_table_create(&rows->table, LOG_WORDS, LOG_BLOCK))
		return rows;
	log_rows_destroy(rows);
	return NULL;
}

void log_rows_destroy(struct log_rows *rows)
{
	if (rows)
		row_table_destroy(&rows->table);
	free(rows);
}

void log_rows_put(struct log_rows *rows, const struct culprit_log_entry *e)
{
	uint64_t entry[LOG_WORDS], row[LOG_WORDS];
	memcpy(entry, e, sizeof entry);
	const uint8_t kind = (uint8_t)entry[0];
	row[0] = entry[0] & used[kind];
	row[1] = entry[1] - rows->last[kind];
	if (kind == CULPRIT_LOG_CYCLE) {
		row[1] = lanes_of(entry[1], counts(rows->last[kind]), false);
		row[0] -= front_expected(rows, row);
	}
	go_on(rows, entry);
	row_table_put(&rows->table, row, LOG_WORDS);
}

void log_rows_flush(struct log_rows *rows, struct bytes *to)
{
	row_table_flush(&rows->table, LOG_WORDS, to);
	begin(rows);
}

bool log_rows_open(struct log_rows *rows, size_t count, struct cursor *from)
{
	begin(rows);
	return count <= LOG_BLOCK && row_table_open(&rows->table, LOG_WORDS, count, from);
}

bool log_rows_get(struct log_rows *rows, struct culprit_log_entry *e)
{
	uint64_t row[LOG_WORDS], entry[LOG_WORDS];
	if (!row_table_get(&rows->table, row, LOG_WORDS) || (row[0] & 0xff) >= CULPRIT_LOG_KINDS)
		return false;
	const uint8_t kind = (uint8_t)row[0];
	entry[0] = row[0];
	entry[1] = row[1] + rows->last[kind];
	if (kind == CULPRIT_LOG_CYCLE) {
		entry[1] = lanes_of(row[1], counts(rows->last[kind]), true);
		entry[0] += front_expected(rows, row);
	}
	go_on(rows, entry);
	memcpy(e, entry, sizeof entry);
	return true;
}
