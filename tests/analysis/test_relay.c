/* The relay: every record arrives, once, in order, whatever the sizes pushed and however slow the other side is; and it
 * ends cleanly at any time. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <time.h>

#include <cmocka.h>

#include "analysis/relay.h"

struct seen {
	uint64_t next, wrong;
	bool slow;
};

static void note(void *context, const struct culprit_record *records, size_t count)
{
	struct seen *seen = context;
	for (size_t i = 0; i < count; i++) {
		seen->wrong += records[i].seq != seen->next || records[i].pc != 3 * seen->next;
		seen->next++;
	}
	const struct timespec pause = {.tv_nsec = 2000000};
	if (seen->slow)
		nanosleep(&pause, NULL);
}

static uint64_t push(struct relay *r, uint64_t from, size_t count)
{
	struct culprit_record *records = calloc(count, sizeof *records);
	assert_non_null(records);
	for (size_t i = 0; i < count; i++) {
		records[i].seq = from + i;
		records[i].pc = 3 * (from + i);
	}
	relay_push(r, records, count);
	free(records); /* what was pushed has been copied */
	return from + count;
}

static void push_sizes(bool slow)
{
	static const size_t sizes[] = {1, 511, 512, 513, 7, 1024, 3000, 2, 256};
	struct seen seen = {.slow = slow};
	struct relay *r = relay_create((struct culprit_record_sink){.context = &seen, .records = note});
	assert_non_null(r);
	uint64_t pushed = 0;
	for (unsigned round = 0; round < 8; round++) {
		for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
			pushed = push(r, pushed, sizes[i]);
		relay_drain(r);
		assert_int_equal(seen.next, pushed);
	}
	assert_int_equal(seen.wrong, 0);
	relay_destroy(r);
	assert_int_equal(seen.next, pushed);
}

static void test_order(void **state)
{
	(void)state;
	push_sizes(false);
}

/* A hundred batches at 2 ms through a ring of eight: the producer has to wait. */
static void test_waits_for_slow_sink(void **state)
{
	(void)state;
	push_sizes(true);
}

/* A ring of the analysis's own: as many stored and not processed as there is room for, never more, and in order. */
enum { ROOM = RELAY_ROOM + 100 };

struct own_ring {
	uint64_t seq[ROOM];
	uint64_t stored;
	_Atomic uint64_t processed;
	uint64_t wrong, most, calls;
};

static void store(void *context, const struct culprit_record *records, size_t count)
{
	struct own_ring *o = context;
	for (size_t i = 0; i < count; i++)
		o->seq[o->stored++ % ROOM] = records[i].seq;
	uint64_t waiting = o->stored - o->processed;
	o->most = waiting > o->most ? waiting : o->most;
}

static void process(void *context, size_t count)
{
	struct own_ring *o = context;
	const struct timespec pause = {.tv_nsec = 200000};
	for (size_t i = 0; i < count; i++)
		o->wrong += o->seq[(o->processed + i) % ROOM] != o->processed + i;
	if (o->calls++ % 4 == 0)
		nanosleep(&pause, NULL);
	o->processed += count;
}

static void test_own_ring(void **state)
{
	(void)state;
	static const size_t sizes[] = {1, 511, 64, 513, 3000};
	struct own_ring o = {.stored = 0};
	struct relay *r = relay_create_store((struct relay_store){&o, store, process, ROOM, 0});
	assert_non_null(r);
	uint64_t pushed = 0;
	for (unsigned round = 0; round < 20; round++) {
		for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
			pushed = push(r, pushed, sizes[i]);
		relay_drain(r);
		assert_int_equal(o.processed, pushed);
	}
	relay_destroy(r);
	assert_int_equal(o.wrong, 0);
	assert_in_range(o.most, 1, ROOM);
}

static void test_ends_at_any_time(void **state)
{
	(void)state;
	for (size_t count = 0; count < 6000; count = 3 * count + 100) {
		struct seen seen = {.slow = count % 2};
		struct relay *r = relay_create((struct culprit_record_sink){.context = &seen, .records = note});
		assert_non_null(r);
		if (count > 100)
			push(r, 0, count);
		relay_destroy(r);
		assert_int_equal(seen.wrong, 0);
		assert_true(seen.next <= count);
	}
	relay_destroy(NULL);
	assert_true(relay_processors() >= 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_order),
		cmocka_unit_test(test_waits_for_slow_sink),
		cmocka_unit_test(test_own_ring),
		cmocka_unit_test(test_ends_at_any_time),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
