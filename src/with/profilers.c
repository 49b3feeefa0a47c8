/* --with profilers, and `culprit profilers`: how wrong profilers as practised are on this run. */
#include "analysis/profilers/profilers.h"
#include "report/profilers/report.h"
#include "with/analyses.h"

#include <math.h>
#include <stdlib.h>

_Static_assert((int)PROFILERS <= (int)PROFILERS_REPORT_ROWS && (int)PROFILER_LEVELS == (int)PROFILERS_REPORT_LEVELS,
	       "the report has room");

struct with_profilers {
	struct profilers *profilers;
	struct profilers_result result;
	struct profilers_report report;
};

static bool create(void *self, const struct analysis_context *context, struct error *err)
{
	enum { DEFAULT_PERIOD = 10000 };
	struct with_profilers *w = self;
	const struct options *o = context->options;
	struct profilers_params params = {
		.period = o->sample_period ? o->sample_period : DEFAULT_PERIOD, .seed = o->seed, .skid = o->skid};
	enum { PERIOD_MOST = 1 << 30, SKID_MOST = 1 << 16 };
	if (params.period > PERIOD_MOST)
		return error_set(err, ERROR_USAGE, "--sample-period: at most %d cycles", PERIOD_MOST);
	if (params.skid > SKID_MOST)
		return error_set(err, ERROR_USAGE, "--sample-skid: at most %d instructions", SKID_MOST);
	w->report.period = params.period;
	w->report.skid = params.skid;
	w->report.seed = params.seed;
	w->profilers = profilers_create(&params, err);
	return w->profilers != NULL;
}

static void destroy(void *self)
{
	struct with_profilers *w = self;
	profilers_destroy(w->profilers);
}

static void records(void *self, const struct culprit_record *r, size_t count)
{
	struct with_profilers *w = self;
	profilers_push(w->profilers, r, count);
}

static void log_part(void *self, const struct culprit_log_part *part)
{
	struct with_profilers *w = self;
	profilers_log(w->profilers, part);
}

/* Where functions start; NULL: no memory. */
static bool *function_starts(const struct profilers *p, const struct symbols *symbols)
{
	size_t n = profilers_rows(p);
	bool *starts = calloc(n + 1, sizeof *starts);
	struct symbol_place before = {0};
	for (size_t i = 0; starts && i < n; i++) {
		const struct oracle_row *row = profilers_row(p, i);
		struct symbol_place now = symbols_find(symbols, row->pc);
		starts[i] = !i || symbol_place_begins(&now, &before, row->entry);
		before = now;
	}
	return starts;
}

/* Of all series but the first: their mean, and half its interval by Student's t with 7 degrees of freedom. */
static void summarise(const double errors[PROFILER_SERIES], double *mean, double *half)
{
	enum { SERIES = PROFILER_SERIES - 1 };
	static const double t = 2.3646;
	_Static_assert(SERIES == 8, "t is for 8");
	double sum = 0, squares = 0;
	for (unsigned s = 1; s < PROFILER_SERIES; s++)
		sum += errors[s];
	for (unsigned s = 1; s < PROFILER_SERIES; s++)
		squares += (errors[s] - sum / SERIES) * (errors[s] - sum / SERIES);
	*mean = errors[0] < 0 ? -1 : 100 * sum / SERIES;
	*half = errors[0] < 0 ? -1 : 100 * t * sqrt(squares / (SERIES - 1) / SERIES);
}

static double mean_count(const uint64_t counts[PROFILER_SERIES])
{
	double sum = 0;
	for (unsigned s = 1; s < PROFILER_SERIES; s++)
		sum += (double)counts[s];
	return sum / (PROFILER_SERIES - 1);
}

static void fill_row(const struct profilers_result *result, struct profilers_report_row *row, enum profiler which)
{
	for (unsigned level = 0; level < PROFILER_LEVELS; level++) {
		const double *errors = result->error[which][level];
		row->all[level] = errors[0] < 0 ? -1 : 100 * errors[0];
		summarise(errors, &row->mean[level], &row->half[level]);
	}
	row->samples = mean_count(result->samples[which]);
	row->lost = mean_count(result->lost[which]);
}

static void fill(struct with_profilers *w)
{
	static const struct profilers_report_row rows[] = {
#define PROFILER(name, label, published, whom) {#name, label, whom, published / 10.0, {0}, {0}, {0}, 0, 0},
#include "analysis/profilers/profiler.def"
	};
	static const char *const levels[PROFILER_LEVELS] = {"events", "instruction", "block", "function"};
	struct profilers_report *r = &w->report;
	r->series = PROFILER_SERIES - 1;
	r->count = PROFILERS;
	for (unsigned level = 0; level < PROFILER_LEVELS; level++) {
		r->levels[level].name = levels[level];
		r->levels[level].symbols = w->result.symbols[level];
	}
	for (unsigned i = 0; i < PROFILERS; i++) {
		r->rows[i] = rows[i];
		fill_row(&w->result, &r->rows[i], i);
	}
}

static bool finish(void *self, const struct analysis_totals *totals, struct error *err)
{
	struct with_profilers *w = self;
	TRY(profilers_finish(w->profilers, err));
	bool *starts = function_starts(w->profilers, totals->symbols);
	bool good = starts ? profilers_judge(w->profilers, starts, &w->result, err)
			   : error_set(err, ERROR_SYSTEM, "out of memory for profilers");
	free(starts);
	w->report.cycles = totals->cycles;
	if (good)
		fill(w);
	return good;
}

static void text(void *self, FILE *out)
{
	const struct with_profilers *w = self;
	profilers_text(&w->report, out);
}

static json_t *json(void *self)
{
	const struct with_profilers *w = self;
	return profilers_json(&w->report);
}

const struct analysis analysis_profilers = {
	.name = "profilers",
	.takes_long = true,
	.help = "profilers as practised (interrupts, IBS, SPE, PEBS, LBR, TIP) judged by the oracle",
	.size = sizeof(struct with_profilers),
	.create = create,
	.records = records,
	.log = log_part,
	.finish = finish,
	.text = text,
	.json = json,
	.destroy = destroy,
};
