#include "with/graph_causes.h"

#include "machine/machine.h"

#include <stdio.h>
#include <string.h>

static bool parse_events(const char *name, culprit_event_set *events, struct error *err)
{
	char list[CULPRIT_GRAPH_NAME];
	snprintf(list, sizeof list, "%s", name);
	for (char *p = list; (p = strchr(p, '+'));)
		*p = ',';
	TRY(culprit_event_set_parse(list, events, err));
	return *events || error_set(err, ERROR_USAGE, "a cause has no event class");
}

/* The cause that *list begins with; *list then stands behind it and its comma, or is NULL. */
static bool next_cause(const char **list, struct causes_params *params, struct error *err)
{
	size_t length = strcspn(*list, ",");
	struct culprit_graph_class *to = &params->causes[params->count];
	if (params->count == CAUSES_MOST)
		return error_set(err, ERROR_USAGE, "more than %d causes", CAUSES_MOST);
	if (!length || length >= sizeof to->name)
		return error_set(err, ERROR_USAGE, "a cause is of 1 to %zu letters: EVENT[+EVENT...]",
				 sizeof to->name - 1);
	*to = (struct culprit_graph_class){.events = 0};
	memcpy(to->name, *list, length);
	TRY(parse_events(to->name, &to->events, err));
	params->count++;
	*list = (*list)[length] ? *list + length + 1 : NULL;
	return true;
}

/* Every event with those that it is part of, or that are part of it. */
static culprit_event_set related(culprit_event_set events)
{
	static const uint8_t base[CULPRIT_EVENT_COUNT] = {
#define EVENT_CLASS(name, base, what) CULPRIT_EVENT_##base,
#include "culprit/event_class.def"
	};
	culprit_event_set all = 0;
	for (unsigned a = 0; a < CULPRIT_EVENT_COUNT; a++)
		for (unsigned b = 0; b < CULPRIT_EVENT_COUNT; b++)
			if ((events >> a & 1) && (a == b || base[a] == b || base[b] == a))
				all |= 1u << b;
	return all;
}

bool graph_causes_within(const struct culprit_graph_class *cause, unsigned base)
{
	return !(cause->events & ~related(1u << base));
}

static bool check_apart(const struct causes_params *params, struct error *err)
{
	for (uint32_t a = 0; a < params->count; a++)
		for (uint32_t b = a + 1; b < params->count; b++)
			if (related(params->causes[a].events) & params->causes[b].events)
				return error_set(err, ERROR_USAGE, "%s and %s have events in common",
						 params->causes[a].name, params->causes[b].name);
	return true;
}

static bool parse_list(const char *list, struct causes_params *params, struct error *err)
{
	params->count = 0;
	while (list)
		TRY(next_cause(&list, params, err));
	return check_apart(params, err);
}

bool graph_causes_parse(const char *list, struct causes_params *params, struct error *err)
{
	return parse_list(list, params, err) || error_context(err, "--graph-causes %.100s", list);
}

bool graph_causes_create(struct causes **causes, const char *list, struct causes_params *params, culprit_event_set lost,
			 struct error *err)
{
	const char *why;
	if (!list)
		return true;
	TRY(graph_causes_parse(list, params, err));
	for (uint32_t i = 0; i < params->count; i++)
		if (related(params->causes[i].events) & lost)
			return error_set(err, ERROR_USAGE, "--graph-causes: the records do not tell of %s",
					 params->causes[i].name);
	*causes = causes_create(params, &why);
	return *causes || error_set(err, ERROR_USAGE, "--graph-causes with --graph-passes %u: %s", params->passes, why);
}

const char *graph_causes_finish(struct causes *causes, struct graph_causes *report)
{
	_Static_assert((int)CAUSES_MOST == (int)GRAPH_CAUSES_MOST, "one for each");
	struct causes_results x;
	const char *wrong = causes_finish(causes, &x);
	if (wrong)
		return wrong;
	*report = (struct graph_causes){.count = x.count, .graphs = x.passes, .samples = x.samples, .cycles = x.time};
	report->rest = x.rest;
	report->apart = x.apart;
	report->times = x.times;
	for (uint32_t a = 0; a < x.count; a++) {
		struct graph_causes_row *row = &report->rows[a];
		*row = (struct graph_causes_row){.cost = x.cost[a], .share = x.shapley[a]};
		memcpy(row->name, x.names[a], sizeof row->name);
		row->half = causes_half_interval(x.error[a], x.samples);
		for (uint32_t b = 0; b < x.count; b++)
			report->pairs[a][b] = (struct graph_causes_pair){x.icost[a][b], x.interaction[a][b]};
	}
	return NULL;
}
