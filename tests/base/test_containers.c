/* The map and the heap against searches of a plain list. */
#include "base/heap.h"
#include "base/map.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

enum { COUNT = 6000, FEW = 200 };

static uint64_t next(uint64_t *seed)
{
	return (*seed = *seed * 6364136223846793005u + 1442695040888963407u) >> 20;
}

static uint32_t find(const struct map_slot *list, size_t count, uint64_t key)
{
	for (size_t i = 0; i < count; i++)
		if (list[i].key == key)
			return list[i].value;
	return 0;
}

/* Keys come again, in any order; key 0 is one like any other. */
static void map_is_a_list(void **state)
{
	static struct map_slot list[COUNT];
	struct map m = {NULL, 0, 0};
	uint64_t seed = 1;
	size_t count = 0;
	(void)state;
	assert_int_equal(map_get(&m, 0), 0);
	for (uint32_t i = 1; i <= COUNT; i++) {
		uint64_t key = next(&seed) % (COUNT / 2) << (i % 2 ? 0 : 32);
		assert_int_equal(map_get(&m, key), find(list, count, key));
		assert_true(map_put(&m, key, i));
		size_t at = 0;
		while (at < count && list[at].key != key)
			at++;
		list[at] = (struct map_slot){key, i};
		count += at == count;
		assert_int_equal(m.used, count);
	}
	for (size_t i = 0; i < count; i++)
		assert_int_equal(map_get(&m, list[i].key), list[i].value);
	assert_int_equal(map_get(&m, UINT64_MAX), 0);
	map_destroy(&m);
	assert_int_equal(map_get(&m, list[0].key), 0);
}

static uint64_t earliest(const uint64_t *times, uint32_t count, uint32_t *at)
{
	*at = 0;
	for (uint32_t i = 1; i < count; i++)
		if (times[i] < times[*at])
			*at = i;
	return times[*at];
}

/* Each entry brings what it was put with; many times are equal. */
static void heap_gives_the_earliest(void **state)
{
	struct heap_entry room[FEW];
	struct heap h = {room, 0};
	uint64_t times[FEW], seed = 7;
	uint32_t count = 0, at;
	(void)state;
	for (int i = 0; i < 20000; i++) {
		if (count < FEW && (!count || next(&seed) % 100 < 52)) {
			uint64_t time = next(&seed) % 50;
			heap_put(&h, time, 1000 + time);
			times[count++] = time;
		} else {
			struct heap_entry first = heap_take(&h);
			assert_int_equal(first.time, earliest(times, count, &at));
			assert_int_equal(first.what, 1000 + first.time);
			times[at] = times[--count];
		}
		assert_int_equal(h.count, count);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(map_is_a_list), cmocka_unit_test(heap_gives_the_earliest)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
