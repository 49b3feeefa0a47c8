/* Records and log entries of any values come back from their rows; a cut or altered column is refused or read, but never
 * beyond. The bytes of a row that are not 0 are counted by a plain loop. */
#include "record/record_rows.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

enum { ROWS = 5000, BLOCKS = 3 };

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

static void test_bytes_of(void **unused)
{
	for (int n = 0; n < 20000; n++) {
		uint64_t pair[2];
		uint32_t some = 0;
		draw_bytes(pair, sizeof pair);
		for (unsigned b = 0; b < sizeof pair; b++)
			some |= (uint32_t)(((uint8_t *)pair)[b] != 0) << b;
		assert_int_equal(sparse_bytes_of_pair(pair), some);
		assert_int_equal(sparse_bytes_of(pair[0]) | sparse_bytes_of(pair[1]) << 8, some);
	}
}

/* --- records --- */

static struct culprit_record records[ROWS];

static void draw_records(void)
{
	for (size_t i = 0; i < ROWS; i++) {
		draw_bytes(&records[i], sizeof records[i]);
		records[i].pc = draw() % 4 ? 0x1000 + draw() % 64 : draw() % 2 ? draw() << 40 : draw();
		records[i].seq = 0; /* is not in the rows */
	}
}

/* As many of the columns as `from` has. */
static bool get_records(struct record_rows *rows, size_t count, struct cursor from, bool compare)
{
	struct sparse_reader reader;
	struct culprit_record r;
	TRY(sparse_reader_open(&reader, count, &from));
	record_rows_begin(rows);
	for (size_t i = 0; i < count; i++) {
		TRY(record_rows_get(rows, &r, &reader));
		if (compare)
			assert_memory_equal(&r, &records[i], sizeof r);
	}
	return sparse_reader_empty(&reader) && !from.left;
}

static void damage_records(struct record_rows *rows, size_t count, const struct bytes *packed)
{
	for (size_t cut = 0; cut < packed->size; cut += 1 + packed->size / 50)
		assert_false(get_records(rows, count, (struct cursor){.at = packed->at, .left = cut}, false));
	assert_false(get_records(rows, count + 1, (struct cursor){.at = packed->at, .left = packed->size}, false));
	for (int n = 0; n < 200; n++) {
		uint8_t *at = &packed->at[draw() % packed->size], was = *at;
		*at = (uint8_t)draw();
		get_records(rows, count, (struct cursor){.at = packed->at, .left = packed->size}, false);
		*at = was;
	}
}

static void test_records(void **unused)
{
	struct record_rows *put = calloc(1, sizeof *put), *get = calloc(1, sizeof *get);
	struct sparse_writer columns;
	assert_true(sparse_writer_create(&columns, ROWS));
	for (size_t block = 0; block < BLOCKS; block++) { /* blocks are read alone, whatever was before */
		const size_t count = block ? ROWS / block : ROWS;
		struct bytes packed = {.at = NULL};
		draw_records();
		record_rows_begin(put);
		for (size_t i = 0; i < count; i++)
			record_rows_put(put, &records[i], &columns);
		sparse_writer_flush(&columns, &packed);
		assert_false(packed.failed);
		assert_true(get_records(get, count, (struct cursor){.at = packed.at, .left = packed.size}, true));
		damage_records(get, count, &packed);
		free(packed.at);
	}
	sparse_writer_destroy(&columns);
	free(put);
	free(get);
}

/* What a loop repeats costs the planes of bits and nothing else: strides of addresses too. */
static void test_repeated(void **unused)
{
	enum { LOOP = 4, ROUNDS = 100, HEADER = 4 * SPARSE_COLUMNS };
	struct record_rows *rows = calloc(1, sizeof *rows);
	struct sparse_writer columns;
	struct bytes packed = {.at = NULL};
	assert_true(sparse_writer_create(&columns, LOOP * ROUNDS));
	record_rows_begin(rows);
	for (uint64_t i = 0; i < LOOP * ROUNDS; i++) {
		const struct culprit_record r = {.pc = 0x1000 + 4 * (i % LOOP),
						 .length = 4,
						 .mem_addr = 64 * i,
						 .fetch = i,
						 .dispatch = i + 5,
						 .ready = i + 7,
						 .issue = i + 7,
						 .complete = i + 10,
						 .commit = i + 11,
						 .exec_latency = 3,
						 .wakeup = 3};
		assert_int_equal(record_rows_put(rows, &r, &columns), i >= LOOP);
		if (i == 3 * LOOP - 1) {
			sparse_writer_flush(&columns, &packed);
			packed.size = 0;
		}
	}
	sparse_writer_flush(&columns, &packed);
	assert_int_equal(packed.size, HEADER + (LOOP * ROUNDS - 3 * LOOP) * SPARSE_PLANES);
	free(packed.at);
	sparse_writer_destroy(&columns);
	free(rows);
}

/* --- the log --- */

static struct culprit_log_entry entries[ROWS];

static bool get_log(size_t count, struct cursor from, bool compare)
{
	struct sparse_reader reader;
	struct culprit_log_entry e;
	struct log_rows rows;
	TRY(sparse_reader_open(&reader, count, &from));
	log_rows_begin(&rows);
	for (size_t i = 0; i < count; i++) {
		TRY(log_rows_get(&rows, &e, &reader));
		assert_true(e.kind < CULPRIT_LOG_KINDS);
		if (compare)
			assert_memory_equal(&e, &entries[i], sizeof e);
	}
	return sparse_reader_empty(&reader) && !from.left;
}

static void test_log(void **unused)
{
	struct log_rows rows;
	struct sparse_writer columns;
	struct bytes packed = {.at = NULL};
	assert_true(sparse_writer_create(&columns, ROWS));
	log_rows_begin(&rows);
	for (size_t i = 0; i < ROWS; i++) {
		draw_bytes(&entries[i], sizeof entries[i]);
		entries[i].kind = (uint8_t)(draw() % CULPRIT_LOG_KINDS);
		log_rows_put(&rows, &entries[i], &columns);
	}
	sparse_writer_flush(&columns, &packed);
	assert_true(get_log(ROWS, (struct cursor){.at = packed.at, .left = packed.size}, true));
	for (int n = 0; n < 200; n++) {
		uint8_t *at = &packed.at[draw() % packed.size], was = *at;
		*at = (uint8_t)draw();
		get_log(ROWS, (struct cursor){.at = packed.at, .left = packed.size}, false);
		*at = was;
	}
	free(packed.at);
	sparse_writer_destroy(&columns);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_bytes_of), cmocka_unit_test(test_records),
					   cmocka_unit_test(test_repeated), cmocka_unit_test(test_log)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
