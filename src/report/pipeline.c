#include "report/pipeline.h"

#include "report/format.h"

static uint64_t cycles_of(const struct pipeline_report *r)
{
	return r->count ? r->rows[r->count - 1].commit + 1 - r->rows[0].fetch : 0;
}

void pipeline_report_text(const struct pipeline_report *r, FILE *out)
{
	char count[32], first[32], cycles[32], squashed[32];
	fputs("\nA window of the pipeline, for the picture of --html\n", out);
	fprintf(out, "  %s instructions from number %s on, in %s cycles;\n", format_grouped((int64_t)r->count, count),
		format_grouped((int64_t)r->first, first), format_grouped((int64_t)cycles_of(r), cycles));
	fprintf(out, "  %s more were squashed meanwhile. Its stack is %.1f%% off the run's\n",
		format_grouped((int64_t)(r->squash_count + r->squash_lost), squashed), r->off);
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

/* A column of what `value` says of each of `rows`; needs `row` and `before`, the one before it (the first: itself). */
#define COLUMN(object, name, type, rows, count, value)                                     \
	do {                                                                               \
		json_t *column_ = json_array();                                            \
		for (size_t i_ = 0; i_ < (count); i_++) {                                  \
			const type *row = &(rows)[i_], *before = row - !!i_;               \
			(void)before;                                                      \
			json_array_append_new(column_, json_integer((json_int_t)(value))); \
		}                                                                          \
		json_object_set_new(object, name, column_);                                \
	} while (0)

static json_t *rows_json(const struct pipeline_report *r)
{
	json_t *o = json_object();
#define ROW(name, value) COLUMN(o, name, struct pipeline_row, r->rows, r->count, value)
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

static json_t *squashed_json(const struct pipeline_report *r)
{
	json_t *o = json_object();
#define ROW(name, value) COLUMN(o, name, struct pipeline_squash, r->squashed, r->squash_count, value)
	ROW("number", row->seq - r->first);
	ROW("fetch", row->fetch - r->rows[0].fetch);
	ROW("dispatch", row->dispatched ? (int64_t)(row->dispatch - row->fetch) : -1);
	ROW("until", row->until - row->fetch);
	ROW("why", row->why);
#undef ROW
	return o;
}

json_t *pipeline_report_json(const struct pipeline_report *r)
{
	json_t *root = json_object(), *causes = json_array();
	for (uint32_t c = 0; c < r->cause_count; c++)
		json_array_append_new(causes, json_string(r->causes[c]));
	json_object_set_new(root, "first", format_integer(r->first));
	json_object_set_new(root, "first_cycle", format_integer(r->count ? r->rows[0].fetch : 0));
	json_object_set_new(root, "cycles", format_integer(cycles_of(r)));
	json_object_set_new(root, "share_off", json_real(r->off));
	json_object_set_new(root, "squashed_lost", format_integer(r->squash_lost));
	json_object_set_new(root, "causes", causes);
	json_object_set_new(root, "code", code_json(r));
	json_object_set_new(root, "instructions", rows_json(r));
	json_object_set_new(root, "squashed", squashed_json(r));
	return root;
}
