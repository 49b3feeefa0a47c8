/* Inside the room: rules that say which stage of a Kanata file is which time. */
#ifndef CULPRIT_IMPORT_KANATA_RULES_H
#define CULPRIT_IMPORT_KANATA_RULES_H

#include "import/import.h"

enum { CHOICES = 4, STAGE = 24 };

struct kanata_choice {
	bool end;
	char stage[STAGE];
};

struct kanata_rules {
	struct kanata_choice choices[IMPORT_TIMES][CHOICES];
	unsigned count[IMPORT_TIMES];
};

extern const char *const kanata_time_names[IMPORT_TIMES];

/* Of a map, or of Culprit's own files where there is none. */
bool kanata_rules(const struct import_stages *stages, struct kanata_rules *rules, struct error *err);

#endif
