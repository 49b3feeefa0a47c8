/* The pool of child processes: every job's own result, never more than so many at a time, and one child's failure or death
 * is told and loses nothing else. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "run/progress.h"
#include "truth/pool.h"

#include <signal.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { JOBS = 9, BAD_JOB = 3, DEAD_JOB = 4, SILENT_JOB = 5 };

static void nap(long milliseconds)
{
	nanosleep(&(struct timespec){milliseconds / 1000, milliseconds % 1000 * 1000000}, NULL);
}

static bool square(struct pool *pool, size_t job, void *result, struct error *why)
{
	uint64_t value = job * job;
	memcpy(result, &value, sizeof value);
	nap((long)(JOBS - job)); /* finish in another order than begun */
	return true;
}

static bool square_or_trouble(struct pool *pool, size_t job, void *result, struct error *why)
{
	if (job == BAD_JOB)
		return error_set(why, ERROR_INTERNAL, "deadlock in job %zu", job);
	if (job == DEAD_JOB)
		raise(SIGKILL);
	if (job == SILENT_JOB)
		_exit(7);
	return square(pool, job, result, why);
}

static void run(struct pool *pool, size_t count)
{
	struct error err = {0};
	assert_true(pool_create(pool, count, &err));
	assert_true(pool_run(pool, &err));
}

static uint64_t result_of(const struct pool *pool, size_t job)
{
	uint64_t value;
	memcpy(&value, pool->jobs[job].result, sizeof value);
	return value;
}

static void results_come_back(void **state)
{
	for (size_t at_once = 1; at_once <= 4; at_once++) {
		struct pool pool = {.at_once = at_once, .work = square};
		run(&pool, JOBS);
		assert_int_equal(pool_count(&pool, POOL_DONE), JOBS);
		for (size_t i = 0; i < JOBS; i++)
			assert_int_equal(result_of(&pool, i), i * i);
		pool_destroy(&pool);
	}
}

static void trouble_stays_with_its_job(void **state)
{
	struct pool pool = {.at_once = 2, .work = square_or_trouble};
	run(&pool, JOBS);
	assert_int_equal(pool_count(&pool, POOL_DONE), JOBS - 3);
	assert_int_equal(pool_count(&pool, POOL_FAILED), 3);
	assert_string_equal(pool.jobs[BAD_JOB].why.text, "deadlock in job 3");
	assert_non_null(strstr(pool.jobs[DEAD_JOB].why.text, "signal 9"));
	assert_non_null(strstr(pool.jobs[SILENT_JOB].why.text, "status 7"));
	for (size_t i = SILENT_JOB + 1; i < JOBS; i++)
		assert_int_equal(result_of(&pool, i), i * i);
	pool_destroy(&pool);
}

static size_t most_running;

static void watch_running(const struct pool *pool)
{
	size_t n = pool_count(pool, POOL_RUNNING);
	if (n > most_running)
		most_running = n;
}

static void never_too_many(void **state)
{
	most_running = 0;
	struct pool pool = {.at_once = 3, .work = square, .watch = watch_running};
	run(&pool, JOBS);
	assert_true(most_running >= 1 && most_running <= 3);
	pool_destroy(&pool);
}

static bool report_on(struct pool *pool, size_t job, void *result, struct error *why)
{
	for (uint64_t i = 1;; i++) {
		if (!pool_report(pool, i))
			return false;
		if (job == 0)
			return square(pool, job, result, why);
		nap(1);
	}
}

static void interrupt_when_one_is_done(const struct pool *pool)
{
	if (pool->jobs[0].state == POOL_DONE && pool->jobs[1].progress)
		raise(SIGINT);
}

/* Last: the flag stays set. Whoever started this may ignore or block the signal. */
static void interrupt_keeps_what_is_done(void **state)
{
	sigset_t none;
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	signal(SIGINT, SIG_DFL);
	interrupt_install();
	struct pool pool = {.at_once = 2, .work = report_on, .watch = interrupt_when_one_is_done};
	run(&pool, 4);
	assert_int_equal(pool.jobs[0].state, POOL_DONE);
	assert_int_equal(pool_count(&pool, POOL_STOPPED), 3);
	pool_destroy(&pool);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(results_come_back),
		cmocka_unit_test(trouble_stays_with_its_job),
		cmocka_unit_test(never_too_many),
		cmocka_unit_test(interrupt_keeps_what_is_done),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
