/* Columns of files of versions 1 and 2, which are only read: they give back what a plain writer here puts, whatever the
 * values; and a cut or altered column is refused or read, but never beyond. */
#include "record/record_columns.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static uint64_t state = 1;

static uint64_t draw(void)
{
	state = state * 6364136223846793005u + 1442695040888963407u;
	return state >> 11;
}

/* Any bytes; often few. */
static void draw_bytes(void *to, size_t size)
{
	uint8_t *at = to;
	bool few = draw() % 2;
	for (size_t i = 0; i < size; i++)
		at[i] = few && draw() % 8 ? 0 : (uint8_t)draw();
}

static struct record_columns *columns;

static void draw_records(size_t count)
{
	for (size_t i = 1; i <= count; i++) {
		draw_bytes(&columns->records[i], sizeof columns->records[i]);
		columns->records[i].pc = draw() % 4 ? 0x1000 + draw() % 64 : draw();
		columns->records[i].seq = 0; /* is not among the columns */
		memset(columns->records[i].spare, 0, sizeof columns->records[i].spare);
	}
}

/* --- the writer --- */

static uint64_t fold(uint64_t difference, unsigned bits)
{
	uint64_t mask = bits < 64 ? (1ull << bits) - 1 : UINT64_MAX;
	return (difference << 1 ^ (difference >> (bits - 1) & 1 ? UINT64_MAX : 0)) & mask;
}

static void put_planes(const uint64_t *folded, size_t count, struct bytes *to)
{
	unsigned planes = 0;
	for (size_t i = 0; i < count; i++)
		while (planes < 8 && folded[i] >> 8 * planes)
			planes++;
	bytes_put(to, planes, 1);
	for (unsigned plane = 0; plane < planes; plane++)
		for (size_t i = 0; i < count; i++)
			bytes_put(to, folded[i] >> 8 * plane & 0xff, 1);
}

static const struct culprit_record *same_of(size_t i)
{
	const struct culprit_record *r = columns->records;
	for (size_t j = i - 1; j; j--)
		if ((r[j].pc >> 1 ^ r[j].pc >> 13) % 4096 == (r[i].pc >> 1 ^ r[i].pc >> 13) % 4096)
			return &r[j];
	return r; /* all zero */
}

static void put_records(size_t count, struct bytes *to)
{
	static uint64_t folded[COLUMN_RECORDS];
	static const struct culprit_record *same[COLUMN_RECORDS + 1];
	memset(&columns->records[0], 0, sizeof columns->records[0]);
	for (size_t i = 1; i <= count; i++)
		same[i] = same_of(i);
#define MEMBER(name, prediction)                                                                      \
	for (size_t i = 1; i <= count; i++) {                                                         \
		const struct culprit_record *r = &columns->records[i], *p = r - 1, *s = same[i];      \
		(void)p, (void)s;                                                                     \
		folded[i - 1] = fold((uint64_t)r->name - (uint64_t)(prediction), 8 * sizeof r->name); \
	}                                                                                             \
	put_planes(folded, count, to);
#include "culprit/record_member.def"
}

static void put_log(const struct culprit_log_entry *entries, size_t count, struct bytes *to)
{
	static uint64_t head[COLUMN_ENTRIES], tail[COLUMN_ENTRIES];
	uint64_t last[CULPRIT_LOG_KINDS][2] = {{0}};
	for (size_t i = 0; i < count; i++) {
		uint64_t words[2], *l = last[entries[i].kind];
		memcpy(words, &entries[i], sizeof words);
		head[i] = words[0] ^ (l[0] & ~(uint64_t)0xff);
		tail[i] = fold(words[1] - l[1], 64);
		if (entries[i].kind == CULPRIT_LOG_CYCLE) {
			uint16_t now[4], before[4];
			memcpy(now, &words[1], sizeof now);
			memcpy(before, &l[1], sizeof before);
			before[2] = 0; /* `issued` is a number by itself */
			for (unsigned n = 0; n < 4; n++)
				now[n] = (uint16_t)(now[n] - before[n]);
			memcpy(&tail[i], now, sizeof now);
		}
		memcpy(l, words, sizeof words);
	}
	put_planes(head, count, to);
	put_planes(tail, count, to);
}

/* --- rounds --- */

static void records_round(size_t count)
{
	static struct culprit_record was[COLUMN_RECORDS];
	struct bytes packed = {.at = NULL};
	draw_records(count);
	memcpy(was, columns->records + 1, count * sizeof *was);
	put_records(count, &packed);
	assert_false(packed.failed);
	memset(columns, 0xa5, sizeof *columns);
	struct cursor from = {.at = packed.at, .left = packed.size};
	assert_true(record_columns_get(columns, count, RECORD_MEMBERS, &from));
	assert_int_equal(from.left, 0);
	assert_memory_equal(was, columns->records + 1, count * sizeof *was);
	for (size_t cut = 0; cut < packed.size; cut += 1 + packed.size / 50) {
		struct cursor some = {.at = packed.at, .left = cut};
		assert_false(record_columns_get(columns, count, RECORD_MEMBERS, &some));
	}
	free(packed.at);
}

static void test_records(void **unused)
{
	for (size_t count = 1; count < COLUMN_RECORDS; count = 2 * count + 1)
		records_round(count);
	records_round(COLUMN_RECORDS);
}

static void log_round(size_t count)
{
	static struct culprit_log_entry entries[COLUMN_ENTRIES], got[COLUMN_ENTRIES];
	struct bytes packed = {.at = NULL};
	for (size_t i = 0; i < count; i++) {
		draw_bytes(&entries[i], sizeof entries[i]);
		entries[i].kind = (uint8_t)(draw() % CULPRIT_LOG_KINDS);
	}
	put_log(entries, count, &packed);
	struct cursor from = {.at = packed.at, .left = packed.size};
	assert_true(log_columns_get(columns, got, count, &from));
	assert_int_equal(from.left, 0);
	assert_memory_equal(entries, got, count * sizeof *got);
	packed.at[1] = CULPRIT_LOG_KINDS; /* the first entry's kind */
	from = (struct cursor){.at = packed.at, .left = packed.size};
	assert_false(log_columns_get(columns, got, count, &from));
	free(packed.at);
}

static void test_log(void **unused)
{
	for (size_t count = 1; count < COLUMN_ENTRIES; count = 3 * count + 1)
		log_round(count);
	log_round(COLUMN_ENTRIES);
}

int main(void)
{
	columns = calloc(1, sizeof *columns);
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_records), cmocka_unit_test(test_log)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
