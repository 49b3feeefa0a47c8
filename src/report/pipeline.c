#include "report/pipeline.h"

#include "report/format.h"

#include <inttypes.h>
#include <stdlib.h>

static uint64_t cycles_of(const struct pipeline_window *w)
{
	return w->count ? w->rows[w->count - 1].commit + 1 - w->rows[0].fetch : 0;
}

void pipeline_report_text(const struct pipeline_report *r, FILE *out)
{
	const struct pipeline_window *w = &r->windows[r->nearest];
	char count[32], first[32], cycles[32], squashed[32];
	fputs("\nA window of the pipeline, for the picture of --html\n", out);
	fprintf(out, "  %s instructions from number %s on, in %s cycles;\n", format_grouped((int64_t)w->count, count),
		format_grouped((int64_t)w->first, first), format_grouped((int64_t)cycles_of(w), cycles));
	fprintf(out, "  %s more were squashed meanwhile. Its stack is %.1f%% off the run's\n",
		format_grouped((int64_t)(w->squash_count + w->squash_lost), squashed), w->off);
}

static json_t *code_json(const struct pipeline_report *r)
{
	json_t *all = json_array();
	for (size_t i = 0; i < r->code_count; i++) {
		const struct pipeline_code *c = &r->code[i];
		json_t *o = json_object();
		json_object_set_new(o, "pc", format_integer(c->pc));
		json_object_set_new(o, "text", json_string(c->text));
		json_object_set_new(o, "function", c->function ? json_string(c->function) : json_null());
		json_object_set_new(o, "object", c->object ? json_string(c->object) : json_null());
		json_object_set_new(o, "offset", format_integer(c->offset));
		json_object_set_new(o, "line", *c->line ? json_string(c->line) : json_null());
		json_array_append_new(all, o);
	}
	return all;
}

/* As a list; or as a text, which takes a tenth of the room once the JSON is indented. NULL: out of memory. */
static json_t *column_json(const int64_t *column, size_t count, bool as_text)
{
	enum { DIGITS = 21 }; /* with the blank */
	json_t *list = as_text ? NULL : json_array();
	char *text = as_text ? malloc(count * DIGITS + 1) : NULL;
	size_t length = 0;
	for (size_t i = 0; i < count; i++) {
		if (!as_text)
			json_array_append_new(list, json_integer((json_int_t)column[i]));
		else if (text)
			length += (size_t)sprintf(text + length, i ? " %" PRId64 : "%" PRId64, column[i]);
	}
	if (!as_text)
		return list;
	json_t *result = text ? json_stringn(text, length) : NULL;
	free(text);
	return result;
}

/* A column of what `value` says of each of `rows`; needs `row` and `before`, the one before it (the first: itself). */
#define COLUMN(object, name, type, rows, count, value, as_text)                                  \
	do {                                                                                     \
		int64_t *column_ = calloc((count) + 1, sizeof *column_);                         \
		for (size_t i_ = 0; column_ && i_ < (count); i_++) {                             \
			const type *row = &(rows)[i_], *before = row - !!i_;                     \
			(void)before;                                                            \
			column_[i_] = (int64_t)(value);                                          \
		}                                                                                \
		if (column_)                                                                     \
			json_object_set_new(object, name, column_json(column_, count, as_text)); \
		free(column_);                                                                   \
	} while (0)

static json_t *rows_json(const struct pipeline_window *w, bool as_text)
{
	json_t *o = json_object();
#define ROW(name, value) COLUMN(o, name, struct pipeline_row, w->rows, w->count, value, as_text)
	ROW("code", row->code);
	ROW("fetch", row->fetch - before->fetch);
	ROW("dispatch", row->dispatch - row->fetch);
	ROW("ready", row->ready - row->dispatch);
	ROW("issue", row->issue - row->ready);
	ROW("complete", row->complete - row->issue);
	ROW("commit", row->commit - row->complete);
	ROW("wait", row->wait);
	ROW("cause", row->cause);
	ROW("front", row->front);
	ROW("execution", row->execution);
	ROW("window", row->window);
	ROW("flags", row->flags);
	ROW("rs1", row->producers[0]);
	ROW("rs2", row->producers[1]);
	ROW("rs3", row->producers[2]);
	ROW("store", row->producers[3]);
#undef ROW
	return o;
}

static json_t *squashed_json(const struct pipeline_window *w, bool as_text)
{
	json_t *o = json_object();
#define ROW(name, value) COLUMN(o, name, struct pipeline_squash, w->squashed, w->squash_count, value, as_text)
	ROW("number", row->seq - w->first);
	ROW("fetch", row->fetch - w->rows[0].fetch);
	ROW("dispatch", row->dispatched ? (int64_t)(row->dispatch - row->fetch) : -1);
	ROW("until", row->until - row->fetch);
	ROW("why", row->why);
#undef ROW
	return o;
}

static void place_json(const struct pipeline_window *w, json_t *o)
{
	json_object_set_new(o, "first", format_integer(w->first));
	json_object_set_new(o, "first_cycle", format_integer(w->count ? w->rows[0].fetch : 0));
	json_object_set_new(o, "cycles", format_integer(cycles_of(w)));
	json_object_set_new(o, "share_off", json_real(w->off));
	json_object_set_new(o, "squashed_lost", format_integer(w->squash_lost));
}

static void lists_json(const struct pipeline_window *w, bool as_text, json_t *o)
{
	json_object_set_new(o, "instructions", rows_json(w, as_text));
	json_object_set_new(o, "squashed", squashed_json(w, as_text));
}

json_t *pipeline_report_json(const struct pipeline_report *r)
{
	json_t *root = json_object(), *causes = json_array(), *others = json_array();
	for (uint32_t c = 0; c < r->cause_count; c++)
		json_array_append_new(causes, json_string(r->causes[c]));
	place_json(&r->windows[r->nearest], root);
	json_object_set_new(root, "causes", causes);
	json_object_set_new(root, "code", code_json(r));
	lists_json(&r->windows[r->nearest], false, root);
	for (size_t i = 0; i < r->window_count; i++) {
		if (i == r->nearest)
			continue;
		json_t *other = json_object();
		place_json(&r->windows[i], other);
		lists_json(&r->windows[i], true, other);
		json_array_append_new(others, other);
	}
	json_object_set_new(root, "others", others);
	return root;
}
