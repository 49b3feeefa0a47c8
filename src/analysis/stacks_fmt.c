/* The front-end miss event table, and the mispredict penalty that sFMT shares with it.
 *
 * A branch's row holds what fetch waited for between the branch before and this one, so that a row counts if and only
 * if its branch commits; resolving a misprediction drops the younger rows, the open one included.
 * The penalty of a misprediction is the time from the branch's dispatch to the first dispatch of the right path
 * (section 3.1.2), without cycles with a full ROB. The paper increments a counter in every row in every cycle; here one
 * global count of "cycles with ROB not full" is read at both ends. Adding to the global counter happens when the branch
 * commits, or at the end of the refill if that is later.
 *
 * A branch that finds the table full gets no row: what fetch waited for before it goes to the next branch with a row, and its
 * misprediction counts nothing and clears the open row. */
#include "analysis/stacks_state.h"

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

static void open_row(struct fmt *f)
{
	memset(row_at(f, f->fetch)->misses, 0, sizeof f->rows->misses);
}

void fmt_branch_fetched(struct stacks *s, uint64_t seq)
{
	struct fmt *f = &s->fmt;
	uint32_t used = f->fetch - f->head;
	if (used == f->limit) {
		s->penalties.overflowed++;
		return;
	}
	struct fmt_row *row = row_at(f, f->fetch++);
	row->seq = seq;
	row->mispredicted = false;
	open_row(f);
	if (used + 1 > s->penalties.rows_used)
		s->penalties.rows_used = used + 1;
	if (seq < s->next_commit)
		s->next_commit = seq;
}

void fmt_waits(struct stacks *s, unsigned miss, uint64_t cycles)
{
	struct fmt *f = &s->fmt;
	uint32_t *local = &row_at(f, f->fetch)->misses[miss], *shared = &s->sfmt.shared[miss];
	*local = stacks_saturate(*local + cycles, f->most);
	*shared = stacks_saturate(*shared + cycles, f->most);
}

static void count_penalty(struct stacks *s, const struct fmt_row *row)
{
	s->fmt.global_bmisp += row->penalty;
	s->penalties.tracked++;
	s->penalties.resolution += row->resolution;
	s->penalties.refill += row->refill;
}

void fmt_branch_committed(struct stacks *s)
{
	struct fmt *f = &s->fmt;
	const struct fmt_row *row = row_at(f, f->head++);
	for (unsigned i = 0; i < FRONT_MISSES; i++)
		f->global[i] += row->misses[i];
	if (!row->mispredicted)
		return;
	s->penalties.committed.bmisp++;
	memset(s->sfmt.shared, 0, sizeof s->sfmt.shared);
	if (f->refilling && f->refill.seq == row->seq)
		f->refill_committed = true;
	else
		count_penalty(s, row);
}

void fmt_branches_dispatched(struct stacks *s, uint64_t cycle, uint64_t dispatched)
{
	struct fmt *f = &s->fmt;
	while (f->dispatch != f->fetch && row_at(f, f->dispatch)->seq < dispatched) {
		struct fmt_row *row = row_at(f, f->dispatch++);
		row->entered = f->not_full;
		row->entered_cycle = cycle;
	}
}

/* The penalty so far. */
static void close_penalty(struct fmt *f, uint64_t cycle)
{
	f->refill.penalty = stacks_saturate(f->not_full - f->refill.entered, f->most);
	f->refill.refill = stacks_saturate(cycle - f->refill_cycle, UINT32_MAX);
	f->refilling = false;
}

void fmt_refilled(struct stacks *s, uint64_t cycle)
{
	struct fmt *f = &s->fmt;
	close_penalty(f, cycle);
	if (f->refill_committed) {
		count_penalty(s, &f->refill);
		return;
	}
	/* still in the window: its row is somewhere among the oldest */
	for (uint32_t i = f->head; i != f->fetch; i++) {
		struct fmt_row *row = row_at(f, i);
		if (row->seq != f->refill.seq)
			continue;
		*row = f->refill;
		return;
	}
}

static void resolve(struct stacks *s, uint64_t cycle, uint64_t first)
{
	struct fmt *f = &s->fmt;
	struct fmt_row *row = f->head != f->fetch ? row_at(f, f->fetch - 1) : NULL;
	if (!row || row->seq != first - 1) {
		s->penalties.untracked++;
		return;
	}
	row->mispredicted = true;
	row->resolution = stacks_saturate(cycle - row->entered_cycle, UINT32_MAX);
	f->refilling = true;
	f->refill_committed = false;
	f->refill = *row;
	f->refill_first = first;
	f->refill_cycle = cycle;
}

void fmt_squashed(struct stacks *s, uint64_t cycle, uint64_t first, enum culprit_squash why)
{
	struct fmt *f = &s->fmt;
	while (f->fetch != f->head && row_at(f, f->fetch - 1)->seq >= first)
		f->fetch--;
	if ((int32_t)(f->fetch - f->dispatch) < 0)
		f->dispatch = f->fetch;
	open_row(f);
	if (f->refilling && f->refill.seq >= first)
		f->refilling = false;
	if (why == CULPRIT_SQUASH_MISPREDICT)
		resolve(s, cycle, first);
}

void fmt_finish(struct stacks *s)
{
	struct fmt *f = &s->fmt;
	if (!f->refilling || !f->refill_committed)
		return;
	close_penalty(f, s->cycles);
	count_penalty(s, &f->refill);
}
