/* From drafts to axes: ranges become lists, follow-ups assignments, values get names. Every value of every axis is
 * tried on the base machine, so that a machine that cannot be is an error of the line that asks for it, and no key may
 * be set twice. */
#include "interval/explore/reader.h"

#include "machine/machine_rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- from drafts to values --- */

static bool at_axis(const struct explore_reader *r, uint32_t i, const char *why)
{
	return error_set(r->err, ERROR_INPUT, "%s:%u: key axes[%u]: %s", r->outline->place, r->space->axes[i].line, i,
			 why);
}

static bool expand_range(struct explore_reader *r, uint32_t i)
{
	const struct explore_draft *d = &r->drafts[i];
	struct explore_axis *a = &r->space->axes[i];
	double step = d->has_step ? d->step : 1;
	if (!d->has_min || !d->has_max || d->max < d->min)
		return at_axis(r, i, "needs values, choices, or min and max (and step)");
	if ((d->max - d->min) / step >= EXPLORE_VALUES)
		return at_axis(r, i, "more than 1024 values");
	if (d->min != floor(d->min) || step != floor(step))
		return at_axis(r, i, "min and step must be whole numbers");
	for (uint32_t n = 0; d->min + n * step <= d->max; n++) {
		struct explore_value *v = explore_value_at(r, a, n);
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
static void name_values(struct explore_reader *r, uint32_t i)
{
	const struct explore_draft *d = &r->drafts[i];
	struct explore_axis *a = &r->space->axes[i];
	for (uint32_t n = 0; n < a->value_count; n++) {
		struct explore_value *v = &a->values[n];
		snprintf(v->name, sizeof v->name, "%.0f", v->number);
		assign(v, a->key, v->number);
		for (uint32_t k = 0; k < d->follow_count; k++)
			assign(v, d->follow[k].key, ceil(v->number * (d->follow[k].times ? d->follow[k].times : 1)));
	}
}

static bool finish_choices(struct explore_reader *r, uint32_t i)
{
	struct explore_axis *a = &r->space->axes[i];
	const struct explore_draft *d = &r->drafts[i];
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

static bool finish_axis(struct explore_reader *r, uint32_t i)
{
	struct explore_axis *a = &r->space->axes[i];
	const struct explore_draft *d = &r->drafts[i];
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

static bool try_values(struct explore_reader *r, uint32_t i)
{
	struct explore_axis *a = &r->space->axes[i];
	for (uint32_t n = 0; n < a->value_count; n++) {
		struct machine m = r->space->base;
		struct error why;
		char text[400];
		if (explore_apply(&m, &a->values[n], &why))
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

static bool check_twice(const struct explore_reader *r, uint32_t i, uint32_t before)
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

static bool operand_known(const struct explore_reader *r, const struct explore_constraint *c,
			  const struct explore_operand *o)
{
	if (!*o->key)
		return true;
	for (uint32_t i = 0; i < r->space->axis_count; i++)
		if (!strcmp(r->space->axes[i].key, o->key))
			return true;
	return error_set(r->err, ERROR_INPUT, "%s:%u: constraint '%s': no axis varies '%s'", r->outline->place, c->line,
			 c->text, o->key);
}

bool explore_finish(struct explore_reader *r)
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
