/* Numbers for texts: each text has the number of its first appearance, from 0. */
#ifndef CULPRIT_EXPORT_NUMBERS_H
#define CULPRIT_EXPORT_NUMBERS_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

struct numbers {
	json_t *numbers; /* text -> number */
	bool failed;	 /* memory ran out */
};

bool numbers_create(struct numbers *n);
void numbers_destroy(struct numbers *n);
/* *fresh (may be NULL): it is new. */
uint32_t numbers_of(struct numbers *n, const char *text, bool *fresh);
size_t numbers_count(const struct numbers *n);

#endif
