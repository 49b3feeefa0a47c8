/* The map of stages: see struct import_stages. */
#include "import/kanata_rules.h"

#include "machine/machine_outline.h"

#include <stdlib.h>
#include <string.h>

const char *const kanata_time_names[IMPORT_TIMES] = {"fetch", "dispatch", "issue", "complete", "commit"};
/* Of the files that Culprit writes: F fetch, Q waits for operands, W waits for issue, X executes, C waits for commit.
 * A stage that takes no time is left out. */
static const char *const own_rules[IMPORT_TIMES] = {"F", "end F", "X | C", "end X | C", NULL};

static bool parse_choice(const char *text, size_t length, struct kanata_choice *c)
{
	while (length && text[0] == ' ')
		text++, length--;
	while (length && text[length - 1] == ' ')
		length--;
	*c = (struct kanata_choice){.end = length > 4 && !strncmp(text, "end ", 4)};
	if (c->end)
		text += 4, length -= 4;
	if (!length || length >= STAGE || memchr(text, ' ', length))
		return false;
	memcpy(c->stage, text, length);
	return true;
}

static bool parse_rule(const char *text, struct kanata_rules *r, int time)
{
	while (true) {
		size_t length = strcspn(text, "|");
		if (r->count[time] == CHOICES || !parse_choice(text, length, &r->choices[time][r->count[time]]))
			return false;
		r->count[time]++;
		if (!text[length])
			return true;
		text += length + 1;
	}
}

static int time_of(const char *key)
{
	for (int i = 0; i < IMPORT_TIMES; i++)
		if (!strcmp(key, kanata_time_names[i]))
			return i;
	return -1;
}

static bool take_keys(struct import_stages *s, const struct outline *o, struct error *err)
{
	for (size_t i = 0; i < o->count; i++) {
		const struct outline_node *node = &o->nodes[i];
		struct kanata_rules unused = {.count = {0}};
		if (!*node->path)
			continue;
		int time = time_of(node->path);
		if (time < 0)
			return outline_error(o, node->path, err, "none of fetch, dispatch, issue, complete, commit");
		if (node->kind != OUTLINE_SCALAR || !parse_rule(node->text, &unused, time))
			return outline_error(o, node->path, err,
					     "not STAGE, `end STAGE`, or up to %d of these with | between", CHOICES);
		s->rule[time] = strdup(node->text);
		if (!s->rule[time])
			return error_set(err, ERROR_SYSTEM, "out of memory");
	}
	for (int i = 0; i < IMPORT_COMMIT; i++)
		if (!s->rule[i])
			return error_set(err, ERROR_INPUT, "%s: no key %s", o->place, kanata_time_names[i]);
	return true;
}

bool import_stages_read(struct import_stages *s, const char *text, size_t length, const char *place, struct error *err)
{
	struct outline o;
	*s = (struct import_stages){.rule = {NULL}};
	bool good = outline_read(&o, text, length, place, err) && take_keys(s, &o, err);
	outline_free(&o);
	return good;
}

void import_stages_destroy(struct import_stages *s)
{
	for (int i = 0; i < IMPORT_TIMES; i++)
		free(s->rule[i]);
}

bool kanata_rules(const struct import_stages *stages, struct kanata_rules *rules, struct error *err)
{
	for (int time = 0; time < IMPORT_TIMES; time++) {
		const char *rule = stages->rule[IMPORT_FETCH] ? stages->rule[time] : own_rules[time];
		if (rule && !parse_rule(rule, rules, time))
			return error_set(err, ERROR_INTERNAL, "a rule of stages that is none: %s", rule);
	}
	return true;
}
