/* What one core's store sets have learnt, taught to another: its loads wait from the start, until time has cleared the tables. */
#include "base/archive.h"
#include "kernel_rig.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

enum { CLEAR = 1000, ITERATIONS = 40 };

/* The store of each iteration waits for a division; the load behind it reads what it writes. */
static const struct kernel violating = {.name = "violation", .arg = {BARE_DATA}};

static void learning_machine(struct machine *m, const char *name, uint32_t clear)
{
	kernel_machine(m, name);
	kernel_isolate(m);
	kernel_set(m, "lsq.disambiguation=store_sets");
	kernel_set(m, "lsq.ssit_clear=%u", clear);
}

static struct core *core_of(const struct machine *m, struct guest *g)
{
	struct error err;
	struct core *c = core_create(m, g, &err);
	assert_non_null(c);
	return c;
}

static uint64_t violations(struct core *c)
{
	struct error err;
	assert_int_equal(core_run(c, UINT64_MAX, &err), CORE_STOP_ENDED);
	return core_statistics(c)->violations;
}

/* However time is cut into pieces, the tables are cleared once in each period. */
static void clears_follow_time(void **state)
{
	static const uint64_t pieces[] = {1, CLEAR - 2,	     1, 7,   CLEAR, 3 * CLEAR - 8, CLEAR - 1,
					  2, 5 * CLEAR + 17, 0, 981, 1};
	uint64_t time = 0;
	struct machine m;
	struct guest *g = kernel_guest(&violating, ITERATIONS);
	learning_machine(&m, "eyerman2009-4w", CLEAR);
	struct core *c = core_of(&m, g);
	for (unsigned i = 0; i < sizeof pieces / sizeof *pieces; i++) {
		time += pieces[i];
		assert_int_equal(core_age_lessons(c, pieces[i]), time / CLEAR);
	}
	core_destroy(c);
	learning_machine(&m, "eyerman2009-4w", 0); /* never */
	c = core_of(&m, g);
	assert_int_equal(core_age_lessons(c, UINT64_MAX), 0);
	core_destroy(c);
	guest_destroy(g);
	(void)state;
}

/* Violations of a core that was taught the lessons `from`, and then aged. */
static uint64_t taught(const struct machine *m, const struct core *from, uint64_t age)
{
	size_t count;
	const struct core_lesson *lessons = core_lessons(from, &count);
	struct guest *g = kernel_guest(&violating, ITERATIONS);
	struct core *c = core_of(m, g);
	assert_true(count > 0);
	for (size_t i = 0; i < count; i++)
		core_learn(c, &lessons[i]);
	core_age_lessons(c, age);
	const uint64_t found = violations(c);
	core_destroy(c);
	guest_destroy(g);
	return found;
}

static void lessons_hold_until_a_clear(void **state)
{
	for (unsigned i = 0; i < kernel_machine_count; i++) {
		struct machine m;
		learning_machine(&m, kernel_machines[i], 1u << 20); /* longer than the run */
		struct guest *g = kernel_guest(&violating, ITERATIONS);
		struct core *c = core_of(&m, g);
		assert_true(core_keep_lessons(c));
		const uint64_t alone = violations(c);
		assert_true(alone > 0);
		assert_int_equal(taught(&m, c, 0), 0);
		assert_int_equal(taught(&m, c, (1u << 19)), 0);
		assert_int_equal(taught(&m, c, 1u << 20), alone);
		core_destroy(c);
		guest_destroy(g);
	}
	(void)state;
}

/* What a core knows, and when its tables are cleared next, to bytes and back. */
static void written_and_read(void **state)
{
	static const uint64_t ages[] = {0, 1, CLEAR / 2, CLEAR - 1, CLEAR, 3 * CLEAR + 17};
	for (unsigned i = 0; i < kernel_machine_count; i++)
		for (unsigned age = 0; age < sizeof ages / sizeof *ages; age++) {
			struct bytes bytes = {0};
			struct archive save = {.to = &bytes};
			struct machine m;
			learning_machine(&m, kernel_machines[i], CLEAR);
			struct guest *g = kernel_guest(&violating, ITERATIONS),
				     *h = kernel_guest(&violating, ITERATIONS);
			struct core *a = core_of(&m, g), *b = core_of(&m, h);
			core_learn(a,
				   &(struct core_lesson){.load = BARE_CODE + 1024 + 8, .store = BARE_CODE + 1024 + 4});
			core_age_lessons(a, ages[age]);
			core_archive_warm(a, &save);
			struct archive load = {.loading = true, .from = {.at = bytes.at, .left = bytes.size}};
			core_archive_warm(b, &load);
			struct error err;
			assert_true(archive_good(&save, &err) && archive_good(&load, &err));
			const uint64_t clears = core_age_lessons(b, CLEAR / 2);
			assert_int_equal(clears, (ages[age] + CLEAR / 2) / CLEAR);
			assert_int_equal(core_age_lessons(a, CLEAR / 2), clears);
			const uint64_t found = violations(b);
			assert_int_equal(found, violations(a));
			assert_int_equal(core_statistics(a)->cycles, core_statistics(b)->cycles);
			free(bytes.at);
			core_destroy(a);
			core_destroy(b);
			guest_destroy(g);
			guest_destroy(h);
		}
	(void)state;
}

/* There is one pair to learn: once, and once more behind each clear. */
static void one_lesson_for_each_clear(void **state)
{
	for (unsigned k = 0; k < kernel_machine_count; k++) {
		struct machine m;
		size_t count;
		learning_machine(&m, kernel_machines[k], CLEAR);
		struct guest *g = kernel_guest(&violating, 10 * ITERATIONS);
		struct core *c = core_of(&m, g);
		assert_true(core_keep_lessons(c));
		const uint64_t found = violations(c);
		const struct core_lesson *lessons = core_lessons(c, &count);
		/* what was on its way already is violated, and learnt nothing new from */
		assert_in_range(count, 4, found);
		for (size_t i = 1; i < count; i++) {
			assert_int_equal(lessons[i].load, lessons[0].load);
			assert_int_equal(lessons[i].store, lessons[0].store);
			assert_true(lessons[i].clears > lessons[i - 1].clears);
		}
		core_destroy(c);
		guest_destroy(g);
	}
	(void)state;
}

/* The second load is taken back first, and then the first one, which was on its way when the pair was learnt. */
static void learnt_twice_and_kept_once(void **state)
{
	static const struct kernel late = {.name = "late_first", .arg = {BARE_DATA}};
	for (unsigned k = 0; k < kernel_machine_count; k++) {
		struct machine m;
		size_t count;
		kernel_wide_machine(&m, kernel_machines[k]);
		kernel_set(&m, "lsq.disambiguation=store_sets");
		kernel_set(&m, "latency.int_div=60"); /* the first 16 take longer than the loop's fetch from memory */
		struct guest *g = kernel_guest(&late, 2);
		struct core *c = core_of(&m, g);
		assert_true(core_keep_lessons(c));
		assert_int_equal(violations(c), 2);
		core_lessons(c, &count);
		assert_int_equal(count, 1);
		core_destroy(c);
		guest_destroy(g);
	}
	(void)state;
}

/* --- the cycle of a clear --- */

enum { MOST_LOADS = 100 };

struct loads {
	uint64_t dispatch[MOST_LOADS];
	bool violated[MOST_LOADS];
	size_t count;
};

static void keep_loads(void *context, const struct culprit_record *records, size_t count)
{
	struct loads *x = context;
	for (size_t i = 0; i < count; i++)
		if ((records[i].flags & CULPRIT_LOAD) && x->count < MOST_LOADS) {
			x->dispatch[x->count] = records[i].dispatch;
			x->violated[x->count++] = (records[i].flags & CULPRIT_VIOLATED) != 0;
		}
}

static struct loads loads_with(const char *name, uint64_t clear)
{
	struct loads x = {.count = 0};
	const struct culprit_record_sink sink = {.context = &x, .records = keep_loads};
	struct guest *g = kernel_guest(&violating, ITERATIONS);
	struct machine m;
	learning_machine(&m, name, (uint32_t)clear);
	struct core *c = core_of(&m, g);
	core_record(c, &sink, NULL);
	violations(c);
	core_flush_records(c);
	core_destroy(c);
	guest_destroy(g);
	return x;
}

/* Once learnt, no load is violated; but the one is that is dispatched in the very cycle in which a clear is due. A cycle later
 * that one still waits for its store, and the next does not. */
static void cleared_in_its_cycle(void **state)
{
	for (unsigned k = 0; k < kernel_machine_count; k++) {
		enum { AT = ITERATIONS / 2 };
		const struct loads never = loads_with(kernel_machines[k], 0);
		assert_int_equal(never.count, ITERATIONS);
		for (size_t i = AT; i < ITERATIONS; i++)
			assert_false(never.violated[i]);
		for (uint64_t late = 0; late < 2; late++) {
			const struct loads once = loads_with(kernel_machines[k], never.dispatch[AT] + late);
			assert_int_equal(once.dispatch[AT - 1], never.dispatch[AT - 1]);
			assert_false(once.violated[AT - 1]);
			assert_int_equal(once.violated[AT], late == 0);
			assert_int_equal(once.violated[AT + 1], late == 1);
		}
	}
	(void)state;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(clears_follow_time),	     cmocka_unit_test(lessons_hold_until_a_clear),
		cmocka_unit_test(one_lesson_for_each_clear), cmocka_unit_test(learnt_twice_and_kept_once),
		cmocka_unit_test(cleared_in_its_cycle),	     cmocka_unit_test(written_and_read),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
