/* --with phases: the commit stack over time. */
#include "analysis/phases.h"
#include "report/phases.h"
#include "with/analyses.h"

struct with_phases {
	struct phases phases;
	struct phases_row rows[PHASES_MOST];
	struct phases_report report;
	culprit_field_set unknown;
};
_Static_assert((int)COMMIT_CAUSES <= (int)PHASES_CAUSES_MOST, "room for every cause");

static bool create(void *self, const struct analysis_context *context, struct error *err)
{
	struct with_phases *w = self;
	const struct machine *m = context->machine;
	const struct commit_stack_params params = commit_stack_of(m);
	(void)err;
	w->unknown = context->unknown;
	phases_init(&w->phases, &params);
	return true;
}

static void records(void *self, const struct culprit_record *r, size_t count)
{
	struct with_phases *w = self;
	phases_push(&w->phases, r, count);
}

static bool finish(void *self, const struct analysis_totals *totals, struct error *err)
{
	struct with_phases *w = self;
	struct phases_report *r = &w->report;
	(void)err;
	phases_finish(&w->phases, totals->cycles);
	r->length = w->phases.length;
	r->rows = w->rows;
	for (unsigned c = 0; c < COMMIT_CAUSES; c++) {
		const struct commit_cause_row row = commit_cause_told(c, w->unknown);
		r->causes[c].name = row.name;
		r->causes[c].label = row.label;
	}
	r->cause_count = COMMIT_CAUSES;
	for (size_t i = 0; i < PHASES_MOST; i++) {
		const struct phase *p = &w->phases.slices[i];
		struct phases_row *row = &w->rows[r->count];
		if (!p->cycles)
			continue;
		*row = (struct phases_row){.cycles = p->cycles, .instructions = p->instructions};
		for (unsigned c = 0; c < COMMIT_CAUSES; c++)
			row->causes[c] = p->causes[c];
		r->count++;
	}
	return true;
}

static void text(void *self, FILE *out)
{
	struct with_phases *w = self;
	phases_report_text(&w->report, out);
}

static json_t *json(void *self)
{
	struct with_phases *w = self;
	return phases_report_json(&w->report);
}

static void destroy(void *self)
{
	(void)self;
}

const struct analysis analysis_phases = {
	.name = "phases",
	.help = "the causes of the commit stack over time, in equal slices of the run",
	.size = sizeof(struct with_phases),
	.create = create,
	.records = records,
	.finish = finish,
	.text = text,
	.json = json,
	.destroy = destroy,
};
