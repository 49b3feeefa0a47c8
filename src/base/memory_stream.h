/* A stream into memory that tells when memory ran out: open_memstream's loses what it cannot hold, and says nothing. */
#ifndef CULPRIT_BASE_MEMORY_STREAM_H
#define CULPRIT_BASE_MEMORY_STREAM_H

#include "base/bytes.h"

#include <stdio.h>

/* It must stay where it is until it is closed. */
struct memory_stream {
	FILE *file;
	struct bytes bytes;
	size_t size; /* once closed: the bytes written, without the zero behind them */
};

/* NULL: no memory. */
FILE *memory_stream_open(struct memory_stream *m);
/* What was written, malloc'd, with a zero behind it; NULL: memory ran out. Also after a failed open. */
char *memory_stream_close(struct memory_stream *m);

#endif
