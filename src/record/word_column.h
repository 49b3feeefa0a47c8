/* A column of words as planes of bytes: the lowest byte of each word, then the next of each. Planes in which there is
 * nothing take no room; a byte says which there are. A plane has room for whole groups of words. */
#ifndef CULPRIT_RECORD_WORD_COLUMN_H
#define CULPRIT_RECORD_WORD_COLUMN_H

#include "base/bytes.h"

#include <stdbool.h>

enum { WORD_GROUP = 16 };

/* Of memory for `count` words: whole groups. */
static inline size_t word_column_room(size_t count)
{
	return (count + WORD_GROUP - 1) / WORD_GROUP * WORD_GROUP;
}

/* `words` is such memory; what is behind `count` becomes 0. */
void word_column_put(uint64_t *words, size_t count, struct bytes *to);
/* False: they are not there. */
bool word_column_get(uint64_t *words, size_t count, struct cursor *from);

#endif
