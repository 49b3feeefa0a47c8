/* What a sample measures. Only sums over instructions or cycles: the difference of two snapshots is then the sum over
 * what came between. */
#include "sample/sample.h"

#include "analysis/commit_stack.h"
#include "report/format.h"
#include "with/places.h"

#include <inttypes.h>
#include <string.h>

static void add(json_t *object, const char *name, uint64_t value)
{
	json_t *old = json_object_get(object, name);
	json_object_set_new(object, name, format_integer((old ? (uint64_t)json_integer_value(old) : 0) + value));
}

static json_t *events(const struct session *s)
{
	const struct core_statistics *c = core_statistics(s->core);
	const struct hierarchy_statistics *h = core_hierarchy_statistics(s->core);
	uint64_t branches = 0, mispredicted = 0;
	for (unsigned i = 0; i < CULPRIT_BRANCH_COUNT; i++) {
		branches += c->branches[i];
		mispredicted += c->mispredicted[i];
	}
	const struct {
		const char *name;
		uint64_t value;
	} rows[] = {{"fetched", c->fetched},
		    {"fetched_wrong_path", c->fetched_wrong_path},
		    {"branches", branches},
		    {"mispredictions", mispredicted},
		    {"decode_redirects", c->decode_redirects},
		    {"violations", c->violations},
		    {"loads", c->loads},
		    {"stores", c->stores},
		    {"forwarded", c->forwarded},
		    {"l1i_misses", h->l1i.misses[0]},
		    {"l1d_misses", h->l1d.misses[0]},
		    {"l2_misses", h->l2.misses[0]},
		    {"l3_misses", h->l3.misses[0]},
		    {"itlb_misses", h->itlb.misses[0]},
		    {"dtlb_misses", h->dtlb.misses[0]},
		    {"memory_reads", h->memory_reads},
		    {"memory_writes", h->memory_writes}};
	json_t *object = json_object();
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		add(object, rows[i].name, rows[i].value);
	return object;
}

static json_t *commit_stack(const struct insn_cycles *p, uint64_t cycles)
{
	uint64_t rows[COMMIT_ROWS];
	json_t *object = json_object();
	insn_cycles_stack(p, cycles, rows);
	for (unsigned i = 0; i < COMMIT_ROWS; i++)
		add(object, commit_row_name(i), rows[i]);
	return object;
}

/* The stack in the words of the verdict. */
static json_t *causes(const struct insn_cycles *p, const json_t *stack)
{
	json_t *object = json_object();
	for (unsigned c = 0; c < COMMIT_CAUSES; c++) {
		uint64_t cycles = 0;
		for (size_t i = 0; i < p->entry_count; i++)
			cycles += p->entries[i].site->causes[c];
		if (c == CAUSE_commit || c == CAUSE_end)
			cycles = (uint64_t)json_integer_value(json_object_get(
				stack, commit_row_name(c == CAUSE_commit ? COMMIT_commit : COMMIT_end)));
		add(object, commit_cause_row(c)->name, cycles);
	}
	return object;
}

/* Of a function without a name its object stands for it. */
void sample_name_place(const struct sample *s, uint64_t pc, struct sample_place_names *to)
{
	const struct symbol_place place = symbols_find(s->symbols, pc);
	const struct line_place line = lines_find(s->lines, pc);
	to->function = place.function ? place.function : place.object ? place.object : "no object";
	*to->line = 0;
	if (!line.file)
		return;
	const char *slash = strrchr(line.file, '/');
	snprintf(to->line, sizeof to->line, "%s:%" PRIu32, slash ? slash + 1 : line.file, line.line);
}

void sample_measure_places(const struct sample *s, const struct insn_cycles *p, json_t *root)
{
	json_t *functions = json_object(), *lines = json_object();
	for (size_t i = 0; i < p->entry_count; i++) {
		const struct insn_cycles_entry *e = &p->entries[i];
		struct sample_place_names names;
		if (!e->cycles)
			continue;
		sample_name_place(s, e->pc, &names);
		add(functions, names.function, e->cycles);
		if (*names.line)
			add(lines, names.line, e->cycles);
	}
	json_object_set_new(root, "functions", functions);
	json_object_set_new(root, "lines", lines);
}

/* "dl1" or "dl1+win"; the graph's sets are ordered by class, so a pair has one name. */
static bool set_name(const json_t *classes, char *name, size_t size)
{
	size_t n = json_array_size(classes);
	if (n < 1 || n > 2)
		return false;
	snprintf(name, size, "%s%s%s", json_string_value(json_array_get(classes, 0)), n == 2 ? "+" : "",
		 n == 2 ? json_string_value(json_array_get(classes, 1)) : "");
	return true;
}

/* The cost of all classes together: what costs and interactions of pairs leave of it is the verdict's to judge. */
static uint64_t all_cost(const json_t *root)
{
	const json_t *sets = json_object_get(json_object_get(root, "graph"), "sets"), *set;
	size_t i, most = 0;
	uint64_t cost = 0;
	json_array_foreach(sets, i, set)
	{
		const size_t classes = json_array_size(json_object_get(set, "classes"));
		cost = classes > most ? (uint64_t)json_integer_value(json_object_get(set, "cost")) : cost;
		most = classes > most ? classes : most;
	}
	return cost;
}

static void add_graph(json_t *root)
{
	const json_t *graph = json_object_get(root, "graph");
	json_t *costs = json_object(), *pairs = json_object(), *set;
	size_t i;
	char name[100];
	if (!graph) {
		json_decref(costs);
		json_decref(pairs);
		return;
	}
	json_array_foreach(json_object_get(graph, "sets"), i, set)
	{
		const json_t *classes = json_object_get(set, "classes");
		if (set_name(classes, name, sizeof name))
			json_object_set(json_array_size(classes) == 1 ? costs : pairs, name,
					json_object_get(set, json_array_size(classes) == 1 ? "cost" : "icost"));
	}
	json_object_set_new(root, "graph_costs", costs);
	json_object_set_new(root, "graph_pairs", pairs);
}

/* What sections are parts of. */
static json_t *counts(const struct session *s, const json_t *root)
{
	const json_t *stages = json_object_get(json_object_get(root, "stacks"), "stages");
	const json_t *topdown = json_object_get(json_object_get(root, "stacks"), "topdown");
	uint64_t cycles = core_statistics(s->core)->cycles;
	json_t *object = json_object();
	add(object, "instructions", core_statistics(s->core)->committed);
	add(object, "cycles", cycles);
	add(object, "graph_cycles",
	    (uint64_t)json_integer_value(json_object_get(json_object_get(root, "graph"), "graph_cycles")));
	add(object, "graph_all", all_cost(root));
	add(object, "opportunities",
	    (uint64_t)json_integer_value(json_object_get(json_object_get(root, "stalls"), "opportunities")));
	add(object, "stage_slots", cycles * (uint64_t)json_integer_value(json_object_get(stages, "slots_per_cycle")));
	add(object, "topdown_slots",
	    cycles * (uint64_t)json_integer_value(json_object_get(topdown, "slots_per_cycle")));
	return object;
}

/* "stacks.cycles.fmt" */
static json_t *at(json_t *root, const char *path)
{
	char part[64];
	while (root && *path) {
		const size_t length = strcspn(path, ".");
		snprintf(part, sizeof part, "%.*s", (int)length, path);
		root = json_object_get(root, part);
		path += length + (path[length] == '.');
	}
	return root;
}

/* An object of each section that there is, by its path, and the counts. The rest of the analyses' results, a hundred
 * times as much, would be in the parent's memory until the end, and each fork copies its page tables. */
static json_t *sections_of(json_t *root)
{
	static const char *const paths[] = {
		"counts",
#define SECTION(name, title, path, unit, base, factor, kind, events) path,
#include "sample/sections.def"
	};
	json_t *all = json_object(), *section;
	for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
		if ((section = at(root, paths[i])))
			json_object_set(all, paths[i], section);
	json_decref(root);
	return all;
}

json_t *sample_measure(struct sample *s, struct error *err)
{
	struct session *session = &s->session;
	const struct core_statistics *c = core_statistics(session->core);
	struct analysis_totals totals = {c->cycles,	c->committed, s->symbols, s->lines, places_code(session->guest),
					 session->guest};
	if (!analyses_finish(&session->analyses, &totals, err))
		return NULL;
	json_t *root = json_object();
	analyses_json(&session->analyses, root);
	json_object_set_new(root, "commit_stack", commit_stack(&s->insn_cycles, c->cycles));
	json_object_set_new(root, "events", events(session));
	json_object_set_new(root, "counts", counts(session, root));
	add_graph(root);
	size_t count;
	if (insn_cycles_finish(&s->insn_cycles, &count, err)) {
		sample_measure_places(s, &s->insn_cycles, root);
		json_object_set_new(root, "causes", causes(&s->insn_cycles, json_object_get(root, "commit_stack")));
		return sections_of(root);
	}
	json_decref(root);
	return NULL;
}
