/* Values that analyses can take: what a file holds may have been made by anyone. */
#ifndef CULPRIT_RECORD_RECORD_VALID_H
#define CULPRIT_RECORD_RECORD_VALID_H

#include "culprit/log.h"

/* NULL: it is good. Else what is not. */
const char *record_values_wrong(const struct culprit_record *r);
const char *log_entry_wrong(const struct culprit_log_entry *e);
/* Bytes that the entry's kind does not use are 0 afterwards: nobody set them. */
void log_entry_clear(struct culprit_log_entry *e);

#endif
