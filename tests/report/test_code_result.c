/* A result file's code is outside input: what does not add up is refused, with its place. Each refusal once, of one
 * good result with one value changed; a value at a limit is taken. */
#include "report/code/result.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char good[] =
	"{'schema': 'culprit-run/1', 'program': 'p', 'machine': 'm', 'complete': true, 'instructions': 7, 'cycles': "
	"23, 'code': {"
	"'causes': [{'name': 'commit', 'label': 'a'}, {'name': 'memory', 'label': 'b'}], 'outside': 3,"
	"'files': [{'path': 'x/y.c', 'lines': [{'line': 2, 'text': 'two'}, {'line': 9, 'text': "
	"'\\tnine\\tx\\u001b'}, {'line': 20, 'text': ''}]}],"
	"'inlined': [{'function': 'in', 'file': 0, 'line': 9}, {'function': 'inner', 'outer': 0}],"
	"'functions': [{'function': 'f', 'object': 'p', 'symbol': null, 'start': 16, 'end': 24, 'executions': 7, "
	"'cycles': 20,"
	"  'causes': {'commit': 8, 'memory': 12}, 'instructions': ["
	"    {'pc': 16, 'text': 'nop', 'file': 0, 'line': 2, 'executions': 3, 'cycles': 8, 'causes': {'commit': 8},"
	"     'critical': {'path': 4, 'cost': 1.5, 'saved_by_one_cycle': 0.5, 'mean_slack': null}},"
	"    {'pc': 20, 'text': 'ret', 'inlined': 1, 'executions': 4, 'cycles': 11, 'causes': {'memory': 11}},"
	"    {'pc': 22, 'text': 'c.nop', 'cycles': 1, 'causes': {'memory': 1}}]}],"
	"'calls': [{'site': 16, 'target': 20, 'count': 1}, {'site': 16, 'target': 24, 'count': 2},"
	"  {'site': 17, 'target': 16, 'count': 1}]}}";

/* Quotes are single ones, for reading. */
static json_t *parsed(const char *text)
{
	char *own = strdup(text);
	assert_non_null(own);
	for (char *c = own; *c; c++)
		*c = *c == '\'' ? '"' : *c;
	json_error_t why;
	json_t *root = json_loads(own, JSON_DECODE_ANY, &why);
	if (!root)
		fail_msg("%s: %s", own, why.text);
	free(own);
	return root;
}

/* `path`: keys and numbers with slashes between; `value` NULL: taken out. */
static json_t *changed(const char *path, const char *value)
{
	json_t *root = parsed(good), *at = root;
	char own[80], *rest = own;
	snprintf(own, sizeof own, "%s", path);
	for (char *key; (key = strsep(&rest, "/"));) {
		const bool list = json_is_array(at);
		json_t *inner = list ? json_array_get(at, strtoul(key, NULL, 10)) : json_object_get(at, key);
		if (rest) {
			assert_non_null(inner);
			at = inner;
		} else if (!value) {
			json_object_del(at, key);
		} else if (list) {
			json_array_set_new(at, strtoul(key, NULL, 10), parsed(value));
		} else {
			json_object_set_new(at, key, parsed(value));
		}
	}
	return root;
}

static void refused(const char *path, const char *value, const char *why)
{
	struct code_result r;
	struct error err = {.text = ""};
	char wanted[200];
	json_t *root = changed(path, value);
	if (code_result_take(&r, root, "r.json", &err))
		fail_msg("%s as %s is taken", path, value ? value : "nothing");
	snprintf(wanted, sizeof wanted, "r.json: %s", why);
	assert_string_equal(err.text, wanted);
	code_result_destroy(&r);
	json_decref(root);
}

static void taken(const char *path, const char *value)
{
	struct code_result r;
	struct error err;
	json_t *root = changed(path, value);
	if (!code_result_take(&r, root, "r.json", &err))
		fail_msg("%s as %s: %s", path, value ? value : "nothing", err.text);
	code_result_destroy(&r);
	json_decref(root);
}

static void heads(void **state)
{
	refused("schema", NULL, "no result of culprit");
	refused("schema", "'culprit-graph/1'", "a result of the kind culprit-graph/1, and none of culprit run");
	refused("schema", "'culprit-sample/1'",
		"samples have no cycles of single instructions; for a part of the program: culprit run --skip N "
		"--max-insns N "
		"--json-code 0 --json FILE");
	refused("machine", "null", "a run without timing has no cycles");
	refused("machine", "3", "code.head.machine: not a text");
	refused("program", NULL, "code.head.program: not a text");
	refused("cycles", "-1", "code.head.cycles: not a count");
	refused("instructions", "1.5", "code.head.instructions: not a count");
	refused("code", NULL, "has no code: make it with culprit run --json FILE --json-code 0");
	refused("cycles", "22", "its functions' cycles do not sum to the run's");
	refused("code/outside", "4", "its functions' cycles do not sum to the run's");
	refused("code/outside", "'x'", "code.outside.outside: not a count");
	(void)state;
}

static void names(void **state)
{
	char many[1200] = "[{'name': 'commit', 'label': 'a'}, {'name': 'memory', 'label': 'b'}";
	for (unsigned i = 2; i < CODE_CAUSES_MAX; i++) {
		size_t used = strlen(many);
		snprintf(many + used, sizeof many - used, ", {'name': 'n%u', 'label': 'l'}", i);
	}
	size_t used = strlen(many);
	strcpy(many + used, "]");
	taken("code/causes", many);
	strcpy(many + used, ", {'name': 'one more', 'label': 'l'}]");
	refused("code/causes", many, "code.causes.[]: not a list of 1 to 24");
	refused("code/causes", "[]", "code.causes.[]: not a list of 1 to 24");
	refused("code/causes", "3", "code.causes.[]: not a list of 1 to 24");
	refused("code/causes/1/name", "'commit'", "code.causes.name: twice the same");
	refused("code/causes/1/label", "[]", "code.causes.label: not a text");
	(void)state;
}

static void lists(void **state)
{
	refused("code/files", "{}", "code.files.files: not a list");
	refused("code/files/0/lines/1/line", "2", "code.files.lines: are not in order");
	refused("code/files/0/lines/0/line", "10", "code.files.lines: are not in order");
	refused("code/files/0/lines/2/line", "8", "code.files.lines: are not in order");
	taken("code/files/0/lines/1/line", "3");
	taken("code/files/0/lines/2/line", "4294967295");
	refused("code/files/0/lines/2/line", "4294967296", "code.files.line: too large");
	refused("code/files/0/lines/1/text", NULL, "code.files.text: not a text");
	refused("code/files/0/path", "0", "code.files.path: not a text");
	refused("code/inlined/0/file", "1", "code.inlined.file: no number of what is listed");
	refused("code/inlined/1/outer", "1", "code.inlined.outer: no number of what is listed");
	refused("code/inlined/1/outer", "-1", "code.inlined.outer: no number of what is listed");
	refused("code/inlined/1/outer", "0.0", "code.inlined.outer: no number of what is listed");
	taken("code/calls", NULL);
	refused("code/calls", "1", "code.calls.calls: not a list");
	refused("code/calls/1/target", "20", "code.calls.site: not in order, or twice the same");
	refused("code/calls/0/site", "17", "code.calls.site: not in order, or twice the same");
	refused("code/calls/2/site", "15", "code.calls.site: not in order, or twice the same");
	refused("code/calls/2", "{'site': 16, 'target': 22}", "code.calls.site: not in order, or twice the same");
	refused("code/calls/2", "{'site': 16, 'target': 24}", "code.calls.site: not in order, or twice the same");
	taken("code/calls/2", "{'site': 16, 'target': 25}");
	refused("code/calls/1/cycles", "1", "code.calls.causes: do not sum to the cycles");
	(void)state;
}

static void functions(void **state)
{
#define FUNCTION "code/functions/0/"
#define INSN(n) FUNCTION "instructions/" #n "/"
#define AT "code.functions[0]."
	refused(FUNCTION "object", NULL, AT "object: not a text");
	refused(FUNCTION "end", "22", AT "instructions: are not in the order of addresses, within the function");
	refused(FUNCTION "start", "17", AT "instructions: are not in the order of addresses, within the function");
	taken(FUNCTION "end", "23");
	refused(INSN(1) "pc", "16", AT "instructions: are not in the order of addresses, within the function");
	taken(INSN(1) "pc", "17");
	refused(INSN(2) "pc", "18", AT "instructions: are not in the order of addresses, within the function");
	taken(INSN(2) "pc", "21");
	refused(INSN(1) "executions", "5", AT "instructions: do not sum to the function");
	refused(INSN(1) "l2_misses", "1", AT "instructions: do not sum to the function");
	refused(INSN(0) "cycles", "9", AT "causes: do not sum to the cycles");
	refused(INSN(0) "causes", "{'commit': 8, 'x': 0}", AT "causes: has one that is not in the list of causes");
	refused(INSN(0) "file", "1", AT "file: no number of what is listed");
	refused(INSN(1) "inlined", "2", AT "inlined: no number of what is listed");
	refused(INSN(0) "critical/cost", "'x'", AT "cost: not a number");
	refused(INSN(0) "critical/saved_by_one_cycle", NULL, AT "saved_by_one_cycle: not a number");
	refused(INSN(0) "critical/path", "-4", AT "path: not a count");
	taken(FUNCTION "instructions", NULL);
	(void)state;
}

/* As deep as it may be, and one deeper. */
static void depth(void **state)
{
	char calls[64 * 40 + 100] = "[{'function': 'in', 'file': 0, 'line': 9}";
	size_t used = strlen(calls);
	for (unsigned i = 1; i < CODE_DEEPEST; i++)
		used += (size_t)snprintf(calls + used, sizeof calls - used, ", {'function': 'g', 'outer': %u}", i - 1);
	strcpy(calls + used, "]");
	taken("code/inlined", calls);
	strcpy(calls + used, ", {'function': 'g', 'outer': 63}]");
	refused("code/inlined", calls, "code.inlined.outer: too deep");
	(void)state;
}

/* What is taken is what is there: a tab reaches to the next eighth column, and what could move a terminal is a
 * question mark. */
static void values(void **state)
{
	struct code_result r;
	struct error err;
	json_t *root = parsed(good);
	assert_true(code_result_take(&r, root, "r.json", &err));
	const struct code *c = &r.code;
	assert_string_equal(c->files[0].lines[1].text, "        nine    x?");
	assert_int_equal(c->files[0].lines[1].number, 9);
	assert_int_equal(c->inlined[1].depth, 1);
	assert_int_equal(c->inlined[0].outer, CODE_NONE);
	assert_true(c->has_criticality);
	const struct code_insn *n = c->functions[0].insns;
	assert_true(n[0].criticality.known && !n[0].criticality.watched);
	assert_false(n[1].criticality.known);
	assert_int_equal(n[0].line, 2);
	assert_int_equal(n[1].file, CODE_NONE);
	assert_int_equal(n[1].inlined, 1);
	assert_true(r.complete);
	code_result_destroy(&r);
	json_decref(root);
	(void)state;
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(heads), cmocka_unit_test(names),
					   cmocka_unit_test(lists), cmocka_unit_test(functions),
					   cmocka_unit_test(depth), cmocka_unit_test(values)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
