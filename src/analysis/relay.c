/* `taken` batches of the `filled` ones are done or being worked on: taken <= filled <= taken + RING. The producer owns batch
 * `filled`, the thread batch `taken`; all counters are written under the lock, and waiting is by condition, because a
 * batch takes long enough for its cost not to show. */
#include "analysis/relay.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

/* Smaller batches stay in the cache of the core that fills them until the other one asks; half a megabyte in all. */
enum { BATCH = 512, RING = 8 };

struct batch {
	size_t count;
	struct culprit_record records[BATCH];
};

struct relay {
	struct culprit_record_sink sink;
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t has_filled, has_taken;
	uint64_t filled, taken; /* batches */
	bool stop;
	struct batch ring[RING];
};

static void *work(void *context)
{
	struct relay *r = context;
	pthread_mutex_lock(&r->lock);
	for (;;) {
		while (r->taken == r->filled && !r->stop)
			pthread_cond_wait(&r->has_filled, &r->lock);
		if (r->stop)
			break;
		const struct batch *b = &r->ring[r->taken % RING];
		pthread_mutex_unlock(&r->lock);
		r->sink.records(r->sink.context, b->records, b->count);
		pthread_mutex_lock(&r->lock);
		r->taken++;
		pthread_cond_signal(&r->has_taken);
	}
	pthread_mutex_unlock(&r->lock);
	return NULL;
}

/* Signals are for the thread that simulates. */
static bool start(struct relay *r)
{
	sigset_t all, before;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	bool started = pthread_create(&r->thread, NULL, work, r) == 0;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return started;
}

static void release(struct relay *r)
{
	pthread_cond_destroy(&r->has_taken);
	pthread_cond_destroy(&r->has_filled);
	pthread_mutex_destroy(&r->lock);
	free(r);
}

struct relay *relay_create(struct culprit_record_sink sink)
{
	struct relay *r = calloc(1, sizeof *r);
	if (!r)
		return NULL;
	r->sink = sink;
	pthread_mutex_init(&r->lock, NULL);
	pthread_cond_init(&r->has_filled, NULL);
	pthread_cond_init(&r->has_taken, NULL);
	if (start(r))
		return r;
	release(r);
	return NULL;
}

/* The batch being filled goes to the thread; the next one is free when this returns. */
static void hand_over(struct relay *r)
{
	pthread_mutex_lock(&r->lock);
	r->filled++;
	pthread_cond_signal(&r->has_filled);
	while (r->filled - r->taken == RING)
		pthread_cond_wait(&r->has_taken, &r->lock);
	r->ring[r->filled % RING].count = 0;
	pthread_mutex_unlock(&r->lock);
}

void relay_push(struct relay *r, const struct culprit_record *records, size_t count)
{
	while (count) {
		struct batch *b = &r->ring[r->filled % RING];
		size_t n = BATCH - b->count < count ? BATCH - b->count : count;
		memcpy(b->records + b->count, records, n * sizeof *records);
		b->count += n;
		records += n;
		count -= n;
		if (b->count == BATCH)
			hand_over(r);
	}
}

void relay_drain(struct relay *r)
{
	if (r->ring[r->filled % RING].count)
		hand_over(r);
	pthread_mutex_lock(&r->lock);
	while (r->taken < r->filled)
		pthread_cond_wait(&r->has_taken, &r->lock);
	pthread_mutex_unlock(&r->lock);
}

void relay_destroy(struct relay *r)
{
	if (!r)
		return;
	pthread_mutex_lock(&r->lock);
	r->stop = true;
	pthread_cond_signal(&r->has_filled);
	pthread_mutex_unlock(&r->lock);
	pthread_join(r->thread, NULL);
	release(r);
}

unsigned relay_processors(void)
{
	cpu_set_t set;
	return sched_getaffinity(0, sizeof set, &set) == 0 ? (unsigned)CPU_COUNT(&set) : 1;
}

void relay_line_push(struct relay_line *l, const struct culprit_record *records, size_t count)
{
	if (l->threaded && !l->relay) {
		l->relay = relay_create(l->sink);
		l->threaded = l->relay != NULL;
	}
	if (l->relay)
		relay_push(l->relay, records, count);
	else
		l->sink.records(l->sink.context, records, count);
}

void relay_line_drain(struct relay_line *l)
{
	if (l->relay)
		relay_drain(l->relay);
}

void relay_line_end(struct relay_line *l)
{
	relay_destroy(l->relay);
	l->relay = NULL;
}
