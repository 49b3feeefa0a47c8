#include "export/window.h"

#include "culprit/record.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TIME_MOST = 1 << 30 }; /* cycles of one step; a window is no longer than its instructions' steps together */

static bool wrong(struct error *err, const char *key, const char *what)
{
	return error_set(err, ERROR_INPUT, "pipeline.%s: %s", key, what);
}

/* --- columns: lists of numbers, all of one length --- */

enum column {
	CODE,
	FETCH,
	DISPATCH,
	READY,
	ISSUE,
	COMPLETE,
	COMMIT,
	WAIT,
	CAUSE,
	FLAGS,
	PRODUCER,
	COLUMNS = PRODUCER + EXPORT_PRODUCERS
};
/* clang-format off */
static const char *const columns[COLUMNS] = {"code", "fetch", "dispatch", "ready", "issue", "complete", "commit",
					     "wait", "cause", "flags", "rs1", "rs2", "rs3", "store"};
/* clang-format on */

enum squash_column { NUMBER, SQUASH_FETCH, SQUASH_DISPATCH, UNTIL, WHY, SQUASH_COLUMNS };
static const char *const squash_columns[SQUASH_COLUMNS] = {"number", "fetch", "dispatch", "until", "why"};

struct lists {
	const char *name;
	size_t length;
	const json_t *lists[COLUMNS];
};

static bool take_lists(struct lists *l, const json_t *pipeline, const char *name, const char *const *names,
		       size_t count, struct error *err)
{
	const json_t *o = json_object_get(pipeline, name);
	l->name = name;
	for (size_t i = 0; i < count; i++) {
		l->lists[i] = json_object_get(o, names[i]);
		if (!json_is_array(l->lists[i]))
			return wrong(err, name, "a column is missing");
		if (i && json_array_size(l->lists[i]) != json_array_size(l->lists[0]))
			return wrong(err, name, "columns are not of one length");
	}
	l->length = json_array_size(l->lists[0]);
	return true;
}

/* A row's numbers, each from `least` to TIME_MOST. */
static bool take_row(const struct lists *l, size_t row, size_t count, int64_t least, int64_t *values, struct error *err)
{
	for (size_t i = 0; i < count; i++) {
		const json_t *v = json_array_get(l->lists[i], row);
		values[i] = json_integer_value(v);
		if (!json_is_integer(v) || values[i] < least || values[i] > TIME_MOST)
			return wrong(err, l->name, "a number is none, or out of range");
	}
	return true;
}

/* --- rows --- */

static const char *text_of(const json_t *o, const char *key)
{
	const char *text = json_string_value(json_object_get(o, key));
	return text ? text : "";
}

static bool take_code(struct export_window *w, const json_t *pipeline, struct error *err)
{
	const json_t *list = json_object_get(pipeline, "code"), *item;
	size_t i;
	if (!json_is_array(list))
		return wrong(err, "code", "not a list");
	w->code = calloc(json_array_size(list) + 1, sizeof *w->code);
	if (!w->code)
		return error_set(err, ERROR_SYSTEM, "out of memory for the window");
	json_array_foreach(list, i, item) w->code[w->code_count++] =
		(struct export_code){(uint64_t)json_integer_value(json_object_get(item, "pc")), text_of(item, "text"),
				     text_of(item, "function"), text_of(item, "line")};
	return true;
}

static const char *cause_name(const json_t *pipeline, int64_t cause)
{
	const char *name = json_string_value(json_array_get(json_object_get(pipeline, "causes"), (size_t)cause));
	return name ? name : "";
}

/* Producers are distances in the committed stream here; they become places when the list is in order. */
static bool take_committed(struct export_window *w, const json_t *pipeline, const struct lists *l, uint64_t first,
			   struct error *err)
{
	int64_t v[COLUMNS];
	uint64_t fetch = 0;
	for (size_t i = 0; i < l->length; i++) {
		struct export_op *op = &w->ops[w->count++];
		TRY(take_row(l, i, COLUMNS, 0, v, err));
		if ((size_t)v[CODE] >= w->code_count)
			return wrong(err, l->name, "no such code");
		fetch += i ? (uint64_t)v[FETCH] : 0;
		op->dispatched = true;
		op->number = first + i;
		op->fetch = fetch;
		op->dispatch = op->fetch + (uint64_t)v[DISPATCH];
		op->ready = op->dispatch + (uint64_t)v[READY];
		op->issue = op->ready + (uint64_t)v[ISSUE];
		op->complete = op->issue + (uint64_t)v[COMPLETE];
		op->end = op->complete + (uint64_t)v[COMMIT];
		op->code = &w->code[v[CODE]];
		op->wait = (uint64_t)v[WAIT];
		op->why = op->wait ? cause_name(pipeline, v[CAUSE]) : "";
		op->store = v[FLAGS] & CULPRIT_STORE;
		for (unsigned p = 0; p < EXPORT_PRODUCERS; p++)
			op->producers[p] = (size_t)v[PRODUCER + p];
	}
	return true;
}

static bool take_squashed(struct export_window *w, const struct lists *l, uint64_t first, struct error *err)
{
	int64_t v[SQUASH_COLUMNS];
	for (size_t i = 0; i < l->length; i++) {
		struct export_op *op = &w->ops[w->count++];
		TRY(take_row(l, i, SQUASH_COLUMNS, -1, v, err));
		if (v[NUMBER] < 0 || v[SQUASH_FETCH] < 0 || v[UNTIL] < 0 || v[SQUASH_DISPATCH] > v[UNTIL])
			return wrong(err, l->name, "times are not in order");
		op->squashed = true;
		op->dispatched = v[SQUASH_DISPATCH] >= 0;
		op->number = first + (uint64_t)v[NUMBER];
		op->fetch = (uint64_t)v[SQUASH_FETCH];
		op->dispatch = op->fetch + (op->dispatched ? (uint64_t)v[SQUASH_DISPATCH] : 0);
		op->end = op->fetch + (uint64_t)v[UNTIL];
		op->why = v[WHY] ? "memory-order violation" : "mispredicted branch";
	}
	return true;
}

/* --- order --- */

/* Those that are squashed come behind the committed ones fetched in the same cycle: the branch is older. */
static int by_fetch(const void *a, const void *b)
{
	const struct export_op *x = a, *y = b;
	if (x->fetch != y->fetch)
		return x->fetch < y->fetch ? -1 : 1;
	if (x->squashed != y->squashed)
		return x->squashed - y->squashed;
	return x->number < y->number ? -1 : x->number > y->number;
}

/* `places`: of the committed ones, by number from `first` on. */
static void find_producers(struct export_window *w, uint64_t first, size_t *places)
{
	for (size_t i = 0; i < w->count; i++)
		if (!w->ops[i].squashed)
			places[w->ops[i].number - first] = i;
	for (size_t i = 0; i < w->count; i++)
		for (unsigned p = 0; p < EXPORT_PRODUCERS; p++) {
			struct export_op *op = &w->ops[i];
			size_t back = op->producers[p], at = (size_t)(op->number - first);
			op->producers[p] = op->squashed || !back || back > at ? EXPORT_NO_OP : places[at - back];
		}
}

bool export_window_take(struct export_window *w, const json_t *root, struct error *err)
{
	const json_t *pipeline = json_object_get(root, "pipeline");
	struct lists rows = {0}, squashed = {0};
	uint64_t first = (uint64_t)json_integer_value(json_object_get(pipeline, "first"));
	if (!pipeline)
		return error_set(err, ERROR_INPUT,
				 "has no window of the pipeline: make it with --with pipeline --json FILE");
	w->program = text_of(root, "program");
	w->first_cycle = (uint64_t)json_integer_value(json_object_get(pipeline, "first_cycle"));
	TRY(take_code(w, pipeline, err));
	TRY(take_lists(&rows, pipeline, "instructions", columns, COLUMNS, err));
	TRY(take_lists(&squashed, pipeline, "squashed", squash_columns, SQUASH_COLUMNS, err));
	w->ops = calloc(rows.length + squashed.length + 1, sizeof *w->ops);
	size_t *places = calloc(rows.length + 1, sizeof *places);
	bool good = w->ops && places;
	if (!good)
		error_set(err, ERROR_SYSTEM, "out of memory for the window");
	good = good && take_committed(w, pipeline, &rows, first, err) && take_squashed(w, &squashed, first, err);
	if (good) {
		qsort(w->ops, w->count, sizeof *w->ops, by_fetch);
		find_producers(w, first, places);
	}
	free(places);
	return good;
}

void export_window_destroy(struct export_window *w)
{
	free(w->ops);
	free(w->code);
	*w = (struct export_window){0};
}

void export_op_text(const struct export_op *op, char *text, size_t size)
{
	if (op->code)
		snprintf(text, size, "0x%" PRIx64 " %s", op->code->pc, op->code->text);
	else
		snprintf(text, size, "squashed: %s", op->why);
	for (; *text; text++)
		*text = *text == '\t' || *text == '\n' ? ' ' : *text;
}
