/* --with oracle: every cycle by the instructions that commit exposed in it. */
#include "with/oracle_fold.h"

struct with_oracle {
	struct oracle oracle;
	struct oracle_report report;
	size_t listed;
};

static bool create(void *self, const struct analysis_context *context, struct error *err)
{
	enum { DEFAULT_ROWS = 10, DEFAULT_SITES = 100 };
	struct with_oracle *w = self;
	const struct options *o = context->options;
	(void)err;
	w->report.rows = o->oracle_rows ? o->oracle_rows : DEFAULT_ROWS;
	size_t sites = o->json_sites == OPTION_NOT_GIVEN ? DEFAULT_SITES : o->json_sites ? o->json_sites : SIZE_MAX;
	w->listed = sites > w->report.rows ? sites : w->report.rows;
	return true;
}

static void destroy(void *self)
{
	struct with_oracle *w = self;
	oracle_destroy(&w->oracle);
	oracle_report_destroy(&w->report);
}

static void records(void *self, const struct culprit_record *r, size_t count)
{
	struct with_oracle *w = self;
	oracle_push(&w->oracle, r, count); /* keeps its error until the end */
}

static bool finish(void *self, const struct analysis_totals *totals, struct error *err)
{
	struct with_oracle *w = self;
	struct oracle_report *r = &w->report;
	TRY(oracle_finish(&w->oracle, err));
	TRY(oracle_fold(r, &w->oracle, totals, w->listed, err));
	r->cycles = totals->cycles;
	r->end = oracle_end(&w->oracle, totals->cycles);
	uint64_t parts = r->whole.count ? r->whole.entries->parts : 0;
	if (parts + r->end * ORACLE_PARTS == r->cycles * ORACLE_PARTS)
		return true;
	return error_set(err, ERROR_INTERNAL, "the oracle's cycles sum to %.3f of %llu", (double)parts / ORACLE_PARTS,
			 (unsigned long long)r->cycles);
}

static void text(void *self, FILE *out)
{
	const struct with_oracle *w = self;
	oracle_text(&w->report, out);
}

static json_t *json(void *self)
{
	const struct with_oracle *w = self;
	return oracle_json(&w->report);
}

const struct analysis analysis_oracle = {
	.name = "oracle",
	.takes_long = true,
	.help = "every cycle by the instructions that commit exposed, and the events that they met",
	.size = sizeof(struct with_oracle),
	.create = create,
	.records = records,
	.finish = finish,
	.text = text,
	.json = json,
	.destroy = destroy,
};
