/* A YAML text as a flat list of places: every key and list item with its path, its text and its line. A value
 * found wrong later names its line. */
#ifndef CULPRIT_MACHINE_MACHINE_OUTLINE_H
#define CULPRIT_MACHINE_MACHINE_OUTLINE_H

#include "base/error.h"

#include <stddef.h>
#include <stdint.h>

enum outline_kind { OUTLINE_SCALAR, OUTLINE_MAPPING, OUTLINE_SEQUENCE };

enum { OUTLINE_PATH_MAX = 200, OUTLINE_NODES_MAX = 4000, OUTLINE_DEPTH_MAX = 8, OUTLINE_FILE_MAX = 1 << 20 };

struct outline_node {
	char *path; /* "window.rob", "queues[0].name", "units[2].ops[1]" */
	char *text; /* of a scalar, else "" */
	uint32_t line;
	enum outline_kind kind;
};

struct outline {
	const char *place; /* names the text in errors */
	struct outline_node *nodes;
	size_t count, room;
};

/* The whole file, of at most `most` bytes, to be freed; NULL: an error. */
char *outline_text(const char *path, size_t most, size_t *length, struct error *err);
/* Refuses what a machine file has no use for: a second document, anchors and aliases, keys that are not plain words,
 * a key given twice, deep nesting. The outline must be freed after a failure too. */
bool outline_read(struct outline *o, const char *text, size_t length, const char *place, struct error *err);
void outline_free(struct outline *o);
const struct outline_node *outline_find(const struct outline *o, const char *path);
/* "PLACE:LINE: key PATH: reason". Returns false. */
bool outline_error(const struct outline *o, const char *path, struct error *err, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

#endif
