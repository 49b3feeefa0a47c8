/* Any list of a result as a table. `path` leads to it: "sites", "critical.functions". A list of objects has a row for
 * each, and a column for each key: those of an object within have its name before them ("causes.memory"). A list within
 * lists is all of them together, with the outer ones' texts as columns ("code.functions.instructions":
 * functions.function). An object of numbers has a row for each, of name and value; an object of lists has a column for
 * each list. */
#ifndef CULPRIT_EXPORT_TABLE_H
#define CULPRIT_EXPORT_TABLE_H

#include "export/export.h"

struct table_sink {
	void *context;
	/* Once, before the rows: column -> its number, in the order of the columns. */
	void (*head)(void *context, const json_t *columns);
	/* Column -> value; those that are not there are empty. */
	void (*row)(void *context, const json_t *cells);
};

/* False: memory ran out, or there is no such table. */
bool table_read(const struct export_input *in, const struct table_sink *sink, struct error *err);
/* A cell as text, malloc'd where `*made` is set; NULL: it is empty. */
const char *table_text(const json_t *v, char **made);

#endif
