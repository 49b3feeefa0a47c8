/* The rows of culprit/field.def. */
#include "culprit/field.h"

#include <string.h>

enum { OPTIONAL, REQUIRED };

static const struct culprit_field_info rows[] = {
#define FIELD(name, need, lost, guessed, members, without) {#name, members, without, (need) == REQUIRED, lost, guessed},
#include "culprit/field.def"
};
_Static_assert((int)CULPRIT_FIELD_COUNT <= 32, "a bit of culprit_field_set each");

bool culprit_field_info(unsigned field, struct culprit_field_info *info)
{
	if (field >= CULPRIT_FIELD_COUNT)
		return false;
	*info = rows[field];
	return true;
}

static int find(const char *name, size_t length)
{
	for (int i = 0; i < (int)CULPRIT_FIELD_COUNT; i++)
		if (strlen(rows[i].name) == length && !memcmp(rows[i].name, name, length))
			return i;
	return -1;
}

bool culprit_field_set_parse(const char *list, culprit_field_set *set, const char **unknown)
{
	*set = 0;
	while (*list) {
		size_t length = strcspn(list, ",");
		int field = find(list, length);
		if (field < 0) {
			if (unknown)
				*unknown = list;
			return false;
		}
		*set |= 1u << field;
		list += length + (list[length] == ',');
	}
	return true;
}

culprit_event_set culprit_fields_lose(culprit_field_set unknown)
{
	culprit_event_set classes = 0;
	for (unsigned i = 0; i < CULPRIT_FIELD_COUNT; i++)
		classes |= unknown >> i & 1 ? rows[i].lost : 0;
	return classes;
}

culprit_event_set culprit_fields_guess(culprit_field_set unknown)
{
	culprit_event_set classes = 0;
	for (unsigned i = 0; i < CULPRIT_FIELD_COUNT; i++)
		classes |= unknown >> i & 1 ? rows[i].guessed : 0;
	return classes & ~culprit_fields_lose(unknown);
}
