/* State to bytes and back: one function for both directions says what belongs to a thing, so that neither can forget
 * what the other has.
 *
 *     static void thing_archive(struct archive *a, struct thing *t)
 *     {
 *             ARCHIVE(a, t->count);
 *             archive_text(a, &t->name);
 *     }
 *
 * What is loaded is not trusted: after a failure values are 0, counts are bounded, and the owner checks what they
 * mean. */
#ifndef CULPRIT_BASE_ARCHIVE_H
#define CULPRIT_BASE_ARCHIVE_H

#include "base/bytes.h"

struct archive {
	bool loading;
	struct bytes *to;   /* saving */
	struct cursor from; /* loading */
	bool failed;
	struct error error; /* the first one */
};

/* Sets the error, unless there is one; returns false. */
bool archive_fail(struct archive *a, const char *format, ...) __attribute__((format(printf, 2, 3)));
bool archive_no_memory(struct archive *a); /* the same, for what could not be allocated */
/* Nothing has failed so far, and what was to be read was there; else *err tells. */
bool archive_good(struct archive *a, struct error *err);

/* An integer of any width, little-endian; no bool. */
#define ARCHIVE(a, lvalue) archive_integer(a, &(lvalue), sizeof(lvalue))
void archive_integer(struct archive *a, void *value, size_t size);
void archive_flag(struct archive *a, bool *value);
void archive_raw(struct archive *a, void *bytes, size_t size);
/* NULL or a text; loading: malloc'd, in the place of the old one, which is freed. */
void archive_text(struct archive *a, char **text);
/* Loading: *count is at most `most`, and 0 after a failure. */
void archive_count(struct archive *a, uint64_t *count, uint64_t most);

#endif
