/* A plan is whole: names are there and differ, every axis has values, what is marked as the default exists. And the
 * plan that `culprit run -m A,B,C` stands for. */
#include "sweep/plan.h"

#include "options/table.h"

#include <stdlib.h>
#include <string.h>

static bool wrong(const struct sweep_plan *p, uint32_t line, struct error *err, const char *why, const char *what)
{
	if (line)
		return error_set(err, ERROR_INPUT, "%s:%u: %s%s", p->place, line, why, what);
	return error_set(err, ERROR_INPUT, "%s: %s%s", p->place, why, what);
}

static bool no_memory(struct error *err)
{
	return error_set(err, ERROR_SYSTEM, "out of memory for the plan");
}

/* The last part of the command's path. */
static char *short_name(const char *path)
{
	const char *slash = strrchr(path, '/');
	return strdup(slash && slash[1] ? slash + 1 : path);
}

static bool check_machines(const struct sweep_plan *p, struct error *err)
{
	bool found = !p->marked;
	if (!p->machines.count)
		return wrong(p, 0, err, "no machine: machines: [NAME|FILE, ...]", "");
	for (uint32_t i = 0; i < p->machines.count; i++) {
		found |= p->marked && !strcmp(p->marked, p->machines.items[i]);
		for (uint32_t j = 0; j < i; j++)
			if (!strcmp(p->machines.items[i], p->machines.items[j]))
				return wrong(p, 0, err, "machines: named twice: ", p->machines.items[i]);
	}
	return found || wrong(p, 0, err, "default_machine: not among the machines: ", p->marked);
}

const char *sweep_program_file(const struct sweep_program *p)
{
	static const char option[] = "--checkpoint=";
	for (uint32_t i = 0; i < p->options.count; i++)
		if (!strncmp(p->options.items[i], option, sizeof option - 1))
			return p->options.items[i] + sizeof option - 1;
	return p->command.count && *p->command.items[0] ? p->command.items[0] : NULL;
}

static bool check_programs(struct sweep_plan *p, struct error *err)
{
	if (!p->program_count)
		return wrong(p, 0, err, "no program: programs: [{ command: [PROG, ARG, ...] }]", "");
	for (uint32_t i = 0; i < p->program_count; i++) {
		struct sweep_program *g = &p->programs[i];
		const char *file = sweep_program_file(g);
		if (!file)
			return wrong(p, g->line, err, "a program needs its command: [PROG, ARG, ...]", "");
		if (g->command.count && file != g->command.items[0])
			return wrong(p, g->line, err,
				     "a program has a command or a checkpoint, which has its own: ", file);
		if (!g->name && !(g->name = short_name(file)))
			return no_memory(err);
		for (uint32_t j = 0; j < i; j++)
			if (!strcmp(g->name, p->programs[j].name))
				return wrong(p, g->line, err,
					     "two programs of one name (name: tells them apart): ", g->name);
	}
	return true;
}

static bool has_program(const struct sweep_plan *p, const char *name)
{
	for (uint32_t i = 0; i < p->program_count; i++)
		if (!strcmp(p->programs[i].name, name))
			return true;
	return false;
}

/* Without regions there is one: all of the program. */
static bool check_regions(struct sweep_plan *p, struct error *err)
{
	if (!p->region_count) {
		p->regions = calloc(1, sizeof *p->regions);
		if (!p->regions || !(p->regions->name = strdup("all")))
			return no_memory(err);
		p->region_count = 1;
	}
	for (uint32_t i = 0; i < p->region_count; i++) {
		const struct sweep_region *r = &p->regions[i];
		if (!r->name)
			return wrong(p, r->line, err, "a region needs a name", "");
		if (r->program && !has_program(p, r->program))
			return wrong(p, r->line, err, "no program of this name: ", r->program);
		for (uint32_t j = 0; j < i; j++)
			if (!strcmp(r->name, p->regions[j].name) &&
			    (!r->program || !p->regions[j].program || !strcmp(r->program, p->regions[j].program)))
				return wrong(p, r->line, err, "two regions of one name: ", r->name);
	}
	return true;
}

static bool check_value(const struct sweep_plan *p, struct sweep_axis *a, uint32_t i, struct error *err)
{
	struct sweep_value *v = &a->values[i];
	if (!v->name)
		return wrong(p, a->line, err, "every choice needs a name", "");
	for (uint32_t j = 0; j < i; j++)
		if (!strcmp(v->name, a->values[j].name))
			return wrong(p, a->line, err, "a value of an axis stands there twice: ", v->name);
	return !a->key || sweep_add(&v->sets, err, "%s=%s", a->key, v->name);
}

static bool check_axis(struct sweep_plan *p, uint32_t number, struct error *err)
{
	struct sweep_axis *a = &p->axes[number];
	bool found = !a->marked;
	if (!a->count || a->listed != (a->key != NULL))
		return wrong(p, a->line, err, "an axis has a key and values, or a name and choices", "");
	if (!a->name && !(a->name = a->key ? strdup(a->key) : NULL))
		return wrong(p, a->line, err, "choices need a name for their axis", "");
	for (uint32_t i = 0; i < number; i++)
		if (!strcmp(a->name, p->axes[i].name))
			return wrong(p, a->line, err, "two axes of one name: ", a->name);
	for (uint32_t i = 0; i < a->count; i++) {
		TRY(check_value(p, a, i, err));
		found |= a->marked && !strcmp(a->marked, a->values[i].name);
	}
	return found || wrong(p, a->line, err, "default: not among the values: ", a->marked);
}

bool sweep_plan_check(struct sweep_plan *p, struct error *err)
{
	if (!p->title && asprintf(&p->title, "sweep %s", p->place) < 0)
		return no_memory(err);
	TRY(check_machines(p, err));
	TRY(check_programs(p, err));
	TRY(check_regions(p, err));
	for (uint32_t i = 0; i < p->axis_count; i++)
		TRY(check_axis(p, i, err));
	return true;
}

/* --- run -m A,B,C --- */

/* Options that are the sweep's own, or the plan's. */
static bool is_own(const char *word)
{
	static const char *const names[] = {"--machine=", "--jobs=", "--results=", "--quiet", "--brief", "--verbose"};
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
		if (!strncmp(word, names[i], strlen(names[i])))
			return true;
	return false;
}

/* Which program: the program's, not the plan's. */
static bool is_programs(const char *word)
{
	return !strncmp(word, "--checkpoint=", 13) || !strncmp(word, "--number=", 9);
}

static bool take_options(struct sweep_plan *p, const struct options *o, struct error *err)
{
	enum { WORDS = 1000 };
	char *words[WORDS];
	size_t count;
	bool good = options_words(o, FOR_RUN, words, WORDS, &count, err);
	for (size_t i = 0; i < count; i++) {
		if (good && !is_own(words[i]))
			good = sweep_add(is_programs(words[i]) ? &p->programs->options : &p->options, err, "%s",
					 words[i]);
		free(words[i]);
	}
	return good;
}

static bool split_machines(struct sweep_plan *p, const char *list, struct error *err)
{
	for (;; list++) {
		size_t length = strcspn(list, ",");
		if (!length)
			return error_set(err, ERROR_USAGE, "--machine: an empty name between commas");
		TRY(sweep_add(&p->machines, err, "%.*s", (int)length, list));
		list += length;
		if (!*list)
			return true;
	}
}

/* Of one machine only. */
static bool check_files(const struct options *o, struct error *err)
{
	for (size_t i = 0; i < option_row_count; i++)
		if (o->given[i] && option_rows[i].kind == OUTPUT && !(option_rows[i].users & FOR_SWEEP))
			return error_set(err, ERROR_USAGE, "--%s: of one machine at a time, and -m names several",
					 option_rows[i].name);
	return true;
}

bool sweep_plan_of_run(struct sweep_plan *p, const struct options *o, struct error *err)
{
	*p = (struct sweep_plan){.place = "--machine"};
	TRY(check_files(o, err));
	p->programs = calloc(1, sizeof *p->programs);
	if (!p->programs)
		return no_memory(err);
	p->program_count = 1;
	TRY(split_machines(p, o->machine, err));
	TRY(take_options(p, o, err));
	for (char **word = o->arguments; *word; word++)
		TRY(sweep_add(&p->programs->command, err, "%s", *word));
	const char *file = sweep_program_file(p->programs);
	if (!file)
		return error_set(err, ERROR_USAGE, "no program given: culprit ... -- PROG [ARG...]");
	if (asprintf(&p->title, "%s on %u machines", file, p->machines.count) < 0)
		return no_memory(err);
	return sweep_plan_check(p, err);
}
