/* The Firefox Profiler's processed form, version 48: the profiler takes older forms than its own. A sample is an
 * instruction and a cause; its weight is cycles, its category the cause. Its time is its place in the list: a result
 * does not know when.
 * Tables are columns of equal length, filled row by row. */
#include "export/export.h"
#include "export/numbers.h"
#include "export/sites.h"
#include "report/format.h"

#include <string.h>

struct table {
	json_t *columns;
	size_t length;
};

struct firefox {
	const struct code *code;
	struct numbers strings, functions, frame_keys, stack_keys;
	struct table samples, stacks, frames, funcs;
	uint32_t category; /* of the samples being added */
};

/* Takes over `value`. */
static void put(struct table *t, const char *column, json_t *value)
{
	json_t *list = json_object_get(t->columns, column);
	if (!list) {
		list = json_array();
		json_object_set_new(t->columns, column, list);
	}
	json_array_append_new(list, value);
}

static json_t *number_or_null(uint32_t n)
{
	return n ? format_integer(n) : json_null();
}

static uint32_t string(struct firefox *w, const char *text)
{
	return numbers_of(&w->strings, text, NULL);
}

static uint32_t func(struct firefox *w, const struct export_frame *f)
{
	char key[64];
	bool fresh;
	const uint32_t name = string(w, f->function), file = string(w, f->file);
	snprintf(key, sizeof key, "%u %u", name, file);
	uint32_t number = numbers_of(&w->functions, key, &fresh);
	if (!fresh)
		return number;
	struct table *t = &w->funcs;
	put(t, "name", format_integer(name));
	put(t, "isJS", json_false());
	put(t, "relevantForJS", json_false());
	put(t, "resource", json_integer(-1));
	put(t, "fileName", *f->file ? format_integer(file) : json_null());
	put(t, "lineNumber", json_null());
	put(t, "columnNumber", json_null());
	t->length++;
	return number;
}

static uint32_t frame(struct firefox *w, const struct export_frame *f, uint64_t pc, size_t depth)
{
	char key[96];
	bool fresh;
	uint32_t function = func(w, f);
	snprintf(key, sizeof key, "%u %u %llx %zu %u", function, f->line, (unsigned long long)pc, depth, w->category);
	uint32_t number = numbers_of(&w->frame_keys, key, &fresh);
	if (!fresh)
		return number;
	struct table *t = &w->frames;
	put(t, "address", json_integer(-1));
	put(t, "inlineDepth", format_integer(depth));
	put(t, "category", format_integer(w->category));
	put(t, "subcategory", json_integer(0));
	put(t, "func", format_integer(function));
	put(t, "nativeSymbol", json_null());
	put(t, "innerWindowID", json_null());
	put(t, "implementation", json_null());
	put(t, "line", number_or_null(f->line));
	put(t, "column", json_null());
	t->length++;
	return number;
}

/* `prefix`: UINT32_MAX = none. */
static uint32_t stack(struct firefox *w, uint32_t prefix, uint32_t top)
{
	char key[64];
	bool fresh;
	snprintf(key, sizeof key, "%u %u", prefix, top);
	uint32_t number = numbers_of(&w->stack_keys, key, &fresh);
	if (!fresh)
		return number;
	struct table *t = &w->stacks;
	put(t, "frame", format_integer(top));
	put(t, "prefix", prefix == UINT32_MAX ? json_null() : format_integer(prefix));
	put(t, "category", format_integer(w->category));
	put(t, "subcategory", json_integer(0));
	t->length++;
	return number;
}

static void sample(struct firefox *w, const struct export_site *site, uint64_t cycles)
{
	uint32_t at = UINT32_MAX;
	if (!cycles)
		return;
	for (size_t i = 0; i < site->depth; i++)
		at = stack(w, at, frame(w, &site->frames[i], i + 1 < site->depth ? 0 : site->pc, i));
	struct table *t = &w->samples;
	put(t, "stack", format_integer(at));
	put(t, "time", format_integer(t->length));
	put(t, "weight", format_integer(cycles));
	t->length++;
}

static bool samples(void *context, const struct export_site *site)
{
	struct firefox *w = context;
	uint64_t rest = site->counts->cycles;
	for (w->category = 0; w->category < w->code->cause_count; w->category++) {
		sample(w, site, site->counts->causes[w->category]);
		rest -= site->counts->causes[w->category];
	}
	sample(w, site, rest); /* after the last commit: the category behind the causes */
	return !w->strings.failed && !w->stack_keys.failed;
}

/* --- the file --- */

static json_t *categories(const struct code *c)
{
	/* clang-format off */
	static const char *const colours[] = {"green", "blue", "orange", "yellow", "purple", "lightblue", "red",
					      "brown", "magenta", "lightgreen", "darkgray", "lightred"};
	/* clang-format on */
	json_t *all = json_array();
	for (uint32_t i = 0; i <= c->cause_count; i++) {
		const bool other = i == c->cause_count;
		json_array_append_new(all, json_pack("{s:o, s:s, s:[s]}", "name",
						     format_text(other ? "Other" : c->labels[i]), "color",
						     other ? "grey" : colours[i % (sizeof colours / sizeof *colours)],
						     "subcategories", "Other"));
	}
	return all;
}

static json_t *table_json(struct table *t)
{
	json_object_set_new(t->columns, "length", format_integer(t->length));
	return json_incref(t->columns);
}

static json_t *empty_table(const char *columns)
{
	json_t *o = json_pack("{s:i}", "length", 0);
	char name[32];
	for (int used; sscanf(columns, "%31s%n", name, &used) == 1; columns += used)
		json_object_set_new(o, name, json_array());
	return o;
}

static json_t *strings_json(const struct firefox *w)
{
	json_t *all = json_array();
	const char *text;
	json_t *number;
	json_object_foreach(w->strings.numbers, text, number) json_array_append_new(all, format_text(text));
	return all;
}

static json_t *thread_json(struct firefox *w, const struct code_result *r)
{
	json_object_set_new(w->samples.columns, "weightType", json_string("samples"));
	json_t *o = json_pack("{s:s, s:o, s:b, s:s, s:i, s:i, s:n, s:i, s:n, s:[]}", "processType", "default", "name",
			      format_text(r->machine), "isMainThread", 1, "pid", "1", "tid", 1, "processStartupTime", 0,
			      "processShutdownTime", "registerTime", 0, "unregisterTime", "pausedRanges");
	json_object_set_new(o, "processName", format_text(r->program));
	json_object_set_new(o, "samples", table_json(&w->samples));
	json_object_set_new(o, "stackTable", table_json(&w->stacks));
	json_object_set_new(o, "frameTable", table_json(&w->frames));
	json_object_set_new(o, "funcTable", table_json(&w->funcs));
	json_object_set_new(o, "markers", empty_table("data name startTime endTime phase category"));
	json_object_set_new(o, "resourceTable", empty_table("lib name host type"));
	json_object_set_new(o, "nativeSymbols", empty_table("libIndex address name functionSize"));
	json_object_set_new(o, "stringArray", strings_json(w));
	return o;
}

static json_t *meta_json(const struct export_input *in)
{
	const struct code_result *r = &in->result;
	char product[300];
	snprintf(product, sizeof product, "culprit %s: %.200s", in->version, r->program);
	json_t *o = json_pack("{s:i, s:i, s:i, s:i, s:i, s:i, s:b, s:[], s:o}", "version", 29,
			      "preprocessedProfileVersion", 48, "interval", 1, "startTime", 0, "processType", 0,
			      "stackwalk", 0, "symbolicated", 1, "markerSchema", "categories", categories(&r->code));
	json_object_set_new(o, "product", format_text(product));
	json_object_set_new(o, "extensions", empty_table("baseURL id name"));
	return o;
}

static void create(struct firefox *w)
{
	w->samples.columns = json_object();
	w->stacks.columns = json_object();
	w->frames.columns = json_object();
	w->funcs.columns = json_object();
}

static void destroy(struct firefox *w)
{
	struct numbers *const names[] = {&w->strings, &w->functions, &w->frame_keys, &w->stack_keys};
	struct table *const tables[] = {&w->samples, &w->stacks, &w->frames, &w->funcs};
	for (unsigned i = 0; i < 4; i++) {
		numbers_destroy(names[i]);
		json_decref(tables[i]->columns);
	}
}

bool export_firefox(const struct export_input *in, FILE *out, struct error *err)
{
	struct firefox w = {.code = &in->result.code};
	create(&w);
	bool good = numbers_create(&w.strings) && numbers_create(&w.functions) && numbers_create(&w.frame_keys) &&
		    numbers_create(&w.stack_keys);
	good = good && export_sites(&in->result, samples, &w);
	json_t *root =
		json_pack("{s:o, s:[], s:[o]}", "meta", meta_json(in), "libs", "threads", thread_json(&w, &in->result));
	good = good && root && (json_dumpf(root, out, JSON_COMPACT), true);
	json_decref(root);
	destroy(&w);
	return good || error_set(err, ERROR_SYSTEM, "out of memory");
}
