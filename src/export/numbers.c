#include "export/numbers.h"

bool numbers_create(struct numbers *n)
{
	n->numbers = json_object();
	n->failed = !n->numbers;
	return !n->failed;
}

void numbers_destroy(struct numbers *n)
{
	json_decref(n->numbers);
	n->numbers = NULL;
}

size_t numbers_count(const struct numbers *n)
{
	return json_object_size(n->numbers);
}

uint32_t numbers_of(struct numbers *n, const char *text, bool *fresh)
{
	const json_t *known = json_object_get(n->numbers, text);
	size_t next = numbers_count(n);
	if (fresh)
		*fresh = !known;
	if (known)
		return (uint32_t)json_integer_value(known);
	if (json_object_set_new_nocheck(n->numbers, text, json_integer((json_int_t)next)))
		n->failed = true;
	return (uint32_t)next;
}
