/* Any text as --graph-class: an error, or a class with a name and events whose places are read again without one. The same
 * text as an item of --ideal: an error, or events at a place. */
#include "with/graph_class.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char text[600];
	if (size >= sizeof text)
		return 0;
	memcpy(text, data, size);
	text[size] = '\0';
	struct graph_class c;
	struct error err;
	struct culprit_graph_params params = {.class_count = 0};
	const char *const texts[] = {text};
	bool good = graph_class_parse(text, &c, &err);
	if (good && (!c.name[0] || !c.events || strlen(c.name) >= sizeof c.name))
		abort();
	if (good != graph_classes_apply(texts, 1, NULL, &params, &err))
		abort();
	if (good && params.class_count != 1)
		abort();
	graph_classes_release(&params);
	struct culprit_graph_class place;
	if (graph_class_place(text, NULL, &place, &err) && (!place.events || place.ranges || !strchr(text, '@')))
		abort();
	return 0;
}
