/* Each thread has taken `taken` of the `filled` batches. The producer owns the places of the batches that all threads
 * have taken, and each thread reads the others. The counters are written under the lock, and waiting is by condition,
 * because a batch takes long enough for its cost not to show. */
#include "analysis/pipe.h"

#include "base/worker.h"

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

/* Four megabytes in all, so that a thread is woken about every eight thousand records; a quarter of that cost 3 to
 * 6% of processor time more in system calls. In line a batch should still be in the first-level cache when it is
 * read. */
enum { BATCHES = 64, RECORDS = 256, IN_LINE = 64, ENTRIES = 1024, SQUASHED_MOST = 32 };

struct batch {
	bool is_log;
	size_t place, count; /* which ring's memory, and how much of it */
};

struct log_memory {
	struct culprit_log_entry entries[ENTRIES];
	struct culprit_log_squashed squashed[SQUASHED_MOST];
	size_t squashed_count;
};

struct pipe_thread {
	struct pipe *pipe;
	uint32_t readers; /* bit n: the pipe's reader n */
	pthread_t thread;
	pthread_cond_t has_filled;
	uint64_t taken; /* batches */
};

struct pipe {
	struct pipe_reader readers[PIPE_READERS_MOST];
	size_t reader_count;
	uint32_t in_line; /* readers without a thread */
	struct culprit_record_sink sink;
	struct culprit_log log;
	bool has_log, threaded;

	struct culprit_record (*records)[RECORDS];
	struct log_memory *logs;
	size_t record_place, log_place; /* where the producer writes */
	struct batch batches[BATCHES];

	struct pipe_thread threads[PIPE_READERS_MOST];
	size_t thread_count;
	pthread_mutex_t lock;
	pthread_cond_t has_taken;
	uint64_t filled; /* batches */
	bool hurry;	 /* do not wait for more */
	bool stop;
};

/* --- reading --- */

static void read_log(struct pipe *p, const struct pipe_reader *r, const struct batch *b)
{
	const struct log_memory *m = &p->logs[b->place];
	struct culprit_log_part part = {m->entries, b->count, m->squashed, m->squashed_count};
	if (r->log)
		r->log(r->context, &part);
}

static void read_batch(struct pipe *p, uint32_t readers, const struct batch *b)
{
	for (size_t i = 0; i < p->reader_count; i++) {
		const struct pipe_reader *r = &p->readers[i];
		if (!(readers >> i & 1))
			continue;
		if (b->is_log)
			read_log(p, r, b);
		else if (r->records)
			r->records(r->context, p->records[b->place], b->count);
	}
}

/* Until half of the ring is filled, so that the thread seldom has to be woken: that costs the producer a system call,
 * and the host may wake the thread where the producer runs. */
static bool worth_waking(const struct pipe_thread *t)
{
	uint64_t waiting = t->pipe->filled - t->taken;
	return waiting >= BATCHES / 2 || (t->pipe->hurry && waiting);
}

static void wait_for_work(struct pipe_thread *t)
{
	while (!worth_waking(t) && !t->pipe->stop)
		pthread_cond_wait(&t->has_filled, &t->pipe->lock);
}

static void *work(void *context)
{
	struct pipe_thread *t = context;
	struct pipe *p = t->pipe;
	pthread_mutex_lock(&p->lock);
	for (;;) {
		if (t->taken == p->filled)
			wait_for_work(t);
		if (p->stop)
			break;
		pthread_mutex_unlock(&p->lock);
		read_batch(p, t->readers, &p->batches[t->taken % BATCHES]);
		pthread_mutex_lock(&p->lock);
		t->taken++;
		pthread_cond_signal(&p->has_taken);
	}
	pthread_mutex_unlock(&p->lock);
	return NULL;
}

static void start_thread(struct pipe *p, uint32_t readers)
{
	struct pipe_thread *t = &p->threads[p->thread_count];
	*t = (struct pipe_thread){.pipe = p, .readers = readers};
	pthread_cond_init(&t->has_filled, NULL);
	if (readers && worker_start(&t->thread, work, t)) {
		p->thread_count++;
		p->in_line &= ~readers;
	} else {
		pthread_cond_destroy(&t->has_filled);
	}
}

static void start_threads(struct pipe *p)
{
	uint32_t shared = 0;
	for (size_t i = 0; i < p->reader_count; i++) {
		if (p->readers[i].own_thread)
			start_thread(p, 1u << i);
		else
			shared |= 1u << i;
	}
	start_thread(p, shared);
	p->threaded = p->thread_count != 0;
}

/* --- handing over --- */

static void wake_threads(struct pipe *p)
{
	for (size_t i = 0; i < p->thread_count; i++)
		if (worth_waking(&p->threads[i]) || p->stop)
			pthread_cond_signal(&p->threads[i].has_filled);
}

/* Until no thread has more than `most` batches before it. */
static void wait_for_threads(struct pipe *p, uint64_t most)
{
	for (size_t i = 0; i < p->thread_count; i++)
		while (p->filled - p->threads[i].taken > most)
			pthread_cond_wait(&p->has_taken, &p->lock);
}

/* The threads begin with the first batch: a simulation may go on in a forked process. While a batch is filled, at
 * most BATCHES - 1 others wait, so each ring has room for all of them. */
static void hand_over(struct pipe *p, struct batch batch)
{
	if (p->threaded && !p->thread_count)
		start_threads(p);
	read_batch(p, p->in_line, &batch);
	if (!p->thread_count)
		return;
	p->batches[p->filled % BATCHES] = batch;
	pthread_mutex_lock(&p->lock);
	p->filled++;
	wake_threads(p);
	wait_for_threads(p, BATCHES - 1);
	pthread_mutex_unlock(&p->lock);
}

/* --- the log --- */

static void begin_log(struct pipe *p)
{
	struct log_memory *m = &p->logs[p->log_place];
	m->squashed_count = 0;
	p->log.next = m->entries;
	p->log.end = m->entries + ENTRIES;
}

static void end_log(void *context)
{
	struct pipe *p = context;
	const struct log_memory *m = &p->logs[p->log_place];
	size_t count = (size_t)(p->log.next - m->entries);
	if (!count && !m->squashed_count)
		return;
	hand_over(p, (struct batch){true, p->log_place, count});
	p->log_place = (p->log_place + 1) % BATCHES;
	begin_log(p);
}

static void take_squashed(void *context, const struct culprit_record *record, uint64_t until)
{
	struct pipe *p = context;
	if (p->logs[p->log_place].squashed_count == SQUASHED_MOST)
		end_log(p);
	struct log_memory *m = &p->logs[p->log_place];
	m->squashed[m->squashed_count++] = (struct culprit_log_squashed){*record, until};
}

/* --- records --- */

static struct culprit_record *record_room(void *context, size_t *count)
{
	struct pipe *p = context;
	*count = p->threaded ? RECORDS : IN_LINE;
	return p->records[p->record_place];
}

static void take_records(void *context, const struct culprit_record *records, size_t count)
{
	struct pipe *p = context;
	if (p->has_log)
		end_log(p);
	hand_over(p, (struct batch){false, p->record_place, count});
	p->record_place = (p->record_place + 1) % BATCHES;
}

/* --- what others made --- */

void pipe_put_records(struct pipe *p, const struct culprit_record *records, size_t count)
{
	while (count) {
		size_t room;
		struct culprit_record *to = record_room(p, &room);
		room = room < count ? room : count;
		memcpy(to, records, room * sizeof *to);
		take_records(p, to, room);
		records += room;
		count -= room;
	}
}

void pipe_put_log(struct pipe *p, const struct culprit_log_part *part)
{
	if (!p->has_log)
		return;
	for (size_t i = 0; i < part->squashed_count; i++)
		take_squashed(p, &part->squashed[i].record, part->squashed[i].until);
	for (size_t i = 0; i < part->count; i++) {
		if (p->log.next == p->log.end)
			end_log(p);
		*p->log.next++ = part->entries[i];
	}
}

/* --- */

static bool create_rings(struct pipe *p, struct error *err)
{
	p->records = calloc(BATCHES, sizeof *p->records);
	p->logs = p->has_log ? calloc(BATCHES, sizeof *p->logs) : NULL;
	return (p->records && (p->logs || !p->has_log)) || error_set(err, ERROR_SYSTEM, "out of memory for records");
}

struct pipe *pipe_create(const struct pipe_reader *readers, size_t count, bool threaded, struct error *err)
{
	struct pipe *p = calloc(1, sizeof *p);
	if (!p) {
		error_set(err, ERROR_SYSTEM, "out of memory for records");
		return NULL;
	}
	pthread_mutex_init(&p->lock, NULL);
	pthread_cond_init(&p->has_taken, NULL);
	memcpy(p->readers, readers, count * sizeof *readers);
	p->reader_count = count;
	p->in_line = UINT32_MAX;
	for (size_t i = 0; i < count; i++)
		p->has_log = p->has_log || readers[i].log;
	p->threaded = threaded;
	p->sink = (struct culprit_record_sink){.context = p, .records = take_records, .room = record_room};
	p->log = (struct culprit_log){.context = p, .full = end_log, .squashed = take_squashed};
	if (!create_rings(p, err)) {
		pipe_destroy(p);
		return NULL;
	}
	if (p->has_log)
		begin_log(p);
	return p;
}

static void end_threads(struct pipe *p)
{
	pthread_mutex_lock(&p->lock);
	p->stop = true;
	wake_threads(p);
	pthread_mutex_unlock(&p->lock);
	for (size_t i = 0; i < p->thread_count; i++) {
		pthread_join(p->threads[i].thread, NULL);
		pthread_cond_destroy(&p->threads[i].has_filled);
	}
}

void pipe_destroy(struct pipe *p)
{
	if (!p)
		return;
	end_threads(p);
	pthread_cond_destroy(&p->has_taken);
	pthread_mutex_destroy(&p->lock);
	free(p->records);
	free(p->logs);
	free(p);
}

const struct culprit_record_sink *pipe_sink(const struct pipe *p)
{
	return &p->sink;
}

struct culprit_log *pipe_log(struct pipe *p)
{
	return p->has_log ? &p->log : NULL;
}

void pipe_finish(struct pipe *p)
{
	if (p->has_log)
		end_log(p);
	pthread_mutex_lock(&p->lock);
	p->hurry = true;
	wake_threads(p);
	wait_for_threads(p, 0);
	p->hurry = false;
	pthread_mutex_unlock(&p->lock);
}

unsigned pipe_processors(void)
{
	cpu_set_t set;
	return sched_getaffinity(0, sizeof set, &set) == 0 ? (unsigned)CPU_COUNT(&set) : 1;
}
