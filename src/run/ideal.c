#include "run/ideal.h"

#include "machine/machine.h"
#include "with/graph_class.h"

#include <stdlib.h>
#include <string.h>

enum { ITEM_MOST = 600 };

/* The item that *list begins with; *list then stands behind it. */
static bool next_item(const char **list, char item[ITEM_MOST], struct error *err)
{
	size_t length = strcspn(*list, ",");
	if (length >= ITEM_MOST)
		return error_set(err, ERROR_USAGE, "--ideal: an item is longer than %d letters", ITEM_MOST - 1);
	memcpy(item, *list, length);
	item[length] = '\0';
	*list = (*list)[length] ? *list + length + 1 : NULL;
	return true;
}

static bool read_place(const char *item, const struct guest *guest, struct culprit_graph_class *place,
		       struct error *err)
{
	if (*item == '@')
		return error_set(err, ERROR_USAGE, "--ideal %.100s: an event class stands before '@': dmiss%.100s",
				 item, item);
	if (!graph_class_place(item, guest, place, err))
		return error_context(err, "--ideal %.100s", item);
	if (!(place->events & ~CORE_PLACE_CLASSES))
		return true;
	return error_set(err, ERROR_USAGE, "--ideal %.100s: at a place there are dmiss, imiss, bmisp, shalu and lgalu",
			 item);
}

/* All that stands without a place goes to the machine's parser as one list, as ever. */
bool ideal_classes(const char *text, culprit_event_set *set, struct error *err)
{
	const char *list = text;
	char item[ITEM_MOST];
	struct culprit_graph_class place;
	culprit_event_set found, named = 0;
	if (!text)
		return true;
	if (!strchr(text, '@')) {
		TRY(culprit_event_set_parse(text, &found, err));
		*set |= found;
		return true;
	}
	while (list) {
		TRY(next_item(&list, item, err));
		if (strchr(item, '@')) {
			TRY(read_place(item, NULL, &place, err));
			continue;
		}
		if (!*item)
			return error_set(err, ERROR_USAGE, "--ideal %.100s: an item is empty", text);
		TRY(culprit_event_set_parse(item, &found, err));
		if (named & found)
			return error_set(err, ERROR_USAGE, "event class %s was named twice", item);
		named |= found;
	}
	*set |= named;
	return true;
}

/* The class's ranges behind the first *count of *places. */
static bool add_ranges(const struct culprit_graph_class *class, struct core_place **places, size_t *count,
		       struct error *err)
{
	struct core_place *grown = realloc(*places, (*count + class->range_count + 1) * sizeof *grown);
	if (!grown)
		return error_set(err, ERROR_SYSTEM, "out of memory for places");
	*places = grown;
	for (size_t i = 0; i < class->range_count; i++)
		grown[(*count)++] = (struct core_place){class->ranges[i].first, class->ranges[i].end, class->events};
	return true;
}

bool ideal_places(const char *text, const struct guest *guest, struct core *core, struct error *err)
{
	struct core_place *places = NULL;
	size_t count = 0;
	bool good = true;
	for (const char *list = text && strchr(text, '@') ? text : NULL; list && good;) {
		char item[ITEM_MOST];
		struct culprit_graph_class class = {.events = 0};
		good = next_item(&list, item, err);
		if (!good || !strchr(item, '@'))
			continue;
		good = read_place(item, guest, &class, err) && add_ranges(&class, &places, &count, err);
		free((void *)class.ranges);
	}
	good = good && (!count || core_idealise_places(core, places, count, err));
	free(places);
	return good;
}
