/* What a source of records does not tell. Zero in a record means none: no miss, no producer. A source that does not
 * know says so here, once for all its records, and leaves zeros: they are then not read. Analyses fill in what follows
 * from the rest, and withhold what cannot be told. docs/how-to/feed-records.md has what each field is worth. */
#ifndef CULPRIT_FIELD_H
#define CULPRIT_FIELD_H

#include "culprit/record.h"

CULPRIT_C_BEGIN

enum culprit_field {
#define FIELD(name, need, lost, guessed, members, without) CULPRIT_FIELD_##name,
#include "culprit/field.def"
	CULPRIT_FIELD_COUNT
};

/* Bit n = row n of field.def. */
typedef uint32_t culprit_field_set;
#define CULPRIT_FIELD_BIT(name) (1u << CULPRIT_FIELD_##name)

struct culprit_field_info {
	const char *name, *members, *without;
	bool required;
	/* Base event classes whose cost cannot be told without it, and those that are told less well. */
	culprit_event_set lost, guessed;
};
/* False past the end. */
bool culprit_field_info(unsigned field, struct culprit_field_info *info);
/* "address,level" -> set; false: *unknown (may be NULL) points to the first name that there is not. */
bool culprit_field_set_parse(const char *list, culprit_field_set *set, const char **unknown);
/* All classes that cannot be told (or are told less well) without these. */
culprit_event_set culprit_fields_lose(culprit_field_set unknown);
culprit_event_set culprit_fields_guess(culprit_field_set unknown);

CULPRIT_C_END

#endif
