/* From samples to estimates. */
#include "sample/fill.h"

#include "analysis/commit_cause.h"
#include "report/graph/base.h"
#include "sample/columns.h"
#include "sample/training.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct section {
	const char *name, *title, *path, *unit, *base;
	double factor;
	enum estimate_kind kind;
	columns_leans *leans; /* NULL: on no event, nor does its base */
} sections[] = {
#define SECTION(name, title, path, unit, base, factor, kind, events) \
	{#name, title, path, unit, #base, factor, kind, events},
#include "sample/sections.def"
};
enum { SECTIONS = sizeof sections / sizeof *sections };
_Static_assert((int)SECTIONS <= (int)SAMPLE_SECTIONS_MAX, "the report has room for all");

bool sample_has(const char *analysis)
{
	size_t length = strlen(analysis);
	for (size_t i = 0; i < SECTIONS; i++)
		if (!strncmp(sections[i].path, analysis, length))
			return true;
	return false;
}

/* --- estimating --- */

/* Windows that were chosen are no random sample: nothing is known of their error. */
struct estimate sample_estimate(const struct sample *s, const struct estimate_samples *samples)
{
	const struct estimate_sureness sure = {
		.t = s->report.quantile, .confidence = s->confidence, .rare = estimate_rare(s->confidence)};
	struct estimate e = estimate_ratio(samples, &sure);
	return s->points.count ? estimate_unsure(e.value) : e;
}

double sample_cpi_error(const struct sample *s, size_t count)
{
	struct columns c;
	double error = INFINITY;
	if (columns_create(&c, s)) {
		struct estimate_samples all = columns_cpi(s, &c);
		const struct estimate_sureness sure = {.t = estimate_quantile(s->confidence, (double)count - 1),
						       .confidence = s->confidence,
						       .rare = estimate_rare(s->confidence)};
		struct estimate e = estimate_ratio(&all, &sure);
		error = e.half / e.value * sqrt((double)all.count / (double)count);
	}
	columns_destroy(&c);
	return error;
}

/* Square of CPI's error, as a part of the one that there is to be; rare = 0: without what no sample met. */
static double squared_error(const struct sample *s, const struct estimate_samples *cpi, double rare)
{
	const struct estimate_sureness sure = {
		.t = estimate_quantile(s->aimed, (double)cpi->count - 1), .confidence = s->aimed, .rare = rare};
	const struct estimate e = estimate_ratio(cpi, &sure);
	return pow(e.half / e.value / s->error, 2);
}

/* What chance does becomes less with the root of the number of samples, and what no sample met with their number: with
 * k times as many the error's square is chance / k + bursts / k^2. */
double sample_lack(const struct sample *s)
{
	struct columns c;
	double lack = 0;
	if (columns_create(&c, s)) {
		const struct estimate_samples cpi = columns_cpi(s, &c);
		const double chance = squared_error(s, &cpi, 0);
		const double bursts = fmax(0, squared_error(s, &cpi, estimate_rare(s->aimed)) - chance);
		lack = (chance + sqrt(chance * chance + 4 * bursts)) / 2;
	}
	columns_destroy(&c);
	return lack;
}

double sample_scale(const struct sample *s)
{
	double seen = 0;
	for (size_t i = 0; i < s->schedule.taken; i++)
		if (sample_measured(&s->units[i]))
			seen += sample_weight(s, i) * columns_difference(&s->units[i], "counts", "instructions");
	const double rest = (double)s->position - columns_started(s, "counts", "instructions");
	return seen > 0 && rest > 0 ? rest / seen : 0;
}

/* --- the report --- */

static struct estimate_samples row_samples(const struct sample *s, const struct section *section, struct columns *c,
					   const char *name)
{
	const struct column_names names = {
		.path = section->path, .name = name, .base = section->base, .leans = section->leans};
	return section->leans ? columns_lean(s, c, &names) : columns_gather(s, c, section->path, name, section->base);
}

static int by_size(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

/* How much a sample may have of what few have: the median, by size, of what rows that at most a quarter of the samples
 * have are at most in one. 0: there are no such rows. */
static double section_burst(const struct sample *s, const struct section *section, struct columns *c,
			    const json_t *names)
{
	double *largest = calloc(json_object_size(names) + 1, sizeof *largest), median;
	size_t count = 0;
	const char *name;
	json_t *value;
	json_object_foreach((json_t *)names, name, value)
	{
		const struct estimate_samples row = row_samples(s, section, c, name);
		const size_t met = estimate_met(&row);
		if (!largest || !met || 4 * met > row.count)
			continue;
		for (size_t i = 0; i < row.count; i++)
			largest[count] = fmax(largest[count], fabs(row.x[i]));
		count++;
	}
	if (count)
		qsort(largest, count, sizeof *largest, by_size);
	median = count ? sqrt(largest[(count - 1) / 2] * largest[count / 2]) : 0;
	free(largest);
	return median;
}

/* A cause is called as on the first screen, and a row of the commit stack says which cause it belongs to. */
static void name_label(struct sample_row *row, const struct section *section)
{
	for (enum commit_cause c = 0; !strcmp(section->name, "causes") && c < COMMIT_CAUSES; c++)
		if (row->name && !strcmp(commit_cause_row(c)->name, row->name))
			snprintf(row->label, sizeof row->label, "%s", commit_cause_row(c)->label);
	for (enum commit_row i = 0; !strcmp(section->name, "commit_stack") && i < COMMIT_ROWS; i++) {
		const char *cause = commit_cause_row(commit_row_cause(i))->label;
		if (row->name && !strcmp(commit_row_name(i), row->name))
			snprintf(row->label, sizeof row->label, strcmp(cause, row->name) ? "%s (%s)" : "%s", row->name,
				 cause);
	}
}

static bool add_row(struct sample_section *to, const char *name, const struct section *section, struct columns *c,
		    struct sample *s, double burst)
{
	struct sample_row *rows = realloc(to->rows, (to->count + 1) * sizeof *rows);
	if (!rows)
		return false;
	to->rows = rows;
	struct estimate_samples samples = row_samples(s, section, c, name);
	samples.burst = burst;
	samples.kind = section->kind;
	struct estimate e = sample_estimate(s, &samples);
	struct sample_row *row = &rows[to->count++];
	*row = (struct sample_row){.value = e.value * section->factor,
				   .half = e.half * section->factor,
				   .low = e.low * section->factor,
				   .high = e.high * section->factor};
	row->name = strdup(name);
	name_label(row, section);
	if (!strcmp(section->name, "commit_stack") && samples.rest > 0 && samples.count)
		s->report.few += e.value > 0 && estimate_met(&samples) < ESTIMATE_FEW;
	return row->name != NULL;
}

static int by_value(const void *a, const void *b)
{
	const struct sample_row *x = a, *y = b;
	double p = fabs(x->value), q = fabs(y->value);
	return p != q ? (p < q ? 1 : -1) : strcmp(x->name, y->name);
}

void sample_sort(struct sample_section *section)
{
	qsort(section->rows, section->count, sizeof *section->rows, by_value);
}

static void add_names(json_t *names, const struct sample_unit *u, const char *path)
{
	if (sample_measured(u))
		json_object_update_missing(names, json_object_get(u->after, path));
}

/* By --with: the path begins with the analysis's name. */
static bool asked_for(const struct sample *s, const char *path)
{
	char name[64];
	snprintf(name, sizeof name, "%.*s", (int)strcspn(path, "._"), path);
	return analyses_have(&s->session.analyses, name);
}

/* Components that a sample lacks are 0 there. */
static bool add_section(struct sample *s, const struct section *section, struct columns *c)
{
	struct sample_section *to = &s->report.sections[s->report.section_count];
	json_t *names = json_object(), *value;
	const char *name;
	bool good = names != NULL;
	add_names(names, &s->first, section->path);
	for (size_t i = 0; i < s->schedule.taken; i++)
		add_names(names, &s->units[i], section->path);
	*to = (struct sample_section){.name = section->name,
				      .title = section->title,
				      .unit = section->unit,
				      .asked = asked_for(s, section->path)};
	to->burst = section_burst(s, section, c, names);
	json_object_foreach(names, name, value) if (json_is_number(value))
		good = good && add_row(to, name, section, c, s, to->burst);
	json_decref(names);
	if (!to->count)
		return good;
	sample_sort(to);
	s->report.section_count++;
	return good;
}

static void fill_cpi(struct sample *s, struct columns *c)
{
	struct sample_report *r = &s->report;
	struct estimate_samples samples = columns_cpi(s, c);
	r->samples = samples.count;
	r->start = (uint64_t)samples.start_c;
	r->measured = r->start;
	for (size_t i = 0; i < s->schedule.taken; i++)
		if (sample_measured(&s->units[i]))
			r->measured += (uint64_t)columns_difference(&s->units[i], "counts", "instructions");
	r->quantile = estimate_quantile(s->confidence, (double)samples.count - 1);
	struct estimate e = sample_estimate(s, &samples);
	r->cpi = (struct sample_row){.value = e.value, .half = e.half, .low = e.low, .high = e.high};
}

/* Nothing was measured: there is no room, or the places drawn lie behind the end. */
static bool refuse(const struct sample *s, struct error *err)
{
	const unsigned long long region = s->position, length = s->length, warmup = s->warmup;
	if (region >= length + warmup)
		return error_set(
			err, ERROR_USAGE,
			"of samples one in %llu instructions none lies in the region, which has %llu: more --samples, "
			"or a shorter --sample-interval, help",
			(unsigned long long)schedule_distance(&s->schedule), region);
	return error_set(err, ERROR_USAGE,
			 "the region has %llu instructions: too few for a sample of %llu after %llu of warm-up; "
			 "`culprit run` simulates all of it",
			 region, length, warmup);
}

bool sample_fill(struct sample *s, struct error *err)
{
	struct sample_report *r = &s->report;
	struct columns c;
	bool good = columns_create(&c, s);
	r->instructions = s->position;
	r->interval = schedule_distance(&s->schedule);
	r->chosen = s->points.count > 0;
	r->covered = s->points.covered;
	r->length = s->length;
	r->warmup = s->warmup;
	r->confidence = s->confidence;
	r->error = s->asked ? s->error : 0;
	training_report(s, r);
	if (good)
		fill_cpi(s, &c);
	for (size_t i = 0; good && i < SECTIONS; i++)
		good = add_section(s, &sections[i], &c);
	columns_destroy(&c);
	if (!good)
		return error_set(err, ERROR_SYSTEM, "out of memory for the estimates");
	return r->measured || r->cut || refuse(s, err);
}

const struct sample_section *sample_find(const struct sample_report *r, const char *name)
{
	for (size_t i = 0; i < r->section_count; i++)
		if (!strcmp(r->sections[i].name, name))
			return &r->sections[i];
	return NULL;
}

/* 0 = there is none of this name, or nothing of it. */
static double value_of(const struct sample_section *section, const char *name)
{
	for (size_t i = 0; section && i < section->count; i++)
		if (!strcmp(section->rows[i].name, name))
			return section->rows[i].value;
	return 0;
}

struct estimate sample_cycles(const struct sample *s, const char *section, const char *name)
{
	const struct sample_section *of = sample_find(&s->report, section);
	const double cycles = s->report.cpi.value * (double)s->position / 100;
	for (size_t i = 0; of && i < of->count; i++)
		if (!strcmp(of->rows[i].name, name))
			return (struct estimate){of->rows[i].value * cycles, of->rows[i].half * cycles,
						 of->rows[i].low * cycles, of->rows[i].high * cycles};
	return (struct estimate){0, 0, 0, 0};
}

static double ratio(const struct sample *s, const char *name, const char *base)
{
	struct columns c;
	double value = 0;
	if (columns_create(&c, s)) {
		struct estimate_samples all = columns_gather(s, &c, "counts", name, base);
		value = sample_estimate(s, &all).value;
	}
	columns_destroy(&c);
	return value;
}

/* Of the base classes, as `run` has them. */
void sample_costs(const struct sample *s, struct report_costs *costs)
{
	static const char *const names[REPORT_COSTS_MAX] = {"dl1",   "win",   "bw",    "bmisp",
							    "dmiss", "shalu", "lgalu", "imiss"};
	const struct sample_section *singles = sample_find(&s->report, "graph_costs");
	const struct sample_section *pairs = sample_find(&s->report, "graph_pairs");
	const double time = ratio(s, "graph_cycles", "cycles");
	char pair[80];
	if (!singles || time <= 0 || s->options.graph_classes.count)
		return;
	costs->method = "graph";
	costs->base_error = 100 * (time - 1);
	costs->trusted = fabs(costs->base_error) <= GRAPH_BASE_MOST;
	costs->count = REPORT_COSTS_MAX;
	costs->other = 100 * ratio(s, "graph_all", "graph_cycles");
	for (uint32_t a = 0; a < REPORT_COSTS_MAX; a++) {
		snprintf(costs->classes[a].name, sizeof costs->classes[a].name, "%s", names[a]);
		costs->classes[a].cost = value_of(singles, names[a]);
		costs->other -= costs->classes[a].cost;
		for (uint32_t b = a + 1; b < REPORT_COSTS_MAX; b++) {
			snprintf(pair, sizeof pair, "%s+%s", names[a], names[b]);
			costs->pairs[a][b] = costs->pairs[b][a] = value_of(pairs, pair);
			costs->other -= costs->pairs[a][b];
		}
	}
}
