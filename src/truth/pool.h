/* Jobs in child processes that go on from this process's state (fork), at most so many at a time. A child answers
 * through a pipe: how far it is, then its result or what went wrong. One that fails, or dies without a word,
 * takes nothing else with it. Ctrl-C stops what runs and keeps what has finished. */
#ifndef CULPRIT_TRUTH_POOL_H
#define CULPRIT_TRUTH_POOL_H

#include "base/error.h"

#include <poll.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum { POOL_RESULT_MAX = 2048 };

enum pool_state { POOL_WAITING, POOL_RUNNING, POOL_DONE, POOL_FAILED, POOL_STOPPED };

struct pool_job {
	enum pool_state state;
	pid_t pid;
	int pipe;					   /* read end, -1 = none */
	uint64_t progress;				   /* as the child counts it */
	struct error why;				   /* FAILED */
	_Alignas(8) unsigned char result[POOL_RESULT_MAX]; /* DONE */
};

struct pool;

/* In the child. Reports how far it is; false: stop, somebody asked for it. */
bool pool_report(struct pool *pool, uint64_t progress);

struct pool {
	struct pool_job *jobs;
	size_t count;
	size_t at_once;
	void *context;
	/* In the child: do it. False: *why says what is wrong, unless pool_report said to stop. */
	bool (*work)(struct pool *pool, size_t job, void *result, struct error *why);
	/* In the parent, about five times a second and whenever something changed. May be NULL. */
	void (*watch)(const struct pool *pool);

	struct pollfd *polls;
	/* in the child */
	int answer;
	bool stopped;
};

/* Run all jobs. False only when not even one could be started. `work`, `watch`, `context`, `at_once` are set before. */
bool pool_create(struct pool *pool, size_t count, struct error *err);
bool pool_run(struct pool *pool, struct error *err);
size_t pool_count(const struct pool *pool, enum pool_state state);
void pool_destroy(struct pool *pool);

#endif
