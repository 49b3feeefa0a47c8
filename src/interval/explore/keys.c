/* The keys of a design space, one function each: every path is looked up in the table below, and what is in no row
 * is refused. */
#include "interval/explore/reader.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool refuse(const struct explore_reader *r, const char *why)
{
	return outline_error(r->outline, r->node->path, r->err, "%s", why);
}

static bool read_text(const struct explore_reader *r, char text[EXPLORE_TEXT])
{
	if (r->node->kind != OUTLINE_SCALAR || !*r->node->text)
		return refuse(r, "expected a text");
	if (strlen(r->node->text) >= EXPLORE_TEXT)
		return refuse(r, "longer than 63 characters");
	strcpy(text, r->node->text);
	return true;
}

static bool read_number(const struct explore_reader *r, double low, double high, double *value)
{
	char *end;
	errno = 0;
	double v = strtod(r->node->text, &end);
	if (r->node->kind != OUTLINE_SCALAR || end == r->node->text || *end || errno || !(v >= low && v <= high))
		return outline_error(r->outline, r->node->path, r->err, "expected a number from %g to %g", low, high);
	*value = v;
	return true;
}

static struct explore_axis *axis(const struct explore_reader *r)
{
	return &r->space->axes[r->index[0]];
}

static struct explore_draft *draft(struct explore_reader *r)
{
	return &r->drafts[r->index[0]];
}

struct explore_value *explore_value_at(const struct explore_reader *r, struct explore_axis *a, uint32_t at)
{
	if (at >= EXPLORE_VALUES) {
		outline_error(r->outline, r->node->path, r->err, "more than %d values", EXPLORE_VALUES);
		return NULL;
	}
	if (at >= a->value_count) {
		struct explore_value *grown = realloc(a->values, (at + 1) * sizeof *grown);
		if (!grown) {
			error_set(r->err, ERROR_SYSTEM, "out of memory for the design space");
			return NULL;
		}
		a->values = grown;
		memset(&grown[a->value_count], 0, (at + 1 - a->value_count) * sizeof *grown);
		a->value_count = at + 1;
	}
	return &a->values[at];
}

/* --- one reader for each kind of key --- */

static bool on_container(struct explore_reader *r)
{
	return r->node->kind != OUTLINE_SCALAR || refuse(r, "expected a list or a mapping");
}

static bool on_axis(struct explore_reader *r)
{
	if (r->index[0] >= EXPLORE_AXES)
		return outline_error(r->outline, r->node->path, r->err, "more than %d axes", EXPLORE_AXES);
	if (r->node->kind != OUTLINE_MAPPING)
		return refuse(r, "expected a mapping of keys");
	r->space->axis_count = r->index[0] + 1;
	axis(r)->line = r->node->line;
	return true;
}

static bool on_base(struct explore_reader *r)
{
	char name[EXPLORE_TEXT];
	struct error why;
	TRY(read_text(r, name));
	if (r->sets)
		return refuse(r, "base must stand before set");
	if (!machine_load(&r->space->base, name, &why))
		return outline_error(r->outline, r->node->path, r->err, "%.300s", why.text);
	return true;
}

static bool on_set(struct explore_reader *r)
{
	char text[EXPLORE_TEXT];
	struct error why;
	TRY(read_text(r, text));
	r->sets = true;
	if (!machine_set(&r->space->base, text, &why))
		return outline_error(r->outline, r->node->path, r->err, "%.300s", why.text);
	return true;
}

static bool on_sample(struct explore_reader *r)
{
	double v = 0;
	TRY(read_number(r, 1000, 1e7, &v));
	r->space->sample = (uint32_t)v;
	return true;
}

static bool on_max_cost(struct explore_reader *r)
{
	return read_number(r, 1e-6, 1e12, &r->space->max_cost);
}

static bool on_weight(struct explore_reader *r)
{
	const char *name = strchr(r->node->path, '.') + 1;
	for (uint32_t i = 0; i < explore_cost_count(); i++)
		if (!strcmp(name, explore_cost_name(i)))
			return read_number(r, 0, 1e6, &r->space->weights[i]);
	return refuse(r, "unknown key; see the costs in docs/explanation/model.md");
}

static bool on_axis_name(struct explore_reader *r)
{
	return read_text(r, axis(r)->name);
}

static bool on_axis_key(struct explore_reader *r)
{
	return read_text(r, axis(r)->key);
}

static bool on_min(struct explore_reader *r)
{
	draft(r)->has_min = true;
	return read_number(r, 0, 4294967295.0, &draft(r)->min);
}

static bool on_max(struct explore_reader *r)
{
	draft(r)->has_max = true;
	return read_number(r, 0, 4294967295.0, &draft(r)->max);
}

static bool on_step(struct explore_reader *r)
{
	draft(r)->has_step = true;
	return read_number(r, 1, 4294967295.0, &draft(r)->step);
}

static bool on_value(struct explore_reader *r)
{
	struct explore_value *v = explore_value_at(r, axis(r), r->index[1]);
	if (!v)
		return false;
	draft(r)->has_values = true;
	TRY(read_number(r, 0, 4294967295.0, &v->number));
	return v->number == floor(v->number) || refuse(r, "expected a whole number");
}

/* An entry of `follow` that has a key, or anything else. */
static bool follows(struct explore_reader *r)
{
	if (r->index[1] >= EXPLORE_SETS - 1)
		return refuse(r, "more than 15 keys follow");
	if (r->index[1] >= draft(r)->follow_count)
		draft(r)->follow_count = r->index[1] + 1;
	return true;
}

static bool on_follow_key(struct explore_reader *r)
{
	return follows(r) && read_text(r, draft(r)->follow[r->index[1]].key);
}

static bool on_follow_times(struct explore_reader *r)
{
	return follows(r) && read_number(r, 1e-6, 1e6, &draft(r)->follow[r->index[1]].times);
}

static bool on_choice_name(struct explore_reader *r)
{
	struct explore_value *v = explore_value_at(r, axis(r), r->index[1]);
	draft(r)->has_choices = true;
	return v && read_text(r, v->name);
}

static bool on_choice_set(struct explore_reader *r)
{
	struct explore_value *v = explore_value_at(r, axis(r), r->index[1]);
	draft(r)->has_choices = true;
	if (!v)
		return false;
	if (r->index[2] >= EXPLORE_SETS)
		return outline_error(r->outline, r->node->path, r->err, "more than %d assignments", EXPLORE_SETS);
	v->set_count = r->index[2] + 1;
	return read_text(r, v->sets[r->index[2]]);
}

static bool read_operand(const char *text, size_t length, struct explore_operand *o)
{
	char word[EXPLORE_TEXT], *end;
	while (length && *text == ' ')
		text++, length--;
	while (length && text[length - 1] == ' ')
		length--;
	if (!length || length >= sizeof word)
		return false;
	memcpy(word, text, length);
	word[length] = '\0';
	o->factor = strtod(word, &end);
	if (end == word)
		o->factor = 1;
	else if (!(fabs(o->factor) < 1e15))
		return false;
	bool product = end != word && *end;
	end += strspn(end, " ");
	if (product && *end++ != '*')
		return false;
	end += strspn(end, " ");
	if (strcspn(end, " ") != strlen(end) || (product && !*end))
		return false;
	snprintf(o->key, sizeof o->key, "%s", end);
	return true;
}

static bool on_constraint(struct explore_reader *r)
{
	if (r->index[0] >= EXPLORE_CONSTRAINTS)
		return outline_error(r->outline, r->node->path, r->err, "more than %d constraints",
				     EXPLORE_CONSTRAINTS);
	struct explore_constraint *c = &r->space->constraints[r->index[0]];
	const char *text = r->node->text;
	size_t left = strcspn(text, "<>=!"), op = strspn(text + left, "<>=!");
	if (r->node->kind != OUTLINE_SCALAR || strlen(text) >= sizeof c->text || !op || op > 2 ||
	    !read_operand(text, left, &c->left) || !read_operand(text + left + op, strlen(text + left + op), &c->right))
		return refuse(r, "expected a comparison like 'window.rob <= 64 * dispatch.width'");
	memcpy(c->op, text + left, op);
	if (strcmp(c->op, "<") && strcmp(c->op, "<=") && strcmp(c->op, ">") && strcmp(c->op, ">=") &&
	    strcmp(c->op, "==") && strcmp(c->op, "!="))
		return refuse(r, "compare with <, <=, >, >=, == or !=");
	strcpy(c->text, text);
	c->line = r->node->line;
	r->space->constraint_count = r->index[0] + 1;
	return true;
}

/* Paths with '#' for a number in brackets and '*' for one last key. */
static const struct {
	const char *pattern;
	bool (*read)(struct explore_reader *r);
} keys[] = {
	{"base", on_base},
	{"set", on_container},
	{"set[#]", on_set},
	{"sample", on_sample},
	{"max_cost", on_max_cost},
	{"weights", on_container},
	{"weights.*", on_weight},
	{"constraints", on_container},
	{"constraints[#]", on_constraint},
	{"axes", on_container},
	{"axes[#]", on_axis},
	{"axes[#].name", on_axis_name},
	{"axes[#].key", on_axis_key},
	{"axes[#].min", on_min},
	{"axes[#].max", on_max},
	{"axes[#].step", on_step},
	{"axes[#].values", on_container},
	{"axes[#].values[#]", on_value},
	{"axes[#].follow", on_container},
	{"axes[#].follow[#]", on_container},
	{"axes[#].follow[#].key", on_follow_key},
	{"axes[#].follow[#].times", on_follow_times},
	{"axes[#].choices", on_container},
	{"axes[#].choices[#]", on_container},
	{"axes[#].choices[#].name", on_choice_name},
	{"axes[#].choices[#].set", on_container},
	{"axes[#].choices[#].set[#]", on_choice_set},
};

static bool matches(const char *pattern, const char *path, unsigned index[3])
{
	unsigned n = 0;
	for (; *pattern; pattern++) {
		if (*pattern == '#') {
			char *end;
			index[n++] = (unsigned)strtoul(path, &end, 10);
			if (end == path)
				return false;
			path = end;
		} else if (*pattern == '*') {
			return *path && !strpbrk(path, ".[");
		} else if (*pattern != *path++) {
			return false;
		}
	}
	return !*path;
}

bool explore_read_node(struct explore_reader *r)
{
	for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
		if (matches(keys[i].pattern, r->node->path, r->index))
			return keys[i].read(r);
	return refuse(r, "unknown key; see docs/explanation/model.md");
}
