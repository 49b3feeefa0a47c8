/* Columns give back what was put, whatever the values; and a cut or altered column is refused or read, but never beyond. */
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

static void records_round(size_t count)
{
	static struct culprit_record was[RECORD_BLOCK];
	struct bytes packed = {.at = NULL};
	draw_records(count);
	memcpy(was, columns->records + 1, count * sizeof *was);
	record_columns_put(columns, count, &packed);
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
	for (size_t count = 1; count < RECORD_BLOCK; count = 2 * count + 1)
		records_round(count);
	records_round(RECORD_BLOCK);
}

static void log_round(size_t count)
{
	static struct culprit_log_entry entries[LOG_BLOCK], got[LOG_BLOCK];
	struct bytes packed = {.at = NULL};
	for (size_t i = 0; i < count; i++) {
		draw_bytes(&entries[i], sizeof entries[i]);
		entries[i].kind = (uint8_t)(draw() % CULPRIT_LOG_KINDS);
	}
	log_columns_put(columns, entries, count, &packed);
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
	for (size_t count = 1; count < LOG_BLOCK; count = 3 * count + 1)
		log_round(count);
	log_round(LOG_BLOCK);
}

int main(void)
{
	columns = calloc(1, sizeof *columns);
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_records), cmocka_unit_test(test_log)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
