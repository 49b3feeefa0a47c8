#include "with/graph_class.h"

#include "machine/machine.h"
#include "report/lines.h"
#include "with/places.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One place of a list. */
struct place {
	char text[256];
	enum { PLACE_ADDRESSES, PLACE_FUNCTION, PLACE_LINE } kind;
	struct culprit_graph_range range; /* addresses */
	size_t file_length;		  /* FILE of FILE:LINE */
	uint32_t line;
};

/* --- text --- */

static bool parse_name(const char *text, size_t length, struct graph_class *c, struct error *err)
{
	static const char allowed[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.";
	if (!length || length >= sizeof c->name)
		return error_set(err, ERROR_USAGE, "its name has 1 to %zu letters", sizeof c->name - 1);
	if (strspn(text, allowed) < length)
		return error_set(err, ERROR_USAGE, "its name is of letters, digits, '_', '-' and '.'");
	memcpy(c->name, text, length);
	c->name[length] = '\0';
	return true;
}

static bool parse_events(const char *text, size_t length, struct graph_class *c, struct error *err)
{
	char list[256];
	if (!length || length >= sizeof list)
		return error_set(err, ERROR_USAGE, "event classes are missing after '='");
	memcpy(list, text, length);
	list[length] = '\0';
	if (strchr(list, ','))
		return error_set(err, ERROR_USAGE, "event classes are joined by '+'");
	for (char *p = list; (p = strchr(p, '+'));)
		*p = ',';
	TRY(culprit_event_set_parse(list, &c->events, err));
	return c->events || error_set(err, ERROR_USAGE, "it has no event class");
}

static bool parse_address(const char *text, uint64_t *address, const char **end)
{
	char *stop;
	errno = 0;
	*address = strtoull(text, &stop, 16);
	*end = stop;
	return text[0] == '0' && (text[1] == 'x' || text[1] == 'X') && isxdigit((unsigned char)text[2]) && !errno;
}

static bool parse_addresses(struct place *p, struct error *err)
{
	const char *end;
	bool good = parse_address(p->text, &p->range.first, &end);
	p->range.end = p->range.first + 1;
	if (good && *end == '-')
		good = parse_address(end + 1, &p->range.end, &end);
	if (good && !*end && p->range.first < p->range.end)
		return true;
	return error_set(err, ERROR_USAGE, "place '%s': expected 0xFIRST-0xEND, FIRST below END", p->text);
}

/* FILE:LINE, when digits follow the last colon. */
static bool parse_line(struct place *p)
{
	const char *colon = strrchr(p->text, ':');
	if (!colon || colon == p->text || !colon[1] || strspn(colon + 1, "0123456789") < strlen(colon + 1))
		return false;
	unsigned long line = strtoul(colon + 1, NULL, 10);
	p->file_length = (size_t)(colon - p->text);
	p->line = line && line < UINT32_MAX ? (uint32_t)line : 0;
	return p->line != 0;
}

/* FILE:-1, FILE:0, FILE:1x: meant as a line, and no function's name (C++ has "::"). */
static bool bad_line(const struct place *p)
{
	const char *colon = strrchr(p->text, ':');
	return p->kind == PLACE_FUNCTION && colon && colon > p->text && colon[-1] != ':' &&
	       (strchr("-+", colon[1]) || isdigit((unsigned char)colon[1]));
}

/* The place that *list begins with; *list then stands behind it. */
static bool next_place(const char **list, struct place *p, struct error *err)
{
	size_t length = strcspn(*list, ",");
	if (!length)
		return error_set(err, ERROR_USAGE, "a place is empty");
	if (length >= sizeof p->text)
		return error_set(err, ERROR_USAGE, "a place is longer than %zu letters", sizeof p->text - 1);
	memcpy(p->text, *list, length);
	p->text[length] = '\0';
	*list += length;
	p->kind = isdigit((unsigned char)p->text[0]) ? PLACE_ADDRESSES : parse_line(p) ? PLACE_LINE : PLACE_FUNCTION;
	if (bad_line(p))
		return error_set(err, ERROR_USAGE, "place '%s': expected FILE:LINE, LINE from 1", p->text);
	return p->kind != PLACE_ADDRESSES || parse_addresses(p, err);
}

static bool check_places(const char *list, struct error *err)
{
	while (list) {
		struct place place;
		TRY(next_place(&list, &place, err));
		list = *list ? list + 1 : NULL;
	}
	return true;
}

static bool parse_parts(const char *text, struct graph_class *c, struct error *err)
{
	size_t name = strcspn(text, "=");
	if (!text[name])
		return error_set(err, ERROR_USAGE, "expected NAME=EVENT[+EVENT...][@PLACE[,PLACE...]]");
	const char *events = text + name + 1;
	size_t length = strcspn(events, "@");
	TRY(parse_name(text, name, c, err));
	TRY(parse_events(events, length, c, err));
	c->places = events[length] ? events + length + 1 : NULL;
	return check_places(c->places, err);
}

bool graph_class_parse(const char *text, struct graph_class *c, struct error *err)
{
	return parse_parts(text, c, err) || error_context(err, "--graph-class %.100s", text);
}

/* --- places in the program --- */

struct program {
	struct symbols *symbols;
	struct lines *lines;
};

static bool read_program(struct program *p, const struct guest *guest, struct error *err)
{
	TRY(p->symbols = places_symbols(guest, NULL, err));
	return (p->lines = places_lines(guest, NULL, err)) != NULL;
}

static void forget_program(struct program *p)
{
	symbols_destroy(p->symbols);
	lines_destroy(p->lines);
}

static bool add_ranges(struct culprit_graph_class *to, const struct culprit_graph_range *ranges, size_t count,
		       struct error *err)
{
	struct culprit_graph_range *grown = realloc((void *)to->ranges, (to->range_count + count) * sizeof *to->ranges);
	if (!grown)
		return error_set(err, ERROR_SYSTEM, "out of memory for places");
	memcpy(grown + to->range_count, ranges, count * sizeof *ranges);
	to->ranges = grown;
	to->range_count += count;
	return true;
}

static bool add_function(struct culprit_graph_class *to, const struct place *p, const struct symbols *symbols,
			 struct error *err)
{
	struct symbol_range range;
	size_t n = 0;
	while (symbols_range(symbols, p->text, n, &range)) {
		TRY(add_ranges(to, &(struct culprit_graph_range){range.first, range.end}, 1, err));
		n++;
	}
	if (n)
		return true;
	struct nearest near;
	nearest_begin(&near, p->text, strlen(p->text));
	symbols_consider(symbols, &near);
	return error_set(err, ERROR_USAGE, "no function '%s' in the program and its libraries as the region begins%s",
			 p->text, nearest_hint(&near));
}

static bool add_line(struct culprit_graph_class *to, const struct place *p, const struct lines *lines,
		     struct error *err)
{
	char file[sizeof p->text];
	memcpy(file, p->text, p->file_length);
	file[p->file_length] = '\0';
	size_t n = lines_ranges(lines, file, p->line, NULL, 0);
	if (!n)
		return error_set(err, ERROR_USAGE, "no code of line %s (lines are known of objects with DWARF, cc -g)",
				 p->text);
	struct line_range *found = calloc(n, sizeof *found);
	if (!found)
		return error_set(err, ERROR_SYSTEM, "out of memory for places");
	lines_ranges(lines, file, p->line, found, n);
	bool good = true;
	for (size_t i = 0; i < n && good; i++)
		good = add_ranges(to, &(struct culprit_graph_range){found[i].first, found[i].end}, 1, err);
	free(found);
	return good;
}

static bool add_places(struct culprit_graph_class *to, const char *list, const struct program *program,
		       struct error *err)
{
	while (list) {
		struct place p;
		TRY(next_place(&list, &p, err));
		if (p.kind == PLACE_ADDRESSES)
			TRY(add_ranges(to, &p.range, 1, err));
		else if (p.kind == PLACE_LINE)
			TRY(add_line(to, &p, program->lines, err));
		else
			TRY(add_function(to, &p, program->symbols, err));
		list = *list ? list + 1 : NULL;
	}
	return true;
}

/* --- all of them --- */

static bool apply(const char *text, const struct program *program, struct culprit_graph_params *params,
		  struct error *err)
{
	struct graph_class c;
	TRY(graph_class_parse(text, &c, err));
	for (uint32_t i = 0; i < params->class_count; i++)
		if (!strcmp(params->classes[i].name, c.name))
			return error_set(err, ERROR_USAGE, "--graph-class %s was given twice", c.name);
	struct culprit_graph_class *to = &params->classes[params->class_count++];
	*to = (struct culprit_graph_class){.events = c.events};
	memcpy(to->name, c.name, sizeof to->name);
	return !program->symbols || add_places(to, c.places, program, err) ||
	       error_context(err, "--graph-class %.100s", text);
}

bool graph_class_place(const char *text, const struct guest *guest, struct culprit_graph_class *to, struct error *err)
{
	struct graph_class c = {.places = strchr(text, '@')};
	struct program program = {NULL, NULL};
	*to = (struct culprit_graph_class){.events = 0};
	if (!c.places)
		return error_set(err, ERROR_USAGE, "expected EVENT[+EVENT...]@PLACE");
	TRY(parse_events(text, (size_t)(c.places++ - text), &c, err));
	TRY(check_places(c.places, err));
	to->events = c.events;
	bool good = !guest || (read_program(&program, guest, err) && add_places(to, c.places, &program, err));
	forget_program(&program);
	return good;
}

bool graph_classes_apply(const char *const *texts, size_t count, const struct guest *guest,
			 struct culprit_graph_params *params, struct error *err)
{
	struct program program = {NULL, NULL};
	if (count > CULPRIT_GRAPH_CLASSES)
		return error_set(err, ERROR_USAGE, "--graph-class: at most %d", CULPRIT_GRAPH_CLASSES);
	bool good = !guest || read_program(&program, guest, err);
	params->class_count = 0;
	for (size_t i = 0; i < count && good; i++)
		good = apply(texts[i], &program, params, err);
	forget_program(&program);
	return good;
}

void graph_classes_release(struct culprit_graph_params *params)
{
	for (uint32_t i = 0; i < params->class_count; i++)
		free((void *)params->classes[i].ranges);
}
