/* Records and log entries of any values come back from their blocks; a cut or altered block is refused or read, but
 * never beyond its end. */
#include "record/log_rows.h"
#include "record/record_rows.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

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

/* --- records --- */

static struct culprit_record records[ROWS];

/* Of some nothing but times and one more member is new: one bit anywhere. */
static void draw_records(void)
{
	for (size_t i = 0; i < ROWS; i++) {
		const size_t same = i > 64 && draw() % 2 ? i - 1 - draw() % 64 : i;
		records[i] = records[same];
		if (same == i)
			draw_bytes(&records[i], sizeof records[i]);
		else
			((uint8_t *)&records[i])[draw() % sizeof records[i]] ^= (uint8_t)(1 << draw() % 8);
		if (same == i)
			records[i].pc = draw() % 4 ? 0x1000 + draw() % 64 : draw() % 2 ? draw() << 40 : draw();
		records[i].seq = 0; /* is not in the rows */
	}
}

static bool get_records(struct record_rows *rows, size_t count, struct cursor from, bool compare)
{
	struct culprit_record r;
	if (!record_rows_open(rows, count, &from))
		return false;
	for (size_t i = 0; i < count; i++) {
		record_rows_get(rows, &r);
		if (compare)
			assert_memory_equal(&r, &records[i], sizeof r);
	}
	return !from.left;
}

static void damage_records(struct record_rows *rows, size_t count, const struct bytes *packed)
{
	for (size_t cut = 0; cut < packed->size; cut += 1 + packed->size / 50)
		assert_false(get_records(rows, count, (struct cursor){.at = packed->at, .left = cut}, false));
	assert_false(get_records(rows, count + 1, (struct cursor){.at = packed->at, .left = packed->size}, false));
	assert_false(
		get_records(rows, RECORD_BLOCK + 1, (struct cursor){.at = packed->at, .left = packed->size}, false));
	for (int n = 0; n < 200; n++) {
		uint8_t *at = &packed->at[draw() % packed->size], was = *at;
		*at = (uint8_t)draw();
		get_records(rows, count, (struct cursor){.at = packed->at, .left = packed->size}, false);
		*at = was;
	}
}

static void test_records(void **unused)
{
	struct record_rows *put = record_rows_create(), *get = record_rows_create();
	for (size_t block = 0; block < BLOCKS; block++) { /* blocks are read alone, whatever was before */
		const size_t count = block ? ROWS / block : ROWS;
		struct bytes packed = {.at = NULL};
		draw_records();
		for (size_t i = 0; i < count; i++)
			record_rows_put(put, &records[i]);
		record_rows_flush(put, &packed);
		assert_false(packed.failed);
		assert_true(get_records(get, count, (struct cursor){.at = packed.at, .left = packed.size}, true));
		damage_records(get, count, &packed);
		free(packed.at);
	}
	record_rows_destroy(put);
	record_rows_destroy(get);
}

/* What a loop repeats costs two bytes a row: strides of addresses, which are told, eight planes at most. */
static void test_repeated(void **unused)
{
	enum { LOOP = 4, ROUNDS = 1000, COUNT = LOOP * ROUNDS };
	struct record_rows *rows = record_rows_create();
	struct bytes packed = {.at = NULL};
	for (int striding = 0; striding < 2; striding++) {
		for (uint64_t i = 0; i < COUNT; i++) {
			const struct culprit_record r = {.pc = 0x1000 + 4 * (i % LOOP),
							 .length = 4,
							 .mem_addr = striding ? 4 * i : 0,
							 .fetch = i,
							 .dispatch = i + 5,
							 .ready = i + 7,
							 .issue = i + 7,
							 .complete = i + 10,
							 .commit = i + 11,
							 .exec_latency = 3,
							 .wakeup = 3};
			assert_int_equal(record_rows_put(rows, &r), i >= LOOP);
		}
		packed.size = 0;
		record_rows_flush(rows, &packed);
		assert_in_range(packed.size, 2 * COUNT, (striding ? 3 : 2) * COUNT + 1000);
	}
	free(packed.at);
	record_rows_destroy(rows);
}

/* --- the log --- */

static struct culprit_log_entry entries[ROWS];

static bool get_log(struct log_rows *rows, size_t count, struct cursor from, bool compare)
{
	struct culprit_log_entry e;
	if (!log_rows_open(rows, count, &from))
		return false;
	for (size_t i = 0; i < count; i++) {
		if (!log_rows_get(rows, &e))
			return false;
		assert_true(e.kind < CULPRIT_LOG_KINDS);
		if (compare)
			assert_memory_equal(&e, &entries[i], sizeof e);
	}
	return !from.left;
}

/* Of a kind that leaves bytes out, they come back as 0. */
static void draw_entry(struct culprit_log_entry *e)
{
	static const size_t used[CULPRIT_LOG_KINDS] = {8, 8, 3, 3, 8, 4, 2};
	draw_bytes(e, sizeof *e);
	e->kind = (uint8_t)(draw() % CULPRIT_LOG_KINDS);
	memset((char *)e + used[e->kind], 0, 8 - used[e->kind]);
}

static void test_log(void **unused)
{
	struct log_rows *put = log_rows_create(), *get = log_rows_create();
	for (size_t block = 0; block < BLOCKS; block++) {
		struct bytes packed = {.at = NULL};
		for (size_t i = 0; i < ROWS; i++) {
			draw_entry(&entries[i]);
			if (i > 64 && draw() % 2)
				entries[i] = entries[i - 1 - draw() % 64];
			struct culprit_log_entry e = entries[i];
			if (e.kind == CULPRIT_LOG_SQUASHED) /* nobody sets that byte */
				((uint8_t *)&e)[7] = (uint8_t)draw();
			log_rows_put(put, &e);
		}
		log_rows_flush(put, &packed);
		const struct cursor whole = {.at = packed.at, .left = packed.size};
		assert_true(get_log(get, ROWS, whole, true));
		assert_false(get_log(get, ROWS + 1, whole, false));
		assert_false(get_log(get, LOG_BLOCK + 1, whole, false));
		for (int n = 0; n < 200; n++) {
			uint8_t *at = &packed.at[draw() % packed.size], was = *at;
			*at = (uint8_t)draw();
			get_log(get, ROWS, whole, false);
			*at = was;
		}
		free(packed.at);
	}
	log_rows_destroy(put);
	log_rows_destroy(get);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_records), cmocka_unit_test(test_repeated),
					   cmocka_unit_test(test_log)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
