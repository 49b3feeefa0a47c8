/* Reads libyaml's events into the outline, refusing what no machine file needs. */
#include "machine/machine_outline.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

struct reader {
	yaml_parser_t parser;
	struct outline *outline;
	struct error *err;
	const char *text;
	size_t length;
	unsigned depth;
};

static bool read_node(struct reader *r, const yaml_event_t *event, const char *path);

bool outline_error(const struct outline *o, const char *path, struct error *err, const char *format, ...)
{
	const struct outline_node *node = outline_find(o, path);
	char reason[400];
	va_list args;
	va_start(args, format);
	vsnprintf(reason, sizeof reason, format, args);
	va_end(args);
	uint32_t line = node ? node->line : 1;
	if (!*path)
		return error_set(err, ERROR_INPUT, "%s:%u: %s", o->place, line, reason);
	return error_set(err, ERROR_INPUT, "%s:%u: key %s: %s", o->place, line, path, reason);
}

static bool at_line(struct reader *r, size_t line, const char *reason)
{
	return error_set(r->err, ERROR_INPUT, "%s:%zu: %s", r->outline->place, line + 1, reason);
}

static bool syntax_error(struct reader *r)
{
	const yaml_parser_t *p = &r->parser;
	if (p->error == YAML_MEMORY_ERROR)
		return error_set(r->err, ERROR_SYSTEM, "%s: out of memory", r->outline->place);
	size_t line = p->problem_mark.line;
	if (p->error == YAML_READER_ERROR) { /* bytes that are no text: only their offset is known */
		line = 0;
		for (size_t i = 0; i < p->problem_offset && i < r->length; i++)
			line += r->text[i] == '\n';
	}
	return error_set(r->err, ERROR_INPUT, "%s:%zu: not valid YAML: %s", r->outline->place, line + 1,
			 p->problem ? p->problem : "unknown problem");
}

static bool next_event(struct reader *r, yaml_event_t *event)
{
	return yaml_parser_parse(&r->parser, event) || syntax_error(r);
}

const struct outline_node *outline_find(const struct outline *o, const char *path)
{
	for (size_t i = 0; i < o->count; i++)
		if (!strcmp(o->nodes[i].path, path))
			return &o->nodes[i];
	return NULL;
}

static bool add(struct reader *r, const char *path, const char *text, size_t line, enum outline_kind kind)
{
	struct outline *o = r->outline;
	if (o->count == OUTLINE_NODES_MAX)
		return at_line(r, line, "too many keys");
	if (o->count == o->room) {
		size_t room = o->room ? 2 * o->room : 64;
		struct outline_node *nodes = realloc(o->nodes, room * sizeof *nodes);
		if (!nodes)
			return error_set(r->err, ERROR_SYSTEM, "%s: out of memory", o->place);
		o->nodes = nodes;
		o->room = room;
	}
	struct outline_node node = {strdup(path), strdup(text), (uint32_t)line + 1, kind};
	if (!node.path || !node.text) {
		free(node.path);
		free(node.text);
		return error_set(r->err, ERROR_SYSTEM, "%s: out of memory", o->place);
	}
	o->nodes[o->count++] = node;
	return true;
}

/* What YAML may put before a node, and would otherwise be dropped in silence. */
static bool is_bare(struct reader *r, const yaml_event_t *e)
{
	bool mapping = e->type == YAML_MAPPING_START_EVENT, sequence = e->type == YAML_SEQUENCE_START_EVENT;
	bool scalar = e->type == YAML_SCALAR_EVENT;
	const yaml_char_t *anchor = scalar     ? e->data.scalar.anchor
				    : mapping  ? e->data.mapping_start.anchor
				    : sequence ? e->data.sequence_start.anchor
					       : NULL;
	const yaml_char_t *tag = scalar	    ? e->data.scalar.tag
				 : mapping  ? e->data.mapping_start.tag
				 : sequence ? e->data.sequence_start.tag
					    : NULL;
	if (anchor || e->type == YAML_ALIAS_EVENT)
		return at_line(r, e->start_mark.line, "anchors and aliases are not understood: use extends");
	return !tag || at_line(r, e->start_mark.line, "tags are not understood: write the value alone");
}

/* A key extends the path: "window" + "rob". */
static bool key_path(struct reader *r, const yaml_event_t *key, const char *parent, char path[OUTLINE_PATH_MAX])
{
	size_t line = key->start_mark.line;
	if (key->type != YAML_SCALAR_EVENT)
		return at_line(r, line, "a key is a plain word, not a list or mapping");
	TRY(is_bare(r, key));
	const char *text = (const char *)key->data.scalar.value;
	size_t length = strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-");
	if (text[length] == '.' && strlen(text) == key->data.scalar.length && length < 40)
		return error_set(r->err, ERROR_INPUT, "%s:%zu: a key has no dot: write '%.*s: { ...: value }'",
				 r->outline->place, line + 1, (int)length, text);
	if (!length || length != key->data.scalar.length || length > 60)
		return at_line(r, line, "a key is made of at most 60 letters, digits, '_' and '-'");
	snprintf(path, OUTLINE_PATH_MAX, "%s%s%s", parent, *parent ? "." : "", text);
	const struct outline_node *first = outline_find(r->outline, path);
	if (first)
		return error_set(r->err, ERROR_INPUT, "%s:%zu: key %s: given twice, first in line %u",
				 r->outline->place, line + 1, path, first->line);
	return true;
}

static bool read_mapping(struct reader *r, const char *path)
{
	for (;;) {
		yaml_event_t key, value;
		char child[OUTLINE_PATH_MAX];
		TRY(next_event(r, &key));
		bool end = key.type == YAML_MAPPING_END_EVENT;
		bool ok = end || key_path(r, &key, path, child);
		yaml_event_delete(&key);
		if (!ok || end)
			return ok;
		TRY(next_event(r, &value));
		ok = read_node(r, &value, child);
		yaml_event_delete(&value);
		TRY(ok);
	}
}

static bool read_sequence(struct reader *r, const char *path)
{
	for (unsigned i = 0;; i++) {
		yaml_event_t item;
		char child[OUTLINE_PATH_MAX + 16];
		TRY(next_event(r, &item));
		bool end = item.type == YAML_SEQUENCE_END_EVENT;
		snprintf(child, sizeof child, "%s[%u]", path, i);
		bool ok = end || read_node(r, &item, child);
		yaml_event_delete(&item);
		if (!ok || end)
			return ok;
	}
}

static bool read_scalar(struct reader *r, const yaml_event_t *event, const char *path)
{
	const char *text = (const char *)event->data.scalar.value;
	if (strlen(text) != event->data.scalar.length)
		return at_line(r, event->start_mark.line, "a NUL character stands in a value");
	return add(r, path, text, event->start_mark.line, OUTLINE_SCALAR);
}

static bool read_node(struct reader *r, const yaml_event_t *event, const char *path)
{
	size_t line = event->start_mark.line;
	bool mapping = event->type == YAML_MAPPING_START_EVENT;
	TRY(is_bare(r, event));
	if (event->type == YAML_SCALAR_EVENT)
		return read_scalar(r, event, path);
	if (strlen(path) > OUTLINE_PATH_MAX - 64 || r->depth == OUTLINE_DEPTH_MAX)
		return at_line(r, line, "nested too deeply");
	TRY(add(r, path, "", line, mapping ? OUTLINE_MAPPING : OUTLINE_SEQUENCE));
	r->depth++;
	TRY(mapping ? read_mapping(r, path) : read_sequence(r, path));
	r->depth--;
	return true;
}

/* One document: stream start, document start, a node, document end, stream end. */
static bool read_stream(struct reader *r)
{
	bool seen = false;
	for (;;) {
		yaml_event_t event;
		TRY(next_event(r, &event));
		yaml_event_type_t type = event.type;
		bool ok = true;
		if (type == YAML_DOCUMENT_START_EVENT && seen)
			ok = at_line(r, event.start_mark.line, "a second document begins");
		else if (type == YAML_SCALAR_EVENT || type == YAML_ALIAS_EVENT || type == YAML_SEQUENCE_START_EVENT)
			ok = at_line(r, event.start_mark.line, "the file is a mapping of keys");
		else if (type == YAML_MAPPING_START_EVENT)
			ok = seen = read_node(r, &event, "");
		yaml_event_delete(&event);
		TRY(ok);
		if (type == YAML_STREAM_END_EVENT)
			return seen || at_line(r, 0, "empty: the file is a mapping of keys");
	}
}

char *outline_text(const char *path, size_t most, size_t *length, struct error *err)
{
	FILE *in = fopen(path, "r");
	char *text = in ? malloc(most + 1) : NULL;
	if (!in) {
		error_set(err, ERROR_INPUT, "%s: %s", path, strerror(errno));
		return NULL;
	}
	errno = ENOMEM;
	*length = text ? fread(text, 1, most + 1, in) : 0;
	bool bad = !text || ferror(in);
	if (bad)
		error_set(err, ERROR_SYSTEM, "%s: %s", path, strerror(errno));
	else if (*length > most)
		error_set(err, ERROR_INPUT, "%s: larger than %zu bytes", path, most);
	fclose(in);
	if (!bad && *length <= most)
		return text;
	free(text);
	return NULL;
}

bool outline_read(struct outline *o, const char *text, size_t length, const char *place, struct error *err)
{
	*o = (struct outline){.place = place};
	struct reader r = {.outline = o, .err = err, .text = text, .length = length};
	if (!yaml_parser_initialize(&r.parser))
		return error_set(err, ERROR_SYSTEM, "%s: out of memory", place);
	yaml_parser_set_input_string(&r.parser, (const unsigned char *)text, length);
	bool ok = read_stream(&r);
	yaml_parser_delete(&r.parser);
	return ok;
}

void outline_free(struct outline *o)
{
	for (size_t i = 0; i < o->count; i++) {
		free(o->nodes[i].path);
		free(o->nodes[i].text);
	}
	free(o->nodes);
	*o = (struct outline){0};
}
