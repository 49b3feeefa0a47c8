/* The machine behind a trace, as far as its times show it: no width is smaller than what one cycle had, no stage longer
 * than the shortest way through it, the window at least as large as what was in it at once. */
#include "import/build.h"

#include <inttypes.h>
#include <stdlib.h>

struct seen {
	uint64_t fetch_width, dispatch_width, issue_width, commit_width, rob, front, taken;
	uint64_t stages, to_issue, delay, redirect;
};

static uint64_t most(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static int by_value(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
	return x < y ? -1 : x > y;
}

/* Instructions do not issue in order. */
static bool issue_width(const struct import_result *r, struct seen *s, struct error *err)
{
	uint64_t *cycles = malloc(r->instructions * sizeof *cycles), run = 0;
	if (!cycles)
		return error_set(err, ERROR_SYSTEM, "out of memory");
	for (uint64_t i = 0; i < r->instructions; i++)
		cycles[i] = r->records[i].issue;
	qsort(cycles, r->instructions, sizeof *cycles, by_value);
	for (uint64_t i = 0; i < r->instructions; i++) {
		run = i && cycles[i] == cycles[i - 1] ? run + 1 : 1;
		s->issue_width = most(s->issue_width, run);
	}
	free(cycles);
	return true;
}

static void look(const struct import_result *r, struct seen *s)
{
	uint64_t fetch = 0, dispatch = 0, commit = 0, oldest = 0, waiting = 0, taken = 0;
	const struct culprit_record *all = r->records;
	for (uint64_t i = 0; i < r->instructions; i++) {
		const struct culprit_record *x = &all[i];
		fetch = i && x->fetch == x[-1].fetch ? fetch + 1 : 1;
		dispatch = i && x->dispatch == x[-1].dispatch ? dispatch + 1 : 1;
		commit = i && x->commit == x[-1].commit ? commit + 1 : 1;
		if (fetch == 1)
			taken = 0;
		else
			taken += (x[-1].flags & CULPRIT_TAKEN) != 0;
		while (all[oldest].commit <= x->dispatch && oldest < i)
			oldest++;
		while (all[waiting].dispatch <= x->fetch && waiting < i)
			waiting++;
		s->front = most(s->front, i - waiting + 1);
		s->fetch_width = most(s->fetch_width, fetch);
		s->dispatch_width = most(s->dispatch_width, dispatch);
		s->commit_width = most(s->commit_width, commit);
		s->taken = most(s->taken, taken + 1);
		s->rob = most(s->rob, i - oldest + 1);
		s->stages = least(s->stages, x->dispatch - x->fetch);
		s->to_issue = least(s->to_issue, x->issue - x->dispatch);
		s->delay = least(s->delay, x->commit - x->complete);
		if (i && (x[-1].flags & CULPRIT_MISPREDICTED))
			s->redirect = least(s->redirect, x->fetch - x[-1].complete);
	}
}

static uint64_t within(uint64_t value, uint64_t low, uint64_t high)
{
	return value < low ? low : value > high ? high : value;
}

bool import_observe(const struct import_trace *t, const struct import_result *r, struct machine *m, struct error *err)
{
	struct seen s = {.stages = UINT64_MAX, .to_issue = UINT64_MAX, .delay = UINT64_MAX, .redirect = UINT64_MAX};
	TRY(issue_width(r, &s, err));
	look(r, &s);
	const bool redirected = s.redirect != UINT64_MAX;
	m->fetch_width = (uint32_t)within(s.fetch_width, 1, 64);
	m->frontend_stages = (uint32_t)within(s.stages, 1, 64);
	m->dispatch_width = (uint32_t)within(s.dispatch_width, 1, 64);
	const uint64_t pipeline = (uint64_t)m->frontend_stages * m->dispatch_width;
	m->fetch_buffer = (uint32_t)within(s.front > pipeline ? s.front - pipeline : 1, 1, 4096);
	m->fetch_taken_limit = (uint32_t)within(s.taken, 1, 64);
	m->fetch_within_line = false;
	m->issue_width = (uint32_t)within(s.issue_width, 1, 64);
	m->commit_width = (uint32_t)within(s.commit_width, 1, 64);
	m->window_rob = (uint32_t)within(s.rob, 1, 8192);
	m->issue_dispatch_to_issue = (uint32_t)within(s.to_issue, 1, 32);
	m->commit_delay = (uint32_t)within(s.delay, 1, 32);
	if (redirected)
		m->frontend_redirect = (uint32_t)within(s.redirect, 0, 64);
	fprintf(t->said,
		"the machine is as the trace shows it (-m names another): widths of fetch %u, dispatch %u, issue %u, "
		"commit %u; "
		"window.rob %u and fetch.buffer %u, the most at once; frontend.stages %u, issue.dispatch_to_issue %u "
		"and "
		"commit.delay %u, the shortest",
		m->fetch_width, m->dispatch_width, m->issue_width, m->commit_width, m->window_rob, m->fetch_buffer,
		m->frontend_stages, m->issue_dispatch_to_issue, m->commit_delay);
	if (redirected)
		fprintf(t->said, "; frontend.redirect %u, likewise", m->frontend_redirect);
	fputc('\n', t->said);
	return true;
}
