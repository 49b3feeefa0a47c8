/* The times of a trace put in order: rows by number, ticks to cycles, what never committed goes. A time that is missing
 * is that of the step before; times that no pipeline can have are an error that names the line. */
#include "import/build.h"

#include <inttypes.h>
#include <stdlib.h>

static const char *const time_names[IMPORT_TIMES] = {"fetch", "dispatch", "issue", "completion", "commit"};

/* --- order --- */

static int by_number(const void *a, const void *b)
{
	const struct import_insn *x = a, *y = b;
	if (x->number != y->number)
		return x->number < y->number ? -1 : 1;
	return x->line < y->line ? -1 : x->line > y->line;
}

static bool sort(struct import_trace *t, struct error *err)
{
	bool sorted = true;
	for (size_t i = 1; i < t->count && sorted; i++)
		sorted = t->insns[i - 1].number < t->insns[i].number;
	if (!sorted)
		qsort(t->insns, t->count, sizeof *t->insns, by_number);
	for (size_t i = 1; i < t->count; i++)
		if (t->insns[i].number == t->insns[i - 1].number)
			return import_wrong(t, t->insns[i].line, err,
					    "number %" PRIu64 " was already that of %s %" PRIu64, t->insns[i].number,
					    t->unit, t->insns[i - 1].line);
	return true;
}

/* --- ticks --- */

static uint64_t divisor(uint64_t a, uint64_t b)
{
	while (b) {
		uint64_t rest = a % b;
		a = b;
		b = rest;
	}
	return a;
}

/* The largest number that divides all distances in time. */
static uint64_t guess_ticks(const struct import_trace *t, uint64_t first)
{
	uint64_t all = 0;
	for (size_t i = 0; i < t->count && all != 1; i++)
		for (int n = 0; n < IMPORT_TIMES; n++)
			if (t->insns[i].time[n] != IMPORT_NEVER)
				all = divisor(all, t->insns[i].time[n] - first);
	return all ? all : 1;
}

static void to_cycles(struct import_trace *t)
{
	uint64_t first = IMPORT_NEVER;
	for (size_t i = 0; i < t->count; i++)
		for (int n = 0; n < IMPORT_TIMES; n++)
			if (t->insns[i].time[n] < first)
				first = t->insns[i].time[n];
	if (!t->ticks) {
		t->ticks = guess_ticks(t, first);
		fprintf(t->said, "a cycle has %" PRIu64 " ticks: the largest number that divides all times\n",
			t->ticks);
	}
	uint64_t rounded = 0;
	for (size_t i = 0; i < t->count; i++)
		for (int n = 0; n < IMPORT_TIMES; n++)
			if (t->insns[i].time[n] != IMPORT_NEVER) {
				rounded += (t->insns[i].time[n] - first) % t->ticks != 0;
				t->insns[i].time[n] = (t->insns[i].time[n] - first) / t->ticks;
			}
	char what[160];
	snprintf(what, sizeof what,
		 "{time is|times are} no whole number of cycles of %" PRIu64
		 " ticks behind the first, and {is|are} rounded down: is --ticks right?",
		 t->ticks);
	import_say(t, rounded, what);
}

/* --- one instruction's times --- */

/* How many times had to be made up. */
static unsigned fill_times(struct import_insn *i)
{
	unsigned filled = 0;
	for (int n = 1; n < IMPORT_TIMES; n++)
		if (i->time[n] == IMPORT_NEVER) {
			i->time[n] = i->time[n - 1];
			filled++;
		}
	return filled;
}

/* The last issue of a load may come behind its data, which an earlier one brought. */
static bool mend_replay(struct import_insn *i)
{
	if (i->time[IMPORT_ISSUE] <= i->time[IMPORT_COMPLETE])
		return false;
	uint64_t before = i->time[IMPORT_COMPLETE] - (i->time[IMPORT_COMPLETE] > i->time[IMPORT_DISPATCH]);
	i->time[IMPORT_ISSUE] = before;
	return i->time[IMPORT_DISPATCH] <= before;
}

enum { LONGEST = 1u << 31 }; /* cycles of an instruction, beyond which nothing fits a record */

static bool check_times(const struct import_trace *t, const struct import_insn *i, const struct import_insn *before,
			struct error *err)
{
	for (int n = 1; n < IMPORT_TIMES; n++)
		if (i->time[n] < i->time[n - 1])
			return import_wrong(t, i->line, err,
					    "instruction %" PRIu64 ": %s in cycle %" PRIu64
					    ", and %s before, in %" PRIu64,
					    i->number, time_names[n - 1], i->time[n - 1], time_names[n], i->time[n]);
	if (i->time[IMPORT_COMMIT] - i->time[IMPORT_FETCH] >= LONGEST)
		return import_wrong(t, i->line, err, "instruction %" PRIu64 " takes more than %u cycles", i->number,
				    LONGEST);
	const int ordered[] = {IMPORT_FETCH, IMPORT_DISPATCH, IMPORT_COMMIT};
	for (int n = 0; before && n < 3; n++)
		if (i->time[ordered[n]] < before->time[ordered[n]])
			return import_wrong(t, i->line, err,
					    "instruction %" PRIu64 ": %s in cycle %" PRIu64
					    ", before that of instruction %" PRIu64 " in front of it, in %" PRIu64,
					    i->number, time_names[ordered[n]], i->time[ordered[n]], before->number,
					    before->time[ordered[n]]);
	return true;
}

/* What committed moves to the front of the table; `squashed` is then said of the instruction behind a squash. */
static bool keep_committed(struct import_trace *t, struct import_counts *c, struct error *err)
{
	size_t kept = 0;
	bool squash = false;
	uint64_t wrong_pc = 0;
	for (size_t n = 0; n < t->count; n++) {
		struct import_insn i = t->insns[n];
		if (i.squashed) {
			wrong_pc = squash ? wrong_pc : i.pc;
			squash = true;
			c->squashed++;
			continue;
		}
		if (i.time[IMPORT_FETCH] == IMPORT_NEVER || i.time[IMPORT_COMMIT] == IMPORT_NEVER)
			return import_wrong(t, i.line, err, "instruction %" PRIu64 " committed without a time of %s",
					    i.number, i.time[IMPORT_FETCH] == IMPORT_NEVER ? "fetch" : "commit");
		c->filled += fill_times(&i) != 0;
		c->replayed += mend_replay(&i);
		TRY(check_times(t, &i, kept ? &t->insns[kept - 1] : NULL, err));
		i.squashed = squash;
		i.wrong_pc = wrong_pc;
		squash = false;
		t->insns[kept++] = i;
	}
	t->count = kept;
	if (!kept)
		return error_set(err, ERROR_INPUT, "%s: no instruction committed", t->place);
	return true;
}

bool import_order(struct import_trace *t, struct import_counts *c, struct error *err)
{
	TRY(sort(t, err));
	to_cycles(t);
	return keep_committed(t, c, err);
}
