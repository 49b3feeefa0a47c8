/* The report of `culprit run` as JSON. Keys stay as they are once published; docs/reference/json.md describes them. */
#include "report/format.h"
#include "report/run/report.h"
#include "report/run/verdict.h"

static json_t *stack_json(const struct run_report *r)
{
	json_t *stack = json_object();
	for (uint32_t i = 0; i < r->stack_count; i++)
		json_object_set_new(stack, r->stack[i].name, format_integer(r->stack[i].cycles));
	return stack;
}

static json_t *rates_json(const struct report_rate_row *rows, uint32_t count, const char *total, const char *bad,
			  bool wrong)
{
	json_t *all = json_object();
	for (uint32_t i = 0; i < count; i++) {
		json_t *row = json_object();
		json_object_set_new(row, total, format_integer(rows[i].accesses));
		json_object_set_new(row, bad, format_integer(rows[i].misses));
		if (wrong)
			json_object_set_new(row, "wrong_path_misses", format_integer(rows[i].wrong_path_misses));
		json_object_set_new(all, rows[i].name, row);
	}
	return all;
}

/* What is not 0. */
static json_t *parts_json(const struct run_report *r, const uint64_t *cycles, bool causes)
{
	json_t *all = json_object();
	for (uint32_t i = 0; i < (causes ? r->cause_count : r->stack_count); i++)
		if (cycles[i])
			json_object_set_new(all, causes ? r->causes[i].name : r->stack[i].name,
					    format_integer(cycles[i]));
	return all;
}

static json_t *functions_json(const struct run_report *r)
{
	json_t *list = json_array();
	for (uint32_t i = 0; i < r->function_count; i++) {
		const struct report_function_row *f = &r->functions[i];
		json_t *row = json_object();
		json_object_set_new(row, "function", json_string(f->name));
		json_object_set_new(row, "object", json_string(f->object));
		json_object_set_new(row, "cycles", format_integer(f->cycles));
		json_object_set_new(row, "instructions", format_integer(f->instructions));
		json_object_set_new(row, "place", *f->place ? json_string(f->place) : json_null());
		json_object_set_new(row, "causes", parts_json(r, f->causes, true));
		json_array_append_new(list, row);
	}
	return list;
}

static json_t *causes_json(const struct run_report *r)
{
	uint64_t cycles[REPORT_CAUSES_MAX];
	for (uint32_t i = 0; i < r->cause_count; i++)
		cycles[i] = r->causes[i].cycles;
	return parts_json(r, cycles, true);
}

static json_t *site_json(const struct run_report *r, const struct report_site *s)
{
	json_t *o = json_object();
	json_object_set_new(o, "pc", format_integer(s->pc));
	json_object_set_new(o, "function", json_string(s->function));
	json_object_set_new(o, "object", json_string(s->object));
	json_object_set_new(o, "line", *s->line ? json_string(s->line) : json_null());
	json_object_set_new(o, "executions", format_integer(s->executions));
	json_object_set_new(o, "cycles", format_integer(s->cycles));
	json_object_set_new(o, "commit_stack", parts_json(r, s->stack, false));
	json_object_set_new(o, "causes", parts_json(r, s->causes, true));
	json_object_set_new(o, "refill", format_integer(s->refill));
	json_object_set_new(o, "mispredictions", format_integer(s->mispredictions));
	json_object_set_new(o, "l1d_misses", format_integer(s->l1d_misses));
	json_object_set_new(o, "memory_accesses", format_integer(s->memory));
	return o;
}

static json_t *sites_json(const struct run_report *r)
{
	json_t *list = json_array();
	for (size_t i = 0; i < r->site_count; i++)
		json_array_append_new(list, site_json(r, &r->sites[i]));
	return list;
}

static void counts_json(const struct run_report *r, json_t *root)
{
	const struct {
		const char *key;
		uint64_t value;
	} counts[] = {
		{"fetched", r->fetched},
		{"fetched_wrong_path", r->fetched_wrong_path},
		{"decode_redirects", r->decode_redirects},
		{"violations", r->violations},
		{"loads", r->loads},
		{"stores", r->stores},
		{"forwarded", r->forwarded},
		{"serialising", r->serialising},
		{"memory_reads", r->memory_reads},
		{"memory_writes", r->memory_writes},
		{"prefetches", r->prefetches},
		{"prefetches_used", r->prefetches_used},
		{"prefetches_late", r->prefetches_late},
	};
	json_t *object = json_object();
	for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++)
		json_object_set_new(object, counts[i].key, format_integer(counts[i].value));
	json_object_set_new(root, "counts", object);
}

static json_t *verdict_json(const struct verdict *v)
{
	json_t *list = json_array();
	enum verdict_sentence sentences[VERDICT_SENTENCES];
	char text[900];
	const unsigned n = verdict_sentences(v, sentences);
	for (unsigned i = 0; i < n; i++) {
		verdict_say(v, sentences[i], text, sizeof text);
		json_t *o = json_object();
		json_object_set_new(o, "rule", json_string(verdict_rule(sentences[i])));
		json_object_set_new(o, "text", json_string(text));
		json_array_append_new(list, o);
	}
	return list;
}

static json_t *next_json(const struct run_report *r, const struct verdict *v)
{
	enum { ROWS = 8 };
	struct verdict_next rows[ROWS];
	char command[4096];
	json_t *list = json_array();
	const unsigned n = verdict_next(v, rows, ROWS);
	for (unsigned i = 0; i < n; i++) {
		json_t *o = json_object();
		verdict_command(r, rows[i].options, NULL, command, sizeof command);
		json_object_set_new(o, "options", json_string(rows[i].options));
		json_object_set_new(o, "command", json_string(command));
		json_object_set_new(o, "why", json_string(rows[i].why));
		json_array_append_new(list, o);
	}
	return list;
}

static void timed_json(const struct run_report *r, json_t *root)
{
	json_object_set_new(root, "cycles", format_integer(r->cycles));
	json_object_set_new(root, "ipc", json_real(r->cycles ? (double)r->instructions / (double)r->cycles : 0));
	if (r->has_stack)
		json_object_set_new(root, "commit_stack", stack_json(r));
	json_object_set_new(root, "caches", rates_json(r->caches, r->cache_count, "accesses", "misses", true));
	json_object_set_new(root, "branches",
			    rates_json(r->branches, r->branch_count, "committed", "mispredicted", false));
	counts_json(r, root);
	if (r->program_count)
		json_object_set_new(root, "programs", run_report_programs_json(r));
	if (r->function_count)
		json_object_set_new(root, "functions", functions_json(r));
	if (!r->cause_count)
		return;
	struct verdict v;
	verdict_find(&v, r);
	json_object_set_new(root, "verdict", verdict_json(&v));
	json_object_set_new(root, "next", next_json(r, &v));
	json_object_set_new(root, "causes", causes_json(r));
	json_object_set_new(root, "before_main", r->before_main ? format_integer(r->before_main) : json_null());
	json_object_set_new(root, "sites_in_all", format_integer(r->all_sites));
	json_object_set_new(root, "sites", sites_json(r));
	if (r->code)
		json_object_set_new(root, "code", code_json(r->code));
}

json_t *run_report_legend(const struct run_report *r)
{
	json_t *legend = json_object(), *rows = json_object(), *causes = json_object();
	for (uint32_t i = 0; i < r->stack_count; i++)
		json_object_set_new(rows, r->stack[i].name, json_string(r->stack[i].meaning));
	for (uint32_t i = 0; i < r->cause_count; i++)
		json_object_set_new(causes, r->causes[i].name, json_string(r->causes[i].label));
	json_object_set_new(legend, "commit_stack", rows);
	json_object_set_new(legend, "causes", causes);
	return legend;
}

static json_t *trace_json(const struct report_trace *t)
{
	return json_pack("{s:s, s:s, s:I, s:I, s:I, s:I, s:I, s:I}", "format", t->format, "code", t->code, "left_out",
			 (json_int_t)t->left_out, "jumps", (json_int_t)t->jumps, "accesses", (json_int_t)t->accesses,
			 "addresses_not_told", (json_int_t)t->addresses, "results", (json_int_t)t->results,
			 "values_not_told", (json_int_t)t->values);
}

json_t *run_report_json(const struct run_report *r)
{
	json_t *root = json_object();
	if (!root)
		return NULL;
	json_object_set_new(root, "culprit", json_string(r->version));
	json_object_set_new(root, "machine", r->functional ? json_null() : json_string(r->machine));
	json_object_set_new(root, "program", json_string(r->program));
	json_object_set_new(root, "exit_status", r->exit_status < 0 ? json_null() : json_integer(r->exit_status));
	json_object_set_new(root, "killed", killed_json(&r->killed));
	json_object_set_new(root, "complete", json_boolean(!r->cut));
	json_object_set_new(root, "skipped", format_integer(r->skipped));
	json_object_set_new(root, "warmed", format_integer(r->warmed));
	json_object_set_new(root, "instructions", format_integer(r->instructions));
	if (r->trace.format)
		json_object_set_new(root, "trace", trace_json(&r->trace));
	if (!r->functional)
		timed_json(r, root);
	json_object_set_new(root, "host_seconds", json_real(r->host_seconds));
	json_object_set_new(root, "mips",
			    json_real(r->host_seconds > 0 ? (double)r->instructions / r->host_seconds / 1e6 : 0));
	return root;
}
