/* The reader of databases, from memory: for fuzzing. */
#ifndef CULPRIT_IMPORT_PERFCCT_H
#define CULPRIT_IMPORT_PERFCCT_H

#include "import/import.h"

bool import_perfcct_memory(struct import_trace *t, const void *bytes, size_t size, struct error *err);

#endif
