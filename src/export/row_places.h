/* What is known of the addresses in a record file: the instruction, its function, the program or
 * library that it is of, and its line. Each is made once. */
#ifndef CULPRIT_EXPORT_ROW_PLACES_H
#define CULPRIT_EXPORT_ROW_PLACES_H

#include "record/record_file.h"

enum row_place_text { ROW_INSTRUCTION, ROW_FUNCTION, ROW_OBJECT, ROW_LINE, ROW_PLACE_TEXTS };

struct row_place {
	uint64_t pc;
	char *texts[ROW_PLACE_TEXTS]; /* NULL: not known */
};

struct row_places {
	struct row_place *places; /* by address; behind the last one is one of which nothing is known */
	size_t count;
	bool any[ROW_PLACE_TEXTS]; /* of some address it is known */
	uint32_t *recent;	   /* where the places of addresses may be */
};

/* To be destroyed in any case. */
bool row_places_create(struct row_places *p, const struct record_about *about, struct error *err);
void row_places_destroy(struct row_places *p);

enum { ROW_PLACES_RECENT = 1 << 14 };
size_t row_places_search(const struct row_places *p, uint64_t pc);

/* Its number. */
static inline size_t row_places_find(const struct row_places *p, uint64_t pc)
{
	uint32_t *recent = &p->recent[pc >> 1 & (ROW_PLACES_RECENT - 1)];
	if (p->places[*recent].pc != pc)
		*recent = (uint32_t)row_places_search(p, pc);
	return *recent;
}

#endif
