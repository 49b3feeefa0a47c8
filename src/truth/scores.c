#include "analysis/truth/score.h"
#include "base/nearest.h"
#include "truth/truth.h"

#include <stdlib.h>
#include <string.h>

#define SCORE(name, reference) extern const struct score_method score_##name;
#include "truth/scores.def"

static const struct {
	const char *name;
	bool reference;
	const struct score_method *method;
} known[] = {
#define SCORE(name, reference) {#name, reference, &score_##name},
#include "truth/scores.def"
};
enum { KNOWN = sizeof known / sizeof known[0] };
_Static_assert(KNOWN <= 32, "a bit each in truth_scores.chosen");

/* --- choosing --- */

static bool unknown(const char *name, size_t length, struct error *err)
{
	char list[200] = "";
	struct nearest near;
	nearest_begin(&near, name, length);
	for (size_t i = 0; i < KNOWN; i++) {
		nearest_consider(&near, known[i].name);
		strncat(list, i ? ", " : "", sizeof list - strlen(list) - 1);
		strncat(list, known[i].name, sizeof list - strlen(list) - 1);
	}
	return error_set(err, ERROR_USAGE, "--score: no method '%.*s'%s (there are %s)", (int)length, name,
			 nearest_hint(&near), list);
}

static bool choose(struct truth_scores *s, struct options *o, const char *name, size_t length, struct error *err)
{
	for (size_t i = 0; i < KNOWN; i++) {
		if (strlen(known[i].name) != length || strncmp(known[i].name, name, length))
			continue;
		if (s->chosen >> i & 1)
			return error_set(err, ERROR_USAGE, "--score: %s was named twice", known[i].name);
		s->chosen |= 1u << i;
		o->reference |= known[i].reference;
		return true;
	}
	return unknown(name, length, err);
}

bool truth_scores_choose(struct truth_scores *s, struct options *o, struct error *err)
{
	if (o->score && o->sweeps.count)
		return error_set(err, ERROR_USAGE, "--score cannot be combined with --sweep");
	for (const char *list = o->score; list; list++) {
		size_t length = strcspn(list, ",");
		TRY(choose(s, o, list, length, err));
		list += length;
		if (!*list)
			return true;
	}
	return true;
}

/* --- in the child --- */

bool truth_scores_create(struct truth *t, struct error *err)
{
	struct analysis_context context = {.options = &t->options, .machine = &t->session.machine};
	return !t->scores.chosen || analyses_create(&t->session.analyses, t->options.score, &context, err);
}

bool truth_scores_prepare(struct truth *t, struct error *err)
{
	struct truth_scores *s = &t->scores;
	if (!s->chosen)
		return true;
	bool good = truth_scores_create(t, err); /* only to see that they can be */
	analyses_destroy(&t->session.analyses);
	if (!good)
		return error_context(err, "--score");
	s->found = tmpfile();
	return s->found || error_set(err, ERROR_SYSTEM, "--score: cannot make a temporary file");
}

bool truth_scores_hand_over(struct truth *t, const struct analysis_totals *totals, struct error *err)
{
	if (!t->scores.chosen)
		return true;
	TRY(analyses_finish(&t->session.analyses, totals, err));
	json_t *root = json_object();
	if (root)
		analyses_json(&t->session.analyses, root);
	bool good = root && !json_dumpf(root, t->scores.found, JSON_COMPACT) && !fflush(t->scores.found);
	json_decref(root);
	return good || error_set(err, ERROR_SYSTEM, "--score: cannot hand over what was found");
}

/* --- in the parent --- */

struct truth_score *score_table(struct truth_report *r, const char *method, const char *variant, const char *label,
				const char *against, size_t rows)
{
	struct truth_score *grown = realloc(r->scores, (r->score_count + 1) * sizeof *grown);
	if (!grown)
		return NULL;
	r->scores = grown;
	struct truth_score *s = &grown[r->score_count];
	*s = (struct truth_score){.method = method,
				  .variant = variant,
				  .label = label,
				  .against = against,
				  .truth_base = r->cycles,
				  .rows = calloc(rows + 1, sizeof *s->rows)};
	if (!s->rows)
		return NULL;
	r->score_count++;
	return s;
}

void score_row(struct truth_score *s, const char *name, int64_t truth, int64_t method, uint32_t size, bool counted)
{
	struct truth_score_row *row = &s->rows[s->count++];
	*row = (struct truth_score_row){.size = size, .counted = counted, .truth = truth, .method = method};
	snprintf(row->name, sizeof row->name, "%s", name);
	row->truth_percent = truth_score_percent((double)truth, (double)s->truth_base);
	row->method_percent = truth_score_percent((double)method, (double)s->method_base);
}

void score_finish(struct truth_score *s)
{
	struct truth_score_point *points = calloc(s->count + 1, sizeof *points);
	for (size_t i = 0; points && i < s->count; i++) {
		const struct truth_score_row *row = &s->rows[i];
		points[i] = (struct truth_score_point){row->truth_percent, row->method_percent, row->counted,
						       row->size == 1};
	}
	struct truth_score_summary sum = truth_score_summarise(points, points ? s->count : 0);
	s->counted = sum.count;
	s->singles = sum.singles;
	s->mean = sum.mean;
	s->mean_singles = sum.mean_singles;
	s->worst = sum.worst;
	s->relative = sum.relative;
	s->relative_count = sum.relative_count;
	free(points);
}

static bool fill(struct truth *t, const json_t *root, struct error *err)
{
	for (size_t i = 0; i < KNOWN; i++) {
		if (!(t->scores.chosen >> i & 1))
			continue;
		const json_t *found = json_object_get(root, known[i].name);
		if (!found)
			return error_set(err, ERROR_INTERNAL, "--score %s: it published nothing", known[i].name);
		if (!known[i].method->fill(t, found, err))
			return error_context(err, "--score %s", known[i].name);
	}
	return true;
}

bool truth_scores_fill(struct truth *t, struct error *err)
{
	if (!t->scores.chosen || !truth_outcome(t, 0, 0))
		return true;
	json_error_t why;
	rewind(t->scores.found);
	json_t *root = json_loadf(t->scores.found, 0, &why);
	if (!root)
		return error_set(err, ERROR_INTERNAL, "--score: %s", why.text);
	bool good = fill(t, root, err);
	json_decref(root);
	return good;
}

void truth_scores_destroy(struct truth_scores *s)
{
	if (s->found)
		fclose(s->found);
	s->found = NULL;
}
