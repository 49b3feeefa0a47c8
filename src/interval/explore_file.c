/* A design space out of YAML. The outline knows every key's path, text and line; each path is looked up in the table below and what
 * is in no row is refused. Every value of every axis is tried on the base machine while reading, so that a machine that cannot be is
 * an error of the line that asks for it. */
#include "interval/explore.h"

#include "base/output.h"
#include "machine/machine_outline.h"
#include "machine/machine_rows.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* An axis while it is read. */
struct axis_draft {
	double min, max, step;
	bool has_min, has_max, has_step, has_values, has_choices;
	uint32_t follow_count;
	struct {
		char key[EXPLORE_TEXT];
		double times;
	} follow[EXPLORE_SETS];
};

struct reader {
	struct explore_space *space;
	const struct outline *outline;
	const struct outline_node *node;
	struct axis_draft drafts[EXPLORE_AXES];
	unsigned index[3]; /* the numbers in the path */
	bool sets;	   /* the base was changed already */
	struct error *err;
};

static bool refuse(const struct reader *r, const char *why)
{
	return outline_error(r->outline, r->node->path, r->err, "%s", why);
}

static bool read_text(const struct reader *r, char text[EXPLORE_TEXT])
{
	if (r->node->kind != OUTLINE_SCALAR || !*r->node->text)
		return refuse(r, "expected a text");
	if (strlen(r->node->text) >= EXPLORE_TEXT)
		return refuse(r, "longer than 63 characters");
	strcpy(text, r->node->text);
	return true;
}

static bool read_number(const struct reader *r, double low, double high, double *value)
{
	char *end;
	errno = 0;
	double v = strtod(r->node->text, &end);
	if (r->node->kind != OUTLINE_SCALAR || end == r->node->text || *end || errno || !(v >= low && v <= high))
		return outline_error(r->outline, r->node->path, r->err, "expected a number from %g to %g", low, high);
	*value = v;
	return true;
}

static struct explore_axis *axis(const struct reader *r)
{
	return &r->space->axes[r->index[0]];
}

static struct axis_draft *draft(struct reader *r)
{
	return &r->drafts[r->index[0]];
}

/* Make room for value number `at`. */
static struct explore_value *value_at(const struct reader *r, struct explore_axis *a, uint32_t at)
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

static bool on_container(struct reader *r)
{
	return r->node->kind != OUTLINE_SCALAR || refuse(r, "expected a list or a mapping");
}

static bool on_axis(struct reader *r)
{
	if (r->index[0] >= EXPLORE_AXES)
		return outline_error(r->outline, r->node->path, r->err, "more than %d axes", EXPLORE_AXES);
	if (r->node->kind != OUTLINE_MAPPING)
		return refuse(r, "expected a mapping of keys");
	r->space->axis_count = r->index[0] + 1;
	axis(r)->line = r->node->line;
	return true;
}

static bool on_base(struct reader *r)
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

static bool on_set(struct reader *r)
{
	char text[EXPLORE_TEXT];
	struct error why;
	TRY(read_text(r, text));
	r->sets = true;
	if (!machine_set(&r->space->base, text, &why))
		return outline_error(r->outline, r->node->path, r->err, "%.300s", why.text);
	return true;
}

static bool on_sample(struct reader *r)
{
	double v = 0;
	TRY(read_number(r, 1000, 1e7, &v));
	r->space->sample = (uint32_t)v;
	return true;
}

static bool on_max_cost(struct reader *r)
{
	return read_number(r, 1e-6, 1e12, &r->space->max_cost);
}

static bool on_weight(struct reader *r)
{
	const char *name = strchr(r->node->path, '.') + 1;
	for (uint32_t i = 0; i < explore_cost_count(); i++)
		if (!strcmp(name, explore_cost_name(i)))
			return read_number(r, 0, 1e6, &r->space->weights[i]);
	return refuse(r, "unknown key; see the costs in docs/model.md");
}

static bool on_axis_name(struct reader *r)
{
	return read_text(r, axis(r)->name);
}

static bool on_axis_key(struct reader *r)
{
	return read_text(r, axis(r)->key);
}

static bool on_min(struct reader *r)
{
	draft(r)->has_min = true;
	return read_number(r, 0, 4294967295.0, &draft(r)->min);
}

static bool on_max(struct reader *r)
{
	draft(r)->has_max = true;
	return read_number(r, 0, 4294967295.0, &draft(r)->max);
}

static bool on_step(struct reader *r)
{
	draft(r)->has_step = true;
	return read_number(r, 1, 4294967295.0, &draft(r)->step);
}

static bool on_value(struct reader *r)
{
	struct explore_value *v = value_at(r, axis(r), r->index[1]);
	if (!v)
		return false;
	draft(r)->has_values = true;
	TRY(read_number(r, 0, 4294967295.0, &v->number));
	return v->number == floor(v->number) || refuse(r, "expected a whole number");
}

static bool on_follow_key(struct reader *r)
{
	if (r->index[1] >= EXPLORE_SETS - 1)
		return refuse(r, "more than 15 keys follow");
	if (r->index[1] >= draft(r)->follow_count)
		draft(r)->follow_count = r->index[1] + 1;
	return read_text(r, draft(r)->follow[r->index[1]].key);
}

static bool on_follow_times(struct reader *r)
{
	if (r->index[1] >= EXPLORE_SETS - 1)
		return refuse(r, "more than 15 keys follow");
	return read_number(r, 1e-6, 1e6, &draft(r)->follow[r->index[1]].times);
}

static bool on_choice_name(struct reader *r)
{
	struct explore_value *v = value_at(r, axis(r), r->index[1]);
	draft(r)->has_choices = true;
	return v && read_text(r, v->name);
}

static bool on_choice_set(struct reader *r)
{
	struct explore_value *v = value_at(r, axis(r), r->index[1]);
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

static bool on_constraint(struct reader *r)
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
	bool (*read)(struct reader *r);
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

static bool read_node(struct reader *r)
{
	for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
		if (matches(keys[i].pattern, r->node->path, r->index))
			return keys[i].read(r);
	return refuse(r, "unknown key; see docs/model.md");
}

/* --- from drafts to values --- */

static bool at_axis(const struct reader *r, uint32_t i, const char *why)
{
	return error_set(r->err, ERROR_INPUT, "%s:%u: key axes[%u]: %s", r->outline->place, r->space->axes[i].line, i,
			 why);
}

static bool expand_range(struct reader *r, uint32_t i)
{
	const struct axis_draft *d = &r->drafts[i];
	struct explore_axis *a = &r->space->axes[i];
	double step = d->has_step ? d->step : 1;
	if (!d->has_min || !d->has_max || d->max < d->min)
		return at_axis(r, i, "needs values, choices, or min and max (and step)");
	if ((d->max - d->min) / step >= EXPLORE_VALUES)
		return at_axis(r, i, "more than 1024 values");
	if (d->min != floor(d->min) || step != floor(step))
		return at_axis(r, i, "min and step must be whole numbers");
	for (uint32_t n = 0; d->min + n * step <= d->max; n++) {
		struct explore_value *v = value_at(r, a, n);
		if (!v)
			return false;
		v->number = d->min + n * step;
	}
	return true;
}

static void assign(struct explore_value *v, const char *key, double number)
{
	snprintf(v->sets[v->set_count++], EXPLORE_TEXT, "%.50s=%.0f", key, number);
}

/* The key itself, and those that follow it: rounded up, so that there is at least one. */
static void name_values(struct reader *r, uint32_t i)
{
	const struct axis_draft *d = &r->drafts[i];
	struct explore_axis *a = &r->space->axes[i];
	for (uint32_t n = 0; n < a->value_count; n++) {
		struct explore_value *v = &a->values[n];
		snprintf(v->name, sizeof v->name, "%.0f", v->number);
		assign(v, a->key, v->number);
		for (uint32_t k = 0; k < d->follow_count; k++)
			assign(v, d->follow[k].key, ceil(v->number * (d->follow[k].times ? d->follow[k].times : 1)));
	}
}

static bool finish_choices(struct reader *r, uint32_t i)
{
	struct explore_axis *a = &r->space->axes[i];
	const struct axis_draft *d = &r->drafts[i];
	if (*a->key || d->has_values || d->has_min || d->has_max || d->follow_count)
		return at_axis(r, i, "choices stand alone: no key, values, min, max or follow beside them");
	if (!*a->name)
		return at_axis(r, i, "choices need a name for their axis");
	for (uint32_t n = 0; n < a->value_count; n++) {
		a->values[n].number = n;
		if (!*a->values[n].name)
			return at_axis(r, i, "every choice needs a name");
		for (uint32_t before = 0; before < n; before++)
			if (!strcmp(a->values[before].name, a->values[n].name))
				return at_axis(r, i, "two choices with one name");
	}
	return true;
}

static bool finish_axis(struct reader *r, uint32_t i)
{
	struct explore_axis *a = &r->space->axes[i];
	const struct axis_draft *d = &r->drafts[i];
	if (d->has_choices)
		return finish_choices(r, i);
	if (!*a->key)
		return at_axis(r, i, "which key does it vary?");
	if (d->has_values && (d->has_min || d->has_max || d->has_step))
		return at_axis(r, i, "either values, or min, max and step");
	if (!d->has_values)
		TRY(expand_range(r, i));
	for (uint32_t n = 1; n < a->value_count; n++)
		if (a->values[n].number <= a->values[n - 1].number)
			return at_axis(r, i, "values must ascend");
	for (uint32_t k = 0; k < d->follow_count; k++)
		if (!*d->follow[k].key)
			return at_axis(r, i, "an entry of follow without a key");
	if (!*a->name)
		memcpy(a->name, a->key, sizeof a->name);
	name_values(r, i);
	return true;
}

static bool apply(struct machine *m, const struct explore_value *v, struct error *err)
{
	for (uint32_t k = 0; k < v->set_count; k++)
		TRY(machine_set(m, v->sets[k], err));
	return true;
}

/* Each value by itself must be understood; whether a combination makes a machine depends on the others. */
static bool try_values(struct reader *r, uint32_t i)
{
	struct explore_axis *a = &r->space->axes[i];
	for (uint32_t n = 0; n < a->value_count; n++) {
		struct machine m = r->space->base;
		struct error why;
		char text[400];
		if (apply(&m, &a->values[n], &why))
			continue;
		snprintf(text, sizeof text, "value %s: %.300s", a->values[n].name, why.text);
		return at_axis(r, i, text);
	}
	return true;
}

/* --- nothing is set twice: the later one would win in silence --- */

static bool same_key(const char *a, const char *b)
{
	size_t length = strcspn(a, "=");
	return length == strcspn(b, "=") && !strncmp(a, b, length);
}

/* The first key that both set, or NULL. A value beside itself: the first that it sets twice. */
static const char *common_key(const struct explore_value *a, const struct explore_value *b)
{
	for (uint32_t i = 0; i < a->set_count; i++)
		for (uint32_t k = a == b ? i + 1 : 0; k < b->set_count; k++)
			if (same_key(a->sets[i], b->sets[k]))
				return a->sets[i];
	return NULL;
}

/* All values of an axis with a key set the same keys. */
static uint32_t different_values(const struct explore_axis *a)
{
	return *a->key ? 1 : a->value_count;
}

static bool check_twice(const struct reader *r, uint32_t i, uint32_t before)
{
	const struct explore_axis *a = &r->space->axes[i], *b = &r->space->axes[before];
	if (i != before && !strcmp(a->name, b->name))
		return at_axis(r, i, "another axis has this name");
	for (uint32_t n = 0; n < different_values(a); n++)
		for (uint32_t k = 0; k < different_values(b); k++) {
			const char *key = i == before && k != n ? NULL : common_key(&a->values[n], &b->values[k]);
			char text[2 * EXPLORE_TEXT];
			if (!key)
				continue;
			snprintf(text, sizeof text, "%.*s is set twice%s", (int)strcspn(key, "="), key,
				 i == before ? "" : ", by another axis, too");
			return at_axis(r, i, text);
		}
	return true;
}

static bool operand_known(const struct reader *r, const struct explore_constraint *c, const struct explore_operand *o)
{
	if (!*o->key)
		return true;
	for (uint32_t i = 0; i < r->space->axis_count; i++)
		if (!strcmp(r->space->axes[i].key, o->key))
			return true;
	return error_set(r->err, ERROR_INPUT, "%s:%u: constraint '%s': no axis varies '%s'", r->outline->place, c->line,
			 c->text, o->key);
}

static bool finish(struct reader *r)
{
	if (!r->space->axis_count)
		return error_set(r->err, ERROR_INPUT, "%s:1: no axes: there is nothing to explore", r->outline->place);
	for (uint32_t i = 0; i < r->space->axis_count; i++) {
		TRY(finish_axis(r, i));
		TRY(try_values(r, i));
		for (uint32_t before = 0; before <= i; before++)
			TRY(check_twice(r, i, before));
	}
	for (uint32_t i = 0; i < r->space->constraint_count; i++) {
		TRY(operand_known(r, &r->space->constraints[i], &r->space->constraints[i].left));
		TRY(operand_known(r, &r->space->constraints[i], &r->space->constraints[i].right));
	}
	if (explore_size(r->space) > UINT64_C(1) << 40)
		return error_set(r->err, ERROR_INPUT, "%s:1: more than 2^40 machines", r->outline->place);
	return true;
}

static bool read_outline(struct explore_space *s, const struct outline *o, struct error *err)
{
	struct reader *r = calloc(1, sizeof *r);
	if (!r)
		return error_set(err, ERROR_SYSTEM, "out of memory for the design space");
	*r = (struct reader){.space = s, .outline = o, .err = err};
	bool good = true;
	for (size_t i = 0; i < o->count && good; i++) {
		r->node = &o->nodes[i];
		good = !*r->node->path || read_node(r);
	}
	good = good && finish(r);
	free(r);
	return good;
}

bool explore_parse(struct explore_space *s, const char *text, size_t length, const char *place, struct error *err)
{
	struct outline o = {.place = place};
	*s = (struct explore_space){.sample = EXPLORE_SAMPLE};
	for (uint32_t i = 0; i < explore_cost_count(); i++)
		s->weights[i] = explore_cost_weight(i);
	bool good = machine_parse(&s->base, "{}", 2, "base", err) && outline_read(&o, text, length, place, err);
	if (good)
		good = read_outline(s, &o, err);
	outline_free(&o);
	if (!good)
		explore_destroy(s);
	return good;
}

void explore_destroy(struct explore_space *s)
{
	for (uint32_t i = 0; i < EXPLORE_AXES; i++) {
		free(s->axes[i].values);
		s->axes[i].values = NULL;
		s->axes[i].value_count = 0;
	}
	s->axis_count = 0;
}

enum { FILE_MOST = 1 << 20 };

bool explore_read(struct explore_space *s, const char *path, struct error *err)
{
	FILE *in = fopen(path, "r");
	char *text = malloc(FILE_MOST);
	bool good = in && text;
	if (!good) {
		error_set(err, ERROR_INPUT, "%s: cannot read: %s", path, strerror(errno));
	} else {
		size_t length = fread(text, 1, FILE_MOST, in);
		good = ferror(in) || length == FILE_MOST
			       ? error_set(err, ERROR_INPUT, "%s: cannot read, or larger than a megabyte", path)
			       : explore_parse(s, text, length, path, err);
	}
	free(text);
	if (in)
		fclose(in);
	return good;
}

/* --- the grid --- */

uint64_t explore_size(const struct explore_space *s)
{
	uint64_t n = 1;
	for (uint32_t i = 0; i < s->axis_count; i++)
		n = s->axes[i].value_count && n > UINT64_MAX / s->axes[i].value_count ? UINT64_MAX
										      : n * s->axes[i].value_count;
	return n;
}

void explore_digits(const struct explore_space *s, uint64_t index, uint32_t digits[EXPLORE_AXES])
{
	for (uint32_t i = s->axis_count; i-- > 0;) {
		digits[i] = (uint32_t)(index % s->axes[i].value_count);
		index /= s->axes[i].value_count;
	}
}

bool explore_machine(const struct explore_space *s, uint64_t index, struct machine *m, struct error *err)
{
	uint32_t digits[EXPLORE_AXES];
	explore_digits(s, index, digits);
	*m = s->base;
	for (uint32_t i = 0; i < s->axis_count; i++)
		TRY(apply(m, &s->axes[i].values[digits[i]], err));
	return machine_check(m, "explore", err);
}
