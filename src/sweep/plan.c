/* A plan out of YAML. The outline knows every key's path, text and line; what may stand where is a table, and a row
 * of it says what becomes of it: a text of the plan, or an option of `culprit run`. */
#include "sweep/plan.h"

#include "base/nearest.h"
#include "machine/machine_outline.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

struct reader {
	struct sweep_plan *plan;
	const struct outline *outline;
	const struct outline_node *node;
	const char *option; /* of the row */
	uint32_t at[3];	    /* the numbers in the path */
	struct error *err;
};

/* --- words --- */

static bool no_memory(struct error *err)
{
	return error_set(err, ERROR_SYSTEM, "out of memory for the plan");
}

bool sweep_add(struct sweep_words *w, struct error *err, const char *format, ...)
{
	char **grown = realloc(w->items, (w->count + 2) * sizeof *grown);
	if (!grown)
		return no_memory(err);
	w->items = grown;
	va_list args;
	va_start(args, format);
	int length = vasprintf(&w->items[w->count], format, args);
	va_end(args);
	if (length < 0)
		w->items[w->count] = NULL;
	else
		w->items[++w->count] = NULL;
	return length >= 0 || no_memory(err);
}

void sweep_words_free(struct sweep_words *w)
{
	for (uint32_t i = 0; i < w->count; i++)
		free(w->items[i]);
	free(w->items);
	*w = (struct sweep_words){NULL, 0};
}

/* --- what may stand where --- */

static bool add_word(const struct reader *r, struct sweep_words *w)
{
	return sweep_add(w, r->err, "%s", r->node->text);
}

static bool add_option(const struct reader *r, struct sweep_words *w)
{
	return sweep_add(w, r->err, "--%s=%s", r->option, r->node->text);
}

static bool keep(const struct reader *r, char **text)
{
	return (*text = strdup(r->node->text)) != NULL || no_memory(r->err);
}

static struct sweep_program *program(const struct reader *r)
{
	return &r->plan->programs[r->at[0]];
}

static struct sweep_region *region(const struct reader *r)
{
	return &r->plan->regions[r->at[0]];
}

static struct sweep_axis *axis(const struct reader *r)
{
	return &r->plan->axes[r->at[0]];
}

static bool nothing(struct reader *r)
{
	(void)r;
	return true;
}

static bool title(struct reader *r)
{
	return keep(r, &r->plan->title);
}

static bool default_machine(struct reader *r)
{
	return keep(r, &r->plan->marked);
}

static bool machine(struct reader *r)
{
	return add_word(r, &r->plan->machines);
}

static bool set(struct reader *r)
{
	return add_word(r, &r->plan->sets);
}

static bool option(struct reader *r)
{
	return add_word(r, &r->plan->options);
}

static bool new_program(struct reader *r)
{
	struct sweep_program *grown = realloc(r->plan->programs, (r->at[0] + 1) * sizeof *grown);
	if (!grown)
		return no_memory(r->err);
	r->plan->programs = grown;
	grown[r->plan->program_count++] = (struct sweep_program){.line = r->node->line};
	return true;
}

static bool program_name(struct reader *r)
{
	return keep(r, &program(r)->name);
}

static bool program_input(struct reader *r)
{
	return keep(r, &program(r)->input);
}

static bool program_word(struct reader *r)
{
	return add_word(r, &program(r)->command);
}

static bool program_option(struct reader *r)
{
	return add_option(r, &program(r)->options);
}

static bool new_region(struct reader *r)
{
	struct sweep_region *grown = realloc(r->plan->regions, (r->at[0] + 1) * sizeof *grown);
	if (!grown)
		return no_memory(r->err);
	r->plan->regions = grown;
	grown[r->plan->region_count++] = (struct sweep_region){.line = r->node->line};
	return true;
}

static bool region_name(struct reader *r)
{
	return keep(r, &region(r)->name);
}

static bool region_program(struct reader *r)
{
	return keep(r, &region(r)->program);
}

static bool region_option(struct reader *r)
{
	return add_option(r, &region(r)->options);
}

static bool new_axis(struct reader *r)
{
	if (r->plan->axis_count == SWEEP_AXES)
		return outline_error(r->outline, r->node->path, r->err, "at most %d axes", SWEEP_AXES);
	r->plan->axes[r->plan->axis_count++] = (struct sweep_axis){.line = r->node->line};
	return true;
}

static bool axis_name(struct reader *r)
{
	return keep(r, &axis(r)->name);
}

static bool axis_key(struct reader *r)
{
	return keep(r, &axis(r)->key);
}

static bool axis_default(struct reader *r)
{
	return keep(r, &axis(r)->marked);
}

static bool new_value(struct reader *r)
{
	struct sweep_axis *a = axis(r);
	struct sweep_value *grown = realloc(a->values, (a->count + 1) * sizeof *grown);
	if (!grown)
		return no_memory(r->err);
	a->values = grown;
	if (r->at[1] != a->count)
		return outline_error(r->outline, r->node->path, r->err, "either values or choices");
	grown[a->count++] = (struct sweep_value){0};
	return true;
}

static bool value(struct reader *r)
{
	axis(r)->listed = true;
	return new_value(r) && keep(r, &axis(r)->values[r->at[1]].name);
}

static bool choice_name(struct reader *r)
{
	return keep(r, &axis(r)->values[r->at[1]].name);
}

static bool choice_set(struct reader *r)
{
	return add_word(r, &axis(r)->values[r->at[1]].sets);
}

static const struct row {
	const char *path; /* '#' stands for a number */
	enum outline_kind kind;
	bool (*take)(struct reader *r);
	const char *option; /* of `culprit run` */
} rows[] = {
	{"", OUTLINE_MAPPING, nothing, NULL},
	{"title", OUTLINE_SCALAR, title, NULL},
	{"machines", OUTLINE_SEQUENCE, nothing, NULL},
	{"machines[#]", OUTLINE_SCALAR, machine, NULL},
	{"default_machine", OUTLINE_SCALAR, default_machine, NULL},
	{"set", OUTLINE_SEQUENCE, nothing, NULL},
	{"set[#]", OUTLINE_SCALAR, set, NULL},
	{"options", OUTLINE_SEQUENCE, nothing, NULL},
	{"options[#]", OUTLINE_SCALAR, option, NULL},
	{"programs", OUTLINE_SEQUENCE, nothing, NULL},
	{"programs[#]", OUTLINE_MAPPING, new_program, NULL},
	{"programs[#].name", OUTLINE_SCALAR, program_name, NULL},
	{"programs[#].command", OUTLINE_SEQUENCE, nothing, NULL},
	{"programs[#].command[#]", OUTLINE_SCALAR, program_word, NULL},
	{"programs[#].checkpoint", OUTLINE_SCALAR, program_option, "checkpoint"},
	{"programs[#].number", OUTLINE_SCALAR, program_option, "number"},
	{"programs[#].input", OUTLINE_SCALAR, program_input, NULL},
	{"programs[#].sysroot", OUTLINE_SCALAR, program_option, "sysroot"},
	{"programs[#].isa", OUTLINE_SCALAR, program_option, "isa"},
	{"programs[#].memory", OUTLINE_SCALAR, program_option, "memory"},
	{"programs[#].guest-seed", OUTLINE_SCALAR, program_option, "guest-seed"},
	{"programs[#].env", OUTLINE_SEQUENCE, nothing, NULL},
	{"programs[#].env[#]", OUTLINE_SCALAR, program_option, "env"},
	{"programs[#].readable", OUTLINE_SEQUENCE, nothing, NULL},
	{"programs[#].readable[#]", OUTLINE_SCALAR, program_option, "readable"},
	{"regions", OUTLINE_SEQUENCE, nothing, NULL},
	{"regions[#]", OUTLINE_MAPPING, new_region, NULL},
	{"regions[#].name", OUTLINE_SCALAR, region_name, NULL},
	{"regions[#].program", OUTLINE_SCALAR, region_program, NULL},
	{"regions[#].skip", OUTLINE_SCALAR, region_option, "skip"},
	{"regions[#].warmup", OUTLINE_SCALAR, region_option, "warmup"},
	{"regions[#].max-insns", OUTLINE_SCALAR, region_option, "max-insns"},
	{"regions[#].checkpoint", OUTLINE_SCALAR, region_option, "checkpoint"},
	{"regions[#].number", OUTLINE_SCALAR, region_option, "number"},
	{"regions[#].start-at", OUTLINE_SCALAR, region_option, "start-at"},
	{"regions[#].stop-at", OUTLINE_SCALAR, region_option, "stop-at"},
	{"axes", OUTLINE_SEQUENCE, nothing, NULL},
	{"axes[#]", OUTLINE_MAPPING, new_axis, NULL},
	{"axes[#].name", OUTLINE_SCALAR, axis_name, NULL},
	{"axes[#].key", OUTLINE_SCALAR, axis_key, NULL},
	{"axes[#].default", OUTLINE_SCALAR, axis_default, NULL},
	{"axes[#].values", OUTLINE_SEQUENCE, nothing, NULL},
	{"axes[#].values[#]", OUTLINE_SCALAR, value, NULL},
	{"axes[#].choices", OUTLINE_SEQUENCE, nothing, NULL},
	{"axes[#].choices[#]", OUTLINE_MAPPING, new_value, NULL},
	{"axes[#].choices[#].name", OUTLINE_SCALAR, choice_name, NULL},
	{"axes[#].choices[#].set", OUTLINE_SEQUENCE, nothing, NULL},
	{"axes[#].choices[#].set[#]", OUTLINE_SCALAR, choice_set, NULL},
};

/* "axes[2].values[0]" -> "axes[#].values[#]" and 2, 0. */
static void plain_path(const char *path, char plain[OUTLINE_PATH_MAX + 16], uint32_t at[3])
{
	uint32_t n = 0;
	char *to = plain;
	while (*path && to < plain + OUTLINE_PATH_MAX) {
		*to++ = *path;
		if (*path++ != '[')
			continue;
		char *end;
		unsigned long number = strtoul(path, &end, 10);
		if (n < 3)
			at[n++] = (uint32_t)number;
		*to++ = '#';
		path = end;
	}
	*to = 0;
}

static bool unknown(const struct reader *r, const char *plain)
{
	const char *dot = strrchr(plain, '.'), *key = dot ? dot + 1 : plain;
	size_t parent = (size_t)(key - plain);
	struct nearest near;
	nearest_begin(&near, key, strlen(key));
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
		if (!strncmp(rows[i].path, plain, parent) && !strpbrk(rows[i].path + parent, ".["))
			nearest_consider(&near, rows[i].path + parent);
	return outline_error(r->outline, r->node->path, r->err, "unknown key%s", nearest_hint(&near));
}

static bool read_node(struct reader *r)
{
	static const char *const kinds[] = {"a text or a number", "a mapping of keys", "a list"};
	char plain[OUTLINE_PATH_MAX + 16];
	plain_path(r->node->path, plain, r->at);
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		if (strcmp(rows[i].path, plain) != 0)
			continue;
		if (rows[i].kind != r->node->kind ||
		    (rows[i].kind == OUTLINE_SCALAR && !*r->node->text && rows[i].take != program_word))
			return outline_error(r->outline, r->node->path, r->err, "expected %s", kinds[rows[i].kind]);
		r->option = rows[i].option;
		return rows[i].take(r);
	}
	return unknown(r, plain);
}

/* --- the whole --- */

bool sweep_plan_parse(struct sweep_plan *plan, const char *text, size_t length, const char *place, struct error *err)
{
	struct outline o = {.place = place};
	*plan = (struct sweep_plan){.place = place};
	struct reader r = {.plan = plan, .outline = &o, .err = err};
	bool good = outline_read(&o, text, length, place, err);
	for (size_t i = 0; good && i < o.count; i++) {
		r.node = &o.nodes[i];
		good = read_node(&r);
	}
	outline_free(&o);
	return good && sweep_plan_check(plan, err);
}

bool sweep_plan_read(struct sweep_plan *plan, const char *path, struct error *err)
{
	*plan = (struct sweep_plan){.place = path};
	size_t length;
	char *text = outline_text(path, OUTLINE_FILE_MAX, &length, err);
	bool good = text && sweep_plan_parse(plan, text, length, path, err);
	free(text);
	return good;
}

static void free_axis(struct sweep_axis *a)
{
	for (uint32_t i = 0; i < a->count; i++) {
		free(a->values[i].name);
		sweep_words_free(&a->values[i].sets);
	}
	free(a->values);
	free(a->name);
	free(a->key);
	free(a->marked);
}

void sweep_plan_destroy(struct sweep_plan *plan)
{
	for (uint32_t i = 0; i < plan->program_count; i++) {
		free(plan->programs[i].name);
		free(plan->programs[i].input);
		sweep_words_free(&plan->programs[i].command);
		sweep_words_free(&plan->programs[i].options);
	}
	for (uint32_t i = 0; i < plan->region_count; i++) {
		free(plan->regions[i].name);
		free(plan->regions[i].program);
		sweep_words_free(&plan->regions[i].options);
	}
	for (uint32_t i = 0; i < plan->axis_count; i++)
		free_axis(&plan->axes[i]);
	free(plan->programs);
	free(plan->regions);
	free(plan->title);
	free(plan->marked);
	sweep_words_free(&plan->machines);
	sweep_words_free(&plan->sets);
	sweep_words_free(&plan->options);
	*plan = (struct sweep_plan){0};
}
