/* Inside the room: records of a ChampSim trace, and the code that is made of them. */
#ifndef CULPRIT_IMPORT_CHAMPSIM_H
#define CULPRIT_IMPORT_CHAMPSIM_H

#include "import/steps.h"

enum { CHAMPSIM_SLOTS = 4 };

/* 0 = an empty slot. */
struct champsim_record {
	uint64_t ip;
	uint64_t stores[CHAMPSIM_SLOTS], loads[CHAMPSIM_SLOTS];
	uint8_t dest[CHAMPSIM_SLOTS], source[CHAMPSIM_SLOTS];
	bool taken;
};

/* The records as steps over RISC-V code that does alike; docs/reference/traces.md has the rules. */
bool champsim_steps(struct import_steps *s, const struct champsim_record *records, size_t count, struct error *err);

#endif
