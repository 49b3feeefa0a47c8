/* Names that come out of a guest's files. A terminal obeys control characters, lists of one name a line break at a
 * line's end, and JSON takes nothing but UTF-8: what is shown has no control characters and no bytes that are no letter
 * of UTF-8. */
#ifndef CULPRIT_BASE_PLAIN_H
#define CULPRIT_BASE_PLAIN_H

#include <stdbool.h>
#include <stddef.h>

bool plain_is(const char *text);
/* What may not stand there becomes '?'. */
void plain_make(char *text);
/* The same of a copy, cut at the size; `to` is returned. */
const char *plain_copy(const char *text, char *to, size_t size);

#endif
