/* The file: a codec's (record/codec.h), whose content is
 *
 *     8 arguments, then each as a text   8 checkpoints
 *     for each: 8 executed   8 warm-up   8 bytes of state   8 pages
 *     for each: the state   then for each page 8 its number, 4 its content
 *     8 contents, then 4096 bytes each */
#ifndef CULPRIT_CHECKPOINT_FORMAT_H
#define CULPRIT_CHECKPOINT_FORMAT_H

#include "record/codec.h"

enum { PAGE_ENTRY = 12, ARGUMENTS_MOST = 1 << 16, ARGUMENT_MOST = 1 << 20 };

/* Pages that are all zero, or alike, do not come: what is left of one may still shrink to a few bytes. */
static const struct codec checkpoint_codec = {
	.magic = {'C', 'U', 'L', 'P', 'C', 'K', 'P', 'T'},
	.name = "checkpoint file",
	.writer = "culprit checkpoint",
	.oldest = 1,
	.version = 1,
	.most = 1ull << 36,
	.for_byte = 4096,
	.level = 3,
};

#endif
