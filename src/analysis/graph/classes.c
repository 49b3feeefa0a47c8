/* Classes of events: which lanes' bit each has, and which bits own an event. */
#include "analysis/graph/state.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The base class that a row of event_class.def is part of. */
static unsigned base_of(unsigned event)
{
	static const uint8_t base[CULPRIT_EVENT_COUNT] = {
#define EVENT_CLASS(name, base, what) CULPRIT_EVENT_##base,
#include "culprit/event_class.def"
	};
	return base[event];
}

void culprit_graph_base_classes(struct culprit_graph_params *p)
{
	static const char *const names[CULPRIT_EVENT_COUNT] = {
#define EVENT_CLASS(name, base, what) #name,
#include "culprit/event_class.def"
	};
	p->class_count = CULPRIT_BASE_EVENTS;
	for (unsigned i = 0; i < CULPRIT_BASE_EVENTS; i++) {
		p->classes[i] = (struct culprit_graph_class){.events = 1u << i};
		snprintf(p->classes[i].name, sizeof p->classes[i].name, "%s", names[i]);
	}
}

/* Which lanes have a larger window: those of the upper half, none, or some of them, or larger parts of it. */
static void own_window(struct culprit_graph *g)
{
	static const uint8_t parts[] = {CULPRIT_EVENT_rob, CULPRIT_EVENT_iq, CULPRIT_EVENT_lsq, CULPRIT_EVENT_regs,
					CULPRIT_EVENT_tags};
	graph_owners any = 0, first = g->owners[parts[0]];
	g->window_parts = false;
	for (size_t i = 0; i < sizeof parts; i++) {
		any |= g->owners[parts[i]];
		g->window_parts |= g->owners[parts[i]] != first;
	}
	g->window_halves = !g->window_parts && first == 0x80 && (g->everywhere & first);
	g->window_held = !any;
	g->window_own = any && !g->window_halves;
}

uint32_t graph_rob_far(const struct culprit_graph_params *p)
{
	return p->rob * (p->large & CULPRIT_EVENT_BIT(rob) ? 1 : p->window_factor);
}

uint32_t graph_held(const struct culprit_graph_params *p)
{
	return p->rob - p->released;
}

uint32_t graph_held_far(const struct culprit_graph_params *p)
{
	return graph_rob_far(p) / p->rob * graph_held(p);
}

static void own_events(struct culprit_graph *g)
{
	memset(g->owners, 0, sizeof g->owners);
	g->everywhere = GRAPH_ALWAYS | GRAPH_ELSEWHERE;
	for (unsigned event = 0; event < CULPRIT_EVENT_COUNT; event++)
		for (uint32_t c = 0; c < g->params.class_count; c++)
			if (g->classes[c].events & (1u << event | 1u << base_of(event)))
				g->owners[event] |= (graph_owners)(1u << g->internal_bit[c]);
	for (unsigned event = 0; event < CULPRIT_EVENT_COUNT; event++) {
		culprit_event_set asked = 1u << event | 1u << base_of(event);
		g->owners[event] |= g->params.always & asked ? GRAPH_ALWAYS : 0;
		g->owners[event] |= g->params.elsewhere & asked ? GRAPH_ELSEWHERE : 0;
	}
	for (uint32_t c = 0; c < g->params.class_count; c++)
		if (!g->classes[c].range_count)
			g->everywhere |= (graph_owners)(1u << g->internal_bit[c]);
	graph_owners used = GRAPH_ALWAYS | GRAPH_ELSEWHERE;
	for (uint32_t c = 0; c < g->params.class_count; c++)
		used |= (graph_owners)(1u << g->internal_bit[c]);
	g->ranged = used & ~g->everywhere;
	graph_owners bw = g->owners[CULPRIT_EVENT_bw];
	g->split = bw == 0x40 && (g->everywhere & bw);
	own_window(g);
}

/* The class with win becomes bit 7, that with bw bit 6. Then come those that move issue contention most, because the
 * first four get issue slots of their own (slots.c), and the rest; until sharing.c knows better. */
void graph_classes_place(struct culprit_graph *g)
{
	static const struct {
		culprit_event_set event;
		uint8_t bit; /* 0 = the next free one */
	} order[] = {
		{CULPRIT_EVENT_BIT(win) | CULPRIT_EVENT_BIT(rob), 7},
		{CULPRIT_EVENT_BIT(bw), 6},
		{CULPRIT_EVENT_BIT(dl1), 0},
		{CULPRIT_EVENT_BIT(shalu), 0},
		{CULPRIT_EVENT_BIT(dmiss), 0},
		{CULPRIT_EVENT_BIT(bmisp), 0},
		{~0u, 0},
		{~0u, 0},
		{~0u, 0},
		{~0u, 0},
		{~0u, 0},
		{~0u, 0},
	};
	uint32_t placed = 0, used = 0;
	for (size_t i = 0; i < sizeof order / sizeof *order; i++) {
		for (uint32_t c = 0; c < g->params.class_count; c++) {
			if ((placed & (1u << c)) || !(g->classes[c].events & order[i].event))
				continue;
			uint32_t bit = order[i].bit ? order[i].bit : (uint32_t)__builtin_ctz(~used);
			g->internal_bit[c] = bit;
			used |= 1u << bit;
			placed |= 1u << c;
			break;
		}
	}
	own_events(g);
}

static uint32_t swapped(uint32_t bit, unsigned a, unsigned b)
{
	return bit == a ? b : bit == b ? a : bit;
}

void graph_classes_swap(struct culprit_graph *g, unsigned a, unsigned b)
{
	for (uint32_t c = 0; c < g->params.class_count; c++)
		g->internal_bit[c] = swapped(g->internal_bit[c], a, b);
	own_events(g);
}

bool graph_classes_copy(struct culprit_graph *g, const char **why)
{
	for (uint32_t c = 0; c < g->params.class_count; c++) {
		g->classes[c] = g->params.classes[c];
		g->classes[c].name[CULPRIT_GRAPH_NAME - 1] = '\0';
		size_t bytes = g->classes[c].range_count * sizeof *g->classes[c].ranges;
		if (!bytes)
			continue;
		struct culprit_graph_range *copy = malloc(bytes);
		if (!copy) {
			g->classes[c].ranges = NULL;
			*why = "out of memory";
			return false;
		}
		memcpy(copy, g->classes[c].ranges, bytes);
		g->classes[c].ranges = copy;
	}
	return true;
}

const char *graph_classes_check(const struct culprit_graph_params *p)
{
	if (p->class_count > CULPRIT_GRAPH_CLASSES)
		return "class_count: at most 8";
	if ((p->always | p->elsewhere | p->large) >> CULPRIT_EVENT_COUNT)
		return "always, elsewhere, large: events must be rows of event_class.def";
	for (uint32_t c = 0; c < p->class_count; c++) {
		if (!p->classes[c].events || p->classes[c].events >> CULPRIT_EVENT_COUNT)
			return "classes: events must be rows of event_class.def, at least one";
		if (p->classes[c].range_count && !p->classes[c].ranges)
			return "classes: range_count without ranges";
	}
	return NULL;
}
