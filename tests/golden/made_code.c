/* Code: listings, sites and comparisons. Two results, of a program and of its next version, go through their JSON as a
 * run's do. Lines have moved, one text is another, one function is gone, one is new, and one has no instructions. */
#include "made.h"
#include "report/code/annotate.h"
#include "report/code/diff.h"

#include <stdlib.h>
#include <string.h>

enum { CAUSES = 6, OTHERS = 15, START = 0x10000 };

static const char *const cause_names[CAUSES][2] = {
	{"commit", "committing"}, {"mispredict", "mispredict"},
	{"memory", "memory"},	  {"cache", "L2 or L3"},
	{"tlb", "TLB"},		  {"l1", "L1D"},
};

static const char *const levels[] = {"main.c", "inline.h"};

/* Of the function `alpha`; `line` is the first version's. */
static const struct {
	const char *text;
	uint32_t length, file, line, inlined;
	enum { RAN, LITTLE, NEVER } how;
} alpha[] = {
	{"c.li a0,1", 2, 0, 10, CODE_NONE, RAN},    {"ld a1,0(a0)", 4, 0, 10, CODE_NONE, RAN},
	{"add a2,a1,a0", 4, 1, 3, 0, RAN},	    {"mul a3,a2,a1", 4, 1, 4, 1, RAN},
	{"sub a3,a3,a1", 4, CODE_NONE, 0, 2, RAN},  {"c.beqz a0,8", 2, 0, 20, CODE_NONE, LITTLE},
	{"lui a4,1", 4, 0, 21, CODE_NONE, NEVER},   {"c.nop", 2, 0, 21, CODE_NONE, NEVER},
	{"xor a4,a4,a1", 4, 0, 24, CODE_NONE, RAN}, {"fld fa0,0(a1)", 4, CODE_NONE, 0, CODE_NONE, RAN},
	{"sd a1,0(a4)", 4, 0, 21, CODE_NONE, RAN},  {"c.jr ra", 2, 0, 31, CODE_NONE, RAN},
};
enum { ALPHA = sizeof alpha / sizeof *alpha };

static char *copy(const char *text)
{
	char *own = strdup(text);
	if (!own)
		exit(2);
	return own;
}

static void *room(size_t count, size_t size)
{
	void *all = calloc(count, size);
	if (!all)
		exit(2);
	return all;
}

/* From 1 to 10^16 executions. Misses of a level are among those of the level before. */
static void fill_counts(struct code_counts *n, uint64_t scale, struct figures *f)
{
	static const uint64_t powers[] = {1, 10000000, 1000, 10000000000, 100};
	n->executions = figure(f) * (scale > 1 ? powers[f->drawn % 5] : 1);
	for (unsigned i = 0; i < CAUSES; i++)
		n->cycles += n->causes[i] = scale > 1 ? figure(f) / 7 : i;
	n->mispredictions = figure(f);
	n->refill = figure(f) % 100000;
	for (unsigned i = CODE_LEVELS; i-- > 0;)
		n->misses[i] = figure(f) + (i + 1 < CODE_LEVELS ? n->misses[i + 1] : 0);
}

static void fill_criticality(struct code_criticality *k, bool watched, struct figures *f)
{
	*k = (struct code_criticality){.known = true, .path = figure(f)};
	if (!watched)
		return;
	k->watched = true;
	k->cost = fraction(f) * 50;
	k->saved = fraction(f);
	k->slack = f->drawn % 3 ? fraction(f) : fraction(f) * 1e5;
}

static uint32_t moved(uint32_t line, unsigned side)
{
	return side && line > 10 ? line + 2 : line;
}

static void fill_alpha(struct code_function *f, unsigned side, struct figures *from)
{
	uint64_t pc = f->start;
	f->insns = room(ALPHA, sizeof *f->insns);
	for (size_t i = 0; i < ALPHA; i++) {
		struct code_insn *n = &f->insns[f->count++];
		*n = (struct code_insn){.pc = pc, .text = copy(alpha[i].text), .file = alpha[i].file};
		n->line = alpha[i].file ? alpha[i].line : moved(alpha[i].line, side);
		n->inlined = alpha[i].inlined;
		if (alpha[i].how != NEVER)
			fill_counts(&n->counts, alpha[i].how == LITTLE ? 1 : 1000, from);
		if (!side)
			fill_criticality(&n->criticality, i != 3, from);
		code_counts_add(&f->counts, &n->counts, CAUSES);
		pc += alpha[i].length;
	}
	f->end = pc + 6; /* and 6 bytes that never ran */
}

/* One instruction, or none and only its sums. */
static void fill_other(struct code_function *f, struct figures *from)
{
	fill_counts(&f->counts, 100, from);
	f->end = f->start + 4;
	if (!strcmp(f->name, "bare"))
		return;
	f->insns = room(1, sizeof *f->insns);
	f->insns[f->count++] =
		(struct code_insn){f->start, copy("div a0,a0,a1"), CODE_NONE, 0, CODE_NONE, f->counts, {0}};
}

static void fill_functions(struct code *c, unsigned side, struct figures *from)
{
	static const char *const names[OTHERS] = {
		"alpha",     "beta.constprop.0",
		"ns::gamma", "only",
		"bare",	     "+0x40",
		"f6",	     "f7",
		"f8",	     "f9",
		"f10",	     "f11",
		"f12",	     "f13",
		"f14",
	};
	c->functions = room(OTHERS, sizeof *c->functions);
	for (uint64_t i = 0; i < OTHERS; i++) {
		struct code_function *f = &c->functions[c->function_count++];
		const bool only = !strcmp(names[i], "only"), library = i == 7 || i == 8;
		*f = (struct code_function){.name = copy(only && side ? "new" : names[i]), .start = START + 4096 * i};
		f->object = copy(library ? "libm.so.6" : side ? "next" : "first");
		f->symbol = i == 2 ? copy("_ZN2ns5gammaEv") : NULL;
		if (i)
			fill_other(f, from);
		else
			fill_alpha(f, side, from);
	}
}

static void fill_files(struct code *c, unsigned side)
{
	char text[80];
	for (size_t i = 0; i < 2; i++) {
		snprintf(text, sizeof text, "/src/%u/%s", side, levels[i]);
		code_file(c, text);
		struct code_file *f = &c->files[i];
		f->lines = room(40, sizeof *f->lines);
		for (uint32_t line = 3; line < (i ? 4 : 33); line++) {
			snprintf(text, sizeof text, "\t%s%s\tof line %u", line == 20 && side ? "another " : "",
				 levels[i], line);
			if (line != 22)
				f->lines[f->count++] = (struct code_line){moved(line, side), copy(text)};
		}
	}
}

static void fill_inlined(struct code *c, unsigned side)
{
	c->inlined_count = 3;
	c->inlined = room(c->inlined_count, sizeof *c->inlined);
	c->inlined[0] = (struct code_inlined){copy("clamp"), 0, moved(11, side), CODE_NONE, 0};
	c->inlined[1] = (struct code_inlined){copy("twice"), 1, 3, 0, 1};
	c->inlined[2] = (struct code_inlined){copy("thrice"), CODE_NONE, 0, 1, 2};
}

static void fill_calls(struct code *c, struct figures *f)
{
	c->call_count = 2;
	c->calls = room(c->call_count, sizeof *c->calls);
	for (uint64_t i = 0; i < c->call_count; i++) {
		c->calls[i] = (struct code_call){.site = START + 4 * i, .target = START + 4096 * (5 - i)};
		c->calls[i].count = figure(f);
		fill_counts(&c->calls[i].counts, 10, f);
	}
}

/* --- results --- */

static json_t *breakdown(unsigned side, double percent, double interval)
{
	json_t *all = json_array();
	static const char *const rows[][2] = {
		{"dl1", "single"}, {"dl1+win", "pair"}, {"bmisp", "single"}, {"win", "single"}};
	for (size_t i = 0; i < sizeof rows / sizeof *rows - side; i++) /* the last is the first version's alone */
		json_array_append_new(all, json_pack("{s:s, s:s, s:f, s:f}", "term", rows[i][0], "kind", rows[i][1],
						     "percent", percent + 3.7 * (double)i - (i ? 0 : 2.3 * side),
						     "interval", interval * (double)(i + 1)));
	return json_pack("{s:o}", "breakdown", all);
}

/* Of 29 keys of the machine the second version's has 3 others, or all. */
static json_t *provenance(unsigned side, bool all)
{
	json_t *machine = json_object();
	char key[40];
	for (unsigned i = 0; i < 29; i++) {
		snprintf(key, sizeof key, "key.number%u", i);
		json_object_set_new(machine, key, json_integer(all || i < 3 ? 10 * i + side : i));
	}
	json_object_set_new(machine, "description", json_string(side ? "not" : "compared"));
	return json_pack("{s:o, s:[s], s:{s:i}, s:[{s:s}]}", "machine", machine, "arguments", side ? "x\ty" : "x",
			 "options", "skip", 5 + side, "files", "sha256", side ? "abc" : "def");
}

static json_t *result(unsigned side, bool all)
{
	static const char *const heads[2][2] = {{"some/where/first", "a-machine"}, {"next", "another"}};
	struct figures f = {200 * side};
	struct code c = {.cause_count = CAUSES};
	for (unsigned i = 0; i < CAUSES; i++) {
		c.causes[i] = copy(cause_names[i][0]);
		c.labels[i] = copy(cause_names[i][1]);
	}
	fill_files(&c, side);
	fill_inlined(&c, side);
	fill_functions(&c, side, &f);
	fill_calls(&c, &f);
	uint64_t cycles = c.outside = figure(&f);
	for (size_t i = 0; i < c.function_count; i++)
		cycles += c.functions[i].counts.cycles;
	json_t *root = json_pack("{s:s, s:s, s:s, s:b, s:I, s:I, s:o, s:o, s:o, s:o}", "schema", "culprit-run/1",
				 "program", heads[side][0], "machine", heads[side][1], "complete", !side,
				 "instructions", (json_int_t)(figure(&f) * 10), "cycles", (json_int_t)cycles, "code",
				 code_json(&c), "provenance", provenance(side, all), "graph",
				 breakdown(side, 10 + 7.9 * side, 0), "shotgun", breakdown(side, 11 + 7.1 * side, 1.9));
	code_destroy(&c);
	return root;
}

/* --- outputs --- */

static void fail(const struct error *err)
{
	fprintf(stderr, "made: %s\n", err->text);
	exit(2);
}

static void list(const struct code_result *r, struct code_view view, FILE *out)
{
	struct error err;
	const struct code_function *f;
	size_t alike;
	fprintf(out, "--- %u columns%s%s%s%s\n", view.width, view.verbose ? ", verbose" : "",
		view.addresses ? ", addresses" : "", view.sites ? ", " : "", view.sites ? view.sites : "");
	if (!code_choose(&r->code, view.function, &f, &alike, &err))
		fail(&err);
	if (view.sites ? !code_sites(r, &view, out) : !code_listing(r, f, alike, &view, out))
		exit(2);
}

static void listings(const struct code_result *r)
{
	FILE *out = made_open("out.report");
	for (unsigned width = 60; width <= 160; width += 50) {
		list(r, (struct code_view){.width = width}, out);
		list(r, (struct code_view){.width = width, .verbose = true, .colour = width == 60, .function = "alpha"},
		     out);
		list(r, (struct code_view){.width = width, .addresses = true}, out);
		list(r, (struct code_view){.width = width, .verbose = true, .addresses = true}, out);
		list(r, (struct code_view){.width = width, .sites = "loads"}, out);
		list(r, (struct code_view){.width = width, .sites = "branches", .verbose = true}, out);
	}
	made_close(out);
}

static void compare(json_t *a, json_t *b, const char *json, FILE *out)
{
	struct error err;
	struct code_diff d = {.path = {"a.json", "b.json"}, .root = {a, b}};
	if (!code_diff_make(&d, &err))
		fail(&err);
	code_diff_text(&d, &(struct diff_view){.width = 80}, out);
	code_diff_text(&d, &(struct diff_view){.width = 130, .verbose = true}, out);
	if (json)
		made_json(json_pack("{s:o, s:o}", "diff", code_diff_json(&d), "legend", code_diff_legend(&d)), json);
	code_diff_destroy(&d);
}

static void comparisons(void)
{
	FILE *out = made_open("out.diff");
	compare(result(0, false), result(1, false), "out.diff.json", out);
	compare(result(1, true), result(0, true), NULL, out);
	compare(result(0, false), result(0, false), NULL, out);
	made_close(out);
}

void made_code(void)
{
	struct error err;
	struct code_result r;
	json_t *root = result(0, false);
	if (!code_result_take(&r, root, "a.json", &err))
		fail(&err);
	made_json(code_json(&r.code), "out.json");
	listings(&r);
	code_result_destroy(&r);
	json_decref(root);
	comparisons();
}
