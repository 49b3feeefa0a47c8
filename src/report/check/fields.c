/* What records do not tell, and what is withheld for it. */
#include "report/check/report.h"

#include <string.h>

static json_t *classes_json(culprit_event_set classes)
{
	json_t *list = json_array();
	for (unsigned i = 0; i < CULPRIT_BASE_EVENTS; i++)
		if (classes >> i & 1)
			json_array_append_new(list, json_string(culprit_event_name((enum culprit_event_class)i)));
	return list;
}

json_t *fields_json(culprit_field_set unknown)
{
	struct culprit_field_info info;
	if (!unknown)
		return json_null();
	json_t *fields = json_object();
	for (unsigned i = 0; culprit_field_info(i, &info); i++)
		if (unknown >> i & 1)
			json_object_set_new(fields, info.name, json_string(info.without));
	return json_pack("{s:o, s:o, s:o}", "fields", fields, "withheld", classes_json(culprit_fields_lose(unknown)),
			 "guessed", classes_json(culprit_fields_guess(unknown)));
}

static void classes_text(const char *what, culprit_event_set classes, FILE *out)
{
	if (!classes)
		return;
	fprintf(out, "  %s:", what);
	for (unsigned i = 0; i < CULPRIT_BASE_EVENTS; i++)
		if (classes >> i & 1)
			fprintf(out, " %s", culprit_event_name((enum culprit_event_class)i));
	fputc('\n', out);
}

void fields_costs(culprit_field_set unknown, FILE *out)
{
	classes_text("costs that cannot be told, and are withheld", culprit_fields_lose(unknown), out);
	classes_text("costs that are told less well", culprit_fields_guess(unknown), out);
}

void fields_text(culprit_field_set unknown, FILE *out)
{
	struct culprit_field_info info;
	if (!unknown)
		return;
	fprintf(out, "  What the records do not tell:\n");
	for (unsigned i = 0; culprit_field_info(i, &info); i++)
		if (unknown >> i & 1)
			fprintf(out, "    %-15s %s\n", info.name, info.without);
	fields_costs(unknown, out);
}

void fields_names(culprit_field_set unknown, char *text, size_t size)
{
	struct culprit_field_info info;
	*text = 0;
	for (unsigned i = 0; culprit_field_info(i, &info); i++)
		if (unknown >> i & 1)
			snprintf(text + strlen(text), size - strlen(text), " %s", info.name);
}
