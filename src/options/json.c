/* The options of a command as its result keeps them. */
#include "options/table.h"

#include <string.h>

static json_t *list_json(const struct text_list *l)
{
	json_t *all = json_array();
	for (size_t i = 0; i < l->count; i++)
		json_array_append_new(all, json_string(l->items[i]));
	return all;
}

static json_t *value_json(const struct options *o, size_t row)
{
	const void *field = (const char *)o + option_rows[row].field;
	if (option_rows[row].kind == FLAG)
		return json_boolean(o->given[row]);
	if (!o->given[row])
		return json_null();
	if (option_rows[row].kind == LIST)
		return list_json(field);
	if (option_rows[row].kind >= COUNT && option_rows[row].kind <= SIZE)
		return json_integer((json_int_t) * (const uint64_t *)field);
	return json_string(*(const char *const *)field);
}

/* --unconfined changes no figure: it is told only where it was given, for the command that makes the result again. */
static bool is_kept(const struct options *o, size_t row)
{
	const char *name = option_rows[row].name;
	return strcmp(name, "help") != 0 && (strcmp(name, "unconfined") != 0 || o->given[row]);
}

json_t *options_json(const struct options *o, enum option_user user)
{
	json_t *all = json_object();
	for (size_t i = 0; i < option_row_count; i++)
		if ((option_rows[i].users & user) && is_kept(o, i))
			json_object_set_new(all, option_rows[i].name, value_json(o, i));
	return all;
}

bool options_has(const char *name, enum option_user user, bool *writes_file)
{
	const struct option_row *row = option_find(name, strlen(name), user);
	*writes_file = row && row->kind == OUTPUT;
	return row != NULL;
}
