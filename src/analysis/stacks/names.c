/* Names and meanings of components, architectures, stages and rows. */
#include "analysis/stacks/stacks.h"

#include <string.h>

const char *stack_component_name(enum stack_component c)
{
	static const char *const names[] = {
#define STACK_COMPONENT(name, meaning) #name,
#include "analysis/stacks/component.def"
	};
	return names[c];
}

const char *stack_component_meaning(enum stack_component c)
{
	static const char *const meanings[] = {
#define STACK_COMPONENT(name, meaning) meaning,
#include "analysis/stacks/component.def"
	};
	return meanings[c];
}

static const struct {
	const char *name, *label, *meaning;
} methods[] = {
#define STACK_METHOD(name, label, meaning) {#name, label, meaning},
#include "analysis/stacks/method.def"
};

const char *stack_method_name(enum stack_method m)
{
	return methods[m].name;
}

const char *stack_method_label(enum stack_method m)
{
	return methods[m].label;
}

const char *stack_method_meaning(enum stack_method m)
{
	return methods[m].meaning;
}

static const char *const rules[] = {
#define FMT_RULE(name, meaning) #name,
#include "analysis/stacks/fmt_rule.def"
};

enum fmt_rule fmt_rule_find(const char *name, size_t length)
{
	unsigned i = 0;
	while (i < FMT_RULES && (strlen(rules[i]) != length || strncmp(rules[i], name, length)))
		i++;
	return (enum fmt_rule)i;
}

const char *fmt_rule_name(enum fmt_rule rule)
{
	return rules[rule];
}

const char *stack_stage_name(enum stack_stage stage)
{
	static const char *const names[] = {"dispatch", "issue", "commit"};
	return names[stage];
}

static const struct {
	const char *name, *meaning;
} stage_rows[] = {
#define STAGE_ROW(name, meaning) {#name, meaning},
#include "analysis/stacks/stage.def"
};

const char *stage_row_name(enum stage_row row)
{
	return stage_rows[row].name;
}

const char *stage_row_meaning(enum stage_row row)
{
	return stage_rows[row].meaning;
}

static const struct {
	const char *name, *meaning;
	enum slots_row parent;
} slots_rows[] = {
#define SLOTS_ROW(name, parent, meaning) {#name, meaning, SLOTS_##parent},
#include "analysis/stacks/slots.def"
};

const char *slots_row_name(enum slots_row row)
{
	return slots_rows[row].name;
}

const char *slots_row_meaning(enum slots_row row)
{
	return slots_rows[row].meaning;
}

enum slots_row slots_row_parent(enum slots_row row)
{
	return slots_rows[row].parent;
}
