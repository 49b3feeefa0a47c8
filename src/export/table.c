/* See the header. The list is walked twice: which columns there are, and then their cells. */
#include "export/table.h"

#include "base/nearest.h"
#include "export/numbers.h"

#include <stdlib.h>
#include <string.h>

enum { KEY_LONGEST = 200, DEEPEST = 6 };

/* Objects are told to `row` one by one, with the lists' objects around them. */
struct around {
	const char *name;
	const json_t *object;
};

struct table {
	const struct table_sink *sink;
	struct numbers columns;
	json_t *cells; /* of the row being told: column -> value */
	struct around around[DEEPEST];
	size_t depth;
	bool telling; /* else: the columns are being found */
};

/* --- cells --- */

const char *table_text(const json_t *v, char **made)
{
	*made = NULL;
	if (!v || json_is_null(v))
		return NULL;
	if (json_is_string(v))
		return json_string_value(v);
	return *made = json_dumps(v, JSON_ENCODE_ANY | JSON_COMPACT);
}

static void add_cell(struct table *w, const char *prefix, const char *key, const json_t *v)
{
	char name[KEY_LONGEST];
	const char *inner;
	json_t *value;
	snprintf(name, sizeof name, "%s%s%s", prefix, *prefix ? "." : "", key);
	if (json_is_object(v)) {
		json_object_foreach((json_t *)v, inner, value) add_cell(w, name, inner, value);
		return;
	}
	numbers_of(&w->columns, name, NULL);
	if (w->telling)
		json_object_set(w->cells, name, (json_t *)v);
}

static void end_row(struct table *w)
{
	if (!w->telling)
		return;
	w->sink->row(w->sink->context, w->cells);
	json_object_clear(w->cells);
}

/* --- rows --- */

static void object_row(struct table *w, const json_t *object)
{
	const char *key;
	json_t *v;
	for (size_t i = 0; i < w->depth; i++)
		json_object_foreach((json_t *)w->around[i].object, key, v) if (json_is_string(v))
			add_cell(w, w->around[i].name, key, v);
	json_object_foreach((json_t *)object, key,
			    v) if (!json_is_array(v) || !json_array_size(v) || !json_is_object(json_array_get(v, 0)))
		add_cell(w, "", key, v);
	end_row(w);
}

static void named_rows(struct table *w, const json_t *object)
{
	const char *key;
	json_t *v;
	json_object_foreach((json_t *)object, key, v)
	{
		json_t *name = json_string(key);
		add_cell(w, "", "name", name);
		add_cell(w, "", "value", v);
		end_row(w);
		json_decref(name);
	}
}

static bool holds_lists(const json_t *object)
{
	const char *key;
	json_t *v;
	json_object_foreach((json_t *)object, key,
			    v) if (json_is_array(v) && !json_is_object(json_array_get(v, 0))) return true;
	return false;
}

static void column_rows(struct table *w, const json_t *object)
{
	const char *key;
	json_t *v;
	size_t longest = 0;
	json_object_foreach((json_t *)object, key, v) longest = json_array_size(v) > longest ? json_array_size(v)
											     : longest;
	for (size_t i = 0; i < longest; i++) {
		json_object_foreach((json_t *)object, key, v) if (json_is_array(v) && json_array_size(v) == longest)
			add_cell(w, "", key, json_array_get(v, i));
		end_row(w);
	}
}

/* False: the path leads nowhere. */
static bool rows(struct table *w, const json_t *at, const char *path, const char *name)
{
	char key[KEY_LONGEST];
	size_t i, length = strcspn(path, ".");
	json_t *item;
	bool found = false;
	if (json_is_array(at)) {
		json_array_foreach((json_t *)at, i, item)
		{
			if (!*path) {
				json_is_object(item) ? object_row(w, item) : (void)0;
				found |= json_is_object(item);
			} else if (w->depth < DEEPEST) {
				w->around[w->depth++] = (struct around){name, item};
				found |= rows(w, item, path, name);
				w->around[--w->depth] = (struct around){0};
			}
		}
		return found;
	}
	if (!json_is_object(at))
		return false;
	if (*path) {
		snprintf(key, sizeof key, "%.*s", (int)length, path);
		return rows(w, json_object_get(at, key), path + length + (path[length] == '.'), key);
	}
	holds_lists(at) ? column_rows(w, at) : named_rows(w, at);
	return json_object_size(at) > 0;
}

/* --- what there is --- */

static void consider(struct nearest *near, char *list, size_t room, const char *prefix, const json_t *at, int depth)
{
	char path[KEY_LONGEST];
	const char *key;
	json_t *v;
	json_object_foreach((json_t *)at, key, v)
	{
		const json_t *inner = json_is_array(v) ? json_array_get(v, 0) : v;
		snprintf(path, sizeof path, "%s%s%s", prefix, *prefix ? "." : "", key);
		if (!json_is_object(inner) || !strcmp(path, "provenance"))
			continue;
		size_t used = strlen(list);
		nearest_consider(near, path);
		if (used + strlen(path) + 3 < room && (json_is_array(v) || !depth))
			snprintf(list + used, room - used, "%s%s", used ? ", " : "", path);
		if (depth < 3)
			consider(near, list, room, path, inner, depth + 1);
	}
}

static bool no_table(const struct export_input *in, struct error *err)
{
	struct nearest near;
	char list[400] = "";
	const char *path = in->path ? in->path : "";
	nearest_begin(&near, path, strlen(path));
	consider(&near, list, sizeof list, "", in->root, 0);
	if (!in->path)
		return error_set(err, ERROR_USAGE, "--to %s needs --table NAME: %s", in->format, list);
	return error_set(err, ERROR_USAGE, "--table %.40s: no such table, or an empty one%s (%s)", path,
			 nearest_hint(&near), list);
}

bool table_read(const struct export_input *in, const struct table_sink *sink, struct error *err)
{
	struct table w = {.sink = sink, .cells = json_object()};
	bool good = numbers_create(&w.columns) && w.cells;
	bool found = good && in->path && *in->path && rows(&w, in->root, in->path, "");
	if (found) {
		sink->head(sink->context, w.columns.numbers);
		w.telling = true;
		rows(&w, in->root, in->path, "");
	}
	good &= !w.columns.failed;
	numbers_destroy(&w.columns);
	json_decref(w.cells);
	if (!good)
		return error_set(err, ERROR_SYSTEM, "out of memory");
	return found || no_table(in, err);
}
