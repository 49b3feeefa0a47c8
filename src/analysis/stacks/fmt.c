/* The front-end miss event table, and the mispredict penalty that sFMT shares with it.
 *
 * A branch's row holds what fetch waited for between the branch before and this one, so that a row counts if and only
 * if its branch commits; resolving a misprediction drops the younger rows, the open one included.
 * The penalty of a misprediction is the time from the branch's dispatch to the first dispatch of the right path
 * (section 3.1.2), without cycles with a full ROB or with a miss of the right path, which have counters of their own:
 * counted twice, those misses made bmisp 3 % of all
 * cycles too large on a program with many (sqlite3, eyerman2006); counted once, it is 3 % too small there.
 * The paper increments a counter in every row in every cycle; here one global count of the cycles that do not belong to
 * a misprediction is read at both ends. The global counter gets it when the branch commits, or at the end of the refill
 * if that is later.
 *
 * A branch that finds the table full gets no row: what fetch waited for before it goes to the next branch with a row,
 * and its misprediction counts nothing and clears the open row. */
#include "analysis/stacks/state.h"

#include <stdlib.h>
#include <string.h>

bool fmt_create(struct fmt *f, const struct stacks_params *p, struct error *err)
{
	uint32_t size = 2;
	while (size <= p->fmt_rows)
		size *= 2;
	f->rows = calloc(size, sizeof *f->rows);
	if (!f->rows)
		return error_set(err, ERROR_SYSTEM, "out of memory for %u FMT rows", p->fmt_rows);
	f->mask = size - 1;
	f->limit = p->fmt_rows;
	f->most = p->counter_bits >= 32 ? UINT32_MAX : (1u << p->counter_bits) - 1;
	return true;
}

static struct fmt_row *row_at(struct fmt *f, uint32_t number)
{
	return &f->rows[number & f->mask];
}

static void clear_open(struct fmt *f)
{
	if (f->open_counts)
		memset(f->open, 0, sizeof f->open);
	f->open_counts = false;
}

/* Does anything happen when its branch commits? */
static bool counts(const struct fmt_row *row)
{
	return row->mispredicted || row->waited;
}

uint64_t fmt_next_commit(const struct fmt *f)
{
	for (uint32_t i = f->head; i != f->fetch; i++)
		if (counts(&f->rows[i & f->mask]))
			return f->rows[i & f->mask].seq;
	return STACKS_NEVER;
}

/* More rows in use than ever, or all: give back those of committed branches, then look again. */
static __attribute__((noinline)) bool find_row(struct stacks *s)
{
	struct fmt *f = &s->fmt;
	fmt_committed(s, s->head);
	uint32_t used = f->fetch - f->head;
	if (used == f->limit) {
		s->penalties.overflowed++;
		return false;
	}
	if (used + 1 > s->penalties.rows_used)
		s->penalties.rows_used = used + 1;
	f->watch = s->penalties.rows_used;
	return true;
}

/* The open row had counted: its counters are this branch's. */
static __attribute__((noinline)) void take_open(struct stacks *s, struct fmt_row *row)
{
	row->waited = true;
	memcpy(row->misses, s->fmt.open, sizeof row->misses);
	clear_open(&s->fmt);
	stacks_tag(s, row->seq);
}

void fmt_take_row(struct stacks *s, uint64_t seq)
{
	struct fmt *f = &s->fmt;
	if (f->fetch - f->head >= f->watch && !find_row(s))
		return;
	struct fmt_row *row = row_at(f, f->fetch++);
	row->seq = seq;
	row->mispredicted = row->waited = false;
	if (f->open_counts)
		take_open(s, row);
}

void fmt_waits(struct stacks *s, unsigned miss, uint64_t cycles)
{
	struct fmt *f = &s->fmt;
	uint32_t *local = &f->open[miss], *shared = &s->sfmt.shared[miss];
	*local = stacks_saturate(*local + cycles, f->most);
	*shared = stacks_saturate(*shared + cycles, f->most);
	f->open_counts = true;
	/* a cycle belongs to one counter (section 4): the right path's own miss interrupts the refill */
	if (s->refilling && !stacks_rule(s, FMT_RULE_overlap))
		f->excluded += cycles;
}

static void count_penalty(struct stacks *s, const struct fmt_row *row)
{
	s->fmt.global_bmisp += row->penalty;
	s->penalties.tracked++;
	s->penalties.resolution += row->resolution;
	s->penalties.refill += row->refill;
}

static void commit_row(struct stacks *s, const struct fmt_row *row)
{
	struct fmt *f = &s->fmt;
	for (unsigned i = 0; row->waited && i < FRONT_MISSES; i++)
		f->global[i] += row->misses[i];
	if (!row->mispredicted)
		return;
	memset(s->sfmt.shared, 0, sizeof s->sfmt.shared);
	if (s->refilling && f->tracked && f->refill.seq == row->seq)
		f->committed = true;
	else
		count_penalty(s, row);
}

/* Give back the rows of branches below `head`. */
void fmt_committed(struct stacks *s, uint64_t head)
{
	struct fmt *f = &s->fmt;
	while (f->head != f->fetch && row_at(f, f->head)->seq < head) {
		const struct fmt_row *row = row_at(f, f->head++);
		if (counts(row))
			commit_row(s, row);
	}
}

void fmt_branch_dispatched(struct stacks *s, uint64_t cycle)
{
	s->fmt.entered = cycle;
	s->fmt.entered_excluded = s->fmt.excluded;
}

/* A branch of the right path was mispredicted; younger rows are gone. */
void fmt_resolved(struct stacks *s, uint64_t cycle, uint64_t first)
{
	struct fmt *f = &s->fmt;
	struct fmt_row *row = f->head != f->fetch ? row_at(f, f->fetch - 1) : NULL;
	f->tracked = row && row->seq == first - 1;
	f->committed = false;
	f->resolved_cycle = cycle;
	if (!f->tracked) {
		s->penalties.untracked++;
		return;
	}
	row->mispredicted = true;
	row->penalty = row->refill = 0;
	row->resolution = stacks_saturate(cycle - f->entered, UINT32_MAX);
	f->refill = *row;
}

/* The right path arrives in the window, or the run ends. */
void fmt_refilled(struct stacks *s, uint64_t cycle)
{
	struct fmt *f = &s->fmt;
	if (!f->tracked)
		return;
	f->refill.penalty = stacks_saturate((cycle - f->entered) - (f->excluded - f->entered_excluded), f->most);
	f->refill.refill = stacks_saturate(cycle - f->resolved_cycle, UINT32_MAX);
	if (f->committed) {
		count_penalty(s, &f->refill);
		return;
	}
	for (uint32_t i = f->head; i != f->fetch; i++) {
		struct fmt_row *row = row_at(f, i);
		if (row->seq == f->refill.seq)
			*row = f->refill;
	}
}

void fmt_squashed(struct stacks *s, uint64_t first)
{
	struct fmt *f = &s->fmt;
	while (f->fetch != f->head && row_at(f, f->fetch - 1)->seq >= first)
		f->fetch--;
	clear_open(f);
}

void fmt_finish(struct stacks *s)
{
	fmt_committed(s, s->head);
	if (s->refilling && s->fmt.committed)
		fmt_refilled(s, s->cycles);
}
