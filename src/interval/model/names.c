/* The names of the model's tables. */
#include "base/nearest.h"
#include "interval/model/model.h"

#include <string.h>

static const struct {
	const char *name, *meaning;
	enum model_group group;
} terms[] = {
#define MODEL_TERM(name, group, meaning) {#name, meaning, MODEL_GROUP_##group},
#include "interval/model/term.def"
};

static const struct {
	const char *name, *meaning;
} groups[] = {
#define MODEL_GROUP(name, meaning) {#name, meaning},
#include "interval/model/term.def"
};

static const char *const refinements[] = {
#define MODEL_REFINEMENT(name, meaning) #name,
#include "interval/model/refinement.def"
};

const char *model_term_name(enum model_term term)
{
	return terms[term].name;
}

const char *model_term_meaning(enum model_term term)
{
	return terms[term].meaning;
}

enum model_group model_term_group(enum model_term term)
{
	return terms[term].group;
}

const char *model_group_name(enum model_group group)
{
	return groups[group].name;
}

const char *model_group_meaning(enum model_group group)
{
	return groups[group].meaning;
}

static bool find(const char *name, size_t length, uint32_t *bits)
{
	for (uint32_t i = 0; i < MODEL_REFINEMENTS; i++)
		if (strlen(refinements[i]) == length && !strncmp(refinements[i], name, length)) {
			*bits |= 1u << i;
			return true;
		}
	return false;
}

static bool unknown(const char *name, size_t length, struct error *err)
{
	char list[200] = "";
	struct nearest near;
	nearest_begin(&near, name, length);
	for (uint32_t i = 0; i < MODEL_REFINEMENTS; i++) {
		nearest_consider(&near, refinements[i]);
		strncat(list, i ? ", " : "", sizeof list - strlen(list) - 1);
		strncat(list, refinements[i], sizeof list - strlen(list) - 1);
	}
	return error_set(err, ERROR_USAGE, "no refinement is called '%.*s'%s (there are %s)",
			 (int)(length < 40 ? length : 40), name, nearest_hint(&near), list);
}

bool model_refinements_parse(const char *text, uint32_t *bits, struct error *err)
{
	*bits = 0;
	for (size_t length; text; text = text[length] ? text + length + 1 : NULL) {
		length = strcspn(text, ",");
		if (!find(text, length, bits))
			return unknown(text, length, err);
	}
	return true;
}

double model_group_cycles(const struct model_result *r, enum model_group group)
{
	double cycles = 0;
	for (unsigned i = 0; i < MODEL_TERMS; i++)
		if (terms[i].group == group)
			cycles += r->lines[i].cycles;
	return cycles;
}
