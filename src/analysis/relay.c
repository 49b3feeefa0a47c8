/* `taken` records of the `filled` ones are done: taken <= filled, and what is stored beyond `filled` makes up less than a
 * batch. The producer owns the places after the stored ones, the thread those from `taken` to `filled`; both counters are
 * written under the lock, and waiting is by condition, because a batch takes long enough for its cost not to show. */
#include "analysis/relay.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

/* Smaller batches stay in the cache of the core that fills them until the other one asks; half a megabyte in all. */
enum { BATCH = RELAY_ROOM / 2, RING = 8 * BATCH };

struct relay {
	struct relay_store store;
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t has_filled, has_taken;
	uint64_t filled, taken; /* records */
	size_t stored;		/* beyond `filled`: the producer's */
	bool hurry;		/* do not wait for more */
	bool stop;

	/* for a sink */
	struct culprit_record_sink sink;
	struct culprit_record *ring;
	uint64_t ring_stored, ring_taken;
};

/* Until half of the room is filled, so that the thread seldom has to be woken: that costs the producer a system call, and the host
 * may wake the thread where the producer runs. */
static bool worth_waking(const struct relay *r)
{
	uint64_t waiting = r->filled - r->taken;
	return waiting >= r->store.room / 2 || (r->hurry && waiting);
}

static void wait_for_work(struct relay *r)
{
	while (!worth_waking(r) && !r->stop)
		pthread_cond_wait(&r->has_filled, &r->lock);
}

static void *work(void *context)
{
	struct relay *r = context;
	pthread_mutex_lock(&r->lock);
	for (;;) {
		if (r->taken == r->filled)
			wait_for_work(r);
		if (r->stop)
			break;
		size_t count = r->filled - r->taken < r->store.batch ? r->filled - r->taken : r->store.batch;
		pthread_mutex_unlock(&r->lock);
		r->store.process(r->store.context, count);
		pthread_mutex_lock(&r->lock);
		r->taken += count;
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
	free(r->ring);
	free(r);
}

/* --- a ring of records, for a sink --- */

static void store_records(void *context, const struct culprit_record *records, size_t count)
{
	struct relay *r = context;
	while (count) {
		size_t at = r->ring_stored % RING, n = RING - at < count ? RING - at : count;
		memcpy(r->ring + at, records, n * sizeof *records);
		r->ring_stored += n;
		records += n;
		count -= n;
	}
}

static void process_records(void *context, size_t count)
{
	struct relay *r = context;
	while (count) {
		size_t at = r->ring_taken % RING, n = RING - at < count ? RING - at : count;
		r->sink.records(r->sink.context, r->ring + at, n);
		r->ring_taken += n;
		count -= n;
	}
}

/* --- */

static struct relay *begin(struct relay *r)
{
	if (!r->store.batch)
		r->store.batch = BATCH;
	pthread_mutex_init(&r->lock, NULL);
	pthread_cond_init(&r->has_filled, NULL);
	pthread_cond_init(&r->has_taken, NULL);
	if (start(r))
		return r;
	release(r);
	return NULL;
}

struct relay *relay_create_store(struct relay_store store)
{
	struct relay *r = calloc(1, sizeof *r);
	if (!r)
		return NULL;
	r->store = store;
	return begin(r);
}

struct relay *relay_create(struct culprit_record_sink sink)
{
	struct relay *r = calloc(1, sizeof *r);
	if (!r)
		return NULL;
	r->sink = sink;
	r->store = (struct relay_store){r, store_records, process_records, RING, BATCH};
	r->ring = malloc(RING * sizeof *r->ring);
	if (r->ring)
		return begin(r);
	free(r);
	return NULL;
}

/* What is stored goes to the thread; there is room for another batch when this returns. */
static void hand_over(struct relay *r)
{
	pthread_mutex_lock(&r->lock);
	r->filled += r->stored;
	r->stored = 0;
	if (worth_waking(r))
		pthread_cond_signal(&r->has_filled);
	while (r->filled - r->taken > r->store.room - r->store.batch)
		pthread_cond_wait(&r->has_taken, &r->lock);
	pthread_mutex_unlock(&r->lock);
}

void relay_push(struct relay *r, const struct culprit_record *records, size_t count)
{
	while (count) {
		size_t n = r->store.batch - r->stored < count ? r->store.batch - r->stored : count;
		r->store.store(r->store.context, records, n);
		r->stored += n;
		records += n;
		count -= n;
		if (r->stored == r->store.batch)
			hand_over(r);
	}
}

void relay_batch(struct relay *r)
{
	r->stored = r->store.batch;
	hand_over(r);
}

void relay_drain(struct relay *r)
{
	if (r->stored)
		hand_over(r);
	pthread_mutex_lock(&r->lock);
	r->hurry = true;
	pthread_cond_signal(&r->has_filled);
	while (r->taken < r->filled)
		pthread_cond_wait(&r->has_taken, &r->lock);
	r->hurry = false;
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
		l->relay = l->store.room ? relay_create_store(l->store) : relay_create(l->sink);
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
