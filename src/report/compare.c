#include "report/compare.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* What two runs of one command may differ in. */
static bool left_out(const char *place)
{
	static const char *const volatile_places[] = {"host_seconds", "mips", "graph.kernel", "graph.wide"};
	static const char *const kept[] = {"provenance.machine", "provenance.files"};
	for (size_t i = 0; i < sizeof volatile_places / sizeof *volatile_places; i++)
		if (!strcmp(place, volatile_places[i]))
			return true;
	size_t length = strlen(place);
	if (!strncmp(place, "next", 4) && length > 8 &&
	    !strcmp(place + length - 8, ".command")) /* has the words typed */
		return true;
	if (strncmp(place, "provenance.", strlen("provenance.")) != 0)
		return false;
	for (size_t i = 0; i < sizeof kept / sizeof *kept; i++)
		if (!strncmp(place, kept[i], strlen(kept[i])))
			return false;
	return true;
}

static void brief(const json_t *value, char text[60])
{
	if (!value) {
		snprintf(text, 60, "nothing");
		return;
	}
	char *all = json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT);
	bool whole = all && strlen(all) < 60;
	snprintf(text, 60, "%.*s%s", whole ? 59 : 56, all ? all : "?", whole ? "" : "...");
	free(all);
}

/* Room for one more. NULL: no memory. */
static struct compare_difference *add(struct comparison *c)
{
	if (!(c->kept_count & (c->kept_count - 1))) {
		struct compare_difference *grown = realloc(c->kept, 2 * (c->kept_count + 1) * sizeof *grown);
		if (!grown)
			return NULL;
		c->kept = grown;
	}
	return &c->kept[c->kept_count++];
}

static void differ(struct comparison *c, const char *place, const json_t *was, const json_t *is)
{
	struct compare_difference *d = c->kept_count < c->most ? add(c) : NULL;
	if (d) {
		snprintf(d->place, sizeof d->place, "%s", place);
		brief(was, d->was);
		brief(is, d->is);
	}
	c->differences++;
}

/* Tools that rewrite JSON may write 1.0 as 1. */
static bool same_value(const json_t *was, const json_t *is)
{
	if (!was || !is)
		return was == is;
	if (json_is_integer(was) && json_is_integer(is))
		return json_integer_value(was) == json_integer_value(is);
	if (json_is_number(was) && json_is_number(is))
		return json_number_value(was) == json_number_value(is);
	return json_equal(was, is);
}

static void compare(struct comparison *c, const char *place, const json_t *was, const json_t *is);

static void compare_key(struct comparison *c, const char *place, const char *key, const json_t *was, const json_t *is)
{
	char below[200];
	snprintf(below, sizeof below, "%s%s%s", place, *place ? "." : "", key);
	if (!left_out(below))
		compare(c, below, was, is);
}

static void compare_objects(struct comparison *c, const char *place, const json_t *was, const json_t *is)
{
	const char *key;
	json_t *value; /* jansson iterates over objects that could be changed */
	json_object_foreach((json_t *)was, key, value) compare_key(c, place, key, value, json_object_get(is, key));
	json_object_foreach((json_t *)is, key, value) if (!json_object_get(was, key))
		compare_key(c, place, key, NULL, value);
}

static void compare_arrays(struct comparison *c, const char *place, const json_t *was, const json_t *is)
{
	size_t n = json_array_size(was), m = json_array_size(is);
	for (size_t i = 0; i < n || i < m; i++) {
		char below[200];
		snprintf(below, sizeof below, "%s[%zu]", place, i);
		compare(c, below, json_array_get(was, i), json_array_get(is, i));
	}
}

static void compare(struct comparison *c, const char *place, const json_t *was, const json_t *is)
{
	if (was && is && json_is_object(was) && json_is_object(is)) {
		compare_objects(c, place, was, is);
	} else if (was && is && json_is_array(was) && json_is_array(is)) {
		compare_arrays(c, place, was, is);
	} else {
		c->figures++;
		if (!same_value(was, is))
			differ(c, place, was, is);
	}
}

bool compare_results(struct comparison *c, const json_t *was, const json_t *is, size_t most, struct error *err)
{
	*c = (struct comparison){.most = most};
	compare(c, "", was, is);
	return c->kept_count == (c->differences < most ? c->differences : most) ||
	       error_set(err, ERROR_SYSTEM, "out of memory for the differences");
}

void comparison_destroy(struct comparison *c)
{
	free(c->kept);
}

void compare_text(const struct comparison *c, FILE *out)
{
	for (size_t i = 0; i < c->kept_count; i++)
		fprintf(out, "  %s: was %s, is %s\n", c->kept[i].place, c->kept[i].was, c->kept[i].is);
	if (c->differences > c->kept_count)
		fprintf(out, "  and %llu more\n", (unsigned long long)(c->differences - c->kept_count));
}
