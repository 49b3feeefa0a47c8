/* The section `code` of a run's JSON. Of what is counted only what is not 0 is written: most instructions have
 * little. */
#include "report/code/code.h"
#include "report/format.h"

static void set_count(json_t *o, const char *key, uint64_t value)
{
	if (value)
		json_object_set_new(o, key, format_integer(value));
}

static void set_number(json_t *o, const char *key, uint32_t number)
{
	if (number != CODE_NONE)
		json_object_set_new(o, key, json_integer(number));
}

static void set_counts(const struct code *c, json_t *o, const struct code_counts *n)
{
	set_count(o, "executions", n->executions);
	set_count(o, "cycles", n->cycles);
	if (n->cycles) {
		json_t *causes = json_object();
		for (uint32_t i = 0; i < c->cause_count; i++)
			set_count(causes, c->causes[i], n->causes[i]);
		json_object_set_new(o, "causes", causes);
	}
	set_count(o, "mispredictions", n->mispredictions);
	set_count(o, "refill", n->refill);
	for (unsigned i = 0; i < CODE_LEVELS; i++)
		set_count(o, code_level_name(i), n->misses[i]);
}

static void set_criticality(json_t *o, const struct code_criticality *k)
{
	if (!k->known)
		return;
	json_t *all = json_object();
	json_object_set_new(all, "path", format_integer(k->path));
	json_object_set_new(all, "cost", k->watched ? json_real(k->cost) : json_null());
	json_object_set_new(all, "saved_by_one_cycle", k->watched ? json_real(k->saved) : json_null());
	json_object_set_new(all, "mean_slack", k->watched ? json_real(k->slack) : json_null());
	json_object_set_new(o, "critical", all);
}

static json_t *insn_json(const struct code *c, const struct code_insn *n)
{
	json_t *o = json_object();
	json_object_set_new(o, "pc", format_integer(n->pc));
	json_object_set_new(o, "text", json_string(n->text));
	set_number(o, "file", n->file);
	if (n->file != CODE_NONE)
		json_object_set_new(o, "line", json_integer(n->line));
	set_number(o, "inlined", n->inlined);
	set_counts(c, o, &n->counts);
	set_criticality(o, &n->criticality);
	return o;
}

static json_t *insns_json(const struct code *c, const struct code_function *f)
{
	json_t *all = json_array();
	for (size_t i = 0; i < f->count; i++)
		json_array_append_new(all, insn_json(c, &f->insns[i]));
	return all;
}

static json_t *function_json(const struct code *c, const struct code_function *f)
{
	json_t *o = json_object();
	json_object_set_new(o, "function", format_text(f->name));
	json_object_set_new(o, "symbol", f->symbol ? format_text(f->symbol) : json_null());
	json_object_set_new(o, "object", format_text(f->object));
	json_object_set_new(o, "start", format_integer(f->start));
	json_object_set_new(o, "end", format_integer(f->end));
	set_counts(c, o, &f->counts);
	if (f->count)
		json_object_set_new(o, "instructions", insns_json(c, f));
	return o;
}

static json_t *file_json(const struct code_file *f)
{
	json_t *lines = json_array();
	for (size_t i = 0; i < f->count; i++)
		json_array_append_new(lines, json_pack("{s:i, s:o}", "line", (int)f->lines[i].number, "text",
						       format_text(f->lines[i].text)));
	return json_pack("{s:o, s:o}", "path", format_text(f->path), "lines", lines);
}

static json_t *inlined_json(const struct code_inlined *n)
{
	json_t *o = json_object();
	json_object_set_new(o, "function", format_text(n->function));
	set_number(o, "file", n->file);
	if (n->file != CODE_NONE)
		json_object_set_new(o, "line", json_integer(n->line));
	set_number(o, "outer", n->outer);
	return o;
}

static json_t *call_json(const struct code *c, const struct code_call *n)
{
	json_t *o = json_object();
	json_object_set_new(o, "site", format_integer(n->site));
	json_object_set_new(o, "target", format_integer(n->target));
	json_object_set_new(o, "count", format_integer(n->count));
	set_counts(c, o, &n->counts);
	return o;
}

static json_t *causes_json(const struct code *c)
{
	json_t *all = json_array();
	for (uint32_t i = 0; i < c->cause_count; i++)
		json_array_append_new(all, json_pack("{s:s, s:s}", "name", c->causes[i], "label", c->labels[i]));
	return all;
}

json_t *code_json(const struct code *c)
{
	json_t *functions = json_array(), *files = json_array(), *inlined = json_array(), *calls = json_array();
	json_t *o = json_object();
	for (size_t i = 0; i < c->function_count; i++)
		json_array_append_new(functions, function_json(c, &c->functions[i]));
	for (size_t i = 0; i < c->file_count; i++)
		json_array_append_new(files, file_json(&c->files[i]));
	for (size_t i = 0; i < c->inlined_count; i++)
		json_array_append_new(inlined, inlined_json(&c->inlined[i]));
	for (size_t i = 0; i < c->call_count; i++)
		json_array_append_new(calls, call_json(c, &c->calls[i]));
	json_object_set_new(o, "causes", causes_json(c));
	json_object_set_new(o, "outside", format_integer(c->outside));
	json_object_set_new(o, "files", files);
	json_object_set_new(o, "inlined", inlined);
	json_object_set_new(o, "functions", functions);
	if (c->calls)
		json_object_set(o, "calls", calls);
	json_decref(calls);
	return o;
}
