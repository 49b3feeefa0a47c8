/* Each function below reads one kind of object; the first thing that is wrong is named with its place in the file. */
#include "base/plain.h"
#include "report/code/result.h"

#include "report/format.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct place {
	const char *text; /* "functions[3]" */
	struct error *err;
};

static bool wrong(const struct place *p, const char *key, const char *what)
{
	return error_set(p->err, ERROR_INPUT, "code.%s.%s: %s", p->text, key, what);
}

/* --- values --- */

/* Absent is 0. */
static bool take_count(const json_t *o, const char *key, uint64_t *value, const struct place *p)
{
	const json_t *v = json_object_get(o, key);
	*value = 0;
	if (v && (!json_is_integer(v) || json_integer_value(v) < 0))
		return wrong(p, key, "not a count");
	*value = (uint64_t)json_integer_value(v);
	return true;
}

/* Absent is CODE_NONE; else below `end`. */
static bool take_number(const json_t *o, const char *key, uint32_t *value, size_t end, const struct place *p)
{
	const json_t *v = json_object_get(o, key);
	*value = CODE_NONE;
	if (!v)
		return true;
	if (!json_is_integer(v) || json_integer_value(v) < 0 || (uint64_t)json_integer_value(v) >= end)
		return wrong(p, key, "no number of what is listed");
	*value = (uint32_t)json_integer_value(v);
	return true;
}

/* Control characters could do anything to a terminal; a tab is a few blanks. */
static void make_plain(char *text)
{
	for (; *text; text++)
		if ((unsigned char)*text < ' ' || *text == 0x7f)
			*text = *text == '\t' ? ' ' : '?';
}

static bool keep_text(char **text, const char *value, const struct place *p)
{
	*text = strdup(value);
	if (!*text)
		return error_set(p->err, ERROR_SYSTEM, "out of memory for the code");
	make_plain(*text);
	return true;
}

static bool take_text(const json_t *o, const char *key, char **text, const struct place *p)
{
	const char *value = json_string_value(json_object_get(o, key));
	return value ? keep_text(text, value, p) : wrong(p, key, "not a text");
}

/* A tab of a source line reaches to the next eighth column. */
static bool take_source(const json_t *o, char **text, const struct place *p)
{
	const char *from = json_string_value(json_object_get(o, "text"));
	if (!from)
		return wrong(p, "text", "not a text");
	char *to = *text = malloc(8 * strlen(from) + 1);
	if (!to)
		return error_set(p->err, ERROR_SYSTEM, "out of memory for the code");
	size_t column = 0;
	for (; *from; from++) {
		size_t blanks = *from == '\t' ? 8 - column % 8 : 0;
		memset(to + column, *from == '\t' ? ' ' : *from, blanks ? blanks : 1);
		column += blanks ? blanks : 1;
	}
	to[column] = 0;
	make_plain(*text);
	return true;
}

static bool take_real(const json_t *o, const char *key, double *value, bool *there, const struct place *p)
{
	const json_t *v = json_object_get(o, key);
	if (!json_is_number(v) && !json_is_null(v))
		return wrong(p, key, "not a number");
	*value = json_number_value(v);
	*there = !json_is_null(v);
	return true;
}

/* Room for a list's elements, all zero. */
static bool take_list(const json_t *o, const char *key, size_t size, const json_t **list, void *room,
		      const struct place *p)
{
	*list = json_object_get(o, key);
	if (!json_is_array(*list))
		return wrong(p, key, "not a list");
	void *all = calloc(json_array_size(*list) + 1, size);
	if (!all)
		return error_set(p->err, ERROR_SYSTEM, "out of memory for the code");
	memcpy(room, &all, sizeof all);
	return true;
}

/* --- counts --- */

static bool take_causes(const struct code *c, const json_t *o, struct code_counts *n, const struct place *p)
{
	uint64_t sum = 0;
	size_t known = 0;
	const json_t *all = json_object_get(o, "causes");
	for (uint32_t i = 0; i < c->cause_count; i++) {
		TRY(take_count(all, c->causes[i], &n->causes[i], p));
		known += json_object_get(all, c->causes[i]) != NULL;
		sum += n->causes[i];
	}
	if (known != json_object_size(all))
		return wrong(p, "causes", "has one that is not in the list of causes");
	return sum == n->cycles || wrong(p, "causes", "do not sum to the cycles");
}

static bool take_counts(const struct code *c, const json_t *o, struct code_counts *n, const struct place *p)
{
	TRY(take_count(o, "executions", &n->executions, p));
	TRY(take_count(o, "cycles", &n->cycles, p));
	TRY(take_count(o, "mispredictions", &n->mispredictions, p));
	TRY(take_count(o, "refill", &n->refill, p));
	for (unsigned i = 0; i < CODE_LEVELS; i++)
		TRY(take_count(o, code_level_name(i), &n->misses[i], p));
	return take_causes(c, o, n, p);
}

static bool take_criticality(struct code *c, const json_t *o, struct code_criticality *k, const struct place *p)
{
	const json_t *all = json_object_get(o, "critical");
	if (!all)
		return true;
	k->known = c->has_criticality = true;
	TRY(take_count(all, "path", &k->path, p));
	TRY(take_real(all, "cost", &k->cost, &k->watched, p));
	TRY(take_real(all, "saved_by_one_cycle", &k->saved, &k->watched, p));
	return take_real(all, "mean_slack", &k->slack, &k->watched, p);
}

/* --- lists --- */

static bool take_line(const json_t *o, uint32_t file, uint32_t *line, const struct place *p)
{
	uint64_t value;
	TRY(take_count(o, "line", &value, p));
	if (value > UINT32_MAX)
		return wrong(p, "line", "too large");
	*line = file == CODE_NONE ? 0 : (uint32_t)value;
	return true;
}

static bool take_insns(struct code *c, const json_t *o, struct code_function *f, const struct place *p)
{
	const json_t *list, *item;
	size_t i;
	struct code_counts sum = {0};
	if (!json_object_get(o, "instructions"))
		return true;
	TRY(take_list(o, "instructions", sizeof *f->insns, &list, &f->insns, p));
	json_array_foreach(list, i, item)
	{
		struct code_insn *n = &f->insns[f->count++];
		TRY(take_text(item, "text", &n->text, p));
		TRY(take_count(item, "pc", &n->pc, p));
		TRY(take_number(item, "file", &n->file, c->file_count, p));
		TRY(take_line(item, n->file, &n->line, p));
		TRY(take_number(item, "inlined", &n->inlined, c->inlined_count, p));
		TRY(take_counts(c, item, &n->counts, p));
		TRY(take_criticality(c, item, &n->criticality, p));
		if (n->pc < f->start || n->pc >= f->end || (i && n->pc <= n[-1].pc))
			return wrong(p, "instructions", "are not in the order of addresses, within the function");
		code_counts_add(&sum, &n->counts, c->cause_count);
	}
	if (f->count && memcmp(&sum, &f->counts, sizeof sum) != 0)
		return wrong(p, "instructions", "do not sum to the function");
	return true;
}

/* Results of earlier versions have "+0x3a40" for "gzip+0x3a40". */
static bool take_name(const json_t *o, struct code_function *f, const struct place *p)
{
	const char *name = json_string_value(json_object_get(o, "function"));
	char whole[400];
	if (!name || strncmp(name, "+0x", 3) != 0)
		return take_text(o, "function", &f->name, p);
	snprintf(whole, sizeof whole, "%.190s%.190s", f->object, name);
	return keep_text(&f->name, whole, p);
}

static bool take_function(struct code *c, const json_t *o, struct code_function *f, const struct place *p)
{
	TRY(take_text(o, "object", &f->object, p));
	TRY(take_name(o, f, p));
	if (json_is_string(json_object_get(o, "symbol")))
		TRY(take_text(o, "symbol", &f->symbol, p));
	TRY(take_count(o, "start", &f->start, p));
	TRY(take_count(o, "end", &f->end, p));
	TRY(take_counts(c, o, &f->counts, p));
	return take_insns(c, o, f, p);
}

static bool take_functions(struct code *c, const json_t *o, uint64_t *cycles, struct error *err)
{
	const struct place top = {"functions", err};
	const json_t *list, *item;
	size_t i;
	TRY(take_list(o, "functions", sizeof *c->functions, &list, &c->functions, &top));
	json_array_foreach(list, i, item)
	{
		char text[40];
		const struct place p = {text, err};
		snprintf(text, sizeof text, "functions[%zu]", i);
		TRY(take_function(c, item, &c->functions[c->function_count++], &p));
		*cycles += c->functions[i].counts.cycles;
	}
	return true;
}

static bool take_files(struct code *c, const json_t *o, struct error *err)
{
	const struct place p = {"files", err};
	const json_t *list, *item, *lines, *line;
	size_t i, j;
	TRY(take_list(o, "files", sizeof *c->files, &list, &c->files, &p));
	json_array_foreach(list, i, item)
	{
		struct code_file *f = &c->files[c->file_count++];
		TRY(take_text(item, "path", &f->path, &p));
		TRY(take_list(item, "lines", sizeof *f->lines, &lines, &f->lines, &p));
		json_array_foreach(lines, j, line)
		{
			TRY(take_line(line, 0, &f->lines[j].number, &p));
			TRY(take_source(line, &f->lines[f->count++].text, &p));
			if (j && f->lines[j].number <= f->lines[j - 1].number)
				return wrong(&p, "lines", "are not in order");
		}
	}
	return true;
}

/* A call's outer one stands before it, so that they make no circle. */
static bool take_inlined(struct code *c, const json_t *o, struct error *err)
{
	const struct place p = {"inlined", err};
	const json_t *list, *item;
	size_t i;
	TRY(take_list(o, "inlined", sizeof *c->inlined, &list, &c->inlined, &p));
	json_array_foreach(list, i, item)
	{
		struct code_inlined *n = &c->inlined[c->inlined_count++];
		TRY(take_text(item, "function", &n->function, &p));
		TRY(take_number(item, "file", &n->file, c->file_count, &p));
		TRY(take_line(item, n->file, &n->line, &p));
		TRY(take_number(item, "outer", &n->outer, i, &p));
		n->depth = n->outer == CODE_NONE ? 0 : c->inlined[n->outer].depth + 1;
		if (n->depth >= CODE_DEEPEST)
			return wrong(&p, "outer", "too deep");
	}
	return true;
}

/* Results of earlier versions have none. */
static bool take_calls(struct code *c, const json_t *o, struct error *err)
{
	const struct place p = {"calls", err};
	const json_t *list, *item;
	size_t i;
	if (!json_object_get(o, "calls"))
		return true;
	TRY(take_list(o, "calls", sizeof *c->calls, &list, &c->calls, &p));
	json_array_foreach(list, i, item)
	{
		struct code_call *n = &c->calls[c->call_count++];
		TRY(take_count(item, "site", &n->site, &p));
		TRY(take_count(item, "target", &n->target, &p));
		TRY(take_count(item, "count", &n->count, &p));
		TRY(take_counts(c, item, &n->counts, &p));
		if (i && (n->site < n[-1].site || (n->site == n[-1].site && n->target <= n[-1].target)))
			return wrong(&p, "site", "not in order, or twice the same");
	}
	return true;
}

static bool take_names(struct code *c, const json_t *o, struct error *err)
{
	const struct place p = {"causes", err};
	const json_t *list = json_object_get(o, "causes"), *item;
	size_t i;
	if (!json_is_array(list) || !json_array_size(list) || json_array_size(list) > CODE_CAUSES_MAX)
		return wrong(&p, "[]", "not a list of 1 to 24");
	json_array_foreach(list, i, item)
	{
		c->cause_count++;
		TRY(take_text(item, "name", &c->causes[i], &p));
		TRY(take_text(item, "label", &c->labels[i], &p));
		for (size_t j = 0; j < i; j++)
			if (!strcmp(c->causes[j], c->causes[i]))
				return wrong(&p, "name", "twice the same");
	}
	return true;
}

/* --- the whole --- */

static bool take_code(struct code_result *r, const json_t *o, struct error *err)
{
	const struct place p = {"outside", err};
	struct code *c = &r->code;
	uint64_t cycles = 0;
	TRY(take_names(c, o, err));
	TRY(take_files(c, o, err));
	TRY(take_inlined(c, o, err));
	TRY(take_count(o, "outside", &c->outside, &p));
	TRY(take_functions(c, o, &cycles, err));
	TRY(take_calls(c, o, err));
	return cycles + c->outside == r->cycles ||
	       error_set(err, ERROR_INPUT, "its functions' cycles do not sum to the run's");
}

static void take_ending(struct code_result *r, const json_t *killed)
{
	const char *name = json_string_value(json_object_get(killed, "name")),
		   *reason = json_string_value(json_object_get(killed, "reason"));
	snprintf(r->killed, sizeof r->killed, "%s", name ? name : "");
	snprintf(r->reason, sizeof r->reason, "%s", reason ? reason : "its reason is not known");
	plain_make(r->killed);
	plain_make(r->reason);
}

static bool take_head(struct code_result *r, const json_t *root, struct error *err)
{
	const struct place p = {"head", err};
	const char *schema = json_string_value(json_object_get(root, "schema"));
	if (!schema || strncmp(schema, "culprit-", 8) != 0)
		return error_set(err, ERROR_INPUT, "no result of culprit");
	if (!strcmp(schema, "culprit-sample/1"))
		return error_set(
			err, ERROR_INPUT,
			"samples have no cycles of single instructions; for a part of the program: culprit run "
			"--skip N --max-insns N --json-code 0 --json FILE");
	if (strcmp(schema, "culprit-run/1") != 0)
		return error_set(err, ERROR_INPUT, "a result of the kind %.40s, and none of culprit run", schema);
	if (json_is_null(json_object_get(root, "machine")))
		return error_set(err, ERROR_INPUT, "a run without timing has no cycles");
	TRY(take_text(root, "program", &r->program, &p));
	TRY(take_text(root, "machine", &r->machine, &p));
	plain_make(r->program);
	plain_make(r->machine);
	TRY(take_count(root, "instructions", &r->instructions, &p));
	TRY(take_count(root, "cycles", &r->cycles, &p));
	r->complete = json_is_true(json_object_get(root, "complete"));
	take_ending(r, json_object_get(root, "killed"));
	return json_object_get(root, "code") ||
	       error_set(err, ERROR_INPUT, "has no code: make it with culprit run --json FILE --json-code 0");
}

bool code_result_take(struct code_result *r, const json_t *root, const char *name, struct error *err)
{
	memset(r, 0, sizeof *r);
	if (take_head(r, root, err) && take_code(r, json_object_get(root, "code"), err))
		return true;
	return error_context(err, "%s", name);
}

bool code_result_read(struct code_result *r, const char *path, struct error *err)
{
	json_t *root;
	memset(r, 0, sizeof *r);
	TRY(format_read_json(&root, path, err));
	bool good = code_result_take(r, root, path, err);
	json_decref(root);
	return good;
}

void code_result_destroy(struct code_result *r)
{
	free(r->program);
	free(r->machine);
	code_destroy(&r->code);
}
