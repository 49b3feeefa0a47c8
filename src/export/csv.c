/* Any list of a result as CSV. `path` leads to it: "sites", "critical.functions". A list of objects has a row for each,
 * and a column for each key: those of an object within have its name before them ("causes.memory"). A list within lists
 * is all of them together, with the outer ones' texts as columns ("code.functions.instructions": functions.function).
 * An object of numbers has a row for each, of name and value; an object of lists has a column for each list. */
#include "base/nearest.h"
#include "export/export.h"
#include "export/numbers.h"

#include <string.h>

enum { KEY_LONGEST = 200, DEEPEST = 6 };

/* Objects are told to `row` one by one, with the lists' objects around them. */
struct around {
	const char *name;
	const json_t *object;
};

struct csv {
	FILE *out;
	struct numbers columns;
	json_t *cells; /* of the row being printed: column -> value */
	struct around around[DEEPEST];
	size_t depth;
	bool printing; /* else: the columns are being found */
};

/* --- cells --- */

static void print_text(const char *text, FILE *out)
{
	if (!strpbrk(text, ",\"\r\n")) {
		fputs(text, out);
		return;
	}
	fputc('"', out);
	for (; *text; text++) {
		if (*text == '"')
			fputc('"', out);
		fputc(*text, out);
	}
	fputc('"', out);
}

static void print_cell(const json_t *v, FILE *out)
{
	char *text;
	if (!v || json_is_null(v))
		return;
	text = json_is_string(v) ? NULL : json_dumps(v, JSON_ENCODE_ANY | JSON_COMPACT);
	print_text(text ? text : json_string_value(v) ? json_string_value(v) : "", out);
	free(text);
}

static void add_cell(struct csv *w, const char *prefix, const char *key, const json_t *v)
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
	if (w->printing)
		json_object_set(w->cells, name, (json_t *)v);
}

static void end_row(struct csv *w)
{
	const char *column, *comma = "";
	json_t *number;
	if (!w->printing)
		return;
	json_object_foreach(w->columns.numbers, column, number)
	{
		fputs(comma, w->out);
		print_cell(json_object_get(w->cells, column), w->out);
		comma = ",";
	}
	fputc('\n', w->out);
	json_object_clear(w->cells);
}

/* --- rows --- */

static void object_row(struct csv *w, const json_t *object)
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

static void named_rows(struct csv *w, const json_t *object)
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

static void column_rows(struct csv *w, const json_t *object)
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
static bool rows(struct csv *w, const json_t *at, const char *path, const char *name)
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
		return error_set(err, ERROR_USAGE, "--to csv needs --table NAME: %s", list);
	return error_set(err, ERROR_USAGE, "--table %.40s: no such table, or an empty one%s (%s)", path,
			 nearest_hint(&near), list);
}

static void print_head(struct csv *w)
{
	const char *column, *comma = "";
	json_t *number;
	json_object_foreach(w->columns.numbers, column, number)
	{
		fputs(comma, w->out);
		print_text(column, w->out);
		comma = ",";
	}
	fputc('\n', w->out);
}

bool export_csv(const struct export_input *in, FILE *out, struct error *err)
{
	struct csv w = {.out = out, .cells = json_object()};
	bool good = numbers_create(&w.columns) && w.cells;
	bool found = good && in->path && *in->path && rows(&w, in->root, in->path, "");
	if (found) {
		print_head(&w);
		w.printing = true;
		rows(&w, in->root, in->path, "");
	}
	good &= !w.columns.failed;
	numbers_destroy(&w.columns);
	json_decref(w.cells);
	if (!good)
		return error_set(err, ERROR_SYSTEM, "out of memory");
	return found || no_table(in, err);
}
