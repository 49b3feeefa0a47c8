/* --with pipeline: windows of the run, instruction by instruction, and which of them is most like the whole. */
#include "analysis/commit_cause.h"
#include "analysis/window.h"
#include "base/map.h"
#include "report/pipeline.h"
#include "with/analyses.h"
#include "with/places.h"

#include <stdlib.h>
#include <string.h>

struct with_pipeline {
	struct window window;
	struct pipeline_report report;
	culprit_field_set unknown;
};

static bool create(void *self, const struct analysis_context *context, struct error *err)
{
	struct with_pipeline *w = self;
	const struct machine *m = context->machine;
	const struct commit_stack_params params = commit_stack_of(m);
	(void)err;
	w->unknown = context->unknown;
	window_init(&w->window, &params);
	return true;
}

static void destroy(void *self)
{
	struct with_pipeline *w = self;
	window_destroy(&w->window);
	for (size_t i = 0; i < w->report.window_count; i++) {
		free(w->report.windows[i].rows);
		free(w->report.windows[i].squashed);
	}
	free(w->report.code);
}

static void records(void *self, const struct culprit_record *r, size_t count)
{
	struct with_pipeline *w = self;
	window_records(&w->window, r, count);
}

static void log_part(void *self, const struct culprit_log_part *part)
{
	struct with_pipeline *w = self;
	window_log(&w->window, part);
}

/* --- causes --- */

static uint8_t front_cause(const struct culprit_record *r, unsigned before)
{
	if (r->imiss || r->itlb)
		return CAUSE_code;
	if (!r->redirect)
		return 0;
	if (r->flags & CULPRIT_VIOLATED)
		return CAUSE_order;
	return before & CULPRIT_MISPREDICTED  ? CAUSE_mispredict
	       : before & CULPRIT_SERIALISING ? CAUSE_serial
					      : CAUSE_front;
}

static uint8_t execution_cause(const struct culprit_record *r)
{
	if (!(r->flags & CULPRIT_LOAD))
		return culprit_execution_class(r->op_class, r->exec_latency) == CULPRIT_EVENT_shalu ? CAUSE_short_op
												    : CAUSE_long_op;
	if (r->dlevel > CULPRIT_LEVEL_L1)
		return r->dlevel == CULPRIT_LEVEL_MEMORY ? CAUSE_memory : CAUSE_cache;
	return r->dtlb ? CAUSE_tlb : CAUSE_l1;
}

static void fill_wait(struct pipeline_row *row, const struct commit_stack_params *params,
		      const struct culprit_record *r, unsigned before, uint64_t from)
{
	uint64_t causes[COMMIT_CAUSES] = {0};
	struct commit_wait wait;
	unsigned most = 0;
	if (r->commit <= from)
		return;
	commit_stack_wait(params, r, before, from, &wait);
	commit_cause_add(r, params, &wait, causes);
	for (unsigned c = 1; c < COMMIT_CAUSES; c++)
		most = causes[c] > causes[most] ? c : most;
	row->wait = (uint32_t)(r->commit - from);
	row->cause = (uint8_t)most;
}

/* --- the code --- */

static void fill_code(struct pipeline_code *c, uint64_t pc, const struct analysis_totals *totals)
{
	struct symbol_place place = symbols_find(totals->symbols, pc);
	struct line_place line = lines_find(totals->lines, pc);
	*c = (struct pipeline_code){
		.pc = pc, .offset = place.offset, .function = place.function, .object = place.object};
	const char *slash = line.file ? strrchr(line.file, '/') : NULL;
	if (line.file)
		snprintf(c->line, sizeof c->line, "%s:%u", slash ? slash + 1 : line.file, line.line);
	if (!places_disassemble(&totals->code, pc, c->text, sizeof c->text))
		*c->text = 0;
}

/* --- the rows --- */

static bool fill_row(struct pipeline_report *p, struct map *numbers, struct pipeline_row *row,
		     const struct culprit_record *r, const struct analysis_totals *totals)
{
	uint32_t known = map_get(numbers, r->pc);
	if (!known) {
		fill_code(&p->code[p->code_count++], r->pc, totals);
		known = (uint32_t)p->code_count;
		if (!map_put(numbers, r->pc, known))
			return false;
	}
	*row = (struct pipeline_row){
		.code = known - 1,
		.fetch = r->fetch,
		.dispatch = r->dispatch,
		.ready = r->ready,
		.issue = r->issue,
		.complete = r->complete,
		.commit = r->commit,
		.execution = execution_cause(r),
		.window = r->window,
		.flags = r->flags,
		.producers = {r->producer[0], r->producer[1], r->producer[2], r->mem_producer},
	};
	return true;
}

static bool fill_rows(struct with_pipeline *w, struct pipeline_window *p, const struct window_candidate *c,
		      struct map *numbers, const struct analysis_totals *totals)
{
	unsigned before = c->previous_flags;
	uint64_t from = c->records[0].seq ? c->previous_commit + 1 : 0;
	for (size_t i = 0; i < c->count; i++) {
		const struct culprit_record *r = &c->records[i];
		if (!fill_row(&w->report, numbers, &p->rows[i], r, totals))
			return false;
		fill_wait(&p->rows[i], &w->window.whole.params, r, before, from);
		p->rows[i].front = front_cause(r, before);
		before = r->flags;
		from = r->commit + 1 > from ? r->commit + 1 : from;
	}
	p->count = c->count;
	return true;
}

/* Those squashed while the window's first instructions were not yet fetched belong to what was before it. */
static void fill_squashed(struct pipeline_window *p, const struct window_candidate *c)
{
	p->squash_lost = c->squashed_lost;
	for (size_t i = 0; i < c->squashed_count; i++) {
		const struct window_squashed *s = &c->squashed[i];
		if (s->fetch >= c->records[0].fetch)
			p->squashed[p->squash_count++] = (struct pipeline_squash){s->seq,   s->fetch,	   s->dispatch,
										  s->until, s->dispatched, s->why};
	}
}

static bool fill_window(struct with_pipeline *w, size_t candidate, struct map *numbers,
			const struct analysis_totals *totals)
{
	const struct window_candidate *c = &w->window.candidates[candidate];
	struct pipeline_window *p = &w->report.windows[w->report.window_count++];
	p->first = c->records[0].seq;
	p->off = window_off(&w->window, candidate, totals->cycles);
	p->rows = calloc(c->count, sizeof *p->rows);
	p->squashed = calloc(c->squashed_count + 1, sizeof *p->squashed);
	if (!p->rows || !p->squashed || !fill_rows(w, p, c, numbers, totals))
		return false;
	fill_squashed(p, c);
	return true;
}

static bool fill_windows(struct with_pipeline *w, const struct analysis_totals *totals)
{
	struct pipeline_report *p = &w->report;
	struct map numbers = {0};
	const size_t nearest = window_choose(&w->window, totals->cycles);
	size_t instructions = 0;
	for (size_t i = 0; i < WINDOW_CANDIDATES; i++)
		instructions += w->window.candidates[i].count;
	p->code = calloc(instructions + 1, sizeof *p->code);
	bool good = !w->window.out_of_memory && p->code;
	for (size_t i = 0; good && i < WINDOW_CANDIDATES; i++) {
		if (i == nearest)
			p->nearest = p->window_count;
		if (w->window.candidates[i].count)
			good = fill_window(w, i, &numbers, totals);
	}
	map_destroy(&numbers);
	return good;
}

static bool finish(void *self, const struct analysis_totals *totals, struct error *err)
{
	struct with_pipeline *w = self;
	struct pipeline_report *p = &w->report;
	_Static_assert((size_t)PIPELINE_WINDOWS_MAX >= (size_t)WINDOW_CANDIDATES, "room for each");
	p->cause_count = COMMIT_CAUSES;
	for (unsigned i = 0; i < COMMIT_CAUSES; i++)
		p->causes[i] = commit_cause_told(i, w->unknown).name;
	if (!fill_windows(w, totals))
		return error_set(err, ERROR_SYSTEM, "out of memory for the windows of the pipeline");
	return true;
}

static void text(void *self, FILE *out)
{
	struct with_pipeline *w = self;
	pipeline_report_text(&w->report, out);
}

static json_t *json(void *self)
{
	struct with_pipeline *w = self;
	return pipeline_report_json(&w->report);
}

const struct analysis analysis_pipeline = {
	.name = "pipeline",
	.help = "windows of the run, instruction by instruction, for the picture of --html",
	.size = sizeof(struct with_pipeline),
	.create = create,
	.records = records,
	.log = log_part,
	.finish = finish,
	.text = text,
	.json = json,
	.destroy = destroy,
};
