#ifndef CULPRIT_EXPORT_GZIP_H
#define CULPRIT_EXPORT_GZIP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Bytes as a gzip file. False: memory ran out; errors of `out` are left to who closes it. */
bool gzip_write(const void *bytes, size_t size, FILE *out);

#endif
