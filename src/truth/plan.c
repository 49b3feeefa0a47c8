#include "truth/plan.h"

#include <stdlib.h>
#include <string.h>

/* --- names --- */

void truth_set_name(culprit_event_set set, char *text, size_t size)
{
	size_t used = (size_t)snprintf(text, size, "%s", set ? "" : "base");
	for (unsigned i = 0; i < CULPRIT_EVENT_COUNT; i++)
		if ((set >> i & 1) && used < size)
			used += (size_t)snprintf(text + used, size - used, "%s%s", used ? "+" : "",
						 culprit_event_name(i));
}

static culprit_event_set finer_than(enum culprit_event_class base)
{
	static const uint8_t bases[] = {
#define EVENT_CLASS(name, base_, what) CULPRIT_EVENT_##base_,
#include "culprit/event_class.def"
	};
	culprit_event_set set = 0;
	for (unsigned i = 0; i < CULPRIT_EVENT_COUNT; i++)
		if (bases[i] == base && i != base)
			set |= 1u << i;
	return set;
}

culprit_event_set truth_plan_events(const struct truth_plan *plan, uint32_t set)
{
	culprit_event_set events = 0;
	for (uint32_t i = 0; i < plan->class_count; i++)
		if (set >> i & 1)
			events |= 1u << plan->classes[i];
	for (unsigned i = 0; i < CULPRIT_BASE_EVENTS; i++)
		if (events >> i & 1) /* a base class holds its finer ones: one simulation serves both */
			events &= ~finer_than(i);
	return events;
}

/* --- jobs --- */

size_t truth_plan_find(const struct truth_plan *plan, uint32_t point, culprit_event_set ideal)
{
	for (size_t i = 0; i < plan->job_count; i++)
		if (plan->jobs[i].point == point && plan->jobs[i].ideal == ideal)
			return i;
	return SIZE_MAX;
}

static bool need(struct truth_plan *plan, uint32_t point, culprit_event_set ideal, struct error *err)
{
	if (truth_plan_find(plan, point, ideal) != SIZE_MAX)
		return true;
	if (plan->job_count == plan->job_room) {
		size_t room = plan->job_room ? 2 * plan->job_room : 64;
		struct truth_job *grown = realloc(plan->jobs, room * sizeof *grown);
		if (!grown)
			return error_set(err, ERROR_SYSTEM, "out of memory for the plan");
		plan->jobs = grown;
		plan->job_room = room;
	}
	plan->jobs[plan->job_count++] = (struct truth_job){point, ideal};
	return true;
}

static bool need_sets(struct truth_plan *plan, uint32_t point, struct error *err)
{
	for (uint32_t i = 0; i < plan->class_count; i++)
		TRY(need(plan, point, truth_plan_events(plan, 1u << i), err));
	for (size_t i = 0; i < plan->set_count; i++) {
		uint32_t set = plan->sets[i];
		for (uint32_t part = set; part; part = (part - 1) & set)
			TRY(need(plan, point, truth_plan_events(plan, part), err));
	}
	return true;
}

static bool need_reference(struct truth_plan *plan, struct error *err)
{
	for (unsigned order = 0; order < TRUTH_ORDERS; order++)
		for (uint32_t step = 0; step <= TRUTH_REFERENCE_ROWS; step++)
			TRY(need(plan, 0, truth_reference_ideal(order, step), err));
	return true;
}

static bool list_jobs(struct truth_plan *plan, struct error *err)
{
	TRY(need(plan, 0, 0, err));
	uint32_t row = plan->sweep_count ? plan->sweeps[plan->sweep_count - 1].count : 1;
	for (uint32_t point = 0; point < plan->point_count; point++) {
		TRY(need(plan, point, 0, err));
		if (point % row == 0)
			TRY(need_sets(plan, point, err));
	}
	return !plan->reference || need_reference(plan, err);
}

/* --- classes --- */

static bool parse_class(const char *name, size_t length, enum culprit_event_class *class, struct error *err)
{
	char word[40];
	culprit_event_set set = 0;
	snprintf(word, sizeof word, "%.*s", (int)(length < sizeof word ? length : sizeof word - 1), name);
	if (!strcmp(word, "all") || !strcmp(word, "none") || !*word)
		return error_set(err, ERROR_USAGE, "'%s' is not one event class", word);
	TRY(culprit_event_set_parse(word, &set, err));
	*class = (enum culprit_event_class)__builtin_ctz(set);
	return true;
}

static bool add_class(struct truth_plan *plan, const char *name, size_t length, struct error *err)
{
	enum culprit_event_class class = 0;
	TRY(parse_class(name, length, &class, err));
	for (uint32_t i = 0; i < plan->class_count; i++)
		if (plan->classes[i] == class)
			return error_set(err, ERROR_USAGE, "%s was named twice", culprit_event_name(class));
	plan->classes[plan->class_count++] = (uint8_t) class;
	return true;
}

static bool parse_classes(struct truth_plan *plan, const char *list, struct error *err)
{
	if (!strcmp(list, "all")) {
		for (unsigned i = 0; i < CULPRIT_BASE_EVENTS; i++)
			plan->classes[plan->class_count++] = (uint8_t)i;
		return true;
	}
	for (;; list++) {
		size_t length = strcspn(list, ",");
		if (!add_class(plan, list, length, err))
			return error_context(err, "--classes");
		list += length;
		if (!*list)
			return true;
	}
}

/* --- pairs --- */

static bool add_set(struct truth_plan *plan, uint32_t set, struct error *err)
{
	for (size_t i = 0; i < plan->set_count; i++)
		if (plan->sets[i] == set)
			return true;
	uint32_t *grown = realloc(plan->sets, (plan->set_count + 1) * sizeof *grown);
	if (!grown)
		return error_set(err, ERROR_SYSTEM, "out of memory for the plan");
	plan->sets = grown;
	plan->sets[plan->set_count++] = set;
	return true;
}

static bool chosen_class(const struct truth_plan *plan, const char *name, size_t length, uint32_t *bit,
			 struct error *err)
{
	enum culprit_event_class class = 0;
	TRY(parse_class(name, length, &class, err));
	for (uint32_t i = 0; i < plan->class_count; i++)
		if (plan->classes[i] == class) {
			*bit = 1u << i;
			return true;
		}
	return error_set(err, ERROR_USAGE, "%s is not among the classes (see --classes)", culprit_event_name(class));
}

static bool add_pair(struct truth_plan *plan, const char *pair, size_t length, struct error *err)
{
	size_t first = strcspn(pair, "+,");
	uint32_t a = 0, b = 0;
	if (first >= length || memchr(pair + first + 1, '+', length - first - 1))
		return error_set(err, ERROR_USAGE, "'%.*s' is not a pair like dl1+win", (int)length, pair);
	TRY(chosen_class(plan, pair, first, &a, err));
	TRY(chosen_class(plan, pair + first + 1, length - first - 1, &b, err));
	if (a == b)
		return error_set(err, ERROR_USAGE, "'%.*s' is twice the same class", (int)length, pair);
	return add_set(plan, a | b, err);
}

static bool all_pairs(struct truth_plan *plan, uint32_t focus, struct error *err)
{
	for (uint32_t i = 0; i < plan->class_count; i++)
		for (uint32_t j = i + 1; j < plan->class_count; j++)
			if (!focus || ((1u << i | 1u << j) & focus))
				TRY(add_set(plan, 1u << i | 1u << j, err));
	return true;
}

/* "focus dl1", "focus=dl1" */
static bool focus_pairs(struct truth_plan *plan, const char *text, struct error *err)
{
	uint32_t focus = 0;
	text += strspn(text, " =:");
	if (!*text)
		return error_set(err, ERROR_USAGE, "focus needs a class: focus=dl1");
	TRY(chosen_class(plan, text, strlen(text), &focus, err));
	return all_pairs(plan, focus, err);
}

static bool listed_pairs(struct truth_plan *plan, const char *list, struct error *err)
{
	for (;; list++) {
		size_t length = strcspn(list, ",");
		TRY(add_pair(plan, list, length, err));
		list += length;
		if (!*list)
			return true;
	}
}

static bool parse_pairs(struct truth_plan *plan, const char *text, struct error *err)
{
	bool good = true;
	if (!strcmp(text, "all"))
		good = all_pairs(plan, 0, err);
	else if (!strncmp(text, "focus", 5) && (!text[5] || strchr(" =:", text[5])))
		good = focus_pairs(plan, text + 5, err);
	else if (strcmp(text, "none"))
		good = listed_pairs(plan, text, err);
	return good || error_context(err, "--pairs");
}

/* All sets of two and more, the smaller first. */
static bool power_set(struct truth_plan *plan, struct error *err)
{
	if (plan->class_count > TRUTH_FULL_MAX)
		return error_set(err, ERROR_USAGE, "--full: %u classes need %u simulations; at most %d classes",
				 plan->class_count, 1u << plan->class_count, TRUTH_FULL_MAX);
	for (uint32_t size = 2; size <= plan->class_count; size++)
		for (uint32_t set = 1; set < 1u << plan->class_count; set++)
			if ((uint32_t)__builtin_popcount(set) == size)
				TRY(add_set(plan, set, err));
	return true;
}

/* --- sweeps --- */

static bool parse_sweep(struct truth_sweep *s, const char *text, struct error *err)
{
	size_t key = strcspn(text, "=");
	if (!key || text[key] != '=' || key >= sizeof s->key)
		return error_set(err, ERROR_USAGE, "--sweep %s: expected KEY=V1,V2,...", text);
	memcpy(s->key, text, key);
	for (const char *v = text + key + 1;; v++) {
		size_t length = strcspn(v, ",");
		if (!length)
			return error_set(err, ERROR_USAGE, "--sweep %s: an empty value", text);
		if (s->count == TRUTH_VALUES_MAX)
			return error_set(err, ERROR_USAGE, "--sweep %s: more than %d values", s->key, TRUTH_VALUES_MAX);
		if (!(s->values[s->count] = strndup(v, length)))
			return error_set(err, ERROR_SYSTEM, "out of memory for the plan");
		s->count++;
		v += length;
		if (!*v)
			return true;
	}
}

static bool parse_sweeps(struct truth_plan *plan, const struct text_list *l, struct error *err)
{
	if (l->count > TRUTH_SWEEPS_MAX)
		return error_set(err, ERROR_USAGE, "--sweep was given %zu times: at most %d", l->count,
				 TRUTH_SWEEPS_MAX);
	plan->point_count = 1;
	for (size_t i = 0; i < l->count; i++) {
		struct truth_sweep *s = &plan->sweeps[plan->sweep_count++];
		TRY(parse_sweep(s, l->items[i], err));
		for (uint32_t j = 0; j + 1 < plan->sweep_count; j++)
			if (!strcmp(plan->sweeps[j].key, s->key))
				return error_set(err, ERROR_USAGE, "--sweep: %s was given twice", s->key);
		plan->point_count *= s->count;
		if (plan->point_count > TRUTH_POINTS_MAX)
			return error_set(err, ERROR_USAGE, "--sweep: the grid has more than %d points",
					 TRUTH_POINTS_MAX);
	}
	return true;
}

uint32_t truth_plan_value(const struct truth_plan *plan, uint32_t point, uint32_t s)
{
	for (uint32_t i = plan->sweep_count - 1; i > s; i--)
		point /= plan->sweeps[i].count;
	return point % plan->sweeps[s].count;
}

bool truth_plan_apply(const struct truth_plan *plan, uint32_t point, struct machine *m, struct error *err)
{
	for (uint32_t i = 0; i < plan->sweep_count; i++) {
		const struct truth_sweep *s = &plan->sweeps[i];
		char assignment[200];
		snprintf(assignment, sizeof assignment, "%s=%s", s->key, s->values[truth_plan_value(plan, point, i)]);
		if (!machine_set(m, assignment, err))
			return error_context(err, "--sweep");
	}
	return !plan->sweep_count || machine_check(m, m->name, err);
}

void truth_point_name(const struct truth_plan *plan, uint32_t point, uint32_t sweeps, char *text, size_t size)
{
	size_t used = 0;
	text[0] = 0;
	for (uint32_t i = 0; i < sweeps && used < size; i++)
		used += (size_t)snprintf(text + used, size - used, "%s%s=%s", i ? ", " : "", plan->sweeps[i].key,
					 plan->sweeps[i].values[truth_plan_value(plan, point, i)]);
}

/* --- all together --- */

static bool check_options(const struct options *o, struct error *err)
{
	if (o->full && o->pairs)
		return error_set(err, ERROR_USAGE, "--full has every pair already: it cannot be combined with --pairs");
	if (o->sweeps.count && (o->full || o->reference))
		return error_set(err, ERROR_USAGE, "--sweep cannot be combined with --full or --reference");
	return true;
}

bool truth_plan_create(struct truth_plan *plan, const struct options *o, struct error *err)
{
	memset(plan, 0, sizeof *plan);
	plan->full = o->full;
	plan->reference = o->reference;
	TRY(check_options(o, err));
	TRY(parse_sweeps(plan, &o->sweeps, err));
	TRY(parse_classes(plan, o->classes ? o->classes : o->sweeps.count ? "dl1,win" : "all", err));
	if (o->full)
		TRY(power_set(plan, err));
	else
		TRY(parse_pairs(plan, o->pairs ? o->pairs : "all", err));
	return list_jobs(plan, err);
}

void truth_plan_destroy(struct truth_plan *plan)
{
	for (uint32_t i = 0; i < plan->sweep_count; i++)
		for (uint32_t j = 0; j < plan->sweeps[i].count; j++)
			free(plan->sweeps[i].values[j]);
	free(plan->sets);
	free(plan->jobs);
	plan->sets = NULL;
	plan->jobs = NULL;
	plan->sweep_count = 0;
}
