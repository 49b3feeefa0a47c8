/* The samples of a stream against producers looked for backwards: the last writer of each register, the youngest store
 * to any byte of a load, and whether that store wrote all of them last. */
#include "interval/profile/stretches.h"
#include "stream_rig.h"

enum { COUNT = 12000, BEFORE = 300 };

static void push(void *context, struct interval_batch *b)
{
	interval_stretches_push(context, b);
}

static uint64_t writer(const struct interval_event *e, size_t i, unsigned reg)
{
	for (size_t back = 1; reg && back <= i; back++)
		if (e[i - back].rd == reg)
			return back;
	return 0;
}

/* How far back the last store to this byte is; 0: there is none. */
static uint64_t stored(const struct interval_event *e, size_t i, uint64_t byte)
{
	for (size_t back = 1; back <= i; back++) {
		const struct interval_event *s = &e[i - back];
		if (s->flags & EVENT_STORE && s->address <= byte && byte < s->address + s->size)
			return back;
	}
	return 0;
}

static void check(const struct interval_event *e, size_t i, const struct interval_sample *s, uint64_t *loads)
{
	uint64_t nearest = 0, bytes = 0;
	for (unsigned k = 0; k < 3; k++)
		assert_int_equal(s->producer[k], writer(e, i, e[i].rs[k]));
	if (e[i].flags & EVENT_LOAD) {
		for (uint64_t n = 0; n < e[i].size; n++) {
			const uint64_t back = stored(e, i, e[i].address + n);
			nearest = back && (!nearest || back < nearest) ? back : nearest;
		}
		for (uint64_t n = 0; n < e[i].size; n++)
			bytes += stored(e, i, e[i].address + n) == nearest;
		loads[nearest ? 1 + (bytes == e[i].size) : 0]++;
	}
	assert_int_equal(s->mem_producer, nearest);
	assert_int_equal(s->covers, nearest && bytes == e[i].size);
	assert_int_equal(s->pc, e[i].pc >> 1);
	assert_int_equal(s->address, e[i].flags & (EVENT_LOAD | EVENT_STORE) ? e[i].address >> 3 : 0);
}

static void producers(void **state)
{
	static const struct rig_shape shapes[] = {
		{.loads = 300, .stores = 200, .registers = 12, .words = 60},
		{.loads = 200, .stores = 50, .registers = 60, .words = 900},
	};
	uint64_t loads[3] = {0}; /* without a store, with a part of one, with all */
	for (unsigned n = 0; n < sizeof shapes / sizeof *shapes; n++) {
		static struct interval_profile p;
		struct error err;
		struct interval_stretches *s = interval_stretches_create(1, &err);
		struct interval_event *e = rig_stream(n + 3, &shapes[n], COUNT);
		assert_non_null(s);
		e[0].flags = EVENT_LOAD; /* with nothing before it */
		e[0].size = 8;
		if (n) { /* the warm-up's are nobody's producers */
			rig_push(e + BEFORE, BEFORE, push, s);
			interval_stretches_restart(s);
		}
		rig_push(e, COUNT, push, s);
		interval_stretches_finish(s, &p);
		assert_int_equal(p.samples.every, 1);
		assert_int_equal(p.samples.count, COUNT);
		for (size_t i = 0; i < COUNT; i++)
			check(e, i, &p.samples.list[i], loads);
		free(p.samples.list);
		interval_stretches_destroy(s);
		free(e);
	}
	for (unsigned n = 0; n < 3; n++)
		assert_true(loads[n] > 100);
	(void)state;
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(producers)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
