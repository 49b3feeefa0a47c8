#include "analysis/pipe.h"

#include "analysis/relay.h"

#include <stdlib.h>

/* A megabyte in all, so that the thread is woken about every two thousand records. In line a batch should still be in the
 * first-level cache when it is read. */
enum { BATCHES = 16, RECORDS = 256, IN_LINE = 64, ENTRIES = 1024, UNDONE = 32 };

struct batch {
	bool is_log;
	size_t place, count; /* which ring's memory, and how much of it */
};

struct log_memory {
	struct culprit_log_entry entries[ENTRIES];
	struct culprit_log_undone undone[UNDONE];
	size_t undone_count;
};

struct pipe {
	struct pipe_reader reader;
	struct culprit_record_sink sink;
	struct culprit_log log;
	struct relay *relay;
	bool threaded;
	struct culprit_record (*records)[RECORDS];
	struct log_memory *logs;
	struct batch batches[BATCHES];
	size_t filled, taken;		/* batches; the producer's, the reader's */
	size_t record_place, log_place; /* where the producer writes */
};

static void read_log(struct pipe *p, const struct batch *b)
{
	const struct log_memory *m = &p->logs[b->place];
	struct culprit_log_part part = {m->entries, b->count, m->undone, m->undone_count};
	p->reader.log(p->reader.context, &part);
}

static void read_batch(struct pipe *p, const struct batch *b)
{
	if (b->is_log && p->reader.log)
		read_log(p, b);
	else
		p->reader.records(p->reader.context, p->records[b->place], b->count);
}

static void read_batches(void *context, size_t count)
{
	struct pipe *p = context;
	for (; count; count--)
		read_batch(p, &p->batches[p->taken++ % BATCHES]);
}

/* The thread begins with the first batch: a simulation may go on in a forked process. While a batch is filled, at most
 * BATCHES - 1 others wait, so each ring has room for all of them. */
static void hand_over(struct pipe *p, struct batch batch)
{
	if (p->threaded && !p->relay) {
		p->relay = relay_create_store(
			(struct relay_store){.context = p, .process = read_batches, .room = BATCHES, .batch = 1});
		p->threaded = p->relay != NULL;
	}
	if (!p->relay) {
		read_batch(p, &batch);
		return;
	}
	p->batches[p->filled++ % BATCHES] = batch;
	relay_batch(p->relay);
}

/* --- the log --- */

static void begin_log(struct pipe *p)
{
	struct log_memory *m = &p->logs[p->log_place];
	m->undone_count = 0;
	p->log.next = m->entries;
	p->log.end = m->entries + ENTRIES;
}

static void end_log(void *context)
{
	struct pipe *p = context;
	const struct log_memory *m = &p->logs[p->log_place];
	size_t count = (size_t)(p->log.next - m->entries);
	if (!count && !m->undone_count)
		return;
	hand_over(p, (struct batch){true, p->log_place, count});
	p->log_place = (p->log_place + 1) % BATCHES;
	begin_log(p);
}

static void take_undone(void *context, const struct culprit_record *record, uint64_t until)
{
	struct pipe *p = context;
	if (p->logs[p->log_place].undone_count == UNDONE)
		end_log(p);
	struct log_memory *m = &p->logs[p->log_place];
	m->undone[m->undone_count++] = (struct culprit_log_undone){*record, until};
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
	if (p->reader.log)
		end_log(p);
	hand_over(p, (struct batch){false, p->record_place, count});
	p->record_place = (p->record_place + 1) % BATCHES;
}

/* --- */

struct pipe *pipe_create(const struct pipe_reader *reader, bool threaded, struct error *err)
{
	struct pipe *p = calloc(1, sizeof *p);
	if (p) {
		p->records = calloc(BATCHES, sizeof *p->records);
		p->logs = reader->log ? calloc(BATCHES, sizeof *p->logs) : NULL;
	}
	if (!p || !p->records || (reader->log && !p->logs)) {
		pipe_destroy(p);
		error_set(err, ERROR_SYSTEM, "out of memory for records");
		return NULL;
	}
	p->reader = *reader;
	p->threaded = threaded;
	p->sink = (struct culprit_record_sink){.context = p, .records = take_records, .room = record_room};
	p->log = (struct culprit_log){.context = p, .full = end_log, .undone = take_undone};
	if (reader->log)
		begin_log(p);
	return p;
}

void pipe_destroy(struct pipe *p)
{
	if (!p)
		return;
	relay_destroy(p->relay);
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
	return p->reader.log ? &p->log : NULL;
}

void pipe_finish(struct pipe *p)
{
	if (p->reader.log)
		end_log(p);
	if (p->relay)
		relay_drain(p->relay);
}
