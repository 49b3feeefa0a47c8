/* Pairs of a varied program and a varied machine (tests/core/varied_program.h, varied_machine.h), each run in one of several ways. */
#ifndef TESTS_GOLDEN_PAIRS_H
#define TESTS_GOLDEN_PAIRS_H

#include "varied_machine.h"
#include "varied_program.h"

enum pair_way {
	WAY_COLD,      /* from the beginning */
	WAY_WARM,      /* behind a warm-up */
	WAY_STRAYS,    /* ... that follows wrong paths, compares with a reference, and leaves some branches out */
	WAY_IDEALISED, /* classes idealised behind it */
	WAY_PLACES,    /* classes idealised at some addresses */
	WAY_LESSONS,   /* a core that another has taught, and that gets its warm-up as bytes */
	WAY_TURNS,     /* two programs take turns, or each in an address space of its own */
	WAY_STOPPED,   /* up to a place, by its address or its encoding */
	WAY_FOLLOWS,   /* a trace, in which some is missing */
	WAY_PIECES,    /* records without a log, in small steps, and the guest left in the middle */
	WAYS
};

enum { PAIR_CODE_BYTES = 200000, PAIR_WARM = 3000, PAIR_RUN = 3000 };

struct pair {
	uint64_t number;
	enum pair_way way;
	const char *around; /* machines/ */
	struct machine machine;
	struct random_source random; /* for the way */
	bool vectors;
	uint8_t code[PAIR_CODE_BYTES];
	size_t size;
};

void pair_make(struct pair *p, uint64_t number);
/* One line. */
void pair_run(const struct pair *p, FILE *out);
/* Of another pair of that number. */
void pair_analyse(uint64_t number, FILE *out);

#endif
