#include "report/run/verdict.h"

#include "report/format.h"
#include "report/graph/report.h"
#include "report/run/trust.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- what is the case --- */

static double percent(uint64_t part, uint64_t whole)
{
	return 100 * format_ratio((double)part, (double)whole);
}

/* -1: there is none whose cost is told. */
static int class_of(const struct report_costs *c, const char *event)
{
	for (uint32_t i = 0; event && i < c->count; i++)
		if (!strcmp(c->classes[i].name, event))
			return c->classes[i].withheld ? -1 : (int)i;
	return -1;
}

static bool is_withheld(const struct report_costs *c, const char *event)
{
	for (uint32_t i = 0; event && i < c->count; i++)
		if (!strcmp(c->classes[i].name, event))
			return c->classes[i].withheld;
	return false;
}

/* Of the cause's class, which is what can be removed; where no method told costs, and of a cause without a class, 0. */
static double cost_of(const struct verdict *v, const struct report_cause *cause)
{
	const struct report_costs *c = &v->report->costs;
	int class = c->method && c->trusted ? class_of(c, cause->event) : -1;
	return class < 0 ? 0 : c->classes[class].cost;
}

/* One change removes both, as far as costs can tell. */
static bool same_class(const struct verdict *v, int a, int b)
{
	const struct report_cause *causes = v->report->causes;
	return cost_of(v, &causes[a]) > 0 && causes[b].event && !strcmp(causes[a].event, causes[b].event);
}

static bool comes_before(const struct verdict *v, int a, int b)
{
	const struct report_cause *causes = v->report->causes;
	double x = cost_of(v, &causes[a]), y = cost_of(v, &causes[b]);
	return x > y || (x >= y && causes[a].cycles > causes[b].cycles);
}

/* Of the causes with 5% of the time the one that costs most, or has most cycles, and that is none of those already
 * `taken` nor of their classes; -1 = none. */
static int next_cause(const struct verdict *v, const int *taken, size_t count)
{
	const struct run_report *r = v->report;
	int best = -1;
	for (int i = 0; i < (int)r->cause_count; i++) {
		bool free = !r->causes[i].nobodys && percent(r->causes[i].cycles, r->cycles) >= 5;
		for (size_t t = 0; t < count && taken[t] >= 0; t++)
			free &= taken[t] != i && !same_class(v, i, taken[t]);
		if (free && (best < 0 || comes_before(v, i, best)))
			best = i;
	}
	return best;
}

/* The first is the largest share, whatever it costs. */
static int largest_cause(const struct run_report *r)
{
	int best = -1;
	for (int i = 0; i < (int)r->cause_count; i++)
		if (!r->causes[i].nobodys && percent(r->causes[i].cycles, r->cycles) >= 5 &&
		    (best < 0 || r->causes[i].cycles > r->causes[best].cycles))
			best = i;
	return best;
}

/* The class whose cost is told and that is this cause by itself, or nearly: a cost is the whole class's. -1: none. */
static int whole_class(const struct verdict *v, int cause)
{
	const struct run_report *r = v->report;
	const char *event = r->causes[cause].event;
	int class = v->method && v->trusted ? class_of(&r->costs, event) : -1;
	uint64_t others = 0;
	for (uint32_t i = 0; class >= 0 && i < r->cause_count; i++)
		if ((int)i != cause && r->causes[i].event && !strcmp(r->causes[i].event, event))
			others += r->causes[i].cycles;
	return percent(others, r->cycles) < 1 ? class : -1;
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
	const struct trust *trust = trust_of(r);
	v->error = trust ? strtod(trust->points, NULL) : trust_worst();
	for (uint32_t i = 0; i < c->count; i++)
		if (!c->classes[i].withheld && (v->most < 0 || c->classes[i].cost > c->classes[v->most].cost))
			v->most = (int)i;
	v->most_cost = v->most < 0 ? 0 : c->classes[v->most].cost;
	v->next_most = v->second >= 0 && v->most >= 0 && whole_class(v, v->second) == v->most;
	v->withheld = v->first >= 0 && is_withheld(c, r->causes[v->first].event);
	v->class = v->first < 0 ? -1 : class_of(c, r->causes[v->first].event);
	if (v->class < 0)
		return;
	v->cost = c->classes[v->class].cost;
	for (uint32_t i = 0; i < c->count; i++)
		if ((int)i != v->class && !c->classes[i].withheld &&
		    (v->partner < 0 || fabs(c->pairs[v->class][i]) > fabs(v->pair))) {
			v->partner = (int)i;
			v->pair = c->pairs[v->class][i];
		}
}

void verdict_find(struct verdict *v, const struct run_report *r)
{
	*v = (struct verdict){.report = r, .cut = r->cut != NULL, .instructions = r->instructions};
	const int first = largest_cause(r), second = first < 0 ? -1 : next_cause(v, &first, 1),
		  both[] = {first, second};
	v->first = first;
	v->second = second;
	v->third = second < 0 ? -1 : next_cause(v, both, 2);
	v->before_main = percent(r->before_main, r->cycles);
	v->commit = r->cause_count ? percent(r->causes[0].cycles, r->cycles) : 0;
	for (uint32_t i = 0; i < r->cause_count; i++)
		if (!strcmp(r->causes[i].name, "unknown"))
			v->unknown = percent(r->causes[i].cycles, r->cycles);
	if (v->first >= 0)
		v->first_place = percent(r->causes[v->first].spot.weight, r->causes[v->first].cycles);
	v->critical = r->has_critical;
	v->again = !r->samples && !r->records;
	v->checkpoint = r->words && !*r->words;
	find_costs(v, r);
}

/* --- the rules --- */

enum place { START, FIRST, GAIN, TOGETHER, ALONE, OTHERS, TRUST, PLACES };
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

/* Where a sentence is written, and what is left of it: no stream, since that takes memory. */
struct room {
	char *at;
	size_t left;
};

static void __attribute__((format(printf, 2, 3))) say(struct room *out, const char *format, ...)
{
	va_list list;
	va_start(list, format);
	int length = vsnprintf(out->at, out->left, format, list);
	va_end(list);
	size_t taken = length < 0 ? 0 : (size_t)length < out->left ? (size_t)length : out->left - 1;
	out->at += taken;
	out->left -= taken;
}

static void worth_fact(const struct verdict *v, int cause, struct room *out)
{
	int class = whole_class(v, cause);
	if (class >= 0)
		say(out, ", worth %.1f%%", v->report->costs.classes[class].cost);
}

/* Where it is. Sampled, a wait may be known from what was counted everywhere, and no sample have it. */
static void place_fact(const struct report_cause *c, const char *key, struct room *out)
{
	const double part = percent(c->spot.weight, c->cycles);
	const char *place = c->spot.place, *function = c->spot.function;
	if (!c->spot.weight)
		say(out, *key == 't' ? ", in places that no sample met" : " (met by no sample)");
	else if (!strcmp(key, "there"))
		say(out, ", %.0f%% of that at %s in %s", part, place, function);
	else if (!strcmp(key, "spread"))
		say(out, ", spread over many places; the worst has %.0f%% of it, %s in %s", part, place, function);
	else if (!strcmp(key, "only"))
		say(out, " (%s)", place);
	else
		say(out, " (%s%s in %s)", !strcmp(key, "most") ? "most at " : "", place, function);
}

static void cause_fact(const struct verdict *v, int cause, const char *key, struct room *out)
{
	const struct run_report *r = v->report;
	const struct report_cause *c = cause < 0 ? NULL : &r->causes[cause];
	if (c && !strcmp(key, "share"))
		say(out, "%.1f", percent(c->cycles, r->cycles));
	if (c && !strcmp(key, "share") && r->samples && r->confidence > 0)
		say(out, " +- %.1f", 100 * format_ratio(c->half, (double)r->cycles));
	if (!c || !strcmp(key, "share"))
		return;
	if (!strcmp(key, "words"))
		say(out, "%s", c->words);
	else if (!strcmp(key, "worth"))
		worth_fact(v, cause, out);
	else
		place_fact(c, key, out);
}

static void class_fact(const struct verdict *v, int class, const char *key, struct room *out)
{
	if (class < 0)
		return;
	const struct report_costs *c = &v->report->costs;
	const char *name = c->classes[class].name;
	const bool deed = !strcmp(key, "deed");
	char text[GRAPH_SIZE];
	if (!strcmp(key, "cost"))
		say(out, "%s", graph_size(c->classes[class].cost, c->classes[class].low, c->classes[class].high, text));
	else if (!strcmp(key, "name"))
		say(out, "%s", name);
	else if (deed && !strcmp(name, "win"))
		say(out, "enlarging the window");
	else
		say(out, "%s%s", deed ? "removing " : "", verdict_class_words(name));
}

static void trust_fact(const struct verdict *v, struct room *out)
{
	const struct trust *trust = trust_of(v->report);
	if (v->report->foreign || v->report->lacking)
		say(out, "mean error up to %.2f points where Culprit's own core tells all; of these records not known",
		    v->error);
	else if (v->report->costs.unscored)
		say(out, "not scored with %s; mean error without it up to %.2f points", v->report->costs.unscored,
		    v->error);
	else if (trust)
		say(out, "mean error of %s programs on this machine %s points", trust->programs, trust->points);
	else
		say(out, "not scored on this machine; mean error on others up to %.2f points", v->error);
}

static void plain_fact(const struct verdict *v, const char *name, struct room *out)
{
	const struct run_report *r = v->report;
	char text[32], size[GRAPH_SIZE];
	const struct {
		const char *name;
		int decimals;
		double value;
	} numbers[] = {{"before_main", 0, v->before_main},
		       {"commit.share", 1, v->commit},
		       {"commit.rate", 1, format_ratio((double)r->instructions, (double)r->causes[0].cycles)},
		       {"width", 0, r->width},
		       {"base_error", 1, r->costs.base_error},
		       {"alone.cost", 1, fmax(r->costs.alone.cost, 0)},
		       {"window.cost", 1, fmax(r->costs.window.cost, 0)},
		       {"lacking", 0, r->lacking},
		       {"parts", 0, (double)r->parts},
		       {"unknown", 1, v->unknown}};
	const char *const texts[][2] = {{"gaps", r->costs.gaps},
					{"method", v->method},
					{"alone.name", r->costs.alone.name},
					{"window.name", r->costs.window.name},
					{"show", r->records ? "" : " (all of them: --show graph)"}};
	for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
		if (!strcmp(numbers[i].name, name))
			say(out, "%.*f", numbers[i].decimals, numbers[i].value);
	for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
		if (!strcmp(texts[i][0], name))
			say(out, "%s", texts[i][1]);
	if (!strcmp(name, "instructions"))
		say(out, "%s", format_grouped((int64_t)v->instructions, text));
	if (!strcmp(name, "samples"))
		say(out, "%s", format_grouped((int64_t)r->samples, text));
	if (!strcmp(name, "confidence"))
		say(out, "%g", r->confidence);
	if (!strcmp(name, "pair"))
		say(out, "%s",
		    graph_pair_size(v->pair, r->costs.pair_low[v->class][v->partner],
				    r->costs.pair_high[v->class][v->partner], size));
	if (!strcmp(name, "trust"))
		trust_fact(v, out);
}

static void fact(const struct verdict *v, const char *name, struct room *out)
{
	const struct {
		const char *prefix;
		void (*print)(const struct verdict *v, int which, const char *key, struct room *out);
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
	struct room out = {text, size};
	*text = 0;
	for (const char *c = template; *c; c++) {
		char name[32];
		if (*c != '{') {
			say(&out, "%c", *c);
			continue;
		}
		snprintf(name, sizeof name, "%.*s", (int)strcspn(c + 1, "}"), c + 1);
		fact(v, name, &out);
		c += strcspn(c, "}");
	}
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
