#include "report/run/verdict.h"

#include "report/format.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- what is the case --- */

static double percent(uint64_t part, uint64_t whole)
{
	return 100 * format_ratio((double)part, (double)whole);
}

/* The largest cause below those already `taken`; -1 = none has 5% of the time. */
static int next_cause(const struct run_report *r, const int *taken, size_t count)
{
	int best = -1;
	for (uint32_t i = 0; i < r->cause_count; i++) {
		bool free = !r->causes[i].nobodys && percent(r->causes[i].cycles, r->cycles) >= 5;
		for (size_t t = 0; t < count; t++)
			free &= taken[t] != (int)i;
		if (free && (best < 0 || r->causes[i].cycles > r->causes[best].cycles))
			best = (int)i;
	}
	return best;
}

static const struct {
	const char *method, *machine, *points;
} trusts[] = {
#define TRUST(method, machine, points) {method, machine, points},
#include "report/run/trust.def"
};
enum { TRUSTS = sizeof trusts / sizeof trusts[0] };

/* The row of the machine; NULL = it was not scored. */
static const char *points_of(const struct run_report *r)
{
	for (size_t i = 0; i < TRUSTS; i++)
		if (!strcmp(trusts[i].machine, r->machine) && !strcmp(trusts[i].method, r->costs.method))
			return trusts[i].points;
	return NULL;
}

/* The worst machine that was scored, for one that was not. */
static double worst_points(void)
{
	double worst = 0;
	for (size_t i = 0; i < TRUSTS; i++)
		worst = fmax(worst, strtod(trusts[i].points, NULL));
	return worst;
}

static int class_of(const struct report_costs *c, const char *event)
{
	for (uint32_t i = 0; event && i < c->count; i++)
		if (!strcmp(c->classes[i].name, event))
			return (int)i;
	return -1;
}

static void find_costs(struct verdict *v, const struct run_report *r)
{
	const struct report_costs *c = &r->costs;
	v->class = v->most = v->partner = -1;
	v->method = c->method;
	v->trusted = c->trusted;
	v->other = fabs(c->other);
	if (!c->method)
		return;
	const char *points = points_of(r);
	v->error = points ? strtod(points, NULL) : worst_points();
	for (uint32_t i = 0; i < c->count; i++)
		if (v->most < 0 || c->classes[i].cost > c->classes[v->most].cost)
			v->most = (int)i;
	v->most_cost = v->most < 0 ? 0 : c->classes[v->most].cost;
	v->class = v->first < 0 ? -1 : class_of(c, r->causes[v->first].event);
	if (v->class < 0)
		return;
	v->cost = c->classes[v->class].cost;
	for (uint32_t i = 0; i < c->count; i++)
		if ((int)i != v->class && (v->partner < 0 || fabs(c->pairs[v->class][i]) > fabs(v->pair))) {
			v->partner = (int)i;
			v->pair = c->pairs[v->class][i];
		}
}

void verdict_find(struct verdict *v, const struct run_report *r)
{
	int found[3] = {-1, -1, -1};
	*v = (struct verdict){.report = r, .cut = r->cut != NULL, .instructions = r->instructions};
	for (size_t i = 0; i < 3; i++)
		found[i] = next_cause(r, found, i);
	v->first = found[0];
	v->second = found[1];
	v->third = found[2];
	v->before_main = percent(r->before_main, r->cycles);
	v->commit = r->cause_count ? percent(r->causes[0].cycles, r->cycles) : 0;
	for (uint32_t i = 0; i < r->cause_count; i++)
		if (!strcmp(r->causes[i].name, "unknown"))
			v->unknown = percent(r->causes[i].cycles, r->cycles);
	if (v->first >= 0)
		v->first_place = percent(r->causes[v->first].spot.weight, r->causes[v->first].cycles);
	v->critical = r->has_critical;
	find_costs(v, r);
}

/* --- the rules --- */

enum place { START, FIRST, GAIN, TOGETHER, OTHERS, TRUST, PLACES };
_Static_assert((int)PLACES <= (int)VERDICT_SENTENCES, "one sentence a place");

static const struct {
	enum place place;
	const char *rule, *template;
} sentences_table[] = {
#define VERDICT(place, name, condition, template) {place, #place "." #name, template},
#include "report/run/verdict.def"
};

static bool holds(const struct verdict *v, enum verdict_sentence sentence)
{
	switch (sentence) {
#define VERDICT(place, name, condition, template) \
	case SENTENCE_##place##_##name:           \
		return condition;
#include "report/run/verdict.def"
	default:
		return false;
	}
}

unsigned verdict_sentences(const struct verdict *v, enum verdict_sentence sentences[VERDICT_SENTENCES])
{
	unsigned n = 0;
	bool said[PLACES] = {false};
	for (enum verdict_sentence s = 0; s < SENTENCES; s++) {
		enum place place = sentences_table[s].place;
		if (said[place] || !holds(v, s))
			continue;
		said[place] = true;
		if (*sentences_table[s].template)
			sentences[n++] = s;
	}
	return n;
}

/* --- the words --- */

static const char *class_words(const char *name)
{
	static const struct {
		const char *name, *words;
	} rows[] = {{"dl1", "the latency of first-level hits"},	 {"win", "limits of the window"},
		    {"bw", "limits of width and units"},	 {"bmisp", "branch mispredictions"},
		    {"dmiss", "data-cache and TLB misses"},	 {"shalu", "the latency of one-cycle operations"},
		    {"lgalu", "the latency of long operations"}, {"imiss", "instruction-cache and TLB misses"}};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
		if (!strcmp(rows[i].name, name))
			return rows[i].words;
	return name;
}

/* Only of a cause that is by itself nearly all of its event class: a cost is the whole class's. */
static void worth_fact(const struct verdict *v, int cause, FILE *out)
{
	const struct run_report *r = v->report;
	const char *event = r->causes[cause].event;
	int class = v->method && v->trusted ? class_of(&r->costs, event) : -1;
	uint64_t others = 0;
	for (uint32_t i = 0; class >= 0 && i < r->cause_count; i++)
		if ((int)i != cause && r->causes[i].event && !strcmp(r->causes[i].event, event))
			others += r->causes[i].cycles;
	if (class >= 0 && percent(others, r->cycles) < 1)
		fprintf(out, ", worth %.1f%%", r->costs.classes[class].cost);
}

static void cause_fact(const struct verdict *v, int cause, const char *key, FILE *out)
{
	if (cause < 0)
		return;
	const struct report_cause *c = &v->report->causes[cause];
	if (!strcmp(key, "share"))
		fprintf(out, "%.1f", percent(c->cycles, v->report->cycles));
	else if (!strcmp(key, "there"))
		fprintf(out, "%.0f", percent(c->spot.weight, c->cycles));
	else if (!strcmp(key, "worth"))
		worth_fact(v, cause, out);
	else
		fputs(!strcmp(key, "words") ? c->words : !strcmp(key, "place") ? c->spot.place : c->spot.function, out);
}

static void class_fact(const struct verdict *v, int class, const char *key, FILE *out)
{
	if (class < 0)
		return;
	const struct report_costs *c = &v->report->costs;
	if (!strcmp(key, "cost"))
		fprintf(out, "%.1f", c->classes[class].cost);
	else
		fputs(!strcmp(key, "name") ? c->classes[class].name : class_words(c->classes[class].name), out);
}

static void trust_fact(const struct verdict *v, FILE *out)
{
	const char *points = points_of(v->report);
	if (points)
		fprintf(out, "mean error here %s points", points);
	else
		fprintf(out, "not scored here; mean error elsewhere up to %.2f points", v->error);
}

static void plain_fact(const struct verdict *v, const char *name, FILE *out)
{
	const struct run_report *r = v->report;
	char text[32];
	const struct {
		const char *name;
		int decimals;
		double value;
	} numbers[] = {{"before_main", 0, v->before_main},
		       {"commit.share", 1, v->commit},
		       {"commit.rate", 1, format_ratio((double)r->instructions, (double)r->causes[0].cycles)},
		       {"width", 0, r->width},
		       {"base_error", 1, r->costs.base_error},
		       {"pair", 1, fabs(v->pair)},
		       {"unknown", 1, v->unknown}};
	for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
		if (!strcmp(numbers[i].name, name))
			fprintf(out, "%.*f", numbers[i].decimals, numbers[i].value);
	if (!strcmp(name, "instructions"))
		fputs(format_grouped((int64_t)v->instructions, text), out);
	if (!strcmp(name, "method"))
		fputs(v->method, out);
	if (!strcmp(name, "trust"))
		trust_fact(v, out);
}

static void fact(const struct verdict *v, const char *name, FILE *out)
{
	const struct {
		const char *prefix;
		void (*print)(const struct verdict *v, int which, const char *key, FILE *out);
		int which;
	} owners[] = {{"first.", cause_fact, v->first},	    {"second.", cause_fact, v->second},
		      {"third.", cause_fact, v->third},	    {"class.", class_fact, v->class},
		      {"partner.", class_fact, v->partner}, {"most.", class_fact, v->most}};
	for (size_t i = 0; i < sizeof owners / sizeof owners[0]; i++) {
		size_t length = strlen(owners[i].prefix);
		if (!strncmp(name, owners[i].prefix, length)) {
			owners[i].print(v, owners[i].which, name + length, out);
			return;
		}
	}
	plain_fact(v, name, out);
}

static void fill_in(const struct verdict *v, const char *template, char *text, size_t size)
{
	FILE *out = fmemopen(text, size, "w");
	*text = 0;
	for (const char *c = template; out && *c; c++) {
		char name[32];
		if (*c != '{') {
			fputc(*c, out);
			continue;
		}
		snprintf(name, sizeof name, "%.*s", (int)strcspn(c + 1, "}"), c + 1);
		fact(v, name, out);
		c += strcspn(c, "}");
	}
	if (out)
		fclose(out);
	text[size - 1] = 0;
}

const char *verdict_rule(enum verdict_sentence sentence)
{
	return sentences_table[sentence].rule;
}

void verdict_say(const struct verdict *v, enum verdict_sentence sentence, char *text, size_t size)
{
	fill_in(v, sentences_table[sentence].template, text, size);
}

unsigned verdict_next(const struct verdict *v, struct verdict_next *rows, unsigned most)
{
	unsigned n = 0;
#define NEXT(name, condition, options_, why_)                                  \
	if (n < most && (condition)) {                                         \
		fill_in(v, options_, rows[n].options, sizeof rows[n].options); \
		rows[n++].why = why_;                                          \
	}
#include "report/run/next.def"
	return n;
}

bool verdict_next_is_other(const char *options)
{
	return !strncmp(options, "truth ", 6) || !strcmp(options, "annotate");
}

unsigned verdict_command(const struct run_report *r, const char *options, const char *result, char *text, size_t size)
{
	if (result && !strcmp(options, "annotate"))
		return (unsigned)snprintf(text, size, "culprit annotate %s", result);
	return (unsigned)snprintf(text, size, "culprit %s%s %s-- %s", verdict_next_is_other(options) ? "" : "run ",
				  options, r->command ? r->command : "... ", r->words ? r->words : r->program);
}
